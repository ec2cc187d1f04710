"""Lines that open a block, use another file, or name something."""

from typing import Any

from lark import Token

from progtf.notation import syntax as s
from progtf.notation.builders.place import Placed, inline, unquote


@inline
class Blocks(Placed):
    """The lines of a file that are not those of a section."""

    def _block(self, keyword: str, name: s.Name | None = None, *arguments: Any) -> s.Block:
        return s.Block(keyword, name, arguments, (), self._here())

    def _plain(self, token: Token | None) -> s.Name | None:
        return None if token is None else s.Name(str(token), (), self._span(token))

    def section_open(self, keyword: Token) -> s.Block:
        return self._block(str(keyword))

    def semes_open(self, *items: s.Declaration) -> s.Block:
        return self._block("semes", None, *items)

    def clocks_open(self, *periods: s.Expression) -> s.Block:
        return self._block("clocks", None, *periods)

    def lexicon_open(
        self, _from: Token | None, path: str | None, *columns: Token | None
    ) -> s.Block:
        named = tuple(s.Text(str(column)) for column in columns if column is not None)
        return self._block("lexicon", None, *([] if path is None else [path, *named]))

    def output_open(self, _from: Token, path: str) -> s.Block:
        return self._block("output", None, path)

    def reading_open(self, what: s.Condition) -> s.Block:
        return self._block("reading", None, what)

    def sequence_open(self, before: s.Name, _to: Token, target: s.Name) -> s.Block:
        return self._block("sequence", None, before, target)

    def circuit_open(self, name: Token, *parameters: Token | None) -> s.Block:
        return self._block(
            "circuit", self._plain(name), *(str(p) for p in parameters if p is not None)
        )

    def layer_open(self, name: Token | None) -> s.Block:
        return self._block("layer", self._plain(name))

    def dense_open(self, name: Token | None) -> s.Block:
        return self._block("dense", self._plain(name))

    def head_open(self, name: s.Name | None) -> s.Block:
        return self._block("head", name)

    def feedforward_open(self) -> s.Block:
        return self._block("feedforward")

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
