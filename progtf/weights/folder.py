"""Weights in folders: ``weights.safetensors`` has entries, and in its header their names, in JSON.

One file, so that names and entries change as one. No source, no pickle and no torch is needed to
read it.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

from progtf.atomic import replacing
from progtf.mistakes import MistakeError
from progtf.program.holes import puts
from progtf.program.model import AGAIN, ASK, MOST_STEPS
from progtf.program.outcome import Judge, Outcome, Proof
from progtf.sealed import DamagedError, check
from progtf.terminal import plain
from progtf.weights.complete import check_complete
from progtf.weights.elsewhere import advice
from progtf.weights.formats import Format, working
from progtf.weights.layout import LayerLayout, Layout
from progtf.weights.maps import Map, Names
from progtf.weights.stored import Stored, Tensors, told
from progtf.weights.weights import Weights

WEIGHTS = "weights.safetensors"
DESCRIPTION = "progtf"
FORMAT = 6
BEFORE = 5, 4
"""The same, every name as often as it is used; and before there were loops."""
BESIDE = 3, "layout.json"
"""The format before this one, and the file that it had beside the entries."""
OLD = (
    "it was written by an earlier version of progtf, which stored whole matrices: compile the"
    " program again with `progtf compile`"
)
MOST_ROUNDS, LONGEST, LONGEST_OUTPUT, WIDEST = 1024, 65_536, 2**24, 65_536
_LEARNED = "learned."
_RENAMED = {"output.": "unembed."}
"""How the names of learned tensors began, and begin now."""


class FolderError(MistakeError):
    """A folder that holds no model of ours, or a damaged one."""


def _known(number: object) -> object:
    if number in (1, 2):
        raise ValueError(OLD)
    if number not in (FORMAT, *BEFORE, BESIDE[0]):
        raise ValueError(f"format {number!r}")
    return number


@dataclass(frozen=True)
class _Described:
    """A map: its names, or which they are of those that several have; None: the residual's."""

    path: tuple[str, ...]
    field: str
    sources: Names | int | None
    targets: Names | int | None
    entries: Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class _Description:
    """What the header says; the digest stands last, so that the text before it can be told."""

    format: Annotated[int, BeforeValidator(_known)]
    dtype: Format
    layout: Layout
    maps: tuple[_Described, ...]
    outcome: Outcome | None = None
    names: tuple[Names, ...] = ()
    sha256: str = ""


_JSON = TypeAdapter(_Description)


def save_weights(weights: Weights, folder: str | File) -> None:
    """Writes weights, and what is proven of them.

    Whoever reads the folder finds the old ones or the new ones, whole.

    Raises:
        OSError: if the folder cannot be written.
    """
    folder = File(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / WEIGHTS) as file:
        file.write(packed(weights))
    (folder / BESIDE[1]).unlink(missing_ok=True)


def packed(weights: Weights) -> bytes:
    """Weights, and what is proven of them, as a file holds them."""
    weights = weights.as_they_are()
    tensors, layout = dict(told(weights)), weights.layout
    layout = replace(layout, name=plain(layout.name))  # of a file whose name is no text, too
    for name, array in weights.learned.items():
        tensors[_LEARNED + name] = array.astype(working(weights.dtype))
    known = dict[Names, int]()
    maps = tuple(_described(each, layout, known) for each in weights.maps.values())
    outcome = None if weights.proof is None else weights.outcome
    description = _Description(FORMAT, weights.dtype, layout, maps, outcome, tuple(known))
    text = _JSON.dump_json(description).decode()
    return save(tensors, {DESCRIPTION: _signed(text, tensors)})


def _described(each: Map, layout: Layout, known: dict[Names, int]) -> _Described:
    """A map, its names as their number among those that are ``known``."""
    sources, targets = (
        None if names == layout.columns else known.setdefault(names, len(known))
        for names in (each.sources, each.targets)
    )
    return _Described(each.path, each.field, sources, targets, len(each))


def _signed(text: str, tensors: Tensors) -> str:
    """A description with a digest of it and of all that it describes."""
    unsigned = text.rpartition(',"sha256"')[0]
    digest = hashlib.sha256(unsigned.encode())
    for name, array in sorted(tensors.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return f'{unsigned},"sha256":"{digest.hexdigest()}"}}'


def load_weights(folder: str | File) -> Weights:
    """The weights in a folder.

    Raises:
        FolderError: with what is wrong: a file missing, foreign, damaged or of an earlier version.
    """
    path = File(folder) / WEIGHTS
    _check_whole(path.parent)
    if not path.is_file():
        kind = "" if path.with_name(BESIDE[1]).is_file() else "no compiled model here: "
        why = advice(path.parent) or f"{WEIGHTS} is missing"
        raise FolderError(f"{path.parent}: {kind}{why}")
    _check_header(path)
    try:
        return unpacked(path.read_bytes(), path)
    except MemoryError:
        raise FolderError(f"{path}: memory is too small for it") from None


def _check_header(path: File) -> None:
    """Looks at what a file says that it holds, which is to be as long as it is, before all is read.

    Raises:
        FolderError: if it is not.
    """
    try:
        with safe_open(path, "numpy"):
            pass
    except (SafetensorError, OSError) as error:
        raise FolderError(f"{path}: damaged: {error}") from None


def _check_whole(folder: File) -> None:
    """Looks at what is beside the weights, too: of a checkpoint every file has its digest."""
    try:
        check(folder)
    except DamagedError as error:
        raise FolderError(str(error)) from None


def unpacked(
    data: bytes, path: File = File(WEIGHTS), judge: Judge | None = None, *, part: bool = False
) -> Weights:
    """The weights that a file holds.

    Args:
        data: its bytes.
        path: what errors call it; the format before has a description beside it.
        judge: what holds that which was assumed against each text, where the program is known.
        part: whether maps that add nothing may be missing.

    Raises:
        FolderError: as ``load_weights``.
    """
    described, tensors = _read(data, path)
    layout, dtype = described.layout, described.dtype
    learned = {_name(n): t for n, t in tensors.items() if n.startswith(_LEARNED)}
    try:
        _check_numbers(layout)
        _check_learned(layout, learned)
        maps = {each.key: each for each in _maps(described, tensors)}
        weights = Weights(layout, dtype, maps, learned)
        if not part:
            check_complete(weights)
    except (ValueError, KeyError) as error:
        reason = str(error).splitlines()[0]
        raise FolderError(f"{path}: the entries do not fit their description: {reason}") from None
    return weights.proven(Proof.of(described.outcome, judge)) if described.outcome else weights


def _name(tensor: str) -> str:
    """The name that the network has for a learned tensor."""
    name = tensor.removeprefix(_LEARNED)
    old = next((start for start in _RENAMED if name.startswith(start)), "")
    return _RENAMED.get(old, "") + name.removeprefix(old)


def _read(data: bytes, path: File) -> tuple[_Description, Tensors]:
    """What a file says and holds; of the format before, what stands beside it."""
    beside = path.with_name(BESIDE[1])
    try:
        tensors = load(data)
    except (SafetensorError, KeyError) as error:  # KeyError: for a number format without a name
        raise FolderError(f"{path}: damaged: {error}") from None
    header = _header(data)
    if DESCRIPTION in header:
        described = _description(path, header[DESCRIPTION])
        same = header[DESCRIPTION] == _signed(header[DESCRIPTION], tensors)
    elif beside.is_file():
        described = _description(beside, beside.read_bytes())
        same = described.sha256 == hashlib.sha256(data).hexdigest()
    else:
        why = advice(path.parent) or f"{WEIGHTS} describes none"
        raise FolderError(f"{path.parent}: no compiled model here: {why}")
    if not same:
        raise FolderError(f"{path}: damaged: these are not the weights that were written")
    return described, tensors


def _header(data: bytes) -> dict[str, str]:
    """What a safetensors file says of itself: its length stands first, then JSON."""
    end = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:end]).get("__metadata__", {})


def _description(path: File, text: str | bytes) -> _Description:
    try:
        return _JSON.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"{part}." for part in first["loc"])[:-1]
        reason = first["msg"].removeprefix("Value error, ")
        raise FolderError(
            f"{path}: not the description of a compiled model: {place}: {reason}"
        ) from None


def _check_numbers(layout: Layout) -> None:
    """Numbers that would make a network far larger than the files are refused."""
    for _, _, _, stage in layout.stages():
        if isinstance(stage, LayerLayout) and not 1 <= stage.repeat <= MOST_ROUNDS:
            raise ValueError(f"a layer that repeats {stage.repeat} times")
    _check_loops(layout)
    longest, output = layout.lengths
    most = LONGEST if layout.learn else LONGEST_OUTPUT  # learned positions have a row each
    if not (0 < longest <= LONGEST and 0 < output <= most):
        raise ValueError(f"lengths {layout.lengths}")
    asks = layout.ask and ASK in layout.outputs
    if not 0 <= layout.again <= MOST_STEPS or (
        layout.again and not asks and AGAIN not in layout.outputs
    ):
        raise ValueError(f"a chain of {layout.again} steps")
    if layout.ask and not (layout.again and asks and puts(layout.ask)):
        raise ValueError(f"questions that come back as {layout.ask!r}")
    named = layout.semes + 2 * len(layout.clocks)
    if not len(layout.space) == named <= layout.width <= max(WIDEST, named):
        raise ValueError(f"{len(layout.space)} names for a width of {layout.width}")
    if not all(0 < period < math.inf for period in layout.clocks):
        raise ValueError(f"clocks of {', '.join(map(str, layout.clocks))} tokens")
    learn = layout.learn
    if learn is not None and not (
        learn.semes > 0
        and len(learn.reads) == len(learn.scales)
        and {*learn.reads} <= {*layout.names}
    ):
        raise ValueError("what is learned reads semes that are not there")


def _check_learned(layout: Layout, learned: Tensors) -> None:
    """Learned sizes are those of the tensors that are there; without any they are drawn."""
    stages = [stage for _, _, _, stage in layout.stages() if isinstance(stage, LayerLayout)]
    said = [size for stage in stages for size in stage.learned or ()]
    said += [layout.learn.semes] if layout.learn is not None else []
    largest = max((size for each in learned.values() for size in each.shape), default=WIDEST)
    if not all(0 <= size <= largest for size in said):
        raise ValueError(f"{max(said, key=abs)} learned numbers where {largest} are stored at most")


def _check_loops(layout: Layout) -> None:
    """Loops that could not have been written, or that nobody would end."""
    loops, names = list(layout.all_loops()), {*layout.names[: layout.semes]}
    if len({loop.name for loop in loops}) < len(loops) or not {*layout.loops} <= {*loops}:
        raise ValueError("loops whose layers do not stand together")
    for loop in loops:
        if not 1 <= loop.most <= MOST_ROUNDS:
            raise ValueError(f"a loop of {loop.most} rounds")
        falls = () if loop.falls is None else loop.falls.coefficients
        if not {loop.until, loop.unfinished, *loop.resets, *loop.asked, *falls} <= names:
            raise ValueError("a loop that reads semes that are not there")


def _maps(described: _Description, tensors: Tensors) -> Iterator[Map]:
    """The maps, each with its part of the tensors."""
    stored = Stored.of(tensors, described.dtype)
    for one in described.maps:
        sources, targets = (_names(names, described) for names in (one.sources, one.targets))
        yield stored.map(one.path, one.field, sources, targets, one.entries)
    stored.finish()


def _names(told: Names | int | None, described: _Description) -> Names:
    """The names that are meant.

    Raises:
        ValueError: for a number that no list of names has.
    """
    if not isinstance(told, int):
        return described.layout.columns if told is None else told
    if not 0 <= told < len(described.names):
        raise ValueError(f"names {told}")
    return described.names[told]
