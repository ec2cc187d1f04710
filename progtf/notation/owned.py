"""Which names a file declares: used ``as`` something, they and no others get its prefix."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake
from progtf.notation.evaluate import evaluate
from progtf.notation.files import Files
from progtf.notation.scope import Index, NameRef, Own, Scope, TooLongError, named
from progtf.notation.spell import UNFINISHED
from progtf.notation.terms import MOST_TERMS, Budget, loops
from progtf.notation.using import Use

_DECLARING = (s.Declarations, s.Declaration, s.Alias, s.NamedValue, s.Copy)


@dataclass
class Owners:
    """What each of the files that a program uses declares, found once.

    Attributes:
        files: those that are used.
        families: those that are known so far; loops may run over them.
    """

    files: Files
    families: Mapping[str, Sequence[Index]]
    found: dict[str, Own] = field(default_factory=dict[str, Own])

    def own(self, file: s.File, use: Use) -> Own:
        """The names that get the prefix of ``use`` in a file and in its circuits.

        These are its own, those of the files beside it that it uses, and, where neither it nor
        what it uses declares them, those of the files beside it that use it: circuits read them.
        """
        if use.outer is None:
            return Own()
        own = self._under(file, use, frozenset())
        known = (self._declared(each).names for each in self._below(file))
        users = (self._declared(each).names for each in self._above(file, use.beside))
        return replace(own, names=own.names | frozenset[str]().union(*users).difference(*known))

    def _under(self, file: s.File, use: Use, through: frozenset[str]) -> Own:
        """Of what a file declares or uses what stands under a prefix, and under parts of it."""
        if use.outer is None:
            return Own()
        through |= use.beside.keys()
        below = (each for each in self._below(file, through) if each.name in use.beside)
        mine = [self._declared(each) for each in below]
        names = frozenset[str]().union(*(each.names for each in mine))
        groups = frozenset[str]().union(*(each.groups for each in mine))
        return Own(use.prefix, names, groups, self._under(file, use.outer, through))

    def _below(self, file: s.File, only: Container[str] | None = None) -> Iterator[s.File]:
        """A file and those that it uses without a prefix, of which ``only`` some may count."""
        todo, seen = [file], {file.name}
        while todo:
            each = todo.pop()
            yield each
            for used in self.files.shared_by(each):
                if used.name not in seen and (only is None or used.name in only):
                    seen.add(used.name)
                    todo.append(used)

    def _above(self, file: s.File, beside: Mapping[str, s.File]) -> Iterator[s.File]:
        """The files beside one that use it, or use what uses it."""
        for other in beside.values():
            below = {each.name for each in self._below(other, beside)}
            if other.name != file.name and file.name in below:
                yield other

    def _declared(self, file: s.File) -> Own:
        if file.name not in self.found:
            scope = Scope({}, self.families)
            names, groups = set[str](), set[str]()
            for name in _names(
                tuple(file.spoken(main=False)), scope, Budget(MOST_TERMS, MOST_TERMS)
            ):
                (groups if name.endswith(".") else names).add(name)
            whole = {".".join(n.split(".")[:k]) for n in names for k in range(1, n.count(".") + 2)}
            self.found[file.name] = Own("", frozenset(whole), frozenset(g[:-1] for g in groups))
        return self.found[file.name]


def _names(nodes: Sequence[s.Statement], scope: Scope, budget: Budget) -> Iterator[str]:
    """The names that some lines declare; with a dot behind it what names of copies begin with.

    Of what has a mistake nothing is said here: it is told where the lines are read.
    """
    for node in nodes:
        with suppress(Mistake, TooLongError):
            if isinstance(node, s.Let) and not isinstance(node.value, s.ColumnOf):
                scope = scope.bind(**{node.name: evaluate(node.value, scope)})
            elif isinstance(node, s.ForBlock) and _declares(node.children):
                for inner in _rounds(node, scope, budget):
                    yield from _names(node.children, inner, budget)
            elif isinstance(node, s.Block):
                yield from _of_block(node, scope, budget)
            else:
                yield from _of_line(node, scope)


def _rounds(node: s.ForBlock, scope: Scope, budget: Budget) -> Iterable[Scope]:
    """The scopes of a loop; what it runs over may be a family that is not known yet."""
    try:
        _, rounds = loops(node.clauses, scope, budget)
        return tuple(replace(scope, constants=each) for each in rounds(scope.constants))
    except Mistake:
        return (scope,)


def _of_line(node: s.Statement, scope: Scope) -> Iterator[str]:
    match node:
        case s.UseFile(prefix=str(prefix)):
            yield f"{prefix.split('.')[0]}."
        case s.Declarations(items=items):
            yield from (_named(item.name, scope).name for item in items)
        case s.Alias() | s.NamedValue():
            yield _named(node.name, scope).name
        case s.Field(value=s.Copy(prefix=s.Name(base=base))):
            yield f"{base}."
        case _:
            pass


def _named(name: s.Name, scope: Scope) -> NameRef:
    return named(name.base, scope.constants, scope.own)


def _of_block(node: s.Block, scope: Scope, budget: Budget) -> Iterator[str]:
    if node.keyword == "semes":
        items = (item for item in node.arguments if isinstance(item, s.Declaration))
        yield from (_named(item.name, scope).name for item in items)
    if node.keyword == "loop" and node.name is not None:
        yield _named(node.name, scope).name
        yield _named(node.name, scope).name + UNFINISHED
    parameters = {f"{each}." for each in node.arguments} if node.keyword == "circuit" else ()
    inside = _names(node.children, scope, budget)
    yield from (name for name in inside if name not in parameters)


def _declares(nodes: Iterable[s.Statement]) -> bool:
    """Whether some line may declare a name."""
    for node in nodes:
        value = node.value if isinstance(node, s.Field) else node
        if isinstance(value, _DECLARING):
            return True
        if isinstance(node, (s.Block, s.ForBlock)) and _declares(node.children):
            return True
    return False
