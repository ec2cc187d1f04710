"""Runs of a network in which somebody looks at what it computes, or changes it, by name."""

import difflib
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn

from progtf.nn.attention import HeadGroups
from progtf.nn.kept import Cache, Places, Recorder
from progtf.nn.points import Function, Hook, Look, Placed, copied
from progtf.nn.recurrent import VanillaRNN
from progtf.nn.transformer import Block, Stack
from progtf.nn.watching import Watch, watching

Named = str | Callable[[str], bool]
"""A name, or what says of a name whether it is meant."""
FwdHooks = Sequence[tuple[Named, Function]]

_HEADS = {
    "hook_q": ("batch", "pos", "head", "d"),
    "hook_k": ("batch", "pos", "head", "d"),
    "hook_v": ("batch", "pos", "head", "d"),
    "hook_pattern": ("batch", "head", "dst", "src"),
    "hook_rest": ("batch", "head", "dst"),
    "hook_z": ("batch", "pos", "head", "d"),
    "hook_role": ("batch", "pos", "head", "d"),
    "hook_bound": ("batch", "pos", "head", "d"),
}
_RESIDUAL = ("batch", "pos", "d_model")


class Inside:
    """What can be looked into: named points, at which functions see and change what is computed.

    Names are those of TransformerLens: ``encoder.blocks.0.hook_resid_pre``, ``.attn.hook_pattern``,
    ``decoder.blocks.1.cross.hook_q`` and so on. Nothing is computed that nobody asks for, and what
    is seen is what answers.
    """

    @property
    @abstractmethod
    def looked_into(self) -> nn.Module:
        """The network whose stacks have the points."""
        ...

    @abstractmethod
    def respond(self, given: Any) -> Any:
        """The answer to what is given, computed for all of it at once."""
        ...

    def hooks(self) -> dict[str, Hook]:
        """Every name, with the axes of its tensor and the names of the heads there."""
        return {name: hook for name, (_, _, hook) in _places(self.looked_into).items()}

    def found(self, name: str) -> tuple[str, Callable[[Function], Function], Callable[..., Tensor]]:
        """What a name stands for: a point, how a function is called there, and what is read of it.

        Raises:
            ValueError: for a name that is none, with the nearest.
        """
        check_name(name, _places(self.looked_into))
        return name, lambda function: function, lambda tensor: tensor

    def run_with_hooks(self, given: Any, fwd_hooks: FwdHooks = ()) -> Any:
        """The answer while functions look at what is computed, and may change it.

        A function is called as ``f(tensor, hook=hook)``. What it returns, or leaves in the tensor,
        goes on in its place; of a decoder that writes it sees every step.

        Args:
            given: what is answered, all of it at once.
            fwd_hooks: pairs of a name, or of what says whether a name is meant, and a function.

        Raises:
            ValueError: for a name that is none.
        """
        with self.hooked(fwd_hooks):
            return self.respond(given)

    def run_with_cache(
        self, given: Any, names_filter: Named | Iterable[str] | None = None,
        fwd_hooks: FwdHooks = (), *, incl_bwd: bool | Callable[[Any], Tensor] = False,
        pos_slice: Places = None, device: torch.device | str | None = None,
        stop_at_layer: int | None = None, remove_batch_dim: bool = False,
    ) -> tuple[Any, Cache]:  # fmt: skip
        """The answer, and what was computed at points on the way.

        Arguments are called, and mean, what they do in TransformerLens.

        Args:
            given: what is answered, all of it at once.
            names_filter: which points; every one if none is named.
            fwd_hooks: as of `run_with_hooks`; the cache has what they leave.
            incl_bwd: also keep gradients, as ``NAME_grad``: those of what is answered if it is one
                number, of the loss of an answer to texts (`loss`), or of what a function makes of
                it. The parameters keep theirs.
            pos_slice: which positions the cache has: a place, a slice, or several places.
            device: where what is kept is put.
            stop_at_layer: run the first so many blocks alone; below 0: so many less than all. The
                answer is the residual then. They are the encoder's, or those of a decoder alone.
            remove_batch_dim: of one text, without the axis of texts.

        Raises:
            ValueError: for a name that is none, layers that are not there, several texts without
                their axis, and gradients of what is not one number.
        """
        recorder = Recorder(device, gradients=bool(incl_bwd))
        with ExitStack() as stack:
            stack.enter_context(self.hooked(fwd_hooks))
            stop = None if stop_at_layer is None else self._stop(stop_at_layer)
            if stop is not None and stop.before:
                stack.enter_context(looking(self.looked_into, [stop.look]))
            stack.enter_context(self._recorded(names_filter, recorder))
            if stop is not None and not stop.before:
                stack.enter_context(looking(self.looked_into, [stop.look]))
            answer = self._told(given, incl_bwd, recorder, stopping=stop is not None)
        return answer, Cache(recorder, self.found, self.hooks, pos_slice, alone=remove_batch_dim)

    def _told(
        self, given: Any, incl_bwd: bool | Callable[[Any], Tensor], recorder: Recorder, *,
        stopping: bool,
    ) -> Any:  # fmt: skip
        """What is answered, or where it was stopped; with gradients, if they are asked for."""
        if not incl_bwd:
            try:
                return self.at_once(given) if stopping else self.respond(given)
            except _StoppedError as stopped:
                return stopped.residual
        with torch.inference_mode(mode=False), torch.enable_grad():
            try:
                told = self.at_once(given) if stopping or callable(incl_bwd) else self.loss(given)
            except _StoppedError as stopped:
                told = stopped.residual
            number = incl_bwd(told) if callable(incl_bwd) else told
            recorder.differentiate(number)
        return told if stopping or isinstance(given, (Tensor, tuple)) else self.respond(given)

    def at_once(self, given: Any) -> Any:
        """What is computed of all positions together; where nothing is written, as `respond`."""
        return self.respond(given)

    def loss(self, given: Any) -> Tensor:
        """One number that says how sure an answer is; of tensors, what is answered itself."""
        return self.respond(given)

    def _stop(self, layer: int) -> "_Stop":
        places = _places(self.looked_into)
        for stack in ("encoder", "decoder"):
            count = len({place[1] for name, place in places.items() if name.startswith(_TOP[stack])
                         and ".round." not in name})  # fmt: skip
            if count:
                return _Stop.at(layer, stack, count)
        raise ValueError("stop_at_layer: the network has no blocks")

    def hooked(self, fwd_hooks: FwdHooks) -> Any:
        """A context in which functions are called at points; it is entered once.

        Raises:
            ValueError: for a name that is none.
            TypeError: for what are no pairs of a name and a function.
        """
        looks: list[tuple[str, Look]] = []
        for named, function in _pairs(fwd_hooks):
            for name in self._meant(named):
                point, wrapped, _ = self.found(name)
                looks.append((point, Look(wrapped(function))))
        return looking(self.looked_into, looks)

    def _recorded(self, names: Named | Iterable[str] | None, recorder: Recorder) -> Any:
        if names is None:
            points: Iterable[str] = _places(self.looked_into)
        else:
            if isinstance(names, str) or callable(names):
                wanted = self._meant(names)
            else:
                wanted = _strings(names)
            points = dict.fromkeys(self.found(name)[0] for name in wanted)
        look = Look(recorder.keep, keeps=not recorder.gradients)
        return looking(self.looked_into, [(point, look) for point in points])

    def _meant(self, named: Named) -> list[str]:
        return [named] if isinstance(named, str) else [*filter(named, _places(self.looked_into))]


def _pairs(given: object) -> Iterator[tuple[Named, Function]]:
    """Pairs of a name, or of what says whether a name is meant, and a function.

    Raises:
        TypeError: for anything else.
    """
    due = "pairs of a name and a function are due, such as [(name, function)]"
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"hooks: {given!r} is given, and {due}")
    for each in given:
        if not isinstance(each, (tuple, list)) or len(each) != len(("name", "function")):
            raise TypeError(f"hooks: {each!r} is given, and {due}")
        named, function = each
        if not isinstance(named, str) and not callable(named):
            raise TypeError(f"hooks: {named!r} is given in the place of a name, and {due}")
        if not callable(function):
            raise TypeError(f"{named}: {function!r} is given, and a function is due")
        yield cast("Named", named), cast("Function", function)


def _strings(given: object) -> list[str]:
    """Names of points.

    Raises:
        TypeError: for anything else.
    """
    names = [*given] if isinstance(given, Iterable) else [given]
    for each in names:
        if not isinstance(each, str):
            due = "a name, several, or a function of names is due"
            raise TypeError(f"names_filter: {each!r} is given, and {due}")
    return cast("list[str]", names)


def looking(network: nn.Module, looks: Sequence[tuple[str, Look]]) -> AbstractContextManager[None]:
    """Within, functions are called at the points of a network, behind those that are there.

    They are called for whoever opens it, and for nobody else (`progtf.nn.watching`).
    """
    places = _places(network)
    by_stack: dict[nn.Module, list[Placed]] = {}
    for name, look in looks:
        stack, number, hook = places[name]
        by_stack.setdefault(stack, []).append(Placed(number, _local(name), hook, look))
    return watching(Watch(by_stack))


def _places(network: nn.Module) -> dict[str, tuple[Stack | VanillaRNN, int, Hook]]:
    """Every point: its stack, the number of its block there, and what stands there."""
    found: dict[str, tuple[Stack | VanillaRNN, int, Hook]] = {}
    for path, stack in network.named_modules():
        if isinstance(stack, VanillaRNN):
            for name in (f"{path}.hook_input", f"{path}.hook_state"):
                found[name] = stack, 0, Hook(name, _RESIDUAL)
        if isinstance(stack, Stack):
            for number, block in enumerate(stack):
                prefix = f"{path}.blocks.{number}".removeprefix(".")
                for local, (axes, heads) in _points_of(block):
                    found[f"{prefix}.{local}"] = (
                        stack,
                        number,
                        Hook(f"{prefix}.{local}", axes, heads),
                    )
    return found


def _points_of(block: Block) -> Iterator[tuple[str, tuple[tuple[str, ...], tuple[str, ...]]]]:
    """The points of a block by their names within it, with axes and names of heads."""
    yield "hook_resid_pre", (_RESIDUAL, ())
    for side, part in (("attn", block.attention), ("cross", block.cross)):
        if part is not None:
            yield from ((f"{side}.{name}", axes) for name, axes in _points_of_heads(part.layer))
        if side == "attn" and (block.attention or block.cross or block.feed_forward):
            yield "hook_resid_mid", (_RESIDUAL, ())
    if block.cross is not None:
        yield "hook_resid_mid_cross", (_RESIDUAL, ())
    if block.feed_forward is not None:
        yield "mlp.hook_post", (("batch", "pos", "unit"), ())
    yield "hook_resid_post", (_RESIDUAL, ())


def _points_of_heads(
    heads: HeadGroups,
) -> Iterator[tuple[str, tuple[tuple[str, ...], tuple[str, ...]]]]:
    parts = [part for group in heads for part in group]
    names = tuple(name for part in parts for name in part.names)
    bound = any(part.binding.d_role(part.sizes.d_filler) for part in parts)
    for name, axes in _HEADS.items():
        if bound or name != "hook_role":
            yield name, (axes, names)


def _local(name: str) -> str:
    """The name of a point within its block."""
    return name.rpartition(".blocks.")[2].partition(".")[2]


_TOP = {stack: f"{stack}.blocks." for stack in ("encoder", "decoder")}


class _StoppedError(Exception):
    """Enough is computed: the residual behind the last block that was wanted."""

    def __init__(self, residual: Tensor) -> None:
        super().__init__()
        self.residual = residual


class _Stop(NamedTuple):
    """Where a run is stopped; ``before``: before what stands there is kept."""

    look: tuple[str, Look]
    before: bool

    @classmethod
    def at(cls, layer: int, stack: str, count: int) -> "_Stop":
        """Behind so many blocks of a stack.

        Raises:
            ValueError: if there are less.
        """
        number = layer if layer >= 0 else count + layer
        if not 0 <= number <= count:
            raise ValueError(f"stop_at_layer: {layer} is given, and the {stack} has {count} blocks")
        before = number == 0
        point = f"{number - 1}.hook_resid_post" if number else "0.hook_resid_pre"
        return cls((f"{_TOP[stack]}{point}", Look(_stopped, keeps=True)), before)


def _stopped(residual: Tensor, hook: Hook) -> None:
    del hook
    raise _StoppedError(residual if residual.requires_grad else copied(residual))


def check_name(name: str, known: Mapping[str, object]) -> None:
    """Raises ValueError unless a name is known, with the nearest one that is."""
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; the nearest is `{near[0]}`" if near else ""
        raise ValueError(f"nothing is called `{name}`{hint}: `hooks()` has all names")
