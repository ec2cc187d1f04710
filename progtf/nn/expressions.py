"""The symbols of expressions, three a token, and which may come next."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.nn import functional

Operators = Int[Tensor, "batch token"]
Operands = Int[Tensor, "batch token 2"]

PARTS = 3
"""Symbols of a token: an operator, and two operands."""


@dataclass(frozen=True, slots=True)
class ExpressionSymbols:
    """Ids of the symbols that expressions are written with; operands lie in a row.

    Attributes:
        end: the symbol behind the last token.
        new: the operator that brings an unknown; it has no operands.
        equals: the operator that closes an equation; nothing may point at its result.
        arithmetic: the first of the other operators, and the one behind the last; they are
            + - * /, as far as there are any.
        nothing: what stands in place of an operand where there is none.
        constants: how many there are, from ``nothing + 1`` on.
        numbers: how many numbers of a text can be pointed at, behind the constants.
        results: how many earlier tokens can be pointed at, behind the numbers.
    """

    end: int
    new: int
    equals: int
    arithmetic: tuple[int, int]
    nothing: int
    constants: int
    numbers: int
    results: int

    @property
    def count(self) -> int:
        """How many ids there are, those of the specials with them."""
        return self.first_result + self.results

    @property
    def operands(self) -> int:
        """How many operands there are, ``nothing`` with them."""
        return self.count - self.nothing

    @property
    def first_number(self) -> int:
        """The id of the text's first number."""
        return self.nothing + 1 + self.constants

    @property
    def first_result(self) -> int:
        """The id of the first token's result."""
        return self.first_number + self.numbers

    def takes_operands(self, operator: Operators) -> Bool[Tensor, "batch token"]:
        """Where an operator has operands."""
        first, last = self.arithmetic
        return (operator == self.equals) | ((operator >= first) & (operator < last))


def pointable(symbols: ExpressionSymbols, operators: Operators) -> Bool[Tensor, "batch token"]:
    """Whether later tokens may point at a token: at unknowns, and at what was computed."""
    is_value = symbols.takes_operands(operators) & (operators != symbols.equals)
    return is_value | (operators == symbols.new)


def operators_next(
    symbols: ExpressionSymbols, operators: Operators, operands: Operands, *, rules: bool
) -> Bool[Tensor, "batch step symbol"]:
    """Which operators may follow each beginning of an answer, the empty one first.

    Unknowns come first, at least one; the end comes behind an equation. With ``rules``, the end
    comes when there are as many equations as unknowns, and nothing else does then; all unknowns but
    one have been pointed at before the last equation.

    Shapes:
        operators  batch token
        operands   batch token 2
        returns    batch step symbol  one step more than tokens
    """
    allowed = operators.new_zeros(len(operators), operators.shape[1] + 1, symbols.count).bool()
    is_new, is_equals = operators == symbols.new, operators == symbols.equals
    allowed[:, 0, symbols.new] = True
    allowed[:, 1:, symbols.new] = is_new
    for first, last in (symbols.arithmetic, (symbols.equals, symbols.equals + 1)):
        allowed[:, 1:, first:last] = True
    allowed[:, 1:, symbols.end] = is_equals
    if rules:
        unknowns, equations = is_new.cumsum(dim=1), is_equals.cumsum(dim=1)
        done = is_equals & (equations >= unknowns)
        allowed[:, 1:][done] = False
        allowed[:, 1:, symbols.end] = done
        unused = unknowns - _unknowns_used(symbols, operands, is_new)
        too_soon = (equations + 1 == unknowns) & (unused > 1)
        allowed[:, 1:, symbols.equals] &= ~too_soon
    return allowed


def leaves_out(
    symbols: ExpressionSymbols, operators: Operators, operands: Operands
) -> Bool[Tensor, "batch operand"]:
    """Which right sides of the equation that closes an answer leave an unknown unused.

    Shapes:
        operators  batch token
        operands   batch token 2  the very last is not written yet
        returns    batch operand  from ``nothing`` on
    """
    is_new, is_equals = operators == symbols.new, operators == symbols.equals
    unused = is_new & ~_used(symbols, operands)[:, -1]
    room = symbols.first_result - symbols.nothing, symbols.results - unused.shape[1]
    others = unused.sum(dim=1, keepdim=True) - functional.pad(unused.long(), room)
    return (is_equals.sum(dim=1) >= is_new.sum(dim=1))[:, None] & (others > 0)


def _unknowns_used(
    symbols: ExpressionSymbols, operands: Operands, is_new: Bool[Tensor, "batch token"]
) -> Int[Tensor, "batch token"]:
    """How many unknowns have been pointed at, up to each token."""
    return (_used(symbols, operands) & is_new[:, None, :]).sum(dim=-1)


def _used(symbols: ExpressionSymbols, operands: Operands) -> Bool[Tensor, "batch token result"]:
    """Which tokens have been pointed at, up to each token."""
    places = symbols.first_result + torch.arange(operands.shape[1], device=operands.device)
    return (operands[..., None] == places).any(dim=2).cumsum(dim=1) > 0
