"""The roles of learned networks are read, held against a program, and shown."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("sklearn", reason="the extra `roles` is not installed")

import progtf
from progtf.cli.main import app
from progtf.data import PAPER
from progtf.training.config import Model
from progtf.training.networks import LearnedModel, build_network, save_network
from progtf.training.roles import read_roles


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
    return [f"({a}/{b})/({c}/{d})" for a in "23" for b in "57" for c in "89" for d in "46"]


def test_every_head_has_clusters_and_every_control_stands_beside(checkpoint, program):
    written = progtf.compile(progtf.load(program))
    reading = read_roles(checkpoint, written, fractions(), 6, ("turned",))
    assert list(reading.heads) == [f"layer {n} head {h}" for n in (0, 1) for h in (0, 1)]
    assert {*reading.found} == {"roles", "values", "untrained", "shuffled", "characters"}
    for found in reading.found.values():
        assert [each.seme for each in found] == ["turned"]
    labels = next(iter(reading.heads.values()))
    assert labels.shape == (sum(map(len, fractions())),)
    assert len(np.unique(labels)) == 6


def test_roles_that_are_the_seme_agree_with_it(checkpoint, program, monkeypatch):
    written = progtf.compile(progtf.load(program))
    own = LearnedModel.run_with_cache

    def turned(self, given, names):
        """As if the second head of the first layer bound to what the program says."""
        answer, cache = own(self, given, names)
        _, known = written.run_with_cache(given, "encoder.sum.turned")
        told = {name: cache[name].clone() for name in names}
        for name in names:
            if "blocks.0" in name:
                told[name][:, :, 1] = known["encoder.sum.turned"][:, :, None].float()
        return answer, told

    monkeypatch.setattr(LearnedModel, "run_with_cache", turned)
    (found,) = read_roles(checkpoint, written, fractions(), 6, ("turned",)).found["roles"]
    assert found.name == "layer 0 head 1"
    assert found.held_out.ami == pytest.approx(1)


def test_every_cluster_of_the_head_that_is_shown_is_said_in_words(checkpoint, program):
    written = progtf.compile(progtf.load(program))
    reading = read_roles(checkpoint, written, fractions(), 6, ("turned",))
    digits = [c.isdigit() for question in fractions() for c in question]
    assert {each.cluster for each in reading.words} == {*reading.heads[reading.shown][digits]}
    assert all(0 <= each.held_out <= 1 and each.words for each in reading.words)


def command(checkpoint, program, tmp_path, *more):
    data = tmp_path / "questions.txt"
    data.write_text("".join(f"{question}\n?\n" for question in fractions()))
    words = ["roles", str(checkpoint), "--data", str(data), "--program", str(program), *more]
    return CliRunner().invoke(app, words)


def test_the_command_prints_a_table_and_writes_a_page(checkpoint, program, tmp_path):
    out = tmp_path / "roles.html"
    given = ("--seme", "turned", "--clusters", "5", "-o", str(out))
    done = command(checkpoint, program, tmp_path, *given)
    assert done.exit_code == 0, done.output
    assert "untrained" in done.output
    page = out.read_text()
    assert page.count('title="cluster ') == sum(map(len, fractions()))
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
