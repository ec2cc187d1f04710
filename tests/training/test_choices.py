"""Words that choose (`one of`): drawn whole, judged by their questions, written as chosen."""

import itertools

import pytest
import torch
from typer.testing import CliRunner

import progtf
from progtf.cli.main import app
from progtf.network.free import draw_marked, free_tensors
from progtf.notation.format import format_text
from progtf.training.choices import Choices
from progtf.training.config import RunError
from tests.training.conftest import trained
from tests.training.test_pairs import PROGRAM, ROOT, SOME, run_file  # noqa: F401  a fixture

CHOOSING = (ROOT / "runs" / "scan_choices.toml").read_text().split('"""')[1]
TEXT = """\
semes: noun red blue green seen
lexicon:
  x: +noun, one of red blue green
  y: ?seen, one of blue green
  z: +red +noun
layer l:
  head h:
    at: -1
    copy: red blue as before
"""


def vectors(model) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for (token, seme), number in model.weights["lexicon / vector"].entries.items():
        if number:
            found.setdefault(token, {})[seme] = number
    return found


@pytest.fixture
def choosing(run_file):  # noqa: F811
    """The run in which verbs, sides, manners and numbers choose."""
    run_file.write_text(run_file.read_text().replace(words(run_file), CHOOSING))
    return run_file


def words(file) -> str:
    return file.read_text().split('"""')[1]


def test_a_choice_is_formatted_decompiled_and_read_again():
    assert format_text(TEXT.replace("one of red blue", "one  of  red   blue")) == format_text(TEXT)
    assert "x: +noun, one of red blue green" in format_text(TEXT)
    weights = progtf.lower(progtf.parse_program(TEXT))
    text = progtf.decompile(weights)
    assert "x: +noun, one of red blue green" in text
    assert progtf.diff(weights, progtf.lower(progtf.parse_program(text))) == []
    marked = progtf.lower(progtf.parse_program(text))["lexicon / vector"].marked
    assert marked == weights["lexicon / vector"].marked


def test_what_is_not_chosen_yet_counts_nothing():
    program = progtf.parse_program(TEXT)
    model = progtf.compile(program)
    assert vectors(model) == {"x": {"noun": 1.0}, "z": {"noun": 1.0, "red": 1.0}}
    assert model.run("x y z") == progtf.interpret(program).run("x y z")


def test_every_draw_is_a_whole_word_and_the_likeliest_is_what_is_written():
    model = progtf.compile(progtf.parse_program(TEXT))
    draw_marked(model.network.held, seed=1)
    (tensor,) = free_tensors(model.network.held)
    free, places = tensor.free, {entry: n for n, entry in enumerate(names(model, tensor))}
    assert [model.layout.lexicon[row] for row in free.rows] == ["x", "y"]
    seen = set()
    for picked in itertools.product(range(3), range(2)):
        free.drawn = torch.tensor(picked)
        now = vectors(model)
        assert {seme for seme, one in now["x"].items() if one == 1.0} >= {"noun"}
        assert len(now["x"]) == 2
        assert len({*now["y"]} - {"seen"}) == 1
        seen.add((*now["x"], *now["y"]))
    assert len(seen) == 6
    free.drawn = None
    with torch.no_grad():
        tensor.parameter[places["x", "green"]] = 5.0
        tensor.parameter[places["y", "blue"]] = 5.0
    assert {*vectors(model)["x"]} == {"noun", "green"}
    text = progtf.decompile(model)
    assert "x: +noun +green\n" in text
    assert "one of" not in text
    assert progtf.diff(model, progtf.lower(progtf.parse_program(text))) == []


def names(model, tensor):
    return [model.weights.maps[key].names[number] for key, number in tensor.entries]


def test_a_word_is_judged_by_the_questions_that_it_is_in():
    model = progtf.compile(progtf.parse_program(TEXT))
    draw_marked(model.network.held, seed=1)
    choices = Choices.of(model.network.held, 0, draws=64, temperature=1.0)
    has = torch.tensor([[True, False], [False, True]])
    torch.manual_seed(0)

    def losses():
        """The first question wants ``x: green``, the second ``y: blue``, which is far dearer."""
        now = vectors(model)
        each = torch.tensor([float("green" not in now["x"]), 100.0 * ("blue" not in now["y"])])
        return each.mean(), each

    loss = choices.loss(has, losses)
    loss.backward()
    (tensor,) = free_tensors(model.network.held)
    grads = dict(zip(names(model, tensor), choices.scores.grad.tolist(), strict=True))
    assert grads["x", "green"] < 0 < min(grads["x", "red"], grads["x", "blue"])
    assert grads["y", "blue"] < -5 < 5 < grads["y", "green"]
    assert abs(grads["x", "green"]) < 0.5  # the dear mistakes of y are none of x
    assert grads["y", "seen"] == 0


def test_words_that_rules_read_are_learned_and_the_program_is_the_written_one(choosing):
    trainer = trained(choosing, train__steps=40)
    model = progtf.load_model(trainer.latest)
    assert model.run(list(SOME)) == list(SOME.values())
    assert progtf.diff(progtf.lower(progtf.load(PROGRAM)), model) == []


def test_what_was_chosen_is_kept_as_lines_and_proven_with_its_program(choosing, tmp_path):
    settings = ["--threads", "1", "--set", "train.steps=40", "--out", str(tmp_path / "out")]
    assert CliRunner().invoke(app, ["train", str(choosing), *settings]).exit_code == 0
    chosen = tmp_path / "out" / "chosen.seme"
    assert chosen.read_text().splitlines()[-1] == "thrice: +number +thrice"
    checked = CliRunner().invoke(app, ["check", str(PROGRAM), "--lexicon", str(chosen), "--json"])
    assert (checked.exit_code, '"verdict": "exact"' in checked.stdout) == (0, True)
    wrong = chosen.with_name("wrong.seme")
    wrong.write_text("jump: +verb +flies\n")
    refused = CliRunner().invoke(app, ["check", str(PROGRAM), "--lexicon", str(wrong), "--json"])
    assert refused.exit_code == 1


def test_choices_are_learned_beside_other_weights(choosing):
    choosing.write_text(choosing.read_text().replace("one of does[acts]", "?does[acts]"))
    trainer = trained(choosing, train__steps=60, train__learning_rate=0.1)
    model = progtf.load_model(trainer.latest)
    assert model.run(list(SOME)) == list(SOME.values())
    text = progtf.decompile(model)
    assert "twice: +number +twice\n" in text
    assert "jump: +verb, ~" in text


def test_a_run_with_choices_goes_on_bit_by_bit(choosing, tmp_path):
    whole = trained(choosing, train__steps=6, out=str(tmp_path / "whole"))
    trained(choosing, train__steps=3, out=str(tmp_path / "parts"))
    parts = trained(choosing, train__steps=6, out=str(tmp_path / "parts"))
    one, other = (each.setup.subject.choices.scores for each in (whole, parts))
    assert one.abs().max() > 0.5
    assert torch.equal(one, other)


def test_one_draw_has_nothing_to_be_compared_with(choosing):
    with pytest.raises(RunError, match=r"`train.draws`: expected greater than or equal to 2"):
        trained(choosing, train__draws=1)
