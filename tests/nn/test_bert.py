"""BERT's encoder: a checkpoint read as its formulas say, words as the means of their pieces."""

import json

import pytest
import torch
from safetensors.torch import save_file
from torch.nn import functional

from progtf.nn.bert import Bert, BertShape, load_bert
from progtf.nn.pieces import NONE, PieceVectors
from progtf.nn.text_encoders import RecurrentContext, TextEncoder

SIZES = {
    "model_type": "bert", "hidden_act": "gelu", "vocab_size": 50, "hidden_size": 12,
    "intermediate_size": 20, "num_attention_heads": 3, "num_hidden_layers": 2,
    "max_position_embeddings": 64, "hidden_dropout_prob": 0.1, "layer_norm_eps": 1e-12,
}  # fmt: skip
PIECES = torch.tensor([[4, 7, 9, 11, 2], [3, 8, 0, 0, 0]])
REAL = torch.tensor([[True] * 5, [True, True, False, False, False]])


def drawn() -> dict[str, torch.Tensor]:
    """Tensors in the published names and shapes."""
    torch.manual_seed(1)
    shapes = {
        "embeddings.word_embeddings.weight": (50, 12), "embeddings.LayerNorm.weight": (12,),
        "embeddings.position_embeddings.weight": (64, 12), "embeddings.LayerNorm.bias": (12,),
        "embeddings.token_type_embeddings.weight": (2, 12),
    }  # fmt: skip
    for layer in range(2):
        maps = {f"attention.self.{part}": (12, 12) for part in ("query", "key", "value")}
        maps |= {"attention.output.dense": (12, 12), "intermediate.dense": (20, 12)}
        maps |= {"output.dense": (12, 20)}
        for name, shape in maps.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = shape
            shapes[f"encoder.layer.{layer}.{name}.bias"] = shape[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            for part in ("weight", "bias"):
                shapes[f"encoder.layer.{layer}.{name}.{part}"] = (12,)
    return {name: torch.randn(shape) for name, shape in shapes.items()}


def saved(folder, tensors, **changes):
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({**SIZES, **changes}))
    return folder


def by_formula(w: dict[str, torch.Tensor], pieces: torch.Tensor) -> torch.Tensor:
    """One text, as Devlin et al. (2019) and Vaswani et al. (2017) have it."""

    def norm(x, name):
        return functional.layer_norm(x, (12,), w[f"{name}.weight"], w[f"{name}.bias"], 1e-12)

    def mapped(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][pieces]
    x = x + w["embeddings.position_embeddings.weight"][: len(pieces)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        query, key, value = (mapped(x, f"{layer}.attention.self.{p}") for p in
                             ("query", "key", "value"))  # fmt: skip
        heads = [
            (query[:, h : h + 4] @ key[:, h : h + 4].T / 2).softmax(dim=-1) @ value[:, h : h + 4]
            for h in (0, 4, 8)
        ]
        found = mapped(torch.cat(heads, dim=-1), f"{layer}.attention.output.dense")
        x = norm(x + found, f"{layer}.attention.output.LayerNorm")
        inner = mapped(x, f"{layer}.intermediate.dense")
        inner = inner * 0.5 * (1 + torch.erf(inner / 2**0.5))
        x = norm(x + mapped(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return x


def test_a_checkpoint_gives_what_the_formulas_give_with_padding_or_without(tmp_path):
    tensors = drawn()
    model = load_bert(saved(tmp_path, tensors)).eval()
    found = model(PIECES, REAL)
    for row, length in enumerate((5, 2)):
        due = by_formula(tensors, PIECES[row, :length])
        torch.testing.assert_close(found[row, :length], due, rtol=0, atol=2e-5)


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    tensors = drawn()
    with pytest.raises(ValueError, match="`model_type` is 'roberta', not 'bert'"):
        load_bert(saved(tmp_path, tensors, model_type="roberta"))
    with pytest.raises(ValueError, match="`vocab_size` is 60; the weights have 50"):
        load_bert(saved(tmp_path, tensors, vocab_size=60))
    del tensors["encoder.layer.1.output.dense.bias"]
    with pytest.raises(ValueError, match=r"encoder.layer.1.output.dense.bias is missing"):
        load_bert(saved(tmp_path, tensors))


@pytest.mark.parametrize("layers", [1, 2])
def test_frozen_layers_give_the_same_and_drop_nothing_out(layers, tmp_path):
    folder = saved(tmp_path, drawn())
    whole, frozen = load_bert(folder).eval(), load_bert(folder)
    frozen.freeze(layers)
    due = whole(PIECES, REAL)[REAL]
    torch.testing.assert_close(frozen.eval()(PIECES, REAL)[REAL], due, rtol=0, atol=2e-5)
    # Kept for each text, whatever stands behind it.
    alone = frozen(PIECES[1:, :2], REAL[1:, :2])
    torch.testing.assert_close(alone, whole(PIECES, REAL)[1:, :2], rtol=0, atol=2e-5)
    again = frozen.train()(PIECES, REAL)[REAL]
    assert again.equal(frozen(PIECES, REAL)[REAL]) == (layers == 2)
    trained = {name.split(".")[2] for name, part in frozen.named_parameters() if part.requires_grad}
    assert trained == {str(number) for number in range(layers, 2)}


def test_what_frozen_layers_give_is_kept_until_they_change(tmp_path):
    frozen = load_bert(saved(tmp_path, drawn())).eval()
    frozen.freeze(1)
    before = frozen(PIECES, REAL)
    kept = frozen._kept.rows
    with torch.no_grad():
        frozen.stack.blocks[1].attention.after.weight *= 2
    assert not frozen(PIECES, REAL).equal(before)
    assert frozen._kept.rows is kept
    for part in (frozen.table, frozen.stack.blocks[0].attention.after.weight):
        before = frozen(PIECES, REAL)
        with torch.no_grad():
            part.add_(1)
        changed = frozen(PIECES, REAL)
        assert not changed.equal(before)
        frozen._kept.rows.clear()
        assert frozen(PIECES, REAL).equal(changed)


def test_more_layers_than_there_are_cannot_be_frozen(tmp_path):
    with pytest.raises(ValueError, match="3 layers of 2 cannot be frozen"):
        load_bert(saved(tmp_path, drawn())).freeze(3)


def test_more_pieces_than_places_are_refused():
    model = Bert(BertShape(50, 12, 20, 3, 1, n_places=4))
    with pytest.raises(ValueError, match="5 pieces of words, and 4 are read"):
        model(PIECES, REAL)


def test_a_word_is_the_mean_of_its_pieces_in_their_context():
    torch.manual_seed(2)
    bert = Bert(BertShape(50, 12, 20, 3, 2))
    table = torch.tensor([[0, NONE], [NONE, NONE], [1, NONE], [2, NONE], [7, 8], [9, NONE]])
    vectors = PieceVectors(bert, table, 6).eval()
    source = torch.tensor([[2, 5, 4, 3], [2, 4, 3, 1]])
    found = vectors(source, source != 1)
    for row, pieces, words in (
        (0, [1, 9, 7, 8, 2], [[0], [1], [2, 3], [4]]), (1, [1, 7, 8, 2], [[0], [1, 2], [3]])
    ):  # fmt: skip
        alone = bert(torch.tensor([pieces]), torch.ones(1, len(pieces)).bool())[0]
        due = vectors.out(torch.stack([alone[word].mean(dim=0) for word in words]))
        torch.testing.assert_close(found[row, : len(words)], due, rtol=0, atol=1e-5)


def test_what_it_gives_is_added_to_learned_vectors_of_words():
    torch.manual_seed(3)
    beside = PieceVectors(Bert(BertShape(50, 12, 20, 3, 1)), torch.arange(6)[:, None], 6)
    table, context = torch.nn.Parameter(torch.randn(4, 6)), RecurrentContext.sized(6, 1)
    source, real = torch.tensor([[2, 5, 3]]), torch.ones(1, 3).bool()
    found = TextEncoder(table, context, beside=beside).eval()(source, real)
    known = table[torch.tensor([[2, 0, 3]])]  # it has no vector of its own for the last symbols
    assert found.equal(context(known + beside(source, real), real))


DESCRIBED = [
    *({key: value} for key in (
        "vocab_size", "hidden_size", "num_hidden_layers", "intermediate_size",
        "max_position_embeddings",
    ) for value in (10**12, 0, -1, "50", None)),
    *({"num_attention_heads": value} for value in (10**12, 0, -1, 5, True, "2", None)),
    {"hidden_dropout_prob": 2.0}, {"hidden_dropout_prob": "a"}, {"layer_norm_eps": "a"},
]  # fmt: skip
"""What a description may say that is not so; nothing is built of it."""


@pytest.mark.parametrize("wrong", DESCRIBED, ids=str)
def test_what_a_description_says_is_what_the_weights_are(tmp_path, wrong):
    with pytest.raises(ValueError, match=str(tmp_path)):
        load_bert(saved(tmp_path, drawn(), **wrong))


@pytest.mark.parametrize("held", [
    b"", b"{", b"[]", b"1", b"null", b"{}", b'{"model_type": "bert"}', b"\xff", b"[" * 100_000,
    b'{"model_type": "bert", "hidden_act": "gelu"}',
])  # fmt: skip
@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_files_that_are_none_of_a_bert_are_named(tmp_path, name, held):
    saved(tmp_path, drawn())
    (tmp_path / name).write_bytes(held)
    with pytest.raises(ValueError, match=str(tmp_path)):
        load_bert(tmp_path)
