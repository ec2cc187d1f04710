"""What is left underived, worst first, with a text that breaks it where one is found.

First comes what a text breaks, then what the interpreter holds against every text, last what the
network alone needs. Texts are tried by the interpreter, outside of what certifies; how many they
are is told by the program, and by no clock.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np

from progtf.exact.report import Report, shown
from progtf.exact.stream import on_steps
from progtf.notation.spell import counted
from progtf.program.answers import Readout
from progtf.program.model import Layer, Program
from progtf.program.outcome import Held
from progtf.program.promises import Broken
from progtf.program.tokens import InputError
from progtf.program.who import who_answers
from progtf.running.interpret import Interpreter
from progtf.running.native.engine import engine_of
from progtf.running.trace import Trace
from progtf.running.tried import text_of, texts

MOST_TEXTS = 400
MOST_EXAMPLES = 64
"""So many of a program's examples are tried, whatever work they are."""
WORK = 5_000_000
"""So many rules and channels at tokens are computed for all other texts, and as many to shorten."""
LONGEST = 8
"""No text but an example is more than such a part of that work."""
CALL, PYTHON, STEP, FRACTIONS = 100, 2_000, 20_000, 4
"""So much more work is a token in any engine; one that numpy reads, or writes, or reads one by one;
and so many times as much is one in fractions.
"""
BESIDES = 3
"""So many promises are shown that break and are not among what is assumed."""
_OF_SEMES = "range", "always", "step", "read", "same"
LARGE = 10_000
"""A program with more rules and channels is not looked at layer by layer."""


@dataclass(frozen=True)
class Breaking:
    """A text that breaks a promise.

    Attributes:
        parts: its words, characters or vectors.
        text: the text.
        says: what does not hold of it, in words.
    """

    parts: tuple[str, ...]
    text: str
    says: str


@dataclass(frozen=True)
class Assumed:
    """An assumption.

    Attributes:
        number: in the report, from 1.
        words: with the lines that it is about.
        held: whether the interpreter holds it against every text.
        breaking: a text that breaks it; None: none was found.
    """

    number: int
    words: str
    held: bool
    breaking: Breaking | None


@dataclass(frozen=True)
class Worst:
    """What is left underived.

    Attributes:
        assumed: what is assumed, the worst first.
        besides: texts that break what a program promises and no assumption says.
        tried: how many texts were tried.
    """

    assumed: tuple[Assumed, ...]
    besides: tuple[Breaking, ...]
    tried: int


def worst_first(program: Program, report: Report) -> Worst:
    """What a report assumes, the worst first.

    Of a program that the network answers no text is tried: it holds no promise against one.
    """
    search = _Search(program, report)
    if who_answers(program) == "interpreter":
        search.run()
    assumed = [
        Assumed(number, words, text in report.held, search.found.get(text))
        for number, (text, words) in enumerate(
            zip(report.taken, report.assumptions, strict=True), start=1
        )
    ]
    besides = tuple(each for key, each in search.found.items() if key not in report.held)
    return Worst(tuple(sorted(assumed, key=_rank)), besides, search.tried)


def _is_held(report: Report, text: str) -> bool:
    """Whether the interpreter holds an assumption against every text."""
    return any(held.kind in (*_OF_SEMES, "score", "loop") for held in report.held[text])


def _rank(each: Assumed) -> tuple[int, int]:
    """What the shortest text breaks is the worst."""
    if each.breaking is not None:
        return 0, len(each.breaking.parts)
    return (1 if each.held else 2), 0


@dataclass
class _Search:
    """Texts that are tried on one program.

    Attributes:
        found: what breaks, by the words of an assumption, or by those of a promise beside them.
        seen: of every text that was tried what it came to; ``traced``: what semes are in it.
        tried: how many were tried before any was made short.
        work: how much all of this was since it was set to 0.
    """

    program: Program
    report: Report
    found: dict[str, Breaking] = field(default_factory=dict[str, Breaking])
    seen: dict[str, Readout] = field(default_factory=dict[str, Readout])
    traced: dict[str, Trace] = field(default_factory=dict[str, Trace])
    tried: int = 0
    work: int = 0

    @cached_property
    def _meant(self) -> Interpreter:
        return Interpreter(self.program)

    @cached_property
    def _size(self) -> int:
        """How many rules and channels a token meets."""
        stages = (*self.program.encoder, *self.program.decoder)
        return CALL + len(self.program.outputs) + sum(map(_size, stages))

    def run(self) -> None:
        """Tries texts, and makes those short that break something."""
        held = {text for text in self.report.taken if _is_held(self.report, text)}
        examples = len(self.program.examples[:MOST_EXAMPLES])
        longest = WORK // LONGEST // self._at_a_token
        for number, parts in enumerate(islice(texts(self.program, longest), MOST_TEXTS)):
            left = held - self.found.keys()
            if number == examples:
                self.work = 0
            if (number >= examples and self.work > WORK) or not (left or number < examples):
                break
            for key, each in self._broken(parts, left):
                if key in held or len(self.found.keys() - held) < BESIDES:
                    self.found.setdefault(key, each)
        self.tried, self.work = len(self.seen), 0
        for key in [*self.found]:
            self._shorten(key)

    def _shorten(self, key: str) -> None:
        """Leaves out words of a text as long as it breaks the same."""
        best = self.found[key]
        size = len(best.parts) // 2
        while size:
            start = 0
            while start < len(best.parts) and self.work <= WORK:
                rest = best.parts[:start] + best.parts[start + size :]
                found = self._broken(rest, {key}) if rest else ()
                shorter = next((each for other, each in found if other == key), None)
                if shorter is None:
                    start += size
                else:
                    best = shorter
            size //= 2
        self.found[key] = best

    def _broken(
        self, parts: Sequence[str], asked: AbstractSet[str]
    ) -> Iterator[tuple[str, Breaking]]:
        """What a text breaks, of what is asked and beside it; nothing if the program does not take
        it.
        """
        text = text_of(self.program, parts)
        if text not in self.seen:
            try:
                (given,) = self._meant.read([text])
                (readout,) = self._meant.readouts([given])
            except InputError:
                return
            self.seen[text] = readout
            self._did(readout, again=False)
        for key, says in self._told(text, asked):
            yield key, Breaking(tuple(parts), text, says)

    def _did(self, readout: Readout, *, again: bool) -> None:
        """Counts the work of an answer: numpy tells what breaks, and what is there ``again``, and
        takes longer than the engine in C.
        """
        read, written = len(readout.tokens), len(readout.written or ())
        slow = again or bool(readout.broken) or readout.fractions
        if not slow:
            self.work += self._at_a_token * read + (self._at_a_token + self._late) * written
            return
        more = read * (STEP if self.program.cell else PYTHON) + written * STEP
        more += 3 * self._size * (read + written)
        self.work += more * (FRACTIONS if readout.fractions else 1)

    @cached_property
    def _late(self) -> int:
        """How much more a token is that is written."""
        return 0 if self._native else STEP

    @cached_property
    def _native(self) -> bool:
        return engine_of(self.program) is not None

    @cached_property
    def _at_a_token(self) -> int:
        """How much work a token is that is read, where nothing breaks."""
        if self._native:
            return self._size
        return 3 * self._size + (STEP if self.program.cell else PYTHON)

    def _told(self, text: str, asked: AbstractSet[str]) -> Iterator[tuple[str, str]]:
        """What a text breaks, and how; a promise beside what is assumed if it breaks first."""
        readout, held = self.seen[text], self.report.held
        loop = readout.unfinished
        if loop is not None:
            says = f"loop `{loop.name}` is not done after {counted(loop.most, 'round')}"
            due = Held("loop", loop.name)
            yield from ((key, says) for key in held if key in asked and due in held[key])
        for place, broken in enumerate(readout.broken):
            about = [*self._about(broken)]
            keys = [key for key in about if key in asked and self._breaks(broken, key, text)]
            yield from ((key, str(broken)) for key in keys)
            if place == 0 and not any(self._breaks(broken, key, text) for key in about):
                yield f"{broken.kind} {shown(broken.what)} {broken.by}", str(broken)

    def _about(self, broken: Broken) -> Iterator[str]:
        """The assumptions that may be what does not hold where a promise is broken."""
        semes = {(shown(n), self.program.space.ranges[n]) for n, _ in broken.reads}
        for key, said in self.report.held.items():
            for held in said:
                match held.kind:
                    case "score":
                        about = broken.kind == "tie"
                    case kind if kind in _OF_SEMES:
                        about = (shown(held.name), self.program.space.ranges[held.name]) in semes
                    case _:
                        about = False
                if about:
                    yield key
                    break

    def _breaks(self, broken: Broken, key: str, text: str) -> bool:
        """Whether an assumption is what does not hold: a seme of a sum is not as declared."""
        return any(self._is_broken(broken, held, text) for held in self.report.held[key])

    def _is_broken(self, broken: Broken, held: Held, text: str) -> bool:
        if held.kind == "score":
            return broken.kind == "tie"
        if held.kind not in _OF_SEMES:
            return False
        if held.kind == "same":  # where a step is assumed, too, which of both is not known
            others = (each for said in self.report.held.values() for each in said)
            steps = (other for other in others if other.kind in ("step", "read"))
            if any(shown(other.name) == shown(held.name) for other in steps):
                return False
        values = self.program.space.ranges[held.name]
        for value in self._values(broken, held.name, text):
            outside = not values.low <= value <= values.high
            ranged = held.kind in ("range", "always")
            if outside if ranged else not (outside or on_steps(value, values)):
                return True
        return False

    def _values(self, broken: Broken, name: str, text: str) -> Iterator[float]:
        """What a seme, or one of its family, is in a sum: certain if it is alone there, else what
        it is behind some layer.
        """
        if len(broken.reads) == 1:
            yield from (broken.value / factor for _, factor in broken.reads)
        elif self._size <= LARGE:
            trace, index = self._trace(text), self.program.space.index
            columns = [index[seme] for seme, _ in broken.reads if shown(seme) == shown(name)]
            for step in trace.steps:
                yield from np.unique(step.residual[:, columns]).tolist()

    def _trace(self, text: str) -> Trace:
        """What semes are behind every layer."""
        if text not in self.traced:
            self.traced[text] = Trace()
            with suppress(InputError):
                self._meant.answer(text, self.traced[text])
            self._did(self.seen[text], again=True)
        return self.traced[text]


def _size(stage: object) -> int:
    if not isinstance(stage, Layer):
        return 0
    heads = (*stage.heads, *stage.cross)
    rules = () if stage.feedforward is None else stage.feedforward.rules
    return stage.repeat * (len(rules) + sum(len(h.channels) + len(h.features) for h in heads))
