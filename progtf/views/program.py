"""A program as plain data: all that a page needs to show it, and to run it without Python."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from progtf.notation import spell
from progtf.notation.diagnostics import Span
from progtf.numbers import settled
from progtf.program.forms import Form
from progtf.program.interface import interface_of
from progtf.program.model import (
    BOS,
    EOS,
    Cell,
    Dense,
    FeedForward,
    Head,
    Layer,
    Program,
    Rule,
    Stage,
    Unit,
)
from progtf.program.spelling import Spelling
from progtf.program.tokens import InputError, Reader
from progtf.program.vectors import token_vector

Data = dict[str, Any]
MOST_WORDS = 3000
MOST_TEXTS = 40
ROUNDING = 1e-9


def describe(program: Program, texts: Collection[str] = ()) -> Data:
    """Everything that decides what a program computes, ready for JSON.

    Args:
        program: any program.
        texts: inputs whose tokens are wanted even where the lexicon is not sent.

    Returns:
        Names, forms and weights as lists, dicts, strings and numbers. A form is
        ``[{seme: coefficient}, constant]``. ``broken``: names of what is not declared whole.
    """
    classify, cell, ranges = program.classify, program.cell, program.space.ranges
    sizes = ("semes", "width", "lengths", "clocks")
    return {
        **_plain(program, "name", "kind", "tokens", "join", "norm", *sizes),
        "vectors": program.kind == "dense" and not program.lexicon,
        "named": {name: dict(vector) for name, vector in program.vectors.items()},
        "unheard": [loop.name for loop in interface_of(program).loops],
        "names": list(program.space.names),
        "broken": [name for name, values in ranges.items() if not values.whole],
        **_lexicon(program, texts),
        "cell": cell and _at(program, cell, "input", "recurrent", "activation"),
        "encoder": [_stage(program, stage) for stage in program.encoder],
        "decoder": [_stage(program, stage) for stage in program.decoder],
        "outputs": _pairs(program.outputs),
        "classify": classify
        and {
            **_plain(classify, "pool", "otherwise", "number"),
            "classes": _pairs(classify.classes),
        },
        "examples": [
            {"input": e.input, "output": e.output, "line": e.span.line} for e in program.examples
        ],
    }


def _lexicon(program: Program, texts: Collection[str]) -> Data:
    """How a page finds the tokens of a text, and what they are.

    ``cut`` is None where the page finds tokens by itself, by blanks, or characters, or by
    ``spelling``. Where there are too many, it holds the tokens and vectors of some texts instead.
    """
    unknown = None if program.unknown is None else dict(program.unknown)
    if len(program.lexicon) <= MOST_WORDS:
        words = {token: dict(vector) for token, vector in program.lexicon.items()}
        spelling = _spelling(program)
        return {"lexicon": words, "unknown": unknown, "cut": None, "spelling": spelling}
    wanted = dict.fromkeys([*texts, *(example.input for example in program.examples[:MOST_TEXTS])])
    words = {
        token: dict(vector)
        for token, vector in program.lexicon.items()
        if token in program.outputs or token in (BOS, EOS)
    }
    cut = {text: _cut(program, text) for text in wanted}
    return {"lexicon": words, "unknown": unknown, "cut": cut}


def _spelling(program: Program) -> Data | None:
    """What the program says of spelling, with what its marks give."""
    spelling = program.spelling
    if spelling == Spelling():
        return None
    marks = [
        {
            "test": mark.test,
            "text": mark.text,
            "guesses": mark.guesses,
            "line": str(mark),
            "gives": dict(gives),
        }
        for mark, gives in zip(spelling.marks, program.spelled, strict=True)
    ]
    return {**asdict(spelling), "marks": marks}


def _cut(program: Program, text: str) -> Data:
    """The tokens of one text with their vectors, or why it cannot be read."""
    try:
        tokens = Reader.of(interface_of(program)).placed(text)
    except InputError as error:
        return {"error": str(error)}
    found = [token_vector(program, token) for token in tokens]
    vectors = [{seme: float(value) for seme, value in one.items() if value} for one in found]
    places = [token.place for token in tokens]
    return {"tokens": [str(token) for token in tokens], "vectors": vectors, "places": places}


def _shown(value: Any) -> Any:
    """Forms, mappings and tuples as JSON has them."""
    match value:
        case Form():
            return [dict(value.coefficients), value.constant]
        case Mapping():
            return {name: _shown(each) for name, each in value.items()}
        case tuple():
            return [_shown(each) for each in value]
        case _:
            return value


def _plain(part: object, *names: str) -> Data:
    return {name: _shown(getattr(part, name)) for name in names}


def _at(program: Program, part: Cell | Stage | Head, *names: str) -> Data:
    """A part with its line in the program's own text; None if another file says it."""
    return {**_plain(part, *names), "line": _line(program, part.span)}


def _line(program: Program, span: Span) -> int | None:
    return span.line if span.source.name == program.name else None


def _pairs(forms: Mapping[str, Form]) -> list[Any]:
    """Forms in an order that browsers keep, whatever their names."""
    return [[name, _shown(form)] for name, form in forms.items()]


def _stage(program: Program, stage: Stage) -> Data:
    match stage:
        case Dense():
            return {"type": "dense", **_at(program, stage, "name", "relu", "weights")}
        case Layer():
            heads = [_head(program, h, i) for i, h in enumerate((*stage.heads, *stage.cross))]
            return {
                "type": "layer",
                **_at(program, stage, "name", "repeat"),
                "loop": stage.loop
                and _plain(
                    stage.loop, "name", "most", "until", "none", "resets", "unfinished", "asked"
                ),
                "heads": heads[: len(stage.heads)],
                "cross": heads[len(stage.heads) :],
                "feedforward": stage.feedforward and _block(program, stage.feedforward),
            }


def head_name(head: Head, place: int) -> str:
    """What pictures call a head: its name, or its number in the layer."""
    return head.name or f"head {place + 1}"


def _head(program: Program, head: Head, place: int) -> Data:
    return {
        **_at(program, head, "look", "source", "sharpness", "normalize", "bias"),
        "name": head_name(head, place),
        "features": [_plain(f, "name", "query", "key") for f in head.features],
        "channels": [_plain(c, "name", "filler", "role", "writes") for c in head.channels],
        "null": head.null and _plain(head.null, "score", "filler"),
    }


def _block(program: Program, block: FeedForward) -> Data:
    return {
        "rules": [_rule(program, rule) for rule in block.rules],
        "units": [{**_plain(u, "reads", "writes"), "name": rule_name(u)} for u in block.units],
        "bias": dict(block.bias or {}),
    }


def _rule(program: Program, rule: Rule) -> Data:
    bends = ("low", "start", "slope", "reach", "form", "knots")
    return {
        **_plain(rule, "writes"),
        "name": rule_name(rule),
        "violations": _shown(rule.gate.violations()),
        "curve": rule.curve and _plain(rule.curve, *bends),
        "line": _line(program, rule.line.span),
    }


def rule_name(rule: Rule | Unit) -> str:
    """What pictures call a rule: its condition, or what it reads; a unit: its name."""
    if isinstance(rule, Unit):
        return f"unit {rule.name}"
    flags = [*sorted(rule.gate.positive), *(f"!{name}" for name in sorted(rule.gate.negative))]
    read = [] if rule.curve is None else [spell.form(*_spelled(rule.curve.form))]
    return " & ".join([*flags, *read]) or "always"


def _spelled(form: Form) -> tuple[Mapping[str, float], float]:
    """For eyes: coefficients in three digits, without those that are only rounding errors."""
    shown = {n: settled(c, 3) for n, c in form.coefficients.items() if abs(c) > ROUNDING}
    return shown, settled(form.constant, 6)
