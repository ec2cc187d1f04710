"""What statements of a text stood for before its last edit, and when that still holds.

A statement stands for what it stood for if it is the same object, and every word in it means what
it meant: as a constant, as the last word of a family or as that of a circuit. ``the.figure`` is
made of the words ``the`` and ``figure``, so no look-up has to be watched. What expands statements
knows nothing of this: ``expand`` is given ``Statements().step``.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, cast

from progtf.notation import syntax as s
from progtf.notation.declare import Copying
from progtf.notation.diagnostics import Span
from progtf.notation.expansion import Expansion, How, Made
from progtf.notation.kept import Memo
from progtf.notation.scope import Constant, NameRef, Scope, names_in
from progtf.notation.terms import Terms
from progtf.notation.using import Use

ALL = "*"
"""Among the words of a line about rows of a table: any cell may be any word."""
Words = frozenset[str]


class _Meaning(NamedTuple):
    """A constant, the families of which a word is the last, and such circuits."""

    constant: Constant | None = None
    families: tuple[tuple[str, str], ...] = ()
    circuits: tuple[object, ...] = ()


_NOTHING = _Meaning()


@dataclass(frozen=True, slots=True)
class _Held:
    """What a statement without a mistake stands for, how many terms it spends and needs.

    Attributes:
        copying: the copies that it declares.
        fresh: those of them that nothing had declared.
        means: what its words meant, and the words by way of which they did.
    """

    statements: Made
    complete: bool
    spent: int
    needs: int
    copying: Sequence[Copying]
    fresh: Words
    means: Mapping[str, _Meaning]


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """One file as it stands in the program; ``around``: what else decides about all of it."""

    around: object


class Statements:
    """The statements of a text and of the files that it uses, through its edits."""

    def __init__(self) -> None:
        self.memo = Memo()
        self._places: dict[str, _Place] = {}
        self._words: _Words | None = None
        self._here: tuple[Scope, _Place] | None = None

    def step(
        self,
        state: Expansion,
        how: How,
        node: s.Statement,
        terms: Terms,
        make: Callable[[], Made],
    ) -> Made:
        """What a statement stands for, as it was found before if that still holds.

        Not kept is what has a mistake, and what declares a name otherwise than by ``copy``.
        """
        if isinstance(how, Use):
            place, kind = self._stand(state, how, terms.scope), "statement"
        elif self._here is None or self._here[0] is not terms.scope:
            return make()
        else:
            place, kind = self._here[1], how
        if self._words is None or self._words.state is not state:
            self._words = _Words(state, self.memo, self._words.told if self._words else {})
        words = self._words.at(terms.scope)
        held: _Held | None = self.memo.get(kind, node, place)
        if held is None or held.needs > state.budget.left or not words.holds(held):
            return self._made(words, (kind, node, place), make)
        state.budget.spare = min(state.budget.spare, state.budget.left - held.needs)
        state.budget.left -= held.spent
        state.complete &= held.complete
        state.declared.again(held.copying)
        return held.statements

    def _stand(self, state: Expansion, use: Use, scope: Scope) -> _Place:
        """The place at which the statements of a file stand."""
        if self._here is not None and self._here[0] is scope:
            return self._here[1]
        around = scope.own, state.files.tables, dict(state.resets), use
        place = self._places.get(use.origin)
        if place is None or place.around != around:
            place = self._places[use.origin] = _Place(around)
        self._here = scope, place
        return place

    def _made(
        self, words: "_Words", key: tuple[str, s.Statement, _Place], make: Callable[[], Made]
    ) -> Made:
        state, budget, declared = words.state, words.state.budget, words.state.declared
        means, known = words.behind(words_of(key[1], self.memo)), len(state.found)
        asked, copies, copied = declared.asked, len(declared.copying), len(declared.copied)
        left, spare, complete = budget.left, budget.spare, state.complete
        budget.spare, state.complete = left, True
        try:
            made = tuple(make())
            if declared.asked == asked and len(state.found) == known:
                copying = tuple(declared.copying[copies:])
                fresh = frozenset(seme.name for seme in declared.copied[copied:])
                spent, needs = left - budget.left, left - budget.spare + 1
                held = _Held(made, state.complete, spent, needs, copying, fresh, means)
                self.memo.keep(held, *key)
        finally:
            budget.spare, state.complete = min(spare, budget.spare), complete & state.complete
        return made


@dataclass
class _Words:
    """What words mean at one point of an expansion, whose families and circuits only grow.

    Attributes:
        known: of the words that were asked for, at this point.
        families, circuits: word -> the names that end with it, of those that were there last.
        shown: family -> how many members it had, and these.
        told: circuit -> what it is; ``before``: at the last expansion.
    """

    state: Expansion
    memo: Memo
    before: Mapping[str, tuple[object, ...]]
    scope: Scope | None = None
    point: tuple[int, ...] = (0, 0)
    known: dict[str, _Meaning] = field(default_factory=dict[str, _Meaning])
    families: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    circuits: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    shown: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    told: dict[str, tuple[object, ...]] = field(default_factory=dict[str, tuple[object, ...]])

    def at(self, scope: Scope) -> "_Words":
        """Goes on to the statement that comes now, in this scope."""
        families, circuits = self.state.declared.families, self.state.circuits.defined
        there = len(families), len(circuits)
        point = *there, self.state.declared.asked, len(self.state.declared.copying)
        if scope is not self.scope or point != self.point:
            for names, index, before in zip(
                (families, circuits), (self.families, self.circuits), self.point, strict=False
            ):
                for name in islice(names, before, None):
                    index[name.rpartition(".")[2]].append(name)
            self.scope, self.point, self.known = scope, point, {}
        return self

    def holds(self, held: _Held) -> bool:
        """Whether the words of a statement mean what they meant, and what it copies is as fresh."""
        for word, meant in held.means.items():
            means = self._of(word)
            if means is not meant and not _alike(means, meant):
                return False
        places = self.state.declared.places
        copies = frozenset(copy for _, copy, span in held.copying if span is not None)
        return copies.difference(places) == held.fresh

    def behind(self, words: Words) -> Mapping[str, _Meaning]:
        """What words mean, and those by way of which they do: in constants and circuits."""
        found, todo = dict[str, _Meaning](), [*words]
        while todo:
            word = todo.pop()
            if word not in found:
                found[word] = self._of(word)
                todo += () if word == ALL else self._within(word, found[word])
        return found

    def _of(self, word: str) -> _Meaning:
        if word not in self.known:
            self.known[word] = self._everything() if word == ALL else self._found(word)
        return self.known[word]

    def _found(self, word: str) -> _Meaning:
        assert self.scope is not None
        constant = self.scope.constants.get(word)
        families = tuple((base, self._members(base)) for base in self.families.get(word, ()))
        circuits = tuple(self._circuit(name) for name in self.circuits.get(word, ()))
        some = constant is not None or families or circuits
        return _Meaning(constant, families, circuits) if some else _NOTHING

    def _everything(self) -> _Meaning:
        assert self.scope is not None
        families = tuple((base, self._members(base)) for base in self.state.declared.families)
        circuits = tuple(map(self._circuit, self.state.circuits.defined))
        return _Meaning((), families, (tuple(self.scope.constants.items()), circuits))

    def _members(self, base: str) -> str:
        members = self.state.declared.families[base]
        count, shown = self.shown.get(base, (-1, ""))
        if count != len(members):
            shown = repr(members)  # 1 is not 1.0, and shows so
            self.shown[base] = len(members), shown
        return shown

    def _circuit(self, name: str) -> tuple[object, ...]:
        """What a circuit is: the same object still, which lives as long as its words are kept."""
        block, inner = self.state.circuits.defined[name]
        if self.told.get(name, (0,))[0] != id(block):
            words = sorted(words_of(block, self.memo) & inner.constants.keys())
            values = tuple((word, inner.constants[word]) for word in words)
            told, before = (id(block), name, values, inner.own), self.before.get(name, ())
            self.told[name] = before if told == before and _typed(told, before) else told
        return self.told[name]

    def _within(self, word: str, meaning: _Meaning) -> Iterator[str]:
        yield from _named(meaning.constant)
        for name in self.circuits.get(word, ()):
            block, inner = self.state.circuits.defined[name]
            words = words_of(block, self.memo)
            yield from words
            for each in words & inner.constants.keys():
                yield from _named(inner.constants[each])


def words_of(node: s.Statement, memo: Memo) -> Words:
    """All words in a statement, other than names among them; found once as long as it is kept."""
    known: Words | None = memo.get("words", node)
    if known is None:
        known = frozenset(_words(node, memo))
        memo.keep(known, "words", node)
    return known


def _words(node: s.Statement, memo: Memo) -> Iterator[str]:
    children = node.children if isinstance(node, s.Block | s.ForBlock) else ()
    for child in children:
        yield from words_of(child, memo)
    if isinstance(node, s.LexiconRow | s.OutputRow) or _takes_a_table(node):
        yield ALL
    for part in node.__match_args__:
        if part != "children":
            yield from _written(getattr(node, part))


def _takes_a_table(node: s.Statement) -> bool:
    """Whether a block takes what it says from a table: names in its cells are words, too."""
    if not isinstance(node, s.Block) or node.keyword not in ("lexicon", "output"):
        return False
    return any(isinstance(each, str) for each in node.arguments)


def _written(value: Any) -> Iterator[str]:
    """The words in a part of a statement."""
    if isinstance(value, str):
        yield from value.split(".")
        if "{" in value:
            yield from (name for name, _, _ in names_in(value))
    elif isinstance(value, tuple):
        for each in cast("tuple[Any, ...]", value):
            yield from _written(each)
    elif not isinstance(value, Span):
        for each in getattr(value, "__match_args__", ()):
            yield from _written(getattr(value, each))


def _named(value: Constant | None) -> Iterator[str]:
    """The words of the names in a constant."""
    if isinstance(value, NameRef):
        yield from value.name.split(".")
    elif isinstance(value, tuple):
        for each in value:
            yield from _named(each)


def _alike(one: _Meaning, other: _Meaning) -> bool:
    """Whether two meanings are the same: of numbers the type, too, for 2.0 is spelled otherwise."""
    return one == other and _typed(one, other)


def _typed(one: object, other: object) -> bool:
    """Whether in two equal values each number is of the same type."""
    if not isinstance(one, tuple):  # empty ranges are equal, and are told as they were written
        return type(one) is type(other) and (type(one) is not range or repr(one) == repr(other))
    some, others = cast("tuple[object, ...]", one), cast("tuple[object, ...]", other)
    inner = (pair for pair in zip(some, others, strict=True) if isinstance(pair[0], tuple | range))
    return [*map(type, some)] == [*map(type, others)] and all(_typed(*pair) for pair in inner)
