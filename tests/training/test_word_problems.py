"""Networks that write the equations of word problems: learned, kept, gone on with, asked."""

import json
from itertools import islice
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import progtf
from progtf.data import SPECIALS, Cursor
from progtf.network.model import Model
from progtf.tasks.word_problems import SELDOM, Solver, read_word_problems, strictly_right
from progtf.training.config import RunError, read_run
from progtf.training.networks import LearnedModel
from progtf.training.pairs import batches
from progtf.training.questions import alphabet_of
from progtf.training.solve import load_solving, solved, written
from progtf.training.subject import _evenly
from progtf.training.written_words import WrittenWords, weights_at
from tests.programs import beyond
from tests.tasks.word_problems.problems import made, saved
from tests.training.conftest import trained

RUN = """
out = "out"
[model]
kind = "pointers"
width = 24
filter = 32
heads = 2
layers = 1
norms = "pre"
[data]
folder = "."
[data.pairs]
train = "own.jsonl"
extrapolate = "others.jsonl"
pool = 2
[train]
steps = 120
batch = 16
learning_rate = 1e-2
warmup = 10
smoothing = 0.1
[evaluate]
every = 60
[checkpoints]
every = 5
"""
WORDS = """
# What words say, for the tests.
semes: number asked stop of.percent percent

lexicon:
  "#": +number
  "%": +percent
  "?": +stop
  how: +asked
  unknown: 0

layer next:
  head percent:
    at: +1
    when: number
    value: percent>of.percent

examples:
  "# %" -> "#": +number +of.percent | "%": +percent
"""
FEW = {"train__steps": 10, "evaluate__every": 100}


@pytest.fixture
def run_file(tmp_path):
    return write_problems(tmp_path)


def write_problems(folder: Path) -> Path:
    saved(folder, *made(80, seed=1))
    others = "\n".join(made(24, seed=2)).replace("birds", "storks")
    (folder / "others.jsonl").write_text(others)
    (folder / "words.seme").write_text(WORDS)
    (folder / "run.toml").write_text(RUN)
    return folder / "run.toml"


def right(folder: Path, problems) -> float:
    model = load_solving(folder, problems)
    answers = written(model, problems)
    with Solver() as solver:
        found = [solved(a, p, solver).solutions for a, p in zip(answers, problems, strict=True)]
    return sum(strictly_right(s, p.answers) for s, p in zip(found, problems, strict=True)) / len(
        problems
    )


@pytest.mark.parametrize(("encoder", "rules"), beyond([("lstm", True), ("transformer", False)], 1))
def test_equations_are_learned_and_solve_other_problems(run_file, encoder, rules):
    trainer = trained(run_file, model__encoder=encoder, model__rules=rules)
    problems = read_word_problems(run_file.parent / "others.jsonl")
    assert right(trainer.latest, problems) >= 0.9


@pytest.mark.parametrize(
    ("kind", "equations"), beyond([("transformer", "operators"), ("tp", "expressions")], 1)
)
def test_networks_that_point_at_nothing_write_equations_too(run_file, progtf, kind, equations):
    """The ablation with Op tokens, and one with expression tokens as words."""
    others = run_file.parent / "others.jsonl"
    said = {"model__kind": kind, "data__pairs__equations": equations, "train__steps": 300}
    trainer = trained(run_file, train__learning_rate=3e-3, **said)
    due = 100 * right(trainer.latest, read_word_problems(others))
    assert due >= 90
    assert trainer.evaluation.scores(500).splits["extrapolate"] == pytest.approx(due)
    told = json.loads(progtf("eval", trainer.latest, "--data", others, "--json")[1])
    assert (told["problems"], told["strict"]) == (24, pytest.approx(due, abs=0.01))
    text = read_word_problems(others)[0]
    status, answer, _ = progtf("solve", " ".join(text.words), "--checkpoint", trainer.latest)
    assert status == 0
    assert "=" in answer


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_words_that_no_problem_had_are_unknown_to_them(run_file, progtf, kind):
    lines = run_file.read_text().replace("filter = 32\nheads = 2\n", "")
    run_file.write_text(lines.replace('norms = "pre"\n', ""))
    said = {"model__kind": kind, "data__pairs__equations": "operators", "train__steps": 2}
    folder = trained(run_file, **said).latest
    other = run_file.parent / "zebras.jsonl"
    other.write_text((run_file.parent / "others.jsonl").read_text().replace("storks", "zebras"))
    status, told, errors = progtf("eval", folder, "--data", other, "--json")
    assert (status, json.loads(told)["problems"]) == (0, 24), errors
    status, _, errors = progtf("solve", "Add 3 zebras to 4. How many?", "--checkpoint", folder)
    assert status in (0, 1)
    assert errors == "" or "the network wrote no equations" in errors or "no solution" in errors


def test_pointers_refuse_equations_without_tokens_of_their_own(run_file):
    with pytest.raises(RunError, match="`pointers` writes expressions"):
        read_run(run_file, {"data.pairs.equations": "operators"})


def test_curves_and_eval_count_word_problems_that_are_solved(run_file, progtf):
    """Equations with their sides swapped are others, and solve the problem as well."""
    others = run_file.parent / "others.jsonl"
    swapped = others.read_text().replace("X_0 N_0 N_1 * =", "N_0 N_1 * X_0 =")
    others.write_text(swapped)
    trainer = trained(run_file)
    problems = read_word_problems(others)
    due = 100 * right(trainer.latest, problems)
    scores = trainer.evaluation.scores(500).splits
    assert scores["extrapolate"] == pytest.approx(due)
    assert due >= 90
    assert 0 < scores["extrapolate equations"] <= 75
    status, said, _ = progtf("eval", trainer.latest, "--data", others, "--json")
    told = json.loads(said)
    assert (status, told["problems"], told["strict"]) == (0, 24, pytest.approx(due, abs=0.01))
    assert told["equations"] == pytest.approx(scores["extrapolate equations"], abs=0.01)
    assert told["kinds"]["comparison"]["problems"] == 6
    assert "together" in progtf("eval", trainer.latest, "--data", others, "--limit", "3")[1]


def test_eval_refuses_word_problems_without_answers_and_what_writes_no_equations(
    run_file, progtf, tmp_path
):
    own = run_file.parent / "own.jsonl"
    assert "no checkpoint of a network" in progtf("eval", tmp_path, "--data", own)[2]
    said = json.loads(own.read_text().splitlines()[0])
    own.write_text(json.dumps(said | {"answer": []}))
    status, _, error = progtf("eval", tmp_path, "--data", own)
    assert status == 1
    assert "problem 0 tells no right answer" in error


def test_a_run_that_stopped_goes_on_to_the_same_weights(run_file):
    whole = trained(run_file, out="whole", **FEW)
    trained(run_file, out="parts", **{**FEW, "train__steps": 5})
    parts = trained(run_file, out="parts", **FEW)
    for name in ("weights.safetensors", "trainer.safetensors"):
        assert (whole.latest / name).read_bytes() == (parts.latest / name).read_bytes()


@pytest.mark.parametrize("pointing", ["published", "plain"])
def test_published_settings_are_learned_kept_and_gone_on_with(run_file, pointing):
    said = {"model__pointing": pointing, "model__shared": True, "model__decoder_layers": 3}
    whole = trained(run_file, out="whole", **FEW, **said)
    trained(run_file, out="parts", **{**FEW, "train__steps": 5}, **said)
    parts = trained(run_file, out="parts", **FEW, **said)
    for name in ("weights.safetensors", "trainer.safetensors"):
        assert (whole.latest / name).read_bytes() == (parts.latest / name).read_bytes()
    network = LearnedModel.load(whole.latest).network
    assert (len(network.decoder.blocks), network.shape.pointing) == (3, pointing)
    assert network.decoder.blocks[0] is network.decoder.blocks[2]


def test_what_a_program_says_of_words_is_read_and_never_changed(run_file):
    hybrid = trained(run_file, model__reads="words.seme", **FEW)
    program = progtf.compile(progtf.load(run_file.parent / "words.seme"))
    kept = load_file(hybrid.latest / "weights.safetensors")
    for name, tensor in program.state_dict().items():
        assert kept[f"reader.model.{name}"].equal(tensor)
    reader = LearnedModel.load(hybrid.latest).network.reader
    assert [reader.model.layout.names[flag] for flag in reader.flags] == list(program.semes)
    symbols = alphabet_of(hybrid.run.data)
    source = torch.tensor([[2, *symbols.encode("# % of how").tolist(), 3]])
    number, asked, _, of_percent, percent = reader(source, source != 1)[0].unbind(dim=-1)
    assert number.tolist() == of_percent.tolist() == [0, 1, 0, 0, 0, 0]
    assert (asked.tolist(), percent.tolist()) == ([0, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0])


def test_controls_leave_the_program_out_or_shuffle_its_words(run_file):
    off = trained(run_file, model__reads="words.seme", control="off", **FEW)
    assert not any("reader" in name for name, _ in off.setup.subject.named_parameters())
    hybrid = trained(run_file, model__reads="words.seme", out="hybrid", **FEW)
    chance = trained(run_file, model__reads="words.seme", control="random", out="chance", **FEW)
    mine, theirs = (
        load_file(each.latest / "weights.safetensors")["reader.rows"] for each in (hybrid, chance)
    )
    assert not mine.equal(theirs)
    assert sorted(mine.tolist()) == sorted(theirs.tolist())
    again = LearnedModel.load(chance.latest).network.reader.rows
    assert again.equal(theirs)
    solving = load_solving(chance.latest, read_word_problems(run_file.parent / "own.jsonl"))
    assert solving.network.reader.rows[: len(theirs)].equal(theirs)


def test_what_was_read_of_a_text_is_kept_until_words_or_the_program_change(run_file):
    weights = weights_at(run_file.parent / "words.seme")
    reader = WrittenWords(Model(weights), ["how", "#"])
    how, number, new = (torch.tensor([[len(SPECIALS) + place]]) for place in range(3))
    real = torch.tensor([[True]])
    is_how, is_number = reader(how, real), reader(number, real)
    assert len(reader.kept.rows) == 2
    reader.know(["how", "#", "%"])
    assert not reader(new, real).equal(is_how)
    assert reader(how, real).equal(is_how)
    reader.rows[how] = reader.rows[number]
    assert reader(how, real).equal(is_number)
    with torch.no_grad():
        reader.model.network.embedding.vectors[:] = 0
    assert not reader(how, real).any()


def test_words_of_other_texts_are_symbols_without_vectors(run_file):
    run = read_run(run_file)
    symbols = alphabet_of(run.data)
    assert (
        symbols.units.index("storks") > symbols.units.index(SELDOM) > symbols.units.index("birds")
    )
    network = trained(run_file, **FEW).setup.subject.module
    assert len(network.encoder.table) == 4 + symbols.units.index(SELDOM)


def test_batches_of_like_length_have_every_row_once_an_epoch(run_file):
    data = read_run(run_file).data
    assert data.pairs is not None
    alone = data.model_copy(update={"pairs": data.pairs.model_copy(update={"pool": 1})})
    padded = {}
    for name, some in (("pool", data), ("alone", alone)):
        epoch = list(islice(batches(some, 16, 1, Cursor(), 0, 1), 5))
        rows = [tuple(row[row != 1].tolist()) for b in epoch for row in b.question]
        padded[name] = sum(int((b.question == 1).sum()) for b in epoch)
        assert sum(len(b.question) for b in epoch) == 72
        assert epoch[-1].after.batch == 5
        padded[f"{name} rows"] = sorted(rows)
    assert padded["pool rows"] == padded["alone rows"]
    assert padded["pool"] < padded["alone"] / 2


def test_smoothing_is_over_symbols_that_could_stand_there():
    logits = torch.tensor([[0.0, -torch.inf, 0.0], [3.0, -torch.inf, -torch.inf]])
    assert _evenly(logits).tolist() == pytest.approx([torch.tensor(2.0).log().item(), 0.0])


def test_settings_that_mean_nothing_are_told(run_file):
    with pytest.raises(RunError, match=r"`model.reads`: .*: there is no such file"):
        read_run(run_file, {"model.reads": "none.seme"})
    with pytest.raises(RunError, match="do not share a width of 25"):
        trained(run_file, model__width=25, model__heads=5)
    (run_file.parent / "own.tsv").write_text("a b\tc\nd e\tf\n" * 20)
    with pytest.raises(RunError, match=r"files of pairs that end in `\.jsonl`"):
        trained(run_file, data__pairs__train="own.tsv", data__pairs__extrapolate="")
    (run_file.parent / "own.jsonl").write_text("{}\n")
    with pytest.raises(RunError, match=r"own\.jsonl:1: this problem lacks 'numbers'"):
        trained(run_file)


def test_people_ask_for_equations_solutions_and_words(run_file, progtf):
    folder = trained(run_file).latest
    page = run_file.parent / "page.html"
    text = "Of 61 birds, 17 fly away. How many stay?"
    status, said, _ = progtf("solve", text, "--checkpoint", folder, "--html", page)
    assert status == 0
    assert said.splitlines() == [
        "x = 61 - 17", "  61: word 2, in `Of 61 birds , 17`",
        "  17: word 5, in `61 birds , 17 fly away .`", "x = 44",
    ]  # fmt: skip
    assert "<mark" in page.read_text()
    no_text = "\udcff 61 birds; how many fly?"  # as a shell gives bytes that are no text
    assert progtf("solve", no_text, "--checkpoint", folder, "--html", page)[0] in (0, 1)
    assert "<body><p>? <" in page.read_text()
    status, said, _ = progtf("solve", text, "--checkpoint", folder, "--json")
    assert json.loads(said)["points at"][1] == {"equation": 1, "word": 5, "says": "17"}
    for command in (["run", folder, text], ["decompile", folder]):
        status, _, error = progtf(*command)
        assert status == 1
        assert "solve" in error


def test_solve_says_that_it_is_unsure_where_beams_disagree(run_file, progtf):
    text = "Of 61 birds , 17 fly away . How many stay ?"
    known = trained(run_file).latest
    status, said, error = progtf("solve", text, "--checkpoint", known, "--json")
    told = json.loads(said)
    assert (status, told["unsure"]) == (0, False)
    assert told["agreeing beams"] > 0.5
    assert "unsure" not in error
    (run_file.parent / "doubt.jsonl").write_text(_in_doubt(run_file.parent / "own.jsonl"))
    doubt = trained(run_file, out="doubt", data__pairs__train="doubt.jsonl").latest
    unsure, errors = [], []
    for first in (61, 63, 65, 67):
        asked = text.replace("61", str(first))
        _, said, error = progtf("solve", asked, "--checkpoint", doubt, "--beams", "8", "--json")
        told = json.loads(said)
        assert told["unsure"] == (told["agreeing beams"] < 0.5)
        unsure.append(told["unsure"])
        errors.append("unsure: the beams disagree" in error)
    assert unsure == errors
    assert any(unsure)


def _in_doubt(path: Path) -> str:
    """Problems that are alike but for what is done with their numbers."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    found = []
    for place, said in enumerate(lines):
        sign = "+-*/"[place // 4 % 4]
        sides = f"X_0 N_0 N_1 {sign} ="
        found.append(json.dumps(lines[2] | {"expr": [[0, sides], [1, "X_0"]], "id": said["id"]}))
    return "\n".join(found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("How many birds stay?", "the text has no numbers"),
        ("  ", "the text has no words"),
        ("3 birds " * 5000, "the text has 10,000 words; at most 250 are read"),
        ("1," * 40_000, "the text has 80,000 words"),
        ("b" * 100_000 + " 3", "the text has 100,002 letters; at most 100,000 are read"),
        ("Of 3 birds 2 fly.", "no checkpoint of a network"),
    ],
)
def test_what_cannot_be_solved_is_told(progtf, tmp_path, text, told):
    status, _, error = progtf("solve", text, "--checkpoint", tmp_path)
    assert status == 1
    assert told in error
