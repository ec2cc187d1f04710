"""Questions about passages as pairs of texts, and the symbols that these are made of.

A question is its words, ``<passage>``, and the passage's words. An answer is the first and the last
word of every place where it stands, ``@3 @5 @17 @19``, counted from the passage's beginning.
"""

from collections import Counter
from collections.abc import Iterable

from progtf.data.problem import Problem
from progtf.data.words import Words
from progtf.tasks.comprehension.texts import Question, spans_of

PASSAGE, SELDOM = "<passage>", "<seldom>"
OFTEN = 2
"""A word that fewer training texts have gets no vector of its own, where these are learned."""
LONGEST = 1024
"""Words of a passage."""
PLACES = tuple(f"@{place}" for place in range(LONGEST))


def as_pair(question: Question) -> Problem:
    """A question with its passage as one text, its answers as places.

    Raises:
        ValueError: for a passage that is too long.
    """
    passage = question.passage.words
    if len(passage) > LONGEST:
        raise ValueError(f"a passage of {len(passage):,} words; at most {LONGEST:,} are read")
    spans = (place for span in spans_of(question) for place in span)
    words = (*question.asked.words, PASSAGE, *passage)
    return Problem(" ".join(words), " ".join(PLACES[place] for place in spans))


def symbols_of(problems: Iterable[Problem], others: Iterable[Problem] = ()) -> Words:
    """The symbols: ``<passage>``, places, frequent words of training, ``<seldom>``, other words.

    Args:
        problems: to train on.
        others: whose words are symbols as well, in the order of their letters.
    """
    first = (PASSAGE, *PLACES)
    counts = Counter(word for problem in problems for word in set(problem.question.split()))
    del counts[PASSAGE]
    often = sorted(word for word, count in counts.items() if count >= OFTEN)
    words = {word for problem in others for word in problem.question.split()} | counts.keys()
    return Words((*first, *often, SELDOM, *sorted(words - {PASSAGE, *often})), open=True)
