"""A program as plain data: all that a page needs to show it, and to run it without Python."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from progtf.notation import spell
from progtf.notation.diagnostics import Span
from progtf.program.forms import Form
from progtf.program.interface import interface_of
from progtf.program.model import (
    BOS,
    EOS,
    Cell,
    Classify,
    Curve,
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
from progtf.running.interpret import embed

Data = dict[str, Any]
MOST_WORDS = 3000
MOST_TEXTS = 40
ROUNDING = 1e-9


def describe(program: Program, texts: Collection[str] = ()) -> Data:
    """Everything that decides what a program computes, ready for JSON.

    The tokens of ``texts`` are wanted even where the lexicon is not sent.

    Returns:
        Names, forms and weights as lists, dicts, strings and numbers. A form is
        ``[{seme: coefficient}, constant]``.
    """
    classify = program.classify
    return {
        **_plain(program, "name", "kind", "tokens", "join", "norm", "semes", "width"),
        "vectors": program.kind == "dense" and not program.lexicon,
        "lengths": list(program.lengths),
        "names": list(program.space.names),
        "clocks": list(program.clocks),
        **_lexicon(program, texts),
        "cell": None if program.cell is None else _cell(program, program.cell),
        "encoder": [_stage(program, stage) for stage in program.encoder],
        "decoder": [_stage(program, stage) for stage in program.decoder],
        "outputs": _pairs(program.outputs),
        "classify": None if classify is None else _classify(classify),
        "examples": [
            {"input": e.input, "output": e.output, "line": e.span.line} for e in program.examples
        ],
    }


def _lexicon(program: Program, texts: Collection[str]) -> Data:
    """How a page finds the tokens of a text, and what they are.

    ``cut`` is None where blanks, or characters, part tokens that stand in ``lexicon``. Where words
    have a spelling, or there are too many, it holds the tokens and vectors of some texts instead.
    """
    unknown = None if program.unknown is None else dict(program.unknown)
    if len(program.lexicon) <= MOST_WORDS and program.spelling == Spelling():
        words = {token: dict(vector) for token, vector in program.lexicon.items()}
        return {"lexicon": words, "unknown": unknown, "cut": None}
    wanted = dict.fromkeys([*texts, *(example.input for example in program.examples[:MOST_TEXTS])])
    words = {
        token: dict(vector)
        for token, vector in program.lexicon.items()
        if token in program.outputs or token in (BOS, EOS)
    }
    cut = {text: _cut(program, text) for text in wanted}
    return {"lexicon": words, "unknown": unknown, "cut": cut}


def _cut(program: Program, text: str) -> Data:
    """The tokens of one text with their vectors, or why it cannot be read."""
    try:
        tokens = Reader.of(interface_of(program)).read(text)
    except InputError as error:
        return {"error": str(error)}
    rows = embed(program, tokens)[:, : program.semes]
    vectors = [{program.space.names[i]: float(row[i]) for i in np.flatnonzero(row)} for row in rows]
    return {"tokens": [str(token) for token in tokens], "vectors": vectors}


def _line(program: Program, span: Span) -> int | None:
    """Where something stands in the program's own text; None if another file says it."""
    return span.line if span.source.name == program.name else None


def _form(form: Form) -> list[Any]:
    return [dict(form.coefficients), form.constant]


def _forms(forms: Mapping[str, Form]) -> Data:
    return {name: _form(form) for name, form in forms.items()}


def _pairs(forms: Mapping[str, Form]) -> list[Any]:
    """Forms in an order that browsers keep, whatever their names."""
    return [[name, _form(form)] for name, form in forms.items()]


def _plain(part: object, *names: str) -> Data:
    return {name: getattr(part, name) for name in names}


def _classify(classify: Classify) -> Data:
    plain = _plain(classify, "pool", "otherwise", "number")
    return {**plain, "classes": _pairs(classify.classes)}


def _cell(program: Program, cell: Cell) -> Data:
    return {
        "input": _forms(cell.input),
        "recurrent": _forms(cell.recurrent),
        "activation": cell.activation,
        "line": _line(program, cell.span),
    }


def _stage(program: Program, stage: Stage) -> Data:
    match stage:
        case Dense():
            return {
                "type": "dense",
                **_plain(stage, "name", "relu"),
                "weights": _forms(stage.weights),
                "line": _line(program, stage.span),
            }
        case Layer():
            block = stage.feedforward
            return {
                "type": "layer",
                **_plain(stage, "name", "repeat"),
                "heads": [_head(program, head, i) for i, head in enumerate(stage.heads)],
                "cross": [
                    _head(program, head, i) for i, head in enumerate(stage.cross, len(stage.heads))
                ],
                "feedforward": None if block is None else _block(program, block),
                "line": _line(program, stage.span),
            }


def head_name(head: Head, place: int) -> str:
    """What pictures call a head: its name, or its number in the layer."""
    return head.name or f"head {place + 1}"


def _head(program: Program, head: Head, place: int) -> Data:
    null = head.null
    return {
        "name": head_name(head, place),
        "features": [
            {"name": f.name, "query": _form(f.query), "key": _form(f.key)} for f in head.features
        ],
        "channels": [
            {
                "name": c.name,
                "filler": _form(c.filler),
                "role": _form(c.role),
                "writes": dict(c.writes),
            }
            for c in head.channels
        ],
        **_plain(head, "look", "source", "sharpness", "normalize"),
        "bias": dict(head.bias),
        "null": None if null is None else {"score": null.score, "filler": list(null.filler)},
        "line": _line(program, head.span),
    }


def _block(program: Program, block: FeedForward) -> Data:
    return {
        "rules": [_rule(program, rule) for rule in block.rules],
        "units": [
            {"name": rule_name(u), "reads": _form(u.reads), "writes": dict(u.writes)}
            for u in block.units
        ],
        "bias": dict(block.bias or {}),
    }


def _rule(program: Program, rule: Rule) -> Data:
    return {
        "name": rule_name(rule),
        "writes": dict(rule.writes),
        "violations": _form(rule.gate.violations()),
        "curve": None if rule.curve is None else _curve(rule.curve),
        "line": _line(program, rule.line.span),
    }


def _curve(curve: Curve) -> Data:
    plain = _plain(curve, "low", "start", "slope", "reach")
    return {**plain, "form": _form(curve.form), "knots": [list(knot) for knot in curve.knots]}


def rule_name(rule: Rule | Unit) -> str:
    """What pictures call a rule: its condition, or what it reads; a unit: its name."""
    if isinstance(rule, Unit):
        return f"unit {rule.name}"
    flags = [*sorted(rule.gate.positive), *(f"!{name}" for name in sorted(rule.gate.negative))]
    read = [] if rule.curve is None else [spell.form(*_spelled(rule.curve.form))]
    return " & ".join([*flags, *read]) or "always"


def _spelled(form: Form) -> tuple[Mapping[str, float], float]:
    """For eyes: coefficients in three digits, without those that are only rounding errors."""
    shown = {name: float(f"{c:.3g}") for name, c in form.coefficients.items() if abs(c) > ROUNDING}
    return shown, float(f"{form.constant:.6g}")
