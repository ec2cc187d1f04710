"""The network that answers is its model's own: what nobody else holds, nobody changes.

``model.network.unembed.bias.data.add_(1)`` changes a network that is lent. What answers is another
one, with the same bits, which is held against the lent one before each answer: all numbers, all
attributes, all hooks. So an answer is that of one state of the network from its first product to
its last, and what was proven of that state is proven of it, whatever other threads do meanwhile. As
long as nobody has asked for the network there is nothing to compare; it is made when something is
computed with it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass
from itertools import chain
from threading import RLock
from typing import Any, Generic, NamedTuple, TypeVar, cast

import torch
from torch import Tensor, nn

from progtf.nn.bits import Bits
from progtf.nn.hooks import State, all_hooked, answering, notes, overridden
from progtf.nn.precision import autocasts
from progtf.nn.watching import is_looked_at, watches

Net = TypeVar("Net", bound=nn.Module)
NAME = "network"
_IDLE = frozenset({
    "training", "frozen", "_is_full_backward_hook", "_state_dict_hooks", "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
})  # fmt: skip
"""Attributes that change no answer: dropout is looked at apart, loading and gradients are not."""
_NUMBERS = "_parameters", "_buffers"
KEPT = 3
"""Copies of a lent network in states that it had."""


class Seat(NamedTuple):
    """What answers one call.

    Attributes:
        network: that computes; None: it would be as it is made, and is not there.
        made: whether it is as it was made, and nothing interferes.
        state: of the network, if it is one that nobody can change.
    """

    network: Any
    made: bool
    state: State | None


class Imprint:
    """What modules are but for their numbers, as they were once.

    Args:
        parts: the modules; left_out: attributes that may change.
    """

    def __init__(self, parts: list[nn.Module], left_out: frozenset[str] = frozenset()) -> None:
        self.left_out = left_out | _IDLE
        self.parts = [(part, type(part), _facts(part, left_out)) for part in parts]

    def now(self) -> tuple[list[Tensor], list[bool]] | None:
        """The tensors that the modules hold, and which train; None: something else has changed."""
        found: list[Tensor | None] = []
        training: list[bool] = []
        for part, kind, known in self.parts:
            own = part.__dict__
            if type(part) is not kind or not (_equal(own, known) or self._alike(part, known)):
                return None
            for name in _NUMBERS:
                if some := own[name]:  # which is in another order where something was put back
                    found += map(some.__getitem__, known[name])
            training.append(own["training"])
        return [each for each in found if each is not None], training

    def _alike(self, part: nn.Module, known: dict[str, Any]) -> bool:
        """Whether nothing differs that counts: more slowly, and one by one."""
        own, kind = part.__dict__, type(part)
        for name in known.keys() - self.left_out:
            now, then = own.get(name, self), known[name]
            if name in _NUMBERS:
                lacks = [{key: each is None for key, each in some.items()} for some in (now, then)]
                if lacks[0] != lacks[1]:
                    return False
            elif now is not then and not (type(now) is type(then) and _equal(now, then)):
                return False
        more = own.keys() - known.keys() - self.left_out
        return all(_is_that(own[name], getattr(kind, name, own[name])) for name in more)


def _facts(part: nn.Module, left_out: frozenset[str]) -> dict[str, Any]:
    """The attributes of a module; what can be changed in its place is copied."""
    return {
        name: copy(value) if isinstance(value, (dict, list, set)) else value
        for name, value in part.__dict__.items()
        if name not in left_out
    }


def _is_that(own: object, kinds: object) -> bool:
    """Whether an attribute of a module is what its class has: the same thing, or its method."""
    return own is kinds or getattr(own, "__func__", own) is kinds


def _equal(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except (RuntimeError, ValueError, TypeError):  # tensors, which are no two values that differ
        return False


@dataclass(frozen=True, eq=False)
class Copy:
    """A network of nobody else's.

    Attributes:
        bits: of its numbers; training: the flag of each of its parts.
        made: whether they are those that it was made with.
        state: what stands for it.
    """

    network: nn.Module
    bits: Bits
    training: list[bool]
    made: bool
    state: State

    @classmethod
    def of(cls, network: nn.Module, made: Bits | None = None) -> "Copy":
        """Of a network that nobody else knows; ``made``: the bits that it was made with."""
        bits = Bits(_tensors(network))
        same = made is None or made.same([each.cpu() for each in bits.tensors])
        return cls(network, bits, _training(network), same, State.of(network))


class Own(Generic[Net]):
    """A model's own network, and the one that it lends to whoever asks.

    Args:
        make: makes the network, which nobody else knows.
    """

    def __init__(self, make: Callable[[], Net]) -> None:
        self._make = make
        self.lent: Net | None = None
        self._made: tuple[Copy, ...] = ()
        self._imprint: Imprint | None = None
        self._lock = RLock()

    @property
    def network(self) -> Net:
        """As it was made."""
        return cast("Net", self._copies[-1].network)

    @property
    def _copies(self) -> tuple[Copy, ...]:
        """The network in states that it had, last as it was made."""
        with self._lock:
            if not self._made:
                self._made = (Copy.of(self._make()),)
            return self._made

    def lend(self) -> Net:
        """A network for others: the same one each time."""
        with self._lock:
            if self.lent is None:
                with torch.inference_mode(mode=False):
                    lent = deepcopy(self.network)
                self._imprint = Imprint([*lent.modules()])
                self.lent = lent
            return self.lent

    @contextmanager
    def answering(
        self, holder: nn.Module, same: Callable[[], bool], *, computes: bool = True
    ) -> Iterator[Seat]:
        """What answers a call, and all that is asked within it.

        Args:
            holder: the model, whose ``network`` is the lent one, or what somebody put there.
            same: whether the model is as it was made otherwise.
            computes: whether the network must be there.
        """
        seat = self._sits()
        if seat is not None and (seat.network is not None or not computes):
            yield seat
            return
        if seat is not None:
            seat = self._as_made(made=seat.made)
        elif computes or self._made or self.lent is not None:
            seat = self._seat(holder, same=same())
        else:
            seat = self._unmade(holder, same=same())
        with answering(seat.state):
            cast("dict[Any, Any]", notes())[self] = seat
            yield seat

    def now(self, holder: nn.Module) -> Net:
        """The network that answers now; between answers the one that others know."""
        return self.network if self._sits() is None and self.lent is None else self.called(holder)

    def called(self, holder: nn.Module) -> Net:
        """The network that a call of the model is of: in an answer the one that answers."""
        seat = self._sits()
        if seat is None:
            return cast("Net", getattr(holder, NAME))
        return self.network if seat.network is None else seat.network

    def _sits(self) -> Seat | None:
        known = notes()
        return None if known is None else known.get(self)

    def _as_made(self, *, made: bool) -> Seat:
        first = self._copies[-1]
        return Seat(first.network, made, first.state if made else None)

    def _unmade(self, holder: nn.Module, *, same: bool) -> Seat:
        """What a network answers that is not there: it will be on the processor, as it is made."""
        if all_hooked() or overridden():
            return self._seat(holder, same=same)
        return Seat(None, made=same and not autocasts(torch.device("cpu")), state=None)

    def _seat(self, holder: nn.Module, *, same: bool) -> Seat:
        if all_hooked() or overridden():
            return Seat(getattr(holder, NAME), made=False, state=None)
        copied: Copy | None = self._copies[-1]
        if self.lent is not None:
            shown = getattr(holder, NAME)
            seen = watches() and is_looked_at([*shown.modules()])
            copied = None if seen or shown is not self.lent else self._copy()
            if copied is None:
                return Seat(shown, made=False, state=None)
        assert copied is not None
        plain = same and not any(map(autocasts, {each.device for each in copied.bits.tensors[:1]}))
        return Seat(copied.network, copied.made and plain, copied.state if plain else None)

    def _copy(self) -> Copy | None:
        """A network with the numbers that the lent one has now; None: more than numbers differs."""
        now = None if self._imprint is None else self._imprint.now()
        if now is None:
            return None
        numbers, training = now
        for each in self._copies:
            if each.training == training and each.bits.same(numbers):
                return each
        made = self._copies[-1]
        with torch.inference_mode(mode=False), torch.no_grad():
            old = made.bits.tensors
            memo = {id(a): _like(a, b) for a, b in zip(old, numbers, strict=True)}
            again = deepcopy(made.network, cast("dict[int, Any]", memo))
        for part, flag in zip(again.modules(), training, strict=True):
            part.training = flag
        found = Copy.of(again, made.bits)
        self._made = (found, *self._copies[: KEPT - 2], made)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, in which what was lent is as it is now."""
        lent, imprint = self.lend(), self._imprint
        intact = imprint is not None and imprint.now() is not None
        return _again, (self.network, lent, intact)


def _again(network: Net, lent: Net, intact: bool) -> Own[Net]:
    own = Own(lambda: network)
    own.lent = lent
    own._imprint = Imprint([*lent.modules()]) if intact else None  # noqa: SLF001
    return own


def _tensors(network: nn.Module) -> list[Tensor]:
    """Parameters and buffers, part by part, in the order of an `Imprint`."""
    every = (getattr(part, name).values() for part in network.modules() for name in _NUMBERS)
    return [each for each in chain.from_iterable(every) if each is not None]


def _training(network: nn.Module) -> list[bool]:
    return [part.training for part in network.modules()]


def _like(kind: Tensor, numbers: Tensor) -> Tensor:
    """A copy of numbers, as a parameter or not."""
    again = numbers.detach().clone()
    if not isinstance(kind, nn.Parameter):
        return again
    return nn.Parameter(again, requires_grad=kind.requires_grad and again.is_floating_point())


class Lent(dict[str, nn.Module]):
    """The children of a model: the network that it lends, which is there as soon as one asks.

    Args:
        own: of the model.
    """

    def __init__(self, own: Own[Any]) -> None:
        super().__init__()
        self.own: Own[Any] | None = own

    def there(self, key: object = NAME) -> None:
        """Puts the network where it is asked for."""
        if key == NAME and (own := self.own) is not None:
            super().__setitem__(NAME, own.lend())
            self.own = None

    def __getitem__(self, key: str) -> nn.Module:
        self.there(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As of any dictionary."""
        self.there(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self.there(key)
        return super().__contains__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.there(NAME)
        super().__setitem__(key, value)

    def __reduce__(self) -> tuple[Any, ...]:
        self.there()
        return _children, (dict(self),)


def _children(some: dict[str, nn.Module]) -> Lent:
    again = Lent.__new__(Lent)
    again.own = None
    dict.update(again, some)
    return again


def _when_there(name: str) -> Any:
    method = getattr(dict, name)

    def asked(self: Lent, *given: Any, **named: Any) -> Any:
        self.there()
        return method(self, *given, **named)

    return asked


for _name in (
    "__delitem__", "__eq__", "__iter__", "__len__", "__ne__", "__or__", "__repr__", "__reversed__",
    "__ror__", "clear", "copy", "items", "keys", "pop", "popitem", "setdefault", "update", "values",
):  # fmt: skip
    setattr(Lent, _name, _when_there(_name))
