"""What a model answers rightly: by exact match, as in Saxton et al. 2019, or as one says."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import eq
from typing import NamedTuple

from progtf.data import ModuleFile, PairFile

Answer = Callable[[list[str]], Sequence[str | ValueError]]
"""A model: questions in, as many answers out. By a `ValueError` it refuses questions: one in the
place of an answer refuses that question, one that is raised some of them.
"""
REFUSED = "?"
"""So a program answers what it does not compute, perhaps with the kind behind it: `? factor`."""


SAID_SO = f"it answers `{REFUSED}`"


def is_refused(answer: str) -> bool:
    """Whether an answer says that there is none."""
    mark, space, kind = answer.partition(" ")
    return mark == REFUSED and bool(space) == bool(kind)


class Miss(NamedTuple):
    """A question that was not answered rightly.

    Attributes:
        split: Where it is from.
        module: Where it is from.
        line: Of the question in its file.
        question: As it was put.
        expected: The answer of the dataset.
        answer: The model's.
        refusal: Why the model gave none, on one line.
    """

    split: str
    module: str
    line: int
    question: str
    expected: str
    answer: str
    refusal: str


@dataclass(frozen=True, slots=True)
class ModuleScore:
    """How a model did on a module of a split.

    Attributes:
        split: Such as `interpolate`.
        module: Such as `numbers__gcd`.
        problems: How many were put.
        misses: Those that were not answered rightly, in the file's order.
    """

    split: str
    module: str
    problems: int
    misses: tuple[Miss, ...]

    @property
    def correct(self) -> int:
        """How many answers were right."""
        return self.problems - len(self.misses)

    @property
    def refused(self) -> int:
        """How many questions the model did not answer, or by `?`; they count as not right."""
        return sum(1 for miss in self.misses if miss.refusal)

    @property
    def wrong(self) -> int:
        """How many answers were given that are not right."""
        return len(self.misses) - self.refused

    @property
    def percent(self) -> float:
        """Answers that were right, in per cent."""
        return 100 * self.correct / self.problems


def by_split(scores: Iterable[ModuleScore]) -> dict[str, list[ModuleScore]]:
    """Returns the scores of each split, in the order in which they come."""
    splits: dict[str, list[ModuleScore]] = {}
    for score in scores:
        splits.setdefault(score.split, []).append(score)
    return splits


class Summary(NamedTuple):
    """A split's scores as papers report them.

    Attributes:
        modules: How many were scored.
        mean: Mean over modules of the percentage that was right.
        above_95: Modules of which more than 95 % was right.
    """

    modules: int
    mean: float
    above_95: int


def summarise(scores: Iterable[ModuleScore]) -> Summary:
    """Returns the summary of some modules' scores; at least one."""
    percents = [score.percent for score in scores]
    above = sum(1 for percent in percents if percent > 95)
    return Summary(len(percents), sum(percents) / len(percents), above)


def score_module(
    answer: Answer,
    file: ModuleFile | PairFile,
    limit: int | None = None,
    batch: int = 256,
    same: Callable[[str, str], bool] = eq,
    report: Callable[[int], None] = lambda _: None,
    each: Callable[..., Iterable[list["Reply"]]] = map,
) -> ModuleScore:
    """Puts a module's questions to a model.

    Args:
        answer: The model.
        file: The module.
        limit: Only so many questions, from the first on.
        batch: Questions put at a time, those of like length together.
        same: Whether an answer is as expected.
        report: Told how many more questions were put.
        each: What puts one batch after another, as `map` does: to several processes, perhaps.

    Raises:
        DataError: The file has a bad line.
        RuntimeError: The model gave more or fewer answers than there were questions.
    """
    problems = list(islice(file.problems(), limit))
    order = sorted(range(len(problems)), key=lambda number: len(problems[number].question))
    misses: dict[int, Miss] = {}
    batches = [order[begin : begin + batch] for begin in range(0, len(order), batch)]
    asked = ([problems[number].question for number in numbers] for numbers in batches)
    for numbers, replies in zip(batches, each(partial(_replies, answer), asked), strict=True):
        for number, reply in zip(numbers, replies, strict=True):
            if reply.refusal or not same(reply.answer, problems[number].answer):
                place = file.split, file.module, file.line(number)
                why = reply.refusal or SAID_SO * is_refused(reply.answer)
                misses[number] = Miss(*place, *problems[number], reply.answer, why)
        report(len(numbers))
    in_order = tuple(misses[number] for number in sorted(misses))
    return ModuleScore(file.split, file.module, len(problems), in_order)


class Reply(NamedTuple):
    """What a model says, or why it says nothing."""

    answer: str
    refusal: str = ""


def _replies(answer: Answer, questions: Sequence[str]) -> list[Reply]:
    return list(_ask(answer, questions))


def _ask(answer: Answer, questions: Sequence[str]) -> Iterator[Reply]:
    """Yields the replies; where a batch is refused, its halves are put."""
    try:
        answers = answer(list(questions))
    except ValueError as error:
        if len(questions) > 1:
            half = len(questions) // 2
            yield from _ask(answer, questions[:half])
            yield from _ask(answer, questions[half:])
        else:
            yield _refusing(error)
        return
    if len(answers) != len(questions):
        raise RuntimeError(f"the model gave {len(answers)} answers to {len(questions)} questions")
    for said in answers:
        yield _refusing(said) if isinstance(said, ValueError) else Reply(said)


def _refusing(error: ValueError) -> Reply:
    return Reply("", " ".join(str(error).split()) or type(error).__name__)
