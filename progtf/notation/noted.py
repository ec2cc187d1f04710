"""Look-ups that are noted: what was found of a part holds as long as they would find the same."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

Value = TypeVar("Value")
Lookups = list[tuple[str, str, object]]
"""In which table which name was looked up, and what stood there; None: nothing."""


class Noted(dict[str, Value]):
    """A table that notes the names that it is asked for; not who goes through all of it.

    Tables that are made of one with ``|`` note among its own: so what binds further names does.
    """

    __slots__ = ("asked",)

    def __init__(self, given: Mapping[str, Value], asked: list[set[str]] | None = None) -> None:
        super().__init__(given)
        self.asked = [set[str]()] if asked is None else asked

    def __getitem__(self, name: str) -> Value:
        self.asked[0].add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.asked[0].add(name)  # type: ignore[arg-type]
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """As of a dictionary."""
        self.asked[0].add(name)
        return super().get(name, default)

    def there(self, name: str) -> Value | None:
        """What stands under a name; that is not noted."""
        return super().get(name)

    def __or__(self, other: Any) -> Any:
        return Noted(super().__or__(other), self.asked)


def _itself(value: object) -> object:
    return value


class Only:
    """A value that equals itself alone."""

    __slots__ = ("value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Only) and other.value is self.value


class Notes:
    """Tables, and what is asked of them while something is made.

    Args:
        tables: by what they are called.
        shown: of a table what is compared of its values; nothing said: the values.
    """

    def __init__(
        self,
        tables: Mapping[str, Noted[Any]],
        shown: Mapping[str, Callable[[Any], object]] | None = None,
    ) -> None:
        self.tables, self.shown = dict(tables), dict(shown or {})

    @contextmanager
    def taken(self) -> Generator[Lookups]:
        """Within, look-ups are noted; afterwards they stand in the list that is given."""
        lookups: Lookups = []
        outer = {name: table.asked[0] for name, table in self.tables.items()}
        for table in self.tables.values():
            table.asked[0] = set()
        try:
            yield lookups
        finally:
            for name, table in self.tables.items():
                inner, table.asked[0] = table.asked[0], outer[name]
                lookups += ((name, each, self._found(name, each)) for each in inner)
                outer[name] |= inner

    def same(self, lookups: Lookups) -> bool:
        """Whether all would be found as it was; who asks so has looked it up himself."""
        for table, name, value in lookups:
            found = self._found(table, name)
            if found is not value and found != value:
                return False
        for table, name, _ in lookups:
            self.tables[table].asked[0].add(name)
        return True

    def _found(self, table: str, name: str) -> object:
        value = self.tables[table].there(name)
        return None if value is None else self.shown.get(table, _itself)(value)
