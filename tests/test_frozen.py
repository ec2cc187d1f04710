"""Mappings of a frozen value are read as any other, and nobody changes them."""

import copy
import json
import pickle

import pytest

import progtf
from progtf.frozen import ReadOnly
from progtf.training.evaluation import Scores

TRIES = {
    "set": lambda held: held.__setitem__("new", 1), "change": lambda held: held.update(a=2),
    "delete": lambda held: held.__delitem__(next(iter(held))), "clear": lambda held: held.clear(),
    "pop": lambda held: held.pop(next(iter(held))), "pop item": lambda held: held.popitem(),
    "default": lambda held: held.setdefault("new", 1), "join": lambda held: held.__ior__({"n": 1}),
}  # fmt: skip


@pytest.fixture(scope="module")
def programs():
    return [
        progtf.load(f"examples/{name}.seme")
        for name in ("a_or_an", "article/roles", "math/gcd", "euclid", "hybrid/place_value")
    ]


def layers(programs):
    return [each for p in programs for each in (*p.encoder, *p.decoder) if hasattr(each, "heads")]


def first(found):
    return next(held for held in found if held)


def heads(programs):
    return [head for layer in layers(programs) for head in (*layer.heads, *layer.cross)]


def rules(programs):
    return [rule for layer in layers(programs) for rule in layer.feedforward.rules]


HELD = {
    "Program.lexicon": lambda ps: ps[0].lexicon,
    "a word of Program.lexicon": lambda ps: first(ps[0].lexicon.values()),
    "Program.unknown": lambda ps: first(p.unknown for p in ps),
    "Program.outputs": lambda ps: first(p.outputs for p in ps),
    "Program.places": lambda ps: ps[0].places,
    "Program.spelled": lambda ps: ReadOnly({"a": 1.0}) if not any(p.spelled for p in ps)
    else first(each for p in ps for each in p.spelled),
    "Space.ranges": lambda ps: ps[0].space.ranges,
    "Space.index": lambda ps: ps[0].space.index,
    "Channel.writes": lambda ps: first(c.writes for h in heads(ps) for c in h.channels),
    "Rule.writes": lambda ps: first(rule.writes for rule in rules(ps)),
    "Line.writes": lambda ps: first(rule.line.writes for rule in rules(ps)),
    "Learn.encoder": lambda ps: first(p.learn.encoder for p in ps if p.learn),
    "Answer.scores": lambda ps: first(
        [progtf.compile(progtf.parse_program(SCORED)).try_answers(["x"])[0].scores]
    ),
    "Scores.splits": lambda _: Scores({"a": 1.0}, {"a": {"b": 1.0}}).splits,
    "Scores.modules": lambda _: Scores({"a": 1.0}, {"a": {"b": 1.0}}).modules,
    "Weights.maps": lambda ps: progtf.lower(ps[0]).maps,
}  # fmt: skip
SCORED = "semes: a\nlexicon:\n  x: +a\nclassify:\n  pool: mean\n  yes: a\n  otherwise: no\n"


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("way", TRIES)
def test_no_mapping_of_a_frozen_value_can_be_changed(programs, name, way):
    held = HELD[name](programs)
    before = dict(held)
    with pytest.raises((TypeError, AttributeError)):
        TRIES[way](held)
    assert dict(held) == before


@pytest.mark.parametrize("held", [{}, {"a": 1}, {"a": {"b": 2.0}}, {("a", 1): None}], ids=str)
def test_what_is_read_only_is_a_dictionary_in_all_else(held):
    made = ReadOnly(held)
    assert made == held
    assert repr(made) == repr(held)
    assert list(made.items()) == list(held.items())
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again == held
        assert type(again) is ReadOnly
    assert type(made | {"n": 1}) is type(dict(made)) is dict
    if all(isinstance(key, str) for key in held):
        assert json.loads(json.dumps(made)) == held


def test_a_program_can_be_copied_as_before(programs):
    for each in programs:
        again = copy.deepcopy(each)
        assert again.lexicon == each.lexicon
        assert again.outputs == each.outputs
