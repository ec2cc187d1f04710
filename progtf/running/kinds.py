"""Texts parted by what they ask for, each kind answered by the part of the program that it needs.

A program that uses others `when` a flag is up asks of each text which of them are. What the others
compute is left out: it takes time, and may break promises that are nobody's in this text.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from threading import Lock

from progtf.once import once
from progtf.program.answers import Outside, Readout, first_outside, first_unfinished
from progtf.program.interface import Dimension
from progtf.program.model import Program
from progtf.program.narrow import Part, can_be_narrowed, holding, narrowed, written_once
from progtf.program.promises import Broken
from progtf.running.promises import MOST as MOST_BROKEN
from progtf.running.trace import Trace
from progtf.running.walk import certainly, encoded, written_by

Kind = frozenset[str]
"""The flags that are not 0 at some token of a text."""
MOST = 64
"""Kinds that are kept, the last ones that came up."""


class Kinds:
    """The kinds of text that a program has seen.

    It does not keep the program itself alive, which is therefore given to each question.

    Attributes:
        flags: by which what others write is held back.
        asking: what computes these flags.
    """

    def __init__(self, program: Program) -> None:
        can_be = can_be_narrowed(program)
        self.flags = written_once(program, holding(program)) if can_be else ()
        self.asking = narrowed(program, (), self.flags) if self.flags else None
        self._parts, self._lock = dict[Kind, Part](), Lock()

    def readout(self, program: Program, tokens: Sequence[str]) -> Readout | None:
        """What is computed for a text by the part that it asks for; None: there are no kinds."""
        if self.asking is None:
            return None
        asking, trace = self.asking.program, Trace(keeps=False)
        found, kept, exact = certainly(asking, lambda run: encoded(run, tokens, trace), trace=trace)
        columns = [asking.space.index[flag] for flag in self.flags]
        up = ((found.values != 0) | (found.errors > 0))[:, columns].any(axis=0)
        said = by_part(self.part(program, Kind(compress(self.flags, up.tolist()))), tokens)
        return replace(
            said, outside=said.outside or _outside(trace, self.asking),
            broken=_together(kept.broken, said.broken), fractions=exact or said.fractions,
        )  # fmt: skip

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


def by_part(part: Part, tokens: Sequence[str]) -> Readout:
    """What a part comes to for a text."""
    trace, names = Trace(keeps=False), part.program.space.names
    (written, gap, undone), promises, exact = certainly(
        part.program, lambda run: written_by(run, tokens, trace, part.loops), trace=trace
    )
    assert trace.encoded is not None
    ended = first_unfinished(trace.encoded.residual, names, part.loops)
    return Readout(
        tuple(tokens), written=tuple(written), gap=gap, outside=_outside(trace, part),
        unfinished=ended or undone, tied=not gap, broken=tuple(promises.broken), fractions=exact,
    )  # fmt: skip


def _outside(trace: Trace, part: Part) -> Outside | None:
    """The first seme of a part that the encoder left outside its range."""
    program, left = part.program, trace.encoded
    assert left is not None
    ranges = program.space.ranges
    semes = [name for name in program.space.names[: program.semes] if name in part.settled]
    columns = [program.space.index[name] for name in semes]
    told = [Dimension(n, ranges[n].low, ranges[n].high, ranges[n].grain) for n in semes]
    return first_outside(left.tokens, left.residual[:, columns], told)


def _together(*some: Sequence[Broken]) -> tuple[Broken, ...]:
    """The promises that are broken, each once."""
    return tuple(dict.fromkeys(each for broken in some for each in broken))[:MOST_BROKEN]
