"""A network followed from its tokens to its answer: what is known of every number behind each part.

The exact network is the one that is stored, with the numbers that are meant, in exact arithmetic,
where each head finds the mean of the keys with the best score. What is claimed of it is held
against every text by those who ask; what is not claimed is derived here.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from progtf.exact.kernel.context import ONE, Claims, Context, Stream, Used, either
from progtf.exact.kernel.facts import NOTHING, ZERO, Fact, Term, constant, term, total
from progtf.exact.kernel.folder import Entry, Folder
from progtf.exact.kernel.heads import Heads
from progtf.exact.kernel.hidden import behind_units
from progtf.exact.kernel.numbers import (
    Format,
    NotProven,
    above,
    below,
    common,
    grid_of,
    plus,
    times,
)

FINE = 0.5e-6
"""How far a number of an answer may lie off: half of the last decimal that is shown."""
MOST_OFF = 1e-3
"""How far scores may lie off of which somebody claims that they stand further apart."""
ROUNDS = 64
"""So often rounds of a loop are followed, until what they leave does not grow."""
FLAGS = "capitals", "contains", "ending", "beginning", "capital", "digits"
MARKS = {**dict.fromkeys(FLAGS, Fraction(1)), "count": Fraction(15)}
"""The most that a mark of spelling may be."""


class Proven(NamedTuple):
    """What is proven.

    Attributes:
        under: the claims that it stands on, each a kind, a name and numbers.
        gap: by how much the best score is ahead in the network, at least; None: there are no
            scores. error: how far a score, or a number of the answer, lies off at most.
        facts: what each part leaves behind, in order.
    """

    under: tuple[Used, ...]
    gap: float | None
    error: float
    facts: tuple[tuple[str, dict[str, Fact]], ...]


def prove(folder: Folder, claims: Claims) -> Proven:
    """The network answers as the exact one does, where claims hold.

    Raises:
        NotProven: where a hypothesis of a lemma does not hold.
    """
    return _Walk(folder, claims).answer()


class _Walk(Context):
    """The way through a network; ``causal``: it goes through a decoder."""

    def __init__(self, folder: Folder, claims: Claims) -> None:
        super().__init__(folder, claims)
        inputs, outputs = self.layout["lengths"]
        self.lengths = {"encoder": inputs, "decoder": outputs + 1}
        if self.layout["kind"] == "decoder":
            self.lengths["decoder"] = inputs + outputs
        self.causal = False
        self.stopped: Stream | None = None
        if self.layout["kind"] not in ("encoder", "seq2seq", "decoder", "dense"):
            raise NotProven(f"no lemma for a network of kind {self.layout['kind']}")
        if self.layout["norm"] != "none" or self.layout["learn"] is not None:
            raise NotProven("no lemma for norms and what is learned")

    # ------------------------------------------------------------------ tokens

    def tokens(self, place: str) -> Stream:
        """What the lexicon, spelling and clocks give (lemma 1)."""
        if self.layout["kind"] == "dense":
            return tuple(self._input(name) for name in self.names)
        lexicon = self.folder.maps[("lexicon",), "vector"]
        spelled = self.folder.maps.get((("spelling",), "vector"))
        marks = self.layout["spelling"]["marks"]
        found: list[Fact] = []
        for column, entries in enumerate(lexicon.columns):
            fact = NOTHING
            for _, meant, stored in entries:
                fact = fact.either(constant(meant, stored))
            fact = self._spelled(fact, () if spelled is None else spelled.columns[column], marks)
            if column in self.own:
                hand = hand_of(self.number)._replace(hand=self.own[column])
                fact = hand if fact.nothing else self.plus(fact, hand)
            found.append(fact)
        return self.settled(place, tuple(found))

    def _input(self, name: str) -> Fact:
        """A number of a vector that is given: within what is declared of it."""
        claim = self.claims.semes.get(name)
        if claim is None or claim.low is None or claim.high is None:
            raise NotProven(f"nothing is claimed of {name}, which is given")
        self.used("range", name)
        low, high = min(claim.low, ZERO), max(claim.high, ZERO)
        size, step = max(above(low), above(high)), claim.step
        if step:
            self.used("step", name)
        grid = grid_of(step)
        fits = grid > 0 and size <= grid * 2.0**self.number.precision
        return Fact(low, high, step, 0.0 if fits else times(self.number.roundoff, size), 0.0)

    def _spelled(self, fact: Fact, entries: Iterable[Entry], marks: Sequence[Any]) -> Fact:
        terms: list[Term | None] = []
        for row, meant, stored in entries:
            most = MARKS.get(marks[row]["test"])
            if most is None:
                raise NotProven(f"no lemma for a spelling that is told by {marks[row]['test']}")
            terms.append(term(Fact(ZERO, most, Fraction(1)), meant, stored))
        if not terms:
            return fact
        return total([term(fact, Fraction(1), Fraction(1)), *terms], self.number)

    # ------------------------------------------------------------------ layers

    def stack(self, name: str, stream: Stream, memory: Stream | None) -> Stream:
        """The stream behind the layers of an encoder or a decoder."""
        self.causal, stages = name == "decoder", self.layout[name]
        self.spans[""] = 0, self.lengths[name] - 1
        placed = [((name, f"{n} {each['name']}"), each) for n, each in enumerate(stages, start=1)]
        for loop, run in groupby(placed, key=lambda each: _loop_of(each[1])):
            layers = [*run]
            stream = (self.looped if loop else self.once)(layers, stream, memory)
        return stream

    def once(
        self, layers: Sequence[tuple[tuple[str, str], Any]], stream: Stream, memory: Stream | None
    ) -> Stream:
        """The stream behind layers that run one after another."""
        for path, layer in layers:
            if "relu" in layer:
                stream = self.dense(path, layer, stream)
                continue
            for _ in range(layer["repeat"]):
                before, stream = stream, self.layer(path, layer, stream, memory)
                if stream == before:
                    break
        return stream

    def layer(
        self, path: tuple[str, str], layer: Any, stream: Stream, memory: Stream | None
    ) -> Stream:
        """The stream behind heads on the own text, heads on the other one, and hidden units."""
        if layer["learned"] is not None:
            raise NotProven("no lemma for what is learned")
        own = self.lengths["decoder" if self.causal else "encoder"]
        if layer["own"]:
            there = stream if self.stopped is None else either(stream, self.stopped)
            heads = Heads(self, path, (stream, there), (own, own), causal=self.causal)
            stream = heads.behind(layer["own"])
        if layer["cross"]:
            if memory is None:
                raise NotProven("heads that read an encoder, and there is none")
            reach = own, self.lengths["encoder"]
            stream = Heads(self, path, (stream, memory), reach, causal=False).behind(layer["cross"])
        return behind_units(self, path, stream)

    def dense(self, path: tuple[str, str], layer: Any, stream: Stream) -> Stream:
        """The stream that a dense layer puts in its place; hands stay (lemmas 1 to 3)."""
        weights, bias = (self.folder.maps[path, name] for name in ("weights", "bias"))
        made = [*stream]
        for column in range(self.layout["semes"]):
            fact = self.sum([*weights.columns[column], *bias.columns[column]], stream)
            if layer["relu"]:
                fact = fact._replace(low=max(fact.low, ZERO), high=max(fact.high, ZERO), hand=None)
            made[column] = fact
        return self.settled(" / ".join(path), tuple(made))

    def looped(
        self, layers: Sequence[tuple[tuple[str, str], Any]], stream: Stream, memory: Stream | None
    ) -> Stream:
        """The stream behind a loop: what any round left."""
        loop, before = layers[0][1]["loop"], stream
        for flag in loop["asked"]:
            self.told(flag, stream)
        zeros = [self.index[name] for name in loop["resets"]]
        behind: Stream | None = None
        for _ in range(min(loop["most"], ROUNDS)):
            begun = [*stream]
            for column in zeros:
                begun[column] = NOTHING
            self.stopped = stream if self.causal else None
            left = self.once(layers, tuple(begun), memory)
            behind = left if behind is None else either(behind, left)
            last, stream = stream, either(stream, left)
            if stream == last:
                break
        else:
            if loop["most"] > ROUNDS:
                raise NotProven(f"numbers of the loop {loop['name']} grow with its rounds")
        assert behind is not None
        self.stopped = None
        self.told(loop["until"], behind)
        self.used("loop", loop["name"])
        if loop["asked"]:
            behind = either(before, behind)
        made, column = [*behind], self.index[f"{loop['name']}.unfinished"]
        made[column] = made[column].either(ONE)
        return tuple(made)

    def told(self, flag: str, stream: Stream) -> None:
        """A flag that begins or ends a loop is told from none."""
        fact = stream[self.index[flag]]
        if fact.step is None or fact.step % 1 or not fact.error < 0.25:
            raise NotProven(f"`{flag}`, which a loop looks at, may be told wrong")

    # ------------------------------------------------------------------ the answer

    def answer(self) -> Proven:
        """What is read off at the end."""
        stream = self.stack("encoder", self.tokens("encoder / embedding"), None)
        if self.layout["decoder"]:
            stream = self.stack("decoder", self.tokens("decoder / embedding"), stream)
        elif self.layout["kind"] in ("seq2seq", "decoder"):
            raise NotProven("no lemma for a decoder without layers")
        key = "classify" if self.layout["classes"] or self.layout["number"] else "output"
        scores = self.folder.maps.get(((key,), "score"))
        if scores is None:
            named = range(self.layout["semes"])
            worst = max((stream[column].error for column in named), default=0.0)
            return self._numbers(worst)
        pooled = tuple(map(self._pooled, stream)) if key == "classify" else stream
        found = [self.sum(entries, pooled) for entries in scores.columns]
        error = max(each.error for each in found)
        if self.layout["number"]:
            return self._numbers(error)
        step = common(each.step for each in found)
        if step is not None and below(step) > 2 * error:
            self.used("best")
            return self._proven(below(step) - plus(error, error), error)
        if not self.claims.ahead or error > MOST_OFF:
            raise NotProven("scores may stand no further apart than they lie off")
        self.used("ahead", plus(error, error))
        return self._proven(0.0, error)

    def _numbers(self, error: float) -> Proven:
        if error > FINE:
            raise NotProven(f"a number of the answer may lie off by {error:.3g}")
        return self._proven(None, error)

    def _pooled(self, fact: Fact) -> Fact:
        """One row for a whole text (lemma 8)."""
        length = self.lengths["encoder"]
        match self.layout["pool"]:
            case "first" | "last" | "max":
                return fact
            case "sum":
                return total([term(fact, Fraction(1), Fraction(1))] * length, self.number)
            case _:
                raise NotProven("no lemma for a mean of all tokens")

    def _proven(self, gap: float | None, error: float) -> Proven:
        return Proven(tuple(self.under), gap, error, tuple(self.facts))


def _loop_of(layer: Any) -> str:
    loop: dict[str, Any] | None = layer.get("loop")
    return "" if loop is None else str(loop["name"])


def hand_of(number: Format) -> Fact:
    """A hand of a clock: a cosine in float64, stored."""
    off = plus(number.roundoff, 2.0**-48)
    return Fact(Fraction(-1), Fraction(1), None, off, off)
