"""The heads of a learned network: where they stand, and how people name them."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from progtf.nn.attention import Heads, RoleAttention
from progtf.nn.bindings import Outer
from progtf.nn.encoder_decoder import EncoderDecoder
from progtf.notation.did_you_mean import nearest
from progtf.training.config import RunError
from progtf.training.folders import is_network
from progtf.training.networks import LearnedModel, load_network
from progtf.training.states import DECODER, ENCODER
from progtf.weights.folder import WEIGHTS

ROLES, VALUES = "hook_role", "hook_z"
_LACKS = {
    "lstm": "has none, and no roles",
    "gru": "has none, and no roles",
    "pointers": "writes equations, and its heads bind to no roles",
    "reader": "reads passages: `progtf roles --data` with a file of these tells of its roles",
}


class Place(NamedTuple):
    """Where a head stands.

    Attributes:
        heads: as names of points have it: ``encoder.blocks.1.attn``, ``decoder.blocks.0.cross``.
        head: which of these, from 0 on.
    """

    heads: str
    head: int

    @property
    def side(self) -> str:
        """``encoder`` or ``decoder``."""
        return self.heads.partition(".")[0]


def with_heads(folder: Path) -> LearnedModel:
    """The network in a checkpoint, if its parts are heads.

    Raises:
        RunError: for another kind of network, and for what is no checkpoint of one.
    """
    if not is_network(folder) and (folder / WEIGHTS).is_file():
        raise RunError(
            f"{folder}: this is asked of networks of a `[model]`; of a program heads and semes have"
            " names: `progtf run --trace` and `progtf circuit` show them"
        )
    network, vocabulary, settings = load_network(folder)
    if settings.kind not in ("tp", "transformer"):
        raise RunError(
            f"{folder}: this is asked of the heads of networks of kind `tp` and `transformer`;"
            f" one of kind `{settings.kind}` {_LACKS[settings.kind]}"
        )
    assert isinstance(network, EncoderDecoder)
    return LearnedModel(network, vocabulary=vocabulary)


def attentions(model: LearnedModel) -> dict[str, RoleAttention]:
    """The heads of a network, layer by layer, by the names that their points have."""
    network = model.network
    assert isinstance(network, EncoderDecoder)
    found: dict[str, RoleAttention] = {}
    for side, stack in ((ENCODER, network.encoder), (DECODER, network.decoder)):
        for number, block in enumerate(stack):
            for kind, part in (("attn", block.attention), ("cross", block.cross)):
                if part is not None:
                    (found[f"{side}.blocks.{number}.{kind}"],) = part.layer
    return found


def binder(attention: RoleAttention) -> Heads:
    """The heads of a layer, which in a learned network have one size."""
    (heads,) = attention
    return heads


def head_names(model: LearnedModel) -> dict[str, Place]:
    """Every head by its name: ``encoder layer 1 head 3``, ``decoder layer 0 cross head 1``."""
    return {
        named(heads, head): Place(heads, head)
        for heads, part in attentions(model).items()
        for head in range(binder(part).sizes.n_heads)
    }


def named(heads: str, head: int) -> str:
    """The name of a head that stands at a place."""
    side, _, block, kind = heads.split(".")
    said = "" if side == ENCODER else "cross " if kind == "cross" else "self "
    return f"{side} layer {block} {said}head {head}"


def head_of(model: LearnedModel, name: str | None, side: str = ENCODER) -> tuple[str, Place]:
    """The head of a name, and its whole name.

    Args:
        model: a network.
        name: with its side or without; None: the first head of the last layer.
        side: of a name that has none.

    Raises:
        RunError: for a name that is none, with the nearest and with what there is.
    """
    names = head_names(model)
    if name is None:
        last = [each for each, place in names.items() if place.side == side]
        place = names[last[-1]]
        return named(place.heads, 0), Place(place.heads, 0)
    whole = name if name.startswith((ENCODER, DECODER)) else f"{side} {name}"
    whole = " ".join(whole.split())
    if whole not in names:
        hint = nearest(whole, names)
        raise RunError(f"no head is called `{name}`; {f'{hint} ' if hint else ''}{_there(names)}")
    return whole, names[whole]


def _there(names: Mapping[str, Place]) -> str:
    """All heads there are, as ranges of numbers."""
    last = dict[tuple[str, ...], list[int]]()
    for name in names:
        words = name.split()
        numbers = [int(word) for word in words if word.isdecimal()]
        last[tuple(word for word in words if not word.isdecimal())] = numbers
    every = (_ranges(words, *numbers) for words, numbers in last.items())
    return f"there are {', '.join(every)}"


def _ranges(words: tuple[str, ...], layer: int, head: int) -> str:
    side, _, *kind, _ = words
    return " ".join(["`" + side, "layer", _to(layer), *kind, "head", _to(head) + "`"])


def _to(last: int) -> str:
    return f"0-{last}" if last else "0"


def outer_heads(model: LearnedModel) -> Mapping[str, Heads]:
    """The heads that bind by the whole product, layer by layer."""
    every = {name: binder(part) for name, part in attentions(model).items()}
    return {name: heads for name, heads in every.items() if isinstance(heads.binding, Outer)}
