"""Circuits: heads and rules with parameters, and what a ``use`` of one puts into a layer."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any, cast

from progtf.notation import files, messages
from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Report, Span
from progtf.notation.evaluate import prepare
from progtf.notation.scope import Constant, Constants, Ready, Scope, is_known
from progtf.notation.spell import counted
from progtf.notation.terms import Terms

Run = Ready[Sequence[f.Statement]]
Prepared = Callable[[Sequence[s.Statement], Terms], Run]

DEEP = 100
"""Circuits inside each other: from here on it is asked whether they stand in a circle."""


@dataclass
class Circuits:
    """The circuits of a program by name, each with the scope that it was written in."""

    report: Report
    defined: dict[str, tuple[s.Block, Scope]] = field(
        default_factory=dict[str, tuple[s.Block, Scope]]
    )
    active: list[str] = field(default_factory=list[str])

    def define(self, base: str, block: s.Block, scope: Scope) -> None:
        """Take a circuit in."""
        name = scope.own.prefix + base
        if name in self.defined:
            first = self.defined[name][0].span
            what = f"circuit `{name}`"
            self.report(messages.twice("duplicate-circuit", block.span, what, first))
        for place, parameter in enumerate(block.arguments):
            if parameter in block.arguments[:place]:
                what = f"`{parameter}`, a parameter of this circuit,"
                self.report(messages.twice("duplicate-name", block.span, what))
        self.defined[name] = block, scope

    def ready(self, use: s.UseCircuit, terms: Terms, prepared: Prepared) -> Run:
        """The lines of the circuit that ``use`` names, with its arguments; prepared once.

        Args:
            use: the line.
            terms: of the scope that it stands in.
            prepared: makes the lines of a circuit ready, in the scope with its parameters.
        """
        given = [_argument(argument, terms.scope) for argument in use.arguments]
        lines: Run | None = None

        def run(constants: Constants) -> Sequence[f.Statement]:
            nonlocal lines
            name = self._named(use, terms.scope)
            if name in self.active:
                raise Mistake(messages.circuit_cycle(use.span, use.name))
            if len(self.active) == DEEP:
                self._refuse_circles(name, use.span)
            block, scope = self.defined[name]
            self.active.append(name)
            try:
                parameters = _parameters(block, use)
                bound = {each: of(constants) for each, of in zip(parameters, given, strict=True)}
                if lines is None:
                    open_ = (
                        each for each, of in zip(parameters, given, strict=True) if not is_known(of)
                    )
                    inner = scope.bind(**bound).opened(*open_)
                    body = _placed(block.children, use.span.use or use.span)
                    lines = prepared(body, Terms(inner, terms.budget))
                return lines(scope.constants | bound)
            finally:
                self.active.pop()

        return run

    def _refuse_circles(self, name: str, span: Span) -> None:
        """Refuses circuits that come to a circle, before they are put into each other any deeper.

        Raises:
            Mistake: naming one of the circle.
        """
        graph: dict[str, list[str]] = {}
        todo = [name]
        while todo:
            user = todo.pop()
            block, scope = self.defined[user]
            names = [(use.name, scope.own.prefix + use.name) for use in _uses(block)]
            whole = [own if one not in self.defined else one for one, own in names]
            graph[user] = [each for each in whole if each in self.defined]
            todo += (each for each in graph[user] if each not in graph)
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            raise Mistake(messages.circuit_cycle(span, error.args[1][0])) from None

    def _named(self, use: s.UseCircuit, scope: Scope) -> str:
        name = use.name if use.name in self.defined else scope.own.prefix + use.name
        if name in self.defined:
            return name
        near = [known for known in self.defined if known.endswith(f".{use.name}")]
        if (library := files.library_with(use.name)) and not near:
            raise Mistake(messages.library_circuit(use.span, use.name, library))
        known = near or self.defined
        raise Mistake(messages.unknown_circuit(use.span, use.name, known=known))


def _uses(block: s.Block | s.ForBlock) -> Iterator[s.UseCircuit]:
    """The circuits that lines use, wherever they stand in them."""
    for child in block.children:
        if isinstance(child, s.UseCircuit):
            yield child
        elif isinstance(child, s.Block | s.ForBlock):
            yield from _uses(child)


def _placed(node: Any, use: Span) -> Any:
    """The same syntax; its spans say which ``use`` put it in."""
    kind = cast("Any", type(node))
    if kind is Span:
        return Span(node.source, node.row, node.start, node.end, use)
    if kind is tuple:
        return tuple([_placed(part, use) for part in node])
    names: tuple[str, ...] = getattr(kind, "__match_args__", ())  # what a node is made of
    return kind(*[_placed(getattr(node, name), use) for name in names]) if names else node


def _parameters(block: s.Block, use: s.UseCircuit) -> tuple[str, ...]:
    parameters = tuple(str(parameter) for parameter in block.arguments)
    if len(parameters) != len(use.arguments):
        due, wants = counted(len(parameters), "argument"), ", ".join(parameters) or "nothing"
        given = len(use.arguments)
        raise Mistake(messages.circuit_arguments(use.span, use.name, due, given, wants))
    return parameters


def _argument(node: s.Expression, scope: Scope) -> Ready[Constant]:
    """A constant; a name that is none stands for itself."""
    if isinstance(node, s.Items) or isinstance(node, s.Variable) and node.name in scope:
        return prepare(node, scope)
    alone = prepare(s.Items((node,)), scope)

    def first(constants: Constants) -> Constant:
        items = alone(constants)
        assert isinstance(items, tuple)
        return items[0]

    return scope.now(first, alone)
