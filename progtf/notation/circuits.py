"""Circuits: heads and rules with parameters, and what a ``use`` of one puts into a layer."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, cast

from progtf.notation import files, messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Report, Span
from progtf.notation.evaluate import Constant, Scope, evaluate
from progtf.notation.spell import counted

Body = tuple[tuple[s.Statement, ...], Scope]


@dataclass
class Circuits:
    """The circuits of a program by name, each with the scope that it was written in."""

    report: Report
    defined: dict[str, tuple[s.Block, Scope]] = field(
        default_factory=dict[str, tuple[s.Block, Scope]]
    )
    active: list[str] = field(default_factory=list[str])
    placed: dict[tuple[str, Span], tuple[s.Statement, ...]] = field(
        default_factory=dict[tuple[str, Span], tuple[s.Statement, ...]]
    )

    def define(self, base: str, block: s.Block, scope: Scope) -> None:
        """Take a circuit in."""
        name = scope.own.prefix + base
        if name in self.defined:
            first = self.defined[name][0].span
            what = f"circuit `{name}`"
            self.report(messages.twice("duplicate-circuit", block.span, what, first))
        self.defined[name] = block, scope

    @contextmanager
    def entered(self, use: s.UseCircuit, scope: Scope) -> Generator[Body, None, None]:
        """The lines of the circuit that ``use`` names, and the scope with its parameters."""
        name = use.name if use.name in self.defined else scope.own.prefix + use.name
        if name not in self.defined:
            near = [known for known in self.defined if known.endswith(f".{use.name}")]
            if (library := files.library_with(use.name)) and not near:
                raise Mistake(messages.library_circuit(use.span, use.name, library))
            known = near or self.defined
            raise Mistake(messages.unknown_circuit(use.span, use.name, known=known))
        if name in self.active:
            raise Mistake(messages.circuit_cycle(use.span, use.name))
        block, inner = self.defined[name]
        place = name, use.span.use or use.span
        if place not in self.placed:  # a loop comes by the same line many times
            self.placed[place] = _placed(block.children, place[1])
        self.active.append(name)
        try:
            yield self.placed[place], inner.bind(**_bound(block, use, scope))
        finally:
            self.active.pop()


def _placed(node: Any, use: Span) -> Any:
    """The same syntax; its spans say which ``use`` put it in."""
    if isinstance(node, Span):
        return replace(node, use=use)
    if isinstance(node, tuple):
        return tuple([_placed(part, use) for part in cast("tuple[Any, ...]", node)])
    if is_dataclass(node) and not isinstance(node, type):
        parts = {part.name: _placed(getattr(node, part.name), use) for part in fields(node)}
        return replace(node, **parts)
    return node


def _bound(block: s.Block, use: s.UseCircuit, scope: Scope) -> dict[str, Constant]:
    parameters = tuple(str(parameter) for parameter in block.arguments)
    if len(parameters) != len(use.arguments):
        due, wants = counted(len(parameters), "argument"), ", ".join(parameters) or "nothing"
        given = len(use.arguments)
        raise Mistake(messages.circuit_arguments(use.span, use.name, due, given, wants))
    pairs = zip(parameters, use.arguments, strict=True)
    return {parameter: _argument(argument, scope) for parameter, argument in pairs}


def _argument(node: s.Expression, scope: Scope) -> Constant:
    """A constant; a name that is none stands for itself."""
    if isinstance(node, s.Items) or isinstance(node, s.Variable) and node.name in scope.constants:
        return evaluate(node, scope)
    items = evaluate(s.Items((node,)), scope)
    assert isinstance(items, tuple)
    return items[0]
