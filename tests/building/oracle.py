"""What conditions and values mean, said a second time in plain Python over the flat tree."""

import itertools
import math
import operator
from collections.abc import Mapping

import numpy as np

from progtf.building.load import analyse, parse_program
from progtf.notation import flat as f
from progtf.notation.diagnostics import Source
from progtf.notation.expand import expand
from progtf.notation.files import Files
from progtf.notation.parser import parse_all
from progtf.program.model import FeedForward, Layer, Program, Stage
from progtf.running.pointwise import rule_value

COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
Point = Mapping[str, float]


def form_value(form: f.Form, at: Point) -> float:
    return sum(t.coefficient * (1.0 if t.name is None else at[t.name]) for t in form)


def holds(condition: f.Condition, at: Point) -> bool:
    match condition:
        case f.Truth(form=form):
            return form_value(form, at) > 0
        case f.Comparison(operator=sign, left=left, right=right):
            difference = round(form_value(left, at) - form_value(right, at), 9)
            return COMPARE[sign](difference, 0)
        case f.Not(part=part):
            return not holds(part, at)
        case f.AllOf(parts=parts):
            return all(holds(part, at) for part in parts)
        case f.AnyOf(parts=parts):
            return any(holds(part, at) for part in parts)


def function_value(value: f.Function, at: Point) -> float:
    x = round(form_value(value.form, at), 9)
    match value.function, value.arguments:
        case "mod", (m,):
            return x - m * math.floor(x / m)
        case "div", (m,):
            return math.floor(x / m)
        case "sign", ():
            return float(np.sign(x))
        case "abs", ():
            return abs(abs(x) + form_value(value.more, at)) if value.more else abs(x)
        case "clip", (low, high):
            return min(max(x, low), high)
    raise AssertionError(value)


def expected(rule: f.Rule, at: Point) -> float:
    """What a rule with one target gives at a point."""
    weight = rule.targets[0].terms[0].coefficient
    if rule.when is not None and not holds(rule.when, at):
        return 0.0
    match rule.value:
        case None:
            return weight
        case f.Function():
            return weight * function_value(rule.value, at)
        case f.Truth(form=form):
            return weight * form_value(form, at)
        case condition:
            return weight * holds(condition, at)


SEMES = """
semes:
  a b c d p[0..2] q[0..13] r[0..13] out
  x: 0..3
  y: -2..2
  z: 0..6 step 2
  h: 0..1 step 1/4
  t: 0..1 step 1/10
  wide: 0..1000
  free: 0..1 step 0
lexicon:
  w: +a +b +c +d +p +q +r +x +y +2z +h +t +wide +free
"""


def program_text(rules: str) -> str:
    return SEMES + "layer:\n  feedforward:\n" + "".join(f"    {r}\n" for r in rules.splitlines())


def flat_rules(text: str) -> list[f.Rule]:
    file, found = parse_all(Source("t", text))
    flat, more = expand(file, Files())
    assert not found
    assert not more
    return [s for s in f.walk(flat.statements) if isinstance(s, f.Rule)]


def feedforward(layer: Stage) -> FeedForward:
    assert isinstance(layer, Layer)
    assert layer.feedforward is not None
    return layer.feedforward


def points(program: Program, names: list[str]) -> np.ndarray:
    """All combinations of the values of ``names``, everything else 0: shape (points, width)."""
    grids = [
        [v.low + k * v.grain for k in range(int(v.count))] if v.grain else [v.low, v.high]
        for v in map(program.space.ranges.__getitem__, names)
    ]
    rows = list(itertools.product(*grids))
    residual = np.zeros((len(rows), program.width))
    for column, name in enumerate(names):
        residual[:, program.space.index[name]] = [row[column] for row in rows]
    return residual


def computed(program: Program, residual: np.ndarray, target: str) -> np.ndarray:
    """What all layers add to a seme; comparisons may have a layer of their own."""
    place, before = program.space.index[target], residual
    for layer in program.encoder:
        update = np.zeros_like(residual)
        for rule in feedforward(layer).rules:
            amount = rule_value(rule, residual, program.space)
            for seme, weight in rule.writes.items():
                update[:, program.space.index[seme]] += weight * amount
        residual = residual + update
    return (residual - before)[:, place]


def check_rule(rule_text: str, names: list[str], tolerance: float = 1e-9) -> None:
    """The compiled rule and the oracle agree on all points."""
    text = program_text(rule_text)
    program = parse_program(text)
    (rule,) = flat_rules(text)
    residual = points(program, names)
    columns = {name: residual[:, program.space.index[name]] for name in program.space.names}
    wanted = [
        expected(rule, {name: column[row] for name, column in columns.items()})
        for row in range(len(residual))
    ]
    target = rule.targets[0].terms[0].name
    np.testing.assert_allclose(computed(program, residual, target), wanted, atol=tolerance, rtol=0)


def codes(text: str) -> list[str]:
    """The codes of what is wrong with a text."""
    return [d.code for d in analyse(text, "t.seme", None)[1]]
