"""Blocks that run again and again, each text until it is done."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from progtf.nn.affine import apart, beside, columns
from progtf.nn.points import UNSEEN, Unseen
from progtf.nn.transformer import Block, Kept, Recall, Stack

Residual = Float[Tensor, "batch pos d_model"]
Present = Bool[Tensor, "batch pos"]
Texts = Int[Tensor, " text"]
UP = 0.5


@dataclass(frozen=True)
class Columns:
    """The columns of a residual by which a loop goes on.

    Attributes:
        until: read after every round: above 1/2 at one token of a text, it ends.
        unfinished: becomes 1 at every token of a text that has not come to its end.
        resets: those that are 0 when a round begins.
        asked: each must be above 1/2 at some token of a text, or it is done before the first round.
    """

    until: int
    unfinished: int
    resets: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()


class Loop(Block):
    """Blocks that run in turn, again and again, until a column says that it is enough.

    A text stops as a whole, and the batch goes on without it: what becomes of a text does not
    depend on the others.

    Args:
        blocks: what runs in one round.
        most: how many rounds there are at most.
        told: the columns that are read and set between rounds.
        none: a text ends where ``until`` is above 1/2 at no token.

    Shapes:
        residual  batch pos d_model
        returns   batch pos d_model
    """

    resets: Int[Tensor, " column"]
    unfinished: Int[Tensor, " column"]

    def __init__(self, blocks: Sequence[Block], most: int, told: Columns, *, none: bool) -> None:
        super().__init__()
        self.round = Stack(blocks)
        self.most, self.none, self.told = most, none, told
        for name, chosen in (("resets", told.resets), ("unfinished", (told.unfinished,))):
            index = torch.tensor(chosen, dtype=torch.long)
            self.register_buffer(name, index, persistent=False)

    def forward(
        self,
        residual: Residual,
        present: Present | None = None,
        recall: Recall | None = None,  # noqa: ARG002  of decoders, as below
        kept: Kept | None = None,  # noqa: ARG002
        *,
        in_place: bool = False,
        points: Unseen = UNSEEN,
    ) -> Residual:
        """All positions of all texts, each as its last round leaves it; nothing is kept.

        Args:
            residual: of these positions.
            present: False at padding, where nobody reads the flag.
            recall: none, for a loop is no part of a decoder.
            kept: none, as before.
            in_place: whether the residual itself may be changed.
            points: where somebody looks at what stands before the first round and behind the last.
        """
        residual = points.residual("hook_resid_pre", residual)
        batch = residual.shape[0]
        going = torch.arange(batch, device=residual.device)
        done: list[tuple[Texts, Residual]] = []
        for turn in range(self.most + 1):
            ends = self._ends(residual, present) if turn else self._idle(residual, present)
            if ends.all():
                break
            if ends.any():
                stop, on = ends.nonzero()[:, 0], (~ends).nonzero()[:, 0]
                done.append((going[stop], chosen(residual, stop)))
                going, residual = going[on], chosen(residual, on)
                present = None if present is None else present[on]
            if turn == self.most:
                residual = residual.index_fill(-1, self.unfinished, 1.0)
            else:
                fresh = in_place or len(done) > 0 or turn > 0
                for seen in self.round.points.values():
                    seen.texts, seen.batch, seen.turn = going, batch, turn
                residual = self._once(residual, present, fresh=fresh)
        residual = joined([*done, (going, residual)]) if done else residual
        return points.residual("hook_resid_post", residual)

    def _once(self, residual: Residual, present: Present | None, *, fresh: bool) -> Residual:
        """One round; ``fresh``: nobody else looks at the residual."""
        if len(self.resets):
            residual, fresh = residual.index_fill(-1, self.resets, 0.0), True
        return self.round(residual, present, fresh=fresh)

    def _idle(self, residual: Residual, present: Present | None) -> Bool[Tensor, " batch"]:
        """Which texts are done before the first round."""
        asking = torch.ones(len(residual), dtype=torch.bool, device=residual.device)
        for column in self.told.asked:
            asking &= _somewhere(residual, column, present)
        return ~asking

    def _ends(self, residual: Residual, present: Present | None) -> Bool[Tensor, " batch"]:
        """Which texts are done after a round."""
        some = _somewhere(residual, self.told.until, present)
        return ~some if self.none else some


def _somewhere(residual: Residual, column: int, present: Present | None) -> Bool[Tensor, " batch"]:
    """Which texts have a flag at one of their tokens."""
    flag = residual[..., column] > UP
    return (flag if present is None else flag & present).any(dim=-1)


def chosen(residual: Residual, texts: Texts) -> Float[Tensor, "text pos d_model"]:
    """Some texts of a batch; columns that lie apart still do."""
    if not apart(residual):
        return residual.index_select(0, texts)
    return beside(columns(residual).index_select(1, texts))


def joined(parts: Sequence[tuple[Tensor, Tensor]]) -> Residual:
    """Texts that were done at different times, in their order."""
    order = torch.cat([number for number, _ in parts]).argsort()
    some = [residual for _, residual in parts]
    if not all(map(apart, some)):
        return torch.cat(some).index_select(0, order)
    return beside(torch.cat([columns(each) for each in some], dim=1).index_select(1, order))
