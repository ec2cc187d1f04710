"""An edited text is read as one that is new, though what has not changed is not read again."""

import random
import re
from collections import Counter

import pytest

from progtf.building import edits, remembered
from progtf.building.edits import Edits
from progtf.building.load import analyse
from progtf.notation.kept import SPARE
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
@pytest.mark.parametrize("seed", range(2, 4))
@pytest.mark.parametrize("name", EDITED)
def test_a_text_after_many_edits_is_read_as_one_that_is_new(name, seed):
    compared(name, 15 if name in SECONDS else 60, seed)


PROGRAM = """semes:
  a[1..3] c[1..2] out other
lexicon:
  x: a[1] + c[1]
  y: a[2] + c[2]
"""
ENDING = """output:
  x: out
"""
SLOTS = {
    "a family is copied": (
        PROGRAM
        + """encoder:
  layer one:
    head h:
      at: -1
      copy: SLOT as prev
  layer two:
    head g:
      at: -1
      value: prev.a>out
"""
        + ENDING,
        ("a", "c", "a c", "a[1]", "a", "a[2..3]", "a[1..2]", "c a"),
    ),
    "a copy that something else declares": (
        PROGRAM.replace("other", "other SLOT")
        + """encoder:
  loop turn up to 3 until done:
    semes:
      done
    layer one:
      head h:
        at: -1
        copy: c as prev
      feedforward:
        done: prev.c[1]
  layer two:
    feedforward:
      out: prev.c[2]
"""
        + ENDING,
        ("", "prev.c[1]", "prev.c[2]", "", "prev.c[1..2]", "prev.out", "prev.c"),
    ),
    "circuits in circuits, a constant of the inner one": (
        "let k = SLOT\n"
        + PROGRAM
        + """circuit inner(to):
  feedforward:
    to: a[k]
circuit outer(to):
  use inner(to)
encoder:
  layer one:
    use outer(out)
"""
        + ENDING,
        ("1", "2", "4", "1.0", "2/2", '"1"', "1", "3"),
    ),
    "a parameter of a circuit in a circuit": (
        PROGRAM
        + """circuit inner(to, from):
  feedforward:
    to: from[1]
circuit outer(to):
  use inner(SLOT)
encoder:
  layer one:
    use outer(out)
"""
        + ENDING,
        ("to, a", "to, c", "to, out", "out, a", "to", "other, c", "to, to", "to, a"),
    ),
    "a circuit that becomes another one": (
        PROGRAM
        + """circuit SLOT(to):
  feedforward:
    to: a[1]
circuit second(to):
  feedforward:
    to: a[2]
encoder:
  layer one:
    use first(out)
"""
        + ENDING,
        ("first", "second", "third", "first", "fist", "first"),
    ),
    "names with a dot in a loop": (
        "let tracks = [SLOT]\n"
        + PROGRAM
        + """semes:
  top.rest bottom.rest
encoder:
  layer one:
    feedforward:
      for t in tracks:
        t.rest: a[1]
  layer two:
    feedforward:
      out: top.rest
"""
        + ENDING,
        ("top, bottom", "top", "bottom", "tap", "bottom, top", "top, top", "a", "top"),
    ),
    "an index of another kind": (
        "let k = SLOT\n"
        + PROGRAM.replace("other", "other d[k]").replace("y:", "y: d[k] +")
        + """encoder:
  layer one:
    feedforward:
      out: d
      for i in d:
        other: d[i]
"""
        + ENDING,
        ("1", "1.0", "2", '"1"', "1", "1..2", "4/2", "0.5", "1/2"),
    ),
    "an alias through an alias": (
        PROGRAM
        + """first := SLOT
second := first & !c[1]
encoder:
  layer one:
    feedforward:
      out: second
"""
        + ENDING,
        ("a[1]", "a[2]", "a[1] | c[2]", "second", "b", "a[1]", "other"),
    ),
    "a range of a seme": (
        "semes:\n  n: 0..SLOT\n"
        + PROGRAM
        + """encoder:
  layer one:
    feedforward:
      n: 2 when a[1]
  layer two:
    feedforward:
      out: n >= 2
      other: n when c[1] & n > 1
"""
        + ENDING,
        ("3", "2", "1", "3.0", "10**6", "10**9", "3", "-1", "2"),
    ),
    "a flag that is called as one that is made": (
        """model:
  layers: auto
semes:
  n: 0..1000000
  m: 0..1000000
  far: 0..1000000
  SLOT
"""
        + PROGRAM.replace("x:", "x: 5n + 4m +")
        + """encoder:
  layer one:
    feedforward:
      far: n when m >= 3 & n >= 4
      out: far
"""
        + ENDING,
        ("", 'comparison["m >= 3"]', "", 'comparison["n >= 4"]', 'comparison["m >= 3",2]', ""),
    ),
    "a mistake, and where semes are first declared": (
        """SLOTout b
lexicon:
  x: out
encoder:
  layer one:
    feedforward:
      b: zzzzzzzzzz
""",
        (
            "semes: ",
            "semes:\n  ",
            "semes:\n    ",
            "semes: b2 ",
            "semes:\n  b ",
            "semes:  ",
            "semes: ",
        ),
    ),
    "so many mistakes that the last have no hint": (
        "semes: abcdefgh out\nlexicon:\n  x: SLOT\n"
        + "".join(f"  y{n}: abcdefghij{n}\n" for n in range(60)),
        ("out", "abcdefg", "out", "abcdef + abcde", "out + abcdefghi", "abcdefgh"),
    ),
    "an empty range in a text": (
        "let k = SLOT\n" + PROGRAM + 'output:\n  "x{k}": a[1]\n',
        ("0", "0..-1", "1..0", "[]", "0..0", "1..1", "2..1"),
    ),
    "what a file stands under, and when": (
        """use "std/digits.seme" as SLOT
"""
        + PROGRAM
        + """encoder:
  layer one:
    feedforward:
      out: a[1]
"""
        + ENDING,
        ("num", "num when a[1]", "num when a[2]", "num  when a[2]", "other", "num when b", "num"),
    ),
}


@pytest.mark.parametrize("kind", SLOTS)
def test_an_edit_in_one_place_changes_what_stands_elsewhere(kind):
    text, values = SLOTS[kind]
    kept, seen = Edits(), set()
    for value in (*values, *values[::-1], *sorted(values)):
        now = text.replace("SLOT", value)
        fresh = examine(now, "edited.seme", None, ("x y",))
        assert examine(now, "edited.seme", None, ("x y",), kept) == fresh, value
        seen.add(str(fresh))
    assert len(seen) > 1


def test_an_edit_changes_what_the_cells_of_a_table_are(tmp_path):
    (tmp_path / "words.tsv").write_text("word\tkind\nx\tred\ny\tblue\n")
    kept, seen = Edits(), set()
    for semes in ("red blue", "red", "red green", "kind[1]", "red blue", "blue", "red blue out"):
        for line in ("kind", "kind=red > other", "word=x > red", "kind"):
            now = f"""semes:
  {semes} other
lexicon from "words.tsv":
  {line}
output:
  x: other
"""
            fresh = examine(now, "edited.seme", tmp_path, ("x y",))
            assert examine(now, "edited.seme", tmp_path, ("x y",), kept) == fresh, now
            seen.add(str(fresh))
    assert len(seen) > 8


def test_the_lines_below_one_table_are_not_those_below_another(tmp_path):
    (tmp_path / "a.tsv").write_text("word\tkind\tfrench\nx\tadj\tred\ny\tn\tblue\n")
    (tmp_path / "b.tsv").write_text("word\tkind\tfrench\nx\tadj\tblue\ny\tadj\tred\nz\tn\tred\n")
    text = """let k = column kind of "a.tsv"
let l = column kind of "b.tsv"
semes: is["red", "blue"] other
lexicon:
  x: +is["red"]
  y: +is["blue"]
output from "SLOT.tsv":
  kind=adj > "{word}": is[french]
"""
    kept, seen = Edits(), set()
    for name in ("a", "b", "a", "c", "b", "b", "a"):
        now = text.replace("SLOT", name)
        fresh = examine(now, "edited.seme", tmp_path, ("x y",))
        assert examine(now, "edited.seme", tmp_path, ("x y",), kept) == fresh, name
        seen.add(str(fresh))
    assert len(seen) == 3


@pytest.mark.parametrize("lines", [50, 12_000])
def test_one_edit_makes_one_part_anew(monkeypatch, lines):
    made = Counter()

    def counted(module, name):
        function = getattr(module, name)

        def counting(*given):
            made[name] += 1
            return function(*given)

        monkeypatch.setattr(module, name, counting)

    counted(edits, "built_rule")
    counted(edits, "build_head")
    counted(remembered.Statements, "_made")
    words = "".join(f"  w{n}: a[1]\n" for n in range(lines))
    rules = "".join(f"      out: {n} when a[{n % 3 + 1}]\n" for n in range(50))
    heads = "".join(f"    head h{n}:\n      at: -{n + 1}\n      value: a>c[1]\n" for n in range(9))
    body = f"encoder:\n  layer one:\n{heads}    feedforward:\n{rules}"
    text = f"semes:\n  a[1..3]\n  c[1]\n  out: 0..99\nlexicon:\n{words}{body}"
    kept = Edits()
    for now in (text, text + "# one\n", text):
        analyse(now, "edited.seme", None, kept=kept)
    assert (made["built_rule"], made["build_head"]) == (50, 9)
    assert made["_made"] > lines
    for before, after, rules, heads in (("out: 7 ", "out: 8 ", 1, 0), ("at: -3", "at: -2", 0, 1)):
        made.clear()
        text = text.replace(before, after, 1)
        analyse(text, "edited.seme", None, kept=kept)
        assert (made["built_rule"], made["build_head"]) == (rules, heads)
        assert made["_made"] < 8  # the line, and what it stands in


def test_what_piles_up_from_edit_to_edit_goes():
    kept, sizes = Edits(), []
    for n in range(1500):
        text = "".join(f"w{k}_{n} := a\n" for k in range(20)) + PROGRAM + ENDING
        analyse(text, "edited.seme", None, kept=kept)
        sizes.append(len(kept.memo.found))
    assert max(sizes) < 3 * SPARE
    assert sizes[-1] < max(sizes)


def test_a_line_that_is_taken_out_and_written_again_is_where_it_stands_now():
    text = 'use "std/digits.seme" as num when a[1]\n' + PROGRAM + ENDING
    rest = text.split("\n", 1)[1]
    kept = Edits()
    for now in (
        text,
        rest,
        text,
        f"\n{text}",
        f"\n\n{rest}",
        f"\n\n{text}",
        rest,
        f"# one\n{text}",
    ):
        found = examine(now, "edited.seme", None, ("x y",), kept)
        assert found == examine(now, "edited.seme", None, ("x y",)), now
