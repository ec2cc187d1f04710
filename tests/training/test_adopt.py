"""Published weights are asked in text, by their own numbering."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from progtf.data import CHARACTERS, SPECIALS
from progtf.nn import Shape, TPTransformer, Transformer, answer_all, load_published
from progtf.nn import published_tensors as named
from progtf.training.adopt import adopt_published
from progtf.training.config import RunError
from progtf.training.networks import LearnedModel

DATA = Path(__file__).parents[1] / "data/tp-reference"
TURNED = CHARACTERS[::-1]
QUESTION = "What is 2 + 3?"


@pytest.fixture(params=["tp", "vanilla"])
def weights(request):
    return DATA / f"{request.param}.safetensors"


def test_published_weights_answer_text_by_their_own_numbering(weights, tmp_path):
    characters = tmp_path / "characters.txt"
    characters.write_text(f"{TURNED}\n")
    adopt_published(weights, characters, tmp_path / "out")
    model, published = LearnedModel.load(tmp_path / "out"), load_published(weights)
    source = [2, *(TURNED.index(character) + len(SPECIALS) for character in QUESTION), 3]
    (tokens,) = answer_all(published, [source], 31)
    due = "".join(TURNED[token - 4] for token in tokens if token >= len(SPECIALS))
    assert model.encoded(QUESTION) == source
    assert model.run([QUESTION]) == [due]


def test_weights_are_those_of_the_file(weights, tmp_path):
    (tmp_path / "c.txt").write_text(CHARACTERS)
    adopt_published(weights, tmp_path / "c.txt", tmp_path / "out")
    kept = named(LearnedModel.load(tmp_path / "out").network)
    stored = load_file(weights)
    for name, tensor in kept.items():
        if f"weights/{name}" in stored:
            assert torch.equal(tensor, stored[f"weights/{name}"]), name


@pytest.mark.parametrize("form", ["list", "object"])
def test_characters_are_read_from_json_as_well(weights, tmp_path, form):
    symbols = ["<u>", "<p>", "<s>", "<e>", *TURNED]
    said = symbols if form == "list" else {symbol: n for n, symbol in enumerate(symbols)}
    (tmp_path / "c.json").write_text(json.dumps(said))
    adopt_published(weights, tmp_path / "c.json", tmp_path / "out")
    assert LearnedModel.load(tmp_path / "out").vocabulary.characters == TURNED


def test_what_does_not_fit_is_told(weights, tmp_path):
    (tmp_path / "c.txt").write_text(CHARACTERS[1:])
    with pytest.raises(RunError, match=r"68 characters and 4 specials; .* rows for 73 symbols"):
        adopt_published(weights, tmp_path / "c.txt", tmp_path / "out")
    with pytest.raises(RunError, match="there is no such file"):
        adopt_published(tmp_path / "none.safetensors", tmp_path / "c.txt", tmp_path / "out")
    (tmp_path / "c.txt").write_text(CHARACTERS)
    (tmp_path / "out").mkdir()
    with pytest.raises(RunError, match="something is there"):
        adopt_published(weights, tmp_path / "c.txt", tmp_path / "out")


@pytest.mark.parametrize("kind", [TPTransformer, Transformer])
def test_unequal_stacks_are_refused(kind, tmp_path):
    shape = Shape(73, d_model=8, d_ff=8, n_heads=2, n_encoder=1, n_decoder=2)
    save_file(named(kind(shape)), tmp_path / "w.safetensors")
    (tmp_path / "c.txt").write_text(CHARACTERS)
    with pytest.raises(RunError, match="1 blocks of the encoder, 2 of the decoder"):
        adopt_published(tmp_path / "w.safetensors", tmp_path / "c.txt", tmp_path / "out", 2)
