"""`progtf eval` of questions about passages: exact match and F1, article by article."""

import json
from pathlib import Path

from rich.table import Table

from progtf.cli.messages import UserError, say
from progtf.data import Told
from progtf.tables import print_table
from progtf.tasks.comprehension import Judged, Question, judged, mean, questions_in, slide


def evaluate_reading(
    checkpoint: Path, data: Path, limit: int | None, told: Told, *, as_json: bool
) -> int:
    """Prints what a network scores on a file, beside counting words alone; how many questions.

    Raises:
        UserError: if there is no such network, or no right answers are told.
        DataError: for a file that is none.
    """
    from progtf.training.answer import Reader  # noqa: PLC0415  torch is slow
    from progtf.training.config import RunError  # noqa: PLC0415

    questions = questions_in(data, told)[:limit]
    if not questions:
        return 0
    for each in questions:
        if not each.answers:
            raise UserError(f"{data}: question {each.name} tells no right answer")
    try:
        found = Reader.load(checkpoint, questions).answers(questions)
    except (RunError, ValueError) as error:
        raise UserError(str(error)) from None
    texts = [each.text(q.passage) for each, q in zip(found, questions, strict=True)]
    scores = [judged(text, q.answers) for text, q in zip(texts, questions, strict=True)]
    window = [judged(q.passage.span(*slide(q)), q.answers) for q in questions]
    if as_json:
        say(json.dumps(_row(scores) | {"window": _row(window)}, indent=1))
    else:
        print_table(_table(questions, scores, window))
    return len(questions)


def _row(scores: list[Judged]) -> dict[str, float]:
    exact, f1 = mean(scores)
    return {"questions": len(scores), "em": round(100 * exact, 2), "f1": round(100 * f1, 2)}


def _table(questions: tuple[Question, ...], scores: list[Judged], window: list[Judged]) -> Table:
    table = Table(title="percent", title_justify="left")
    table.add_column("article")
    for heading in ("questions", "EM", "F1", "sliding window, F1"):
        table.add_column(heading, justify="right")
    for article in dict.fromkeys(question.article for question in questions):
        mine = [n for n, question in enumerate(questions) if question.article == article]
        table.add_row(article, *_cells([scores[n] for n in mine], [window[n] for n in mine]))
    table.add_section()
    table.add_row("together", *_cells(scores, window))
    return table


def _cells(scores: list[Judged], window: list[Judged]) -> tuple[str, ...]:
    row, other = _row(scores), _row(window)
    return f"{len(scores):,}", f"{row['em']:.2f}", f"{row['f1']:.2f}", f"{other['f1']:.2f}"
