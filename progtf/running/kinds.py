"""Texts parted by what they ask for, each kind answered by the part of the program that it needs.

A program that uses others `when` a flag is up asks of each text which of them are. What the others
compute is left out: it takes time, and may break promises that are nobody's in this text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from threading import Lock

from progtf.once import once
from progtf.program.answers import Outside, Readout, first_outside, first_unfinished
from progtf.program.interface import Dimension
from progtf.program.model import EOS, Loop, Program
from progtf.program.narrow import Part, can_be_narrowed, holding, narrowed, written_once
from progtf.program.promises import Broken
from progtf.running.native.engine import engine_of
from progtf.running.promises import MOST as MOST_BROKEN
from progtf.running.trace import Step, Trace
from progtf.running.walk import anew, certainly, encoded, written_by

Kind = frozenset[str]
"""The flags that are not 0 at some token of a text."""
MOST = 64
"""Kinds that are kept, the last ones that came up."""


class Kinds:
    """The kinds of text that a program has seen.

    It does not keep the program itself alive, which is therefore given to each question.

    Attributes:
        flags: by which what others write is held back.
        asking: what computes these flags; encoder: the same as a program that says nothing.
    """

    def __init__(self, program: Program) -> None:
        can_be = can_be_narrowed(program)
        self.flags = written_once(program, holding(program)) if can_be else ()
        self.asking = narrowed(program, (), self.flags) if self.flags else None
        self.encoder = self.asking and _encoder_of(self.asking.program)
        self._parts, self._lock = dict[Kind, Part](), Lock()

    def readout(self, program: Program, tokens: Sequence[str], *, native: bool) -> Readout | None:
        """What is computed for a text by the part that it asks for; None: there are no kinds.

        Args:
            program: the whole.
            tokens: of the text.
            native: whether the engine in C is asked first.
        """
        if self.asking is None or self.encoder is None:
            return None
        asked = self._asked(self.encoder, tokens, native=native)
        part = self.part(program, asked.kind)
        found = by_part(part, tokens, native=native)
        return replace(
            found, outside=found.outside or _outside(asked.encoded, self.asking),
            broken=_together(asked.broken, found.broken), fractions=asked.slow or found.fractions,
        )  # fmt: skip

    def _asked(self, encoder: Program, tokens: Sequence[str], *, native: bool) -> "_Asked":
        """What a text asks for."""
        columns = [encoder.space.index[flag] for flag in self.flags]
        engine = engine_of(encoder) if native else None
        told = None if engine is None else engine.told(tokens)
        if told is not None and told.residual is not None:
            step = Step("encoder", "", tuple(tokens), told.residual) if told.strange else None
            up = (told.residual[:, columns] != 0).any(axis=0)
            return _Asked(Kind(compress(self.flags, up.tolist())), step, (), slow=False)
        trace = Trace(keeps=False)
        found, kept, slow = certainly(encoder, lambda run: encoded(run, tokens, trace), trace=trace)
        up = ((found.values != 0) | (found.errors > 0))[:, columns].any(axis=0)
        kind = Kind(compress(self.flags, up.tolist()))
        return _Asked(kind, trace.encoded, tuple(kept.broken), slow=slow)

    def part(self, program: Program, kind: Kind) -> Part:
        """What answers texts of a kind."""
        with self._lock:  # threads may share it
            made = self._parts.pop(kind, None)
            if made is None:
                if len(self._parts) == MOST:
                    self._parts.pop(next(iter(self._parts)))
                made = narrowed(program, [flag for flag in self.flags if flag not in kind])
            self._parts[kind] = made  # the last one that came up
        return made


@once
def kinds(program: Program) -> Kinds:
    """Those of a program, as long as it lives."""
    return Kinds(program)


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


def by_part(part: Part, tokens: Sequence[str], *, native: bool = True) -> Readout:
    """What a part comes to for a text."""
    return (_by_engine(part, tokens) if native else None) or _by_numpy(part, tokens)


def _by_engine(part: Part, tokens: Sequence[str]) -> Readout | None:
    """What a part says by the engine in C; None if it leaves the text aside."""
    program = part.program
    engine = None if anew(program) else engine_of(program)
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


def _by_numpy(part: Part, tokens: Sequence[str]) -> Readout:
    program, trace = part.program, Trace(keeps=False)
    (written, gap, undone), kept, slow = certainly(
        program, lambda run: written_by(run, tokens, trace, part.loops), trace=trace
    )
    return Readout(
        tuple(tokens), written=tuple(written), gap=gap, tied=not gap,
        unfinished=_unended(trace.encoded, part) or undone, outside=_outside(trace.encoded, part),
        broken=tuple(kept.broken), fractions=slow,
    )  # fmt: skip


def _unended(left: Step | None, part: Part) -> Loop | None:
    """The first loop of a part's encoder that did not come to its end."""
    if left is None:
        return None
    return first_unfinished(left.residual, part.program.space.names, part.loops)


def _outside(left: Step | None, part: Part) -> Outside | None:
    """The first seme of a part that the encoder left outside its range."""
    if left is None:
        return None
    program, ranges = part.program, part.program.space.ranges
    semes = [name for name in program.space.names[: program.semes] if name in part.settled]
    columns = [program.space.index[name] for name in semes]
    told = [Dimension(n, ranges[n].low, ranges[n].high, ranges[n].grain) for n in semes]
    return first_outside(left.tokens, left.residual[:, columns], told)


def _together(*some: Sequence[Broken]) -> tuple[Broken, ...]:
    """The promises that are broken, each once."""
    return tuple(dict.fromkeys(each for broken in some for each in broken))[:MOST_BROKEN]
