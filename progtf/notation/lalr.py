"""Lines read by Lark's tables, without what Lark notes of each token beside: nobody asks for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lark import Lark, Token
from lark.parse_tree_builder import ExpandSingleChild
from lark.parsers.lalr_analysis import Shift


@dataclass(frozen=True, slots=True)
class _Reduction:
    """So many values become one, by a rule; ``make`` None: one stays as it is."""

    size: int
    make: Callable[[list[Any]], Any] | None
    rule: str


_State = tuple[Callable[..., Any], Mapping[str, Any], Mapping[str, Any]]
"""What finds the next token, what tells keywords from it, what each kind of token leads to: the
state behind it, or a reduction."""
_END = "$END"


class Tables:
    """The tables that Lark has of a grammar, and how lines are read by them.

    Lark reads the same lines, and alike; of others it says what is wrong with them.
    """

    def __init__(self, lark: Lark) -> None:
        self.lark: Any = lark
        parser = self.lark.parser
        self._table = parser.parser._parse_table  # noqa: SLF001  Lark offers no other way to it
        self._makers = parser.parser.parser.callbacks
        self._lexers = parser.lexer.lexers
        self._ignored = frozenset(parser.lexer_conf.ignore)
        self._known = dict[int, _State]()

    def read(self, text: str, start: str) -> Any:
        """The node of a line, read by the rule ``start``.

        Raises:
            UnexpectedInput: if the grammar does not know it.
        """
        last, end, place = self._table.end_states[start], len(text), 0
        states, values, known = [self._table.start_states[start]], list[Any](), self._known
        find, keywords, actions = known.get(states[0]) or self._state(states[0])
        while True:
            if place < end:
                found = find(text, place)
                if found is None:
                    return self.lark.parse(text, start=start)
                kind, begun, place = found.lastgroup, place, found.end()
                if kind in self._ignored:
                    continue
                if kind in keywords:
                    kind = keywords[kind](found.group()) or kind
                token = str.__new__(Token, found.group())
                token.type, token.start_pos, token.end_pos = kind, begun, place
            else:
                kind = token = _END
            while isinstance(action := actions.get(kind), _Reduction):
                size, make, rule = action.size, action.make, action.rule
                if make is not None:
                    made = make(values[-size:] if size else [])
                    if size:
                        del values[-size:]
                    values.append(made)
                if size:
                    del states[-size:]
                state = self._table.states[states[-1]][rule][1]
                if state == last and kind == _END:
                    return values[-1]
                states.append(state)
                find, keywords, actions = known.get(state) or self._state(state)
            if action is None:
                return self.lark.parse(text, start=start)
            states.append(action)
            values.append(token)
            find, keywords, actions = known.get(action) or self._state(action)

    def _state(self, number: int) -> _State:
        """What may come in a state."""
        lexer, actions = self._lexers[number], dict[str, Any]()
        (expression,) = lexer.scanner._mres  # noqa: SLF001  as above
        for kind, (action, behind) in self._table.states[number].items():
            actions[kind] = behind if action is Shift else self._reduction(behind)
        keywords = {kind: each.scanner.fullmatch for kind, each in lexer.callback.items()}
        self._known[number] = expression.match, keywords, actions
        return self._known[number]

    def _reduction(self, rule: Any) -> _Reduction:
        size, make = len(rule.expansion), self._makers[rule]
        stays = size == 1 and isinstance(make, ExpandSingleChild)
        return _Reduction(size, None if stays else make, rule.origin.name)
