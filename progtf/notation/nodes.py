"""Grammar rules to syntax nodes: one method per rule of ``grammar/seme.lark``.

Lark's trees and tokens end here. A method is called with the children of its rule; absent
optional parts are None. The builder is told which line is being read, so that nodes know
their place.
"""

import math
import re
from typing import Any

from lark import (
    Token,
    Transformer,
    v_args,  # pyright: ignore[reportUnknownVariableType]  untyped in Lark
)

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Mistake, Span
from progtf.notation.outline import Line

_BRACKET = re.compile(r"""[\[\]]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""")
_PLAIN_TERM = re.compile(
    r"([-+−]?)\s*((?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]\d+)?)?\s*([^\W\d]\w*(?:\.\w+)*)"
)


_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrtbf"'\\/]))""")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
MOST_DIGITS = 300


def unquote(text: str) -> str:
    """The string that a quoted literal stands for; unknown escapes stay as they are."""
    return _ESCAPE.sub(_unescape, text[1:-1])


def _unescape(match: re.Match[str]) -> str:
    long, short, letter = match.groups()
    return _ESCAPED.get(letter, letter) if letter else chr(int(long or short, 16))


@v_args(inline=True)
class NodeBuilder(Transformer[Token, Any]):
    """Builds the nodes of the line that ``read`` named last."""

    line: Line

    def read(self, line: Line) -> None:
        """Take ``line`` as the place of all nodes until the next call."""
        self.line = line

    def _span(self, *tokens: Token | None) -> Span:
        places = [token for token in tokens if token is not None]
        start, end = places[0].start_pos or 0, places[-1].end_pos or 0
        return Span(
            self.line.source, self.line.number, self.line.indent + start, self.line.indent + end
        )

    def _here(self) -> Span:
        return self.line.span()

    def _between(self, start: int, end: int) -> Span:
        """Part of the line, given by columns of its content."""
        indent = self.line.indent
        return Span(self.line.source, self.line.number, indent + start, indent + end)

    def _place(self, node: s.Expression) -> Span:
        """Where an expression stands, as far as it is known."""
        match node:
            case s.Number() | s.Variable() | s.Operation() | s.Range():
                return node.span
            case _:
                return self._here()

    def _reach(self, first: s.Expression, last: s.Expression) -> Span:
        """From one expression to another."""
        start, end = self._place(first), self._place(last)
        return Span(start.source, start.line, start.start, max(start.end, end.end))

    # -------------------------------------------------------------- expressions

    def number(self, token: Token) -> s.Number:
        return self._number(str(token), token.start_pos or 0)

    def _number(self, text: str, start: int) -> s.Number:
        span = self._between(start, start + len(text))
        value = float(text)
        if len(text) > MOST_DIGITS or math.isinf(value):
            raise Mistake(messages.arithmetic(span, "the number is too large or too long"))
        real = "." in text or "e" in text.lower()
        return s.Number(value if real else int(text), text, span)

    def variable(self, token: Token) -> s.Variable:
        return s.Variable(str(token), self._span(token))

    def text(self, token: Token) -> s.Text:
        return s.Text(unquote(token))

    def operation(self, left: s.Expression, operator: Token, right: s.Expression) -> s.Operation:
        return s.Operation(_sign(operator), (left, right), self._span(operator))

    def signed(self, sign: Token, operand: s.Expression) -> s.Expression:
        return s.Operation("neg", (operand,), self._span(sign)) if _sign(sign) == "-" else operand

    def call(self, function: Token, *operands: s.Expression) -> s.Operation:
        return s.Operation(str(function), operands, self._span(function))

    def range(self, low: s.Expression, high: s.Expression) -> s.Range:
        return s.Range(low, high, self._reach(low, high))

    def domain_list(self, *items: s.Expression) -> s.Items:
        return s.Items(items)

    def signed_number(self, sign: Token | None, value: s.Expression) -> s.Expression:
        return value if sign is None else self.signed(sign, value)

    # -------------------------------------------------------------- names, terms, entries

    def name(self, base: Token, *indices: s.Expression | None) -> s.Name:
        given = tuple(index for index in indices if index is not None)
        if not given:
            return s.Name(str(base), (), self._span(base))
        start = base.start_pos or 0
        return s.Name(str(base), given, self._between(start, _closing(self.line.content, start)))

    def named_term(
        self, sign: Token | None, coefficient: s.Expression | None, name: s.Name
    ) -> s.Term:
        return s.Term(-1 if _sign(sign) == "-" else 1, coefficient, name, name.span)

    def constant_term(self, sign: Token | None, coefficient: s.Expression) -> s.Term:
        return s.Term(-1 if _sign(sign) == "-" else 1, coefficient, None, self._place(coefficient))

    def map_entry(self, left: s.Term, _to: Token | None, right: s.Term | None) -> s.Entry:
        terms = (left,) if right is None else (left, right)
        return s.Entry("vector" if right is None else "map", terms, _whole(terms))

    def marked(self, mark: Token, entry: s.Entry) -> s.Entry:
        start = self._between(mark.start_pos or 0, (mark.start_pos or 0) + 1)
        span = Span(start.source, start.line, start.start, entry.span.end)
        return s.Entry(entry.kind, entry.terms, span, "?" if mark == "?" else "~")

    def relation_entry(self, left: s.Term, middle: s.Term, right: s.Term | None) -> s.Entry:
        terms = (left, middle) if right is None else (left, middle, right)
        return s.Entry("relation", terms, _whole(terms))

    def product_entry(self, left: s.Term, right: s.Term, _to: Token, target: s.Term) -> s.Entry:
        terms = (left, right, target)
        return s.Entry("product", terms, _whole(terms))

    def plain_vector(self, token: Token) -> s.Entries:
        return self._plain_terms(str(token), token.start_pos or 0)

    def plain_entry(self, match: re.Match[str]) -> s.LexiconEntry:
        """A lexicon line ``word: +seme -seme`` as the expression of ``parser`` reads it."""
        entries = self._plain_terms(match["vector"], match.start("vector"))
        return s.LexiconEntry(match["word"], False, entries, self._between(*match.span("word")))

    def _plain_terms(self, text: str, start: int) -> s.Entries:
        source, line, offset = self.line.source, self.line.number, self.line.indent + start
        entries: list[s.Entry] = []
        for match in _PLAIN_TERM.finditer(text):
            sign, number, base = match.groups()
            span = Span(source, line, offset + match.start(3), offset + match.end())
            coefficient = None if number is None else self._number(number, start + match.start(2))
            minus = -1 if sign and sign in "-−" else 1
            term = s.Term(minus, coefficient, s.Name(base, (), span), span)
            entries.append(s.Entry("vector", (term,), span))
        return tuple(entries)

    def for_clause(
        self, start: Token, variable: Token, position: Token | None, *rest: Any
    ) -> s.Clause:
        domain, *guards = rest
        at = None if position is None else str(position)
        return s.Clause(str(variable), at, domain, tuple(guards), self._span(start, variable))

    def guard(
        self, left: s.Expression, operator: Token, right: s.Expression
    ) -> tuple[Any, str, Any]:
        return left, _compare(operator), right

    def loop(self, *parts: s.Clause | s.Entry) -> s.Loop:
        clauses = tuple(part for part in parts if isinstance(part, s.Clause))
        return s.Loop(clauses, tuple(part for part in parts if isinstance(part, s.Entry)))

    def entries(self, *items: Any) -> s.Entries:
        return tuple(item for item in items if isinstance(item, (s.Entry, s.Loop)))

    # -------------------------------------------------------------- conditions and values

    def form(self, *terms: s.Term) -> s.Form:
        return terms

    def truth(self, form: s.Form) -> s.Truth:
        return s.Truth(form, form[0].span)

    def comparison(self, left: s.Form, operator: Token, right: s.Form) -> s.Comparison:
        return s.Comparison(_compare(operator), left, right, self._span(operator))

    def quantified(self, quantifier: Token, name: s.Name) -> s.Quantified:
        return s.Quantified(str(quantifier), name)

    def negation(self, part: s.Condition) -> s.Not:
        return s.Not(part)

    def all_of(self, *parts: s.Condition) -> s.AllOf:
        return s.AllOf(parts)

    def any_of(self, *parts: s.Condition) -> s.AnyOf:
        return s.AnyOf(parts)

    def truth_value(self, condition: s.Condition) -> s.Condition:
        return condition

    def modulo_value(self, form: s.Form, function: Token, modulus: s.Expression) -> s.Function:
        return s.Function(str(function), form, (modulus,), self._span(function))

    def function_value(self, function: Token, form: s.Form, *arguments: s.Expression) -> s.Function:
        return s.Function(str(function), form, arguments, self._span(function))

    # -------------------------------------------------------------- lines of the file

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

    def alias(self, name: s.Name, value: s.Condition) -> s.Alias:
        return s.Alias(name, value, name.span)

    def named_value(self, name: s.Name, entries: s.Entries = ()) -> s.NamedValue:
        return s.NamedValue(name, entries, name.span)

    def string(self, token: Token) -> str:
        return unquote(token)

    # -------------------------------------------------------------- lines of the sections

    def setting(self, value: Any, target: Token | None = None) -> Any:
        if target is not None:
            return f"{value} -> {target}"
        return self.variable(value) if isinstance(value, Token) else value

    def length(self, source: s.Expression, target: s.Expression | None) -> s.Items:
        return s.Items((source,) if target is None else (source, target))

    def model_line(self, key: Any, value: Any = None) -> s.Field:
        if value is not None:
            return self._field(key, value)
        return self._field("join" if isinstance(key, str) else "length", key)

    def seme_range(self, *parts: Any) -> tuple[Any, Any]:
        if len(parts) == 1:
            return str(parts[0]), None
        low, high, step = parts
        return s.Range(low, high, self._reach(low, high)), step

    def seme_declaration(self, name: s.Name, values: tuple[Any, Any] | None) -> s.Declaration:
        low_high, step = values or (None, None)
        return s.Declaration(name, low_high, step, name.span)

    def semes_line(self, *items: Any) -> s.Statement:
        return items[0] if isinstance(items[0], s.ForBlock) else s.Declarations(items, self._here())

    def period(self, value: s.Expression) -> s.Expression:
        return value

    def clocks_line(self, *periods: s.Expression) -> s.Field:
        return self._field("periods", s.Items(periods))

    def token(self, token: Token) -> tuple[str, bool, Span]:
        quoted = token.type == "STRING"
        return (unquote(token) if quoted else str(token)), quoted, self._span(token)

    further = token

    def lexicon_entry(self, *parts: Any) -> s.LexiconEntry:
        (word, quoted, span), *more, value = parts
        others = tuple((other, is_quoted) for other, is_quoted, _ in more)
        return s.LexiconEntry(word, quoted, value, span, others)

    def lexicon_unknown(self, value: s.Entries) -> s.LexiconEntry:
        return s.LexiconEntry(None, False, value, self._between(0, len("unknown")))

    def row_test(self, no: Token | None, column: Token, test: Token, *values: Token) -> s.RowTest:
        plain = tuple(unquote(v) if v.type == "STRING" else str(v) for v in values)
        negated, how = no is not None, " ".join(test.split())
        return s.RowTest(negated, str(column), how, plain, self._span(column))

    def row_tests(self, *tests: s.RowTest) -> tuple[s.RowTest, ...]:
        return tests

    def lexicon_row(
        self, tests: tuple[s.RowTest, ...] | Token, _to: Token, gives: s.Entries
    ) -> s.LexiconRow:
        plain = () if isinstance(tests, Token) else tests
        return s.LexiconRow(plain, gives, plain[0].span if plain else self._here())

    def column_of(
        self, _word: Token, column: Token, path: str, tests: tuple[s.RowTest, ...] | None
    ) -> s.ColumnOf:
        return s.ColumnOf(str(column), path, tests or (), self._span(column))

    # -------------------------------------------------------------- spelling

    def separate(self, *endings: str) -> s.Field:
        return self._field("separate", s.Items(tuple(s.Text(ending) for ending in endings)))

    def trim(self, _what: Token, leaving: s.Expression | None) -> s.Field:
        return self._field("trim", s.Number(1, "1", self._here()) if leaving is None else leaving)

    def letter_case(self, word: Token) -> s.Field:
        return self._field("case", str(word))

    def join(self, word: Token) -> s.Field:
        return self._field("phrases", str(word))

    def mark_capitals(self, _word: Token, _to: Token, gives: s.Entries) -> s.SpellingMark:
        return s.SpellingMark("capitals", "", gives, self._here())

    def mark(self, test: Token, text: str, _to: Token, gives: s.Entries) -> s.SpellingMark:
        return s.SpellingMark(str(test), text, gives, self._here())

    def repeat(self, times: s.Expression) -> s.Field:
        return self._field("repeat", times)

    def phrase(self, *parts: Any) -> s.Phrase:
        *phrases, _to, target = parts
        return s.Phrase(tuple(phrases), target, self._here())

    # -------------------------------------------------------------- fields

    def _field(self, key: str, value: s.FieldValue) -> s.Field:
        return s.Field(key, value, self._said())

    def _said(self) -> Span:
        """What stands behind the colon."""
        content = self.line.content
        said = content[content.find(":") + 1 :].strip()
        return self._between(len(content) - len(said), len(content)) if said else self._here()

    def _key(self, key: Token) -> str:
        return str(key)

    model_key = map_key = position_key = condition_key = dense_key = cell_key = _key
    stack_key = _key

    def map_field(self, key: str, entries: s.Entries = ()) -> s.Field:
        return self._field(key, entries)

    def copy_field(self, *names: s.Name) -> s.Field:
        return self._field("copy", s.Copy(names[:-1], names[-1]))

    def learned_field(self, key: str, mark: Token) -> s.Field:
        """``value: ?``: all of it is learned, at the usual size, which 0 stands for."""
        span = self._span(mark)
        whole = s.Term(1, s.Number(0, "", span), None, span)
        return self._field(key, (s.Entry("vector", (whole,), span, "?"),))

    def learn_semes(self, number: s.Expression) -> s.Field:
        return self._field("semes", number)

    def learn_reads(self, entries: s.Entries = ()) -> s.Field:
        return self._field("reads", entries)

    def learn_tokens(self, text: str) -> s.Field:
        return self._field("tokens", text)

    def learn_protect(self, word: Token) -> s.Field:
        return self._field("protect", str(word))

    def learn_layers(
        self,
        stack: Token,
        which: s.Expression,
        heads: s.Expression | None,
        units: s.Expression | None,
    ) -> s.Field:
        return self._field(str(stack), s.LearnedLayers(which, heads, units))

    def position_field(self, key: str, value: s.Expression) -> s.Field:
        return self._field(key, value)

    def condition_field(self, key: str, value: s.Condition) -> s.Field:
        return self._field(key, value)

    def at(self, offset: s.Expression) -> s.Field:
        return self._field("at", offset)

    def highest(self, form: s.Form, where: s.Condition | None) -> s.Field:
        return self._field("highest", s.Extreme(form, where))

    def lowest(self, form: s.Form, where: s.Condition | None) -> s.Field:
        return self._field("lowest", s.Extreme(form, where))

    def distance(self, name: s.Name) -> s.Field:
        return self._field("distance", name)

    def look(self, word: Token) -> s.Field:
        return self._field("look", str(word))

    def from_encoder(self, word: Token) -> s.Field:
        return self._field("from", str(word))

    def sharpness(self, value: s.Expression) -> s.Field:
        return self._field("sharpness", value)

    def normalize(self, word: Token) -> s.Field:
        return self._field("normalize", str(word))

    def otherwise(self, value: s.Entries, below: s.Expression | None) -> s.Field:
        return self._field("else", s.Rest(value, below))

    def relu(self, word: Token) -> s.Field:
        return self._field("relu", str(word))

    def activation(self, word: Token) -> s.Field:
        return self._field("activation", str(word))

    def pool(self, word: Token) -> s.Field:
        return self._field("pool", str(word))

    def raw_field(self, key: Token, entries: s.Entries = ()) -> s.Field:
        return self._field(str(key), entries)

    # -------------------------------------------------------------- rules, output, examples

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

    def score_value(self, form: s.Form) -> s.ClassEntry:
        return s.ClassEntry("value", s.Truth(form, self._said()), self._said())

    def class_entry(self, label: tuple[str, Span], when: s.Condition) -> s.ClassEntry:
        return s.ClassEntry(label[0], when, label[1])

    def class_otherwise(self, label: tuple[str, Span]) -> s.ClassEntry:
        return s.ClassEntry(label[0], None, label[1])

    def examples_line(self, given: Token, _arrow: Token, expected: Token) -> s.Example:
        return s.Example(_plain(given), _plain(expected), self._here(), (str(given), str(expected)))

    def entries_line(self, entries: s.Entries) -> s.ListLine:
        return s.ListLine(entries, self._here())

    def _only(self, child: Any) -> Any:
        return child

    file_line = lexicon_line = stack_line = layer_line = head_line = _only
    reading_line = feedforward_line = dense_line = cell_line = output_line = classify_line = _only
    spelling_line = score_line = _only


def _whole(terms: tuple[s.Term, ...]) -> Span:
    first, last = terms[0].span, terms[-1].span
    return Span(first.source, first.line, first.start, last.end)


def _closing(content: str, start: int) -> int:
    """The end of the name that begins at ``start``, its index included."""
    depth = 0
    for match in _BRACKET.finditer(content, start):
        depth += {"[": 1, "]": -1}.get(match.group(), 0)
        if match.group() == "]" and depth == 0:
            return match.end()
    return len(content)


def _sign(mark: Token | None) -> str:
    return "" if mark is None else "-" if mark == "−" else str(mark)


def _compare(token: Token) -> str:
    return {"==": "=", "→": ">"}.get(str(token), str(token))


def _plain(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return unquote(text) if quoted else str(text)
