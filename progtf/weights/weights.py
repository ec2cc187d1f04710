"""The weights of a network, by name: the one form that is written, checked, run and saved."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from progtf.frozen import ReadOnly
from progtf.notation.did_you_mean import nearest
from progtf.program.outcome import Outcome, Proof
from progtf.weights.formats import Format, check_format, rounded, working
from progtf.weights.layout import Layout, Stage
from progtf.weights.maps import Key, Map, Path

Learned = Mapping[str, NDArray[np.float32] | NDArray[np.float64]]
EXACT = "numbers"
"""The field of sharpness, null scores and null fillers, which stay in the working format."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Everything that a network is: its layout, and its maps.

    ``network(weights)`` computes with them, ``read`` gives them back.

    Attributes:
        dtype: the format that numbers are stored in.
        maps: by path and field, in the order of the text.
        learned: the tensors of what is learned as a whole, by the names that the network has for
            them; one that is not there is as it is before it is drawn, 0 (factors of norms: 1).
        proof: what is proven of exactly these numbers; other weights made of them have none.
    """

    layout: Layout
    dtype: Format
    maps: Mapping[Key, Map]
    learned: Learned = field(default_factory=dict[str, NDArray[np.float32]])
    proof: Proof | None = field(default=None, init=False, repr=False)
    _proven: bytes = field(default=b"", init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "maps", ReadOnly(self.maps))
        object.__setattr__(self, "learned", ReadOnly(self.learned))

    @classmethod
    def of(cls, layout: Layout, dtype: Format, maps: Iterable[Map]) -> "Weights":
        """Weights of maps whose numbers may have any format; they are rounded.

        Raises:
            FormatError: if a number is too large for the format.
        """
        return cls(layout, dtype, {each.key: _stored(each, dtype) for each in maps})

    def proven(self, proof: Proof) -> "Weights":
        """The same, with what is proven of them."""
        again = replace(self)
        object.__setattr__(again, "proof", proof)
        object.__setattr__(again, "_proven", _digest(again))
        return again

    def as_they_are(self) -> "Weights":
        """The same; without a proof, if somebody wrote into an array behind it since."""
        return self if self.proof is None or _digest(self) == self._proven else replace(self)

    @property
    def outcome(self) -> Outcome:
        """What is proven of them; of weights that were made by hand, or changed: nothing."""
        return self.unproven if self.proof is None else self.proof.outcome

    @property
    def unproven(self) -> Outcome:
        """What is known of weights that are these no longer."""
        return Outcome("learned" if self.hybrid else "not checked", self.dtype)

    def __getitem__(self, name: str) -> Map:
        """A map by its name: ``weights["encoder / 1 read / head end / query"]``.

        Raises:
            KeyError: if there is none of this name.
        """
        *path, last = name.split(" / ")
        if (tuple(path), last) in self.maps:
            return self.maps[tuple(path), last]
        hint = nearest(name, list(self))
        raise KeyError(f"no map is called `{name}`" + (hint and f"; {hint}"))

    def __contains__(self, name: object) -> bool:
        return name in set(self)

    def __iter__(self) -> Iterator[str]:
        """The names of the maps."""
        return (each.name for each in self.maps.values())

    def __deepcopy__(self, _memo: object) -> "Weights":
        """Itself: nothing in it can change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights, (self.layout, self.dtype, dict(self.maps), dict(self.learned))

    def below(self, path: Path) -> Mapping[Key, Map]:
        """The maps whose path begins so."""
        return self._below.get(path, {})

    @cached_property
    def _below(self) -> dict[Path, dict[Key, Map]]:
        found: dict[Path, dict[Key, Map]] = {}
        for (path, name), each in self.maps.items():
            for length in range(len(path) + 1):
                found.setdefault(path[:length], {})[path, name] = each
        return found

    def at(self, path: Path) -> Mapping[str, Map]:
        """The maps of one path by field."""
        return self._by_path.get(path, {})

    @cached_property
    def _by_path(self) -> dict[Path, dict[str, Map]]:
        found: dict[Path, dict[str, Map]] = {}
        for (path, name), each in self.maps.items():
            found.setdefault(path, {})[name] = each
        return found

    def with_maps(self, changed: Iterable[Map]) -> "Weights":
        """The same with some maps changed; their numbers are rounded.

        Raises:
            FormatError: if a number is too large for the format.
        """
        stored = {each.key: _stored(each, self.dtype) for each in changed}
        return replace(self, maps={**self.maps, **stored})

    def stored_as(self, dtype: str) -> "Weights":
        """The same weights in another format; nothing is proven of them in it.

        Raises:
            ValueError: for a format that is none.
            FormatError: if a weight is too large for it.
        """
        if check_format(dtype) == self.dtype:
            return self
        again = Weights.of(self.layout, check_format(dtype), self.maps.values())
        kept = working(again.dtype)
        learned = {n: rounded(a.astype(np.float64), again.dtype) for n, a in self.learned.items()}
        return again.with_learned({name: array.astype(kept) for name, array in learned.items()})

    def with_learned(self, learned: Learned) -> "Weights":
        """The same with other learned tensors."""
        return replace(self, learned=learned)

    def with_entries(self, entries: Mapping[str, Mapping[tuple[str, str], float]]) -> "Weights":
        """The same with some entries added or changed: name of the map -> entry -> number.

        Raises:
            KeyError: if a map, a source or a target has another name.
        """
        return self.with_maps(self[name].with_entries(some) for name, some in entries.items())

    def only_learned(self, path: Path, stage: Stage) -> bool:
        """Whether a layer is there because `learn:` asks for it, and for no other reason."""
        return getattr(stage, "learned", None) is not None and not self.below(path)

    def has_marks(self) -> bool:
        """Whether written entries are trained."""
        return any(bool(each.marks.any()) for each in self.maps.values())

    @property
    def hybrid(self) -> bool:
        """Whether something is left to training, so that the rest is fixed."""
        return self.layout.learn is not None or self.has_marks()

    @property
    def count(self) -> int:
        """How many entries there are, sharpness and what null keys have left out."""
        return sum(len(each) for (_, name), each in self.maps.items() if name != EXACT)

    def __eq__(self, other: object) -> bool:
        """Whether layout, format, names and the bits of all numbers are the same."""
        return (
            isinstance(other, Weights)
            and (self.layout, self.dtype) == (other.layout, other.dtype)
            and dict(self.maps) == dict(other.maps)
            and self.learned.keys() == other.learned.keys()
            and all(_same(mine, other.learned[name]) for name, mine in self.learned.items())
        )

    def __hash__(self) -> int:
        return hash((self.layout.name, self.dtype, len(self.maps)))

    def __repr__(self) -> str:
        return f"<Weights of {self.layout.name}: {self.count:,} entries, {self.dtype}>"


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    shapes = (one.shape, one.dtype) == (other.shape, other.dtype)
    return shapes and one.tobytes() == other.tobytes()


def _stored(each: Map, dtype: Format) -> Map:
    kept = working(dtype) if each.field == EXACT else dtype
    return each.with_numbers(rounded(each.numbers, kept))


def _digest(weights: Weights) -> bytes:
    """Of all numbers, and of where they stand."""
    digest = hashlib.blake2b(digest_size=16)
    for each in weights.maps.values():
        for array in (each.rows, each.columns, each.numbers, each.marks):
            digest.update(np.ascontiguousarray(array).data)
    for name in sorted(weights.learned):
        digest.update(np.ascontiguousarray(weights.learned[name]).data)
    return digest.digest()
