"""Numbers of a residual that are trained to be semes of a program."""

import pytest
import torch

import progtf
from progtf.data import Cursor
from progtf.network.interchange import Subspace
from progtf.training.config import RunError, read_run
from progtf.training.networks import LearnedModel
from progtf.training.questions import Questions
from progtf.training.subject import as_batch
from progtf.training.swaps import Interchanged
from tests.training.conftest import trained

PLACES = "examples/math/place_value.seme"
MODEL = '[model]\nkind = "tp"\nwidth = 16\nheads = 2\nlayers = 1\nfilter = 16\n'
QUESTIONS = ["What is the tens digit of 12345?", "What is the units digit of 5678?"]


@pytest.fixture
def swaps(run_file, request):
    """A run file of a network that learns what is asked, and of digits their values."""
    program = request.config.rootpath / PLACES
    both = (
        f'interchange = [{{program = "{program}", semes = ["asked"], numbers = [0, 4]}},'
        f' {{program = "{program}", semes = ["encoder.told.val"], numbers = [4, 12]}}]\n'
    )
    text = run_file.read_text().replace('program = "tiny.seme"\n', "")
    run_file.write_text(text.replace("[train]\n", f"[train]\n{both}strictness = 0.5\n") + MODEL)
    return run_file


def test_a_network_learns_answers_with_the_semes_of_others(swaps):
    trainer = trained(swaps, train__steps=2)
    subject = trainer.setup.subject
    assert isinstance(subject, Interchanged)
    batch = as_batch(
        [each for each, _ in trainer.setup.tests["interpolate"][:8]], torch.device("cpu")
    )
    subject.eval()
    plain = subject.loss(*batch).item()
    subject.train()
    assert subject.loss(*batch).item() > 1.5 * plain  # answers alone are one part of four


def test_what_is_meant_is_what_the_program_says(swaps):
    subject = trained(swaps, train__steps=1).setup.subject
    asked, values = subject.aligned
    assert asked.semes == ("encoder.told.asked",)
    assert asked.meant(QUESTIONS[:1], QUESTIONS[1:]) == ["5"]
    other = "What is the tens digit of 67890?"
    assert values.meant(QUESTIONS[:1], [other]) == ["9"]


def test_all_numbers_that_are_no_seme_are_the_rest(swaps):
    subject = trained(swaps, train__steps=1).setup.subject
    (rest,) = subject._rest()
    assert rest.point == "encoder.blocks.0.hook_resid_post"
    assert rest.directions.nonzero()[:, 0].tolist() == [12, 13, 14, 15]


def test_a_longer_run_goes_on_and_another_swap_is_another_run(swaps):
    trained(swaps, train__steps=2)
    again = trained(swaps, train__steps=4)
    assert again.setup.start is not None
    swaps.write_text(swaps.read_text().replace("[4, 12]", "[4, 13]"))
    with pytest.raises(RunError, match="something has changed"):
        trained(swaps, train__steps=6)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("asked", "told", "nothing writes `told`"),
        ("[4, 12]", "[4, 17]", "4 to 17 of a width of 16"),
        ("numbers = [0, 4]", "numbers = [0, 4], block = 1", "block 1 of 1"),
        ("place_value.seme", "nowhere.seme", "there is no such file"),
        (MODEL, '[model]\nkind = "lstm"\nwidth = 16\nlayers = 1\n', "no encoder of blocks"),
    ],
)
def test_what_cannot_be_swapped_is_refused(swaps, old, new, said):
    swaps.write_text(swaps.read_text().replace(old, new))
    with pytest.raises(RunError, match=said):
        trained(swaps, train__steps=1)


def test_strictness_alone_means_nothing(run_file):
    text = run_file.read_text().replace("[train]\n", "[train]\nstrictness = 1.0\n")
    run_file.write_text(text)
    with pytest.raises(RunError, match=r"train\.strictness"):
        read_run(run_file)


def test_a_network_without_semes_is_asked_by_a_subspace(swaps, request):
    trainer = trained(swaps, train__steps=2)
    model = LearnedModel.load(trainer.latest)
    program = progtf.load(request.config.rootpath / PLACES)
    place = Subspace("encoder.blocks.0.hook_resid_post", torch.eye(16))
    found = progtf.interchange(model, program, QUESTIONS, QUESTIONS[::-1], "asked", subspace=place)
    assert [pair.meant for pair in found.pairs] == ["5", "7"]
    assert [pair.network for pair in found.pairs] == [pair.random for pair in found.pairs]
    none = Subspace(place.point, place.directions[:, :0])
    found = progtf.interchange(model, program, QUESTIONS, QUESTIONS[::-1], "asked", subspace=none)
    assert [pair.network for pair in found.pairs] == model.run(QUESTIONS)


def test_batches_that_exchange_semes_stay_as_they_are_drawn(swaps, monkeypatch):
    seen, usual = [], Interchanged.loss

    def loss(subject, source, answer):
        if subject.training and len(source) == 8:
            seen.append(source)
        return usual(subject, source, answer)

    monkeypatch.setattr(Interchanged, "loss", loss)
    run = trained(swaps, train__steps=1, train__accumulate=2, train__batch=8).setup
    drawn = Questions(run.run.data, 8, run.run.seed).batches(Cursor())
    for source in seen[:2]:
        assert torch.equal(source, next(drawn).question)
