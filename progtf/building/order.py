"""Who writes a seme, and whether anything could have written it before it is read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from progtf.building import problems
from progtf.building.carriers import Tokens
from progtf.building.names import Read
from progtf.notation.diagnostics import Diagnostic, Span
from progtf.program.model import is_generated

Writer = tuple[str, Span, str, Tokens]


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
    reads: list[Read] = field(default_factory=list[Read])
    early: list[tuple[str, Span, str, str]] = field(
        default_factory=list[tuple[str, Span, str, str]]
    )

    def embed(self, names: set[str]) -> None:
        """What the embedding writes, for both stacks."""
        for stack in self.semes.values():
            stack.update(*map(_stems, names))

    def add(
        self,
        names: Iterable[str],
        writer: str,
        span: Span,
        stack: str,
        *,
        silent: bool = False,
        tokens: Tokens = None,
    ) -> None:
        """A part of the network that writes ``names`` at some tokens; ``silent`` ones may again."""
        known = self.semes[stack]
        for name in names:
            known.update(_stems(name))
            if not silent:
                self.writers.setdefault(name, []).append((writer, span, stack, tokens))

    def read(self, reads: Sequence[Read], stack: str, beside: str = "") -> None:
        """Notes reads, and those of what this stack has not written up to now.

        ``beside`` ends the name of every writer that is computed at once with who reads.
        """
        self.reads += reads
        known = self.semes[stack]
        self.early += (
            (name, span, stack, beside)
            for name, span in reads
            if name not in known and family_of(name) not in known
        )

    def finish(self, found: list[Diagnostic]) -> None:
        """Report all reads that came too early, of a family only the first."""
        first = {family_of(each[0]): each for each in reversed(self.early)}
        for stem, (name, span, stack, beside) in first.items():
            writers = [w for n, ws in self.writers.items() if stem in _stems(n) for w in ws]
            writer, _, there, _ = min(
                writers, key=lambda w: w[2] != stack, default=(None, span, stack, None)
            )
            other = "" if there == stack else there
            read = name.removesuffix(".")
            if writer and not other and beside and writer.endswith(beside):
                found.append(problems.order.read_beside(span, read, writer))
            else:
                found.append(problems.order.read_early(span, read, writer, other))

    def doubles(self) -> Iterator[tuple[str, Span, Span]]:
        """Semes that two parts of one stack may write at one token: name, first and second place.

        Of the members of a family that the same two write only the first is told.
        """
        told: dict[tuple[str, Span, Span], str] = {}
        for name, first, second in self._doubles():
            told.setdefault((family_of(name), first, second), name)
        yield from ((name, first, second) for (_, first, second), name in told.items())

    def _doubles(self) -> Iterator[tuple[str, Span, Span]]:
        for name, places in self.writers.items():
            if is_generated(name):
                continue  # a phrase's counter gets a token from every offset head
            by_stack: dict[tuple[str, str], list[Writer]] = {}
            for place in places:  # files that share a seme mean to add to it
                by_stack.setdefault((place[2], place[1].source.name), []).append(place)
            for same in by_stack.values():
                for one, other in combinations(same, 2):
                    apart = one[3] is not None and other[3] is not None and not one[3] & other[3]
                    if one[0] != other[0] and not _copies(other, one) and not apart:
                        yield name, one[1], other[1]
                        break


def _copies(one: Writer, other: Writer) -> bool:
    """Lines of two files of which one is a copy; what they share they mean to add to."""
    return " as " in one[0] or " as " in other[0]


def _stems(name: str) -> tuple[str, ...]:
    """A name and what may stand for it: ``place[`` for a family, ``weird.`` for a group."""
    base = name.partition("[")[0]
    family = name if base == name else f"{base}["
    return (name, family, f"{base.partition('.')[0]}.") if "." in base else (name, family)


def family_of(name: str) -> str:
    """The family of a member; a seme without an index is its own."""
    return name.partition("[")[0] + "[" if "[" in name else name
