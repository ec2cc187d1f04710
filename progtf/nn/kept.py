"""What was computed at points, kept by name."""

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from progtf.nn.points import Hook, copied


class Recorder:
    """Keeps what is shown at points, without a copy; a run that begins anew replaces the last.

    Attributes:
        seen: by name, one entry a call: a decoder that writes is called once a step, a loop once a
            round.
    """

    def __init__(self) -> None:
        self.seen: dict[str, list[tuple[Hook, Tensor]]] = {}

    def keep(self, tensor: Tensor, hook: Hook) -> None:
        """What a function at a point does."""
        if hook.first == 0 and hook.turn == 0:
            self.seen[hook.name] = []
        self.seen[hook.name].append((hook, tensor))


class Cache(Mapping[str, Tensor]):
    """Tensors by the names of points, and by all other names that they have.

    The steps of a decoder follow one another along the axis of positions; a pattern has 0 where a
    step could not look yet. What stands in a loop has one more axis, the rounds, before all others,
    and NaN where a text, or a place of a decoder, had left the loop.
    """

    def __init__(self, recorder: Recorder, found: Callable[[str], tuple[str, Any, Any]]) -> None:
        self._seen, self._found = recorder.seen, found
        self._joined: dict[str, Tensor] = {}
        self._given: dict[str, Tensor] = {}

    def __getitem__(self, name: str) -> Tensor:
        """What was computed: an ordinary tensor of its own, whatever is written into others.

        Where gradients were asked for it is the one that was computed with.

        Raises:
            KeyError: for what was not computed, or not kept.
            ValueError: for a name that is none.
        """
        if name not in self._given:
            point, _, read = self._found(name)
            if point not in self._seen:
                raise KeyError(f"`{name}` was not kept: it was not asked for, or not computed")
            if point not in self._joined:
                self._joined[point] = _joined(self._seen[point])
            found = read(self._joined[point])
            self._given[name] = (
                found if found.requires_grad else copied(found, torch.contiguous_format)
            )
        return self._given[name]

    def __iter__(self) -> Iterator[str]:
        """The names of points."""
        return iter(self._seen)

    def __len__(self) -> int:
        return len(self._seen)

    def __repr__(self) -> str:
        return f"<Cache of {len(self)} points>"


def _joined(calls: list[tuple[Hook, Tensor]]) -> Tensor:
    """One tensor of all calls in a run: those of a step are rounds, steps follow one another."""
    each = [list(step) for _, step in groupby(calls, key=lambda call: call[0].first)]
    parts = [_rounds(step) if step[0][0].texts is not None else step[0][1] for step in each]
    if len(parts) == 1:
        return parts[0]
    first, (deepest, widest) = calls[0][0], (max(part.shape[a] for part in parts) for a in (0, -1))
    axis, rounds = _places(first), first.texts is not None
    if first.axes[-1] == "src":
        parts = [functional.pad(part, (0, widest - part.shape[-1])) for part in parts]
        parts = [part.masked_fill(part[..., :1].isnan(), torch.nan) for part in parts]
    if rounds:
        unseen = ((0, 0) * (part.ndim - 1) + (0, deepest - len(part)) for part in parts)
        parts = [functional.pad(p, n, value=torch.nan) for p, n in zip(parts, unseen, strict=True)]
    return torch.cat(parts, dim=axis + rounds)


def _places(hook: Hook) -> int:
    """The axis of positions."""
    return next(number for number, name in enumerate(hook.axes) if name in ("pos", "dst"))


def _rounds(calls: list[tuple[Hook, Tensor]]) -> Tensor:
    hook, tensor = calls[0]
    found = tensor.new_full((len(calls), hook.batch, *tensor.shape[1:]), torch.nan)
    for number, (hook, tensor) in enumerate(calls):
        found[number, hook.texts] = tensor
        if hook.going is not None:
            here = found[number].movedim(_places(hook), 1)
            here[~hook.going] = torch.nan
    return found
