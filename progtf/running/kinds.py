"""Texts parted by what they ask for, each kind answered by the part of the program that it needs.

A program that uses others `when` a flag is up asks of each text which of them are. What the others
compute is left out: it takes time, and may break promises that are nobody's in this text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from threading import Lock
from typing import Any, Protocol

from progtf.once import once
from progtf.program.answers import Outside, Readout
from progtf.program.interface import Dimension
from progtf.program.model import EOS, Loop, Program
from progtf.program.narrow import Part, can_be_narrowed, holding, narrowed, written_once
from progtf.program.promises import Broken
from progtf.program.speaking import first_outside, first_unfinished
from progtf.running.native.engine import Coded, Engine, coded, stripped
from progtf.running.native.library import library
from progtf.running.promises import MOST as MOST_BROKEN
from progtf.running.trace import Step, Trace
from progtf.running.walk import anew, certainly, encoded, written_by

Kind = frozenset[str]
"""The flags that are not 0 at some token of a text."""
MOST = 64
"""Kinds that are kept, the last ones that came up."""


class Shelf(Protocol):
    """Where parts of a program are kept, from one process to the next."""

    def get(self, name: str) -> Any:
        """What is kept under a name; None: nothing."""

    def put(self, name: str, parts: Any) -> None:
        """Keeps something."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A part of a program, as the engine has it and as numpy walks it.

    Attributes:
        words: the part; its layers may be left out.
        loops: those that must come to their end, of the whole program's.
        settled: the semes that are behind the encoder what they are in the whole program.
        coded: for the engine, made when that is asked.
        part: it with its layers, made when numpy must tell.
    """

    words: Program
    loops: tuple[Loop, ...]
    settled: frozenset[str]
    coded: Callable[[], Coded]
    part: Callable[[], Part]

    @classmethod
    def of(cls, part: Part) -> "Cut":
        """A part that is there."""
        program, again = part.program, anew(part.program)
        code = (lambda: Coded(program, None)) if again else (lambda: coded(program))
        return cls(program, part.loops, part.settled, code, lambda: part)

    @property
    def told(self) -> tuple[Any, ...]:
        """What is kept of it: all but its layers."""
        known = self.coded()
        return stripped(known.words), known.code, self.loops, self.settled

    @classmethod
    def kept(cls, told: tuple[Any, ...], part: Callable[[], Part]) -> "Cut":
        """What was kept."""
        words, code, loops, settled = told
        known = Coded(words, code)
        return cls(words, loops, settled, lambda: known, part)

    @property
    def engine(self) -> Engine | None:
        """The engine that has read it; None where there is none."""
        return None if library() is None else self.coded().engine


class Kinds:
    """The kinds of text that a program has seen.

    It does not keep the program itself alive, which is therefore given to each question.

    Attributes:
        flags: by which what others write is held back.
        asking: what computes these flags, an encoder that says nothing; None: there are no kinds.
        shelf: where parts are kept; None: nowhere.
    """

    def __init__(
        self, flags: tuple[str, ...], asking: Cut | None, shelf: Shelf | None = None
    ) -> None:
        self.flags, self.asking, self.shelf = flags, asking, shelf
        self._parts, self._lock = dict[Kind, Cut](), Lock()

    def readout(
        self, program: Callable[[], Program], tokens: Sequence[str], *, native: bool
    ) -> Readout | None:
        """What is computed for a text by the part that it asks for; None: there are no kinds.

        Args:
            program: the whole, if it must be looked at.
            tokens: of the text.
            native: whether the engine in C is asked first.
        """
        if self.asking is None:
            return None
        asked = self._asked(self.asking, tokens, native=native)
        found = by_part(self.part(program, asked.kind), tokens, native=native)
        return replace(
            found, outside=found.outside or _outside(asked.encoded, self.asking),
            broken=_together(asked.broken, found.broken), fractions=asked.slow or found.fractions,
        )  # fmt: skip

    def _asked(self, asking: Cut, tokens: Sequence[str], *, native: bool) -> "_Asked":
        """What a text asks for."""
        columns = [asking.words.space.index[flag] for flag in self.flags]
        engine = asking.engine if native else None
        told = None if engine is None else engine.touched(tokens)
        if told is not None:
            looked = told.residual
            step = None if looked is None else Step("encoder", "", tuple(tokens), looked)
            kind = Kind(compress(self.flags, map(told.is_up, columns)))
            return _Asked(kind, step, (), slow=False)
        trace, encoder = Trace(keeps=False), asking.part().program
        found, kept, slow = certainly(encoder, lambda run: encoded(run, tokens, trace), trace=trace)
        up = ((found.values != 0) | (found.errors > 0))[:, columns].any(axis=0)
        kind = Kind(compress(self.flags, up.tolist()))
        return _Asked(kind, trace.encoded, tuple(kept.broken), slow=slow)

    def part(self, program: Callable[[], Program], kind: Kind) -> Cut:
        """What answers texts of a kind."""
        with self._lock:  # threads may share it
            made = self._parts.pop(kind, None)
            if made is None:
                if len(self._parts) == MOST:
                    self._parts.pop(next(iter(self._parts)))
                made = self._made(program, kind)
            self._parts[kind] = made  # the last one that came up
        return made

    def _made(self, program: Callable[[], Program], kind: Kind) -> Cut:
        silent = [flag for flag in self.flags if flag not in kind]
        if self.shelf is None:
            return Cut.of(narrowed(program(), silent))
        name = f"part {sorted(kind)}"
        told = self.shelf.get(name)
        if told is not None:
            return Cut.kept(told, lambda: narrowed(program(), silent))
        made = Cut.of(narrowed(program(), silent))
        if library() is not None:  # else nobody asks for it
            self.shelf.put(name, made.told)
        return made


def asking_of(program: Program) -> tuple[tuple[str, ...], Part | None]:
    """The flags by which kinds of text are told, and the encoder that computes them."""
    flags = written_once(program, holding(program)) if can_be_narrowed(program) else ()
    if not flags:
        return (), None
    part = narrowed(program, (), flags)
    return flags, replace(part, program=_encoder_of(part.program))


@once
def kinds(program: Program) -> Kinds:
    """Those of a program, as long as it lives."""
    flags, asking = asking_of(program)
    return Kinds(flags, None if asking is None else Cut.of(asking))


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a text asks for, and what its flags were read off."""

    kind: Kind
    encoded: Step | None
    broken: tuple[Broken, ...]
    slow: bool


def _encoder_of(program: Program) -> Program:
    """The encoder of a program, which says nothing."""
    return replace(program, kind="encoder", decoder=(), outputs={}, lengths=(program.lengths[0], 0))


def by_part(part: Cut, tokens: Sequence[str], *, native: bool = True) -> Readout:
    """What a part comes to for a text."""
    return (_by_engine(part, tokens) if native else None) or _by_numpy(part, tokens)


def _by_engine(part: Cut, tokens: Sequence[str]) -> Readout | None:
    """What a part says by the engine in C; None if it leaves the text aside."""
    program, engine = part.words, part.engine
    told = None if engine is None else engine.told(tokens)
    if told is None:
        return None
    outputs, left = [*program.outputs], None
    if told.residual is not None:
        left = Step("encoder", "", tuple(tokens), told.residual)
    said = tuple(outputs[number] for number in told.written)
    return Readout(
        tuple(tokens), written=said[: program.lengths[1] + (said[-1] == EOS)], gap=told.gap,
        unfinished=_unended(left, part), tied=not told.gap, outside=_outside(left, part),
    )  # fmt: skip


def _by_numpy(part: Cut, tokens: Sequence[str]) -> Readout:
    program, trace = part.part().program, Trace(keeps=False)
    (written, gap, undone), kept, slow = certainly(
        program, lambda run: written_by(run, tokens, trace, part.loops), trace=trace
    )
    return Readout(
        tuple(tokens), written=tuple(written), gap=gap, tied=not gap,
        unfinished=_unended(trace.encoded, part) or undone, outside=_outside(trace.encoded, part),
        broken=tuple(kept.broken), fractions=slow,
    )  # fmt: skip


def _unended(left: Step | None, part: Cut) -> Loop | None:
    """The first loop of a part's encoder that did not come to its end."""
    if left is None:
        return None
    return first_unfinished(left.residual, part.words.space.names, part.loops)


def _outside(left: Step | None, part: Cut) -> Outside | None:
    """The first seme of a part that the encoder left outside its range."""
    if left is None:
        return None
    program, ranges = part.words, part.words.space.ranges
    semes = [name for name in program.space.names[: program.semes] if name in part.settled]
    columns = [program.space.index[name] for name in semes]
    told = [Dimension(n, ranges[n].low, ranges[n].high, ranges[n].grain) for n in semes]
    return first_outside(left.tokens, left.residual[:, columns], told)


def _together(*some: Sequence[Broken]) -> tuple[Broken, ...]:
    """The promises that are broken, each once."""
    return tuple(dict.fromkeys(each for broken in some for each in broken))[:MOST_BROKEN]
