"""Questions about passages: read, cut, as pairs and back, answered by counting, judged."""

from progtf.tasks.comprehension.judge import Judged, judged, mean
from progtf.tasks.comprehension.read import by_article, has_passages, questions_in, read_questions
from progtf.tasks.comprehension.sliding import slide
from progtf.tasks.comprehension.symbols import LONGEST, PASSAGE, PLACES, SELDOM, as_pair, symbols_of
from progtf.tasks.comprehension.texts import Question, Text, spans_of

__all__ = [
    "LONGEST",
    "PASSAGE",
    "PLACES",
    "SELDOM",
    "Judged",
    "Question",
    "Text",
    "as_pair",
    "by_article",
    "has_passages",
    "judged",
    "mean",
    "questions_in",
    "read_questions",
    "slide",
    "spans_of",
    "symbols_of",
]
