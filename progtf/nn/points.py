"""Where one can look at what a block computes, and change it, by the names of TransformerLens.

A block asks its points at every place that has a name. `UNSEEN` hands on what was computed.
`Points` show it: what heads compute, side by side, is then joined to one tensor, and parted again.
What nobody changes goes on as it was computed, bit by bit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from operator import is_
from threading import get_ident
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.equality import compared
from progtf.nn.attention import HeadGroups
from progtf.nn.cache import KeysValues
from progtf.nn.enclosed import enclosed
from progtf.nn.hooks import aside
from progtf.nn.lockstep import Lockstep
from progtf.nn.patterns import Shares
from progtf.nn.watching import Watch, watches

Offered = tuple[KeysValues, ...]
Parts = list[Tensor]
Going = Bool[Tensor, "batch pos"]
Function = Callable[..., Tensor | None]
"""Gets a tensor and ``hook=``, gives what shall stand in its place, or None."""


@compared
@dataclass(frozen=True)
class Hook:
    """What a function is called for.

    Attributes:
        name: of the point.
        axes: the axes of its tensor.
        heads: what the heads along the axis ``head`` are called; none: they have no names.
        first: the place of the first position; a decoder that writes shows one position a step.
        texts: which texts of a batch are shown, in a loop that the others have left; None: all.
        batch: how many texts the batch has, in a loop.
        turn: how often the loop has begun anew.
        going: in a loop of a decoder the places that run this round, of these; what is computed at
            others is left out.
    """

    name: str
    axes: tuple[str, ...]
    heads: tuple[str, ...] = ()
    first: int = 0
    texts: Int[Tensor, " text"] | None = None
    batch: int = 0
    turn: int = 0
    going: Bool[Tensor, "batch pos"] | None = None


@dataclass(frozen=True)
class Look:
    """A function at a point; ``keeps``: it changes nothing, so that it is shown no copy."""

    function: Function
    keeps: bool = False


class Placed(NamedTuple):
    """A function at a point of a stack.

    Attributes:
        number: of the block: blocks that run several times are one module.
        local: the name of the point within its block.
        hook: what stands there.
        look: the function.
    """

    number: int
    local: str
    hook: Hook
    look: Look


class Unseen:
    """The points of a block at which nobody looks."""

    def goes_on(self, first: int) -> None:
        """Told where the positions begin that are computed now."""
        del first

    def residual(self, name: str, residual: Tensor, going: Going | None = None) -> Tensor:
        """The residual, at a point; nobody changes it at places that a loop has left."""
        del name, going
        return residual

    def offered(self, side: str, offered: Offered, going: Going | None = None) -> Offered:
        """Keys and values, of ``attn`` or of ``cross``; those of such places stay, too."""
        del side, going
        return offered

    def attend(
        self, side: str, heads: HeadGroups, residual: Tensor, offered: Offered,
        present: Tensor | None,
    ) -> tuple[Tensor, ...]:  # fmt: skip
        """The updates of heads."""
        del side
        return heads(residual, offered, present)

    def rules(self, layer: nn.Module, residual: Tensor) -> Tensor | tuple[Tensor, ...]:
        """The update of hidden units, or the updates of written and of learned ones."""
        return layer(residual)


UNSEEN = Unseen()


@dataclass(eq=False)
class Points(Unseen):
    """The points of a block at which somebody looks.

    Attributes:
        hooks: what stands at each point, by its name within the block.
        looks: the functions there.
        first: the place of the first of the positions that are computed now.
        texts, batch, turn, going: as of hooks.
    """

    hooks: Mapping[str, Hook]
    looks: Mapping[str, Sequence[Look]]
    first: int = 0
    texts: Tensor | None = field(default=None, repr=False)
    batch: int = 0
    turn: int = 0
    going: Tensor | None = field(default=None, repr=False)

    def shows(self, going: Tensor | None = None, turn: int = 0) -> None:
        """Told which places of all texts run a round; or that what follows is of no round."""
        self.going, self.turn, self.texts = going, turn, None
        if going is not None:
            self.texts, self.batch = torch.arange(len(going), device=going.device), len(going)

    def wants(self, side: str) -> bool:
        """Whether somebody looks at what heads, or hidden units, compute."""
        return any(name.startswith(f"{side}.") for name in self.looks)

    def goes_on(self, first: int) -> None:
        self.first = first

    def residual(self, name: str, residual: Tensor, going: Going | None = None) -> Tensor:
        return _only(going, self._seen(name, [residual], _first, _alone)[0], residual)

    def offered(self, side: str, offered: Offered, going: Going | None = None) -> Offered:
        key = self._by_head(f"{side}.hook_k", [each.key for each in offered])
        value = self._by_head(f"{side}.hook_v", [each.value for each in offered])
        pairs = zip(offered, key, value, strict=True)
        here = None if going is None else going[:, None]
        return tuple(
            each
            if each.key is k and each.value is v
            else KeysValues(_only(here, k, each.key), _only(here, v, each.value))
            for each, k, v in pairs
        )

    def attend(
        self, side: str, heads: HeadGroups, residual: Tensor, offered: Offered,
        present: Tensor | None,
    ) -> tuple[Tensor, ...]:  # fmt: skip
        if not self.wants(side):
            return heads(residual, offered, present)

        def steps(given: Lockstep) -> Parts:
            query, role = given.asked()
            query = self._by_head(f"{side}.hook_q", query)
            role = self._by_head(f"{side}.hook_role", role)
            filler = self._by_head(f"{side}.hook_z", self._found(side, given, query))
            return self._by_head(f"{side}.hook_bound", given.bound(filler, role))

        return Lockstep(heads, residual.device).run(residual, offered, present, steps)

    def rules(self, layer: nn.Module, residual: Tensor) -> Tensor | tuple[Tensor, ...]:
        if not self.wants("mlp"):
            return layer(residual)
        if not hasattr(layer, "layers"):
            return self._units([layer], residual)[0]
        every = [*layer.layers]  # type: ignore[misc, arg-type]
        return enclosed(layer, partial(self._units, every), residual)

    def _units(self, layers: Sequence[nn.Module], residual: Tensor) -> tuple[Tensor, ...]:
        """The update of each layer; torch's hooks on each enclose what is seen of all."""
        hidden, updates = list[Tensor](), list[Tensor]()

        def enter(rest: Sequence[nn.Module]) -> None:
            if not rest:
                hidden[:] = self._seen("mlp.hook_post", hidden, _side_by_side, _by_size)
                return
            layer, place = rest[0], len(hidden)

            def compute(seen: Tensor) -> Tensor:
                hidden.append(layer.hidden(seen))  # type: ignore[operator]
                enter(rest[1:])
                return layer.written(hidden[place])  # type: ignore[operator]

            updates.append(enclosed(layer, compute, residual))

        enter(layers)
        return tuple(reversed(updates))

    def _found(self, side: str, steps: Lockstep, query: Parts) -> Parts:
        """What heads retrieve; by the shares of their attention, where somebody changes these."""
        filler, names = steps.found(query), (f"{side}.hook_pattern", f"{side}.hook_rest")
        if not any(name in self.looks for name in names):
            return filler
        shares = steps.shares(query)
        given = [share.pattern for share in shares], [share.rest for share in shares]
        seen = (
            self._seen(name, parts, _heads_joined, _heads_parted)
            for name, parts in zip(names, given, strict=True)
        )
        after = [Shares(pattern, rest) for pattern, rest in zip(*seen, strict=True)]
        same = [all(map(is_, old, new)) for old, new in zip(shares, after, strict=True)]
        if all(same):
            return filler
        parts = zip(same, filler, steps.retrieved(after), strict=True)
        return [old if unchanged else new for unchanged, old, new in parts]

    def _by_head(self, name: str, parts: Parts) -> Parts:
        """Batch head pos d, shown as batch pos head d; heads of less are filled up with 0."""
        return self._seen(name, parts, _padded, _cut)

    def _seen(
        self, name: str, parts: Parts, join: Callable[[Parts], Tensor],
        part: Callable[[Tensor, Parts], Parts],
    ) -> Parts:  # fmt: skip
        """What goes on after all functions at a point; a part that stays the same is the same."""
        looks = self.looks.get(name)
        if not looks:
            return parts
        shown = join(parts)
        now = {name: getattr(self, name) for name in ("first", "texts", "batch", "turn", "going")}
        hook = replace(self.hooks[name], **now)
        after = shown
        for look in looks:
            after = _told(look, after, hook)
        if torch.is_grad_enabled():  # by way of what was shown
            return part(after, parts)
        if after is shown:
            return parts
        pairs = zip(parts, part(after, parts), strict=True)
        return [old if torch.equal(old, new) else _laid_out(new, old) for old, new in pairs]


NOBODY: Mapping[int, Points] = {}


def points_of(stack: nn.Module) -> Mapping[int, Points]:
    """Where the caller looks at what a stack computes, by the number of the block.

    Each thread that computes has its own, so that none is told of another's positions and rounds.
    """
    found = watches()
    if not found:
        return NOBODY
    seats = found[-1].seats.setdefault((get_ident(), found), {})
    if stack not in seats:
        seats[stack] = _points(found, stack)
    return seats[stack]


def _points(found: Sequence[Watch], stack: nn.Module) -> Mapping[int, Points]:
    hooks: dict[int, dict[str, Hook]] = {}
    looks: dict[int, dict[str, list[Look]]] = {}
    for watch in found:
        for number, local, hook, look in watch.places.get(stack, ()):
            hooks.setdefault(number, {})[local] = hook
            looks.setdefault(number, {}).setdefault(local, []).append(look)
    return {number: Points(hooks[number], some) for number, some in looks.items()}


def _only(going: Bool[Tensor, "*place"] | None, new: Tensor, old: Tensor) -> Tensor:
    """What is new at the places that run a round, if this is one of a loop; else what was there."""
    return new if going is None or new is old else new.where(going[..., None], old)


def _told(look: Look, shown: Tensor, hook: Hook) -> Tensor:
    """What a function makes of what it is shown: it may give another tensor, or change its own.

    What it asks of the network itself is another call, in which nobody looks yet.
    """
    own = shown if look.keeps or torch.is_grad_enabled() else copied(shown)
    with aside():
        given = look.function(own, hook=hook)
    if look.keeps:
        return shown
    return given_by(hook, own if given is None else given, shown)


def given_by(hook: Hook, given: object, shown: Tensor, *, number: bool = False) -> Tensor:
    """What a function gave in the place of what it was shown, in its format.

    Args:
        hook: what the function was called for.
        given: by it.
        shown: to it.
        number: one number may stand for all.

    Raises:
        TypeError: unless it is a tensor of real numbers.
        ValueError: for one of another shape.
    """
    if number and isinstance(given, Real):
        given = torch.tensor(float(given), dtype=shown.dtype, device=shown.device)
    if not isinstance(given, Tensor):
        due = "a tensor, a number or None is due" if number else "a tensor or None is due"
        raise TypeError(f"{hook.name}: a hook gave {given!r}, and {due}")
    if given.is_complex() or given.layout != torch.strided or given.is_meta != shown.is_meta:
        kind = "complex numbers" if given.is_complex() else "no numbers in rows"
        raise TypeError(f"{hook.name}: a hook gave {kind}, and a tensor of real numbers is due")
    if given.shape != shown.shape and (given.dim() or not number):
        due = f"{tuple(shown.shape)}: {', '.join(hook.axes)}"
        raise ValueError(f"{hook.name}: a hook gave shape {tuple(given.shape)}, due is {due}")
    return given.to(shown)


def copied(tensor: Tensor, layout: torch.memory_format = torch.preserve_format) -> Tensor:
    """A copy that others can write into, train on and save, be it made in inference mode."""
    with torch.inference_mode(mode=False):
        return tensor.detach().clone(memory_format=layout)


def _laid_out(new: Tensor, old: Tensor) -> Tensor:
    """A tensor in memory as another is, by which layers choose how they compute."""
    if new.stride() == old.stride():
        return new
    return torch.empty_like(old).copy_(new)


def _first(parts: Parts) -> Tensor:
    return parts[0]


def _alone(shown: Tensor, parts: Parts) -> Parts:
    del parts
    return [shown]


def _padded(parts: Parts) -> Tensor:
    widest = max(part.shape[-1] for part in parts)
    shown = [
        functional.pad(p, (0, widest - p.shape[-1])) if p.shape[-1] < widest else p for p in parts
    ]
    return _heads_joined(shown).movedim(1, 2)


def _cut(shown: Tensor, parts: Parts) -> Parts:
    each = _heads_parted(shown.movedim(2, 1), parts)
    return [
        one[..., : part.shape[-1]].to(part.dtype) for one, part in zip(each, parts, strict=True)
    ]


def _heads_joined(parts: Parts) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)


def _heads_parted(shown: Tensor, parts: Parts) -> Parts:
    return list(shown.split_with_sizes([part.shape[1] for part in parts], dim=1))


def _side_by_side(parts: Parts) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=-1)


def _by_size(shown: Tensor, parts: Parts) -> Parts:
    each = shown.split_with_sizes([part.shape[-1] for part in parts], dim=-1)
    return [one.to(part.dtype) for one, part in zip(each, parts, strict=True)]
