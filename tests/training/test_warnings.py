"""What a run tells of itself: semes that never occur, entries that training does not reach."""

import pytest
import torch

from progtf import load_model, lower
from progtf.building.load import load
from progtf.training.log import Log
from progtf.training.report import write_report
from progtf.training.warnings import WEAK
from progtf.weights.changes import changes, counts, shown
from tests.training.conftest import trained, write_run

HEAD = "encoder / 1 read / head before"


def test_addresses_behind_a_sharp_head_are_named(run_file, capsys):
    trainer = trained(run_file, log=run_file.parent / "log", control="trainable", train__steps=10)
    weak = trainer.setup.reach.weak()
    assert set(weak) == {f"{HEAD} / query", f"{HEAD} / key"}
    assert max(weak.values()) < WEAK
    Log(run_file.parent / "log").unreached(weak)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 + len(weak)  # in a file a line is not folded
    assert lines[1].startswith(f"  {HEAD} / ")


def test_the_report_names_semes_that_never_occur(tmp_path, data):
    file = write_run(tmp_path, data)
    program = tmp_path / "tiny.seme"
    text = program.read_text().replace("semes:", "semes:\n  ghost", 1)
    program.write_text(text.replace("reads: digit", "reads: ghost digit").replace("~", ""))
    trainer = trained(file, log=tmp_path / "out", train__steps=1)
    log = Log(tmp_path / "out", show=False)
    report = write_report(trainer.run, trainer.train(log)).read_text()
    assert "Never there in a sample of 512 training questions: `ghost`." in report
    assert "No written weight has changed." in report


def test_the_report_names_the_weights_that_went_farthest(run_file):
    out = run_file.parent / "out"
    trainer = trained(run_file, log=out, out=str(out), control="trainable", train__steps=10)
    report = write_report(trainer.run, trainer.train(Log(out, show=False))).read_text()
    program, model = load(trainer.run.program), load_model(trainer.latest)
    found = changes(lower(program), model.weights)
    assert counts(found) in report
    assert shown(found[0]) in report
    assert 'control = "trainable"' in report
    assert "asks the last checkpoint" in report
    other = trainer.run.model_copy(update={"control": "random"})
    alone = write_report(other, trainer.train(Log(out, show=False)))
    assert "asks the last checkpoint" not in alone.read_text()


@pytest.mark.parametrize(("sharpness", "named"), [(64, True), (2, False)])
def test_what_only_sharp_addresses_read_is_named_whatever_its_gradient(
    tmp_path, data, sharpness, named
):
    file = write_run(tmp_path, data)
    program = tmp_path / "tiny.seme"
    text = program.read_text().replace("~0.5nondigit>end", "nondigit>end")
    text = text.replace("unknown: +nondigit", "unknown: +nondigit, ?wish").replace(
        "  next: 0..9\n", "  next: 0..9\n  wish: 0..1 step 0\n"
    )
    head = f"""    head wished:
      query: +asked
      key: wish>asked
      sharpness: {sharpness}
      value: val>end
"""
    program.write_text(text.replace("\nlearn:", head + "\nlearn:"))
    trainer = trained(file, train__steps=1)
    label = "lexicon / vector: `wish`, which only sharp addresses read"
    reach = trainer.setup.reach
    for parameter, _ in reach.entries.get(label, []):
        parameter.grad = torch.ones_like(parameter)
    assert (label in reach.weak()) == named
    assert reach.weak().get(label, 1.0) == 1.0


def test_entries_that_nothing_reads_are_named(tmp_path, data):
    file = write_run(tmp_path, data)
    program = tmp_path / "tiny.seme"
    program.write_text(program.read_text().replace("reads: digit val end", "reads: digit val"))
    trainer = trained(file, train__steps=10)
    assert set(trainer.setup.reach.weak()) == {f"{HEAD} / value"}
    assert trained(write_run(tmp_path, data), out="again").setup.reach.weak() == {}
