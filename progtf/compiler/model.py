"""A compiled program: a torch module that takes texts and gives texts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import overload

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.compiler.layout import LayerLayout, Layout
from progtf.compiler.lean import Parts, lean
from progtf.compiler.network import Network, number_of
from progtf.compiler.outside import outside
from progtf.compiler.steps import Steps
from progtf.compiler.tracing import Moment, trace
from progtf.nn import (
    Symbols,
    continue_greedily,
    greedy,
    present,
    store_weights,
)
from progtf.program.answers import (
    EXPLAINED,
    Answer,
    Reason,
    number_answer,
    read_vectors,
    reasons,
    show_residual,
    show_vector,
)
from progtf.program.interpret import gap_of
from progtf.program.model import BOS, EOS
from progtf.program.spelling import Token
from progtf.program.tokens import InputError, Reader, check_texts, join

BATCH = 128


class Model(nn.Module):
    """A network with its layout: what ``progtf.compile`` returns and folders hold.

    Weights are stored in the format asked for; arithmetic is float64 for float64 weights and
    float32 otherwise.
    """

    output_ids: Int[Tensor, " token"]
    symbol_ids: Int[Tensor, " symbol"]

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout
        self.network = Network(layout)
        self.ids = {token: row for row, token in enumerate(layout.lexicon)}
        self.unknown, self.pad = len(layout.lexicon), len(layout.lexicon) + 1
        self.first_extra = len(layout.lexicon) + 2
        for token in (*layout.outputs, BOS, EOS):
            if token not in self.ids:
                self.ids[token] = self.first_extra + len(self.ids) - len(layout.lexicon)
        outputs = [self.ids[token] for token in layout.outputs]
        others = sorted({*self.ids.values(), self.unknown, self.pad} - {*outputs})
        self._keep("output_ids", outputs)
        self._keep("symbol_ids", [*outputs, *others])
        self.reader = Reader(
            layout.kind, layout.tokens, frozenset(layout.lexicon), layout.unknown,
            layout.lengths[0], layout.spelling,
        )  # fmt: skip
        self.reads_last = _reads_last(layout)
        self.lean: tuple[Parts, tuple[object, ...]] | None = None
        self.eval()

    def _keep(self, name: str, ids: list[int]) -> None:
        self.register_buffer(name, torch.tensor(ids, dtype=torch.long), persistent=False)

    # -------------------------------------------------------------- formats and ids

    def stored_as(self, dtype: torch.dtype) -> "Model":
        """This model with its weights stored in ``dtype``; arithmetic in float32 at least."""
        working = torch.promote_types(dtype, torch.float32)
        self.network.to(working)
        store_weights(self.network, dtype)
        for table in (self.network.embedding.vectors, self.network.embedding.spelled):
            table.data = table.data.to(dtype)
        return self

    def embedded(self, ids: Tensor) -> Tensor:
        """Ids as rows of the embedding: tokens that are only written read as unknown ones."""
        _check_ids(ids)
        if self.layout.spelling.marks:  # past the rows stand rows with marks; encoders write none
            return ids
        return torch.where(ids >= self.first_extra, self.unknown, ids)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """The ids of tokens that are read; those that are only written are unknown."""
        return [self._id(token) for token in tokens]

    def _id(self, token: str) -> int:
        row = self.ids.get(token, self.unknown)
        row = row if row < self.first_extra else self.unknown
        if not isinstance(token, Token) or not any(token.marks):
            return row
        bases = [mark.values for mark in self.layout.spelling.marks]
        return row + (len(self.layout.lexicon) + 2) * number_of(token.marks, bases)

    def batch(self, rows: Sequence[Sequence[str]]) -> Int[Tensor, "batch pos"]:
        """The rows of the embedding that several inputs read, padded at the end."""
        longest = max(len(row) for row in rows)
        padded = [self.encode(row) + [self.pad] * (longest - len(row)) for row in rows]
        return self.embedded(torch.tensor(padded, device=self.output_ids.device))

    # -------------------------------------------------------------- running

    def forward(
        self, source: Int[Tensor, "batch src"], target: Int[Tensor, "batch dst"] | None = None
    ) -> Float[Tensor, "batch pos out"]:
        """Scores for every position of ``target`` (seq2seq, teacher forcing), else the residual.

        Ids are those of ``encode``; padding is ``pad``, at the end of rows.
        """
        if target is not None:
            parts = self.network.encoder_decoder(self.pad)
            return parts(self.embedded(source), self.embedded(target))
        return self.residual(self.embedded(source))

    def residual(self, source: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_model"]:
        """The residual after the encoder's last layer."""
        _check_ids(source)
        return _encoded(self.network, source, present(source, self.pad))

    def _last(self, source: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch 1 d_model"]:
        """The final residual of a recurrent network's last state alone."""
        assert self.network.cell is not None
        states = self.network.cell(self.network.embedding(source), present(source, self.pad))
        return self.network.encoder(states[:, -1:])

    def ready(self) -> Parts:
        """The network as it answers; made anew when a weight has changed or moved."""
        tensors = (*self.network.parameters(), *self.network.buffers())
        state = tuple((t.data_ptr(), t.dtype, t._version) for t in tensors)  # noqa: SLF001
        if self.lean is None or self.lean[1] != state:
            self.lean = lean(self.network), state
        return self.lean[0]

    @overload
    def run(self, inputs: str) -> str: ...
    @overload
    def run(self, inputs: list[str]) -> list[str]: ...
    def run(self, inputs: str | list[str]) -> str | list[str]:
        """The answer to a text, or the answers to several, in their order.

        Raises:
            InputError: if the program cannot take an input.
            TypeError: for anything but texts.
        """
        if isinstance(inputs, str):
            return self.answers([inputs])[0].text
        return [answer.text for answer in self.answers(inputs)]

    @torch.no_grad()
    def answers(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Answer]:
        """The answers to texts, batched by length; ``progress`` is told how many are done.

        Raises:
            InputError: if the program cannot take one of them.
            TypeError: for anything but texts.
        """
        check_texts(texts)
        if self.layout.kind == "dense" and not self.layout.lexicon:
            return [self._of_vectors(text) for text in texts]
        rows = [self._read(text, number, len(texts)) for number, text in enumerate(texts, start=1)]
        order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
        answers: dict[int, Answer] = {}
        for first in range(0, len(order), BATCH):
            chosen = order[first : first + BATCH]
            answers |= dict(zip(chosen, self._batch([rows[row] for row in chosen]), strict=True))
            if progress is not None:
                progress(len(chosen))
        return [answers[row] for row in range(len(rows))]

    def try_answers(self, texts: Sequence[str]) -> list[Answer | InputError]:
        """The answers; an input that the program cannot take gives its error."""
        check_texts(texts)
        refused = {
            place: error for place, text in enumerate(texts) if (error := self._refusal(text))
        }
        taken = [place for place in range(len(texts)) if place not in refused]
        answers = dict(zip(taken, self.answers([texts[place] for place in taken]), strict=True))
        return [refused.get(place) or answers[place] for place in range(len(texts))]

    def _refusal(self, text: str) -> InputError | None:
        try:
            if self.layout.kind == "dense" and not self.layout.lexicon:
                read_vectors(text, self.semes)
            else:
                self.reader.read(text)
        except InputError as error:
            return error
        return None

    def _read(self, text: str, number: int, count: int) -> list[str]:
        try:
            return self.reader.read(text)
        except InputError as error:
            raise InputError(f"input {number}: {error}" if count > 1 else str(error)) from None

    def _batch(self, rows: list[list[str]]) -> Iterator[Answer]:
        if self.layout.kind in ("seq2seq", "decoder"):
            return self._generated(rows)
        return self._pooled_or_read(rows)

    def _generated(self, rows: list[list[str]]) -> Iterator[Answer]:
        """Greedy decoding; the gap is the smallest one over all steps of the batch."""
        source, steps = self.batch(rows), self.layout.lengths[1] + 1
        symbol_of = self.symbol_ids.argsort()
        pad, start, end = symbol_of[[self.pad, self.ids[BOS], self.ids[EOS]]].tolist()
        decoder, symbols = Steps(self), Symbols(pad, start, end)
        if self.layout.kind == "decoder":
            written = continue_greedily(decoder, symbol_of[source], steps, symbols)
        else:
            written = greedy(decoder, source, steps, symbols)
        gap, names = decoder.gap(), self._names()
        left = outside(self.layout, rows, decoder.memory)
        for row, ids, out in zip(rows, written.tolist(), left, strict=True):
            first = len(row) if self.layout.kind == "decoder" else 0
            tokens: list[str] = []
            for symbol in ids[first : first + self.layout.lengths[1]]:
                if symbol in (pad, end):
                    break
                tokens.append(names[symbol])
            text = join(tokens, self.layout.tokens, self.layout.join)
            yield Answer(text, tuple(row), gap=gap, outside=out)

    def _names(self) -> list[str]:
        """The token of every symbol."""
        named = {row: token for token, row in self.ids.items()}
        return [named.get(row, "") for row in self.symbol_ids.tolist()]

    def _pooled_or_read(self, rows: list[list[str]]) -> Iterator[Answer]:
        residual, real = self._read_by_encoder(rows)
        left = outside(self.layout, [] if self.reads_last else rows, residual)
        answers = self._of_residual(rows, residual, real)
        return (replace(a, outside=out) for a, out in zip_longest(answers, left))

    def _read_by_encoder(self, rows: list[list[str]]) -> tuple[Tensor, Tensor]:
        source, parts = self.batch(rows), self.ready()
        real = present(source, self.pad)
        if self.reads_last:
            residual, real = self._last(source), real[:, :1]
        else:
            residual = _encoded(parts, source, None if bool(real.all()) else real)
        return residual, real

    def _of_residual(
        self, rows: list[list[str]], residual: Tensor, real: Tensor
    ) -> Iterator[Answer]:
        parts = self.ready()
        if parts.classifier is not None:
            scores = parts.classifier(residual, real).double().cpu().numpy()
            because = self._because(rows, residual)
            for row, score, why in zip(rows, scores, because, strict=True):
                if self.layout.number:
                    yield number_answer(float(score[0]), row, why)
                    continue
                table = dict(zip(self.layout.classes, map(float, score), strict=True))
                label = self.layout.classes[int(score.argmax())]
                yield Answer(label, tuple(row), None, table, gap_of(score), why)
            return
        if parts.output is not None:
            scores = parts.output(residual).double().cpu().numpy()
            yield from (self._said(row, score) for row, score in zip(rows, scores, strict=True))
            return
        stream = residual.double().cpu().numpy()
        yield from (
            self._shown(row, entry[: len(row)]) for row, entry in zip(rows, stream, strict=True)
        )

    def _because(self, rows: list[list[str]], residual: Tensor) -> list[tuple[Reason, ...]]:
        """For every row the semes that classes read and that are up, with their words."""
        classifier = self.network.classifier
        if classifier is None or self.layout.pool not in EXPLAINED:
            return [()] * len(rows)
        columns = classifier.score.weight.ne(0).any(dim=1).nonzero().squeeze(-1)
        every = self.layout.names
        names = [every[column] for column in columns.tolist()]
        read = residual[..., columns].double().cpu().numpy()
        return [
            tuple(reasons(names, names, row, stream[: len(row)]))
            for row, stream in zip(rows, read, strict=True)
        ]

    def _said(self, row: list[str], scores: np.ndarray) -> Answer:
        """One output token for every token of the input."""
        inner = [place for place, token in enumerate(row) if token not in (BOS, EOS)]
        said = [self.layout.outputs[int(scores[place].argmax())] for place in inner]
        gap = min(gap_of(scores[place]) for place in inner)
        return Answer(join(said, self.layout.tokens, self.layout.join), tuple(row), gap=gap)

    def _shown(self, row: list[str], stream: np.ndarray) -> Answer:
        """The residual itself; of a recurrent network the last state."""
        if self.layout.kind == "rnn":
            row, stream = row[-1:], stream[-1:]
        semes = stream[:, : self.layout.semes]
        return Answer(show_residual(row, semes, self.semes), tuple(row), semes)

    @property
    def semes(self) -> tuple[str, ...]:
        """The names of the semes, clocks left out."""
        return self.layout.names[: self.layout.semes]

    def _of_vectors(self, text: str) -> Answer:
        vectors = read_vectors(text, self.semes)
        rows = np.zeros((1, len(vectors), self.layout.width))
        for row, vector in enumerate(vectors):
            for name, value in vector.items():
                rows[0, row, self.semes.index(name)] = value
        working = next(self.network.embedding.parameters()).dtype
        stream = self.network.encoder(
            torch.from_numpy(rows).to(torch.promote_types(working, torch.float32))
        )
        final = stream[0].double().cpu().numpy()[:, : self.layout.semes]
        shown = " | ".join(show_vector(row, self.semes) for row in final)
        return Answer(shown, ("",) * len(vectors), final)

    @torch.no_grad()
    def trace(self, text: str) -> list[Moment]:
        """The residual after the embedding and after every layer, for one input."""
        return list(trace(self, text))


def _check_ids(ids: object) -> None:
    """Refuses what is no tensor, such as a text."""
    if not isinstance(ids, Tensor):
        due = "a tensor of ids, as `batch` makes it, is due; `run`, `answers` and `trace` take text"
        raise TypeError(f"ids: {ids!r} is given, and {due}")


def _encoded(
    parts: Network | Parts, source: Int[Tensor, "batch pos"], real: Bool[Tensor, "batch pos"] | None
) -> Float[Tensor, "batch pos d_model"]:
    """The residual after an encoder's last layer."""
    residual = parts.embedding(source)
    if parts.cell is not None:
        residual = parts.cell(residual, real)
    return parts.encoder(residual, real)


def _reads_last(layout: Layout) -> bool:
    """Whether nothing but the last state of a recurrent network can matter to the answer.

    At padding its state stands still, so the last position has the last state.
    """
    attends = any(isinstance(s, LayerLayout) and (s.own or s.cross) for s in layout.encoder)
    return layout.kind == "rnn" and layout.pool == "last" and not attends and not layout.clocks
