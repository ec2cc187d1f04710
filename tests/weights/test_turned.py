"""Networks whose residual is turned, and heads that are put back."""

from pathlib import Path

import numpy as np
import pytest

import progtf
from progtf.analysis.coordinates import Coordinates
from progtf.network.model import Model
from progtf.weights.turned import Found, comes_back, head, turned, with_head

TEXTS = ["abcd", "dcba", "bb", "acbda", "c", "ddca", "bacbad" * 8, "dab" * 13, "cad" * 10]
PATH = ("encoder", "1 measure", "head end")


@pytest.fixture(scope="module")
def model():
    text = Path("examples/algorithms/reverse.seme").read_text(encoding="utf-8")
    text = text.partition("examples:")[0].replace('"a".."z"', '"a".."d"')
    return progtf.compile(progtf.parse_program(text), "float64")


def turn(width, seed=1):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(width, width)))[0]


def coordinates(model, turn):
    points = [name for name in model.hooks() if ".hook_resid_" in name]
    _, cache = model.run_with_cache(TEXTS, points)
    rows = np.concatenate([cache[point].flatten(0, 1).numpy() for point in points])
    return Coordinates.of(rows @ turn, rows, model.layout.columns)


@pytest.mark.parametrize("width", [30, 45])
def test_all_entries_of_a_turned_program_come_back(model, width):
    rows = turn(width)[: model.layout.d_residual]
    found = comes_back(model.weights, coordinates(model, rows), rows)
    assert found.f1 == 1.0
    assert found.right >= 50
    assert (found.wrong, found.missed, found.unseen) == (0, 0, 0)


def test_in_the_coordinates_of_another_residual_nothing_comes_back(model):
    found = comes_back(model.weights, coordinates(model, turn(30, seed=2)), turn(30))
    assert found.f1 < 0.1


def test_what_is_wrong_and_what_is_missed_count_alike():
    assert Found(right=2, wrong=1, missed=1).f1 == pytest.approx(2 / 3)
    assert Found().f1 == 0.0


def test_a_head_that_is_turned_there_and_back_is_the_same(model):
    own = head(model.weights, PATH)
    back = turned(turned(own, turn(30)), turn(30).T)
    assert set(back) == {"query", "key", "value", "role", "out"}
    for field, pair in own.items():
        for one, other in zip(pair, back[field], strict=True):
            assert one == pytest.approx(other, abs=1e-12)
    assert Model(with_head(model.weights, PATH, own)).run(TEXTS) == model.run(TEXTS)


def test_what_a_head_always_adds_is_put_where_its_layer_adds(model):
    weight, bias = head(model.weights, PATH)["out"]
    more = bias.copy()
    more[model.layout.columns.index('say["a"]')] = 5.0
    changed = with_head(model.weights, PATH, {"out": (weight, more)})
    first = ("encoder", "1 measure", "head start")
    assert changed.maps[first, "out"].entries["", 'say["a"]'] == 5.0
    assert not changed.maps[PATH, "out"].dense()[1].any()
    assert set(Model(changed).run("bcd")) == {"a"}


def test_numbers_of_a_map_are_its_entries(model):
    each = model.weights.maps[PATH, "key"]
    weight, bias = each.dense()
    assert {e: v for e, v in each.entries.items() if v} == each.with_dense(weight, bias).entries
    assert weight.shape == (len(each.sources), len(each.targets))
    assert bias.shape == (len(each.targets),)
