"""The roles of learned networks are read, held against a program, and shown."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("sklearn", reason="the extra `roles` is not installed")

import progtf
from progtf.cli.main import app
from progtf.data import PAPER, Problem
from progtf.training import roles
from progtf.training.config import Model, RunError
from progtf.training.networks import LearnedModel, build_network, save_network
from progtf.training.roles import read_roles
from progtf.training.states import semes_of


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A network with its first weights."""
    folder = tmp_path_factory.mktemp("network")
    wanted = Model(kind="tp", width=16, filter=16, heads=2, layers=2)
    network = build_network(wanted, 5)
    save_network(folder, wanted, network.state_dict(), PAPER)
    return folder


@pytest.fixture(scope="module")
def program():
    return Path(__file__).parents[2] / "examples" / "math" / "mul_div_multiple.seme"


def fractions():
    return [Problem(f"({a}/{b})/({c}/{d})", f"{a}/{c}")
            for a in "23" for b in "57" for c in "89" for d in "46"]  # fmt: skip


LENGTH = sum(len(question) for question, _ in fractions())


def test_every_head_has_clusters_and_every_control_stands_beside(checkpoint, program):
    written = progtf.compile(progtf.load(program))
    reading = read_roles(checkpoint, written, fractions(), 6, ("turned",))
    assert list(reading.heads) == [f"layer {n} head {h}" for n in (0, 1) for h in (0, 1)]
    assert {*reading.found} == {"roles", "values", "untrained", "shuffled", "characters"}
    for found in reading.found.values():
        assert [each.seme for each in found] == ["turned"]
    labels = next(iter(reading.heads.values()))
    assert labels.shape == (LENGTH,)
    assert len(np.unique(labels)) == 6


def test_a_network_without_heads_is_refused(tmp_path, program):
    wanted = Model(kind="lstm", width=16, layers=1)
    save_network(tmp_path, wanted, build_network(wanted, 5).state_dict(), PAPER)
    with pytest.raises(RunError, match="one of kind `lstm` has none, and no roles"):
        read_roles(tmp_path, progtf.compile(progtf.load(program)), fractions(), 6)


def test_roles_that_are_the_seme_agree_with_it(checkpoint, program, monkeypatch):
    written = progtf.compile(progtf.load(program))
    own = roles.seen

    def turned(model, points, problems):
        """As if the second head of the first layer bound to what the program says."""
        _, names, semes = semes_of(written, problems)
        found = dict(zip(points, own(model, points, problems), strict=True))
        for point in points:
            if "blocks.0" in point:
                found[point][1][:, 1] = semes[:, [names.index("turned")]]
        return list(found.values())

    monkeypatch.setattr(roles, "seen", turned)
    (found,) = read_roles(checkpoint, written, fractions(), 6, ("turned",)).found["roles"]
    assert found.name == "layer 0 head 1"
    assert found.held_out.ami == pytest.approx(1)


def test_a_head_that_is_named_is_the_only_one_that_is_read(checkpoint, program):
    written = progtf.compile(progtf.load(program))
    whole = read_roles(checkpoint, written, fractions(), 4, ("turned",))
    one = read_roles(checkpoint, written, fractions(), 4, ("turned",), head="layer 0 head 1")
    assert [*one.heads] == ["layer 0 head 1"] == [one.shown]
    assert one.heads["layer 0 head 1"].tolist() == whole.heads["layer 0 head 1"].tolist()
    with pytest.raises(RunError, match="did you mean `encoder layer 0 head 1`"):
        read_roles(checkpoint, written, fractions(), 4, ("turned",), head="layer 0 haed 1")


def test_every_cluster_of_the_head_that_is_shown_is_said_in_words(checkpoint, program):
    written = progtf.compile(progtf.load(program))
    reading = read_roles(checkpoint, written, fractions(), 6, ("turned",))
    digits = [c.isdigit() for question, _ in fractions() for c in question]
    assert {each.cluster for each in reading.words} == {*reading.heads[reading.shown][digits]}
    assert all(0 <= each.held_out <= 1 and each.words for each in reading.words)


def command(checkpoint, program, tmp_path, *more):
    data = tmp_path / "questions.txt"
    data.write_text("".join(f"{question}\n{answer}\n" for question, answer in fractions()))
    words = ["roles", str(checkpoint), "--data", str(data), "--program", str(program), *more]
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_it_is_told_where_the_head_looks_that_is_shown(checkpoint, program, side):
    written = progtf.compile(progtf.load(program))
    reading = read_roles(checkpoint, written, fractions(), 4, ("first",), side)
    network = LearnedModel.load(checkpoint)
    _, cache = network.run_with_cache([question for question, _ in fractions()[:3]])
    for one, (question, answer) in zip(reading.maps, fractions(), strict=False):
        assert one.shares.shape == (len(one.dst), len(one.src))
        assert one.shares.sum(axis=1) == pytest.approx(1)
        assert one.dst == (
            ("<bos>", *question, "<eos>") if side == "encoder" else ("<bos>", *answer)
        )
    if side == "encoder":
        _, block, _, head = reading.shown.split()
        due = cache[f"encoder.blocks.{block}.attn.hook_pattern"][0, int(head)]
        assert reading.maps[0].shares == pytest.approx(due.double().numpy(), abs=1e-5)


def test_heads_of_a_decoder_are_held_against_what_stands_where_answers_are_due(checkpoint, program):
    written = progtf.compile(progtf.load(program))
    reading = read_roles(checkpoint, written, fractions(), 3, ("step[2]",), "decoder")
    names = [
        f"layer {n} {kind} head {h}" for n in (0, 1) for kind in ("self", "cross") for h in (0, 1)
    ]
    assert list(reading.heads) == names
    assert all(len(each) == sum(len(answer) for _, answer in fractions())
               for each in reading.heads.values())  # fmt: skip
    (found,) = reading.found["roles"]
    assert found.held_out.told == pytest.approx(1)  # three places, one cluster each
    assert reading.texts[0] == "2/8"


def test_the_command_shows_answers_and_where_a_head_looks(checkpoint, program, tmp_path):
    out = tmp_path / "roles.html"
    done = command(
        checkpoint,
        program,
        tmp_path,
        "--decoder",
        "--seme",
        "minus",
        "--clusters",
        "3",
        "-o",
        str(out),
    )
    assert done.exit_code == 0, done.output
    page = out.read_text()
    assert page.count('title="cluster ') == sum(len(answer) for _, answer in fractions())
    assert page.count('class="looks"') == 3


def test_the_command_prints_a_table_and_writes_a_page(checkpoint, program, tmp_path):
    out = tmp_path / "roles.html"
    given = ("--seme", "turned", "--clusters", "5", "-o", str(out))
    done = command(checkpoint, program, tmp_path, *given)
    assert done.exit_code == 0, done.output
    assert "untrained" in done.output
    page = out.read_text()
    assert page.count('title="cluster ') == LENGTH
    assert "<script" not in page
    told = json.loads(command(checkpoint, program, tmp_path, "--seme", "turned", "--json").output)
    assert {row["of"] for row in told} >= {"roles", "values", "characters"}


def test_what_cannot_be_read_is_told_in_words(checkpoint, program, tmp_path):
    assert "did you mean `turned`?" in str(
        command(checkpoint, program, tmp_path, "--seme", "turnd").exception
    )
    words = Path(__file__).parents[2] / "examples" / "article" / "clocks.seme"
    assert command(checkpoint, words, tmp_path).exit_code != 0
    short = tmp_path / "short.txt"
    short.write_text("1/2\n?\n")
    arguments = ["roles", str(checkpoint), "--data", str(short), "--program", str(program)]
    assert "four questions" in str(CliRunner().invoke(app, arguments).exception)
