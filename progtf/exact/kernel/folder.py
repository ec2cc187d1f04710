"""The weights in a folder, read with the standard library alone."""

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

BIAS = -1
"""The row of an entry without a source."""
KINDS = {"F64": "d", "F32": "f", "F16": "e", "BF16": "H", "I16": "h", "I32": "i", "U8": "B",
         "U16": "H", "U32": "I"}  # fmt: skip

Entry = tuple[int, Fraction, Fraction]
"""A row, the number that is meant, and the one that is stored."""


class Damaged(Exception):  # noqa: N818  what a file is
    """A file that is no folder's, or no proof of it."""


class Map(NamedTuple):
    """The entries of one map.

    Attributes:
        sources: the names of rows; targets: of columns.
        columns: of each the entries.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    columns: tuple[tuple[Entry, ...], ...]

    @property
    def rows(self) -> list[list[Entry]]:
        """Of each row the entries, each with its column in the row's place."""
        found: list[list[Entry]] = [[] for _ in self.sources]
        for column, entries in enumerate(self.columns):
            for row, meant, stored in entries:
                if row != BIAS:
                    found[row].append((column, meant, stored))
        return found


class Folder(NamedTuple):
    """A network: its layout as it is stored, and its maps by path and field."""

    layout: Mapping[str, Any]
    dtype: str
    maps: Mapping[tuple[tuple[str, ...], str], Map]
    digest: str
    names: tuple[str, ...]


def read(folder: Path, meant: Mapping[str, Mapping[str, str]]) -> Folder:
    """The network in a folder.

    Args:
        folder: with ``weights.safetensors``, or that file.
        meant: the numbers that are not stored as they are meant: the name of the map, the place of
            the entry, the number as a fraction.

    Raises:
        Damaged: for a file that is none.
    """
    file = folder / "weights.safetensors" if folder.is_dir() else folder
    try:
        return unpacked(file.read_bytes(), meant)
    except (OSError, ValueError, KeyError, IndexError, TypeError, struct.error) as error:
        raise Damaged(f"{file}: no network of progtf: {error}") from error


def unpacked(data: bytes, meant: Mapping[str, Mapping[str, str]]) -> Folder:
    """The network in the bytes of such a file; errors as they come."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    about = json.loads(header.pop("__metadata__")["progtf"])
    if about["format"] != 6 or any("learned." in name for name in header):
        raise ValueError("of another format, or with something that is learned")
    arrays = {name: _array(data[8 + length :], **each) for name, each in header.items()}
    numbers = _numbers(arrays["numbers"], header["numbers"]["dtype"])
    which: tuple[int, ...] = arrays["which"]
    others: Iterator[Fraction] = iter([numbers[n] for n in which])
    exact: Iterator[Fraction] = iter([Fraction(each) for each in arrays["exact"]])
    places: Iterator[tuple[int, int]] = iter([*zip(arrays["rows"], arrays["columns"], strict=True)])
    layout, names = about["layout"], about["names"]
    own = tuple(each["name"] for each in layout["space"])
    own += tuple(f"extra[{n}]" for n in range(layout["width"] - len(own)))
    maps: dict[tuple[tuple[str, ...], str], Map] = {}
    left = {name: dict(each) for name, each in meant.items()}
    for told in about["maps"]:
        sources, targets = (
            own if each is None else tuple(names[each] if isinstance(each, int) else each)
            for each in (told["sources"], told["targets"])
        )
        columns: list[list[Entry]] = [[] for _ in targets]
        name = " / ".join((*told["path"], told["field"]))
        given = left.pop(name, {})
        for place in range(told["entries"]):
            row, column = next(places)
            stored = next(exact if told["field"] == "numbers" else others)
            said = given.pop(str(place), None)
            columns[column].append((row, stored if said is None else Fraction(said), stored))
        if given:
            raise ValueError(f"entries that {name} does not have")
        key = tuple(told["path"]), told["field"]
        maps[key] = Map(sources, targets, tuple(tuple(each) for each in columns))
    if left or next(places, None) is not None:
        raise ValueError("maps that are not there")
    return Folder(layout, about["dtype"], maps, _digest(about, header, data[8 + length :]), own)


def _digest(about: Mapping[str, Any], header: Mapping[str, Any], data: bytes) -> str:
    """Of all that a network computes with; what it is called and what is said of it is left out."""
    layout = {key: told for key, told in about["layout"].items() if key not in ("name", "examples")}
    told = {"layout": layout, **{key: about[key] for key in ("dtype", "maps", "names")}}
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    for name, each in sorted(header.items()):
        begin, end = each["data_offsets"]
        digest.update(f"{name} {each['dtype']} {each['shape']}".encode() + data[begin:end])
    return digest.hexdigest()


def _array(data: bytes, dtype: str, shape: list[int], data_offsets: list[int]) -> tuple[Any, ...]:
    (count,), (begin, end) = shape, data_offsets
    return struct.unpack(f"<{count}{KINDS[dtype]}", data[begin:end])


def _numbers(stored: tuple[Any, ...], dtype: str) -> list[Fraction]:
    if dtype == "BF16":
        stored = struct.unpack(
            f"<{len(stored)}f", b"".join(struct.pack("<HH", 0, each) for each in stored)
        )
    return [Fraction(each) for each in stored]
