"""Beam decoding of anything that can start and step."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from einops import rearrange, repeat
from jaxtyping import Bool, Float, Int
from torch import Tensor

from progtf.equality import compared
from progtf.nn.decoding import (
    FEW,
    PUBLISHED_SYMBOLS,
    Decodable,
    Source,
    Symbols,
    select_rows,
)

Answers = Int[Tensor, "batch step"]
Row = Int[Tensor, " row"]
Gain = Float[Tensor, "row symbol"]
Refused = Callable[[Any], Bool[Tensor, "row symbol"] | None]
_LAST = 1e6
"""What a refused symbol costs: it comes behind all others."""


@compared
class Beams(NamedTuple):
    """Beginnings of answers; each question has ``width`` rows, the likeliest first."""

    tokens: Int[Tensor, "row step"]
    score: Float[Tensor, " row"]
    ended: Bool[Tensor, " row"]


@torch.no_grad()
def beam(
    model: Decodable,
    source: Source,
    n_steps: int,
    width: int,
    symbols: Symbols = PUBLISHED_SYMBOLS,
    *,
    refused: Refused | None = None,
) -> Answers:
    """The likeliest answer found by ``width`` beams, up to and with the end symbol, then padding.

    Scores are sums of log-probabilities in float64, without a length penalty: a question is done,
    and sooner or later dropped, when its best beam has ended, since the others can only lose. One
    beam is greedy.

    Args:
        model: that writes.
        source: what it answers.
        n_steps: the longest answer.
        width: beams a question.
        symbols: the ids that decoding must know.
        refused: of the state behind a step, which symbols may not come: a beam that ends in one is
            behind all others, and what is refused makes the others no likelier.

    Shapes:
        returns  batch n_steps
    """
    if width < 1:
        raise ValueError(f"beam decoding needs at least 1 beam; got {width}")
    answers = source.new_full((source.shape[0], n_steps), symbols.pad)
    question = torch.arange(source.shape[0], device=source.device)
    beams = _first(source, width, symbols.start)
    state = select_rows(model.start(source), repeat(question, "q -> (q beam)", beam=width))
    for step in range(n_steps):
        beams, state = _step(model, beams, state, width, symbols, refused)
        answers[question, : step + 1] = beams.tokens[::width, 1:]
        going = (~beams.ended[::width]).nonzero().squeeze(-1)
        if not len(going):
            break
        if len(question) - len(going) >= len(question) * FEW:
            question = question[going]
            rows = (going[:, None] * width + torch.arange(width, device=going.device)).flatten()
            beams, state = select_rows((beams, state), rows)
    return answers


@torch.no_grad()
def all_beams(
    model: Decodable,
    source: Source,
    n_steps: int,
    width: int,
    symbols: Symbols = PUBLISHED_SYMBOLS,
    *,
    refused: Refused | None = None,
) -> tuple[Int[Tensor, "beam step"], Float[Tensor, " beam"]]:
    """Every beam of one question, as long as none of them goes on, with its score.

    The first is the answer of `beam`, which stops there; the others are those it was chosen from.
    The arguments are the same; those beams that have not ended after ``n_steps`` are left out.

    Shapes:
        source   1 src
        returns  beam step, and sums of log-probabilities
    """
    beams, state = _first(source, width, symbols.start), model.start(source)
    state = select_rows(state, torch.zeros(width, dtype=torch.long, device=source.device))
    for _ in range(n_steps):
        beams, state = _step(model, beams, state, width, symbols, refused)
        if beams.ended.all():
            break
    whole = beams.ended & beams.score.isfinite()
    return beams.tokens[whole, 1:], beams.score[whole]


def _step(
    model: Decodable,
    beams: Beams,
    state: Any,
    width: int,
    symbols: Symbols,
    refused: Refused | None,
) -> tuple[Beams, Any]:
    """Beams that are one symbol longer, and where that leaves the model."""
    logits, state = model.step(beams.tokens[:, -1], state)
    gain = logits.double().log_softmax(dim=-1)
    if refused is not None and (wrong := refused(state)) is not None:
        gain = gain - _LAST * wrong
    beams, origin = _grown(beams, gain, width, symbols)
    return beams, select_rows(state, origin, alike=True)


def _first(source: Source, width: int, start: int) -> Beams:
    """Only the first beam counts at first, lest all find the same."""
    n_rows = source.shape[0] * width
    score = torch.full((n_rows,), -torch.inf, dtype=torch.float64, device=source.device)
    score[::width] = 0
    ended = torch.zeros_like(score, dtype=torch.bool)
    return Beams(source.new_full((n_rows, 1), start), score, ended)


def _grown(beams: Beams, gain: Gain, width: int, symbols: Symbols) -> tuple[Beams, Row]:
    """The best continuations by one symbol, of all beams of a question, and whose they are."""
    score, origin, symbol = _best(beams, gain, width, symbols.pad)
    kept: Beams = select_rows(beams, origin)
    tokens = torch.cat([kept.tokens, rearrange(symbol, "row -> row 1")], dim=-1)
    return Beams(tokens, score, kept.ended | symbols.ends(symbol)), origin


def _best(beams: Beams, gain: Gain, width: int, pad: int) -> tuple[Float[Tensor, " row"], Row, Row]:
    """Scores, rows they come from and symbols; an ended beam goes on with padding, for nothing."""
    at_rest = torch.full_like(gain[0], -torch.inf)
    at_rest[pad] = 0
    gain = torch.where(rearrange(beams.ended, "row -> row 1"), at_rest, gain)
    total = rearrange(beams.score, "row -> row 1") + gain
    by_question = rearrange(total, "(question beam) symbol -> question (beam symbol)", beam=width)
    score, place = by_question.topk(width)
    question = torch.arange(place.shape[0], device=place.device)
    origin = rearrange(question * width, "question -> question 1") + place // gain.shape[-1]
    return score.flatten(), origin.flatten(), (place % gain.shape[-1]).flatten()
