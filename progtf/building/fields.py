"""The fields of one block by key, each as the kind of value that its key takes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from progtf.building import problems
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span
from progtf.rational import as_float


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one block.

    The grammar decides what may stand after a key, so a value of another kind is our mistake.
    """

    by_key: dict[str, f.Field[f.FieldValue]]
    place: Span

    @staticmethod
    def of(children: Iterable[f.Statement], place: Span) -> "Fields":
        """The fields among ``children``; rounds of a loop add to one list.

        Raises:
            Mistake: for a key that is given twice.
        """
        by_key: dict[str, f.Field[f.FieldValue]] = {}
        for child in children:
            if isinstance(child, f.Field):
                first = by_key.get(child.key)
                by_key[child.key] = child if first is None else _joined(first, child)
        return Fields(by_key, place)

    def __contains__(self, key: str) -> bool:
        return key in self.by_key

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_key)

    def span(self, key: str) -> Span:
        """Where a field stands; the place of the block if it has no such field."""
        return self.by_key[key].span if key in self.by_key else self.place

    def _of(self, key: str, kind: Any, otherwise: f.FieldValue | None = None) -> Any:
        value = self.by_key[key].value if key in self.by_key else otherwise
        assert isinstance(value, kind), key
        return value

    def entries(self, key: str) -> f.Entries:
        """A list; without the field an empty one."""
        return self._of(key, tuple, ())

    def number(self, key: str, otherwise: float) -> float:
        """A number."""
        return as_float(self._of(key, (int, float), otherwise))

    def word(self, key: str, otherwise: str) -> str:
        """A word of the language, or the name of a distance."""
        return self._of(key, str, otherwise)

    def condition(self, key: str) -> f.Condition:
        """A condition; the field must be there."""
        return self._of(key, (f.Truth, f.Comparison, f.Not, f.AllOf, f.AnyOf))

    def extreme(self, key: str) -> f.Extreme[f.Term, f.Condition]:
        """What ``highest`` or ``lowest`` says; the field must be there."""
        return self._of(key, f.Extreme)

    def rest(self) -> f.Rest[f.Entries, float]:
        """What ``else`` says; without it nothing is written."""
        return self._of("else", f.Rest, f.Rest((), None))


def _joined(first: f.Field[f.FieldValue], second: f.Field[f.FieldValue]) -> f.Field[f.FieldValue]:
    same_line = first.span == second.span
    if same_line and isinstance(first.value, tuple) and isinstance(second.value, tuple):
        return replace(first, value=first.value + second.value)
    match second.value:
        case tuple():
            hint = "join them with a comma, on one line or on indented lines below the key"
        case f.Truth() | f.Comparison() | f.Not() | f.AllOf() | f.AnyOf():
            hint = "join them with `&` or `|`"
        case _:
            hint = ""
    what = f"`{second.key}`"
    raise Mistake(problems.order.twice("duplicate-field", second.span, what, first.span, hint))
