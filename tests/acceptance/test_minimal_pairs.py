"""``examples/language/blimp.seme`` with the words that come with it: no data is needed."""

import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import progtf
from progtf.network.model import Model
from progtf.program.answers import Answer

ROOT = Path(__file__).parents[2]
LANGUAGE = ROOT / "examples" / "language"
SETS = ROOT / "tests" / "data" / "language"


def rows(path: Path) -> list[dict[str, str]]:
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [dict(zip(lines[0], cells, strict=True)) for cells in lines[1:]]


PAIRS = rows(SETS / "minimal_pairs.tsv")
SENTENCES = rows(SETS / "first_sentences.tsv")
NOUNS = rows(LANGUAGE / "english_nouns.tsv")
VERBS = rows(LANGUAGE / "english_verbs.tsv")
ADJECTIVES = rows(LANGUAGE / "english_adjectives.tsv")
WORDS = rows(LANGUAGE / "english_words.tsv")
VERB_FORMS = ("plain", "third", "past", "participle", "ing")


@cache
def model() -> Model:
    return progtf.compile(progtf.load(LANGUAGE / "blimp.seme"))


def score(text: str) -> float:
    answer = model().answers([text])[0]
    assert answer.score is not None
    return answer.score


# ------------------------------------------------------------------------ what it judges


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: row["bad"])
def test_of_two_sentences_the_better_one_has_nothing_wrong_and_the_other_has(row):
    assert score(row["good"]) == 0
    assert score(row["bad"]) < 0


def test_pairs_are_told_apart_by_the_word_that_is_wrong():
    answers = model().answers([row["bad"] for row in PAIRS])
    assert all(any(r.seme.startswith(("weird", "odd")) for r in a.because) for a in answers)
    assert len({row["phenomenon"] for row in PAIRS}) >= 40


def test_sentences_as_one_types_them_first_are_judged_right():
    answers = model().try_answers([row["sentence"] for row in SENTENCES])
    given = [a for a in answers if isinstance(a, Answer)]
    assert len(given) == len(SENTENCES) > 100
    wrong = [
        row["sentence"]
        for row, answer in zip(SENTENCES, given, strict=True)
        if (answer.score == 0) != (row["right"] == "1")
    ]
    assert wrong == ["she singing beautifully"]  # that a sentence has a finite verb is not asked


def test_every_answer_is_exact_in_float32():
    assert model().outcome.exact
    assert model().outcome.dtype == "float32"
    assert all(answer.outcome.exact for answer in model().answers([r["good"] for r in PAIRS]))


@pytest.mark.parametrize("word", ["zoltan", "qwerty", "sleepz"])
def test_a_word_that_is_in_no_table_is_refused_by_name(word):
    with pytest.raises(progtf.InputError, match=word):
        model().answers([f"the {word} sleeps"])


def test_it_loads_and_answers_where_no_data_is():
    surroundings = {k: v for k, v in os.environ.items() if k != "PROGTF_DATA"}
    command = [sys.executable, "-m", "progtf", "run", str(LANGUAGE / "blimp.seme")]
    done = subprocess.run(
        [*command, "the dogs sleep", "the dogs sleeps"],
        capture_output=True, text=True, cwd=ROOT, env=surroundings, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "0\n-1\n"), done.stderr


# ------------------------------------------------------------------------ its words


def test_there_are_words_enough_and_none_stands_twice():
    assert len(NOUNS) > 1400
    assert len(VERBS) > 900
    assert len(ADJECTIVES) > 400
    for table, key in (
        (NOUNS, ("singular", "plural")), (VERBS, ("plain", "past")),
        (ADJECTIVES, ("plain",)), (WORDS, ("word",)),
    ):  # fmt: skip
        keys = Counter(tuple(row[part] for part in key) for row in table)
        assert [key for key, count in keys.items() if count > 1] == []


def test_every_cell_is_a_word_as_it_is_written():
    for row in (*NOUNS, *VERBS, *ADJECTIVES, *WORDS):
        for column, cell in row.items():
            pattern = r"[a-z./-]*" if column in ("kind", "takes") else r"[A-Za-z][a-z/]*( [a-z]+)?|"
            assert re.fullmatch(pattern, cell), row


KINDS = {"person", "animal", "group", "institution", "machine", "thing", "time"}


def test_a_noun_has_a_form_a_kind_and_if_it_is_a_person_a_gender():
    for row in NOUNS:
        assert row["singular"] or row["plural"], row
        assert row["kind"] in KINDS, row
        assert (row["gender"] in ("m", "f", "m/f")) == (row["kind"] == "person"), row


def test_plurals_end_in_s_but_those_that_are_irregular():
    plural = [row for row in NOUNS if row["singular"] and row["plural"]]
    irregular = {row["singular"] for row in plural if not row["plural"].endswith("s")}
    assert irregular - INVARIANT == IRREGULAR_NOUNS


IRREGULAR_NOUNS = {
    "man", "gentleman", "policeman", "businessman", "fireman", "salesman", "fisherman", "milkman",
    "chairman", "woman", "policewoman", "businesswoman", "chairwoman", "child", "grandchild",
    "person", "mouse", "goose", "ox", "tooth", "foot", "phenomenon", "criterion", "medium",
    "bacterium", "curriculum", "stimulus", "cactus", "fungus", "nucleus",
}  # fmt: skip

INVARIANT = {
    "sheep", "deer", "fish", "salmon", "trout", "reindeer", "shrimp", "moose", "series",
    "species", "means", "headquarters", "crossroads", "aircraft",
}  # fmt: skip


def test_a_plural_differs_from_its_singular_but_of_a_few_nouns():
    same = {row["singular"] for row in NOUNS if row["singular"] == row["plural"]}
    assert same == INVARIANT


def test_a_verb_has_all_its_forms_and_a_frame():
    for row in VERBS:
        heads = {form: row[form].partition(" ")[0] for form in VERB_FORMS}
        assert all(heads.values()), row
        assert len({row[form].partition(" ")[2] for form in VERB_FORMS}) == 1, row
        assert heads["third"] == "has" or heads["third"].endswith("s"), row
        assert heads["third"] != heads["plain"], row
        assert heads["ing"].endswith("ing"), row
        assert row["subject"] in ("", "person", "animate", "group", "agent"), row


def test_frames_are_those_that_the_program_reads():
    read = (LANGUAGE / "blimp.seme").read_text(encoding="utf-8")
    known = set(re.findall(r"""takes(?: has |=)"?([a-z.]+)""", read))
    assert known == {part for row in VERBS for part in row["takes"].split("/")}
    assert all(set(row["takes"].split("/")) - {"active", "context"} for row in VERBS)


def test_a_past_that_is_no_regular_one_is_that_of_an_irregular_verb():
    irregular = {
        row["plain"].partition(" ")[0]
        for row in VERBS
        if row["past"].partition(" ")[0] not in regular(row["plain"].partition(" ")[0])
    }
    assert len(irregular) > 100
    assert {"go", "take", "be", "sing", "buy", "put"} - irregular == {"be"}
    pairs = [(row["past"], row["participle"]) for row in VERBS]
    assert all(past == participle for past, participle in pairs if past in PASTS)


def regular(verb: str) -> set[str]:
    """What the past would be by the rules of spelling."""
    doubled = verb + verb[-1] + "ed"
    return {verb + "ed", verb + "d", verb[:-1] + "ied", verb + "ked", doubled}


PASTS = {row["past"] for row in VERBS if row["past"] in regular(row["plain"])} - {"showed"}


def test_adjectives_are_compared_by_both_forms_or_by_none():
    for row in ADJECTIVES:
        assert bool(row["comparative"]) == bool(row["superlative"]), row
        assert row["kind"] in ("", "tough", "raising")


def test_other_words_are_names_places_and_adverbs():
    for row in WORDS:
        assert row["class"] in ("name", "place", "adverb")
        assert (row["kind"] in ("m", "f", "m/f")) == (row["class"] == "name")
        assert (row["class"] != "adverb") == row["word"][0].isupper()
