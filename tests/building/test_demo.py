"""A library file shows what it does in its ``demo:``, which stays with it."""

from pathlib import Path

from progtf.building.load import analyse, load

LIBRARY = """
semes: marked
circuit mark(what):
  feedforward:
    marked: what

demo:
  semes: word
  lexicon:
    word: +word
  layer:
    use mark(word)
  examples:
    word -> word: +word +marked
"""

PROGRAM = """
use "marks.seme" as note
semes: dog
lexicon:
  dog: +dog
layer:
  use note.mark(dog)
examples:
  dog -> dog: +dog +note.marked
"""


def test_a_file_by_itself_is_its_demo(tmp_path: Path) -> None:
    (tmp_path / "marks.seme").write_text(LIBRARY)
    program = load(tmp_path / "marks.seme")
    assert program.space.names == ("marked", "word")
    assert [example.input for example in program.examples] == ["word"]


def test_who_uses_a_file_does_not_get_its_demo(tmp_path: Path) -> None:
    (tmp_path / "marks.seme").write_text(LIBRARY)
    (tmp_path / "dogs.seme").write_text(PROGRAM)
    program = load(tmp_path / "dogs.seme")
    assert program.space.names == ("note.marked", "dog")
    assert list(program.lexicon) == ["dog"]
    assert [example.input for example in program.examples] == ["dog"]


def test_mistakes_in_a_demo_are_reported_in_the_demo(tmp_path: Path) -> None:
    text = LIBRARY.replace("use mark(word)", "use mark(wrod)")
    program, found = analyse(text, "marks.seme", tmp_path)
    assert program is None
    assert [d.code for d in found] == ["unknown-seme"]
