"""Lines that open a block, use another file, or name something."""

import re
from typing import Any

from lark import Token

from progtf.notation import syntax as s
from progtf.notation.builders.place import Placed, inline, unquote


@inline
class Blocks(Placed):
    """The lines of a file that are not those of a section."""

    def block(self, name: s.Name | None = None, *arguments: Any) -> s.Block:
        """A line that opens a block; the keyword stands first in it."""
        keyword = re.split(r"\W", self.line.content, maxsplit=1)[0]
        return s.Block(keyword, name, arguments, (), self._here())

    def block_with(self, *arguments: Any) -> s.Block:
        given = (x for x in arguments if x is not None and not isinstance(x, Token))
        return self.block(None, *given)

    def circuit_open(self, name: Token, *parameters: Token | None) -> s.Block:
        given = (str(parameter) for parameter in parameters if parameter is not None)
        return self.block(s.Name(str(name), (), self._span(name)), *given)

    def bare_text(self, token: Token) -> s.Text:
        return s.Text(str(token))

    def for_open(self, *clauses: s.Clause) -> s.ForBlock:
        return s.ForBlock(clauses, (), self._here())

    def use_file(
        self, path: str, prefix: Token | None, when: s.Condition | None = None
    ) -> s.UseFile:
        return s.UseFile(path, None if prefix is None else str(prefix), when, self._here())

    def use_circuit(self, name: Token, *arguments: s.Expression | None) -> s.UseCircuit:
        given = tuple(argument for argument in arguments if argument is not None)
        return s.UseCircuit(str(name), given, self._span(name))

    def constant(self, name: Token, _equal: Any, value: s.Expression | None = None) -> s.Let:
        return s.Let(str(name), value if value is not None else _equal, self._span(name))

    def alias(self, name: s.Name, value: s.Condition) -> s.Statement:
        return s.Alias(name, value, name.span)

    def named_value(self, name: s.Name, entries: s.Entries = ()) -> s.Statement:
        return s.NamedValue(name, entries, name.span)

    def string(self, token: Token) -> str:
        return unquote(token)
