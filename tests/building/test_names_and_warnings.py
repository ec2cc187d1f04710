"""Small things that a writer of programs stumbled over."""

from pathlib import Path

import pytest

from progtf.building.load import analyse
from progtf.notation.diagnostics import Diagnostic
from progtf.program.model import Layer, Program
from progtf.running.interpret import Interpreter, answer


def checked(text: str, folder: Path | None = None) -> tuple[Program, tuple[Diagnostic, ...]]:
    """A program that must load, with its warnings."""
    program, found = analyse(text, "<test>", folder)
    assert program is not None, [d.headline for d in found]
    return program, found


def test_a_head_may_be_called_like_a_family() -> None:
    program, found = checked(
        """
semes: right[0..9] word
lexicon:
  word: +word
layer right:
  head right:
    value: word>right[3]
"""
    )
    (layer,) = program.encoder
    assert isinstance(layer, Layer)
    assert (layer.name, [head.name for head in layer.heads], found) == ("right", ["right"], ())


def test_a_phrase_that_begins_with_the_letters_of_another_is_one_of_its_own() -> None:
    program, _ = checked("""
semes: is.minus is.minuscule is.thing found
lexicon:
  minus: +is.minus
  minuscule: +is.minuscule
  thing: +is.thing
layer:
  phrase "minus", "minuscule thing", "minus thing" > found
classify:
  FOUND: found
  otherwise: NONE
""")
    texts = ["minus", "minuscule thing", "minus thing", "thing", "minuscule"]
    assert Interpreter(program).run(texts) == ["FOUND", "FOUND", "FOUND", "NONE", "NONE"]


def test_a_phrase_may_hold_a_loop_variable() -> None:
    program, _ = checked("""
semes: is.one is.two is.half found[1..2]
lexicon:
  one: +is.one
  two: +is.two
  half: +is.half
layer:
  for w at n in [one, two]:
    phrase "{w} half" > found[n + 1]
""")
    assert 'phrase["two half"]' in program.space.index


def test_a_phrase_of_three_words_has_one_writer() -> None:
    program, found = checked(
        """
semes: a b c whole
lexicon:
  a: +a
  b: +b
  c: +c
layer:
  phrase "a b c" > whole
"""
    )
    assert 'phrase["a b c"]' in program.space.index
    assert found == ()


def test_a_number_that_several_tokens_have_is_no_token_s_own() -> None:
    program, _ = checked("""
semes: is.a is.b code: 0..2 hit
lexicon:
  a: +is.a +code
  b: +is.b +2code
layer:
  phrase "a b" > hit
classify:
  HIT: hit
  otherwise: NONE
""")
    assert [answer(program, text).text for text in ("a b", "b b")] == ["HIT", "NONE"]


def test_two_heads_that_write_the_same_seme_are_still_noticed() -> None:
    _, found = checked(
        """
semes: a b
lexicon:
  a: +a
layer:
  head one:
    value: a>b
  head two:
    value: a>b
"""
    )
    assert [d.code for d in found] == ["two-writers"]


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [("a", "c", 0), ("a", "a & !c", 1), ("a", "!c", 1), ("late", "c", 0), ("late", "a", 1)],
)
def test_two_heads_that_write_a_family_are_noticed_once_unless_no_token_reads_by_both(
    first: str, second: str, told: int
) -> None:
    _, found = checked(
        f"""
semes: a c late b[0..3] d[0..3]
lexicon:
  a: +a +b[0] +b[1]
  c: +c
layer zero:
  feedforward:
    late: a & !c
layer one:
  head one:
    at: -1
    when: {first}
    value: b>d
  head two:
    at: +1
    when: {second}
    value: b>d
"""
    )
    assert [d.code for d in found] == ["two-writers"] * told


def test_a_group_may_have_members_that_nobody_writes() -> None:
    _, found = checked(
        """
semes: dog cat weird.case weird.order seen
lexicon:
  dog: +dog +weird.case
  cat: +cat
layer:
  feedforward:
    seen: weird
"""
    )
    assert found == ()


def test_a_group_that_is_read_too_early_is_refused() -> None:
    _, found = analyse(
        """
semes: dog weird.case seen
lexicon:
  dog: +dog
layer one:
  feedforward:
    seen: weird
layer two:
  feedforward:
    weird.case: dog
""",
        "<test>",
        None,
    )
    assert [(d.code, d.severity) for d in found] == [("read-before-written", "error")]
    assert "`weird`" in found[0].headline


def test_a_seme_that_nobody_writes_is_refused() -> None:
    _, found = analyse(
        """
semes: dog pron seen
lexicon:
  dog: +dog
layer:
  feedforward:
    seen: dog | pron
""",
        "<test>",
        None,
    )
    assert [(d.code, d.severity) for d in found] == [("never-written", "error")]


def test_a_decoder_alone_needs_no_special_tokens() -> None:
    text = """
model:
  kind: decoder
semes: a
lexicon:
  a: +a
"""
    checked(text)
    checked(text + "  <eos>: 0\n")


def test_a_table_of_words_may_stand_beside_words_that_are_written_out(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("word\tkind\nher\tdet\ndog\tnoun\nher\tpron\n")
    program, found = checked(
        """
semes: det noun pron
lexicon from "words.tsv":
  kind=det > det
  kind=noun > noun
  kind=pron > pron
  for c in "ab":
    "{c}": +noun
  unknown: 0
""",
        tmp_path,
    )
    assert found == ()
    assert program.unknown == {}
    # A word with several rows has what any of them gives.
    assert program.lexicon == {
        "her": {"det": 1, "pron": 1},
        "dog": {"noun": 1},
        "a": {"noun": 1},
        "b": {"noun": 1},
    }


def test_a_constant_may_stand_behind_a_comparison() -> None:
    program, found = checked(
        """
model:
  kind: dense
semes:
  n: 0..9
  m: 0..9
layer:
  feedforward:
    m: 3 when n >= 5
"""
    )
    assert found == ()
    assert answer(program, "+4n | +5n").text == "+4n | +5n +3m"


def test_guards_compare_characters() -> None:
    program, _ = checked(
        """
semes: is["a".."c"] later["a".."c"]
lexicon:
  for x in "abc":
    "{x}": +is[x]
layer:
  head:
    look: self
    value: for x in "abc" for y in "abc" if y > x: is[x]>later[y]
"""
    )
    assert answer(program, "b").text == 'b: +is["b"] +later["c"]'


def test_guards_do_not_compare_characters_with_numbers() -> None:
    _, found = analyse(
        """
semes: is["a".."c"]
lexicon:
  for x in "abc" if x > 1:
    "{x}": +is[x]
""",
        "<test>",
        None,
    )
    assert [d.code for d in found if d.severity == "error"] == ["not-a-number"]
    assert 'the text "a"' in found[0].headline


def test_two_copies_of_a_file_mean_to_add_to_what_they_share(tmp_path: Path) -> None:
    (tmp_path / "shared.seme").write_text("semes: out\n")
    lines = "semes: a b\nlexicon:\n  x: +a\nlayer:\n  head:\n    at: -1\n    value: a>out\n"
    lines += "  feedforward:\n    b: a\nlayer:\n  feedforward:\n    out: b\n"
    (tmp_path / "copied.seme").write_text(f'use "shared.seme"\n{lines}')
    text = 'use "copied.seme" as one\nuse "copied.seme" as two\nuse "shared.seme"\n'
    text += "layer:\n  feedforward:\n    out: one.a\n"
    _, found = analyse(text, "t.seme", tmp_path)
    assert [d.code for d in found] == []


def test_readings_of_a_word_join_to_what_any_of_them_gives() -> None:
    lines = "semes: noun verb count: 0..3\nlexicon:\n  run: +noun +2count\n  run: +verb +2count\n"
    program, found = checked(f"model:\n  readings: joined\n{lines}")
    assert program.lexicon == {"run": {"noun": 1, "verb": 1, "count": 2}}
    assert found == ()


def test_who_gives_a_word_two_lines_is_told_the_one_that_says_both() -> None:
    around = "semes: noun verb\nlexicon:\n  {}\nspelling:\n  join: phrases\n"
    lines = '"run on": +noun\n  "run on": -2verb'
    program, found = analyse(around.format(lines), "<test>", None)
    assert program is None
    (told,) = found
    assert 'one line: `"run on": +noun -2verb`' in told.help
    (line,) = [line for line in told.help.split("`") if "+noun" in line]
    joined, _ = checked(around.format(line))
    assert joined.lexicon == {"run on": {"noun": 1, "verb": -2}}
