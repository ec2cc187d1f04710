"""Rules, readings, sequences, the output and the examples."""

from lark import Token

from progtf.notation import syntax as s
from progtf.notation.builders.place import Placed, inline, unquote
from progtf.notation.diagnostics import Span


@inline
class Rules(Placed):
    """What follows from what, and what is said of it."""

    def named_rule(self, target: s.Name, value: s.Value, when: s.Condition | None) -> s.Rule:
        return s.Rule(target, value, when, self._said())

    def vector_rule(self, targets: s.Entries, when: s.Condition) -> s.Rule:
        return s.Rule(targets, None, when, self._here())

    def reading_otherwise(self, targets: s.Entries) -> s.Rule:
        return s.Rule(targets, None, None, self._here())

    def sequence_line(
        self, what: s.Condition, never: Token | None, *before: s.Name
    ) -> s.SequenceLine:
        return s.SequenceLine(what, never is not None, before, self._here())

    def output_classify(self, name: s.Name, domain: s.Range) -> s.OutputClassify:
        return s.OutputClassify(name, domain, name.span)

    def output_entry(self, token: tuple[str, bool, Span], score: s.Condition) -> s.OutputEntry:
        word, quoted, span = token
        return s.OutputEntry(word, quoted, score, span)

    def output_row(
        self, tests: tuple[s.RowTest, ...], _to: Token, token: Token, score: s.Condition
    ) -> s.OutputRow:
        return s.OutputRow(tests, unquote(token), score, self._span(token))

    def class_name(self, token: Token) -> tuple[str, Span]:
        return (unquote(token) if token.type == "STRING" else str(token)), self._span(token)

    def score_value(self, form: s.Form) -> s.Statement:
        return s.ClassEntry("value", s.Truth(form, self._said()), self._said())

    def class_entry(self, label: tuple[str, Span], when: s.Condition) -> s.Statement:
        return s.ClassEntry(label[0], when, label[1])

    def class_otherwise(self, label: tuple[str, Span]) -> s.Statement:
        return s.ClassEntry(label[0], None, label[1])

    def examples_line(self, given: Token, _arrow: Token, expected: Token) -> s.Statement:
        return s.Example(_plain(given), _plain(expected), self._here(), (str(given), str(expected)))

    def entries_line(self, entries: s.Entries) -> s.ListLine:
        return s.ListLine(entries, self._here())


def _plain(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return unquote(text) if quoted else str(text)
