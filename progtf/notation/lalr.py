"""Lines read by Lark's tables, without what Lark notes of each token beside: nobody asks for it."""

from collections.abc import Callable, Mapping
from typing import Any

from lark import Lark, Token
from lark.parse_tree_builder import ExpandSingleChild
from lark.parsers.lalr_analysis import Shift

_Reduction = tuple[int, Callable[[list[Any]], Any] | None, str]
"""How many values become one, what makes it (None: one stays as it is), and by which rule."""
_State = tuple[Callable[..., Any], Mapping[str, Any], Mapping[str, Any], Mapping[str, int]]
"""What finds the next token, what tells keywords from it, what each kind of token leads to (the
state behind it, or a reduction), and the state behind each rule."""
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
        self._known: list[Any] = [None] * len(self._table.states)  # of each state a `_State`

    def read(self, text: str, start: str) -> Any:
        """The node of a line, read by the rule ``start``.

        Raises:
            UnexpectedInput: if the grammar does not know it.
        """
        kind: Any
        last, end, place = self._table.end_states[start], len(text), 0
        stack: list[int] = [self._table.start_states[start]]
        values, known = list[Any](), self._known
        find, keywords, actions, _ = known[stack[0]] or self._state(stack[0])
        while True:
            if place < end:
                found = find(text, place)
                if found is None:
                    break
                kind, begun, place = found.lastgroup, place, found.end()
                if kind in self._ignored:
                    continue
                said = found.group()
                if kind in keywords:
                    kind = keywords[kind](said) or kind
                token = str.__new__(Token, said)
                token.type, token.start_pos, token.end_pos = kind, begun, place
            else:
                kind = token = _END
            while kind in actions and actions[kind].__class__ is tuple:
                size, make, rule = actions[kind]
                if make is not None:
                    values[len(values) - size :] = [make(values[len(values) - size :])]
                del stack[len(stack) - size :]
                _, _, _, behind = known[stack[-1]] or self._state(stack[-1])
                state = behind[rule]
                if state == last and kind == _END:
                    return values[-1]
                stack.append(state)
                find, keywords, actions, _ = known[state] or self._state(state)
            if kind not in actions:
                break
            stack.append(actions[kind])
            values.append(token)
            find, keywords, actions, _ = known[stack[-1]] or self._state(stack[-1])
        return self.lark.parse(text, start=start)  # which says what is wrong

    def _state(self, number: int) -> _State:
        """What may come in a state."""
        lexer, actions, rules = self._lexers[number], dict[str, Any](), dict[str, int]()
        (expression,) = lexer.scanner._mres  # noqa: SLF001  as above
        for name, (action, behind) in self._table.states[number].items():
            if action is not Shift:
                actions[name] = self._reduction(behind)
            elif name.isupper() or name == _END:
                actions[name] = behind
            else:
                rules[name] = behind
        keywords = {kind: each.scanner.fullmatch for kind, each in lexer.callback.items()}
        made = self._known[number] = expression.match, keywords, actions, rules
        return made

    def _reduction(self, rule: Any) -> _Reduction:
        size, make = len(rule.expansion), self._makers[rule]
        stays = size == 1 and isinstance(make, ExpandSingleChild)
        return size, None if stays else make, rule.origin.name
