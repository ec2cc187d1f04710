"""Fields of heads, layers, cells and ``learn:``."""

from typing import Any

from lark import Token

from progtf.notation import syntax as s
from progtf.notation.builders.place import Placed, inline, unquote


@inline
class Fields(Placed):
    """Lines ``key: value``; ``notation.fields`` lists the keys."""

    def field(self, value: Any = ()) -> s.Statement:
        """A value as it is; a word of the language or a quoted text where it is one token."""
        if isinstance(value, Token):
            value = s.Text(unquote(value)) if value.type == "STRING" else str(value)
        return self._field(value)

    def copy(self, *names: s.Name) -> s.Statement:
        return self._field(s.Copy(names[:-1], names[-1]))

    def learned(self, mark: Token) -> s.Statement:
        """``value: ?``: all of it is learned, at the usual size, which 0 stands for."""
        span = self._span(mark)
        whole = s.Term(1, s.Number(0, "", span), None, span)
        return self._field((s.Entry("vector", (whole,), span, "?"),))

    def learned_layers(
        self, which: s.Expression, heads: s.Expression | None, units: s.Expression | None
    ) -> s.Statement:
        return self._field(s.LearnedLayers(which, heads, units))

    def extreme(self, form: s.Form, where: s.Condition | None) -> s.Statement:
        return self._field(s.Extreme(form, where))

    def rest(self, filler: s.Entries, below: s.Expression | None) -> s.Statement:
        return self._field(s.Rest(filler, below))
