"""A compiled program: a torch module that takes texts and gives texts."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from itertools import compress
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from progtf.network.decoder import Steps, Whole, looks
from progtf.network.embedding import number_of
from progtf.network.kinds import Kinds
from progtf.network.loss import loss_of
from progtf.network.names import Alias, aliases
from progtf.network.network import COMPUTED, Network, read
from progtf.network.outside import Ranges
from progtf.network.patch import Patched
from progtf.network.trace import trace
from progtf.nn import EncoderDecoder, Symbols, at_once, continue_greedily, greedy, present
from progtf.nn.bits import Bits
from progtf.nn.derived import Derived
from progtf.nn.hooks import all_hooked, has_hooks, notes, state_of, watched
from progtf.nn.inside import Inside, check_name
from progtf.nn.making import making
from progtf.nn.own import Imprint, Lent, Own, Seat
from progtf.nn.points import Function, Hook
from progtf.numbers import DOUBLE, SINGLE, refused
from progtf.program.answering import Answering, Asked, Input
from progtf.program.answers import Answer, Readout
from progtf.program.changes import Patch
from progtf.program.formats import lost
from progtf.program.model import BOS, EOS, Loop
from progtf.program.outcome import Proof
from progtf.program.speaking import Speaker, evidence_of, first_unfinished
from progtf.program.spelling import Token
from progtf.program.tokens import InputError, Reader
from progtf.program.vectors import Style
from progtf.running.trace import Step
from progtf.weights.layout import LayerLayout, Layout
from progtf.weights.ready import Ready
from progtf.weights.weights import Weights

Ids = Int[Tensor, "batch pos"]
Rows = list[list[str]]
ROOM = 8 << 20
"""Bytes of a residual computed at once: for more, processors ask for memory again and again."""

_MAY_CHANGE = frozenset({"_modules", "_own", "_kinds", "_aliases", "_imprint", "batch_size"})
"""Attributes of a model whose change is not one of what it answers, or is looked at elsewhere."""


class Model(nn.Module, Answering, Inside):
    """A network that answers texts: what ``progtf.compile`` returns and folders hold.

    Weights are stored in the format asked for; arithmetic is float64 for float64 weights and
    float32 otherwise.

    Args:
        weights: of the network; `Ready` ones are those of nobody else, and the network is made of
            them when something is asked that no part of it answers.

    Attributes:
        network: for whoever looks, trains or changes something; what answers is the model's own,
            with the same numbers (`progtf.nn.own`).
        layout: everything about the network that is no weight.
        ids: token -> row of the embedding; rows: those of tokens that are read.
        symbols: the token of every symbol that can be written, or be read while writing.
        unknown, pad: the rows of tokens that are not known, and of padding.
    """

    batch_size = 128
    network: Network
    output_ids: Int[Tensor, " token"]
    symbol_ids: Int[Tensor, " symbol"]

    @making()
    def __init__(self, weights: Weights | Ready) -> None:
        super().__init__()
        ready = self._ready = weights if isinstance(weights, Ready) else Ready.of(weights)
        layout = self.layout = ready.layout
        self._own = Own(lambda: Network(ready.whole).eval())
        if ready is not weights:
            _ = self._own.network  # before anybody changes them
        self._modules: Any = Lent(self._own)
        self.training = False
        self._number(layout)
        self.reader = Reader.of(layout)
        read_by_classes = list[str]()
        if layout.classes and (score := ready.whole.maps.get((("classify",), "score"))):
            read_by_classes = [source for source, _ in score.entries]
        noise = DOUBLE if ready.dtype == "float64" else SINGLE
        style = Style(noise=noise)
        self.speaker = Speaker(layout, evidence_of(layout, read_by_classes), style)
        column = {name: number for number, name in enumerate(layout.names)}
        self.evidence = [column[name] for name in self.speaker.evidence]
        self.ranges, self.reads_last = Ranges(layout, noise), _reads_last(layout)
        self.looks: Derived[list[int] | None] = Derived()
        self.parts: Derived[EncoderDecoder] = Derived()
        self._kinds: tuple[torch.device, Kinds[Model]] | None = None
        self._imprint = Imprint([self], _MAY_CHANGE)
        self._bits = Bits.copied([self.output_ids, self.symbol_ids])

    def print_digits(self, digits: int) -> None:
        """As of anything that answers; no number is another one by that."""
        intact = self._as_made()
        super().print_digits(digits)
        if intact:
            self._imprint = Imprint([self], _MAY_CHANGE)

    def _number(self, layout: Layout) -> None:
        """Gives every token a row, and every token that can be written or read a symbol."""
        self.ids = {token: row for row, token in enumerate(layout.lexicon)}
        self.unknown, self.pad = len(layout.lexicon), len(layout.lexicon) + 1
        self.first_extra = len(layout.lexicon) + 2
        for token in (*layout.outputs, BOS, EOS):
            if token not in self.ids:
                self.ids[token] = self.first_extra + len(self.ids) - len(layout.lexicon)
        self.rows = {token: row for row, token in enumerate(layout.lexicon)}
        outputs = [self.ids[token] for token in layout.outputs]
        others = sorted({*self.ids.values(), self.unknown, self.pad} - {*outputs})
        self._keep("output_ids", outputs)
        self._keep("symbol_ids", [*outputs, *others])
        named = {row: token for token, row in self.ids.items()}
        self.symbols = [named.get(row, "") for row in (*outputs, *others)]
        self.symbol_of = {token: symbol for symbol, token in enumerate(self.symbols)}
        by_row = {row: symbol for symbol, row in enumerate([*outputs, *others])}
        known = (self.pad, self.ids[BOS], self.ids[EOS])
        self.marks = Symbols(*(by_row[row] for row in known))

    def _keep(self, name: str, ids: list[int]) -> None:
        self.register_buffer(
            name, torch.tensor(ids, dtype=torch.long, device="cpu"), persistent=False
        )

    # -------------------------------------------------------------- weights, formats and ids

    @property
    def weights(self) -> Weights:
        """The weights that the network has now, by name."""
        return read(self.at_work)

    @property
    def proof(self) -> Proof:
        """What is proven of its weights, if they are as they were made and nothing interferes.

        In an answer it is that of the numbers that are multiplied for it.
        """
        ready = self._ready
        with self._answers(computes=False) as seat:
            if not seat.made or ready.proof is None:
                return Proof.of(ready.whole.unproven)
            proof = ready.proof
            return Proof(lambda: proof.outcome, proof.judge)

    @property
    def at_work(self) -> Network:
        """The network that computes the answer; where nothing is asked, one with its numbers."""
        return self._own.now(self)

    def _answers(self, *, computes: bool = True) -> AbstractContextManager[Seat]:
        """While it lasts an answer is computed, all of it by one state of the network.

        ``computes``: whether the network must be there.
        """
        return self._own.answering(self, self._as_made, computes=computes)

    def _as_made(self) -> bool:
        """Whether all is as it was, but for the network."""
        now = self._imprint.now()
        return now is not None and self._bits.same([each.cpu() for each in now[0]])

    def stored_as(self, dtype: str) -> "Model":
        """A model of the same weights, stored in another format.

        Raises:
            ValueError: for a format that is none.
            FormatError: if a weight is too large for it.
        """
        return Model(self.weights.stored_as(dtype))

    def embedded(self, ids: Tensor) -> Tensor:
        """Ids as rows of the embedding: tokens that are only written read as unknown ones."""
        _check_ids(ids)
        if ids.is_floating_point():
            return ids
        if self.layout.spelling.marks:  # past the rows stand rows with marks; encoders write none
            return ids
        return torch.where(ids >= self.first_extra, self.unknown, ids)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """The ids of tokens that are read; those that are only written are unknown."""
        row_of, unknown = self.rows.get, self.unknown
        rows = [row_of(token, unknown) for token in tokens]
        if bases := [mark.values for mark in self.layout.spelling.marks]:
            for place, token in enumerate(tokens):
                if isinstance(token, Token) and any(token.marks):
                    rows[place] += self.first_extra * number_of(token.marks, bases)
        return rows

    def batch(self, rows: Sequence[Sequence[str]]) -> Ids:
        """The rows of the embedding that several inputs read, padded at the end."""
        longest = max(len(row) for row in rows)
        padded = [self.encode(row) + [self.pad] * (longest - len(row)) for row in rows]
        return self.embedded(torch.tensor(padded, device=self.output_ids.device, dtype=torch.long))

    # -------------------------------------------------------------- running

    def forward(
        self,
        source: Ids | Float[Tensor, "batch pos d_model"],
        target: Int[Tensor, "batch dst"] | None = None,
    ) -> Float[Tensor, "batch pos out"]:
        """Scores for every position of ``target`` (seq2seq, teacher forcing), else the residual.

        Ids are those of ``encode``; padding is ``pad``, at the end of rows. Of a program that takes
        vectors ``source`` is a residual.
        """
        network = self._own.called(self)
        if target is not None:
            return network(self.embedded(source), self.embedded(target))
        return network(self.embedded(source))

    def _is_called(self) -> bool:
        """Whether hooks of torch are to see the model, its network or its decoder as a whole."""
        network = self.at_work
        if state_of(network) is not None:
            return False
        return all_hooked() or any(map(has_hooks, (self, network, network.decoder)))

    def called(self, *given: Tensor) -> tuple[Tensor, list[Tensor]]:
        """What the model gives as others call it, hooks of torch with it, within an answer.

        Returns:
            That, and if there is a target the residuals of encoder and decoder.

        Raises:
            ValueError: where a hook gave what is no such tensor.
        """
        known, told = notes(), list[Tensor]()
        if known is not None:
            known[COMPUTED] = told
        found = self(*given)
        width = self.layout.d_residual if len(given) == 1 else len(self.layout.outputs)
        due = (*given[-1].shape[:2], width)
        if not isinstance(found, Tensor) or found.shape != due:
            kind = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
            why = f"a tensor of shape {due} is due"
            raise ValueError(f"a forward hook on the model or its network gave {kind}, and {why}")
        return found, told

    def residual(self, source: Ids) -> Float[Tensor, "batch pos d_model"]:
        """The residual after the encoder's last layer."""
        return self.network.encode(self.embedded(source), self.pad)

    @property
    def room(self) -> float:
        """For how many tokens of several texts there is room where a processor computes quickly."""
        vectors = self.at_work.embedding.vectors
        wide = torch.promote_types(vectors.dtype, torch.float32)
        return ROOM / (self.layout.d_residual * wide.itemsize) if vectors.is_cpu else math.inf

    def batches(self, inputs: list[Input]) -> Iterator[tuple[list[int], Iterator[Readout]]]:
        """The places of inputs that are computed at once, and what is computed for them.

        Of a program that uses others when something is asked each kind of text is answered by the
        part of the network that it needs.
        """
        kinds = self._parts()
        if kinds is None:
            yield from super().batches(inputs)
            return
        for places, model in kinds.parted(cast("Rows", inputs)):
            for chosen, found in Answering.batches(model, [inputs[place] for place in places]):
                yield [places[each] for each in chosen], found

    def _parts(self) -> "Kinds[Model] | None":
        """The parts that answer for the whole, if there are any: of a network as it was made."""
        if not self.layout.held:
            return None
        with self._answers(computes=False) as seat:
            if not seat.made:
                return None
        device, kinds = self.output_ids.device, self._kinds  # which threads may share
        if kinds is not None and kinds[0] == device:
            return kinds[1]
        if not self._ready.flags:
            return None
        made = Kinds(self._ready, self.batch, self.pad, self._part, device)
        self._kinds = device, made
        return made

    def _part(self, weights: Weights) -> "Model":
        made, device = Model(weights), self.output_ids.device
        return made if made.output_ids.device == device else made.to(device)

    def _answered(self, asked: Asked) -> list[Answer | InputError]:
        with self._answers(computes=False):
            return super()._answered(asked)

    def _read(self, text: str) -> Input:
        given = super()._read(text)
        if self.layout.takes_vectors:
            for vector in cast("list[dict[str, float]]", given):
                if (number := lost(vector, self._ready.dtype)) is not None:
                    why = "the network computes in float32, which has no number"
                    raise InputError(f"{why} {refused(number)}; a model in float64 has it")
        return given

    @torch.no_grad()
    def readouts(self, inputs: list[Input]) -> Iterator[Readout]:
        """What the network computes for some inputs, in their order."""
        with self._answers():
            return iter(list(self._computed(inputs)))

    def _computed(self, inputs: list[Input]) -> Iterator[Readout]:
        if self.layout.takes_vectors:
            return (self._of_vectors(cast("list[dict[str, float]]", i)) for i in inputs)
        rows = cast("Rows", inputs)
        return self._generated(rows) if self.layout.writes else self._encoded(rows)

    def _generated(self, rows: Rows) -> Iterator[Readout]:
        source, steps = self.batch(rows), self.layout.lengths[1] + 1
        symbols, end = self.marks, self.marks.end
        whole = self._is_called()
        decoder = Whole(self, symbols) if whole else Steps(self, symbols)
        drop = not whole and not watched(self.at_work)
        if self.layout.kind == "decoder":
            given = self.symbol_ids.argsort()[source]
            ids = continue_greedily(decoder, given, steps, symbols, drop=drop)
        elif not whole and (alike := looks(self)) is not None:
            heard = [self.symbol_of.get(token, -1) for token in rows[0]] if len(rows) == 1 else []
            ids = at_once(decoder, source, steps, symbols, alike, heard)
        else:
            ids = greedy(decoder, source, steps, symbols, drop=drop)
        left, loops = self.ranges.left(rows, decoder.memory), self.layout.loops
        undone = ([*compress(loops, each), None][0] for each in decoder.undone())
        read = self._unfinished(decoder.memory, len(rows))
        ends = (early or late for early, late in zip(read, undone, strict=True))
        found = zip(rows, ids.tolist(), decoder.gaps(), left, ends, strict=True)
        for row, symbol_row, gap, out, loop in found:
            first = len(row) if self.layout.kind == "decoder" else 0
            said = symbol_row[first : first + steps]
            until = said.index(end) + 1 if end in said else steps - 1
            written = tuple(self.symbols[symbol] for symbol in said[:until])
            yield Readout(tuple(row), written=written, gap=gap, outside=out, unfinished=loop)

    def _encoded(self, rows: Rows) -> Iterator[Readout]:
        """The encoder's residual, or what is scored of it."""
        source = self.batch(rows)
        real, network = present(source, self.pad), self.at_work
        if self._is_called():
            residual, _ = self.called(source)
        elif self.reads_last and not watched(network):
            residual, real = self._last(source), real[:, :1]
        else:
            residual = network.encode(source, self.pad)
        left = self.ranges.left(rows if not self.reads_last else [[]] * len(rows), residual)
        ends = self._unfinished(residual, len(rows))
        scores = None
        if network.classifier is not None:
            scores = _numbers(network.classifier(residual, real))
        elif network.unembed is not None:
            scores = _numbers(network.unembed(residual))
        shown = _numbers(residual if scores is None else residual[..., self.evidence])
        for number, (row, out, loop) in enumerate(zip(rows, left, ends, strict=True)):
            own = shown[number, : len(row)]
            if scores is None:
                yield Readout(tuple(row), own, outside=out, unfinished=loop)
            else:
                yield Readout(
                    tuple(row), evidence=own, scores=scores[number], outside=out, unfinished=loop
                )

    def _unfinished(self, residual: Tensor | None, count: int) -> list[Loop | None]:
        """For every text the first loop that should have come to its end, and has not."""
        shape = self.layout
        if residual is None or not shape.loops:
            return [None] * count
        first = _numbers(residual[:, :1])
        return [first_unfinished(row, shape.names, shape.loops) for row in first]

    def _last(self, source: Ids) -> Float[Tensor, "batch 1 d_model"]:
        """The final residual of a recurrent network's last state alone."""
        network = self.at_work
        assert network.cell is not None
        states = network.cell(network.embedding(source), present(source, self.pad))
        return network.encoder(states[:, -1:])

    def _of_vectors(self, vectors: list[dict[str, float]]) -> Readout:
        rows = np.zeros((1, len(vectors), self.layout.width))
        for row, vector in enumerate(vectors):
            for name, value in vector.items():
                rows[0, row, self.semes.index(name)] = value
        like = self.at_work.embedding.vectors
        given = torch.from_numpy(rows).to(torch.promote_types(like.dtype, torch.float32))
        given = given.to(like.device)
        stream = self.called(given)[0] if self._is_called() else self.at_work.encoder(given)
        (loop,) = self._unfinished(stream, 1)
        return Readout(("",) * len(vectors), _numbers(stream)[0], unfinished=loop)

    # -------------------------------------------------------------- looking inside

    @property
    def looked_into(self) -> nn.Module:
        return self.network

    @cached_property
    def _aliases(self) -> dict[str, Alias]:
        return aliases(self.layout, super().hooks())

    def hooks(self) -> dict[str, Hook]:
        """Every name, with its axes: those of points, then those that the program has."""
        named = {name: Hook(name, alias.axes) for name, alias in self._aliases.items()}
        return {**super().hooks(), **named}

    def found(self, name: str) -> tuple[str, Callable[[Function], Function], Callable[..., Tensor]]:
        """What a name stands for; a name of the program for a part of what stands at a point.

        Raises:
            ValueError: for a name that is none, with the nearest.
        """
        alias = self._aliases.get(name)
        if alias is not None:
            return alias.point, alias.within, alias.read
        try:
            return super().found(name)
        except ValueError:
            check_name(name, self.hooks())
            raise

    def respond(self, given: Any) -> Any:
        """The answer to a text or to several, or what `forward` gives for ids.

        Args:
            given: a text, a list of texts, ids of `batch`, or a pair of source and target ids.

        Raises:
            InputError: if the program cannot take a text, or the answer does not end.
        """
        if isinstance(given, (Tensor, tuple)):
            return self(*given) if isinstance(given, tuple) else self(given)
        inputs, proof = self.read([given] if isinstance(given, str) else given), self.proof
        if not inputs:
            return []
        if self.layout.takes_vectors and len(inputs) > 1:
            raise ValueError("texts of vectors are computed one by one: give one of them")
        said = [self.speaker.answer(found, proof).text for found in self.readouts(inputs)]
        return said[0] if isinstance(given, str) else said

    def at_once(self, given: Any) -> Any:
        """As `respond`; a decoder alone reads its texts, and writes nothing."""
        if self.layout.kind != "decoder" or isinstance(given, (Tensor, tuple)):
            return self.respond(given)
        ids = self.batch(cast("Rows", self.read([given] if isinstance(given, str) else given)))
        return self(ids, ids)

    def loss(self, given: Any) -> Tensor:
        """The mean cross entropy of what is answered to texts, by the scores that it has.

        Raises:
            ValueError: if answers have no scores.
        """
        if isinstance(given, (Tensor, tuple)):
            return self.respond(given)
        rows = cast("Rows", self.read([given] if isinstance(given, str) else given))
        return loss_of(self, rows)

    def patch(self, patch: Patch) -> Patched:
        """What answers with some changes to what is computed.

        Args:
            patch: layer, as ``encoder.read`` -> seme or head -> what becomes of it, such as
                ``value_at(5, 0)``.

        Raises:
            ValueError: for a name that is none, with the nearest.
        """
        return Patched(self, patch)

    @torch.no_grad()
    def trace(self, text: str) -> list[Step]:
        """The residual after the embedding and after every layer, for one input."""
        return trace(self, text)


def _numbers(tensor: Tensor) -> np.ndarray:
    return tensor.double().cpu().numpy()


def _check_ids(ids: object) -> None:
    """Refuses what is no tensor, such as a text."""
    if not isinstance(ids, Tensor):
        due = "a tensor of ids, as `batch` makes it, is due; `run`, `answers` and `trace` take text"
        raise TypeError(f"ids: {ids!r} is given, and {due}")


def _reads_last(layout: Layout) -> bool:
    """Whether nothing but the last state of a recurrent network can matter to the answer.

    A loop ends as soon as one token of its text has a flag, whichever it is.

    At padding its state stands still, so the last position has the last state.
    """
    attends = any(isinstance(s, LayerLayout) and (s.own or s.cross) for s in layout.encoder)
    loops = any(stage.loop is not None for stage in layout.encoder)
    reads_others = attends or loops or bool(layout.clocks)
    return layout.kind == "rnn" and layout.pool == "last" and not reads_others
