"""Numbers of the command line, of run files and of the environment have ranges."""

import pytest

from progtf.cli.commands import COMMANDS, _made
from progtf.training.config import RunError, read_run
from progtf.training.ranks import joined
from tests.cli.forked import results_of

BAD = ("-1", "abc", "99999999999", "99999999999999999999999", "nan", "inf", "", "0")
GIVEN = {
    "run": "p.seme a", "check": "p.seme", "decompile": "p.seme", "diff": "p.seme q.seme",
    "eval": "p.seme --data d.tsv", "pairs": "p.seme d.jsonl", "patch": "p.seme a",
    "train": "run.toml --dry-run", "adopt": "w.safetensors --characters c.txt -o net",
    "solve": "What --model net", "roles": "net --data d.tsv", "probe": "net --data d.tsv",
    "hadamard": "net -o other --data d.tsv", "lsp": "", "data sample": "numbers__gcd",
    "data make": "--out made -m numbers__gcd -s interpolate --count 1",
}  # fmt: skip
"""What else the commands are given that have a number among their options."""
RUN = """
out = "out"
[data]
folder = "q"
modules = ["numbers__gcd"]
[model]
kind = "tp"
"""


def options(command=None, name=""):
    """Every option of every command that is a number."""
    if command is None:
        for key, place in COMMANDS.items():
            yield from options(_made(key, place), key)
        return
    for inner, each in getattr(command, "commands", {}).items():
        yield from options(each, f"{name} {inner}")
    for option in getattr(command, "params", ()):
        kind = str(option.type_descriptor)
        if "'int'" in kind or "'float'" in kind or option.opts[0] == "--workers":
            yield name, option


FOUND = [(name, option.opts[0], option) for name, option in options()]


def test_every_command_with_a_number_is_tried():
    assert {name for name, *_ in FOUND} == GIVEN.keys()
    assert len(FOUND) > 20


@pytest.mark.parametrize(("name", "option"), [(name, option) for name, option, _ in FOUND])
def test_every_number_has_a_range(name, option):
    (found,) = (each for one, other, each in FOUND if (one, other) == (name, option))
    if option not in ("--workers", "--learned"):
        assert found.min is not None
        assert found.max is not None


def test_no_number_ends_in_a_traceback_a_crash_or_no_end(tmp_path):
    (tmp_path / "p.seme").write_text("semes: a\nlexicon:\n  a: +a\n")
    (tmp_path / "q.seme").write_text("semes: a\nlexicon:\n  a: 0\n")
    (tmp_path / "d.tsv").write_text("a\ta: +a\n")
    (tmp_path / "run.toml").write_text(RUN)
    cases = [
        {"argv": [*name.split(), *GIVEN[name].split(), f"{option}={bad}"], "limit": 60}
        for name, option, _ in FOUND
        for bad in BAD
    ]
    for case, (status, out, err) in zip(cases, results_of(cases, cwd=tmp_path), strict=True):
        assert "Traceback" not in out + err, case
        assert status in (0, 1, 2, 3), (case, err)


SETTINGS = (
    "seed", "data.questions", "data.test", "data.seed", "train.steps", "train.batch",
    "train.accumulate", "train.warmup", "train.draws", "train.patience", "train.epochs",
    "train.learning_rate", "train.weight_decay", "train.decay", "train.clip", "train.average",
    "train.smoothing", "train.temperature", "train.stop_at", "evaluate.every",
    "evaluate.questions", "checkpoints.every", "checkpoints.keep", "model.width", "model.layers",
    "model.heads", "model.filter", "model.dropout",
)  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_have_ranges(setting, tmp_path):
    (tmp_path / "run.toml").write_text(RUN)
    whole = isinstance(getattr_of(read_run(tmp_path / "run.toml"), setting), int)
    bad = [-1, "abc", float("nan"), float("inf"), -float("inf"), [1], {}, None, "1e400", -(10**30)]
    for value in [*bad, *([10**11, 10**23, 1.5] if whole else [])]:
        with pytest.raises(RunError, match=setting.rpartition(".")[2]):
            read_run(tmp_path / "run.toml", {setting: value})


def getattr_of(run, setting):
    for part in setting.split("."):
        run = getattr(run, part)
    return run


@pytest.mark.parametrize("name", ["WORLD_SIZE", "RANK", "LOCAL_RANK", "MASTER_PORT"])
@pytest.mark.parametrize("value", ["-1", "abc", "10000000000", "1" * 5000, "nan", "1.5", "٣", " 2"])
def test_the_environment_has_ranges(name, value, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv(name, value)
    with pytest.raises(RunError, match=f"{name} is .* in the environment"), joined():
        pass
