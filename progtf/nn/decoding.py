"""Greedy decoding of anything that can start and step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.equality import compared
from progtf.nn.guess import Guess
from progtf.nn.hooks import watched

State = tuple[Any, ...]
Source = Int[Tensor, "batch src"]
Prompt = Int[Tensor, "batch given"]
Tokens = Int[Tensor, "batch step"]
Row = Int[Tensor, " row"]
Logits = Float[Tensor, "row symbol"]

FIRST = 8
"""Steps that are computed together at first, where that can be, of many texts."""
TOGETHER = 24
"""Steps of all texts that take hardly longer together than one."""
MOST = 48
"""So many that one text may take where some of them may be wrong."""
FEW = 1 / 8
"""Rows that have ended are dropped when they are such a share of all: others are copied then."""


@runtime_checkable
class Decodable(Protocol):
    """A model that writes one symbol at a time.

    Its state is a nest of tuples whose tensors have the batch as their first axis, so that rows
    can be dropped and reordered from outside (`select_rows`).
    """

    def start(self, source: Source) -> State:
        """One pass over the encoder, if there is one."""
        ...

    def step(self, tokens: Row, state: Any) -> tuple[Logits, State]:
        """Logits of the symbol after ``tokens``, one a row, and where that leaves us."""
        ...


class Foreseen(Decodable, Protocol):
    """A model that takes several steps together, and can go back."""

    def steps(self, tokens: Tokens, state: Any) -> tuple[Tokens, State]:
        """The likeliest symbols after each of ``tokens``, and where that leaves us."""
        ...

    def back(self, state: Any, n_steps: int) -> State:
        """Where so many of the last steps were not taken; the state that is given is given up."""
        ...


@dataclass(frozen=True, slots=True)
class Symbols:
    """The ids that decoding must know; with ``end`` None nothing ends before its time."""

    pad: int = 1
    start: int = 2
    end: int | None = 3

    def ends(self, tokens: Int[Tensor, "*row"]) -> Bool[Tensor, "*row"]:
        """Where an end symbol stands."""
        if self.end is None:
            return torch.zeros_like(tokens, dtype=torch.bool)
        return tokens == self.end

    def behind_end(self, tokens: Tokens) -> Bool[Tensor, "batch step"]:
        """Where the first end symbol of a row stands before."""
        ends = self.ends(tokens)
        return ends.cumsum(dim=1) > ends.long()


PUBLISHED_SYMBOLS = Symbols()


@compared
@dataclass(frozen=True, slots=True)
class Later:
    """A state whose rows are selected when it is needed, since several steps pass before."""

    state: Any
    rows: Row | None = None

    def now(self) -> Any:
        """The state of the rows that were selected."""
        return self.state if self.rows is None else select_rows(self.state, self.rows)


def select_rows(state: Any, rows: Row, *, alike: bool = False) -> Any:
    """The state of the chosen rows, in the order given.

    With ``alike``, each row is that of another answer to the same question, so that a part of the
    state that says ``of_question`` is the same for both.
    """
    match state:
        case Tensor():
            return state.index_select(0, rows)
        case tuple() if alike and getattr(state, "of_question", False):
            return state
        case Later():
            return Later(state.state, rows if state.rows is None else state.rows[rows])
        case tuple():
            parts = [select_rows(part, rows, alike=alike) for part in state]
            return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
        case _:
            return state


def greedy(
    model: Decodable,
    source: Source,
    n_steps: int,
    symbols: Symbols = PUBLISHED_SYMBOLS,
    *,
    drop: bool = True,
) -> Tokens:
    """The likeliest symbol at each step, up to and with the end symbol, then padding.

    Finished rows read padding until there are some to drop; with ``drop`` False, to the end.

    Shapes:
        returns  batch n_steps
    """
    prompt = source.new_full((source.shape[0], 1), symbols.start)
    return _written(model, source, prompt, n_steps, symbols, drop=drop)[:, 1:]


def continue_greedily(
    model: Decodable,
    prompt: Prompt,
    n_steps: int,
    symbols: Symbols = PUBLISHED_SYMBOLS,
    *,
    drop: bool = True,
) -> Tokens:
    """Prompts and what the model makes of them: for models without an encoder.

    Prompts are padded at the end; each is continued from where it ends.

    Shapes:
        returns  batch step  those given and n_steps more
    """
    return _written(model, prompt, prompt, n_steps, symbols, drop=drop)


def _written(
    model: Decodable, source: Source, prompt: Prompt, n_steps: int, symbols: Symbols, *, drop: bool
) -> Tokens:
    room = prompt.new_full((prompt.shape[0], n_steps), symbols.pad)
    tokens = torch.cat([prompt, room], dim=1)
    looked_at = not drop or (isinstance(model, nn.Module) and watched(model))
    with torch.no_grad() if looked_at else torch.inference_mode():  # of whose tensors none is kept
        _fill(tokens, model, model.start(source), symbols, drop=drop)
    return tokens


def _fill(tokens: Tokens, model: Decodable, state: State, symbols: Symbols, *, drop: bool) -> None:
    """Writes over the padding of ``tokens``; ``rows`` are those still under way."""
    rows = torch.arange(tokens.shape[0], device=tokens.device)
    ended = torch.zeros_like(rows, dtype=torch.bool)
    n_given = int((tokens != symbols.pad).any(dim=0).sum())
    last = tokens[:, 0]
    n_ended = 0
    for now in range(1, tokens.shape[1]):
        logits, state = model.step(last, state)
        last, ends = _likeliest(logits, tokens[rows, now] if now < n_given else None, symbols)
        if n_ended:
            last = last.masked_fill(ended, symbols.pad)
        tokens[rows, now] = last
        ended = ended | ends
        n_ended = int(ended.sum())
        if n_ended == len(rows):
            break
        if drop and n_ended and n_ended >= len(rows) * FEW:
            going = (~ended).nonzero().squeeze(-1)
            rows, last, ended, state = select_rows((rows, last, ended, state), going)
            n_ended = 0


def at_once(
    model: Foreseen,
    source: Source,
    n_steps: int,
    symbols: Symbols,
    alike: Sequence[int],
    heard: Sequence[int] = (),
) -> Tokens:
    """What ``greedy`` gives, of a model to which most of the symbols that it writes look alike.

    Several steps are computed together, few at first, as most answers are short. They read what may
    have been written: what followed its like in this answer before, or anything. All is as it is
    step by step, up to the first symbol that does not look like what was read in its place. There
    one text goes on; the rest of several is written step by step.

    Args:
        model: what it writes next depends on what its symbols look like.
        source: what it answers.
        n_steps: the longest answer.
        symbols: the ids that decoding must know.
        alike: of each symbol that it can write a number, the same for all that look alike.
        heard: the symbols of a text, where answers may look like what is asked.

    Shapes:
        returns  batch n_steps
    """
    said: list[list[int]] = [[] for _ in range(source.shape[0])]
    with torch.inference_mode():  # nobody looks on, who could keep a tensor
        _say(said, model, source, n_steps, symbols, Guess(alike, symbols.end, heard))
    return _padded(said, n_steps, symbols.pad).to(source.device)


def _say(
    said: list[list[int]],
    model: Foreseen,
    source: Source,
    n_steps: int,
    symbols: Symbols,
    guess: Guess,
) -> None:
    """Puts what is written behind what was said, line by line."""
    state, first = model.start(source), 0
    together = MOST if guess.parts else TOGETHER
    size, rows = max(FIRST, together // max(1, len(said))), list(range(len(said)))
    last = [symbols.start for _ in said]
    while first < n_steps and rows:
        if guess.failed and len(rows) > 1:
            rest = source.new_full((len(rows), 1 + n_steps - first), symbols.pad)
            rest[:, 0] = source.new_tensor(last)
            _fill(rest, model, state, symbols, drop=True)
            for row, line in zip(rows, rest[:, 1:].tolist(), strict=True):
                said[row] += line
            break
        given = guess.next(last, min(size, n_steps - first))
        found, state = model.steps(source.new_tensor(given), state)
        written = found.tolist()
        count = guess.check(given, written)
        state = model.back(state, len(given[0]) - count) if count < len(given[0]) else state
        for row, line in zip(rows, written, strict=True):
            said[row] += _ended(line[:count], symbols.end)
        going = [place for place, line in enumerate(written) if symbols.end not in line[:count]]
        first, size = first + count, max(size, MOST) if guess.failed else 2 * size
        last = [written[place][count - 1] for place in going]
        if 0 < len(going) < len(rows):
            state = select_rows(state, source.new_tensor(going))
        rows = [rows[place] for place in going]


def _ended(line: list[int], end: int | None) -> list[int]:
    """Symbols up to and with the first end."""
    return line[: line.index(end) + 1] if end in line else line


def _padded(lines: list[list[int]], length: int, pad: int) -> Tokens:
    """Lines as rows of one length."""
    rows = np.full((len(lines), length), pad)
    for row, line in zip(rows, lines, strict=True):
        row[: len(line)] = line
    return torch.from_numpy(rows)


def _likeliest(
    logits: Logits, given: Row | None, symbols: Symbols
) -> tuple[Row, Bool[Tensor, " row"]]:
    """The likeliest symbols, or those that a prompt gives, and where the answer is at its end."""
    likeliest = logits.argmax(dim=-1)
    if given is None:
        return likeliest, symbols.ends(likeliest)
    is_open = given == symbols.pad
    return torch.where(is_open, likeliest, given), symbols.ends(likeliest) & is_open
