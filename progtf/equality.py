"""Values that hold arrays or tensors, compared as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

Value = TypeVar("Value")


def compared(kind: type[Value]) -> type[Value]:
    """A frozen dataclass or named tuple whose values are the same if all that they hold is.

    Python compares values field by field, and an array has no one answer to ``==``. Two arrays, or
    tensors, are the same here if shape, number format, device and all numbers are; NaN is the same
    as NaN.

    Examples:
        ``@compared`` above ``@dataclass(frozen=True)``
    """
    methods = {"__eq__": _equal, "__ne__": _unequal, "__hash__": _hash_of_value}
    for name, method in methods.items():
        setattr(kind, name, method)
    return kind


def _equal(one: Any, other: object) -> bool:
    if type(one) is not type(other):
        return False if isinstance(one, tuple) else NotImplemented  # no tuple without names either
    return one is other or all(map(same, _parts(one), _parts(other)))


def _unequal(one: Any, other: object) -> bool:
    found = _equal(one, other)
    return found if found is NotImplemented else not found


def _hash_of_value(value: Any) -> int:
    return hash((type(value), *map(_hash, _parts(value))))


def _parts(value: Any) -> list[Any]:
    """What a value holds that counts when it is compared."""
    if not is_dataclass(value):
        return list(value)
    return [getattr(value, each.name) for each in fields(value) if each.compare]


def same(one: Any, other: Any) -> bool:
    """Whether two things are the same, arrays and tensors in them by all of their numbers."""
    if one is other:
        return True
    if _is_array(one) or _is_array(other):
        return _is_array(one) and _is_array(other) and _same_arrays(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if _is_sequence(one) and type(one) is type(other) and not _compares(one):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or bool(_undefined(one) and _undefined(other))


def _same_arrays(one: Any, other: Any) -> bool:
    if _format(one) != _format(other):
        return False
    return bool(((one == other) | (_undefined(one) & _undefined(other))).all())


def _undefined(thing: Any) -> Any:
    """Whether a thing is NaN, or which numbers of an array are."""
    return thing != thing  # noqa: PLR0124


def _format(array: Any) -> tuple[object, ...]:
    device = str(getattr(array, "device", ""))
    return type(array), tuple(array.shape), str(array.dtype), device


def _hash(part: Any) -> int:
    """The same for the same: numbers of arrays are left out, and those that are not known."""
    if _is_array(part):
        return hash(tuple(part.shape))
    if isinstance(part, Mapping):
        return hash(frozenset(part))
    if _is_sequence(part) and not _compares(part):
        return hash(tuple(map(_hash, part)))
    return 0 if _undefined(part) else hash(part)


def _is_array(thing: Any) -> bool:
    """Of numpy or torch, neither of which need be there."""
    return hasattr(thing, "shape") and hasattr(thing, "dtype")


def _is_sequence(thing: Any) -> bool:
    return isinstance(thing, Sequence) and not isinstance(thing, (str, bytes))


def _compares(thing: Any) -> bool:
    """Whether it says itself what is the same as it."""
    return type(thing).__eq__ not in (tuple.__eq__, list.__eq__)
