"""Lines of the sections: model, semes, clocks, lexicon, spelling, phrases."""

from typing import Any

from lark import Token

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.builders.expressions import Expressions
from progtf.notation.builders.place import inline, unquote
from progtf.notation.diagnostics import Mistake, Span


@inline
class Sections(Expressions):
    """What the sections before the layers say; a method has the name of its rule in the grammar."""

    def setting(self, value: Any, target: Token | None = None) -> Any:
        """``kind: encoder``, or ``tokens: words -> chars``."""
        if target is not None:
            return f"{value} -> {target}"
        return self.variable(value) if isinstance(value, Token) else value

    def length(self, source: s.Expression, target: s.Expression | None) -> s.Items:
        """``length: 9 -> 3``, or one number."""
        return s.Items((source,) if target is None else (source, target))

    def seme_range(self, *parts: Any) -> tuple[Any, Any]:
        """``0..9 step 1/2``, or ``distance``."""
        if len(parts) == 1:
            return str(parts[0]), None
        low, high, step = parts
        return s.Range(low, high, self._reach(low, high)), step

    def seme_declaration(self, name: s.Name, values: tuple[Any, Any] | None) -> s.Declaration:
        """``place[0..9]: 0..1``, one of the names on a line."""
        column = name.span.start - self.now.line.indent
        if hint := messages.unsigned_exponent(self.now.line.content, column):
            raise Mistake(messages.glued_name(name.span, name.base, hint))
        low_high, step = values or (None, None)
        return s.Declaration(name, low_high, step, name.span)

    def semes_line(self, *items: Any) -> s.Statement:
        """A line of ``semes:``."""
        return items[0] if isinstance(items[0], s.ForBlock) else s.Declarations(items, self._here())

    def clocks_line(self, *periods: s.Expression) -> s.Statement:
        """A line of ``clocks:``."""
        return s.Periods(periods, self._here())

    def token(self, token: Token) -> tuple[str, bool, Span]:
        """A word of the lexicon, whether it stands in quotes, and its place."""
        quoted = token.type == "STRING"
        return (unquote(token) if quoted else str(token)), quoted, self._span(token)

    further = token

    def lexicon_entry(self, *parts: Any) -> s.LexiconEntry:
        """``dog cat: +noun``."""
        (word, quoted, span), *more, value = parts
        others = tuple((other, is_quoted) for other, is_quoted, _ in more)
        return s.LexiconEntry(word, quoted, value, span, others)

    def lexicon_unknown(self, value: s.Entries) -> s.LexiconEntry:
        """``unknown: +noun``."""
        return s.LexiconEntry(None, False, value, self._between(0, len("unknown")))

    def row_test(self, no: Token | None, column: Token, test: Token, *values: Token) -> s.RowTest:
        """``number=sg pl``, or with ``!`` before the column or the sign what it is not."""
        plain = tuple(unquote(v) if v.type == "STRING" else str(v) for v in values)
        negated, how = (no is not None) != (test == "!="), " ".join(test.split()).lstrip("!")
        return s.RowTest(negated, str(column), how, plain, self._span(column))

    def row_tests(self, *tests: s.RowTest) -> tuple[s.RowTest, ...]:
        """Tests that ``&`` joins."""
        return tests

    def lexicon_row(
        self, tests: tuple[s.RowTest, ...] | Token, _to: Token, gives: s.Entries
    ) -> s.LexiconRow:
        """``category=noun > noun``, or ``each > noun``."""
        plain = () if isinstance(tests, Token) else tests
        return s.LexiconRow(plain, gives, plain[0].span if plain else self._here())

    def column_of(
        self, _word: Token, column: Token, path: str, tests: tuple[s.RowTest, ...] | None
    ) -> s.ColumnOf:
        """``column french of "vocab.tsv" where category=noun``."""
        return s.ColumnOf(str(column), path, tests or (), self._span(column))

    def words(self, *said: Any) -> s.Statement:
        """``separate: dashes "," "."``: words of the language, then quoted texts."""
        kinds = tuple(str(each) for each in said if isinstance(each, Token))
        texts = tuple(
            each for each in said if isinstance(each, str) and not isinstance(each, Token)
        )
        return self._field(s.Words(texts, kinds))

    def trim(self, _what: Token, leaving: s.Expression | None) -> s.Statement:
        return self._field(s.Number(1, "1", self._here()) if leaving is None else leaving)

    def close(self, mark: str, *after: str | None) -> s.Statement:
        """``close: "?" after "What" "Is"``."""
        return self._field(s.Close(mark, tuple(each for each in after if each is not None)))

    def read_as(self, text: str, meant: str, where: Token | None) -> s.Statement:
        """``read "can't" as "can not"``."""
        return s.ReadAs(text, meant, " ".join((where or "").split()), self._here())

    def mark_unknown(self, test: Any, _to: Token, gives: s.Entries) -> s.Statement:
        """``unknown "-ed" > verb past``, or ``unknown digits > number``."""
        if isinstance(test, Token):
            return s.SpellingMark(str(test), "", gives, self._here())
        ending, beginning = test.startswith("-"), test.endswith("-")
        if ending == beginning or len(test) < 2:
            raise Mistake(messages.no_ending(self._here(), test))
        if ending:
            return s.SpellingMark("ending", test[1:], gives, self._here())
        return s.SpellingMark("beginning", test[:-1], gives, self._here())

    def mark_capitals(self, _word: Token, _to: Token, gives: s.Entries) -> s.Statement:
        return s.SpellingMark("capitals", "", gives, self._here())

    def mark(self, test: Token, text: str, _to: Token, gives: s.Entries) -> s.Statement:
        return s.SpellingMark(str(test), text, gives, self._here())

    def phrase(self, *parts: Any) -> s.Statement:
        *phrases, _to, target = parts
        return s.Phrase(tuple(phrases), target, self._here())
