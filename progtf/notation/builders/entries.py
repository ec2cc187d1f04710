"""Names, terms, the entries of vectors and maps, and their loops."""

import re
from typing import Any

from lark import Token

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.builders.expressions import Expressions, compared, sign_of
from progtf.notation.builders.place import inline
from progtf.notation.diagnostics import Mistake, Span
from progtf.notation.names import shadow
from progtf.notation.shared_nodes import Kind

_BRACKET = re.compile(r"""[\[\]]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""")
_PLAIN_TERM = re.compile(
    r"([-+−]?)\s*((?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]\d+)?)?\s*([^\W\d]\w*(?:\.\w+)*)"
)

Loops = tuple[s.Loop, ...]
Choice = tuple[s.Entry[s.Term], ...]


@inline
class Entries(Expressions):
    """Vectors and maps."""

    def name(self, base: Token, *indices: s.Expression | None) -> s.Name:
        given = tuple(index for index in indices if index is not None)
        if not given:
            return s.Name(str(base), (), self._span(base))
        start = base.start_pos or 0
        return s.Name(
            str(base), given, self._between(start, _closing(self.now.line.content, start))
        )

    def named_term(
        self, sign: Token | None, coefficient: s.Expression | None, name: s.Name
    ) -> s.Term:
        return s.Term(_factor(sign), coefficient, name, name.span)

    def constant_term(self, sign: Token | None, coefficient: s.Expression) -> s.Term:
        span = s.place_of(coefficient, self._here())
        return s.Term(_factor(sign), coefficient, None, span)

    def map_entry(self, *parts: s.Term | Token | None) -> s.Entry[s.Term]:
        return _entry("vector" if parts[-1] is None else "map", parts)

    def marked(self, mark: Token, entry: s.Entry[s.Term]) -> s.Entry[s.Term]:
        start = self._between(mark.start_pos or 0, (mark.start_pos or 0) + 1)
        span = Span(start.source, start.row, start.start, entry.span.end)
        return s.Entry(entry.kind, entry.terms, span, "?" if mark == "?" else "~")

    def choice(self, *entries: s.Entry[s.Term]) -> Choice:
        for entry in entries:
            if entry.kind != "vector" or entry.terms[0].name is None:
                raise Mistake(messages.choice_of_semes(entry.span))
        return tuple(s.Entry(each.kind, each.terms, each.span, "one of") for each in entries)

    def relation_entry(self, *parts: s.Term | None) -> s.Entry[s.Term]:
        return _entry("relation", parts)

    def product_entry(self, *parts: s.Term | Token) -> s.Entry[s.Term]:
        return _entry("product", parts)

    def plain_vector(self, token: Token) -> s.Entries:
        return self._plain_terms(str(token), token.start_pos or 0)

    def plain_entry(self, match: re.Match[str]) -> s.LexiconEntry:
        """A lexicon line ``word: +seme -seme`` as the expression of ``parser`` reads it."""
        entries = self._plain_terms(match["vector"], match.start("vector"))
        return s.LexiconEntry(match["word"], False, entries, self._between(*match.span("word")))

    def _plain_terms(self, text: str, start: int) -> s.Entries:
        source, row, offset = self.now.line.source, self.now.line.row, self.now.line.indent + start
        entries: list[s.Entry[s.Term]] = []
        for match in _PLAIN_TERM.finditer(shadow(text)):
            sign, number, _ = match.groups()
            base = text[match.start(3) : match.end(3)]
            span = Span(source, row, offset + match.start(3), offset + match.end())
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
        return left, compared(operator), right

    def loop(self, *parts: s.Clause | s.Entry[s.Term] | Loops | None) -> Loops:
        clauses = tuple(part for part in parts if isinstance(part, s.Clause))
        body = tuple(part for part in parts if isinstance(part, s.Entry))
        behind = parts[-1] if isinstance(parts[-1], tuple) else ()
        return s.Loop(clauses, body), *behind

    def entries(self, *items: s.Entry[s.Term] | Loops | Choice | Token | None) -> s.Entries:
        found: list[s.Entry[s.Term] | s.Loop] = []
        chosen = 0
        for item in items:
            if isinstance(item, s.Entry):
                found.append(item)
            elif isinstance(item, tuple):
                first = item[0]
                chosen += isinstance(first, s.Entry)
                if isinstance(first, s.Entry) and chosen > 1:
                    raise Mistake(messages.choice_twice(first.span))
                found += item
        return tuple(found)


def _factor(sign: Token | None) -> int:
    return -1 if sign_of(sign) == "-" else 1


def _entry(kind: Kind, parts: tuple[s.Term | Token | None, ...]) -> s.Entry[s.Term]:
    terms = tuple(part for part in parts if isinstance(part, s.Term))
    first, last = terms[0].span, terms[-1].span
    return s.Entry(kind, terms, Span(first.source, first.row, first.start, last.end))


def _closing(content: str, start: int) -> int:
    """The end of the name that begins at ``start``, its index included."""
    depth = 0
    for match in _BRACKET.finditer(content, start):
        depth += {"[": 1, "]": -1}.get(match.group(), 0)
        if match.group() == "]" and depth == 0:
            return match.end()
    return len(content)
