"""A program that is answered by its meaning."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from progtf.notation import flat as f
from progtf.notation.spell import UNFINISHED
from progtf.program.answering import Answering, Input, tried
from progtf.program.answers import Answer, Readout
from progtf.program.interface import Interface
from progtf.program.model import BOS, EOS
from progtf.program.outcome import Outcome, Proof
from progtf.program.promises import Broken
from progtf.program.speaking import Speaker
from progtf.program.tokens import InputError, Reader
from progtf.reference.meaning import (
    CROSSING,
    HEADS,
    Meaning,
    Past,
    refuse_learned,
)
from progtf.reference.numbers import Stream, Vector, chosen, near, number, pooled

BY_MEANING = Proof.of(Outcome("by meaning", "fractions"))


class Reference(Answering):
    """A program that answers texts in fractions.

    Args:
        flat: the program.
        interface: of the same program: texts to tokens, answers to words.

    Raises:
        RefusedError: for what only a network computes.
    """

    def __init__(self, flat: f.Flat, interface: Interface) -> None:
        refuse_learned(flat)
        self.reader, self.speaker = Reader.of(interface), Speaker(interface)
        self._meaning = Meaning(flat, interface)
        outputs, self._classes = self._meaning.outputs(), self._meaning.classes()
        self._outputs = [outputs[token] for token in interface.outputs]

    @property
    def proof(self) -> Proof:
        """Its answers are what others are held against."""
        return BY_MEANING

    def ask(self, text: str) -> tuple[Answer | InputError, tuple[Broken, ...]]:
        """What becomes of a text, its answer or why there is none, and the promises it breaks."""
        broken: list[Broken] = []

        def answer() -> Answer:
            return self.speaker.answer(self._readout(self._read(text), broken))

        return tried(answer), tuple(dict.fromkeys(broken))

    def readouts(self, inputs: list[Input]) -> Iterator[Readout]:
        """What is computed for some inputs, in their order; each broken promise is told once."""
        for given in inputs:
            broken: list[Broken] = []
            readout = self._readout(given, broken)
            yield replace(readout, broken=tuple(dict.fromkeys(broken)))

    def _readout(self, given: Sequence[Any], broken: list[Broken]) -> Readout:
        meaning, shape = self._meaning, self.speaker.interface
        if shape.takes_vectors:
            tokens = ("",) * len(given)
            numbers = ({name: number(x) for name, x in vector.items()} for vector in given)
            stream = [Vector(vector, place, broken) for place, vector in enumerate(numbers)]
        else:
            tokens, stream = tuple(given), meaning.embedded(given, 0, broken)
        if shape.kind == "decoder":
            return self._written(tokens, [*given], [], broken)
        if shape.kind == "rnn":
            stream = meaning.cell(stream)
        stream = meaning.run(meaning.encoder, stream, None, {})
        loop = self._unfinished(stream)
        if shape.kind == "seq2seq":
            found = self._written(tokens, [BOS], stream, broken)
            return replace(found, unfinished=loop or found.unfinished)
        shown = np.array([[near(v.get(name, 0)) for name in shape.names] for v in stream])
        found = Readout(tokens, shown, unfinished=loop)
        if self._classes:
            ends = {"first": stream[:1], "last": stream[-1:]}
            meaning.answered(self._classes, ends.get(shape.pool or "", stream))
            scores, best, apart = chosen(self._classes, pooled(stream, shape.pool or ""))
            gap = near(apart) if len(scores) > 1 else math.inf
            return replace(found, scores=np.array([*map(near, scores)]), best=(best,), gap=gap)
        if self._outputs:
            inner = [(t not in (BOS, EOS), v) for t, v in zip(tokens, stream, strict=True)]
            meaning.answered(self._outputs, [vector for own, vector in inner if own])
            rows = [chosen(self._outputs, v if own else Vector(v, 0, [])) for own, v in inner]
            scores = np.array([[*map(near, row)] for row, _, _ in rows])
            pairs = zip(rows, inner, strict=True)
            gaps = (near(apart) for (row, _, apart), (own, _) in pairs if own and len(row) > 1)
            gap = min(gaps, default=math.inf)
            return replace(found, scores=scores, best=tuple(b for _, b, _ in rows), gap=gap)
        return found

    def _unfinished(self, stream: Stream) -> Any:
        """The first loop that should have come to its end, and has not."""
        ends = ((loop, f"{loop.name}{UNFINISHED}") for loop in self.speaker.interface.loops)
        return next((loop for loop, end in ends if any(v.get(end, 0) for v in stream)), None)

    def _written(
        self, tokens: tuple[str, ...], read: list[str], memory: Stream, broken: list[Broken]
    ) -> Readout:
        """Token by token the one with the greatest score, until the end or while there is room.

        With loops, and with what divides itself among readers, all is computed anew each time: what
        was read changes with more tokens.
        """
        meaning, shape = self._meaning, self.speaker.interface
        layers = [layer for run in meaning.decoder for layer in run.layers]
        heads = [head for layer in layers for head in (*layer[HEADS], *layer[CROSSING])]
        again = any(run.loop for run in meaning.decoder)
        again |= any(meaning.fields(head).get("normalize") == "queries" for head in heads)
        stream, past, written, gap, first = Stream(), Past(), list[str](), math.inf, 0
        while len(written) <= shape.lengths[1] and EOS not in written:
            text = [*read, *written]
            embedded = meaning.embedded(text, first, broken)
            stream = meaning.run(meaning.decoder, embedded, memory, past, first)
            first = 0 if again else len(text)
            meaning.answered(self._outputs, stream[-1:])
            _, best, apart = chosen(self._outputs, stream[-1])
            gap = min(gap, near(apart))
            written.append(shape.outputs[best])
        unfinished = self._unfinished(stream) if again else None
        said = tuple(written[: shape.lengths[1] + (written[-1] == EOS)])
        return Readout(tokens, written=said, gap=gap, unfinished=unfinished)
