"""Published weights are asked in text, by their own numbering."""

import json
import os
import pickle
from pathlib import Path
from warnings import catch_warnings, simplefilter

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
    assert model.respond(QUESTION) == due


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


JSON = {
    '["<unk>"': r"c.json:1: no JSON: expecting ',' delimiter",
    "[]": "four specials and then characters",
    '"abc"': "four specials and then characters",
    '["<pad>", "<unk>", "<sos>", "<eos>", "a"]': "the first four symbols are to be <unk>, <pad>",
    '["a", "b", "c", "d", "<unk>"]': "the first four symbols are to be <unk>, <pad>",
    '["<unk>", "<pad>", "<sos>", "<eos>", "ab"]': 'symbol 4 is "ab"; one character is due',
    '["<unk>", "<pad>", "<sos>", "<eos>", ""]': 'symbol 4 is ""; one character is due',
    '["<unk>", "<pad>", "<sos>", "<eos>", "a", 7]': "symbol 5 is 7; one character is due",
    '["<unk>", "<pad>", "<sos>", "<eos>", "a", null]': "symbol 5 is null; one",
    '["<unk>", "<pad>", "<sos>", "<eos>", "a", "a"]': "'a' comes twice",
    '["<unk>", "<pad>", "<sos>", "<eos>", "\\n"]': "is no character of a text",
    '{"<unk>": 0, "<pad>": 1, "<sos>": 2, "<eos>": 3, "a": "4"}': "the numbers 0 to 4, each",
    '{"<unk>": 0, "<pad>": 1, "<sos>": 2, "<eos>": 3, "a": 5}': "the numbers 0 to 4, each one",
    '{"<unk>": 0, "<pad>": 1, "<sos>": 2, "<eos>": 2, "a": 3}': "the numbers 0 to 4, each one",
    '{"<unk>": 0, "<pad>": 1, "<sos>": 2, "<eos>": 3, "a": null}': "the numbers 0 to 4, each one",
    '{"<unk>": false, "<pad>": true, "<sos>": 2, "<eos>": 3}': "the numbers 0 to 3, each one",
    '{"<pad>": 0, "<unk>": 1, "<sos>": 2, "<eos>": 3, "a": 4}': "the first four symbols are",
    "[" * 100_000: "c.json",
    "7": "four specials and then characters",
    "null": "four specials and then characters",
}
"""Files of characters that are none, and what is said of them."""


@pytest.mark.parametrize(("said", "told"), JSON.items())
def test_a_list_of_characters_that_is_none_is_told(said, told, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(said)
    with pytest.raises(RunError, match=told) as caught:
        adopt_published(DATA / "tp.safetensors", path, tmp_path / "out")
    assert str(caught.value).startswith(str(path))


def test_a_pickle_of_characters_is_told_what_to_do(weights, tmp_path):
    torch.save([CHARACTERS], tmp_path / "vocab.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(RunError, match="write the list `itos` as JSON"):
        adopt_published(weights, tmp_path / "vocab.pt", tmp_path / "out")


@pytest.mark.parametrize("length", [90, 400])
def test_a_position_code_of_another_length_is_brought_to_that_of_questions(length, tmp_path):
    tensors = named(TPTransformer(Shape(73, 8, 8, 2, 1, 1, max_length=length)))
    (tmp_path / "c.txt").write_text(CHARACTERS)
    torch.save(tensors, tmp_path / "w.pt")
    adopt_published(tmp_path / "w.pt", tmp_path / "c.txt", tmp_path / "out", 2)
    assert LearnedModel.load(tmp_path / "out").respond(QUESTION) is not None
    torch.save(tensors | {"embedding.pe": torch.rand(1, length, 8)}, tmp_path / "w.pt")
    with pytest.raises(RunError, match=f"embedding.pe has {length} positions, and is not the sinu"):
        adopt_published(tmp_path / "w.pt", tmp_path / "c.txt", tmp_path / "other", 2)


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


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("value", [{"a": 1}, {"a": torch.zeros(2)}, [], "text", {"a": Path()}])
def test_a_pickle_that_torch_did_not_write_is_refused_in_one_sentence(protocol, value, tmp_path):
    (tmp_path / "w.pt").write_bytes(pickle.dumps(value, protocol))
    (tmp_path / "c.txt").write_text(CHARACTERS)
    with catch_warnings(record=True) as warned:
        simplefilter("always")
        with pytest.raises(RunError, match=r"neither a safetensors file nor|would run its code"):
            adopt_published(tmp_path / "w.pt", tmp_path / "c.txt", tmp_path / "out")
    assert warned == []


@pytest.mark.parametrize("which", ["w.pt", "c.txt"])
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (os.mkfifo, "no ordinary file"),
        (Path.mkdir, "a folder lies"),
        (None, "there is no such file"),
    ],
)
def test_what_is_no_file_is_called_what_it_is(which, make, why, weights, tmp_path):
    (tmp_path / "c.txt").write_text(CHARACTERS)
    places = {"w.pt": weights, "c.txt": tmp_path / "c.txt"} | {which: tmp_path / f"a {which}"}
    if make is not None:
        make(places[which])
    with pytest.raises(RunError, match=f"a {which}: {why}"):
        adopt_published(places["w.pt"], places["c.txt"], tmp_path / "out")


@pytest.mark.parametrize("kind", [TPTransformer, Transformer])
def test_unequal_stacks_are_refused(kind, tmp_path):
    shape = Shape(73, d_model=8, d_ff=8, n_heads=2, n_encoder=1, n_decoder=2)
    save_file(named(kind(shape)), tmp_path / "w.safetensors")
    (tmp_path / "c.txt").write_text(CHARACTERS)
    with pytest.raises(RunError, match="1 blocks of the encoder, 2 of the decoder"):
        adopt_published(tmp_path / "w.safetensors", tmp_path / "c.txt", tmp_path / "out", 2)
