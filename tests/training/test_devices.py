"""On a GPU, nothing is left behind on the processor; tried on a device that is not there."""

import shutil

import pytest
import torch

from progtf.training.config import read_run
from progtf.training.log import Log
from progtf.training.ranks import Ranks
from progtf.training.setup import set_up
from progtf.training.trainer import Trainer
from tests.elsewhere import DEVICE, Elsewhere, another_device
from tests.programs import beyond

# torch says this of its own device, on which there is nothing to copy to.
pytestmark = pytest.mark.filterwarnings("ignore:.*to a meta parameter in the current model")

LEARNED = {
    "tp": '[model]\nkind = "tp"\nwidth = 8\nheads = 2\nlayers = 1\nfilter = 8\ndropout = 0.1\n',
    "lstm": '[model]\nkind = "lstm"\nwidth = 8\nlayers = 1\ndropout = 0.1\n',
}


def train(file, monkeypatch, **changes):
    """Trains elsewhere, from where the run stands to its end."""
    run = read_run(file, {key.replace("__", "."): value for key, value in changes.items()})
    with another_device(monkeypatch):
        trainer = Trainer(set_up(run, Ranks(0, 1, DEVICE)))
        assert {p.device for p in trainer.setup.subject.parameters()} == {DEVICE}
        begun = trainer.progress.step
        return begun, trainer.train(Log(None, show=False))


def test_operations_on_two_devices_are_found(monkeypatch):
    with another_device(monkeypatch):
        away = torch.ones(2, 2).to(DEVICE)
        assert isinstance(away, Elsewhere)
        with pytest.raises(AssertionError, match="another device"):
            torch.mm(away, torch.ones(2, 2))
        assert (away @ away).cpu().tolist() == [[2.0, 2.0], [2.0, 2.0]]


@pytest.mark.parametrize(
    "changes", beyond([{"train__average": 0.9, "train__accumulate": 2}, {"control": "random"}], 1)
)
def test_a_hybrid_trains_elsewhere_and_goes_on(run_file, monkeypatch, changes):
    _, first = train(run_file, monkeypatch, train__steps=4, **changes)
    shutil.rmtree(first.folder)
    begun, again = train(run_file, monkeypatch, train__steps=4, **changes)
    assert (begun, again.step) == (2, 4)


@pytest.mark.parametrize("kind", ["tp", "lstm"])
def test_a_learned_network_trains_elsewhere(run_file, monkeypatch, kind):
    text = run_file.read_text().replace('program = "tiny.seme"\n', "") + LEARNED[kind]
    run_file.write_text(text)
    assert train(run_file, monkeypatch, train__steps=2)[1].step == 2
