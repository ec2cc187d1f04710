"""Bindings: how what a head reads is bound to its role before the output map (Eq. 6)."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor

Filler = Float[Tensor, "batch head dst d_filler"]
Role = Float[Tensor, "batch head dst d_role"]
Bound = Float[Tensor, "batch head dst d_bound"]


@runtime_checkable
class Binding(Protocol):
    """Binds fillers to roles; says how wide roles and results are for a given filler."""

    def d_role(self, d_filler: int) -> int: ...

    def d_bound(self, d_filler: int) -> int: ...

    def __call__(self, filler: Filler, role: Role) -> Bound: ...


@dataclass(frozen=True, slots=True)
class Hadamard:
    """``filler * role``, the diagonal of the tensor product: the TP-Transformer (Eq. 6)."""

    def d_role(self, d_filler: int) -> int:
        return d_filler

    def d_bound(self, d_filler: int) -> int:
        return d_filler

    def __call__(self, filler: Filler, role: Role) -> Bound:
        return role * filler  # laid out as roles are, which the output map then reads as they lie


@dataclass(frozen=True, slots=True)
class Unbound:
    """The filler alone: a standard Transformer. There is no role to compute."""

    def d_role(self, d_filler: int) -> int:
        del d_filler
        return 0

    def d_bound(self, d_filler: int) -> int:
        return d_filler

    def __call__(self, filler: Filler, role: Role) -> Bound:
        del role
        return filler


@dataclass(frozen=True, slots=True)
class Outer:
    """The full tensor product filler ⊗ role, contracted by the output map (appendix A).

    The output map has ``size`` times the entries of `Hadamard`'s: as a tensor,
    ``head d_filler d_role d_model``. With 8 heads of 64 at width 512 that is 16.8 M weights a
    layer in place of 0.26 M, and as many multiplications a position.
    """

    size: int

    def d_role(self, d_filler: int) -> int:
        del d_filler
        return self.size

    def d_bound(self, d_filler: int) -> int:
        return d_filler * self.size

    def __call__(self, filler: Filler, role: Role) -> Bound:
        product = einsum(
            filler, role, "batch head dst filler, batch head dst role -> batch head dst filler role"
        )
        return rearrange(product, "batch head dst filler role -> batch head dst (filler role)")
