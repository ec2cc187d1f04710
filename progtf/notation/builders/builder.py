"""Grammar rules to syntax nodes: one method per rule, or alias, of ``grammar/seme.lark``.

Lark's trees and tokens end here. A method is called with the children of its rule; absent
optional parts are None. The builder is told which line is being read, so that nodes know
their place.
"""

import re
from typing import Any

from lark import Token

from progtf.notation import syntax as s
from progtf.notation.builders.entries import Entries
from progtf.notation.builders.expressions import Conditions
from progtf.notation.builders.place import inline, unquote
from progtf.notation.builders.sections import Sections
from progtf.notation.diagnostics import Span


@inline
class NodeBuilder(Sections, Entries, Conditions):
    """Builds the nodes of the line that ``read`` named last: blocks, fields and rules here."""

    def block(self, name: s.Name | None = None, *arguments: Any) -> s.Block:
        """A line that opens a block; the keyword stands first in it."""
        keyword = re.split(r"\W", self.now.line.content, maxsplit=1)[0]
        return s.Block(keyword, name, arguments, (), self._here())

    def block_with(self, *arguments: Any) -> s.Block:
        """A line that opens a block and has no name, such as ``semes: noun verb``."""
        given = (x for x in arguments if x is not None and not isinstance(x, Token))
        return self.block(None, *given)

    def circuit_open(self, name: Token, *parameters: Token | None) -> s.Block:
        """``circuit name(parameter, ...):``."""
        given = (str(parameter) for parameter in parameters if parameter is not None)
        return self.block(s.Name(str(name), (), self._span(name)), *given)

    def loop_open(
        self,
        name: s.Name,
        most: s.Expression,
        none: Token | None,
        flag: s.Name,
        *asked: s.Name | None,
    ) -> s.Block:
        """``loop name up to most until flag when asked:``, or ``until no flag``."""
        given = tuple(each for each in asked if each is not None)
        return self.block(name, s.Until(most, flag, none is not None, given))

    def bare_text(self, token: Token) -> s.Text:
        """A name that stands for itself, such as a column of a lexicon."""
        return s.Text(str(token))

    def forms(self, *columns: Token) -> s.Forms:
        """``forms singular plural`` of a lexicon."""
        return s.Forms(tuple(map(str, columns)), self._span(columns[0]))

    def for_open(self, *clauses: s.Clause) -> s.ForBlock:
        """``for i in 0..3 for j in 0..i:``."""
        return s.ForBlock(clauses, (), self._here())

    def use_file(
        self, path: str, prefix: Token | None, when: s.Condition | None = None
    ) -> s.UseFile:
        """``use "file" as prefix when condition``."""
        return s.UseFile(path, None if prefix is None else str(prefix), when, self._here())

    def use_circuit(self, name: Token, *arguments: s.Expression | None) -> s.UseCircuit:
        """``use name(argument, ...)``."""
        given = tuple(argument for argument in arguments if argument is not None)
        return s.UseCircuit(str(name), given, self._span(name))

    def constant(self, name: Token, _equal: Any, value: s.Expression | None = None) -> s.Let:
        """``let name = value``."""
        return s.Let(str(name), value if value is not None else _equal, self._span(name))

    def alias(self, name: s.Name, value: s.Condition) -> s.Statement:
        """``name := condition``."""
        return s.Alias(name, value, name.span)

    def named_value(self, name: s.Name, entries: s.Entries = ()) -> s.Statement:
        """``name: +noun -verb``."""
        return s.NamedValue(name, entries, name.span)

    def string(self, token: Token) -> str:
        """What stands between quotes."""
        return unquote(token)

    # -------------------------------------------------------------- fields

    def field(self, value: Any = ()) -> s.Statement:
        """A value as it is; a word of the language or a quoted text where it is one token."""
        if isinstance(value, Token):
            value = s.Text(unquote(value)) if value.type == "STRING" else str(value)
        return self._field(value)

    def clock_offset(self, key: Token, _: Token, value: s.Expression) -> s.Field[s.FieldValue]:
        """``querypos: +0``."""
        start = key.start_pos or 0
        return s.Field(str(key), value, s.place_of(value, self._between(start, start + len(key))))

    def clock_offsets(
        self, first: s.Field[s.FieldValue], *others: s.Field[s.FieldValue]
    ) -> s.Statement:
        """``querypos: +0``, or ``querypos: +0 keypos: +1``, two fields on a line."""
        return s.Fields((first, *others), self._here()) if others else self._field(first.value)

    def copy(self, *names: s.Name) -> s.Statement:
        """``copy: noun verb as name``."""
        return self._field(s.Copy(names[:-1], names[-1]))

    def learned(self, mark: Token) -> s.Statement:
        """``value: ?``: all of it is learned, at the usual size, which 0 stands for."""
        span = self._span(mark)
        whole = s.Term(1, s.Number(0, "", span), None, span)
        return self._field((s.Entry("vector", (whole,), span, "?"),))

    def learned_layers(
        self, which: s.Expression, heads: s.Expression | None, units: s.Expression | None
    ) -> s.Statement:
        """``encoder: layers 2 heads 4 filter 64``."""
        return self._field(s.LearnedLayers(which, heads, units))

    def extreme(self, form: s.Form, where: s.Condition | None) -> s.Statement:
        """``highest: sum where condition``, or ``lowest``."""
        return self._field(s.Extreme(form, where))

    def rest(self, filler: s.Entries, below: s.Expression | None) -> s.Statement:
        """``else: +none below 0.5``."""
        return self._field(s.Rest(filler, below))

    # -------------------------------------------------------------- rules, output, examples

    def named_rule(self, target: s.Name, value: s.Value, when: s.Condition | None) -> s.Rule:
        """``seme: value when condition``."""
        return s.Rule(target, value, when, self._said())

    def set_rule(
        self, _set: Token, target: s.Name, value: s.Value, when: s.Condition | None
    ) -> s.Rule:
        """``set seme: value when condition``."""
        return s.Rule(target, value, when, self._said(), sets=True)

    def vector_rule(self, targets: s.Entries, when: s.Condition) -> s.Rule:
        """``+noun -verb when condition``."""
        return s.Rule(targets, None, when, self._here())

    def reading_otherwise(self, targets: s.Entries) -> s.Rule:
        """``+noun -verb otherwise``."""
        return s.Rule(targets, None, None, self._here())

    def sequence_line(
        self, what: s.Condition, never: Token | None, *before: s.Name
    ) -> s.SequenceLine:
        """``condition after name name``, or ``never after``."""
        return s.SequenceLine(what, never is not None, before, self._here())

    def output_classify(self, name: s.Name, domain: s.Range) -> s.OutputClassify:
        """``classify seme in 0..9``."""
        return s.OutputClassify(name, domain, name.span)

    def output_entry(self, token: tuple[str, bool, Span], score: s.Condition) -> s.OutputEntry:
        """``token: score``."""
        word, quoted, span = token
        return s.OutputEntry(word, quoted, score, span)

    def output_row(
        self, tests: tuple[s.RowTest, ...], _to: Token, token: Token, score: s.Condition
    ) -> s.OutputRow:
        """``column = "word" -> "token": score``."""
        return s.OutputRow(tests, unquote(token), score, self._span(token))

    def class_name(self, token: Token) -> tuple[str, Span]:
        """The name of a class, and its place."""
        return (unquote(token) if token.type == "STRING" else str(token)), self._span(token)

    def falls(self, form: s.Form) -> s.Statement:
        """``falls: sum`` of a loop."""
        return self._field(s.Truth(form, self._said()))

    def score_value(self, form: s.Form) -> s.Statement:
        """``value: sum`` of a score."""
        return s.ClassEntry("value", s.Truth(form, self._said()), self._said())

    def class_entry(self, label: tuple[str, Span], when: s.Condition) -> s.Statement:
        """``name: condition``."""
        return s.ClassEntry(label[0], when, label[1])

    def class_otherwise(self, label: tuple[str, Span]) -> s.Statement:
        """``otherwise: name``."""
        return s.ClassEntry(label[0], None, label[1])

    def examples_line(self, given: Token, _arrow: Token, expected: Token) -> s.Statement:
        """``input -> answer``."""
        return s.Example(_plain(given), _plain(expected), self._here(), (str(given), str(expected)))

    def entries_line(self, entries: s.Entries) -> s.ListLine:
        """A vector or a matrix on a line of its own."""
        return s.ListLine(entries, self._here())


def _plain(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return unquote(text) if quoted else str(text)
