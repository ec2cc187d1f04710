"""All heads of a sublayer at once, one step of their computation after the other.

What `HeadGroups` computes group by group: the same calls, so that between any two of them somebody
may look at all heads.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jaxtyping import Bool, Float
from torch import Tensor

from progtf.nn.affine import apart
from progtf.nn.attention import HeadGroups, Residual
from progtf.nn.cache import KeysValues
from progtf.nn.patterns import Shares

ByHead = Float[Tensor, "batch _heads _pos _d"]
Present = Bool[Tensor, "batch src"]
Update = Float[Tensor, "batch dst d_out"]


class Lockstep:
    """The heads of a sublayer for one residual; every list has an element a group of like sizes.

    Args:
        heads: of the sublayer.
        residual: of the readers.
        offered: keys and values.
        present: False where the source is padding.
    """

    def __init__(
        self, heads: HeadGroups, residual: Residual, offered: Sequence[KeysValues],
        present: Present | None,
    ) -> None:  # fmt: skip
        self.groups, self.offered, self.present = list(heads), offered, present
        self.device, self.parts, self.columns = residual.device, [], []
        for group in self.groups:
            with group.precision(self.device):
                for part, columns in group.asked(residual):
                    self.parts.append((group.precision, part))
                    self.columns.append(columns)

    def asked(self) -> tuple[list[ByHead], list[ByHead]]:
        """Queries and roles."""
        pairs = [p.asked(c) for (_, p), c in zip(self.parts, self.columns, strict=True)]
        return [query for query, _ in pairs], [role for _, role in pairs]

    def found(self, queries: Sequence[ByHead]) -> list[ByHead]:
        """What is retrieved."""
        return self._each(
            lambda part, query, given: part.found(query, given, self.present), queries, self.offered
        )

    def shares(self, queries: Sequence[ByHead]) -> list[Shares]:
        """How readers divide their attention."""
        return self._each(
            lambda part, query, given: part.pattern.shares(
                query.to(given.key.dtype), given.key, self.present
            ),
            queries,
            self.offered,
        )

    def retrieved(self, shares: Sequence[Shares]) -> list[ByHead]:
        """What is retrieved where attention is divided so."""
        return self._each(
            lambda part, share, given: part.pattern.retrieved(share, given.value, self.present),
            shares,
            self.offered,
        )

    def bound(self, fillers: Sequence[ByHead], roles: Sequence[ByHead]) -> list[ByHead]:
        """What was retrieved, bound to roles (Eq. 6)."""
        return self._each(lambda part, *both: part.binding(*both), fillers, roles)

    def updates(self, bound: Sequence[ByHead]) -> tuple[Update, ...]:
        """The update of every attention."""
        triples = zip(self.parts, bound, self.columns, strict=True)
        beside = [part.beside(each, apart=apart(c)) for (_, part), each, c in triples]
        updates: list[Tensor] = []
        for group in self.groups:
            own, beside = beside[: len(group.heads)], beside[len(group.heads) :]
            with group.precision(self.device):
                updates.append(group.written(own))
        return tuple(updates)

    def _each(self, compute: Callable[..., Any], *given: Sequence[Any]) -> list[Any]:
        """A step of every group, in its number format."""
        found: list[Any] = []
        for (precision, part), *own in zip(self.parts, *given, strict=True):
            with precision(self.device):
                found.append(compute(part, *own))
        return found
