"""What was computed at points, kept by name."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from progtf.nn.points import Hook, copied

Places = int | slice | Sequence[int] | Tensor | None
"""Positions: one, which takes the axis away, several, or all of them."""
GRAD = "_grad"


class Recorder:
    """Keeps what is shown at points, without a copy; a run that begins anew replaces the last.

    Args:
        device: where it is put; None: where it was computed.
        gradients: what is shown shall have gradients (`differentiate`).

    Attributes:
        seen: by name, one entry a call: a decoder that writes is called once a step, a loop once a
            round.
    """

    def __init__(
        self, device: torch.device | str | None = None, *, gradients: bool = False
    ) -> None:
        self.device, self.gradients = device, gradients
        self.seen: dict[str, list[tuple[Hook, Tensor]]] = {}

    def keep(self, tensor: Tensor, hook: Hook) -> Tensor | None:
        """What a function at a point does."""
        if hook.first == 0 and hook.turn == 0:
            self.seen[hook.name] = []
        if self.gradients and not tensor.requires_grad:
            tensor = tensor.detach().requires_grad_()
        put = self.device is not None and not self.gradients
        self.seen[hook.name].append((hook, tensor.to(self.device) if put else tensor))
        return tensor if self.gradients else None

    def differentiate(self, number: Any) -> None:
        """Keeps the gradient of a number at all that was shown, 0 where it does not depend on it.

        Raises:
            ValueError: if it is not one number.
        """
        if not isinstance(number, Tensor) or number.numel() != 1:
            shape = tuple(number.shape) if isinstance(number, Tensor) else repr(number)
            due = "one number is due: give a function that makes it of what is answered"
            raise ValueError(f"incl_bwd: {shape} is to be differentiated, and {due}")
        calls = [(name, *call) for name, some in self.seen.items() for call in some]
        tensors, found = [tensor for *_, tensor in calls], [None] * len(calls)
        if tensors and number.requires_grad:
            found = torch.autograd.grad(number.sum(), tensors, allow_unused=True)
        self.seen = {}
        for (name, hook, tensor), gradient in zip(calls, found, strict=True):
            both = tensor.detach(), torch.zeros_like(tensor) if gradient is None else gradient
            for key, each in zip((name, f"{name}{GRAD}"), both, strict=True):
                self.seen.setdefault(key, []).append((hook, each.to(self.device or each.device)))


class Cache(Mapping[str, Tensor]):
    """Tensors by the names of points, and by all other names that they have.

    The steps of a decoder follow one another along the axis of positions; a pattern has 0 where a
    step could not look yet. What stands in a loop has one more axis, the rounds, before all others,
    and NaN where a text, or a place of a decoder, had left the loop.

    Args:
        recorder: that kept them.
        found: what a name stands for.
        hooks: all names with their axes.
        places: which positions it has.
        alone: without the axis of texts, of which there is one.
    """

    def __init__(
        self, recorder: Recorder, found: Callable[[str], tuple[str, Any, Any]],
        hooks: Callable[[], Mapping[str, Hook]], places: Places = None, *, alone: bool = False,
    ) -> None:  # fmt: skip
        self._seen, self._found, self._places, self._alone = recorder.seen, found, places, alone
        self._hooks = hooks() if alone or places is not None else {}
        self._joined: dict[str, Tensor] = {}
        self._given: dict[str, Tensor] = {}
        batches = {_batch(*calls[0]) for calls in self._seen.values()}
        if alone and batches - {1}:
            raise ValueError(f"remove_batch_dim: {max(batches)} texts are given, and one is due")

    def __getitem__(self, name: str) -> Tensor:
        """What was computed: an ordinary tensor of its own, whatever is written into others.

        Where gradients were asked for it is the one that was computed with.

        Raises:
            KeyError: for what was not computed, or not kept.
            ValueError: for a name that is none.
        """
        if name not in self._given:
            plain = name.removesuffix(GRAD)
            point, _, read = self._found(plain)
            point += name[len(plain) :]
            if point not in self._seen:
                raise KeyError(f"`{name}` was not kept: it was not asked for, or not computed")
            if point not in self._joined:
                self._joined[point] = _joined(self._seen[point])
            found = self._cut(plain, read(self._joined[point]))
            self._given[name] = (
                found if found.requires_grad else copied(found, torch.contiguous_format)
            )
        return self._given[name]

    def _cut(self, name: str, tensor: Tensor) -> Tensor:
        """The positions that are wanted, and perhaps the one text."""
        if self._hooks:
            axes = self._hooks[name].axes
            more = tensor.dim() - len(axes)  # rounds
            axis = more + next(n for n, each in enumerate(axes) if each in ("pos", "dst"))
            match self._places:
                case None:
                    pass
                case int():
                    tensor = tensor.select(axis, self._places)
                case slice():
                    tensor = tensor[(slice(None),) * axis + (self._places,)]
                case _:
                    places = torch.as_tensor(self._places, dtype=torch.long, device=tensor.device)
                    places = places.where(places >= 0, places + tensor.shape[axis])
                    tensor = tensor.index_select(axis, places)
            tensor = tensor.select(more, 0) if self._alone else tensor
        return tensor

    def __iter__(self) -> Iterator[str]:
        """The names of points."""
        return iter(self._seen)

    def __len__(self) -> int:
        return len(self._seen)

    def __repr__(self) -> str:
        return f"<Cache of {len(self)} points>"


def _batch(hook: Hook, tensor: Tensor) -> int:
    """How many texts there are."""
    return hook.batch if hook.texts is not None else tensor.shape[0]


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
