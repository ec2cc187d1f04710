"""Recurrent cells that bind a symbol to a role at every word, in both directions.

Palangi, Smolensky, He and Deng 2018 ("Question-Answering with Grammatically-Interpretable
Representations", arXiv 1705.08432) put one in place of the LSTM of BiDAF's phrase layer; an earlier
note of theirs has it beside an LSTM. Equation numbers are the note's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.equality import compared
from progtf.nn.recurrent import scan
from progtf.nn.text_encoders import moved, turned

Inputs = Float[Tensor, "batch pos d_in"]
Real = Bool[Tensor, "batch pos"]
Written = Float[Tensor, "batch pos written"]
Rows = Float[Tensor, "row d_driven"]
Trace = Float[Tensor, "row d_trace"]
Penalty = Literal["published", "note"]
STEEPEST = 0.1
"""Of the gradient of a mean loss by one number of a state; usual ones stay below 0.05."""


@dataclass(frozen=True)
class TensorShape:
    """How many symbols and roles there are, how wide each is; published: 100, 20, 10, 10.

    Attributes:
        written: how many of the roles are told and not computed; the first ones.
    """

    symbols: int = 100
    roles: int = 20
    d_symbol: int = 10
    d_role: int = 10
    written: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.written < self.roles:
            raise ValueError(f"{self.written} of {self.roles} roles cannot be written")

    @property
    def d_tensor(self) -> int:
        """Numbers of vec(T)."""
        return self.d_symbol * self.d_role

    @property
    def attended(self) -> int:
        """Attentions that are computed."""
        return self.symbols + self.roles - self.written


@compared
class TensorProducts(NamedTuple):
    """What a cell gives at every word.

    Shapes:
        outputs  batch pos d_out                two directions side by side
        symbols  batch pos direction symbol     a_F: how much of each symbol is there
        roles    batch pos direction role       a_R: written ones first
    """

    outputs: Float[Tensor, "batch pos d_out"]
    symbols: Float[Tensor, "batch pos direction symbol"]
    roles: Float[Tensor, "batch pos direction role"]


class _Bounded(torch.autograd.Function):
    """A state as it is; no number of its gradient is beyond a bound."""

    @staticmethod
    def forward(ctx: Any, state: Tensor, steepest: float) -> Tensor:
        ctx.steepest = steepest
        return state.view_as(state)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (gradient,) = gradients
        return gradient.clamp(-ctx.steepest, ctx.steepest), None


class _BothWays(nn.Module):
    """The scan of a cell from left to right and from right to left, as one loop.

    Each direction has weights of its own. Padding is behind each row in both directions. T is a
    product and has no gate, so that gradients can grow without end along a passage: those of a
    state by the next are bounded (as by Graves 2013, arXiv 1308.0850).

    Attributes:
        steepest: the bound.

    Args:
        d_in: of inputs.
        shape: of symbols and roles.
        d_hidden: numbers of the state before vec(T).
        gates: numbers that are computed before the attentions.
    """

    def __init__(self, d_in: int, shape: TensorShape, d_hidden: int = 0, gates: int = 0) -> None:
        super().__init__()
        self.shape, self.d_hidden, self.gates = shape, d_hidden, gates
        self.steepest = STEEPEST
        self.d_state = d_hidden + shape.d_tensor
        width = gates + shape.attended
        self.inputs = nn.Parameter(torch.empty(2, d_in, width))
        self.recurrent = nn.Parameter(torch.empty(2, self.d_state, width))
        self.bias = nn.Parameter(torch.zeros(2, width))
        self.symbol_vectors = _drawn(shape.symbols, shape.d_symbol)
        self.role_vectors = _drawn(shape.roles, shape.d_role)
        bound = (d_in + self.d_state) ** -0.5
        for weight in (self.inputs, self.recurrent):
            nn.init.uniform_(weight, -bound, bound)

    def forward(self, inputs: Inputs, real: Real, written: Written | None = None) -> TensorProducts:
        """``real`` is False at padding, where outputs mean nothing; ``written`` tells some roles.

        Raises:
            ValueError: if other roles are told than are written.
        """
        told = inputs.new_zeros(*real.shape, 0) if written is None else written
        if told.shape[-1] != self.shape.written:
            raise ValueError(f"{told.shape[-1]} roles are told, {self.shape.written} are written")
        turn = turned(real)
        driven = torch.cat([self._driven(_both(inputs, turn)), _both(told, turn)], dim=-1)
        first = driven.new_zeros(2 * len(real), self._d_trace)
        there, back = scan(self._cell(), driven.flatten(0, 1), first).chunk(2)
        trace = torch.stack([there, moved(back, turn)], dim=2)[..., : self.d_state + self.attended]
        sizes = self.d_state, self.shape.symbols, self.attended - self.shape.symbols
        state, symbols, roles = trace.split(sizes, dim=-1)
        both = told[:, :, None].expand(-1, -1, 2, -1)
        return TensorProducts(state.flatten(2), symbols, torch.cat([both, roles], dim=-1))

    @property
    def attended(self) -> int:
        """Attentions that are computed."""
        return self.shape.attended

    @property
    def _d_trace(self) -> int:
        """The state, vec(T) its last part; attentions; what a cell remembers beside them."""
        return self.d_state + self.attended + self.d_hidden

    def _driven(
        self, both: Float[Tensor, "direction batch pos d_in"]
    ) -> Float[Tensor, "direction batch pos gate"]:
        """What the inputs ask for, at all positions at once."""
        rows = torch.baddbmm(self.bias[:, None], both.flatten(1, 2), self.inputs)
        return rows.unflatten(1, both.shape[1:3])

    def _cell(self) -> Callable[[Rows, Trace], Trace]:
        """One word further: equations 1.1, 1.2 and 1.3 in both directions."""
        vectors, width = self._vectors(), self.gates + self.attended
        sizes = [self.shape.d_symbol, self.shape.d_role]

        def cell(row: Rows, trace: Trace) -> Trace:
            driven, before = row.unflatten(0, (2, -1)), trace.unflatten(0, (2, -1))
            asked, told = driven[..., :width], driven[..., width:]
            state = _Bounded.apply(before[..., : self.d_state], self.steepest)
            asked = torch.baddbmm(asked, state, self.recurrent)
            attended = asked[..., self.gates :].sigmoid()
            bound = torch.bmm(torch.cat([told, attended], dim=-1), vectors)
            symbol, role = bound.split(sizes, dim=-1)
            tensor = (symbol[..., :, None] * role[..., None, :]).flatten(-2)
            hidden, memory = self._hidden(asked, before)
            return torch.cat([*hidden, tensor, attended, *memory], dim=-1).flatten(0, 1)

        return cell

    def _hidden(self, asked: Tensor, before: Tensor) -> tuple[tuple[Tensor, ...], ...]:
        """The hidden state and the memory of an LSTM beside vec(T), if there is one."""
        del asked, before
        return (), ()

    def _vectors(self) -> Float[Tensor, "direction entry d_bound"]:
        """From written roles, symbols, other roles to a symbol's vector beside a role's."""
        written = self.shape.written
        symbols = functional.pad(self.symbol_vectors, (0, self.shape.d_role))
        roles = functional.pad(self.role_vectors, (self.shape.d_symbol, 0))
        return torch.cat([roles[:, :written], symbols, roles[:, written:]], dim=1)


class TPRCell(_BothWays):
    """T_t = (F a_F)(R a_R)ᵀ, with attentions a = sigmoid(W x_t + U vec(T_{t-1}) + b).

    The state is vec(T), and so is the output (the published ``TPRCell``); there is no gate.

    Shapes:
        inputs   batch pos d_in
        real     batch pos
        written  batch pos written
        returns  outputs: batch pos 2·d_symbol·d_role, and both attentions
    """

    def __init__(self, d_in: int, shape: TensorShape) -> None:
        super().__init__(d_in, shape)


class TPRLSTMCell(_BothWays):
    """The note's cell: T beside an LSTM, each of which reads the other (equations 1.1 to 1.3).

    Gates and attentions read [x_t; h_{t-1}; vec(T_{t-1})]; the output is [h_t; vec(T_t)].

    Shapes:
        inputs   batch pos d_in
        real     batch pos
        written  batch pos written
        returns  outputs: batch pos 2·(d_hidden + d_symbol·d_role), and both attentions
    """

    def __init__(self, d_in: int, d_hidden: int, shape: TensorShape) -> None:
        super().__init__(d_in, shape, d_hidden, 4 * d_hidden)
        nn.init.constant_(self.bias[:, d_hidden : 2 * d_hidden], 1.0)  # nothing is forgotten yet

    def _hidden(self, asked: Tensor, before: Tensor) -> tuple[tuple[Tensor, ...], ...]:
        opened = asked[..., : 3 * self.d_hidden].sigmoid()
        take, keep, show = opened.chunk(3, dim=-1)
        new = asked[..., 3 * self.d_hidden : self.gates].tanh()
        memory = keep * before[..., -self.d_hidden :] + take * new
        return (show * memory.tanh(),), (memory,)


def sparsity(
    attention: Float[Tensor, "batch pos direction entry"], real: Real, form: Penalty = "published"
) -> Float[Tensor, " batch"]:
    """How far attentions are from choosing one entry each, summed over words and directions.

    Σ_k a²(1−a)² + (Σ_k a² − 1)², as the published code has it; equation 1.4 of the ``note`` has
    a²(1−a²)² in the first sum. Both are 0 at one-hot attentions alone.
    """
    square = attention.square()
    apart = (1 - (attention if form == "published" else square)).square()
    several = (square.sum(dim=-1) - 1).square()
    each = (square * apart).sum(dim=-1) + several
    return (each.sum(dim=-1) * real).sum(dim=-1)


def _drawn(entries: int, d: int) -> nn.Parameter:
    """A vector for each entry, in both directions, drawn as by Glorot and Bengio 2010 (eq. 16).

    T is a product of sums over entries that begin half present: with entries of size 1 it begins
    at several, and a training that reads it does not get over that.
    """
    bound = (6 / (entries + d)) ** 0.5
    return nn.Parameter(torch.empty(2, entries, d).uniform_(-bound, bound))


def _both(rows: Float[Tensor, "batch pos d"], turn: Tensor) -> Tensor:
    """Rows as they are, and in reverse."""
    return torch.stack([rows, moved(rows, turn)])
