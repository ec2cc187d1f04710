import csv
import json
from dataclasses import replace

import pytest

from progtf.analysis import (
    PUBLISHED,
    ModuleScore,
    as_json,
    by_split,
    published_beside,
    score_module,
    summarise,
    write_misses,
)
from progtf.analysis.chart import PICTURES, coverage, draw_chart
from progtf.data import MODULES, ModuleFile, Problem, modules_of
from progtf.data.text import text_of

PROBLEMS = [Problem(f"What is {n} + {n}?", str(2 * n)) for n in (700, 1, 20, 5, 333)]


def file(split="interpolate", module="numbers__gcd", problems=PROBLEMS):
    return ModuleFile(split, module, module, lambda: iter([text_of(problems)]))


def doubles(questions):
    return [str(2 * int(question.split()[2])) for question in questions]


def wrong_from_10_on(questions):
    return ["0" if int(answer) > 10 else answer for answer in doubles(questions)]


def refuses_333(questions):
    if any("333" in question for question in questions):
        raise ValueError("too\nlong")
    return doubles(questions)


def percents(*percents, split="interpolate"):
    """Scores of so many of a hundred right in the first modules of a split."""
    miss = score_module(wrong_from_10_on, file(), limit=1).misses
    modules = zip(modules_of(split), percents, strict=False)
    return [ModuleScore(split, module, 100, miss * (100 - p)) for module, p in modules]


def of_ones_own():
    """Scores of two modules that the dataset does not have."""
    scores = zip(("cats", "dogs"), percents(100, 50), strict=True)
    return [replace(score, module=module) for module, score in scores]


@pytest.mark.parametrize("batch", [1, 2, 5, 100])
def test_a_model_that_is_right_scores_all(batch):
    score = score_module(doubles, file(), batch=batch)
    assert (score.problems, score.correct, score.refused, score.percent) == (5, 5, 0, 100)


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_misses_are_told_in_the_order_of_the_file(batch):
    score = score_module(wrong_from_10_on, file(), batch=batch)
    assert score.percent == 40
    assert [(miss.line, miss.expected, miss.answer) for miss in score.misses] == [
        (1, "1400", "0"),
        (5, "40", "0"),
        (9, "666", "0"),
    ]


def test_an_answer_is_right_only_character_for_character():
    assert score_module(lambda qs: [a + " " for a in doubles(qs)], file()).correct == 0
    shout = [Problem("is 2 a prime number?", "True")]
    assert score_module(lambda _: ["true"], file(problems=shout)).correct == 0


def test_a_refused_question_costs_only_itself():
    score = score_module(refuses_333, file())
    assert (score.correct, score.refused) == (4, 1)
    assert [(miss.answer, miss.refusal) for miss in score.misses] == [("", "too long")]


def test_a_model_that_loses_answers_is_found_out():
    with pytest.raises(RuntimeError, match="1 answers to 5 questions"):
        score_module(lambda _: ["1"], file())


def test_only_the_first_questions_are_put():
    score = score_module(wrong_from_10_on, file(), limit=2)
    assert (score.problems, score.correct) == (2, 1)


def test_questions_of_like_length_are_put_together():
    seen = []
    score_module(lambda questions: seen.append(questions) or doubles(questions), file(), batch=2)
    lengths = [len(question) for questions in seen for question in questions]
    assert lengths == sorted(lengths)


def test_a_summary_is_the_mean_over_modules_and_counts_above_95():
    summary = summarise(percents(100, 96, 95, 50))
    assert summary == (4, 85.25, 2)


def test_modules_count_alike_however_many_problems_they_have():
    few = ModuleScore("interpolate", "a", 10, ())
    many = ModuleScore("interpolate", "b", 1000, percents(0)[0].misses * 10)
    assert summarise([few, many]).mean == 50


def test_splits_are_kept_apart():
    scores = percents(50) + percents(10, split="extrapolate")
    assert {split: len(some) for split, some in by_split(scores).items()} == {
        "interpolate": 1,
        "extrapolate": 1,
    }


def test_json_has_scores_summaries_and_published_rows():
    scores = percents(100, 50) + percents(10, split="extrapolate")
    read = json.loads(as_json(scores, "mine"))
    assert read["model"] == "mine"
    assert read["summary"]["interpolate"] == {"modules": 2, "mean": 75.0, "above_95": 1}
    assert read["summary"]["extrapolate"]["mean"] == 10
    assert read["modules"][1] == {
        "split": "interpolate",
        "module": MODULES[1],
        "problems": 100,
        "correct": 50,
        "refused": 0,
        "wrong": 50,
        "percent": 50.0,
    }
    assert len(read["published"]) == len(PUBLISHED) == 7


def test_questions_of_ones_own_stand_beside_no_published_rows(tmp_path):
    assert published_beside(of_ones_own()) == ()
    assert published_beside([*of_ones_own(), *percents(50)]) == PUBLISHED
    assert json.loads(as_json(of_ones_own(), "mine"))["published"] == []
    assert coverage(of_ones_own()) == "interpolate: 2"
    path = tmp_path / "chart.svg"
    draw_chart(of_ones_own(), "mine", path)
    assert "<!-- cats -->" in path.read_text()
    assert "TP-Transformer" not in path.read_text()


def test_the_best_published_row_is_the_paper_s():
    best = max(PUBLISHED, key=lambda row: row.interpolate)
    assert best[:7] == ("TP-Transformer", 49.2, 1700, 84.24, 25, 55.40, 3)


def test_misses_are_written_so_that_they_can_be_read(tmp_path):
    path = tmp_path / "errors.tsv"
    score = score_module(lambda qs: ["a\tb\nc"] * len(qs), file())
    write_misses(path, [score])
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) == 5
    assert rows[1] == {
        "split": "interpolate",
        "module": "numbers__gcd",
        "line": "3",
        "question": "What is 1 + 1?",
        "expected": "2",
        "answer": r"a\tb\nc",
        "refusal": "",
    }


@pytest.mark.parametrize("ending", PICTURES)
def test_a_chart_is_written(tmp_path, ending):
    path = tmp_path / f"chart{ending}"
    draw_chart(percents(100, 50) + percents(10, split="extrapolate"), "mine", path)
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)
    assert path.stat().st_size > 5000


def test_a_chart_says_what_was_scored(tmp_path):
    scores = percents(100, 50) + percents(10, split="extrapolate")
    assert coverage(scores) == "interpolate: 2 of 56\nextrapolate: 1 of 15"
    path = tmp_path / "chart.svg"
    draw_chart(scores, "mine", path)
    text = path.read_text()
    names = ("extrapolate", *(score.module for score in scores))
    assert all(f"<!-- {name} -->" in text for name in names)
    assert "TP-Transformer 49.2M" in text


def test_no_scores_make_no_chart(tmp_path):
    with pytest.raises(ValueError, match="no scores"):
        draw_chart([], "mine", tmp_path / "chart.png")
