"""Texts that are tried on a program: its examples, and what can be made of them and of its words.

Which texts these are is told by the program alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, islice, product

import numpy as np

from progtf.program.interface import interface_of
from progtf.program.model import BOS, EOS, SPECIAL, Program
from progtf.program.tokens import split

REPEATED = 8
"""Of so many words the longest text is tried."""
FIRST = 4
"""Of so many words all texts of three are."""
BETWEEN = " | "
"""Stands between vectors."""


def parts_of(program: Program, text: str) -> list[str]:
    """The words, the characters or the vectors of a text."""
    if interface_of(program).takes_vectors:
        return [part.strip() for part in text.split("|")]
    return split(text, program.tokens)


def text_of(program: Program, parts: Iterable[str]) -> str:
    """The text that has these words, characters or vectors."""
    if interface_of(program).takes_vectors:
        return BETWEEN.join(parts)
    return ("" if program.tokens.startswith("chars") else " ").join(parts)


def texts(program: Program, longest: int) -> Iterator[list[str]]:
    """The parts of every text that is tried, the examples first; some come up again.

    ``longest``: how many parts a text has at most that is one word again and again.
    """
    examples = [parts_of(program, each.input) for each in program.examples]
    words, room = _words(program, examples), max(1, min(longest, _room(program)))
    yield from examples
    if not words:
        return
    yield from _in_turn(
        ([word] for word in words),
        _pairs(words),
        map(list, product(words[:FIRST], repeat=3)),
        _changed([each for each in examples if each], words),
        ([word] * room for word in words[:REPEATED]),
    )


def _words(program: Program, examples: Iterable[Sequence[str]]) -> list[str]:
    """A word for each vector that words have, those of the examples first."""
    if interface_of(program).takes_vectors:
        ranges = program.space.ranges
        return [f"+{name}" for name in program.space.names[: program.semes] if ranges[name].high]
    found = dict[frozenset[tuple[str, float]], str]()
    for word in dict.fromkeys(chain(chain.from_iterable(examples), program.lexicon)):
        vector = program.lexicon.get(word, program.unknown) or {}
        if word not in SPECIAL:
            found.setdefault(frozenset(vector.items()), word)
    return [*found.values()]


def _room(program: Program) -> int:
    """How many words the longest text has."""
    ends = (BOS in program.lexicon) + (EOS in program.lexicon and program.kind != "decoder")
    return max(1, program.lengths[0] - ends)


def _pairs(words: Sequence[str]) -> Iterator[list[str]]:
    """Two words, those that come first among the first ones."""
    for place, word in enumerate(words):
        for before in words[:place]:
            yield [before, word]
            yield [word, before]
        yield [word, word]


def _changed(examples: Sequence[Sequence[str]], words: Sequence[str]) -> Iterator[list[str]]:
    """Examples with one word repeated, dropped, swapped with the next one, or another in its place,
    always the same ones.
    """
    draw = np.random.default_rng(0)
    for number in count() if examples else ():
        parts = [*examples[number % len(examples)]]
        place, word = int(draw.integers(len(parts))), words[int(draw.integers(len(words)))]
        match int(draw.integers(4)):
            case 0:
                parts.insert(place, parts[place])
            case 1:
                del parts[place]
            case 2:
                parts[place : place + 2] = reversed(parts[place : place + 2])
            case _:
                parts[place] = word
        yield parts


def _in_turn(*some: Iterator[list[str]]) -> Iterator[list[str]]:
    """One of each, as long as there are any."""
    left = [*some]
    while left:
        for each in [*left]:
            found = [*islice(each, 1)]
            yield from found
            if not found:
                left.remove(each)
