"""Weights in folders: ``layout.json`` has the names, ``weights.safetensors`` the entries.

No source, no pickle and no torch is needed to read one.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path as File
from typing import Any, NoReturn

import numpy as np
from pydantic import TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load, save

from progtf.atomic import replacing
from progtf.weights.complete import check_complete
from progtf.weights.formats import Format, check_format, restored, stored, working
from progtf.weights.layout import LayerLayout, Layout
from progtf.weights.maps import BIAS, MARKS, Map, Numbers
from progtf.weights.weights import EXACT, Weights

LAYOUT, WEIGHTS = "layout.json", "weights.safetensors"
FORMAT = 3
OLD = (
    "it was written by an earlier version of progtf, which stored whole matrices: compile the"
    " program again with `progtf compile`"
)
MOST_ROUNDS, LONGEST, WIDEST = 1024, 65_536, 1_000_000
_PARTS = {"rows": "int32", "columns": "int32", "marks": "uint8"}
_LEARNED = "learned."


class FolderError(ValueError):
    """A folder that holds no model of ours, or a damaged one."""


def save_weights(weights: Weights, folder: str | File) -> None:
    """Writes weights; a killed write leaves the old ones or an error, never a mixture.

    Raises:
        OSError: if the folder cannot be written.
    """
    folder = File(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data = save(dict(_tensors(weights)))
    description = {
        "format": FORMAT,
        "dtype": weights.dtype,
        "sha256": hashlib.sha256(data).hexdigest(),
        "layout": TypeAdapter(Layout).dump_python(weights.layout, mode="json"),
        "maps": [_described(each, weights.layout) for each in weights.maps.values()],
    }
    with replacing(folder / WEIGHTS) as file:
        file.write(data)
    with replacing(folder / LAYOUT) as file:
        file.write(json.dumps(description, ensure_ascii=False, indent=1).encode())


def _described(each: Map, layout: Layout) -> dict[str, Any]:
    """The names of a map; null stands for those of the residual."""
    names = {
        side: None if names == layout.columns else names
        for side, names in (("sources", each.sources), ("targets", each.targets))
    }
    return {"path": each.path, "field": each.field, **names, "entries": len(each)}


def _tensors(weights: Weights) -> Iterator[tuple[str, np.ndarray]]:
    """Row, column, number and mark of all entries, one map after another; what is learned."""
    maps = list(weights.maps.values())
    for part, kind in _PARTS.items():
        yield part, np.concatenate([np.zeros(0, kind), *(getattr(each, part) for each in maps)])
    kept = working(weights.dtype)
    yield "numbers", stored(_joined(each for each in maps if each.field != EXACT), weights.dtype)
    yield "exact", stored(_joined(each for each in maps if each.field == EXACT), kept)
    for name, array in weights.learned.items():
        yield _LEARNED + name, array.astype(kept)


def _joined(maps: Iterable[Map]) -> Numbers:
    return np.concatenate([np.zeros(0), *(each.numbers for each in maps)])


def load_weights(folder: str | File) -> Weights:
    """The weights in a folder.

    Raises:
        FolderError: with what is wrong: a file missing, foreign, damaged or of an earlier version.
    """
    folder = File(folder)
    description = _description(folder / LAYOUT)
    path = folder / WEIGHTS
    if not path.is_file():
        raise FolderError(f"{folder}: {WEIGHTS} is missing")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != description["sha256"]:
        raise FolderError(f"{path}: damaged: these are not the weights that {LAYOUT} describes")
    try:
        layout, dtype = description["layout"], description["dtype"]
        tensors = load(data)
        maps = list(_maps(description["maps"], layout, dtype, tensors))
        learned = {
            n.removeprefix(_LEARNED): t for n, t in tensors.items() if n.startswith(_LEARNED)
        }
        weights = Weights(layout, dtype, {each.key: each for each in maps}, learned)
        check_complete(weights)
    except (SafetensorError, ValueError, KeyError, TypeError, IndexError) as error:
        reason = str(error).splitlines()[0]
        raise FolderError(f"{path}: does not fit {LAYOUT}: {reason}") from None
    return weights


def _description(path: File) -> dict[str, Any]:
    """What ``layout.json`` says, checked."""
    if not path.is_file():
        raise FolderError(f"{path.parent}: no compiled model here: {LAYOUT} is missing")
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if data.get("format") != FORMAT:
            _refuse(path, data.get("format"))
        layout = TypeAdapter(Layout).validate_python(data["layout"])
        _check_numbers(layout)
        digest, maps, dtype = data["sha256"], list(data["maps"]), check_format(data["dtype"])
    except ValidationError as error:
        reason = f"{'.'.join(map(str, error.errors()[0]['loc']))}: {error.errors()[0]['msg']}"
        raise FolderError(f"{path}: not the description of a compiled model: {reason}") from None
    except (UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, FolderError):
            raise
        raise FolderError(f"{path}: not the description of a compiled model: {error}") from None
    return {"layout": layout, "dtype": dtype, "sha256": digest, "maps": maps}


def _refuse(path: File, found: object) -> NoReturn:
    if found in (1, 2):
        raise FolderError(f"{path.parent}: {OLD}")
    raise FolderError(f"{path}: not the description of a compiled model: format {found!r}")


def _check_numbers(layout: Layout) -> None:
    """Numbers that would make a network far larger than the files are refused."""
    for _, _, _, stage in layout.stages():
        if isinstance(stage, LayerLayout) and not 1 <= stage.repeat <= MOST_ROUNDS:
            raise ValueError(f"a layer that repeats {stage.repeat} times")
    if not all(0 < length <= LONGEST for length in layout.lengths):
        raise ValueError(f"lengths {layout.lengths}")
    if not len(layout.space) == layout.semes + 2 * len(layout.clocks) <= layout.width <= WIDEST:
        raise ValueError(f"{len(layout.space)} names for a width of {layout.width}")
    learn = layout.learn
    if learn is not None and not (
        learn.semes > 0
        and len(learn.reads) == len(learn.scales)
        and {*learn.reads} <= {*layout.names}
    ):
        raise ValueError("what is learned reads semes that are not there")


def _maps(
    described: list[dict[str, Any]], layout: Layout, dtype: Format, tensors: dict[str, np.ndarray]
) -> Iterator[Map]:
    """The maps, each with its part of the tensors."""
    rows, columns, marks = (tensors[part].astype(kind) for part, kind in _PARTS.items())
    left = {False: restored(tensors["numbers"], dtype)}
    left[True] = restored(tensors["exact"], working(dtype))
    first = 0
    for one in described:
        sources, targets = (
            layout.columns if one[side] is None else tuple(map(str, one[side]))
            for side in ("sources", "targets")
        )
        last, exact = first + int(one["entries"]), one["field"] == EXACT
        numbers, left[exact] = np.split(left[exact], [last - first])
        part = slice(first, last)
        key = tuple(map(str, one["path"])), str(one["field"])
        each = Map(*key, sources, targets, rows[part], columns[part], numbers, marks[part])
        _check_places(each, last - first)
        yield each
        first = last
    if first != len(rows) or any(len(rest) for rest in left.values()):
        raise ValueError(f"{len(rows)} entries, and {first} are described")


def _check_places(each: Map, count: int) -> None:
    sizes = {len(each.rows), len(each.columns), len(each.numbers), len(each.marks)}
    ends = (each.rows, BIAS, len(each.sources)), (each.columns, 0, len(each.targets))
    inside = all(((low <= at) & (at < high)).all() for at, low, high in ends)
    if sizes != {count} or not inside or (each.marks >= len(MARKS)).any():
        raise ValueError(f"the entries of {' / '.join((*each.path, each.field))}")
