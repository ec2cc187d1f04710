"""What a program means: hard attention in which ties share, and exact arithmetic; no torch.

Compiled networks are held against this.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int32
from dataclasses import replace
from functools import cached_property
from typing import cast

import numpy as np

from progtf.numbers import score
from progtf.program.answering import Answering, Input
from progtf.program.answers import Answer, Outside, Readout
from progtf.program.arrays import Array
from progtf.program.changes import Patch, named
from progtf.program.model import BOS, EOS, Loop, Program
from progtf.program.outcome import Outcome, Proof
from progtf.program.speaking import Speaker, first_outside, first_unfinished
from progtf.program.tokens import Reader
from progtf.rational import fraction_of
from progtf.running.cells import (
    TINY,
    Cells,
    DoubtError,
    as_floats,
    places,
    settled,
)
from progtf.running.native.engine import Told
from progtf.running.native.library import library
from progtf.running.override import UNCHANGED, Names, Override, Recorder, Unchanged
from progtf.running.prepared import prepared
from progtf.running.ready import Ready
from progtf.running.stop import STOP
from progtf.running.stream import Stream
from progtf.running.sums import Sums
from progtf.running.trace import Step, Trace
from progtf.running.walk import Run, Stack, anew, best_of, certainly, encoded, pooled, written_by

MANY = 8
"""So many inputs are worth threads."""
AT_ONCE = 64
"""So many are in hand at once, with all that was computed of them."""
_BY_MEANING = Proof.of(Outcome("by meaning", "float64"))


class Interpreter(Answering):
    """A program that answers texts by its meaning alone, as models do.

    Args:
        program: whose meaning it is; or what is ready to answer for one.
        override: what is changed on the way.
        native: whether it asks the engine in C first, where that was built; the answers are equal.
    """

    batch_size = AT_ONCE

    def __init__(
        self, program: Program | Ready, override: Unchanged = UNCHANGED, *, native: bool = True
    ) -> None:
        self.ready = program if isinstance(program, Ready) else Ready.of(program)
        self.override, self.native = override, native
        self.speaker = Speaker(self.ready.first.interface, self.ready.first.evidence)

    @property
    def program(self) -> Program:
        """Whose meaning it is."""
        return self.ready.program

    @cached_property
    def reader(self) -> Reader:  # type: ignore[override]
        """Texts to tokens."""
        return Reader.of(self.speaker.interface)

    @property
    def proof(self) -> Proof:
        """Its answers are what others are held against."""
        return _BY_MEANING

    def patch(self, patch: Patch) -> "Interpreter":
        """What answers with some changes to what is computed, as ``Model.patch`` says.

        Of what is patched already, those changes come first.

        Raises:
            ValueError: for a name that is none, with the nearest.
        """
        names = Names.of(self.program)
        changes = named(patch, self.program.space.names, names.known)
        sources: dict[tuple[str, str, str], Array] = {}
        for each in changes:
            if each.change.how == "swap":
                recorder = Recorder(names)
                Interpreter(self.program, recorder).answers([each.change.source])
                column = self.program.space.index[each.name]
                place = each.change.source, each.layer, each.name
                sources[place] = recorder.seen[each.layer][:, column]
        if isinstance(self.override, Override):
            changes = (*self.override.changes, *changes)
            sources = {**self.override.sources, **sources}
        return Interpreter(self.program, Override(self.program, names, changes, sources))

    def _read(self, text: str) -> Input:
        given = super()._read(text)
        self.override.fits(len(given))
        return given

    def readouts(self, inputs: list[Input]) -> Iterator[Readout]:
        """What is computed for some inputs, in their order.

        Where a program uses others `when` they are asked for, by the part that each input asks for.
        The engine in C answers several at once, a core each.
        """
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        if not self.native or library() is None or len(inputs) < MANY or cores == 1:
            return map(self._read_out, inputs)
        return self._side_by_side(inputs, cores or 1)

    def _side_by_side(self, inputs: list[Input], cores: int) -> Iterator[Readout]:
        yield self._read_out(inputs[0])  # what is found out once about a program is there then
        stop = c_int32(0)

        def read_out(given: Input) -> Readout:
            STOP.wanted = stop
            return self._read_out(given)

        with ThreadPoolExecutor(cores) as pool:
            try:
                yield from pool.map(read_out, inputs[1:])
            finally:
                stop.value = 1  # where somebody interrupts, or wants no more

    def _read_out(self, given: Input) -> Readout:
        if self.override is UNCHANGED and not self.speaker.interface.takes_vectors:
            found = self.ready.kinds.readout(
                lambda: self.program, cast("list[str]", given), native=self.native
            )
            if found is not None:
                return found
        return self.readout(given, Trace(keeps=False))

    def answer(self, text: str, trace: Trace) -> Answer:
        """The answer to one text in one step; the trace is told what happens.

        Raises:
            InputError: if the program cannot take the text, or the answer does not end.
        """
        (given,) = self.read([text])
        return self.speaker.answer(self.readout(given, trace), self.proof)

    def stream(self, text: str, *, strict: bool = False) -> Stream:
        """What a decoder writes, token by token as it comes; millions of them are not kept.

        Args:
            text: the text that it goes on with.
            strict: whether to stop where the text breaks what the program promises.

        Raises:
            InputError: if the program cannot take the text.
            ValueError: for a program that is no decoder, that asks again what it wrote, or that
                computes all anew with each token.
        """
        shape = self.speaker.interface
        if shape.kind != "decoder" or shape.again or not shape.writes:
            raise ValueError("only a decoder that goes on with its text writes bit by bit")
        if self.override is not UNCHANGED:
            raise ValueError("what is patched does not write bit by bit")
        if anew(self.program):
            raise ValueError(
                "a decoder with a loop, or with `normalize: queries`, begins anew with each token"
            )
        (given,) = self.read([text])
        return Stream(self.ready, cast("list[str]", given), native=self.native, strict=strict)

    def readout(self, given: Input, trace: Trace) -> Readout:
        """What is computed for an input, all of it; the trace is told what happens."""
        if self.native and self.override is UNCHANGED and not (trace.keeps or trace.watches):
            engine = None if library() is None else self.ready.coded.engine
            told = None if engine is None else engine.told(given)  # type: ignore[arg-type]
            if told is not None:
                return self._read_off(tuple(given), told)  # type: ignore[arg-type]
        found, promises, exact = certainly(
            self.program, lambda run: self._computed(run, given, trace), self.override, trace
        )
        return replace(found, broken=tuple(promises.broken), fractions=exact)

    def _computed(self, run: Run, given: Input, trace: Trace) -> Readout:
        program = self.program
        if program.kind == "dense" and not program.lexicon:
            final = self._shown(self._of_vectors(run, given, trace))  # type: ignore[arg-type]
            return Readout(("",) * len(given), final, unfinished=self._unfinished(trace.encoded))
        tokens: tuple[str, ...] = tuple(given)  # type: ignore[arg-type]
        if self.speaker.interface.writes:
            written, gap, undone = written_by(run, tokens, trace)
            return Readout(
                tokens, written=tuple(written), gap=gap, outside=self._outside(trace.encoded),
                unfinished=self._unfinished(trace.encoded) or undone, tied=not gap,
            )  # fmt: skip
        residual = encoded(run, tokens, trace)
        found = Readout(
            tokens,
            as_floats(residual.values),
            as_floats(residual.values)[:, self._read_by_classes],
            outside=self._outside(trace.encoded),
            unfinished=self._unfinished(trace.encoded),
        )
        scores = self._scores(residual)
        if scores is None:
            return replace(found, residual=self._shown(residual))
        run.promises.of_answer(self._answering(tokens), residual)
        found_scores = scores.nearest
        if program.classify is not None and program.classify.number:
            self._refuse_doubt(scores)
            return replace(found, scores=found_scores[0])
        inner = [
            n
            for n in range(len(found_scores))
            if len(found_scores) == 1 or tokens[n] not in (BOS, EOS)
        ]
        best, gaps = np.zeros(len(found_scores), dtype=np.intp), np.full(len(found_scores), np.inf)
        for place in inner:
            row = scores.rows(place, place + 1)
            chosen, apart = best_of(row, run.promises, place)
            best[place], gaps[place] = chosen[0], apart[0]
        found_scores = found_scores[0] if program.classify is not None else found_scores
        gap = float(gaps[inner].min(initial=np.inf))
        best = tuple(best.tolist())
        return replace(found, scores=found_scores, best=best, gap=gap, tied=not gap)

    def _read_off(self, tokens: tuple[str, ...], told: Told) -> Readout:
        """What the engine found, in the shape in which numpy tells it."""
        program, residual = self.ready.coded.words, told.residual
        encoded = None if residual is None else Step("encoder", "", tokens, residual)
        found = Readout(
            tokens, outside=self._outside(encoded), unfinished=self._unfinished(encoded)
        )
        if self.speaker.interface.writes:
            outputs, undone = [*program.outputs], None
            if told.unfinished >= 0:
                undone = self.speaker.interface.loops[told.unfinished]
            said = tuple(outputs[number] for number in told.written)
            said = said[: program.lengths[1] + (said[-1] == EOS)]
            return replace(
                found, written=said, gap=told.gap, unfinished=found.unfinished or undone,
                tied=not told.gap,
            )  # fmt: skip
        assert residual is not None
        if told.scores is None:
            return replace(found, residual=residual)
        evidence, classify = residual[:, self._read_by_classes], program.classify
        found = replace(found, residual=residual, evidence=evidence)
        if classify is not None and classify.number:
            return replace(found, scores=told.scores[0])
        scores = told.scores if classify is None else told.scores[0]
        best = tuple(told.best)
        return replace(found, scores=scores, best=best, gap=told.gap, tied=False)

    def _scores(self, residual: Cells) -> Cells | None:
        program = self.program
        if program.classify is not None:
            forms = [*program.classify.forms.values()]
            read = pooled(residual, program.classify.pool)
            return Sums.of(forms, program.space.index)(read)
        if program.outputs:
            return prepared(program).outputs(residual)
        return None

    def _answering(self, tokens: Sequence[str]) -> list[int]:
        """The tokens that the answer is read off."""
        classify, every = self.program.classify, range(len(tokens))
        if classify is None:
            return [place for place in every if tokens[place] not in (BOS, EOS)]
        return {"first": [0], "last": [len(tokens) - 1]}.get(classify.pool, [*every])

    @cached_property
    def _read_by_classes(self) -> list[int]:
        index = {name: place for place, name in enumerate(self.speaker.interface.names)}
        return [index[name] for name in self.speaker.evidence]

    def _shown(self, residual: Cells) -> Array:
        """What an answer shows, if it is certain to the last digit."""
        values, semes = as_floats(residual.values).copy(), self.speaker.interface.space
        if residual.error is not None:
            shown = residual.columns(slice(self.speaker.interface.semes))
            for row, column in places(shown.errors >= TINY):
                if shown.divisors[row, column]:
                    values[row, column] = float(shown.fraction(row, column))
                    continue
                value, error = shown.values[row, column], shown.errors[row, column]
                ends = {
                    self.speaker.style.shown(each, semes[column])
                    for each in (value - error, value, value + error)
                }
                if len(ends) > 1:
                    raise DoubtError
        return values

    def _refuse_doubt(self, scores: Cells) -> None:
        decimals, error = self.speaker.style.decimals, float(scores.errors[0, 0])
        if not scores.exact and error:
            value = float(scores.values[0, 0])
            if len({score(each, decimals) for each in (value - error, value + error)}) > 1:
                raise DoubtError

    def _outside(self, encoded: Step | None) -> Outside | None:
        if encoded is None:
            return None
        semes = self.speaker.interface.space[: len(self.semes)]
        return first_outside(encoded.tokens, encoded.residual, semes)

    def _unfinished(self, encoded: Step | None) -> Loop | None:
        shape = self.speaker.interface
        if encoded is None:
            return None
        return first_unfinished(encoded.residual, shape.names, shape.loops)

    def _of_vectors(self, run: Run, vectors: Sequence[dict[str, float]], trace: Trace) -> Cells:
        """Dense programs without a lexicon take vectors in the notation."""
        program, index = self.program, self.program.space.index
        values = np.zeros((len(vectors), program.width), dtype=object if run.exact else np.float64)
        for row, vector in enumerate(vectors):
            for name, value in vector.items():
                values[row, index[name]] = settled(fraction_of(value)) if run.exact else value
        residual = Cells.of(values)
        trace.note("encoder", "input", values)
        return Stack(run, "encoder", trace).run_stages(program.encoder, residual)


def answer(program: Program, text: str, trace: Trace | None = None) -> Answer:
    """What a program says about an input, by its meaning alone.

    A trace is told of one step, and then the answer is that of the step.

    Raises:
        InputError: if the program cannot take the input.
    """
    if trace is None and program.again:
        return Interpreter(program).answers([text])[0]
    return Interpreter(program).answer(text, trace or Trace(keeps=False))
