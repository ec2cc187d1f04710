"""What a network that reads passages gives every word: symbols, roles, states, and their tags."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from progtf.data.errors import DataError
from progtf.data.lines import lines_of
from progtf.equality import compared
from progtf.nn import pad_rows
from progtf.nn.reading import LSTMPhrases, SpanReader
from progtf.tasks.comprehension import Question, Text
from progtf.training.answer import BATCH, Reader
from progtf.training.networks import build_network, kept_settings
from progtf.training.reading import know

Vectors = NDArray[np.float32]
Tags = Mapping[str, Sequence[tuple[int, int, str]]]
"""Of each passage: where something begins and ends in it, and its part of speech."""
NO_TAG = ""
MOST_KINDS, MOST_WORDS = 3, 10
"""Of a role or symbol, so many are told."""
OFTEN = 3
"""Occurrences of a word that is told as near to a symbol."""


@compared
@dataclass(frozen=True)
class Seen:
    """Words of passages one after another, and what the phrase layer gives them.

    Shapes:
        symbols  word direction symbol
        roles    word direction role      written ones first
        outputs  word d

    Attributes:
        words: as they stand there.
        tags: of each; "" where there is none.
        passage: which one each stands in.
    """

    words: list[str]
    tags: list[str]
    passage: NDArray[np.int64]
    symbols: Vectors
    roles: Vectors
    outputs: Vectors


def passages_of(questions: Iterable[Question]) -> list[Text]:
    """Each passage once."""
    return list({question.passage.raw: question.passage for question in questions}.values())


def read_tags(path: Path) -> Tags:
    """Tags as `scripts/tag_passages.mjs` writes them.

    Raises:
        DataError: for a file that has none.
    """
    try:
        lines = [json.loads(line.text) for line in lines_of(path)]
        return {line["context"]: [tuple(tag) for tag in line["tags"]] for line in lines}
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataError(f"no tags of passages: {error}", path) from None


def tags_of(passage: Text, tags: Tags) -> list[str]:
    """The tag of each word: of what stands at its first character."""
    at = {
        place: kind for begin, end, kind in tags.get(passage.raw, ()) for place in range(begin, end)
    }
    return [at.get(begin, NO_TAG) for begin, _ in passage.places]


def seen(reader: Reader, passages: Sequence[Text], tags: Tags) -> Seen:
    """What the phrase layer of a network gives some passages."""
    found = list(_phrased(reader, passages))
    lengths = [len(passage.words) for passage in passages]
    parts = [np.concatenate([each[part] for each in found]) for part in range(3)]
    return Seen(
        [word for passage in passages for word in passage.words],
        [tag for passage in passages for tag in tags_of(passage, tags)],
        np.repeat(np.arange(len(passages)), lengths), *parts,
    )  # fmt: skip


@torch.no_grad()
def _phrased(
    reader: Reader, passages: Sequence[Text]
) -> Iterator[tuple[Vectors, Vectors, Vectors]]:
    """Symbols, roles and outputs of one passage after the other."""
    pad = reader.network.shape.pad
    for first in range(0, len(passages), BATCH):
        some = passages[first : first + BATCH]
        rows = pad_rows([reader.words.encode(" ".join(each.words)).tolist() for each in some], pad)
        given = reader.network.phrased(rows, rows != pad)
        for number, each in enumerate(some):
            parts = (given.symbols, given.roles, given.outputs)
            symbols, roles, outputs = (p[number, : len(each.words)].numpy() for p in parts)
            yield symbols, roles, outputs


def untrained(checkpoint: Path, reader: Reader, seed: int) -> Reader:
    """The same network before it learned, from a seed."""
    alphabet, wanted = reader.known, reader.settings
    network = build_network(kept_settings(wanted, checkpoint), seed, alphabet).eval()
    assert isinstance(network, SpanReader)
    know(network, wanted.reading, alphabet.units, reader.words.units)
    return replace(reader, network=network)


@dataclass(frozen=True)
class Entry:
    """A role or a symbol, and its words: those of which no other has more.

    Attributes:
        name: such as ``role 3`` or ``role determiner``.
        share: of all words, these.
        kinds: their parts of speech, the commonest first, with their shares.
        words: that have it most: roles by how often, symbols by how near.
    """

    name: str
    share: float
    kinds: tuple[tuple[str, float], ...]
    words: tuple[str, ...]


def entries(reader: Reader, words: Seen) -> list[Entry]:
    """All roles, then all symbols, that some word has, from left to right.

    Raises:
        ValueError: for a network without roles.
    """
    phrases = reader.network.phrases
    if not words.roles.shape[-1] or isinstance(phrases, LSTMPhrases):
        raise ValueError("its phrase layer is an LSTM, which has no roles")
    roles, names = words.roles[:, 0], role_names(reader)
    nearness = _nearness(words.symbols[:, 0], phrases.symbol_vectors[0].detach().numpy())
    symbols = [f"symbol {number}" for number in range(1, nearness.shape[1] + 1)]
    return [*_entries(names, roles, words), *_entries(symbols, nearness, words, nearest=True)]


def role_names(reader: Reader) -> list[str]:
    """Written roles by their semes, the others by number."""
    said = reader.settings.reading
    learned = range(1, said.roles - len(said.written) + 1)
    return [*(f"role {name}" for name in said.written), *(f"role {n}" for n in learned)]


def _nearness(attention: Vectors, vectors: Vectors) -> Vectors:
    """The cosine of F·a with the vector of each symbol, as the published analysis has it."""
    bound = attention @ vectors
    lengths = np.linalg.norm(bound, axis=1)[:, None] * np.linalg.norm(vectors, axis=1)
    return bound @ vectors.T / np.maximum(lengths, 1e-9)


def _entries(
    names: Sequence[str], scores: Vectors, words: Seen, *, nearest: bool = False
) -> Iterator[Entry]:
    largest = scores.argmax(axis=1)
    for number, name in enumerate(names):
        mine = np.flatnonzero(largest == number)
        if len(mine):
            kinds = Counter(words.tags[n] for n in mine if words.tags[n])
            of = max(kinds.total(), 1)
            shares = tuple((kind, count / of) for kind, count in kinds.most_common(MOST_KINDS))
            shown = _first(words, mine, scores[:, number] if nearest else None)
            yield Entry(name, len(mine) / len(largest), shares, shown)


def _first(words: Seen, mine: NDArray[np.int64], near: Vectors | None) -> tuple[str, ...]:
    """The commonest words of some, or those that are nearest on average."""
    counts = Counter(words.words[n].lower() for n in mine)
    if near is None:
        return tuple(word for word, _ in counts.most_common(MOST_WORDS))
    sums: dict[str, float] = dict.fromkeys(counts, 0.0)
    for n in mine:
        sums[words.words[n].lower()] += float(near[n])
    often = [word for word, count in counts.items() if count >= OFTEN] or list(counts)
    return tuple(sorted(often, key=lambda word: -sums[word] / counts[word])[:MOST_WORDS])
