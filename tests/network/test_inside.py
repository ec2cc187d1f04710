"""Points by name: what hooks see is what answers, and what they change changes the answer."""

import pytest
import torch

import progtf
from progtf.training import begin
from progtf.weights.folder import FORMAT, load_weights, save_weights
from tests.network.test_loops import EUCLID
from tests.programs import LARGE, PROGRAMS, loaded

SMALL = [path for path in PROGRAMS if path not in LARGE]
WRITERS = [path for path in PROGRAMS if path.stem in ("add_or_sub", "reverse", "scan", "sort")]
PLACE, QUESTION = "examples/math/place_value.seme", "What is the tens digit of 1234?"
AGAIN = """
semes: a b n: 0..9
lexicon:
  x: +a
  y: +b
layer count:
  repeat: 3
  feedforward:
    n: a
layer told:
  head before:
    at: -1
    value: n>n
"""


def compiled(file):
    return progtf.compile(progtf.load(file))


def texts_of(path, count=4):
    return [example.input for example in loaded(path).examples][:count]


def points(name):
    return "hook_" in name


def nothing(tensor, hook):
    """A hook that changes nothing."""


def shown(answers):
    return [
        (a.text, a.scores, None if a.residual is None else a.residual.tobytes()) for a in answers
    ]


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_a_hook_that_changes_nothing_changes_no_bit(path):
    model = progtf.compile(loaded(path))
    called = []
    for text in texts_of(path):
        before = model.answers([text])
        with model.hooked([(points, lambda tensor, hook: called.append(hook.name))]):
            after = model.answers([text])
        assert shown(after) == shown(before)
    assert called or not texts_of(path) or not model.hooks()


@pytest.mark.parametrize("path", WRITERS, ids=lambda path: path.stem)
def test_a_hook_that_changes_nothing_changes_no_answer(path):
    model = progtf.compile(loaded(path))
    texts = texts_of(path, 8) or pytest.skip("no examples")
    assert model.run_with_hooks(texts, [(points, nothing)]) == model.run(texts)
    answers, cache = model.run_with_cache(texts)
    assert answers == model.run(texts)
    assert len(cache) == len([*filter(points, model.hooks())])


def test_what_a_decoder_wrote_is_kept_position_by_position():
    model = compiled(PLACE)
    answer, cache = model.run_with_cache(QUESTION)
    assert answer == model.run(QUESTION) == "3"
    steps = [step for step in model.trace(QUESTION) if step.stack == "decoder"]
    for number, step in enumerate(steps[1:]):
        mine = cache[f"decoder.blocks.{number}.hook_resid_post"][0]
        assert mine.shape == step.residual.shape
        assert abs(mine.double().numpy() - step.residual).max() < 1e-4


def test_what_a_hook_changes_changes_the_answer_in_decoding_too():
    model = compiled(PLACE)
    last = len(model.network.decoder.blocks) - 1
    names = ("encoder.blocks.0.hook_resid_post", f"decoder.blocks.{last}.hook_resid_post")
    for name in names:
        after = model.run_with_hooks(
            QUESTION, [(name, lambda t, hook: torch.zeros_like(t) if hook.first == 0 else t)]
        )
        assert after != "3"
    assert model.run(QUESTION) == "3"


# ------------------------------------------------------------------ names of the program


def test_semes_and_heads_have_names():
    model = compiled("examples/attention/nearest_noun.seme")
    layer, head = model.layout.encoder[0].name, model.layout.encoder[0].own[0].called
    text = progtf.load("examples/attention/nearest_noun.seme").examples[0].input
    _, cache = model.run_with_cache(text)
    behind = next(step for step in model.trace(text) if step.label == layer)
    for number, seme in enumerate(model.semes):
        assert cache[f"encoder.{layer}.{seme}"][0].tolist() == behind.residual[:, number].tolist()
    pattern = cache["encoder.blocks.0.attn.hook_pattern"]
    place = model.hooks()["encoder.blocks.0.attn.hook_pattern"].heads.index(head)
    assert torch.equal(cache[f"encoder.{layer}.head {head}"], pattern[:, place])
    assert model.hooks()[f"encoder.{layer}.head {head}"].axes == ("batch", "dst", "src")


def test_a_seme_is_changed_by_its_name_and_no_other_is():
    model = progtf.compile(progtf.parse_program(AGAIN))
    _, before = model.run_with_cache("x y")
    found = [("encoder.count.n", lambda tensor, hook: tensor + 5.0)]
    _, after = model.run_with_cache("x y", None, found)
    block = "encoder.blocks.2.hook_resid_post"
    assert (after[block] - before[block]).tolist() == [[[0.0, 0.0, 5.0, *[0.0] * 6]] * 2]
    assert model.run_with_hooks("x y", found) == "x: +a +8n | y: +b +13n"


def test_a_number_stands_for_a_seme_everywhere():
    model = progtf.compile(progtf.parse_program(AGAIN))
    assert model.run_with_hooks("x y", [("encoder.told.n", lambda t, hook: torch.tensor(7.0))]) == (
        "x: +a +7n | y: +b +7n"
    )


def test_every_turn_of_a_layer_has_its_own_points():
    model = progtf.compile(progtf.parse_program(AGAIN))
    _, cache = model.run_with_cache("x y")
    counts = [cache[f"encoder.blocks.{turn}.hook_resid_post"][0, 0, 2].item() for turn in range(4)]
    assert counts == [1.0, 2.0, 3.0, 3.0]
    once = ("encoder.blocks.1.hook_resid_pre", lambda tensor, hook: tensor * 0.0)
    assert model.run_with_hooks("x", [once]) == "x: 0"


def test_a_layer_whose_name_stands_twice_is_told_by_its_number():
    rule = "  feedforward:\n    b: a\n"
    text = f"semes: a b\nlexicon:\n  x: +a\nlayer:\n{rule}layer so:\n{rule}layer so:\n{rule}"
    model = progtf.compile(progtf.parse_program(text))
    _, cache = model.run_with_cache("x")
    names = ("embedding", "layer 1", "so", "3 so")
    assert [cache[f"encoder.{name}.b"].item() for name in names] == [0, 1, 2, 3]


# ------------------------------------------------------------------ loops


def test_rounds_of_a_loop_are_kept_one_after_another():
    model = progtf.compile(progtf.parse_program(EUCLID.replace("MOST", "60")))
    texts = ["12 18", "7 7", "60 1", "9 6"]
    answers, cache = model.run_with_cache(texts)
    assert answers == model.run(texts)
    name = next(name for name in cache if ".round." in name and name.endswith("hook_resid_pre"))
    kept = cache[name]
    rounds = (~kept[..., 0, 0].isnan()).sum(dim=0)
    assert kept.shape[1] == len(texts)
    assert len({*rounds.tolist()}) > 1
    assert int(rounds.max()) == len(kept)
    seen = []
    model.run_with_hooks(
        texts, [(name, lambda tensor, hook: seen.append((hook.turn, len(tensor))))]
    )
    assert seen == [(turn, int((rounds > turn).sum())) for turn in range(len(kept))]


def test_what_is_kept_of_a_round_stays_as_it_was_when_the_next_one_begins():
    model = progtf.compile(progtf.parse_program(EUCLID.replace("MOST", "60")))
    names = [name for name in model.hooks() if ".round." in name and "hook_resid" in name]
    last, copies = names[-1], []
    model.run_with_hooks(["12 18"], [(last, lambda tensor, hook: copies.append(tensor.clone()))])
    _, cache = model.run_with_cache(["12 18"], [last])
    assert len(copies) > 1
    assert torch.equal(cache[last][:, 0], torch.cat(copies))
    assert sum(len(loop.resets) for loop in model.network.encoder if loop.loops) > 0


# ------------------------------------------------------------------ hybrids, old folders, mistakes


def test_hybrids_have_points_of_written_and_of_learned_heads():
    model = begin(compiled("examples/hybrid/place_value.seme"))
    ids = model.batch([model.reader.read(QUESTION)])
    with torch.no_grad():
        scores = model(ids, ids[:, :3])
        assert torch.equal(model.run_with_hooks((ids, ids[:, :3]), [(points, nothing)]), scores)
        _, cache = model.run_with_cache((ids, ids[:, :3]))
    assert len(cache) == len([*filter(points, model.hooks())])
    heads = [head for hook in model.hooks().values() for head in hook.heads]
    assert "learned 1" in heads
    assert len({*heads}) > 2


def test_folders_with_the_old_name_of_scores_load(tmp_path):
    model = begin(compiled("examples/hybrid/place_value.seme"))
    with torch.no_grad():
        model.network.get_parameter("unembed.learned.weight").fill_(0.5)
    weights = model.weights
    assert any(name.startswith("unembed.") for name in weights.learned)
    old = {name.replace("unembed.", "output."): each for name, each in weights.learned.items()}
    save_weights(weights.with_learned(old), tmp_path)
    assert FORMAT == 6
    assert load_weights(tmp_path) == weights
    assert progtf.load_model(tmp_path).weights == weights


def test_no_module_has_a_name_that_tools_have_for_themselves():
    model = begin(compiled("examples/hybrid/place_value.seme"))
    taken = {"output", "input", "source", "skip", "next", "all"}
    assert not taken & {name.rpartition(".")[2] for name, _ in model.named_modules()}


def test_a_misspelt_name_is_told_the_nearest():
    model = progtf.compile(progtf.parse_program(AGAIN))
    with pytest.raises(ValueError, match=r"nearest is `encoder.count.n`"):
        model.run_with_hooks("x", [("encoder.counts.n", nothing)])
    with pytest.raises(ValueError, match="due is"):
        model.run_with_hooks("x", [("encoder.count.n", lambda tensor, hook: torch.zeros(4))])


def test_a_cache_of_a_hundred_questions_is_not_large():
    model = compiled("examples/math/add_or_sub.seme")
    texts = texts_of(PROGRAMS[0].parents[0] / "math/add_or_sub.seme", 8) * 16
    _, cache = model.run_with_cache(texts[:128])
    tensors = {cache[name].untyped_storage().data_ptr(): cache[name] for name in cache}
    held = sum(each.untyped_storage().nbytes() for each in tensors.values())
    assert held < 1e9
