"""SCAN's words learned beside its written grammar, as the runs have them: add-jump, turn-left."""

from pathlib import Path

import pytest

import progtf
from benchmarks.published import missing
from progtf.published import data_folder
from tests.programs import beyond
from tests.training.conftest import trained

ROOT = Path(__file__).parents[2]
DATA, ABSENT = data_folder() / "scan", missing("scan")


@pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
@pytest.mark.parametrize("split", beyond(["addprim_jump", "addprim_turn_left"], 1))
@pytest.mark.parametrize("name", beyond(["scan_words", "scan_choices"], 1))
def test_fifty_steps_answer_every_command_of_the_test_set(tmp_path, name, split):
    trainer = trained(
        ROOT / "runs" / f"{name}.toml",
        out=str(tmp_path),
        data__pairs__train=f"{split}.train.tsv.gz",
        data__pairs__extrapolate=f"{split}.test_public.tsv.gz",
        evaluate__every=1000,
    )
    assert trainer.progress.step == 50
    assert len(trainer.setup.tests["extrapolate"]) > 500
    assert trainer.evaluation.scores(10_000).splits == {"interpolate": 100.0, "extrapolate": 100.0}
    changed = progtf.diff(
        progtf.lower(progtf.load(trainer.run.program)), progtf.load_model(trainer.latest)
    )
    assert {line.partition(":")[0] for line in changed} <= {"lexicon / vector"}
    assert bool(changed) == (name == "scan_words")  # what was chosen is what was written
