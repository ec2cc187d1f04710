"""Words, where answers stand, articles apart, files that are none."""

import pytest

from progtf.data.errors import DataError
from progtf.tasks.comprehension import (
    PASSAGE,
    SELDOM,
    Question,
    Text,
    as_pair,
    by_article,
    has_passages,
    read_questions,
    slide,
    spans_of,
    symbols_of,
)
from tests.tasks.comprehension.passages import made, saved


def question(passage, *answers, asked="Who?"):
    return Question("1", "a", Text.of(asked), Text.of(passage), answers)


def test_words_are_runs_of_letters_numbers_and_single_signs():
    text = Text.of("In 1,250.5 km—well-known—she's  8th (é).")
    assert text.words == (
        "In", "1,250.5", "km", "—", "well", "-", "known", "—", "she", "'", "s", "8", "th", "(",
        "é", ")", ".",
    )  # fmt: skip
    assert text.span(4, 6) == "well-known"
    assert Text.of("One. Two three").sentences == ((0, 2), (2, 4))


@pytest.mark.parametrize(
    ("passage", "answers", "spans"),
    [
        ("the cat saw the cat", ["the cat"], ((0, 1), (3, 4))),
        ("the cat saw a dog", ["cat", "a dog", "cat"], ((1, 1), (3, 4))),
        ("concatenate a cat", ["cat"], ((2, 2),)),  # not within a word, where it stands alone
        ("in the 1990s", ["1990"], ((2, 2),)),
        ("a party", ["art"], ((1, 1),)),  # nowhere alone: the word around it
        ("a cat", ["dog"], ()),
        ("a cat", [" "], ()),
    ],
)
def test_answers_are_found_wherever_they_stand(passage, answers, spans):
    assert spans_of(question(passage, *answers)) == spans


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("[]", "no passages of SQuAD"),
        ("{", "no passages of SQuAD"),
        ('{"data": []}', "there are no questions in this file"),
        ('{"version": "1.1"}', "this file lacks 'data'"),
        ('{"data": [{"title": "Goats"}]}', "article `Goats` lacks 'paragraphs'"),
        ('{"data": [{"title": "Goats", "paragraphs": [{"context": "", "qas": []}]}]}', "no words"),
    ],
)
def test_files_that_are_not_of_the_official_form_are_told(tmp_path, said, told):
    (tmp_path / "dev.json").write_text(said)
    assert has_passages(tmp_path / "dev.json")
    with pytest.raises(DataError, match=told):
        read_questions(tmp_path / "dev.json")


def test_a_pair_is_the_words_of_both_and_the_places_of_answers():
    pair = as_pair(question("Anna saw Anna.", "Anna", asked="Whom was seen?"))
    assert pair == (f"Whom was seen ? {PASSAGE} Anna saw Anna .", "@0 @0 @2 @2")
    symbols = symbols_of([pair, pair], [as_pair(question("It is new.", "new"))])
    assert symbols.units[:3] == (PASSAGE, "@0", "@1")
    assert symbols.units.index("Anna") < symbols.units.index(SELDOM) < symbols.units.index("new")
    with pytest.raises(ValueError, match="1,025 words; at most 1,024"):
        as_pair(question("word " * 1025))


def test_no_article_is_on_both_sides_and_which_ones_the_seed_says(tmp_path):
    passages = [each for n in range(10) for each in made(2, n, f"article {n}")]
    questions = read_questions(saved(tmp_path / "x.jsonl.gz", passages))
    held, others = by_article(questions, 0.3, 1)
    names = {each.article for each in held}
    assert len(names) == 3
    assert names.isdisjoint(each.article for each in others)
    assert len(held) + len(others) == len(questions) == 40
    assert by_article(questions, 0.3, 1)[0] == held
    assert {each.article for each in by_article(questions, 0.3, 2)[0]} != names


def test_counting_words_finds_what_stands_with_the_questions_words():
    passage = (
        "Boris keeps a goat in the barn. Clara sells old maps. Anna keeps a parrot in the mill."
    )
    asked = question(passage, asked="Which animal does Anna keep in the mill?")
    assert asked.passage.span(*slide(asked)) == "parrot"
    assert slide(question("of the")) == (0, 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there are no questions"),
        ('{"article": "a", "context": "b"}', "1: this passage lacks 'qas'"),
        ('{"article": "a", "context": " ", "qas": []}', "its `context` has no words"),
        ("7", "1: no passage"),
        ("{", "1: this line is no JSON"),
    ],
)
def test_files_that_are_none_are_told(tmp_path, text, told):
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=told):
        read_questions(path)
    with pytest.raises(DataError, match="no such file"):
        read_questions(tmp_path / "none.jsonl")
    assert not has_passages(tmp_path / "none.jsonl")
    (tmp_path / "x.jsonl.gz").write_bytes(b"\x1f\x8bno gzip")
    with pytest.raises(DataError, match="cannot be read"):
        read_questions(tmp_path / "x.jsonl.gz")


def test_a_changed_file_is_read_again(tmp_path):
    path = saved(tmp_path / "x.jsonl", made(1, 1))
    assert has_passages(path)
    assert len(read_questions(path)) == 2
    assert len(read_questions(saved(path, made(2, 1)))) == 4
