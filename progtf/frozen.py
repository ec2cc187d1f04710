"""Mappings that frozen values hand out: they are read as any other, and nobody can change them."""

from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class ReadOnly(dict[Key, Value]):
    """A dictionary that stays as it was made. A copy, ``dict(it)``, is an ordinary one."""

    __slots__ = ()

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping belongs to a value that is frozen: change a copy, `dict(it)`")

    __setitem__ = __delitem__ = __ior__ = _refused  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refused  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


def freeze(value: object, *names: str) -> None:
    """Makes mappings of a frozen dataclass read-only; for ``__post_init__``."""
    for name in names:
        held = getattr(value, name)
        if type(held) is dict:
            object.__setattr__(value, name, ReadOnly(held))


def freeze_all(value: object, *names: str) -> None:
    """The same, with the mappings in them."""
    for name in names:
        object.__setattr__(value, name, _within(getattr(value, name)))


def _within(held: Any) -> Any:
    if type(held) is tuple:
        return tuple(map(_within, held))
    if type(held) is not dict:
        return held
    return ReadOnly({key: _within(value) for key, value in held.items()})
