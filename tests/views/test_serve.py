"""What is told of an edited text: only what has changed, which put together is everything."""

import json

import pytest

from progtf.views.editor import examine
from progtf.views.serve import MOST_FIGURES, Figures, joined, parts_of
from tests.programs import ROOT

NAMES = ("article/attention_with_positions", "math/place_value", "language/grammaticality")


def asked(path, text, figure="1"):
    return {"figure": figure, "text": text, "name": path.name, "folder": str(path.parent),
            "inputs": [""]}  # fmt: skip


def whole(path, text):
    return json.loads(json.dumps(examine(text, path.name, path.parent, [""])))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_told_after_every_edit_comes_to_all_that_is_found(name):
    path = ROOT / "examples" / f"{name}.seme"
    text = path.read_text(encoding="utf-8")
    figures, parts = Figures(), {}
    first, *rest = (place for place, mark in enumerate(text) if mark == "+")
    texts = [text, text[:first] + "-" + text[first + 1 :], text + "\nnonsense here", text]
    texts += [text[:place] + text[place + 1 :] for place in rest[::7][:5]]
    for each in texts:
        parts |= json.loads(figures.answer(asked(path, each)))["changed"]
        assert joined(parts) == whole(path, each)


def test_parts_of_what_was_found_are_all_of_it():
    path = ROOT / "examples" / "math" / "place_value.seme"
    found = whole(path, path.read_text(encoding="utf-8"))
    assert joined(dict(parts_of(found))) == found


def test_only_the_layer_that_changed_is_told():
    path = ROOT / "examples" / "math" / "place_value.seme"
    text = path.read_text(encoding="utf-8")
    figures = Figures()
    told = len(figures.answer(asked(path, text)))
    edit = text.replace("hit: digit & rank = asked", "hit: digit & rank < asked")
    said = figures.answer(asked(path, edit))
    assert edit != text
    (changed,) = json.loads(said)["changed"]
    assert changed.startswith("program/encoder/")
    assert len(said) < told / 5
    assert json.loads(figures.answer(asked(path, edit + "\n# a word")))["changed"] == {}


def test_what_is_kept_of_figures_does_not_grow_with_their_number():
    path, figures = ROOT / "examples" / "article" / "clocks.seme", Figures()
    for number in range(3 * MOST_FIGURES):
        figures.answer(asked(path, "semes: a\n", str(number)))
    assert len(figures.known) == MOST_FIGURES
