"""Who writes a seme, and whether anything could have written it before it is read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from progtf.building import problems
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.program.model import is_generated

Writer = tuple[str, Span, str]


@dataclass
class Written:
    """Follows a program in the order of its layers.

    A seme that is read too early is remembered; whether something later writes it is known only
    at the end. A family counts as written as soon as one of its members is.
    """

    semes: dict[str, set[str]] = field(
        default_factory=lambda: {"encoder": set[str](), "decoder": set[str]()}
    )
    writers: dict[str, list[Writer]] = field(default_factory=dict[str, list[Writer]])
    early: list[tuple[str, Span, str]] = field(default_factory=list[tuple[str, Span, str]])

    def embed(self, names: set[str]) -> None:
        """What the embedding writes, for both stacks."""
        for stack in self.semes.values():
            stack.update(_with_stems(names))

    def add(
        self, names: set[str], writer: str, span: Span, stack: str, *, silent: bool = False
    ) -> None:
        """A part of the network that writes ``names``; ``silent`` ones may write again."""
        self.semes[stack] |= _with_stems(names)
        for name in names:
            if not silent:
                self.writers.setdefault(name, []).append((writer, span, stack))

    def reader(self, stack: str) -> Callable[[str, Span], None]:
        """Notes reads of what this stack has not written up to now."""
        known = frozenset(self.semes[stack])

        def read(name: str, span: Span) -> None:
            if name not in known and _stem(name) not in known:
                self.early.append((name, span, stack))

        return read

    def finish(self, found: list[Diagnostic]) -> None:
        """Report all reads that came too early, of a family only the first."""
        first = {_stem(name): (name, span, stack) for name, span, stack in reversed(self.early)}
        for stem, (name, span, stack) in first.items():
            writers = [w for n, ws in self.writers.items() if stem in _with_stems({n}) for w in ws]
            writer, _, there = min(
                writers, key=lambda w: w[2] != stack, default=(None, span, stack)
            )
            other = "" if there == stack else there
            found.append(problems.order.read_early(span, name.removesuffix("."), writer, other))

    def doubles(self) -> Iterator[tuple[str, Span, Span]]:
        """Semes with two writers in one stack: name, first place, second place."""
        for name, places in self.writers.items():
            if is_generated(name):
                continue  # a phrase's counter gets a token from every offset head
            by_stack: dict[tuple[str, str], list[Writer]] = {}
            for place in places:  # files that share a seme mean to add to it
                by_stack.setdefault((place[2], place[1].source.name), []).append(place)
            for same in by_stack.values():
                others = [p for p in same if p[0] != same[0][0] and not _copies(p, same[0])]
                if others:
                    yield name, same[0][1], others[0][1]


def _copies(one: Writer, other: Writer) -> bool:
    """The same line of two copies of a file; what they share they mean to add to."""
    return one[1] == other[1] and (" as " in one[0] or " as " in other[0])


def _with_stems(names: set[str]) -> set[str]:
    """Names with what may stand for them: ``place[`` for a family, ``weird.`` for a group."""
    groups = {name.partition(".")[0] + "." for name in names if "." in name.partition("[")[0]}
    return names | {_stem(name) for name in names} | groups


def _stem(name: str) -> str:
    """The family of a member; a seme without an index is its own."""
    return name.partition("[")[0] + "[" if "[" in name else name
