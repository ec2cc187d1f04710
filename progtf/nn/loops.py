"""Blocks that run again and again, each text until it is done."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from progtf.nn.affine import columns
from progtf.nn.bare import Bare
from progtf.nn.derived import Derived
from progtf.nn.hooks import observed
from progtf.nn.leaving import Leaving
from progtf.nn.points import UNSEEN, Unseen, points_of
from progtf.nn.transformer import Block, Kept, Memory, MemoryPresent, Past, Recall, Stack

Residual = Float[Tensor, "batch pos d_model"]
Present = Bool[Tensor, "batch pos"]
UP = 0.5


@dataclass(frozen=True)
class Columns:
    """The columns of a residual by which a loop goes on.

    Attributes:
        until: read after every round: above 1/2 at one token of a text, it ends.
        unfinished: becomes 1 at every token of a text, or place, that has not come to its end.
        resets: those that are 0 when a round begins.
        asked: each must be above 1/2 at some token of a text, or it is done before the first round.
    """

    until: int
    unfinished: int
    resets: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()


class Loop(Block):
    """Blocks that run in turn, again and again, until a column says that it is enough.

    A text stops as a whole, and leaves the batch as it is then (`Leaving`): what becomes of a text
    does not depend on the others. A graph compiler, which cannot ask, has all rounds, and a mask.

    Args:
        blocks: what runs in one round.
        most: how many rounds there are at most.
        told: the columns that are read and set between rounds.
        none: a text ends where ``until`` is above 1/2 at no token.

    Shapes:
        residual  batch pos d_model
        returns   batch pos d_model
    """

    loops = True
    resets: Int[Tensor, " column"]
    unfinished: Int[Tensor, " column"]

    def __init__(self, blocks: Sequence[Block], most: int, told: Columns, *, none: bool) -> None:
        super().__init__()
        self.round = Stack(blocks)
        self.most, self.none, self.told = most, none, told
        self._changed: Derived[Int[Tensor, " column"] | None] = Derived()
        for name, chosen in (("resets", told.resets), ("unfinished", (told.unfinished,))):
            index = torch.tensor(chosen, dtype=torch.long)
            self.register_buffer(name, index, persistent=False)

    @property
    def causal(self) -> bool:
        return False

    def asks(self) -> Int[Tensor, " column"]:
        """The columns by which it goes on."""
        return self.resets.new_tensor([self.told.until, *self.told.asked])

    def forward(
        self,
        residual: Residual,
        present: Present | None = None,
        recall: Recall | None = None,  # noqa: ARG002  of decoders, as below
        kept: Kept | None = None,  # noqa: ARG002
        *,
        in_place: bool = False,
        points: Unseen = UNSEEN,
        going: Present | None = None,  # noqa: ARG002  no loop stands in a loop
    ) -> Residual:
        """All positions of all texts, each as its last round leaves it; nothing is kept.

        Args:
            residual: of these positions.
            present: False at padding, where nobody reads the flag.
            recall: none, for such a loop is no part of a decoder.
            kept: none, as before.
            in_place: whether the residual itself may be changed.
            points: where somebody looks at what stands before the first round and behind the last.
            going: none, for no loop stands in a loop.
        """
        residual = points.residual("hook_resid_pre", residual)
        if torch.compiler.is_compiling():
            n_blocks = len(self.round.blocks)
            rounds = Rounds(None, n_blocks)
            return self._masked(residual, present, present, [None] * n_blocks, rounds)
        batch, own = residual.shape[0], self.round.bare(residual)
        residual = residual if own is None or in_place else residual.clone()
        texts, fresh = Leaving(residual, self._writes(own)), in_place
        for turn in range(self.most + 1):
            ends = ~self._going(residual, present, first=turn == 0)[:, 0]
            if not texts.leave(ends, residual):
                break
            residual, present = texts.others(residual, present)
            if turn == self.most:
                residual = residual.index_fill(-1, self.unfinished, 1.0)
            else:
                for seen in points_of(self.round).values():
                    seen.texts, seen.batch, seen.turn = texts.texts, batch, turn
                fresh = fresh or len(residual) < batch
                residual, fresh = self._once(residual, present, own, fresh=fresh), True
        residual = texts.all(residual, in_place=own is not None)
        return points.residual("hook_resid_post", residual)

    def _once(
        self,
        residual: Residual,
        present: Present | None,
        own: Sequence[Bare] | None,
        *,
        fresh: bool,
    ) -> Residual:
        """One round; ``fresh``: nobody else looks at the residual."""
        if own is not None:
            stream = own[0].stream(residual)
            if stream is not None:
                stream.columns.index_fill_(0, self.resets, 0.0)
                for each in own:
                    each.change(stream, present, None, None)
                return residual
        if len(self.resets) and fresh and not observed(self):
            columns(residual).index_fill_(0, self.resets, 0.0)
        elif len(self.resets):
            residual, fresh = residual.index_fill(-1, self.resets, 0.0), True
        return self.round(residual, present, fresh=fresh)

    def _writes(self, own: Sequence[Bare] | None) -> Int[Tensor, " column"] | None:
        """The columns that change between the first round and the last; None: it may be any."""
        return None if own is None else self._changed.of(self, partial(self._columns, own))

    def _columns(self, own: Sequence[Bare]) -> Int[Tensor, " column"] | None:
        writes = [each for block in own for each in block.writes]
        known = [each for each in writes if each is not None]
        if len(known) < len(writes):
            return None
        return torch.cat([self.resets, self.unfinished, *known]).unique()

    def _going(self, residual: Residual, present: Present | None, *, first: bool) -> Present:
        """Which places run another round; ``first``: before any."""
        if first:
            asked = [self._flag(residual, column, present) for column in self.told.asked]
            there = torch.ones(residual.shape[:2], dtype=torch.bool, device=residual.device)
            return torch.stack([there, *asked]).all(dim=0)
        up = self._flag(residual, self.told.until, present)
        return up if self.none else ~up

    def _flag(self, residual: Residual, column: int, present: Present | None) -> Present:
        """At which places a flag is heard of: in all of a text if one of its tokens has it."""
        flag = self._up(residual, column, present)
        return flag.any(dim=-1, keepdim=True).expand_as(flag)

    def _up(self, residual: Residual, column: int, present: Present | None) -> Present:
        """At which places a flag is up."""
        flag = residual.select(-1, column) > UP
        return flag if present is None else flag & present

    def _masked(
        self,
        residual: Residual,
        present: Present | None,
        shown: Present | None,
        recalls: Sequence[Recall | None],
        rounds: "Rounds",
    ) -> Residual:
        """Rounds of all places, of which those that have stopped stay as they are.

        Args:
            residual: of these positions.
            present: False at padding.
            shown: what blocks are told of padding.
            recalls: what cross-attention may read.
            rounds: keys and values of past positions.
        """
        going = self._going(residual, present, first=True)
        for turn in range(self.most):
            looks = points_of(self.round)
            seen = turn == 0 and len(looks) > 0  # who looks on hears of each position
            if not torch.compiler.is_compiling() and not seen and not going.any():
                break
            for points in looks.values():
                points.shows(going, turn)
            begun = residual.index_fill(-1, self.resets, 0.0).where(going[..., None], residual)
            residual = self.round.turn(begun, shown, recalls, rounds.every(turn), going)
            going = going & self._going(residual, present, first=False)
        if rounds.kept is not None:
            rounds.close([block.offered(residual) for block in self.round])
        marked = residual.index_fill(-1, self.unfinished, 1.0)
        return marked.where(going[..., None], residual)


class CausalLoop(Loop):
    """Such a loop in a decoder: each place stops by itself, for what follows it is not there yet.

    A place that has stopped stays as it is, and so do its keys and values for all later rounds. So
    it is the same whether positions are computed at once or one by one.
    """

    @property
    def causal(self) -> bool:
        return all(block.causal for block in self.round)

    def forward(
        self,
        residual: Residual,
        present: Present | None = None,
        recall: Any = None,
        kept: Kept | None = None,
        *,
        in_place: bool = False,  # noqa: ARG002  what stays is needed
        points: Unseen = UNSEEN,
        going: Present | None = None,  # noqa: ARG002  no loop stands in a loop
    ) -> Residual:
        """All positions at once, or the next ones behind those that are ``kept``, round by round.

        Args:
            residual: of these positions.
            present: False at padding among them, which runs no round.
            recall: what the cross-attention of each block may read.
            kept: of every round the keys and values of past positions, block by block.
            in_place: whether the residual itself may be changed, which it is not.
            points: where somebody looks at what stands before the first round and behind the last.
            going: none, for no loop stands in a loop.
        """
        residual = points.residual("hook_resid_pre", residual)
        n_blocks = len(self.round.blocks)
        self.round.go_on(0 if kept is None else kept.first)
        recalls = recall.blocks if isinstance(recall, Recalls) else [None] * n_blocks
        rounds = Rounds(kept, n_blocks)
        residual = self._masked(residual, present, None, recalls, rounds)
        return points.residual("hook_resid_post", residual)

    def recall(  # type: ignore[override]
        self, memory: Memory, present: MemoryPresent | None, points: Unseen = UNSEEN
    ) -> "Recalls":
        """What each block of a round may read of the encoder's output."""
        del points  # of this block, which looks nowhere itself
        for seen in points_of(self.round).values():
            seen.shows()
        return Recalls(self.round.recalls(memory, present))

    def _going(self, residual: Residual, present: Present | None, *, first: bool) -> Present:
        """Which places run another round; padding runs none."""
        going = super()._going(residual, present, first=first)
        return going if present is None else going & present

    def _flag(self, residual: Residual, column: int, present: Present | None) -> Present:
        """At which places a flag is up."""
        del present
        return self._up(residual, column, None)


class Recalls(NamedTuple):
    """What the blocks of a loop may read of the encoder's output."""

    blocks: tuple[Recall, ...]

    def packed(self) -> "Recalls":
        """The same; those of blocks are laid out already."""
        return self


class Rounds:
    """Keys and values of past positions, round by round; the last ones stand for all later rounds.

    Args:
        kept: those of past positions, and room for those of all; none: nothing is kept.
        n_blocks: how many blocks a round has.
    """

    def __init__(self, kept: Kept | None, n_blocks: int) -> None:
        self.kept, self.n_blocks = kept, n_blocks
        self.now: list[list[Kept]] = []

    def every(self, turn: int) -> Sequence[Kept | None]:
        """Those of a round, block by block."""
        if self.kept is None:
            return [None] * self.n_blocks
        before = self.kept.past
        past = before[min(turn, len(before) - 1)] if before else ((),) * self.n_blocks
        self.now.append([Kept(each) for each in past])
        return self.now[-1]

    def close(self, offered: Sequence[Past]) -> None:
        """Puts what is offered when all have stopped into all later rounds."""
        assert self.kept is not None
        for turn in range(len(self.now), max(len(self.kept.past), len(self.now) + 1)):
            for kept, each in zip(self.every(turn), offered, strict=True):
                assert kept is not None
                kept.then(each)
        self.kept.past = tuple(tuple(each.past for each in row) for row in self.now)
