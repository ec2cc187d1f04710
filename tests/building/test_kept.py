"""An edited text is read as one that is new, though what has not changed is not read again."""

import random
import re

import pytest

from progtf.building.edits import Edits
from progtf.views.editor import examine
from tests.programs import ROOT

EDITED = (
    "article/attention_with_positions", "article/clocks", "math/place_value", "math/div",
    "language/grammaticality", "language/scan", "language/translation",
)  # fmt: skip
SECONDS = ("math/div", "language/translation")  # one for every edit
MARKS = (*"+-0123456789 #:>,&|\n\"'.[](){}/=!", "a", "noun", "  ", "use ", "for k in 0..3: ")


def edited(text, some):  # noqa: PLR0911  one edit each
    """The text after some edit: characters, a whole line, a word, or a number."""
    place = some.randrange(len(text) + 1)
    lines = text.split("\n")
    line = some.randrange(len(lines))
    words = list(re.finditer(r"\w+", text))
    match some.randrange(8):
        case 0:
            return text[:place] + some.choice(MARKS) + text[place:]
        case 1:
            return text[:place] + text[place + some.randrange(1, 4) :]
        case 2:
            return "\n".join(lines[:line] + lines[line + 1 :])
        case 3:
            return "\n".join([*lines[:line], lines[line], *lines[line:]])
        case 4:
            return text + "#" + some.choice(MARKS)
        case 5:
            one, other = some.choice(words), some.choice(words)
            return text[: one.start()] + other[0] + text[one.end() :]
        case 6:
            word = some.choice(words)
            return (
                text[: word.end()] + some.choice((f" {word[0]}x", ".0", "x")) + text[word.end() :]
            )
        case _:
            digits = [i for i, mark in enumerate(text) if mark.isdigit()]
            at = some.choice(digits or [0])
            return text[:at] + some.choice("0123456789") + text[at + 1 :]


def compared(name, edits, seed):
    """After each of some edits; wrong ones are taken back soon, as people do."""
    path, kept, some = ROOT / "examples" / f"{name}.seme", Edits(), random.Random(seed)
    text = right = path.read_text(encoding="utf-8")
    for _ in range(edits + 1):
        found = examine(text, str(path), path.parent, ("",), kept)
        assert found == examine(text, str(path), path.parent, ("",)), text
        if found["program"] is not None:
            right = text
        text = right if some.random() < 0.4 else edited(text, some)


@pytest.mark.parametrize(
    ("name", "edits"),
    [(name, 2 if name in SECONDS else 5) for name in EDITED]
    + [pytest.param(name, 12, marks=pytest.mark.long) for name in EDITED],
)
def test_an_edited_text_is_read_as_one_that_is_new(name, edits):
    compared(name, edits, 1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("name", EDITED)
def test_a_text_after_many_edits_is_read_as_one_that_is_new(name, seed):
    compared(name, 60, seed)
