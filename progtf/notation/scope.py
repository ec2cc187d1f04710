"""What names stand for while a text is expanded, and what waits for the rounds of a loop.

In ``for k in 0..9: +place[k]>got`` the name ``place[k]`` is prepared once and spelled ten times.
What is prepared is a function of the constants of a round; what no round decides is ``Known``.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from json.encoder import encode_basestring
from typing import Any, Generic, TypeGuard, TypeVar

from progtf.notation.arithmetic import Exact, spelled
from progtf.notation.diagnostics import Mistake
from progtf.notation.names import shadow

PLACEHOLDER = re.compile(r"\{([^\W\d]\w*)(?:\[(\w+)\])?\}")


@dataclass(frozen=True, slots=True)
class Own:
    """The names that a used file has for itself: they get its prefix.

    Attributes:
        prefix: what they are called outside of it begins so.
        names: all of them, and what stands before a dot in one.
        groups: what begins with one of these and a dot is one, too.
        outer: those of the files that stand under a part of the prefix.
    """

    prefix: str = ""
    names: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    outer: "Own | None" = None

    def whole(self, name: str) -> str:
        """A name as it is called outside of the file."""
        if name in self.names or name.split(".", maxsplit=1)[0] in self.groups:
            return self.prefix + name
        return name if self.outer is None else self.outer.whole(name)

    def plain(self, whole: str) -> str:
        """The name that is called so outside of the file."""
        if self.outer is None or (self.prefix and whole.startswith(self.prefix)):
            return whole.removeprefix(self.prefix)
        return self.outer.plain(whole)


@dataclass(frozen=True, slots=True)
class NameRef:
    """A name handed to a circuit or looped over, as it reads where it was written."""

    name: str
    own: Own = Own()

    @property
    def whole(self) -> str:
        """What it is called in the program."""
        return self.own.whole(self.name)


Constant = Exact | str | range | tuple["Constant", ...] | NameRef
Constants = dict[str, Constant]
Index = tuple[Exact | str, ...]

Made = TypeVar("Made")
Ready = Callable[[Constants], Made]
"""What was prepared: it takes the constants of a round, and raises what is wrong with them."""


class Known(Generic[Made]):
    """What is the same in every round."""

    __slots__ = ("value",)

    def __init__(self, value: Made) -> None:
        self.value = value

    def __call__(self, _: Constants) -> Made:
        return self.value


def is_known(part: Ready[Made]) -> TypeGuard[Known[Made]]:
    """Whether no round decides it."""
    return isinstance(part, Known)


@dataclass(frozen=True)
class Scope:
    """What names mean while a text is expanded.

    Attributes:
        constants: loop variables, parameters and ``let``, as far as their values are known.
        families: base name -> index tuples, in the order of declaration.
        own: the names that the file has for itself.
        open: the constants that a round gives; it also gives those that are known.
        columns: those of them that are columns of a table: they stand for the cells of a row in
            indices and braces, and nowhere else; a seme may be called as one.
    """

    constants: Constants
    families: Mapping[str, Sequence[Index]]
    own: Own = Own()
    open: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()

    def __contains__(self, name: str) -> bool:
        return name in self.open or name in self.constants

    def bind(self, /, **constants: Constant) -> "Scope":
        """This scope with further constants."""
        open_ = self.open.difference(constants) if self.open else self.open
        return Scope(self.constants | constants, self.families, self.own, open_, self.columns)

    def opened(self, *names: str) -> "Scope":
        """This scope in a loop that gives values to some names."""
        open_ = self.open.union(names)
        return Scope(self.constants, self.families, self.own, open_, self.columns)

    def in_row(self, *columns: str) -> "Scope":
        """This scope for the rows of a table with these columns; variables of loops are nearer."""
        names = frozenset(columns) - self.open
        return Scope(self.constants, self.families, self.own, self.open | names, names)

    def references(self) -> dict[str, NameRef]:
        """The constants that are names."""
        return {name: c for name, c in self.constants.items() if isinstance(c, NameRef)}

    def now(self, make: Ready[Made], *parts: Ready[Any]) -> Ready[Made]:
        """What is made of these parts, at once if they are all known; a mistake waits."""
        if all(is_known(part) for part in parts):
            with suppress(Mistake):
                return Known(make(self.constants))
        return make


def whole_name(base: str, scope: Scope) -> Ready[str]:
    """A base name with parameters put in and the prefix of its file put before it."""
    own = scope.own
    if scope.columns and not scope.columns.isdisjoint(base.split(".")):
        return Known(own.whole(base))
    if base in scope.open and "." not in base:
        plain = own.whole(base)

        def given(constants: Constants) -> str:
            value = constants[base]
            return value.whole if type(value) is NameRef else plain

        return given
    if scope.open and not scope.open.isdisjoint(base.split(".")):
        return lambda constants: named(base, constants, own).whole
    return Known(named(base, scope.constants, own).whole)


def named(base: str, constants: Constants, own: Own) -> NameRef:
    """A base name with parameters put in; it is of the file that its first part comes from."""
    if "." not in base:
        value = constants.get(base)
        return value if isinstance(value, NameRef) else NameRef(base, own)
    parts = base.split(".")
    bound = [constants.get(part) for part in parts]
    words = zip(bound, parts, strict=True)
    name = ".".join([value.name if isinstance(value, NameRef) else part for value, part in words])
    return NameRef(name, bound[0].own if isinstance(bound[0], NameRef) else own)


def spell_name(base: str, index: Index) -> str:
    """A whole name: ``place[3]``, ``is["a"]``; without an index the base itself."""
    if len(index) == 1:  # most have one
        return f"{base}[{x if type(x := index[0]) is int else _spelled_index(x)}]"
    shown = [f"{x}" if type(x) is int else _spelled_index(x) for x in index]
    return f"{base}[{','.join(shown)}]" if index else base


def _spelled_index(index: Exact | str) -> str:
    return encode_basestring(index) if isinstance(index, str) else spelled(index)


MOST_CHARACTERS = 1_000_000


class TooLongError(Exception):
    """The constants that are put into a text have more characters than any text may have."""


def fill_placeholders(text: str, constants: Constants) -> str:
    """``"{c}"`` with the loop variable c put in; other braces are characters.

    ``"{c[k]}"`` is part k, counted from 0, of a list or of what slashes divide.

    Raises:
        TooLongError: if more than a million characters are put in.
    """
    left = MOST_CHARACTERS

    def value(match: re.Match[str]) -> str:
        nonlocal left
        found = part(match)
        left -= len(found)
        if left < 0:
            raise TooLongError
        return found

    def part(match: re.Match[str]) -> str:
        whole, name, place = (text[start:end] for start, end in map(match.span, range(3)))
        bound = constants.get(name)
        if bound is None or not place:
            return whole if bound is None else plain(bound)
        number = plain(constants.get(place, place))
        parts = [plain(x) for x in bound] if isinstance(bound, tuple) else plain(bound).split("/")
        inside = number.isdecimal() and int(number) < len(parts)
        return parts[int(number)] if inside else whole

    if "{" not in text:
        return text
    pieces, behind = list[str](), 0
    for match in PLACEHOLDER.finditer(shadow(text)):
        pieces += text[behind : match.start()], value(match)
        behind = match.end()
    return "".join([*pieces, text[behind:]])


def names_in(text: str) -> Iterator[tuple[str, int, int]]:
    """The names in braces of a text, each with its place."""
    for match in PLACEHOLDER.finditer(shadow(text)):
        for start, end in (match.span(group) for group in (1, 2) if match[group]):
            yield text[start:end], start, end


def plain(value: Constant) -> str:
    """A constant as it stands in texts."""
    match value:
        case int() | str() | range():
            return str(value)
        case tuple():
            return str(tuple([float(x) if isinstance(x, Fraction) else x for x in value]))
        case NameRef(name=name):
            return name
        case _:
            return spelled(value)


def filled(text: str, scope: Scope) -> Ready[str]:
    """A quoted text with the constants that it names put in."""
    if "{" not in text:
        return Known(text)
    names = {name for name, _, _ in names_in(text)}
    if scope.open.isdisjoint(names):
        return Known(fill_placeholders(text, scope.constants))
    return lambda constants: fill_placeholders(text, constants)


def show(value: Constant) -> str:
    """A constant as messages show it."""
    match value:
        case NameRef():
            return f"the name `{value.name}`"
        case str():
            return f'the text "{value}"'
        case range():
            return f"the range {value.start}..{value.stop - 1}"
        case tuple():
            return "a list"
        case _:
            return spelled(value)
