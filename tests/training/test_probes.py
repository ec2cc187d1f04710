"""Heads of learned networks by name: clusters, what they keep, and how their products convert."""

import json
import re
from random import Random

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

pytest.importorskip("sklearn", reason="the extra `roles` is not installed")

from progtf.analysis.roles import clusters
from progtf.cli.main import app
from progtf.data import PAPER, Problem
from progtf.program.answers import Answer, so_far
from progtf.training.build import learned_subject
from progtf.training.config import Model, RunError, read_run
from progtf.training.hadamard import to_hadamard
from progtf.training.networks import LearnedModel, build_network, save_network
from progtf.training.places import attentions, head_of, with_heads
from progtf.training.probes import cluster_head, pairs_of_directions, states_told
from progtf.training.states import seen
from tests.training.conftest import trained

SIZES = {"width": 16, "filter": 16, "heads": 2, "layers": 2}
PROBLEMS = [Problem(f"({a}/{b})/({c}/{d})", f"{a}/{c}")
            for a in "23" for b in "57" for c in "89" for d in "46"]  # fmt: skip
Random(0).shuffle(PROBLEMS)
DECODER = "decoder layer"
FIRST = PROBLEMS[0].question
MODEL = """
[model]
kind = "tp"
binding = "outer"
width = 16
heads = 2
layers = 1
filter = 16
"""
LENGTH = sum(len(question) + 2 for question, _ in PROBLEMS)


def kept_network(folder, **settings):
    wanted = Model(**SIZES, **settings)
    save_network(folder, wanted, build_network(wanted, 5).state_dict(), PAPER)
    return folder


@pytest.fixture(scope="module")
def outer(tmp_path_factory):
    """A network that binds by the whole product, with its first weights."""
    return kept_network(tmp_path_factory.mktemp("outer"), kind="tp", binding="outer")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return kept_network(tmp_path_factory.mktemp("plain"), kind="tp")


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    file = tmp_path_factory.mktemp("questions") / "questions.txt"
    file.write_text("".join(f"{question}\n{answer}\n" for question, answer in PROBLEMS))
    return file


def command(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def said(*words):
    done = command(*words)
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


def test_roles_of_a_head_are_divided_at_every_symbol_and_both_ends(plain):
    model = with_heads(plain)
    found = cluster_head(model, PROBLEMS, "encoder layer 0 head 1", 6)
    assert found.texts[0] == ("<bos>", *FIRST, "<eos>")
    assert sum(map(len, found.labels)) == LENGTH
    _, cache = model.run_with_cache([question for question, _ in PROBLEMS])
    roles = cache["encoder.blocks.0.attn.hook_role"][:, :, 1].double().numpy()
    due = clusters(np.concatenate([row[:13] for row in roles]), 6)
    assert [label for each in found.labels for label in each] == due.tolist()
    assert sum(each.share for each in found.clusters) == pytest.approx(1)


def test_what_stands_in_a_cluster_is_told_with_its_share(plain):
    found = cluster_head(with_heads(plain), PROBLEMS, None, 3, most=100)
    symbols = [one for text in found.texts for one in text]
    labels = [label for each in found.labels for label in each]
    for each in found.clusters:
        here = [s for s, label in zip(symbols, labels, strict=True) if label == each.number]
        assert each.share == pytest.approx(len(here) / LENGTH)
        assert dict(each.symbols) == pytest.approx({s: here.count(s) / len(here) for s in here})


@pytest.mark.parametrize(
    ("name", "side", "whole", "place"),
    [
        ("encoder layer 1 head 1", "encoder", "encoder layer 1 head 1", "encoder.blocks.1.attn"),
        ("layer 0 cross head 1", "decoder", f"{DECODER} 0 cross head 1", "decoder.blocks.0.cross"),
        (
            f"{DECODER} 1 self head 1",
            "encoder",
            f"{DECODER} 1 self head 1",
            "decoder.blocks.1.attn",
        ),
    ],
)
def test_a_head_is_found_by_its_name_with_its_side_or_without(plain, name, side, whole, place):
    assert head_of(with_heads(plain), name, side) == (whole, (place, 1))


def test_without_a_name_the_first_head_of_the_last_layer_is_read(plain):
    assert head_of(with_heads(plain), None)[0] == "encoder layer 1 head 0"


def test_of_a_name_that_is_none_the_nearest_is_told_and_the_ranges_there_are(plain):
    due = (
        "no head is called `encoder layer 1 haed 1`; did you mean `encoder layer 1 head 1`? there"
        " are `encoder layer 0-1 head 0-1`, `decoder layer 0-1 self head 0-1`,"
        " `decoder layer 0-1 cross head 0-1`"
    )
    with pytest.raises(RunError) as error:
        head_of(with_heads(plain), "encoder layer 1 haed 1")
    assert str(error.value) == due


def test_the_page_of_one_head_shows_where_it_looks_in_the_first_questions(
    plain, questions, tmp_path
):
    found = cluster_head(with_heads(plain), PROBLEMS, "encoder layer 0 head 1", 3)
    assert [each.src for each in found.maps] == [*found.texts[:3]]
    texts = [question for question, _ in PROBLEMS[:3]]
    _, cache = with_heads(plain).run_with_cache(texts)
    pattern = cache["encoder.blocks.0.attn.hook_pattern"][:, 1].double().numpy()
    assert np.stack([each.shares for each in found.maps]) == pytest.approx(pattern, abs=1e-6)
    page = tmp_path / "roles.html"
    said("roles", plain, "--data", questions, "--clusters", "3", "--json", "-o", page)
    assert page.read_text().count('<table class="looks">') == 3


def test_a_space_is_shown_as_something(plain, tmp_path):
    page = tmp_path / "roles.html"
    done = command("roles", plain, "What is 2 + 3?", "--clusters", "2", "-o", page)
    assert done.exit_code == 0, done.output
    assert "␣ " in done.output
    assert "<th>␣</th>" in page.read_text()
    assert re.search(r"␣ \d+ %", page.read_text().split("<h2>")[0])


def test_only_questions_that_are_answered_right_are_read_where_this_is_asked(
    plain, tmp_path, monkeypatch
):
    """Every third question of a file is answered right, beyond what is put at a time as well."""
    answers = {f"{n}+1": "7" if n % 3 else str(n + 1) for n in range(600)}
    file = tmp_path / "q.txt"
    file.write_text("".join(f"{n}+1\n{n + 1}\n" for n in range(600) if n != 6))
    told = lambda _, texts: [Answer(answers[text], ()) for text in texts]  # noqa: E731
    monkeypatch.setattr(LearnedModel, "try_answers", told)
    asked = "roles", plain, "--data", file, "--clusters", "2", "--right", "--json"
    for limit, last in (("4", 12), ("150", 450), ("1000", 597)):
        done = command(*asked, "--limit", limit)
        assert done.exit_code == 0, done.output
        texts = ["".join(each["symbols"][1:-1]) for each in json.loads(done.stdout)["texts"]]
        assert texts == [f"{n}+1" for n in range(0, last + 1, 3) if n != 6]
        assert f"of the first {last}" in done.stderr


def test_where_no_question_is_answered_right_it_is_told(plain, questions):
    done = command("roles", plain, "--data", questions, "--right")
    assert "of 16 questions 0 are answered right; 1 are needed" in str(done.exception)
    assert "of typed questions" in str(command("roles", plain, FIRST, "--right").exception)


def test_of_a_transformer_what_a_head_retrieves_is_divided(tmp_path):
    model = with_heads(kept_network(tmp_path, kind="transformer"))
    assert cluster_head(model, PROBLEMS, None, 3).of == "values"


def test_a_state_is_told_from_the_value_that_a_head_of_the_decoder_makes_of_it(plain):
    model = with_heads(plain)
    found = states_told(model, PROBLEMS)
    assert [*found] == [f"decoder layer {n} cross head {h}" for n in (0, 1) for h in (0, 1)]
    _, cache = model.run_with_cache([question for question, _ in PROBLEMS])
    states, values = (
        cache[name].double().numpy()[:, 1:12].reshape(11 * len(PROBLEMS), -1)
        for name in ("encoder.blocks.1.hook_resid_post", "decoder.blocks.1.cross.hook_v")
    )
    half = len(states) // 2
    own = np.concatenate([values[:, 8:], np.ones((len(values), 1))], axis=1)
    slopes = np.linalg.lstsq(own[:half], states[:half])[0]
    rest = np.square(states[half:] - own[half:] @ slopes).mean()
    assert found["decoder layer 1 cross head 1"].error == pytest.approx(rest, rel=0.05)


def test_only_of_whole_products_it_is_told_whether_directions_pair_off(outer, plain):
    assert pairs_of_directions(with_heads(plain), PROBLEMS) == {}
    found = pairs_of_directions(with_heads(outer), PROBLEMS)
    assert [*found] == [f"encoder layer {n} head {h}" for n in (0, 1) for h in (0, 1)]
    assert all(max(each) == each.free <= 1 for each in found.values())


def few_products(folder):
    """A network that binds by the whole product, of which each head reads two numbers alone."""
    wanted = Model(**SIZES, kind="tp", binding="outer")
    network = build_network(wanted, 5)
    with torch.no_grad():
        for name, weight in network.state_dict().items():
            if name.endswith("out.weight") and len(weight) == 2 * 8 * 8:
                due = torch.zeros(2, 8, 8, weight.shape[1])
                due[:, 1, 2] = weight[:2]
                due[:, 5, 0] = weight[2:4]
                weight.copy_(due.reshape(weight.shape))
    save_network(folder, wanted, network.state_dict(), PAPER)
    return folder


@torch.no_grad()
def test_a_network_that_needs_few_products_answers_alike_when_it_is_converted(tmp_path):
    (tmp_path / "few").mkdir()
    folder = few_products(tmp_path / "few")
    found = to_hadamard(folder, PROBLEMS)
    assert min(cost.update for cost in found.costs.values()) > 0.999
    found.save(tmp_path / "new")
    texts = [question for question, _ in PROBLEMS]
    source = torch.tensor([LearnedModel.load(folder).encoded(text) for text in texts])
    logits = [
        LearnedModel.load(path).network(source, source) for path in (folder, tmp_path / "new")
    ]
    assert torch.allclose(*logits, atol=0.02 * float(logits[0].std()))
    told = [LearnedModel.load(path).respond(texts) for path in (folder, tmp_path / "new")]
    assert told[0] == told[1]


def test_right_answers_are_counted_on_questions_by_which_nothing_was_fitted(outer, monkeypatch):
    tried = LearnedModel.try_answers  # as if answers ended where there is no more room
    ended = lambda model, texts: [so_far(each) for each in tried(model, texts)]  # noqa: E731
    monkeypatch.setattr(LearnedModel, "try_answers", ended)
    model = LearnedModel.load(outer)
    own = [Problem(question, model.run([question])[0]) for question, _ in PROBLEMS]
    wrong = [each._replace(answer="?") if n % 2 == 0 else each for n, each in enumerate(own)]
    found = to_hadamard(outer, wrong, rounds=1)
    assert (found.before, found.questions) == (100, len(PROBLEMS) // 2)
    right = found.model.run([question for question, _ in own[1::2]])
    share = np.mean([answer == due for answer, (_, due) in zip(right, own[1::2], strict=True)])
    assert found.after == pytest.approx(100 * share)


def test_fitting_keeps_more_of_what_heads_write_than_principal_directions_do(outer):
    begun, fitted = (to_hadamard(outer, PROBLEMS, rounds).costs for rounds in (0, 100))
    means = [np.mean([cost.update for cost in costs.values()]) for costs in (begun, fitted)]
    assert means[0] < means[1] <= 1


def test_what_a_layer_writes_on_average_stays_as_it_was(outer):
    models = LearnedModel.load(outer), to_hadamard(outer, PROBLEMS, rounds=1).model
    means = []
    for model in models:
        ((_, bound),) = seen(model, ["encoder.blocks.0.attn.hook_bound"], PROBLEMS[::2])
        weight, bias = attentions(model)["encoder.blocks.0.attn"].parts()["out"]
        written = bound.reshape(len(bound), -1) @ weight.double().numpy() + bias.double().numpy()
        means.append(written.mean(axis=0))
    assert means[0] == pytest.approx(means[1], abs=1e-5)


def test_a_run_goes_on_from_a_network_that_was_converted(run_file, tmp_path):
    text = run_file.read_text().replace('program = "tiny.seme"\n', "")
    run_file.write_text(text + MODEL)
    first = trained(run_file, train__steps=2, checkpoints__every=2).latest
    asked = [
        Problem("What is the tens digit of 1234?", "3"),
        Problem("What is the units digit of 56?", "6"),
    ]
    to_hadamard(first, asked * 4, rounds=2).save(tmp_path / "new")
    settings = {"model.binding": "hadamard", "model.start": str(tmp_path / "new")}
    run = read_run(run_file, settings)
    subject = learned_subject(run.model, run)
    due = LearnedModel.load(tmp_path / "new").network.state_dict()
    assert all(torch.equal(each, due[name]) for name, each in subject.module.state_dict().items())
    done = trained(
        run_file, out=str(tmp_path / "again"), model__binding="hadamard",
        model__start=str(tmp_path / "new"), train__steps=2, checkpoints__every=2,
    )  # fmt: skip
    LearnedModel.load(done.latest)
    for change, what in (
        ({"model.width": 32}, "numbers of"),
        ({"model": {"kind": "lstm", "start": str(tmp_path / "new")}}, "another kind"),
    ):
        other = read_run(run_file, change if "model" in change else settings | change)
        with pytest.raises(RunError, match=f"model.start.*{what}"):
            learned_subject(other.model, other)
    strange = read_run(run_file, settings | {"data.alphabet": "½"})
    with pytest.raises(RunError, match="another alphabet"):
        learned_subject(strange.model, strange)


def test_the_commands_print_what_was_found_and_write_what_can_be_read_again(
    outer, questions, tmp_path
):
    page, new = tmp_path / "roles.html", tmp_path / "new"
    found = said("roles", outer, "--data", questions, "--head", "encoder layer 1 head 1",
                 "--clusters", "4", "--json", "-o", page)  # fmt: skip
    assert found["head"] == "encoder layer 1 head 1"
    assert page.read_text().count('title="cluster ') == LENGTH
    probed = said("probe", outer, "--data", questions, "--json")
    assert {*probed} == {"6.1", "A.2"}
    mean = probed["6.1"].pop("mean")
    assert len(probed["6.1"]) == 4
    for name in ("R2", "MSE"):
        assert mean[name] == pytest.approx(np.mean([each[name] for each in probed["6.1"].values()]))
    cost = said("hadamard", outer, "--data", questions, "-o", new, "--rounds", "1", "--json")
    assert cost["questions"] == len(PROBLEMS) // 2
    assert len(cost["heads"]) == 12
    assert isinstance(LearnedModel.load(new).respond(FIRST), str)
    again = command("hadamard", outer, "--data", questions, "-o", new)
    assert "something is there" in str(again.exception)


def test_a_head_of_the_decoder_is_read_at_the_answers_of_the_network_to_typed_questions(
    plain, monkeypatch
):
    answers = [Answer("15/14", ()), Answer("2□3", ())]
    monkeypatch.setattr(LearnedModel, "try_answers", lambda *_: answers)
    found = said("roles", plain, FIRST, PROBLEMS[1].question, "--head",
                 "decoder layer 0 cross head 0", "--clusters", "2", "--json")  # fmt: skip
    symbols = [each["symbols"] for each in found["texts"]]
    assert symbols == [["<bos>", *"15/14"], ["<bos>", "2"]]  # □ is in no alphabet


@pytest.mark.parametrize("words", [("roles",), ("probe",), ("hadamard", "-o", "new")])
@pytest.mark.parametrize("kind", ["lstm", "none"])
def test_networks_of_which_this_means_nothing_are_refused_in_words(
    words, kind, questions, tmp_path
):
    folder = tmp_path / kind
    if kind == "lstm":
        folder.mkdir()
        kept_network(folder, kind="lstm")
    done = command(words[0], folder, "--data", questions, *words[1:])
    due = "one of kind `lstm` has none, and no roles" if kind == "lstm" else "no checkpoint of"
    assert due in str(done.exception)


def test_what_binds_by_hadamard_products_already_is_not_converted(plain, questions, tmp_path):
    done = command("hadamard", plain, "--data", questions, "-o", tmp_path / "new")
    assert 'only a network with `model.binding = "outer"`' in str(done.exception)
    assert not (tmp_path / "new").exists()


def test_a_program_s_network_is_sent_to_what_shows_its_semes(tmp_path, questions):
    assert command("compile", "examples/article/clocks.seme", "-o", tmp_path / "c").exit_code == 0
    done = command("probe", tmp_path / "c", "--data", questions)
    assert "`progtf circuit`" in str(done.exception)


def test_without_questions_they_are_asked_for(plain):
    assert "questions are due" in str(command("roles", plain).exception)


def test_pairs_between_tabs_are_questions_too(plain, questions, tmp_path):
    pairs = tmp_path / "questions.tsv"
    pairs.write_text("".join(f"{question}\t{answer}\n" for question, answer in PROBLEMS))
    given = (said("probe", plain, "--data", file, "--json") for file in (questions, pairs))
    assert next(given) == next(given)
