"""Which role a construction of COGS gives, learned beside all else that `cogs.seme` says."""

from pathlib import Path

import pytest

import progtf
from benchmarks.compositional.plan import RUNS
from benchmarks.compositional.roles import write_program
from benchmarks.published import missing
from progtf.published import data_folder
from tests.training.conftest import trained

ROOT = Path(__file__).parents[2]
COGS = ROOT / "examples" / "language" / "cogs.seme"
DATA, ABSENT = data_folder() / "cogs", missing("cogs")
SENTENCE = "A dog was seen by Emma ."


def test_no_role_of_an_argument_is_written_in_the_program_that_learns_them(tmp_path):
    program = progtf.load(write_program(COGS, tmp_path))
    answer = progtf.interpret(program).run(SENTENCE)
    assert answer != progtf.interpret(progtf.load(COGS)).run(SENTENCE)
    assert not {"agent", "theme"} & set(answer.split())


@pytest.mark.long
@pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
@pytest.mark.parametrize(("steps", "asked"), [(12, 50), (40, 200)])
def test_few_steps_tell_every_role(tmp_path, steps, asked):
    program = write_program(COGS, tmp_path)
    file = ROOT / f"{RUNS['roles'][0]}.toml"
    trainer = trained(
        file,
        program=str(program),
        out=str(tmp_path),
        train__steps=steps,
        evaluate__every=1000,
        evaluate__final=20,
    )
    assert trainer.evaluation.scores(asked).splits == {"interpolate": 100.0, "extrapolate": 100.0}
