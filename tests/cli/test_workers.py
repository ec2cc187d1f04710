"""``--workers``: the same bytes as one process, and nothing lost when a worker dies."""

import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from progtf.cli import workers as cli_workers
from progtf.cli.messages import UserError
from progtf.cli.mistakes import told
from progtf.cli.workers import shared_by
from progtf.extras import installs

QUESTIONS = "\n".join(f"{number:b}" for number in range(1300)) + "\n"  # three chunks


def dies_once(folder: Path, number: int) -> int:
    """Twice the number; whoever meets the 7 first is killed."""
    if number == 7:
        try:
            (folder / "died").touch(exist_ok=False)
        except FileExistsError:
            return 14
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def test_two_workers_print_what_one_process_prints(progtf):
    command = ["run", "examples/algorithms/parity.seme", "-"]
    alone = progtf(*command, stdin=QUESTIONS)
    assert progtf(*command, "--workers", "2", stdin=QUESTIONS) == alone
    assert alone[0] == 0
    assert alone[1].count("\n") == 1300


@pytest.mark.long
def test_what_a_killed_worker_had_is_done_again(tmp_path):
    with shared_by("2") as each:
        assert list(each(partial(dies_once, tmp_path), range(30))) == list(range(0, 60, 2))
    assert (tmp_path / "died").exists()


@pytest.mark.long
def test_two_workers_score_as_one_process(progtf, tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"{n:b}\t{n.bit_count() % 2}\n" for n in range(600)))
    command = ["eval", "examples/algorithms/parity.seme", "--data", str(pairs), "--json"]
    alone = progtf(*command)
    assert progtf(*command, "--workers", "2") == alone
    assert alone[0] == 0


@pytest.mark.parametrize("workers", ["0", "tcp://127.0.0.1:1", "nowhere at all"])
def test_workers_that_are_none_are_refused(workers, monkeypatch):
    monkeypatch.setattr(cli_workers, "PATIENCE", "0.5s")
    with pytest.raises(UserError, match=f"--workers {workers}"), shared_by(workers):
        pass


def test_without_dask_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ModuleNotFoundError) as raised, shared_by("2"):
        pass
    assert installs("cluster") in told(raised.value)
