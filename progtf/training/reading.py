"""Networks of ``[model]`` that find answers in passages: their parts, from settings and symbols."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from progtf.data import SPECIALS, Alphabet, DataError
from progtf.data.lines import lines_of
from progtf.network.model import Model as Written
from progtf.nn import TensorShape, TPRCell, TPRLSTMCell
from progtf.nn.reading import LSTMPhrases, Phrases, ReaderShape, SpanReader, Spans, likeliest
from progtf.nn.word_vectors import LETTERS, WordVectors
from progtf.tasks.comprehension import PASSAGE, PLACES, SELDOM
from progtf.training.config import Model, Reading, RunError
from progtf.training.subject import IGNORED, Ids, Learned
from progtf.training.written_words import WrittenWords, weights_at

FIRST_PLACE = len(SPECIALS) + 1
TOGETHER = 32
"""Passages that are judged at once."""
TABLE, ROWS = "words.table", "words.rows"


def build_reader(wanted: Model, alphabet: Alphabet) -> SpanReader:
    """The attention flow network over the symbols of questions about passages.

    Raises:
        ValueError: if its sizes do not fit each other.
    """
    units, said = alphabet.units, wanted.reading
    if not units or units[0] != PASSAGE:
        raise ValueError("`reader` learns from passages: files of JSON lines with a `context` each")
    reader = None
    if wanted.reads is not None:
        lower = [unit.lower() for unit in units]
        reader = WrittenWords(Written(weights_at(wanted.reads)), lower, said.written)
    elif said.written:
        raise ValueError("`reading.written` names semes, and `reads` no program that has them")
    if reader is not None and not said.written:
        raise ValueError("`reads` names a program, and `reading.written` none of its semes")
    if reader is not None and said.phrase == "lstm":
        raise ValueError("`reads` is for phrases with roles, and an `lstm` has none")
    table, rows = _table(said, units)
    words = WordVectors(letters_of(units), rows, table, said.filters, wanted.dropout)
    phrases = _phrases(wanted, words.d_word)
    roles = said.sparsity if said.role_sparsity is None else said.role_sparsity
    costs = said.sparsity, roles
    shape = ReaderShape(wanted.width, wanted.dropout, costs, said.form, len(SPECIALS))
    return SpanReader(words, phrases, shape, reader)


def _phrases(wanted: Model, d_word: int) -> Phrases:
    """The layer in which words see their context."""
    said = wanted.reading
    if said.phrase == "lstm":
        return LSTMPhrases(d_word, wanted.width, said.narrow)
    sizes = said.symbols, said.roles, said.d_symbol, said.d_role
    shape = TensorShape(*sizes, written=len(said.written))
    left = wanted.width - shape.d_tensor
    if said.phrase == "tpr" and not left:
        return TPRCell(d_word, shape)
    if said.phrase == "tprlstm" and left > 0:
        return TPRLSTMCell(d_word, left, shape)
    raise ValueError(
        f"`width` is {wanted.width}, and `d_symbol` times `d_role` {shape.d_tensor}: `tpr` has them"
        " equal, and `tprlstm` the rest of the width for its LSTM"
    )


def letters_of(units: Sequence[str]) -> Int[Tensor, "symbol letter"]:
    """The first bytes of every symbol, 0 behind them; specials have none."""
    found = np.zeros((len(SPECIALS) + len(units), LETTERS), np.int64)
    for number, unit in enumerate(units, start=len(SPECIALS)):
        some = np.frombuffer(unit.encode()[:LETTERS], np.uint8)
        found[number, : len(some)] = some + np.int64(1)
    return torch.from_numpy(found)


def _table(said: Reading, units: Sequence[str]) -> tuple[Tensor, Int[Tensor, " symbol"]]:
    """Word vectors and the row of each symbol: from a file, of a checkpoint, or drawn."""
    if said.vectors is None:
        often = [unit.lower() for unit in units[: units.index(SELDOM)]]
        row = {word: n for n, word in enumerate(dict.fromkeys(often), start=1)}
        table = nn.Parameter(
            torch.randn(len(row) + 1, said.d_vector, dtype=torch.float32, device="cpu") * 0.1
        )
        return table, rows_of(units, row)
    if said.vectors.suffix == ".safetensors":
        kept = load_file(said.vectors)
        return kept[TABLE], kept[ROWS]
    found = vectors_in(said.vectors, {unit.lower() for unit in units})
    row = {word: n for n, word in enumerate(found, start=1)}
    known = np.stack([np.zeros_like(next(iter(found.values()))), *found.values()])
    return torch.from_numpy(known), rows_of(units, row)


def rows_of(units: Sequence[str], row: Mapping[str, int]) -> Int[Tensor, " symbol"]:
    """The row of each symbol, 0 where its word has none."""
    return torch.tensor(
        [0] * len(SPECIALS) + [row.get(unit.lower(), 0) for unit in units],
        dtype=torch.long,
        device="cpu",
    )


def vectors_in(path: Path, wanted: Collection[str], *, some: bool = True) -> dict[str, np.ndarray]:
    """The vectors of some words from a file in GloVe's format: a word and its numbers a line.

    Raises:
        RunError: for a file that has none of them though ``some`` are due, or other lines.
    """
    found: dict[str, np.ndarray] = {}
    try:
        for line in lines_of(path):
            word, _, rest = line.text.partition(" ")
            if word in wanted:
                found[word] = _numbers(rest, path, line.number)
    except DataError as error:
        raise RunError(str(error)) from None
    if some and not found:
        raise RunError(f"{path}: word vectors of none of the words that are read")
    if len({len(vector) for vector in found.values()}) > 1:
        raise RunError(f"{path}: word vectors of different lengths")
    return found


def _numbers(text: str, path: Path, line: int) -> np.ndarray:
    try:
        return np.array([float(number) for number in text.split()], dtype=np.float32)
    except ValueError:
        raise RunError(f"{path}:{line}: a line is a word and its numbers, blanks between") from None


def know(network: SpanReader, said: Reading, units: Sequence[str], wider: Sequence[str]) -> None:
    """Lets a network read more words: by letters, vectors and written roles, as far as there are.

    Args:
        network: that reads some words already.
        said: where its vectors are from.
        units: its symbols, which are the first of those that it is to know.
        wider: the symbols to come.
    """
    words, new = network.words, wider[len(units) :]
    pairs = zip(units, words.rows[len(SPECIALS) :].tolist(), strict=True)
    row = {unit.lower(): place for unit, place in pairs if place}
    missing = {unit.lower() for unit in new}.difference(row)
    if said.vectors is not None and said.vectors.is_file() and missing:
        found = vectors_in(said.vectors, missing, some=False)
        row |= {word: n for n, word in enumerate(found, start=len(words.table))}
        more = [torch.from_numpy(vector)[None] for vector in found.values()]
        words.table = torch.cat([words.table, *more])
    words.know(letters_of(wider), rows_of(wider, row))
    for part in network.modules():
        if isinstance(part, WrittenWords):
            part.know([unit.lower() for unit in wider])


class SpanSubject(Learned):
    """A network that finds answers; an answer has every place where it is right."""

    module: SpanReader

    def losses(self, source: Ids, answer: Ids) -> tuple[Tensor, Float[Tensor, " batch"]]:
        """−log of the chance of all right places together, and what attentions cost."""
        spans: Spans = self.module(source)
        chance, places = self._chances(spans, answer)
        each = -chance.masked_fill(places[..., 0] == IGNORED, -torch.inf).logsumexp(dim=-1)
        return (each + spans.penalty).mean(), each.detach()

    def _chances(self, spans: Spans, answer: Ids) -> tuple[Float[Tensor, "batch span"], Tensor]:
        """The logarithms of the chances of the right places, and these."""
        places = spans_in(answer)
        begin, end = places.clamp(min=0).unbind(dim=-1)
        starts, ends = spans.start.float().log_softmax(-1), spans.end.float().log_softmax(-1)
        return starts.gather(1, begin) + ends.gather(1, end), places

    def due(self, answer: Ids) -> Ids:
        """One thing is due of every question, wherever its answer stands."""
        return torch.zeros_like(answer[:, :1])

    @torch.no_grad()
    def right(self, source: Ids, answer: Ids) -> Bool[Tensor, " batch"]:
        """Whether the likeliest place is a right one."""
        parts = zip(source.split(TOGETHER), answer.split(TOGETHER), strict=True)
        return torch.cat([self._right(*part) for part in parts])

    def _right(self, source: Ids, answer: Ids) -> Bool[Tensor, " batch"]:
        spans: Spans = self.module(source)
        found = likeliest(spans.start, spans.end)
        return (spans_in(answer) == found[:, None]).all(dim=-1).any(dim=-1)


def spans_in(answer: Ids) -> Int[Tensor, "batch span 2"]:
    """First and last words as answers tell them, `IGNORED` where there are no more."""
    places = answer[:, 1:] - FIRST_PLACE
    places = places.masked_fill((places < 0) | (places >= len(PLACES)), IGNORED)
    even = functional.pad(places, (0, places.shape[1] % 2), value=IGNORED)
    return even.unflatten(1, (-1, 2))
