"""Published data sets: where they lie here, and what brings one that is not there.

Nothing of them comes with this project. ``progtf data get`` brings them from their homes
(``progtf/data/getting.py``), and whoever misses a file is told so.
"""

import os
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_data_path

FOLDER = "PROGTF_DATA"
"""The environment variable that names the folder of all sets."""
DATASET = "mathematics_dataset-v1.0"
"""The folder of the published questions of the Mathematics Dataset."""


class DataSet(NamedTuple):
    """A set that can be brought.

    Attributes:
        name: By which a person asks for it.
        folder: Below the data folder.
        files: Patterns of the names that it has there.
        home: An address for people.
        size: Of what is brought, in megabytes.
        licence: As its home has it.
        wanted: What in this project needs it.
    """

    name: str
    folder: str
    files: tuple[str, ...]
    home: str
    size: float
    licence: str
    wanted: str


_EPT = "https://github.com/snucclab/EPT"
_WORD_PROBLEMS = "benchmarks.word_problems"
_UNSAID = "none is stated"
SETS = (
    DataSet(
        "scan", "scan", ("*.tsv.gz",), "https://github.com/brendenlake/SCAN",
        31.8, "BSD 3-clause", "runs/scan_*.toml, benchmarks.compositional",
    ),
    DataSet(
        "cogs", "cogs", ("*.tsv",), "https://github.com/najoungkim/COGS",
        10.7, "MIT", "runs/cogs_*.toml, benchmarks.compositional",
    ),
    DataSet(
        "blimp", "blimp", ("*.jsonl",), "https://github.com/alexwarstadt/blimp",
        29.6, "CC BY 4.0", "progtf pairs, benchmarks language",
    ),
    DataSet(
        "blimp-words", "blimp", ("vocabulary.*",),
        "https://github.com/alexwarstadt/data_generation",
        0.7, _UNSAID, "examples/language/blimp_published.seme",
    ),
    DataSet(
        "squad", "squad", ("*.jsonl.gz", "*.json"),
        "https://github.com/rajpurkar/SQuAD-explorer",
        35.1, "CC BY-SA 4.0", "runs/answer.toml, runs/comprehension.toml, benchmarks.comprehension",
    ),
    DataSet(
        "alg514", "mwp", ("alg514_*",), _EPT,
        2.9, _UNSAID, f"runs/ept_alg514.toml, runs/op_tokens_alg514.toml, {_WORD_PROBLEMS}",
    ),
    DataSet("draw1k", "mwp", ("draw_*",), _EPT, 1.0, _UNSAID, _WORD_PROBLEMS),
    DataSet("mawps", "mwp", ("mawps_*",), _EPT, 9.7, _UNSAID, _WORD_PROBLEMS),
)  # fmt: skip
NAMED = {each.name: each for each in SETS}
_OTHERS = {
    DATASET: "https://github.com/google-deepmind/mathematics_dataset names the place of"
    " the archive; `progtf data make --out {path} --split all --count 20` makes a few questions of"
    " the same kinds",
    "math": "`progtf data make --out {path} --split interpolate,extrapolate --count 200` makes"
    " questions",
    "vader": "https://github.com/cjhutto/vaderSentiment has the texts in"
    " additional_resources/hutto_ICWSM_2014.tar.gz",
}
"""What is said of folders that are not brought."""


def data_folder() -> Path:
    """The folder of all sets: the one that ``$PROGTF_DATA`` names, or the user's own."""
    named = os.environ.get(FOLDER)
    if not named:
        return user_data_path("progtf", appauthor=False)
    folder = Path(named)
    with suppress(RuntimeError):  # there is nobody of that name
        folder = folder.expanduser()  # which files of settings leave as `~`
    return folder.absolute()


def brings(path: Path) -> str:
    """What brings a file, or the folder of a set, that is not there; "" if nothing does.

    Examples:
        ``brings(Path("/data/mwp/alg514_fold0_test.jsonl"))``:
        ``"`progtf data get alg514` brings it, to /data/mwp"``
    """
    for each in SETS:
        if path.parent.name == each.folder and any(fnmatchcase(path.name, p) for p in each.files):
            return _command([each])
    if path != data_folder() / path.name:
        return ""
    some = [each for each in SETS if each.folder == path.name]
    return _command(some) if some else _OTHERS.get(path.name, "").format(path=path)


def _command(some: list[DataSet]) -> str:
    names, place = " ".join(each.name for each in some), data_folder() / some[0].folder
    return f"`progtf data get {names}` brings it, to {place}"
