"""Inputs of a program: every token alone, many equal ones, random ones, and those near another."""

from collections.abc import Iterator

from benchmarks.refute.chance import Chance
from progtf.notation import spell
from progtf.program.model import BOS, EOS, Program

Words = tuple[str, ...]
MANY = (2, 3, 5, 6, 7, 10, 11, 13, 17, 29)
KINDS, VECTORS = 8, 14


class Inputs:
    """What a program can be asked.

    Attributes:
        words: the tokens that inputs are made of; of a program over vectors some vectors.
        longest: how many of them an input has at most.
    """

    def __init__(self, program: Program, chance: Chance) -> None:
        self.chance = chance
        self.between = "" if program.tokens.startswith("chars") else " "
        if program.lexicon or program.unknown is not None:
            special = sum(token in program.lexicon for token in (BOS, EOS))
            special -= program.kind == "decoder" and EOS in program.lexicon
            self.words = list(_spelled(program, chance))
            self.longest = max(1, program.lengths[0] - special)
        else:
            self.between, self.longest = " | ", 6
            self.words = [_vector(program, chance) for _ in range(VECTORS)]

    def text(self, words: Words) -> str:
        """An input as it is typed."""
        return self.between.join(words)

    def first(self, count: int) -> list[Words]:
        """Inputs to begin with: the shortest, the most even, the longest, and random ones."""
        chance, found = self.chance, dict[Words, None]()
        common = chance.sample(self.words, min(len(self.words), KINDS))
        for word in common:
            found[(word,)] = None
        for word in common[:4]:
            for many in (*chance.sample(MANY, 4), self.longest):
                found[(word,) * min(many, self.longest)] = None
        for _ in range(count // 3):
            found[self._of_two()] = None
        while len(found) < count and chance.often(0.98):
            found[self.any()] = None
        return list(found)

    def _of_two(self) -> Words:
        """So many of one token, then so many of another: shares of every size."""
        one, other = self.chance.choice(self.words), self.chance.choice(self.words)
        size = self.chance.randint(1, self.longest)
        many = self.chance.randint(0, size)
        if self.chance.often(0.25):
            size, many = self.longest, 1
        words = [one] * many + [other] * (size - many)
        if self.chance.often(0.5):
            self.chance.shuffle(words)
        return tuple(words)

    def any(self) -> Words:
        """A random input; long ones are as frequent as short ones."""
        longest = self.longest if self.chance.often(0.3) else self.chance.randint(1, self.longest)
        return tuple(self.chance.choices(self.words, k=longest))

    def near(self, words: Words, count: int) -> Iterator[Words]:
        """Inputs that differ in little."""
        for _ in range(count):
            yield self._changed(list(words))

    def _changed(self, words: list[str]) -> Words:
        chance = self.chance
        place, word = chance.randrange(len(words)), chance.pick(self.words)
        match chance.randrange(5):
            case 0 if len(words) > 1:
                del words[place]
            case 1:
                words.insert(place, word)
            case 2:
                words[place:place] = words[place:] or [word]
            case 3:
                words.sort()
            case _:
                words[place] = word
        return tuple(words[: self.longest])


def _spelled(program: Program, chance: Chance) -> Iterator[str]:
    """The words of the lexicon, another one, and each as spelling may look at it."""
    plain = [token for token in program.lexicon if token not in (BOS, EOS)]
    if program.unknown is not None:
        plain.append("?" if program.tokens.startswith("chars") else "zzz")
    yield from plain
    for mark in program.spelling.marks:
        for token in plain[:3]:
            if mark.test == "capitals":
                yield token.upper()
            else:
                text = (
                    mark.text
                    if mark.test == "contains"
                    else mark.text * chance.pick((1, 3, 14, 20))
                )
                yield token + text


def _vector(program: Program, chance: Chance) -> str:
    """A vector of values that semes are declared to have."""
    names = program.space.names[: program.semes]
    given = ((name, chance.value(program.space.ranges[name])) for name in names)
    return spell.vector((name, value) for name, value in given if value and chance.often(0.7))
