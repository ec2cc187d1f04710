"""Networks that find answers in passages: learned, kept, gone on with, asked."""

import json

import pytest
import torch
from safetensors.torch import load_file

import progtf
from progtf.tasks.comprehension import as_pair, by_article, read_questions
from progtf.training.answer import Reader
from progtf.training.config import RunError, read_run
from progtf.training.meant import model_said
from progtf.training.networks import load_network
from progtf.training.pairs import rows_of
from progtf.training.questions import alphabet_of
from progtf.training.reading import spans_in
from tests.tasks.comprehension.passages import made, official, read_lines, saved
from tests.training.conftest import trained
from tests.training.test_resume import kill_after, run_command

RUN = """
out = "out"
[model]
kind = "reader"
width = 12
dropout = 0.0
[model.reading]
phrase = "tpr"
symbols = 12
roles = 6
d_symbol = 4
d_role = 3
d_vector = 12
filters = 6
[data]
folder = "."
[data.pairs]
train = "train.jsonl.gz"
interpolate = "dev.jsonl.gz"
pool = 2
[train]
steps = 300
batch = 16
learning_rate = 1e-2
warmup = 10
[evaluate]
every = 100
[checkpoints]
every = 5
"""
ROLES = """
# What words are, for the tests.
semes: determiner question kept

lexicon:
  a the: +determiner
  what which: +question
  goat horse: +kept
  unknown: 0

examples:
  what goat -> what: +question | goat: +kept
"""
FEW = {"train__steps": 10, "evaluate__every": 100}
LSTM = {"model__reading__phrase": "lstm", "model__reading__narrow": 8}
BOTH = {"model__reading__phrase": "tprlstm", "model__reading__d_role": 2}
WRITTEN = {"model__reads": "roles.seme", "model__reading__written": ["determiner", "question"]}


def written(folder):
    """The file of a run, beside its questions and its program."""
    saved(folder / "train.jsonl.gz", [p for n in range(12) for p in made(20, n, f"article {n}")])
    saved(folder / "dev.jsonl.gz", made(30, 20, "another"))
    (folder / "roles.seme").write_text(ROLES)
    (folder / "run.toml").write_text(RUN)
    return folder / "run.toml"


@pytest.fixture
def run_file(tmp_path):
    return written(tmp_path)


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """What has learned to find answers: its trainer, and the file of its run."""
    file = written(tmp_path_factory.mktemp("learned"))
    return trained(file, **LSTM), file


TPR = {"train__learning_rate": 5e-3, "train__steps": 700}
BY_KIND = 50
"""Percent that somebody finds who knows what is asked for, a thing or a place, and not of whom."""


@pytest.mark.xdist_group("reader")
def test_answers_are_learned_and_found_in_other_articles(learned):
    trainer, _ = learned
    assert trainer.evaluation.scores(100).splits["interpolate"] >= BY_KIND + 20


@pytest.mark.long
def test_answers_are_learned_by_products_of_symbols_and_roles(run_file):
    trainer = trained(run_file, **TPR)
    assert trainer.evaluation.scores(100).splits["interpolate"] >= BY_KIND + 20


@pytest.mark.parametrize("changes", [BOTH, WRITTEN, LSTM])
def test_checkpoints_of_every_arm_are_read_again(run_file, changes):
    trainer = trained(run_file, **FEW, **changes)
    network, alphabet, wanted = load_network(trainer.latest)
    source = torch.tensor([[2, *alphabet.encode("What ? <passage> a goat").tolist(), 3]])
    module = trainer.setup.subject.eval().module
    assert network(source).start.equal(module(source).start)
    assert model_said(wanted) == model_said(trainer.run.model)


def test_a_run_that_stopped_goes_on_to_the_same_weights(run_file):
    whole = trained(run_file, out="whole", **FEW)
    trained(run_file, out="parts", **{**FEW, "train__steps": 5})
    parts = trained(run_file, out="parts", **FEW)
    for name in ("weights.safetensors", "trainer.safetensors"):
        assert (whole.latest / name).read_bytes() == (parts.latest / name).read_bytes()


@pytest.mark.long
def test_a_run_killed_twice_ends_with_the_same_bits(run_file):
    text = run_file.read_text().replace("steps = 300", "steps = 40").replace("= 100\n", "= 20\n")
    run_file.write_text(text.replace("dropout = 0.0", "dropout = 0.2"))
    out = run_file.parent
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    whole = trained(run_file, log=out / "whole", out="whole").latest
    torch.set_num_threads(threads)
    kill_after(run_file, out / "broken", 5, 1, more=())
    kill_after(run_file, out / "broken", 20, 1, more=())
    run_command(run_file, "-o", str(out / "broken"))
    for name in ("weights.safetensors", "trainer.safetensors"):
        broken = out / "broken" / "checkpoints" / whole.name / name
        assert broken.read_bytes() == (whole / name).read_bytes()


def test_one_cost_is_of_symbols_and_roles_unless_roles_have_their_own(run_file):
    def costs(**said):
        return trained(run_file, **said, **FEW).setup.subject.module.shape.sparsity

    assert costs(model__reading__sparsity=1e-3) == (1e-3, 1e-3)
    own = {"model__reading__sparsity": 1e-3, "model__reading__role_sparsity": 0.0}
    assert costs(**own, out="own") == (1e-3, 0.0)
    with pytest.raises(RunError, match=r"`model.reading.role_sparsity`: expected"):
        read_run(run_file, {"model.reading.role_sparsity": -1})


def test_the_official_form_of_squad_is_learned_from_and_judged(run_file, progtf):
    folder = run_file.parent
    official(folder / "train.json.gz", read_lines(folder / "train.jsonl.gz"))
    official(folder / "dev.json", read_lines(folder / "dev.jsonl.gz"))
    changes = {"data.pairs.train": "train.json.gz", "data.pairs.interpolate": "dev.json"}
    assert rows_of(read_run(run_file, changes).data) == rows_of(read_run(run_file).data)
    files = {"data__pairs__train": "train.json.gz", "data__pairs__interpolate": "dev.json"}
    checkpoint = trained(run_file, **files, **FEW).latest
    said = [
        progtf("eval", checkpoint, "--data", folder / name, "--json")[:2]
        for name in ("dev.json", "dev.jsonl.gz")
    ]
    assert said[0] == said[1]
    assert json.loads(said[0][1])["questions"] == 60


def test_no_article_is_held_back_in_part(run_file):
    run = read_run(run_file, {"data.pairs.interpolate": "", "data.pairs.held_back": 0.5})
    rows = rows_of(run.data)
    assert (len(rows["interpolate"]), len(rows["train"])) == (240, 240)
    held, others = by_article(read_questions(run_file.parent / "train.jsonl.gz"), 0.5, 1)
    assert {*map(as_pair, held)} == {*rows["interpolate"]}
    assert {*map(as_pair, others)} == {*rows["train"]}


def test_every_place_of_an_answer_is_right_and_counts_in_the_loss(run_file):
    subject = trained(run_file, **FEW).setup.subject.eval()
    encode = alphabet_of(read_run(run_file).data).encode
    source = torch.tensor([[2, *encode("What ? <passage> a goat or a goat").tolist(), 3]])
    answer = torch.tensor([[2, *encode("@1 @1 @3 @4").tolist(), 3, 1]])
    assert spans_in(answer)[0, :2].tolist() == [[1, 1], [3, 4]]
    spans = subject.module(source)
    start, end = spans.start.softmax(-1)[0], spans.end.softmax(-1)[0]
    due = -(start[1] * end[1] + start[3] * end[4]).log() + spans.penalty[0]
    torch.testing.assert_close(subject.loss(source, answer), due)
    assert spans.penalty > 0


def test_written_roles_are_read_off_the_program_and_never_changed(run_file):
    trainer = trained(run_file, **WRITTEN, **FEW)
    network, alphabet, _ = load_network(trainer.latest)
    program = progtf.compile(progtf.load(run_file.parent / "roles.seme"))
    kept = load_file(trainer.latest / "weights.safetensors")
    for name, tensor in program.state_dict().items():
        assert kept[f"reader.model.{name}"].equal(tensor)
    encode = alphabet.encode("What does Anna keep ? <passage> a goat").tolist()
    roles = network(torch.tensor([[2, *encode, 3]])).phrases.roles
    assert roles[0, :, 0, :2].tolist() == [[1, 0], [0, 0]]
    assert roles.shape[-1] == 6


def test_word_vectors_come_from_a_file_and_are_kept(run_file):
    (run_file.parent / "some.txt").write_text("goat 1 2 3\nkeeps 4 5 6\nother 7 8 9\n")
    vectors = {"model__reading__vectors": "some.txt"}
    network, alphabet, _ = load_network(trained(run_file, **vectors, **FEW).latest)
    (run_file.parent / "some.txt").unlink()
    rows = network.words.rows[alphabet.encode("goat keeps horse Goat")]
    assert network.words.table[rows].tolist()[:3] == [[1, 2, 3], [4, 5, 6], [0, 0, 0]]
    assert "words.table" not in dict(network.named_parameters())


@pytest.mark.parametrize(
    "other", ["goat 1 2 3\n", "goat 1 2 3\nkeeps 4 5 6\nother 7 8 8\n", "goat 1\n", "", "\xff"]
)
def test_word_vectors_that_are_others_are_not_looked_up(run_file, other):
    path = run_file.parent / "some.txt"
    path.write_text("goat 1 2 3\nkeeps 4 5 6\nother 7 8 9\n")
    latest = trained(run_file, model__reading__vectors="some.txt", **FEW).latest
    asked = read_questions(run_file.parent / "train.jsonl.gz")
    Reader.load(latest, asked)
    path.write_text(other)
    with pytest.raises(RunError, match=r"other word vectors than .*some\.txt has now"):
        Reader.load(latest, asked)
    path.unlink()
    Reader.load(latest, asked)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"model__reading__vectors": "no.txt"},
            r"`model.reading.vectors`: .*: there is no such file",
        ),
        ({"model__reading__vectors": "bad.txt"}, "bad.txt:1: a line is a word and its numbers"),
        ({"model__reading__vectors": "few.txt"}, "of none of the words"),
        ({"model__reading__d_role": 4}, "`width` is 12, and `d_symbol` times `d_role` 16"),
        ({"model__reading__phrase": "tprlstm"}, "the rest of the width"),
        ({"model__reading__written": ["noun"]}, "`reads` no program"),
        ({**WRITTEN, "model__reading__written": ["determine"]}, "did you mean `determiner`"),
        ({"data__pairs__train": "own.tsv"}, "learns from passages"),
        ({"train__smoothing": 0.1}, "`train.smoothing` means nothing"),
    ],
)
def test_settings_that_mean_nothing_are_told(run_file, changes, told):
    (run_file.parent / "own.tsv").write_text("a b\tc\nd e\tf\n" * 20)
    (run_file.parent / "bad.txt").write_text("goat one two\n")
    (run_file.parent / "few.txt").write_text("zebra 1 2\n")
    with pytest.raises(RunError, match=told):
        trained(run_file, **{**FEW, **changes})


@pytest.mark.xdist_group("reader")
def test_people_ask_a_passage_and_judge_a_file(learned, progtf):
    trainer, file = learned
    folder, data = trainer.latest, file.parent / "dev.jsonl.gz"
    text, asked = "Anna keeps a goat in the mill.", "In which place does Anna keep it?"
    status, said, _ = progtf("answer", "--checkpoint", folder, "--text", text, "--question", asked)
    assert (status, said.splitlines()[0]) == (0, "mill")
    status, said, _ = progtf(
        "answer", "--checkpoint", folder, "--text", text, "--question", asked, "--json"
    )
    found = json.loads(said)
    assert (found["answer"], found["words"], found["begins at"]) == ("mill", [7, 7], 25)
    assert 0 < found["chance"] <= 1
    status, said, _ = progtf("eval", folder, "--data", data)
    assert status == 0
    assert "another" in said
    status, said, _ = progtf("eval", folder, "--data", data, "--json")
    rows = json.loads(said)
    assert rows["questions"] == 60
    assert rows["f1"] >= rows["em"] >= BY_KIND + 20
    status, said, _ = progtf("eval", "window", "--data", data, "--json")
    assert status == 1


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (" ", "Who?", "the passage has no words"),
        ("Anna.", " ", "the question has no words"),
        ("goat " * 1100, "Who?", "1,100 words; at most 1,024"),
        ("Anna.", "Who?", "no checkpoint of a network; `progtf train` makes one"),
    ],
)
def test_what_cannot_be_answered_is_told(progtf, tmp_path, text, question, told):
    status, _, error = progtf(
        "answer", "--checkpoint", tmp_path, "--text", text, "--question", question
    )
    assert status == 1
    assert told in error
    assert "Traceback" not in error
