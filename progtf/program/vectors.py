"""Vectors in the notation: as inputs, and as what answers show."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from progtf.notation import spell
from progtf.notation.did_you_mean import nearest
from progtf.program.forms import add_to
from progtf.program.model import BOS, EOS, Program, is_generated
from progtf.program.spelling import Token
from progtf.program.tokens import InputError

if TYPE_CHECKING:
    from progtf.program.arrays import Array

DIGITS = 6
NOTHING = 1e-6

Named = Mapping[str, Mapping[str, float]]
NONE: Named = MappingProxyType({})


def token_vector(program: Program, token: str) -> dict[str, float]:
    """What stands for a token before the first layer, clocks left out: by lexicon and spelling."""
    vector = dict(program.lexicon.get(token, program.unknown) or {})
    marks = token.marks if isinstance(token, Token) else ()
    for count, given in zip(marks, program.spelled, strict=False):
        for seme, value in given.items():
            vector[seme] = vector.get(seme, 0.0) + count * value
    return vector


def show_vector(row: "Array", names: Sequence[str]) -> str:
    """The semes of a program's author, rounded to what a reader wants to see, in the notation."""
    entries = [(name, rounded(value)) for name, value in zip(names, row[: len(names)], strict=True)]
    return spell.vector((name, x) for name, x in entries if x and not is_generated(name))


def rounded(value: float) -> float:
    """Six digits; what is no more than the leak of a softmax is nothing."""
    return 0.0 if abs(value) < NOTHING else float(f"{value:.{DIGITS}g}")


def show_residual(tokens: Sequence[str], residual: "Array", names: Sequence[str]) -> str:
    """``dog: +noun +dog | cat: +noun +cat``: every token with its semes."""
    shown = [
        f"{spell.token(token)}: {show_vector(row, names)}"
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
    if text.strip() == "0":
        return {}
    from progtf.notation import flat as f  # noqa: PLC0415  the grammar: only who writes vectors waits
    from progtf.notation.expand import expand_text  # noqa: PLC0415  as said

    flat, found = expand_text("<input>", f"value: {' '.join(text.split())}")
    if found:
        raise InputError(f"`{text.strip()}` is not a vector: {found[0].headline}")
    vector: dict[str, float] = {}
    values = (s.value for s in flat.statements if isinstance(s, f.NamedValue))
    for entry in (entry for value in values for entry in value):
        name = entry.terms[0].name
        if entry.kind != "vector" or name is None:
            raise InputError(f"`{text.strip()}` is not a vector such as `+pig -2wombat`")
        meant = named.get(name, {name: 1.0})
        if name not in named and (name not in names or is_generated(name)):
            hint = nearest(name, [*named, *(n for n in names if not is_generated(n))])
            raise InputError(f"no seme is called `{name}`" + (hint and f"; {hint}"))
        for seme, value in meant.items():
            add_to(vector, seme, entry.terms[0].coefficient * value)
    return vector
