"""What a used file says, as the program that uses it takes it over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from progtf.notation import flat as f
from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Diagnostic, Mistake, Span
from progtf.notation.fields import FIELDS, targets

HELD = "held"
"""The field of a head that says by which condition ``use ... when`` holds it back."""


@dataclass(frozen=True, slots=True)
class Guard:
    """``use ... as prefix when condition``: what the file writes outside of its own names."""

    prefix: str
    when: f.Condition


@dataclass(frozen=True, slots=True)
class Use:
    """How a file stands in a program.

    Attributes:
        origin: which file it is and under which prefix; "" is the program itself.
        prefix: what stands before the names that it declares.
        guards: what must hold where it writes names of others.
        beside: the files that stand under the same prefix, by their names: it uses these, not
            the shared ones.
        outer: what stands under the prefix without its last part; such files come next.
    """

    origin: str = ""
    prefix: str = ""
    guards: tuple[Guard, ...] = ()
    beside: Mapping[str, s.File] = field(default_factory=dict[str, s.File])
    outer: "Use | None" = None

    @property
    def main(self) -> bool:
        """Whether this is the program itself."""
        return not self.origin

    def shared(self, name: str) -> "Use":
        """How a file stands in the program that this one uses without a prefix.

        If it stands beside this one, or beside what this one stands in, it is that copy. Otherwise
        it stands in the program once, whoever uses it.
        """
        if name in self.beside:
            return replace(self, origin=_origin(name, self.prefix))
        return Use(name) if self.outer is None else self.outer.shared(name)

    def within(self, part: str, beside: Mapping[str, s.File]) -> "Use":
        """What stands under a further part of a prefix."""
        return Use("", f"{self.prefix}{part}.", self.guards, beside, self)

    def of(self, name: str, when: f.Condition | None) -> "Use":
        """A file that stands under this prefix."""
        guards = self.guards if when is None else (*self.guards, Guard(self.prefix, when))
        return replace(self, origin=_origin(name, self.prefix), guards=guards)


def _origin(name: str, prefix: str) -> str:
    return f"{name} as {prefix.removesuffix('.')}"


def adopted(statement: f.Statement, use: Use) -> f.Statement:
    """A statement with the mark of the file that it comes from.

    Raises:
        Mistake: if it holds a loop back by a condition that is more than flags.
    """
    if use.main or not isinstance(statement, f.Block):
        return statement
    children = statement.children
    if statement.keyword in ("encoder", "decoder"):
        children = tuple(adopted(child, use) for child in children)
    for guard in use.guards if statement.keyword == "layer" else ():
        children = tuple(_guarded(child, guard) for child in children)
    loop = statement.loop and _asked(statement.loop, use)
    return replace(statement, children=children, origin=use.origin, loop=loop)


def _asked(loop: f.Loop, use: Use) -> f.Loop:
    """A loop that runs only in texts that ask for its file."""
    flags = (flag for guard in use.guards for flag in _flags(guard.when, loop.span))
    return replace(loop, asked=(*loop.asked, *flags))


def _flags(when: f.Condition, span: Span) -> Iterator[f.Term]:
    match when:
        case f.Truth(form=(f.Term(coefficient=1.0, name=str()) as flag,)):
            yield flag
        case f.AllOf(parts=parts):
            for part in parts:
                yield from _flags(part, span)
        case _:
            raise Mistake(messages.loop_behind_condition(span))


def _guarded(part: f.Statement, guard: Guard) -> f.Statement:
    match part:
        case f.Block(keyword="head") if _writes_outside(part, guard):
            given = _field(part, "when")
            others = tuple(child for child in part.children if child not in given)
            both = f.AllOf((*(cast("f.Condition", c.value) for c in given), guard.when))
            held = () if _field(part, HELD) else (f.Field(HELD, guard.when, part.span),)
            return replace(part, children=(*others, f.Field("when", both, part.span), *held))
        case f.Block(keyword="feedforward"):
            return replace(part, children=tuple(_guarded(child, guard) for child in part.children))
        case f.Rule() if _writes_outside(part, guard):
            both = guard.when if part.when is None else f.AllOf((part.when, guard.when))
            return replace(part, when=both, held=part.held or guard.when)
        case _:
            return part


def _field(part: f.Block, key: str) -> list[f.Field[f.FieldValue]]:
    return [c for c in part.children if isinstance(c, f.Field) and c.key == key]


def _writes_outside(part: f.Block | f.Rule, guard: Guard) -> bool:
    parts = f.walk((part,))
    names = (name for statement in parts for name in targets(statement))
    return any(not name.startswith(guard.prefix) for name in names)


def unguarded(statement: f.Statement, use: Use) -> Iterator[Diagnostic]:
    """Raw weights that write names of others: no condition can hold them back."""
    fields = (part for part in f.walk((statement,)) if isinstance(part, f.Field))
    raw = [part for part in fields if part.key in FIELDS["feedforward"]] if use.guards else ()
    for guard in use.guards:
        for part in raw:
            for name in targets(part):
                if not name.startswith(guard.prefix):
                    yield messages.raw_behind_when(part.span, name)
