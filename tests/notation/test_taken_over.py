"""Forms of words from one row of a table; sections that a program takes over from what it uses."""

import pytest

import progtf
from progtf.notation.format import format_text

GRAMMAR = """\
semes: dog verb pl loud bad

spelling:
  separate: "."
  case: fold
  capitals > loud

lexicon:
  dog:  +dog
  runs: +verb
  ".":  0

layer one:
  head before:
    at: -1
    copy: pl as p
  feedforward:
    bad: verb & p.pl

score:
  pool: sum
  value: -bad - 0.5loud

demo:
  lexicon:
    cat: +dog

examples:
  Dog runs. -> 0
"""
TABLE = (
    "singular\tplural\tkind\ndog\tdogs\tanimal\nsheep\tsheep\tanimal\n"
    "\tpolice\tpeople\nwater\t\tstuff\n"
)
FORMS = """\
semes: noun sg pl an
lexicon from "nouns.tsv" forms singular plural:
  each > noun
  form=singular > sg
  form=plural > pl
  kind=animal people > an
"""


@pytest.fixture
def written(tmp_path):
    """Writes files into a folder, and reads the last of them."""

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name.replace("_", ".")).write_text(text, encoding="utf-8")
        return progtf.load(tmp_path / name.replace("_", "."))

    return write


def test_each_form_of_a_row_is_a_word_and_knows_its_column(written):
    run = progtf.interpret(written(nouns_tsv=TABLE, a_seme=FORMS)).run
    assert run("dog dogs") == "dog: +noun +sg +an | dogs: +noun +pl +an"
    assert run("sheep") == "sheep: +noun +sg +pl +an"
    assert run("police water") == "police: +noun +pl +an | water: +noun +sg"


def test_a_test_of_word_is_about_the_form(written):
    program = written(nouns_tsv=TABLE, a_seme=FORMS + "  word=dogs > -an\n")
    assert progtf.interpret(program).run("dog dogs") == "dog: +noun +sg +an | dogs: +noun +pl -an"


def test_the_lines_of_forms_are_formatted_as_they_are_written():
    assert format_text(FORMS) == FORMS


def test_a_program_takes_over_spelling_and_score(written):
    program = written(grammar_seme=GRAMMAR, a_seme='use "grammar.seme"\nlexicon:\n  Dogs: +pl\n')
    model = progtf.compile(program)
    assert model.run(["dogs runs.", "DOGS runs", "Dog runs."]) == ["-1", "-1.5", "0"]
    with pytest.raises(progtf.InputError, match="cat"):
        model.run("cat runs")


def test_what_the_program_says_itself_counts(written):
    text = (
        'use "grammar.seme"\nspelling:\n  case: lower\nclassify:\n  ODD: bad\n  otherwise: FINE\n'
    )
    text += "lexicon:\n  dogs: +pl\n"
    program = written(grammar_seme=GRAMMAR.replace("Dog runs. -> 0", ""), a_seme=text)
    run = progtf.interpret(program).run
    assert run(["DOG RUNS", "dogs runs"]) == ["FINE", "ODD"]
    assert run("dog runs.") == "FINE"  # lines of the used file come first, and are not lost


def test_of_a_shared_file_that_two_files_use_the_sections_are_taken_over_once(written):
    other = 'use "grammar.seme"\nsemes: other\nlexicon:\n  puppies: +pl +other\n'
    text = 'use "grammar.seme"\nuse "other.seme"\nlexicon:\n  dogs: +pl\n'
    program = written(grammar_seme=GRAMMAR, other_seme=other, a_seme=text)
    assert progtf.interpret(program).run(["puppies runs", "dogs runs"]) == ["-1", "-1"]
