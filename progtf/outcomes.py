"""What is proven of programs, remembered by their content; and weights with what is proven of them.

The arithmetic of a program is settled here: float32 if it is exact in it, float64 otherwise.
"""

import hashlib
import io
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from functools import cache, cached_property
from itertools import starmap
from json import dumps
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from progtf.cache import Cache, library
from progtf.collector import collector_paused
from progtf.exact import Report, check
from progtf.notation.diagnostics import Span
from progtf.program.forms import Form, Values
from progtf.program.model import Channel, Curve, Gate, Line, Program, Rule
from progtf.program.outcome import Outcome, Proof
from progtf.weights.lower import lower
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
        return lower(program, dtype).proven(Proof(lambda: question.outcome(dtype)))
    outcomes = starmap(question.outcome, question.formats)
    *_, outcome = _until_exact(outcomes)
    return lower(program, outcome.dtype).proven(Proof.of(outcome))


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
    return Outcome(verdict, report.dtype, tuple(report.assumptions), told)


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
            remembered = self.kept.read(self.key(dtype, whole=told))
            try:
                if remembered is not None:
                    return _outcome().validate_json(remembered)
            except ValidationError:
                pass  # of another version, or nobody's
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

    def remember(self, report: Report, *, whole: bool = True) -> Outcome:
        """Keeps what a report comes to, of the declared length; one that is exact is ``whole``."""
        outcome, whole = outcome_of(self.program, report), whole or report.exact
        self.kept.write(self.key(outcome.dtype, whole=whole), dumps(asdict(outcome)).encode())
        return outcome

    def key(self, dtype: str, *, whole: bool = True) -> str:
        """Of all that decides the outcome: the program, the format, and who checks."""
        parts = ("outcome" if whole else "first problem", dtype, library(), self._content)
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()

    @cached_property
    @collector_paused()
    def _content(self) -> str:
        """Of all that a program is, wherever it lies: pickled, which nobody reads back."""
        file = io.BytesIO()
        pickler = pickle.Pickler(file, protocol=5)
        pickler.dispatch_table = _REDUCED
        pickler.dump(self.program)
        return hashlib.sha256(file.getbuffer()).hexdigest()


def _by_fields(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """As pickle does it itself, without asking every value of a kind for its fields."""
    parts = attrgetter(*(each.name for each in fields(kind)))
    return lambda value: (kind, parts(value))


_REDUCED: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    **{kind: _by_fields(kind) for kind in (Form, Values, Rule, Curve, Line, Channel)},
    Span: lambda span: (Span, (_name(span.source.name), span.line, span.start, span.use)),
    Gate: lambda gate: (Gate, (sorted(gate.positive), sorted(gate.negative))),
    Program: lambda program: (Program, (_name(program.name), _parts(program))),
}
"""What of a value tells it from others: of a path the file, of a set its members in order."""


@cache
def _name(path: str) -> str:
    return Path(path).name


def _parts(program: Program) -> dict[str, Any]:
    return {name: part for name, part in vars(program).items() if name not in ("name", "sought")}
