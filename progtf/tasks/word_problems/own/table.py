"""The table of kinds of word problem: `words.txt`, and a file of kinds for each topic.

A kind is a block of lines, each a key and what it says::

    kind coins
    draw x 3..30; y 3..30; n = x + y; v = 10 * x + 5 * y
    story {A} has [n] coins, (all|only) dimes and nickels. They are worth [v] cents.
    ask x: How many dimes are there?: 10 * x + 5 * (n - x) = v
    ask x y: How many of each are there?: x + y = n, 10 * x + 5 * y = v

`draw` says which numbers there are, `story` one way to tell them; `ask` has the unknowns that are
asked for, a question, and an equation for each. Any story goes with any question. `phrases` tells
what may stand in texts: `draw` of this folder reads these.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from progtf.content import digest_of, key_of
from progtf.texts import read_text

_HERE = Path(__file__).parent
WORDS = "words.txt"
SENTENCES = ("aside", "opening")
"""Lists of which each line is one entry."""
_SIGNS: Mapping[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
}  # fmt: skip


@dataclass(frozen=True)
class Ask:
    """A question.

    Attributes:
        wanted: names of what is asked for, in the order in which it is.
        text: the question's phrases.
        equations: in postfix, over names and whole numbers; one for each unknown.
    """

    wanted: tuple[str, ...]
    text: str
    equations: tuple[tuple[str, ...], ...]


@dataclass
class Kind:
    """A kind of problem.

    Attributes:
        name: that no other kind has.
        draws: how numbers are drawn, in order.
        stories: ways to tell them.
        asks: what can be asked.
    """

    name: str
    draws: list[str] = field(default_factory=list[str])
    stories: list[str] = field(default_factory=list[str])
    asks: list[Ask] = field(default_factory=list[Ask])


@cache
def kinds_written() -> tuple[Kind, ...]:
    """All kinds, file by file."""
    files = sorted(path for path in _HERE.glob("*.txt") if path.name != WORDS)
    return tuple(kind for path in files for kind in _kinds_in(path))


@cache
def word_lists() -> Mapping[str, tuple[str, ...]]:
    """Lists of words by name; an entry is a word, or `one/several`; or a line."""
    lists: dict[str, tuple[str, ...]] = {}
    for key, text in _lines(_HERE / WORDS):
        some = [text] if key in SENTENCES else [each.replace("_", " ") for each in text.split()]
        lists[key] = (*lists.get(key, ()), *some)
    return lists


@cache
def digest() -> str:
    """A digest of the table."""
    return key_of([digest_of(path) for path in sorted(_HERE.glob("*.txt"))])


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    for line in read_text(path).split("\n"):
        if line.strip() and not line.startswith("#"):
            key, _, text = line.strip().partition(" ")
            yield key, text.strip()


def _kinds_in(path: Path) -> list[Kind]:
    found: list[Kind] = []
    for key, text in _lines(path):
        match key:
            case "kind":
                found.append(Kind(text))
            case "draw":
                found[-1].draws += [each.strip() for each in text.split(";")]
            case "story":
                found[-1].stories.append(text)
            case "ask":
                found[-1].asks.append(_ask(text))
            case _:
                raise ValueError(f"{path.name}: no line begins with {key!r}")
    return found


def _ask(text: str) -> Ask:
    wanted, question, equations = (part.strip() for part in text.split(":"))
    return Ask(tuple(wanted.split()), question, tuple(map(_equation, equations.split(","))))


def _equation(text: str) -> tuple[str, ...]:
    left, right = text.split("=")
    return (*postfix(left), *postfix(right), "=")


@cache
def postfix(text: str) -> tuple[str, ...]:
    """An expression of names, whole numbers and `+ - * /` in postfix.

    Raises:
        ValueError: for anything else.
    """
    return tuple(_walked(ast.parse(text.strip(), mode="eval").body))


def _walked(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.BinOp(left, sign, right) if type(sign) in _SIGNS:
            yield from _walked(left)
            yield from _walked(right)
            yield _SIGNS[type(sign)]
        case ast.Name(name):
            yield name
        case ast.Constant(int(value)):
            yield str(value)
        case _:
            raise ValueError(f"`{ast.unparse(node)}` is no sum, difference, product or quotient")
