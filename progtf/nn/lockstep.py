"""All heads of a sublayer at once, one step of their computation after the other.

What `HeadGroups` computes group by group: the same calls, so that between any two of them somebody
may look at all heads.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from progtf.nn.affine import apart
from progtf.nn.attention import HeadGroups, Heads, Residual, RoleAttention
from progtf.nn.cache import KeysValues
from progtf.nn.enclosed import enclosed
from progtf.nn.patterns import Shares

if TYPE_CHECKING:
    from progtf.nn.precision import Precision

ByHead = Float[Tensor, "batch _heads _pos _d"]
Present = Bool[Tensor, "batch src"]
Update = Float[Tensor, "batch dst d_out"]


class Lockstep:
    """The heads of a sublayer for one residual; every list has an element a group of like sizes.

    `run` calls their modules one within the other, so that torch's hooks on each enclose all steps.

    Args:
        heads: of the sublayer.
        device: where they compute.
    """

    def __init__(self, heads: HeadGroups, device: torch.device) -> None:
        self.heads, self.device = heads, device
        self.parts: list[tuple[Precision, Heads]] = []
        self.columns: list[Tensor] = []
        self.offered: list[KeysValues] = []
        self.presents: list[Present | None] = []
        self.bounds: list[ByHead] = []

    def run(
        self,
        residual: Residual,
        offered: Sequence[KeysValues],
        present: Present | None,
        steps: Callable[["Lockstep"], list[ByHead]],
    ) -> tuple[Update, ...]:
        """The update of every attention.

        Args:
            residual: of the readers.
            offered: keys and values.
            present: False where the source is padding.
            steps: from queries to what is bound, of all heads.
        """

        def compute(
            residual: Residual, offered: Sequence[KeysValues], present: Present | None = None
        ) -> tuple[Update, ...]:
            updates: list[Update] = []
            self._enter([*self.heads], residual, list(offered), present, steps, updates)
            return tuple(reversed(updates))

        return enclosed(self.heads, compute, residual, offered, present)

    def _enter(
        self,
        groups: list[RoleAttention],
        residual: Residual,
        offered: list[KeysValues],
        present: Present | None,
        steps: Callable[["Lockstep"], list[ByHead]],
        updates: list[Update],
    ) -> None:
        """Calls the first group, and within it all others, with the steps innermost."""
        if not groups:
            self.bounds = steps(self)
            return
        group, *others = groups
        own, rest = offered[: len(group.heads)], offered[len(group.heads) :]

        def compute(
            seen: Residual, given: Sequence[KeysValues], real: Present | None = None
        ) -> Update:
            with group.precision(self.device):
                parts = list(group.asked(seen))

            def then() -> None:
                self._enter(others, residual, rest, present, steps, updates)

            bound: list[Tensor] = []
            self._enter_parts(group, parts, list(given), real, then, bound)
            with group.precision(self.device):
                return group.written(bound[::-1])

        updates.append(enclosed(group, compute, residual, tuple(own), present))

    def _enter_parts(
        self,
        group: RoleAttention,
        parts: list[tuple[Heads, Tensor]],
        offered: list[KeysValues],
        present: Present | None,
        then: Callable[[], None],
        bound: list[Tensor],
    ) -> None:
        """Calls the first heads of a group, and within them all others."""
        if not parts:
            then()
            return
        (part, columns), *others = parts
        place = len(self.parts)

        def compute(
            columns: Tensor, keys_values: KeysValues, present: Present | None = None
        ) -> Tensor:
            self.parts.append((group.precision, part))
            self.columns.append(columns)
            self.offered.append(keys_values)
            self.presents.append(present)
            self._enter_parts(group, others, offered[1:], real, then, bound)
            return part.beside(self.bounds[place], apart=apart(columns))

        real = present
        bound.append(enclosed(part, compute, columns, offered[0], present))

    def asked(self) -> tuple[list[ByHead], list[ByHead]]:
        """Queries and roles."""
        pairs = [p.asked(c) for (_, p), c in zip(self.parts, self.columns, strict=True)]
        return [query for query, _ in pairs], [role for _, role in pairs]

    def found(self, queries: Sequence[ByHead]) -> list[ByHead]:
        """What is retrieved."""
        return self._each(
            lambda part, *given: part.found(*given), queries, self.offered, self.presents
        )

    def shares(self, queries: Sequence[ByHead]) -> list[Shares]:
        """How readers divide their attention."""
        return self._each(
            lambda part, query, given, present: part.pattern.shares(
                query.to(given.key.dtype), given.key, present
            ),
            queries,
            self.offered,
            self.presents,
        )

    def retrieved(self, shares: Sequence[Shares]) -> list[ByHead]:
        """What is retrieved where attention is divided so."""
        return self._each(
            lambda part, share, given, present: part.pattern.retrieved(share, given.value, present),
            shares,
            self.offered,
            self.presents,
        )

    def bound(self, fillers: Sequence[ByHead], roles: Sequence[ByHead]) -> list[ByHead]:
        """What was retrieved, bound to roles (Eq. 6)."""
        return self._each(lambda part, *both: part.binding(*both), fillers, roles)

    def _each(self, compute: Callable[..., Any], *given: Sequence[Any]) -> list[Any]:
        """A step of every group, in its number format."""
        found: list[Any] = []
        for (precision, part), *own in zip(self.parts, *given, strict=True):
            with precision(self.device):
                found.append(compute(part, *own))
        return found
