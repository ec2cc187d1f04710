import json
import tarfile
from pathlib import Path
from random import Random

import pytest
import typer
from typer.testing import CliRunner

import progtf
from progtf.analysis import score_module
from progtf.cli import evaluate
from progtf.cli.main import app as main
from progtf.cli.messages import UserError
from progtf.data import open_layout, open_pairs
from progtf.program.answers import Answer

MATH = Path(__file__).parents[1] / "data" / "math"
PROGRAM = Path("examples/math/place_value.seme")
PLACE_VALUE = ("-m", "numbers__place_value,numbers__place_value_big")

app = typer.Typer()
app.command()(evaluate.evaluate)


@pytest.fixture
def place_value(monkeypatch):
    """Stands for a model that knows the test questions of one module, and refuses others."""
    known = {p.question: p.answer for f in open_layout(MATH) for p in f.problems()}

    def answer(questions):
        if any("digit of" not in question for question in questions):
            raise ValueError("no digit is asked for")
        return [known[question] for question in questions]

    monkeypatch.setattr(evaluate, "load_model", lambda _, **__: answer)


def run(*arguments):
    words = ["place_value.seme", "--data", MATH, *arguments]
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.usefixtures("place_value")
def test_a_right_model_scores_100(tmp_path):
    chart, errors = tmp_path / "chart.png", tmp_path / "errors.tsv"
    result = run(*PLACE_VALUE, "--chart", chart, "--errors", errors)
    assert result.exit_code == 0, result.output
    assert "numbers__place_value_big │    15 │       0 │     0 │ 15 │ 100.00" in result.stdout
    assert "100.00 (1 of 56 modules)" in " ".join(result.stdout.split())
    assert "TP-Transformer 49.2M" in result.stdout
    assert chart.read_bytes().startswith(b"\x89PNG")
    assert errors.read_text() == "split\tmodule\tline\tquestion\texpected\tanswer\trefusal\n"


@pytest.mark.usefixtures("place_value")
def test_scores_are_printed_as_json():
    read = json.loads(run(*PLACE_VALUE, "--json", "--limit", 10).stdout)
    assert read["summary"] == {
        "interpolate": {"modules": 1, "mean": 100.0, "above_95": 1},
        "extrapolate": {"modules": 1, "mean": 100.0, "above_95": 1},
    }
    assert [row["problems"] for row in read["modules"]] == [10, 10]
    assert [row["wrong"] for row in read["modules"]] == [0, 0]


THREE = {"algebra__linear_1d": 3, "probability__swr_p_level_set": 2, "numbers__is_prime": 1}


def asked_of_three(folder, monkeypatch, *words, modules=tuple(THREE)):
    """Evaluates a model that answers some of four questions of each module right."""
    (folder / "data/interpolate").mkdir(parents=True)
    for module in modules:
        lines = "".join(f"{n} {module}?\n{n}\n" for n in range(4))
        (folder / f"data/interpolate/{module}.txt").write_text(lines.replace("_", " "))
    right = {
        f"{n} {module}?".replace("_", " ") for module, most in THREE.items() for n in range(most)
    }
    answer = lambda texts: [text[0] if text in right else "x" for text in texts]  # noqa: E731
    monkeypatch.setattr(evaluate, "load_model", lambda *_, **__: answer)
    (folder / "step-0000108").mkdir()
    (folder / "step-0000108/trainer.json").write_text('{"step": 108}')
    given = [str(folder / "step-0000108"), "--data", str(folder / "data"), *words]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_model_of_the_report_s_three_modules_stands_beside_the_report_s(tmp_path, monkeypatch):
    report = (Path(__file__).parents[2] / "docs/data.md").read_text()
    assert "three-module report" in report
    table = asked_of_three(tmp_path, monkeypatch).partition("three-module report, table 2")[2]
    rows = {line.split("│")[1].strip(): [cell.strip() for cell in line.split("│")[2:-1]]
            for line in table.splitlines() if line.startswith("│")}  # fmt: skip
    assert rows == {
        "LSTM": ["185k", "49.8", "38.5", "51.6", "54.9"],
        "Transformer": ["140k", "53.7", "58.3", "49.8", "54.9"],
        "TP-Transformer": ["350k", "59.7", "75.1", "50.7", "59.3"],
        "step-0000108": ["0.108k", "50.0", "75.0", "50.0", "25.0"],
    }


def test_the_steps_of_a_checkpoint_are_told(tmp_path, monkeypatch):
    assert json.loads(asked_of_three(tmp_path, monkeypatch, "--json"))["steps"] == 108


@pytest.mark.parametrize("modules", [[*THREE][:2], [*THREE, "numbers__gcd"]])
def test_other_modules_do_not_stand_beside_the_report_s(modules, tmp_path, monkeypatch):
    assert "three-module" not in asked_of_three(tmp_path, monkeypatch, modules=modules)


def test_an_archive_is_told_in_the_order_of_its_folder(tmp_path, place_value):
    """Whichever order its members have."""
    paths = sorted(path for path in MATH.rglob("*.txt") if path.stem.startswith("numbers__place"))
    told = []
    for number in range(3):
        archive = tmp_path / f"m{number}.tar.gz"
        with tarfile.open(archive, "w:gz") as file:
            for path in Random(number).sample(paths, len(paths)):
                file.add(path, f"m/{path.relative_to(MATH)}")
        for words in (["eval", PROGRAM, "--data"], ["data", "inspect"]):
            told.append(CliRunner().invoke(main, [*map(str, words), str(archive)]).stdout)
    folder = tmp_path / "m"
    for path in paths:
        (folder / path.relative_to(MATH)).parent.mkdir(parents=True, exist_ok=True)
        (folder / path.relative_to(MATH)).write_bytes(path.read_bytes())
    for place, words in enumerate((["eval", PROGRAM, "--data"], ["data", "inspect"])):
        due = CliRunner().invoke(main, [*map(str, words), str(folder)]).stdout
        assert "numbers__place_value_big" in due
        assert told[place::2] == [due] * 3


def test_questions_of_ones_own_are_not_set_beside_published_scores(tmp_path, monkeypatch):
    (tmp_path / "interpolate").mkdir()
    (tmp_path / "interpolate" / "mine.txt").write_text("a?\nb\n")
    monkeypatch.setattr(evaluate, "load_model", lambda _, **__: lambda asked: ["b"] * len(asked))
    told = CliRunner().invoke(app, ["model", "--data", str(tmp_path)])
    assert told.exit_code == 0
    assert "100.00" in told.output
    assert "Schlag" not in told.output


def test_lines_of_json_that_are_neither_passages_nor_word_problems_are_told(tmp_path):
    (tmp_path / "problems.jsonl").write_text('{"text": "3 birds"}\n')
    told = run_pairs(tmp_path / "problems.jsonl")
    assert told.exit_code == 1
    assert "problems.jsonl:1: this problem lacks 'numbers'" in f"{told.output}{told.exception}"


@pytest.mark.usefixtures("place_value")
def test_refused_questions_are_told_and_count_as_wrong(tmp_path):
    modules = "numbers__gcd,numbers__place_value"
    result = run("-m", modules, "-s", "interpolate", "--errors", tmp_path / "errors.tsv")
    assert result.exit_code == 0
    note = "interpolate/numbers__gcd: the model refused 15 of 15 questions: no digit is asked for"
    assert note in result.stderr
    assert "0.00" in result.stdout
    assert (tmp_path / "errors.tsv").read_text().count("no digit is asked for") == 15


@pytest.mark.usefixtures("place_value")
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_model_that_refuses_every_question_fails(more):
    result = run("-m", "numbers__gcd", *more)
    assert result.exit_code == 1
    assert str(result.exception) == "the model refused every question: no digit is asked for"


def test_case_can_be_ignored(monkeypatch):
    known = {p.question: p.answer.lower() for f in open_layout(MATH) for p in f.problems()}
    monkeypatch.setattr(evaluate, "load_model", lambda _, **__: lambda qs: [known[q] for q in qs])
    strict, loose = (
        json.loads(run("-m", "numbers__is_prime", "--json", *more).stdout)["modules"][0]["percent"]
        for more in ((), ("--ignore-case",))
    )
    assert (strict, loose) == (0, 100)


@pytest.mark.usefixtures("place_value")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "numbers__place_valu"], "did you mean `numbers__place_value`?"),
        (["--chart", "x.jpeg"], "x.jpeg: no such kind of picture"),
        (["--chart", "nowhere/x.png"], "nowhere: there is no such folder"),
        (["-s", "train"], "no questions of train-easy, train-medium, train-hard are here"),
    ],
)
def test_a_wrong_option_gets_one_message(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert message in result.stderr


def test_a_model_that_is_not_there_gets_one_message():
    result = run(*PLACE_VALUE)
    assert result.exit_code == 1
    assert isinstance(result.exception, UserError)  # which the command line prints
    assert str(result.exception) == "there is no file place_value.seme"


def test_programs_and_folders_answer(tmp_path):
    progtf.save_model(progtf.compile(progtf.load(PROGRAM)), tmp_path / "folder")
    for path in (PROGRAM, tmp_path / "folder"):
        assert evaluate.load_model(path)(["What is the tens digit of 1234?"]) == ["3"]


def test_a_bad_program_is_told_and_a_bad_question_is_refused(tmp_path):
    bad = tmp_path / "bad.seme"
    bad.write_text("semes: a\nlexicon:\n  x: +b\n")
    with pytest.raises(progtf.SemeError, match="unknown-seme"):
        evaluate.load_model(bad)
    (refused,) = evaluate.load_model(PROGRAM)(["?" * 200])
    assert isinstance(refused, progtf.InputError)
    assert "the program takes 162" in str(refused)


def test_pairs_are_scored_by_category(tmp_path, monkeypatch):
    known = {"a": "dog ( x _ 1 )", "b": "cat ( x _ 5 )", "c": "?"}

    def answer(questions):
        if "d" in questions:
            raise ValueError("d is no question")
        return [known[question] for question in questions]

    monkeypatch.setattr(evaluate, "load_model", lambda _, **__: answer)
    rows = [("a", "dog ( x _ 1 )", "one"), ("b", "cat ( x _ 2 )", "one")]
    rows += [("c", "cow ( x _ 1 )", "two"), ("d", "cow ( x _ 1 )", "two")]
    path, errors = tmp_path / "gen.tsv", tmp_path / "errors.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    counts = {}
    for option in ([], ["--conjuncts"]):
        told = run_pairs(path, "--json", "--errors", errors, *option)
        modules = json.loads(told.stdout)["modules"]
        names = ("correct", "refused", "wrong")
        counts[bool(option)] = {m["module"]: tuple(m[name] for name in names) for m in modules}
    assert counts == {
        False: {"one": (1, 0, 1), "two": (0, 2, 0)},
        True: {"one": (2, 0, 0), "two": (0, 2, 0)},
    }
    assert errors.read_text().splitlines()[2].split("\t")[2:4] == ["4", "d"]
    assert "together │     1 │       2 │     1 │  4 │ 25.00" in run_pairs(path).stdout
    assert "has no splits" in run_pairs(path, "-s", "interpolate").stderr


SAID = ["right", "wrong", "?", "??", "? ", "", "so far", "right?"]


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("due", ["right", "?"])
@pytest.mark.parametrize("way", ["answered", "in its place", "raised", "without an end"])
def test_right_refused_and_wrong_are_counted_apart(said, due, way, tmp_path):
    """Every answer is one of the three; an error in its place, or one that is raised, refuses."""

    def answer(questions):
        error = progtf.InputError(f"no {said}")
        if way == "raised" and "mine" in questions:
            raise error
        endless = progtf.EndlessError("it does not end", Answer(said, ()))
        mine = {"in its place": error, "without an end": endless}.get(way, said)
        return [mine if question == "mine" else "good" for question in questions]

    (tmp_path / "pairs.tsv").write_text(f"a\tgood\nmine\t{due}\nb\tgood\nc\tbad\n")
    (file,) = open_pairs(tmp_path / "pairs.tsv", ())
    score = score_module(answer, file)
    right = way == "answered" and said == due
    refused = way != "answered" or (said == "?" and not right)
    assert (score.correct, score.refused, score.wrong) == (
        2 + right, refused, 2 - right - refused
    )  # fmt: skip
    assert score.problems == score.correct + score.refused + score.wrong


def run_pairs(path, *arguments):
    return CliRunner().invoke(app, ["model", "--data", str(path), *map(str, arguments)])


PAIRS = {
    "a.tsv": (b"a\tb\n\xff\n" + "é\tb\n".encode(), ["2: not written in UTF-8"]),
    "a.csv": (b"question,answer\r\na,b\r\nalone\r\nc,b\r\n", ["3: this line has no comma"]),
    "a.jsonl": (
        b'{"question": "a", "answer": "b"}\n{}\n{\n',
        ["2: this record lacks", "3: this line"],
    ),
    "a.txt": (b"IN: a OUT: b\r\n\r\nIN: a\r\n", ["3: this line is no pair"]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_wrong_record_is_named_and_the_rest_goes_on(tmp_path, monkeypatch, name):
    content, wrong = PAIRS[name]
    (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(evaluate, "load_model", lambda _, **__: lambda asked: ["b"] * len(asked))
    told = CliRunner().invoke(app, ["model", "--data", str(tmp_path / name)])
    assert told.exit_code == 1
    assert "100.00" in told.stdout
    lines = told.stderr.splitlines()
    for each in wrong:
        assert any(line.startswith(f"{tmp_path / name}:{each}") for line in lines)
    read = content.count(b"b")
    assert lines[-1] == f"{len(wrong)} of {read + len(wrong)} records refused"


def test_a_folder_is_scored_without_its_wrong_lines_and_what_is_no_text_is_named(
    tmp_path, monkeypatch
):
    (tmp_path / "interpolate").mkdir()
    (tmp_path / "interpolate" / "mine.txt").write_bytes(b"a?\r\nb\r\n\xff?\r\nb\r\nc?\r\nb")
    (tmp_path / "interpolate" / "._mine.txt").write_bytes(b"\0\5\x16")
    monkeypatch.setattr(evaluate, "load_model", lambda _, **__: lambda asked: ["b"] * len(asked))
    told = CliRunner().invoke(app, ["model", "--data", str(tmp_path)])
    assert told.exit_code == 1
    assert told.stderr.count("._mine.txt") == 1
    assert "mine.txt:3: character 1" in told.stderr
    assert "mine.txt:6: the last line has no line end" in told.stderr
    assert told.stderr.endswith("1 of 3 records refused\n")


@pytest.mark.parametrize("content", [b"%PDF-1.7\n", b"nothing\n", b""])
def test_what_is_accepted_is_listed(tmp_path, content):
    (tmp_path / "a.pdf").write_bytes(content)
    told = run_pairs(tmp_path / "a.pdf")
    assert told.exit_code == 1
    said = f"{told.output}{told.exception}"
    assert all(each in said for each in (".tsv", ".csv", ".jsonl", "SQuAD", ".tar.gz", ".gz"))
