"""Keys and values: computed once, kept while decoding."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from progtf.equality import compared

Positions = Float[Tensor, "batch head src d"]
Later = Float[Tensor, "batch head new d"]
All = Float[Tensor, "batch head all d"]
_SPARE = 16


class Room:
    """Memory with space behind the positions in it, so that the next ones cost no copy.

    ``filled`` counts the positions written. Who holds just these may go on in place; anyone else
    copies, so that no state ever sees its own positions change.
    """

    def __init__(self, held: Positions, n_spare: int) -> None:
        batch, head, n_held, d = held.shape
        self.memory = held.new_empty(batch, head, n_held + n_spare, d)
        self.filled = 0
        self.append(held)

    def goes_on_from(self, held: Positions, n_later: int) -> bool:
        """Whether ``held`` is what is in here, with space for ``n_later`` more."""
        return (
            self.filled == held.shape[-2]
            and self.memory.data_ptr() == held.data_ptr()
            and self.filled + n_later <= self.memory.shape[-2]
        )

    def append(self, later: Later) -> All:
        """All positions, those of ``later`` last."""
        end = self.filled + later.shape[-2]
        self.memory[..., self.filled : end, :] = later
        self.filled = end
        return self.memory[..., :end, :]


@compared
class KeysValues(NamedTuple):
    """What a group of heads has to offer at the source positions."""

    key: Float[Tensor, "batch head src d_key"]
    value: Float[Tensor, "batch head src d_filler"]
    rooms: tuple["Room", "Room"] | None = None

    def packed(self) -> "KeysValues":
        """The same head by head in memory, which pays when many steps read it."""
        return KeysValues(self.key.contiguous(), self.value.contiguous())

    def back(self, n_positions: int) -> "KeysValues":
        """Without the last positions, which nobody needs any more: others may take their room."""
        for room in self.rooms or ():
            room.filled -= n_positions
        return KeysValues(
            self.key[..., :-n_positions, :], self.value[..., :-n_positions, :], self.rooms
        )

    def then(self, later: "KeysValues") -> "KeysValues":
        """These positions followed by ``later`` ones."""
        if torch.is_grad_enabled():
            key = torch.cat([self.key, later.key], dim=-2)
            return KeysValues(key, torch.cat([self.value, later.value], dim=-2))
        key, key_room = _append(self.key, later.key, self.rooms and self.rooms[0])
        value, value_room = _append(self.value, later.value, self.rooms and self.rooms[1])
        return KeysValues(key, value, (key_room, value_room))


def _append(held: Positions, later: Later, room: Room | None) -> tuple[All, Room]:
    n_later = later.shape[-2]
    if room is None or not room.goes_on_from(held, n_later):
        room = Room(held, held.shape[-2] + n_later + _SPARE)
    return room.append(later), room
