"""Whether an equation says something new about the unknowns, whatever the numbers of the text are.

What tokens come to is kept as a linear form of the unknowns, with a drawn stand-in for each number
and constant. Forms that depend on each other for all numbers do so for these; that others do, by
chance, has probability 0 (Schwartz 1980), and 2⁻³⁰ or so in float64.
"""

from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from progtf.equality import compared
from progtf.nn.expressions import ExpressionSymbols

UNKNOWNS = 3
"""More are not looked at: what they come to is not linear."""
_SAME = 1e-9
_PLUS, _MINUS, _TIMES = range(3)
Options = Float[Tensor, "batch option form"]


@compared
class Forms(NamedTuple):
    """What the tokens of answers come to.

    Shapes:
        results  batch token form       coefficients of unknowns, and what is added; NaN: not linear
        said     batch unknown unknown  coefficients of the equations, orthonormal, then 0
    """

    results: Float[Tensor, "batch token form"]
    said: Float[Tensor, "batch unknown unknown"]

    @classmethod
    def none(cls, batch: int, device: torch.device) -> "Forms":
        """Before the first token."""
        options = {"dtype": torch.float64, "device": device}
        said = torch.zeros(batch, UNKNOWNS, UNKNOWNS, **options)
        return cls(torch.empty(batch, 0, UNKNOWNS + 1, **options), said)


def then(symbols: ExpressionSymbols, forms: Forms, token: Int[Tensor, "batch 3"]) -> Forms:
    """With one more token; tokens that are none, such as the end, come to nothing linear."""
    operator, options = token[:, :1], _options(symbols, forms)
    left, right = (_at(options, token[:, part] - symbols.nothing) for part in (1, 2))
    found = _combined(symbols, operator, left, right)[:, 0]
    place = forms.results.shape[1]
    if place < UNKNOWNS:
        unknown = found.new_zeros(UNKNOWNS + 1)
        unknown[place] = 1
        found = torch.where(operator == symbols.new, unknown, found)
    news = _news(forms.said, found[:, None, :-1])[:, 0]
    size = news.norm(dim=-1, keepdim=True)
    closes = (operator == symbols.equals) & (
        size > _SAME * found[:, :-1].norm(dim=-1, keepdim=True)
    )
    last = torch.where(closes, news / size, 0.0)
    free = (forms.said == 0).all(dim=-1).long().argmax(dim=-1)
    room = torch.nn.functional.one_hot(free, UNKNOWNS)[..., None] * last[:, None]
    return Forms(torch.cat([forms.results, found[:, None]], dim=1), forms.said + room)


def says_nothing(
    symbols: ExpressionSymbols, forms: Forms, left: Int[Tensor, " batch"]
) -> Bool[Tensor, "batch operand"]:
    """Which right sides of an equation with this left one would say nothing new.

    A system with such an equation has no solution, or many, whatever the numbers of the text are.
    """
    options = _options(symbols, forms)[..., :-1]
    form = _at(options, left - symbols.nothing) - options
    return _news(forms.said, form).norm(dim=-1) <= _SAME * form.norm(dim=-1)


def _options(symbols: ExpressionSymbols, forms: Forms) -> Options:
    """The forms of all operands, from ``nothing`` on."""
    batch, known, _ = forms.results.shape
    fixed = _stand_ins(symbols.constants + symbols.numbers)
    later = forms.results.new_full((batch, symbols.results - known, UNKNOWNS + 1), torch.nan)
    return torch.cat([fixed.to(later.device).expand(batch, -1, -1), forms.results, later], dim=1)


@cache
def _stand_ins(count: int) -> Float[Tensor, "option form"]:
    """Nothing, which is not linear, then values in place of constants and numbers."""
    drawn = torch.Generator().manual_seed(1)
    found = torch.zeros(1 + count, UNKNOWNS + 1, dtype=torch.float64, device="cpu")
    found[1:, -1] = 1 + torch.rand(count, generator=drawn, dtype=torch.float64, device="cpu")
    found[0] = torch.nan
    return found


def _at(options: Options, place: Int[Tensor, " batch"]) -> Float[Tensor, "batch 1 form"]:
    """The operand at each row's place; what is no operand is not linear."""
    row = torch.arange(len(options), device=options.device)
    return options[row, place.clamp(min=0)][:, None]


def _combined(
    symbols: ExpressionSymbols, operator: Int[Tensor, "batch 1"], left: Options, right: Options
) -> Options:
    """What an operator makes of its operands; an equation is the difference of its sides."""
    factor, other = left[..., -1:], right[..., -1:]
    bare_left, bare_right = ((side[..., :-1] == 0).all(-1, keepdim=True) for side in (left, right))
    divided = torch.where(bare_right, left / other, torch.nan)
    times = torch.where(bare_left, right * factor, torch.where(bare_right, left * other, torch.nan))
    kind = (operator - symbols.arithmetic[0])[..., None]
    kind = kind.masked_fill((operator == symbols.equals)[..., None], _MINUS)
    found = torch.where(kind == _TIMES, times, divided)
    found = torch.where(kind == _MINUS, left - right, found)
    return torch.where(kind == _PLUS, left + right, found)


def _news(
    said: Float[Tensor, "batch unknown unknown"], form: Float[Tensor, "batch option unknown"]
) -> Float[Tensor, "batch option unknown"]:
    """What is left of coefficients without those of the equations before."""
    return form - form @ said.mT @ said
