"""What is proven of programs, remembered by their content; and weights with what is proven of them.

The arithmetic of a program is settled here: float32 if it is exact in it, float64 otherwise.
"""

import hashlib
import io
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import cache, cached_property
from itertools import starmap
from json import dumps
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from progtf.cache import Cache, library
from progtf.collector import collector_paused
from progtf.content import key_of
from progtf.exact import Report, check
from progtf.exact.kept import broken
from progtf.notation.diagnostics import Span
from progtf.program.answering import Input
from progtf.program.asleep import Asleep
from progtf.program.forms import Form, Values
from progtf.program.model import Channel, Compared, Curve, Gate, Line, Program, Rule
from progtf.program.outcome import Outcome, Proof
from progtf.running.interpret import Interpreter
from progtf.weights.layout import layout_of
from progtf.weights.lower import lower
from progtf.weights.narrow import can_be_narrowed, written_once
from progtf.weights.narrow.program import Part
from progtf.weights.weights import Weights

Told = TypeVar("Told", Outcome, Report)


def proven(program: Program, dtype: str | None = None, kept: Cache | None = None) -> Weights:
    """The weights of a program, with what is proven of them.

    Args:
        program: from ``progtf.load``.
        dtype: how they are stored; without it float32 if the program is exact in it or leaves
            something to training, float64 otherwise. What is proven in a format that is named is
            found out when somebody asks.
        kept: where outcomes are remembered; None: in the user's cache.

    Raises:
        ValueError: for another ``dtype``.
        progtf.program.formats.FormatError: if a weight is too large for it.
    """
    question = Question(program, Cache.of_user() if kept is None else kept)
    if dtype is not None:
        return lower(program, dtype).proven(Proof(lambda: question.outcome(dtype), Kept(program)))
    outcomes = starmap(question.outcome, question.formats)
    *_, outcome = _until_exact(outcomes)
    return lower(program, outcome.dtype).proven(Proof.of(question.by_parts(outcome), Kept(program)))


@cache
def _outcome() -> TypeAdapter[Outcome]:
    return TypeAdapter(Outcome)


def _until_exact(found: Iterable[Told]) -> Iterator[Told]:
    for each in found:
        yield each
        if each.exact:
            return


def outcome_of(program: Program, report: Report) -> Outcome:
    """What a report comes to."""
    problems = (*report.found, *report.unproven)
    verdict = "learned" if program.hybrid else "exact"
    if problems:
        verdict = "not exact" if report.found else "not proven"
    places = (f"{Path(p.span.source.name).name}:{p.span.line}" for p in problems)
    told = tuple(f"{p.headline} ({at})" for p, at in zip(problems, places, strict=True))
    held = tuple(tuple(report.held[text]) for text in report.taken)
    return Outcome(verdict, report.dtype, tuple(report.assumptions), told, held=held)


@dataclass
class Kept:
    """Holds what is assumed of a program's network against each text that it answers."""

    program: Program

    def __call__(self, given: Input, outcome: Outcome) -> Outcome:
        """The outcome of an answer: where a text breaks an assumption nothing is proven."""
        if outcome.verdict != "exact" or not outcome.held:
            return outcome
        said = dict(zip(outcome.assumptions, outcome.held, strict=True))
        found = broken(self._meant, given, said)
        why = tuple(f"it is assumed that {words}, and {why}" for words, why in found.items())
        return Outcome("broken promise", outcome.dtype, problems=why) if found else outcome

    @cached_property
    def _meant(self) -> Interpreter:
        return Interpreter(self.program)

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, (self.program,)


class Question:
    """What is proven of one program.

    Attributes:
        kept: where answers are remembered.
    """

    def __init__(self, program: Program, kept: Cache) -> None:
        self.program, self.kept = program, kept

    def outcome(self, dtype: str, whole: bool = True) -> Outcome:
        """What is proven of it in a number format, at its declared length.

        ``whole``: whether all problems are told; otherwise the first is enough.
        """
        for told in {True, whole}:
            if (remembered := self._remembered(self.key(dtype, of=_asked(whole=told)))) is not None:
                return remembered
        return self.remember(check(self.program, dtype, whole=whole), whole=whole)

    @property
    def formats(self) -> tuple[tuple[str, bool], ...]:
        """The formats that a program may run in, as they are tried; of the last all is told."""
        single = ("float32", True), ("float32", False), ("float64", True)
        return single[:1] if self.program.hybrid else single[1:]

    @collector_paused()
    def reports(self, dtype: str | None, length: int | None) -> list[Report]:
        """What is found in a format, or in those tried until the program is exact; remembered.

        Args:
            dtype: the format; None: those that it may run in.
            length: the longest input; None: as declared.
        """
        formats = self.formats if dtype is None else ((dtype, True),)
        tried = (check(self.program, each, length, whole=whole) for each, whole in formats)
        found = list(_until_exact(tried))
        for report, (_, whole) in zip(found, formats, strict=False) if length is None else ():
            self.remember(report, whole=whole)
        return found

    def by_parts(self, outcome: Outcome) -> Outcome:
        """The outcome of the whole program, and which kinds of texts are answered in float32 if the
        whole is not exact in it.
        """
        if not outcome.exact or outcome.dtype != "float64" or not layout_of(self.program).held:
            return outcome
        key = self.key(outcome.dtype, of="outcome by parts")
        if (remembered := self._remembered(key)) is not None:
            return remembered
        weights = lower(self.program, outcome.dtype)
        if not can_be_narrowed(weights):
            return outcome
        flags, light = written_once(weights, weights.layout.held), dict[str, Outcome]()
        granted = frozenset[str]()
        for flag in flags:
            part = Part.of(self.program, weights, [each for each in flags if each != flag])
            report = check(part.program, "float32", whole=False, granted=granted)
            if report.exact and part.answers_alike():
                light[flag] = outcome_of(part.program, report)
                granted |= report.more
        every = (outcome, *light.values())
        assumed = {w: h for each in every for w, h in zip(each.assumptions, each.held, strict=True)}
        told = {"assumptions": tuple(assumed), "held": tuple(assumed.values())}
        found = replace(outcome, lighter=tuple(light), **told)
        self.kept.write(key, dumps(asdict(found)).encode())
        return found

    def _remembered(self, key: str) -> Outcome | None:
        with suppress(ValidationError):  # of another version, or nobody's
            if (remembered := self.kept.read(key)) is not None:
                return _outcome().validate_json(remembered)
        return None

    def remember(self, report: Report, *, whole: bool = True) -> Outcome:
        """Keeps what a report comes to, of the declared length; one that is exact is ``whole``."""
        outcome, whole = outcome_of(self.program, report), whole or report.exact
        key = self.key(outcome.dtype, of=_asked(whole=whole))
        self.kept.write(key, dumps(asdict(outcome)).encode())
        return outcome

    def key(self, dtype: str, *, of: str = "outcome") -> str:
        """Of all that decides the outcome: program, format, what is asked, and who checks."""
        return key_of(of, dtype, library(), self._content)

    @cached_property
    @collector_paused()
    def _content(self) -> str:
        """Of all that a program is, wherever it lies: pickled, which nobody reads back.

        Fast means by value: equal parts are the same bytes, be they one object or two.
        """
        file = io.BytesIO()
        pickler = pickle.Pickler(file, protocol=5)
        pickler.dispatch_table, pickler.fast = _REDUCED, True
        pickler.dump(self.program)
        return hashlib.sha256(file.getbuffer()).hexdigest()


def _asked(*, whole: bool) -> str:
    return "outcome" if whole else "first problem"


def _by_fields(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """As pickle does it itself, without asking every value of a kind for its fields."""
    parts = attrgetter(*(each.name for each in fields(kind)))
    return lambda value: (kind, parts(value))


_REDUCED: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    **{kind: _by_fields(kind) for kind in (Form, Values, Rule, Curve, Line, Channel)},
    Span: lambda span: (Span, (_name(span.source.name), span.line, span.start, span.use)),
    Gate: lambda gate: (Gate, (sorted(gate.positive), sorted(gate.negative))),
    Compared: lambda each: (
        Compared,
        (each.gate, each.form, each.values, each.steps, each.span, sorted(each.writes)),
    ),
    **dict.fromkeys((Program, Asleep), lambda each: (Program, (_name(each.name), _parts(each)))),
}
"""What of a value tells it from others: of a path the file, of a set its members in order."""


@cache
def _name(path: str) -> str:
    return Path(path).name


def _parts(program: Program) -> dict[str, Any]:
    told = ("name", "sought", "answers")
    return {name: part for name, part in vars(program).items() if name not in told}
