"""The fields of blocks: which block has which, and of what kind the value of each is.

A kind says how a value loses its loops and arithmetic, how it is written, and what it writes to.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from progtf.notation import flat as f
from progtf.notation import syntax as s
from progtf.notation import unparse
from progtf.notation.diagnostics import Span
from progtf.notation.scope import Known, Ready
from progtf.notation.terms import Terms


def _nothing(_value: Any) -> Iterator[str]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Kind:
    """What may stand behind a key.

    Attributes:
        flat: the value in numbers and whole names, ready for a round.
        text: how it is written behind the colon.
        targets: the names that a flat value writes.
    """

    flat: Callable[[Terms, Any, Span], Ready[f.FieldValue]]
    text: Callable[[Any], str]
    targets: Callable[[Any], Iterator[str]] = _nothing


def _targets(entries: f.Entries) -> Iterator[str]:
    return (entry.terms[-1].name or "" for entry in entries)


def _copy(_terms: Terms, value: s.Copy, _span: Span) -> Ready[f.FieldValue]:
    raise AssertionError(value)  # what it declares is not for its block alone


LIST = Kind(lambda terms, value, _: terms.entries(value), unparse.entries)
WRITING_LIST = Kind(LIST.flat, LIST.text, _targets)
NAMES = Kind(LIST.flat, unparse.plain_names)
DISTANCE = Kind(lambda terms, value, _: terms.one(value), unparse.name, lambda name: iter((name,)))
CONDITION = Kind(lambda terms, value, _: terms.condition(value), unparse.condition)
EXTREME = Kind(Terms.extreme, unparse.extreme)
REST = Kind(Terms.rest, unparse.rest)
COPY = Kind(_copy, unparse.copy)
LAYERS = Kind(Terms.layers, unparse.layers)
WORD = Kind(Terms.word, unparse.word)
WORDS = Kind(lambda _terms, value, _: Known(value), unparse.words)
CLOSE = Kind(lambda _terms, value, _: Known(value), unparse.close)
NUMBER = Kind(Terms.number, unparse.signed)
SUM = Kind(Terms.number, unparse.expression)
WHOLE = Kind(Terms.whole, unparse.signed)
WHOLE_SUM = Kind(Terms.whole, unparse.expression)
OFFSET = Kind(Terms.whole, unparse.offset)
TRIM = Kind(Terms.whole, unparse.trim)
LENGTHS = Kind(Terms.lengths, unparse.lengths)
STEPS = Kind(Terms.whole, unparse.steps)

FIELDS: Mapping[str, Mapping[str, Kind]] = {
    "model": {
        **dict.fromkeys(("kind", "tokens", "readings", "binding", "norm", "layers"), WORD),
        **dict.fromkeys(("join", "ask"), WORD),
        "length": LENGTHS,
        "sharpness": NUMBER,
        "width": WHOLE,
        "again": STEPS,
    },
    "spelling": {
        **dict.fromkeys(("separate", "drop", "stops", "keep", "fold", "thousands"), WORDS),
        "close": CLOSE,
        "trim": TRIM,
        **dict.fromkeys(("case", "join"), WORD),
    },
    "learn": {
        "semes": SUM,
        "reads": NAMES,
        **dict.fromkeys(("tokens", "protect"), WORD),
        **dict.fromkeys(("encoder", "decoder"), LAYERS),
    },
    "layer": {"repeat": WHOLE_SUM},
    "loop": {"falls": CONDITION},
    "head": {
        **dict.fromkeys(("query", "key", "match", "role"), LIST),
        **dict.fromkeys(("value", "bind", "out"), WRITING_LIST),
        **dict.fromkeys(("at", "querypos", "keypos"), OFFSET),
        **dict.fromkeys(("nearest", "where", "when"), CONDITION),
        **dict.fromkeys(("highest", "lowest"), EXTREME),
        **dict.fromkeys(("look", "from", "normalize"), WORD),
        "distance": DISTANCE,
        "copy": COPY,
        "else": REST,
        "sharpness": NUMBER,
    },
    "feedforward": {
        **dict.fromkeys(("mat1", "bias1"), LIST),
        **dict.fromkeys(("mat2", "bias2"), WRITING_LIST),
    },
    "dense": {"weights": LIST, "bias": LIST, "relu": WORD},
    "cell": {"input": LIST, "recurrent": LIST, "bias": LIST, "activation": WORD},
    "classify": {"pool": WORD},
    "score": {"pool": WORD},
}
"""Block -> key -> kind of value; a key that stands in several blocks is of one kind."""

_KINDS = {key: kind for fields in FIELDS.values() for key, kind in fields.items()}


def keys_of(*kinds: Kind) -> tuple[str, ...]:
    """The keys whose values are of one of these kinds."""
    return tuple(key for key, kind in _KINDS.items() if kind in kinds)


def field_value(node: s.Field[s.FieldValue], terms: Terms) -> Ready[f.FieldValue]:
    """What a field says, in numbers and whole names; a word of the language is itself."""
    if isinstance(node.value, str):
        return Known(node.value)
    return _KINDS[node.key].flat(terms, node.value, node.span)


def field_text(node: s.Field[s.FieldValue]) -> str:
    """The line that a field is written as."""
    text = node.value if isinstance(node.value, str) else _KINDS[node.key].text(node.value)
    return f"{node.key}: {text}".rstrip()


def targets(statement: f.Statement) -> Iterator[str]:
    """The names that a rule or a field of a head or of a feed-forward block writes."""
    match statement:
        case f.Rule(targets=entries):
            yield from _targets(entries)
        case f.Field(key=key, value=value) if key in _KINDS:  # `clocks` is a section of its own
            yield from _KINDS[key].targets(value)
        case _:
            pass
