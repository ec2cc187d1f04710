"""Programs, runs and texts as plain data."""

import json
import re

import numpy as np
import pytest

import progtf
from progtf.program.model import Layer
from progtf.running.interpret import answer
from progtf.views.editor import examine
from progtf.views.figure import first_input, source_of
from progtf.views.program import MOST_WORDS, describe, rule_name
from progtf.views.run import clean, watch
from progtf.views.still import program_html
from tests.programs import EACH, LARGE, ROOT, loaded

NOUNS = ROOT / "examples" / "article" / "attention_with_positions.seme"


@pytest.mark.parametrize("path", EACH)
def test_every_part_adds_up_to_the_residual(path):
    program = loaded(path)
    shortest = sorted(program.examples, key=lambda example: len(example.input))
    for example in shortest[:1] if path in LARGE else program.examples[:3]:
        run = json.loads(json.dumps(watch(program, example.input)))
        assert run["answer"]["text"] == answer(program, example.input).text
        for before, after in zip(run["steps"], run["steps"][1:], strict=False):
            if not after["parts"] or before["stack"] != after["stack"] or has_bias(program, after):
                continue
            total = table(program, before["rows"])
            total[:, forgotten(program, after["label"])] = 0
            total += sum(table(program, part["rows"]) for part in after["parts"])
            stays = places_that_stay(before, after)
            total[stays] = table(program, before["rows"])[stays]
            np.testing.assert_allclose(total, table(program, after["rows"]), atol=1e-6)


def places_that_stay(before, after):
    """The places of a decoder that are as before, and to which nothing was added."""
    if after["stack"] != "decoder":
        return []
    alike = (p for p, row in enumerate(after["rows"]) if row == before["rows"][p])
    return [p for p in alike if not any(part["rows"][p] for part in after["parts"])]


def forgotten(program, label):
    """The columns of semes of one round, where a layer begins the round of a loop."""
    firsts = {}
    for stage in (*program.encoder, *program.decoder):
        if isinstance(stage, Layer) and stage.loop is not None:
            firsts.setdefault(stage.loop.name, stage)
    resets = [n for s in firsts.values() if s.name == label for n in s.loop.resets]
    return [program.space.index[name] for name in resets]


def has_bias(program, step):
    stages = {s.name: s for s in (*program.encoder, *program.decoder)}
    block = stages[step["label"]].feedforward
    return block is not None and bool(block.bias)


def table(program, rows):
    return np.array([[row.get(name, 0.0) for name in program.space.names] for row in rows])


@pytest.mark.parametrize("path", EACH)
def test_pictures_are_drawn_of_every_program(path):
    program = loaded(path)
    html = program_html(program, first_input(program))
    assert ("<svg" in html) == bool(program.examples)  # programs that wait for training have none
    assert "NaN" not in html


def test_attention_is_seen_with_its_shares_and_scores():
    run = watch(progtf.load(NOUNS), "black dog white cat")
    (head,) = run["steps"][-1]["heads"]
    assert head["pattern"] == [[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]
    assert head["rest"] == [1, 0, 1, 0]
    assert head["scores"][1][0] == 3.0
    (part,) = run["steps"][-1]["parts"]
    assert part["rows"][1] == {"black": 1.0}


ALMS = """
semes: coin got
lexicon:
  c: +coin
  o: 0
layer all:
  head given:
    normalize: queries
    value: coin>got
"""


def test_what_is_divided_among_readers_is_shown_by_source():
    run = watch(progtf.parse_program(ALMS), "c o c")
    (head,) = run["steps"][-1]["heads"]
    assert head["pattern"] == [[clean(1 / 3)] * 3] * 3
    assert head["rest"] == [0, 0, 0]
    one = ALMS.replace("value:", "query: coin>got\n    key: +got\n    value:")
    (head,) = watch(progtf.parse_program(one), "c o c")["steps"][-1]["heads"]
    assert head["pattern"] == [[0.5] * 3, [0] * 3, [0.5] * 3]


def test_a_text_that_is_gone_through_again_in_fractions_is_seen_once():
    program = loaded(ROOT / "examples" / "math" / "mixed.seme")
    run = watch(program, "What is (28/(-12) - -4)*48/540*(-117)/(-338)?")
    assert run["steps"][0]["parts"] == run["steps"][0]["heads"] == []


def test_a_description_is_plain_and_small():
    described = describe(progtf.load(NOUNS))
    assert json.loads(json.dumps(described)) == described
    assert len(json.dumps(described)) < 4000


def test_of_a_very_large_lexicon_only_what_is_needed_is_sent():
    words = "\n".join(f"  w{i}: +noun" for i in range(MOST_WORDS + 1))
    text = f"semes: noun\nlexicon:\n{words}\nexamples:\n  w1 w2 -> w1: +noun\n"
    described = describe(progtf.parse_program(text), ["w7 w8"])
    assert described["lexicon"] == {}
    assert described["cut"]["w7 w8"]["vectors"] == [{"noun": 1.0}, {"noun": 1.0}]
    assert set(described["cut"]) == {"w1 w2", "w7 w8"}


def test_problems_are_placed_in_utf_16_units_with_what_mends_them():
    text = 'semes: noun\nlexicon:\n  "𝒳": +nuon\n'
    (problem,) = examine(text, "<test>", None)["problems"]
    line = text.split("\n")[problem["line"] - 1].encode("utf-16-le")
    assert line[2 * problem["start"] : 2 * problem["end"]].decode("utf-16-le") == "nuon"
    assert problem["mend"] == "noun"
    assert "did you mean" in problem["text"]


def test_names_are_known_while_something_is_wrong():
    found = examine("semes: noun val: 0..9\nlexicon:\n  x: +nuon\n", "<test>", None)
    assert found["program"] is None
    assert [(n["name"], n["about"], n["line"]) for n in found["names"]] == [
        ("noun", "seme: a flag", 1),
        ("val", "seme: 0..9", 1),
    ]


def test_the_text_of_a_program_is_found_again():
    assert source_of(progtf.load(NOUNS)).text == NOUNS.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="not known"):
        source_of(progtf.parse_program("semes: a\nlexicon:\n  x: +a\n"))


def test_a_rule_is_named_without_rounding_errors():
    blocks = [layer.feedforward for layer in progtf.load("progtf/std/counting.seme").encoder]
    names = [rule_name(rule) for block in blocks if block for rule in block.rules]
    assert "far.cos[8] + far.cos[64]" in names  # 0far.sin[8], 6e-17far.cos[8] are no part of it
    assert not any("e-1" in name or re.search(r"\.\d{4}", name) for name in names)
