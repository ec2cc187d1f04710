"""Vectors in the notation: as inputs, and as what answers show."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from progtf import numbers
from progtf.frozen import ReadOnly
from progtf.notation import spell
from progtf.notation.did_you_mean import nearest
from progtf.program.forms import add_to
from progtf.program.model import BOS, EOS, Program, is_generated
from progtf.program.spelling import Token
from progtf.program.tokens import InputError
from progtf.rational import fraction_of, rational

if TYPE_CHECKING:
    from progtf.program.arrays import Array
    from progtf.program.interface import Dimension

Named = Mapping[str, Mapping[str, float]]
NONE: Named = ReadOnly()


def token_vector(program: Program, token: str) -> dict[str, float]:
    """What stands for a token before the first layer, clocks left out: by lexicon and spelling."""
    vector = dict(program.lexicon.get(token, program.unknown) or {})
    marks = token.marks if isinstance(token, Token) else ()
    for count, given in zip(marks, program.spelled, strict=False):
        for seme, value in given.items():
            total = fraction_of(vector.get(seme, 0.0)) + count * fraction_of(value)
            vector[seme] = rational(total)
    return vector


@dataclass(frozen=True)
class Style:
    """How numbers are shown.

    Attributes:
        digits: significant digits of what is not whole.
        decimals: of scores.
        noise: the share of a number by which the arithmetic may have missed it.
    """

    digits: int = numbers.DIGITS
    decimals: int = numbers.DECIMALS
    noise: float = numbers.EXACT

    def shown(self, value: float, seme: "Dimension") -> str:
        """The value of a seme."""
        return numbers.shown(value, whole=seme.whole, digits=self.digits, noise=self.noise)


PLAIN = Style()


def show_vector(row: "Array", semes: "Sequence[Dimension]", style: Style = PLAIN) -> str:
    """The semes of a program's author in the notation, as a reader wants to see them."""
    values = row[: len(semes)]
    least = min(numbers.NOTHING / 2, 10.0**-style.digits / 2, style.noise)
    places = (~(abs(values) <= least)).nonzero()[0].tolist()
    shown = ((semes[p].name, style.shown(values[p], semes[p])) for p in places)
    entries = [(n, amount) for n, amount in shown if amount != "0" and not is_generated(n)]
    return " ".join(spell.of_amount(amount, name) for name, amount in entries) or "0"


def show_residual(
    tokens: Sequence[str], residual: "Array", semes: "Sequence[Dimension]", style: Style = PLAIN
) -> str:
    """``dog: +noun +dog | cat: +noun +cat``: every token with its semes."""
    shown = [
        f"{spell.token(token)}: {show_vector(row, semes, style)}"
        for token, row in zip(tokens, residual, strict=True)
        if token not in (BOS, EOS)
    ]
    return " | ".join(shown)


def read_vectors(text: str, names: Sequence[str], named: Named = NONE) -> list[dict[str, float]]:
    """``+pig -wombat | +pig``: vectors as an input or as an expected output.

    Args:
        text: the vectors.
        names: the semes that there are.
        named: vectors that may stand in a sum as semes do.

    Raises:
        InputError: for anything else.
    """
    return [read_vector(piece, names, named) for piece in text.split("|")]


def read_vector(text: str, names: Sequence[str], named: Named = NONE) -> dict[str, float]:
    """One vector in the notation.

    Raises:
        InputError: for anything else.
    """
    vector: dict[str, float] = {}
    for name, amount, _ in _terms(text):
        for seme, value in _meant(name, names, named).items():
            add_to(vector, seme, amount * value)
    return vector


def read_written(text: str, names: Sequence[str]) -> dict[str, numbers.Written]:
    """One vector in the notation, its numbers with the digits that they are written with.

    Raises:
        InputError: for anything else.
    """
    vector: dict[str, numbers.Written] = {}
    for name, amount, before in _terms(text):
        for seme in _meant(name, names, NONE):
            number = numbers.coefficient(before, amount)
            vector[seme] = vector[seme] + number if seme in vector else number
    return vector


def _meant(name: str, names: Sequence[str], named: Named) -> Mapping[str, float]:
    """What a name in a vector stands for."""
    if name not in named and (name not in names or is_generated(name)):
        hint = nearest(name, [*named, *(n for n in names if not is_generated(n))])
        raise InputError(f"no seme is called `{name}`" + (hint and f"; {hint}"), name)
    return named.get(name, {name: 1.0})


def _terms(text: str) -> Iterator[tuple[str, float, str]]:
    """The terms of a vector: name, coefficient, and what stands before the name."""
    if text.strip() == "0":
        return
    from progtf.notation import flat as f  # noqa: PLC0415  the grammar: only who writes vectors waits
    from progtf.notation.expand import expand_text  # noqa: PLC0415  as said

    line = f"value: {' '.join(text.split())}"
    flat, found = expand_text("<input>", line)
    if found:
        raise InputError(f"`{text.strip()}` is not a vector: {found[0].headline}", text.strip())
    values = (s.value for s in flat.statements if isinstance(s, f.NamedValue))
    end = len("value:")
    for entry in (entry for value in values for entry in value):
        name, span = entry.terms[0].name, entry.terms[0].span
        if entry.kind != "vector" or name is None:
            wrong = f"`{text.strip()}` is not a vector such as `+pig -2wombat`"
            raise InputError(wrong, text.strip())
        yield name, entry.terms[0].coefficient, line[end : span.start].strip()
        end = span.end
