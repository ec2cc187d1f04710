"""Published sets: what is said where one is not here, and whether what is here is theirs."""

import gzip
from pathlib import Path

import pytest

import progtf as library
from benchmarks.published import missing
from progtf.data import DataError, open_layout, open_pairs, originals
from progtf.published import NAMED, SETS, brings, data_folder
from progtf.tasks.comprehension import read_questions
from progtf.tasks.comprehension.prepared import ASKED, TRAINED
from progtf.tasks.word_problems import read_word_problems
from tests import home as made_up
from tests.home import served, write_files

ROOT = Path(__file__).parents[1]
BLIMP = ROOT / "examples" / "language" / "blimp_published.seme"
HERE = data_folder()
"""Where sets of others may lie, whatever tests say later."""


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    monkeypatch.setenv("PROGTF_DATA", str(tmp_path / "none"))
    return tmp_path / "none"


@pytest.fixture
def tabled(monkeypatch, tmp_path):
    path = tmp_path / "sources.tsv"
    path.write_text(made_up.table_of(made_up.SETS))
    monkeypatch.setattr(originals, "TABLE", path)


# ------------------------------------------------------------------------ what brings it


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("scan/simple.train.tsv.gz", "scan"), ("cogs/gen_public.tsv", "cogs"),
        ("blimp/wh_island.jsonl", "blimp"), ("blimp/vocabulary.csv", "blimp-words"),
        ("squad/train.jsonl.gz", "squad"), ("squad/dev-v1.1.json", "squad"),
        ("mwp/alg514_fold0_test.jsonl", "alg514"), ("mwp/draw_dev.jsonl", "draw1k"),
        ("mwp/mawps_fold4_train.jsonl", "mawps"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_there_is_told_with_the_command_that_brings_it(nowhere, path, name):
    due = f"`progtf data get {name}` brings it, to {nowhere / path.partition('/')[0]}"
    assert brings(nowhere / path) == due
    assert brings(Path("/elsewhere") / path) == due
    read = read_word_problems if path.startswith("mwp") else open_pairs
    with pytest.raises(DataError) as told:
        read(nowhere / path)
    assert told.value.help == due


@pytest.mark.parametrize("path", ["scan/notes.txt", "mwp/own.jsonl", "my/train.tsv", "train.tsv"])
def test_of_a_file_of_ones_own_nothing_is_said(nowhere, path):
    assert brings(nowhere / path) == ""


@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("scan", "`progtf data get scan` brings it"),
        ("blimp", "`progtf data get blimp blimp-words` brings it"),
        ("mwp", "`progtf data get alg514 draw1k mawps` brings it"),
        ("math", "`progtf data make --out {0} --split interpolate,extrapolate --count 200`"),
        ("mathematics_dataset-v1.0", "https://github.com/google-deepmind/mathematics_dataset"),
        ("vader", "https://github.com/cjhutto/vaderSentiment"),
    ],
)
def test_a_folder_that_is_not_there_is_told_with_what_brings_it(nowhere, name, due):
    with pytest.raises(DataError) as told:
        open_layout(nowhere / name)
    assert due.format(nowhere / name) in told.value.help
    assert brings(Path("/elsewhere") / name) == ""


@pytest.mark.parametrize("name", [*NAMED, "math", "vader"])
def test_a_benchmark_is_told_too(nowhere, name):
    assert missing(name).startswith(f"no {name} in {nowhere}: ")
    assert f"progtf data get {name}`" in missing(name) or name not in NAMED


def test_a_program_names_the_command_that_brings_its_table(nowhere, progtf):
    status, _, said = progtf("check", BLIMP)
    assert status == 1
    assert f"help: `progtf data get blimp-words` brings it, to {nowhere / 'blimp'}" in said


def test_a_program_finds_a_table_that_was_brought_where_nobody_names_a_folder(
    monkeypatch, tmp_path, tabled, progtf
):
    monkeypatch.delenv("PROGTF_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    source = write_files(tmp_path / "disk", made_up.WORDS)
    status, said, _ = progtf("data", "get", "blimp-words", "--from", source)
    assert (status, str(data_folder()) in said) == (0, True)
    assert data_folder().is_relative_to(tmp_path)
    program = tmp_path / "words.seme"
    program.write_text(
        'semes: known\nlexicon from "blimp/vocabulary.csv":\n  category=noun > known\n'
    )
    assert "goat" in library.load(program).lexicon
    assert missing("blimp-words") == ""


ASKING = {
    "solve": ("solve", "What is 2 + 2?"),
    "answer": ("answer", "--text", "Anna keeps a goat.", "--question", "Who?"),
}


@pytest.mark.parametrize("name", ASKING)
def test_who_names_a_network_that_is_not_there_is_told_what_trains_one(progtf, name):
    status, said, errors = progtf(*ASKING[name], "--checkpoint", "/no/such")
    assert (status, said) == (1, "")
    assert "/no/such: there is no such folder" in errors
    assert f"`progtf train runs/{name}.toml` trains one" in errors
    assert (ROOT / "runs" / f"{name}.toml").is_file()


# ------------------------------------------------------------------------ the command


def test_sets_are_listed_with_size_licence_home_and_what_needs_them(nowhere, progtf):
    status, said, _ = progtf("data", "get", "--list")
    assert status == 0
    for each in SETS:
        line = next(line for line in said.splitlines() if f" {each.name} " in line)
        home = each.home.removeprefix("https://")
        assert all(part in line for part in (f"{each.size:.1f}", each.licence, home))
    assert str(nowhere) in said.replace("\n", "")


def test_what_was_brought_is_listed_as_here(nowhere, tabled, tmp_path, progtf):
    progtf("data", "get", "scan", "--from", write_files(tmp_path / "disk", made_up.SCAN))
    _, said, _ = progtf("data", "get", "--list")
    here = [line.split()[1] for line in said.splitlines() if "yes" in line]
    assert here == ["scan"]


@pytest.mark.parametrize(
    ("arguments", "due"),
    [
        (["scam"], "did you mean `scan`?"), (["imagenet"], "there are scan, cogs, blimp"),
        ([], "name what to get\n  help: there are scan, cogs"),
        (["scan", "--from", "/no/such"], "/no/such: there is no such folder or archive"),
    ],
)  # fmt: skip
def test_a_wrong_order_is_told_in_one_message(nowhere, progtf, arguments, due):
    status, said, errors = progtf("data", "get", *arguments)
    assert (status, said) == (1, "")
    assert errors.startswith("error: ")
    assert due in errors


def test_get_says_where_a_set_lies_and_its_licence(nowhere, tabled, tmp_path, progtf, monkeypatch):
    with served() as home:
        monkeypatch.setattr(originals, "HOME", f"{home.address}/{{repository}}/{{commit}}")
        first = progtf("data", "get", "scan", "cogs")
        again = progtf("data", "get", "scan")
    lines = (
        f"scan: 4 files in {nowhere}/scan; licence: BSD 3-clause\n",
        f"cogs: 6 files in {nowhere}/cogs; licence: MIT\n",
    )
    assert first == (0, "".join(lines), "")
    where = f"{nowhere}/scan, which were there"
    assert again == (0, f"scan: 4 files in {where}; licence: BSD 3-clause\n", "")


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_place_that_is_no_folder_is_told(nowhere, progtf, kind):
    if kind == "file":
        nowhere.write_text("mine")
    else:
        nowhere.mkdir()
        (nowhere / ".getting").symlink_to(nowhere.parent)
    status, _, errors = progtf("data", "get", "alg514", "--from", "http://127.0.0.1:9/")
    assert status == 1
    assert errors.startswith(f"error: {nowhere}")


# ------------------------------------------------------------------------ the table


@pytest.mark.parametrize("name", NAMED)
def test_every_set_has_its_files_with_checksums_of_one_commit(name):
    found = originals.originals_of(name)
    assert found
    assert {each.repository for each in found} == {NAMED[name].home.partition("github.com/")[2]}
    assert len({each.commit for each in found}) == 1
    assert len({each.path for each in found}) == len(found)
    for each in found:
        assert len(each.git) == len(each.commit) == 40
        assert each.path == "data/gen.tsv" or (len(each.sha256) == 64 and each.size)
    known = sum(each.size or 0 for each in found) / 1e6
    assert known - 0.05 <= NAMED[name].size <= known + (6 if name == "cogs" else 0.05)


# ------------------------------------------------------------------------ others' files, if here


def there(name, called=lambda original: original.name):
    """The originals of a set whose files are here, each with its bytes; else a skip."""
    paths = {o: HERE / NAMED[name].folder / called(o) for o in originals.originals_of(name)}
    found = [(original, path.read_bytes()) for original, path in paths.items() if path.is_file()]
    if not found:
        pytest.skip(f"no {name} in {HERE}: `progtf data get {name}` brings it")
    return found


@pytest.mark.parametrize("name", ["cogs", "blimp-words", "alg514", "draw1k", "mawps"])
def test_what_is_here_is_the_file_of_the_table(name):
    new = {"vocab_documentation.md": "vocabulary.md"}
    for original, data in there(name, lambda original: new.get(original.name, original.name)):
        assert original.wrong(data) == "", original.path


def split_of(original):
    return original.name.removeprefix("tasks_train_").removesuffix(".txt") + ".train.tsv.gz"


def test_pairs_of_scan_that_are_here_are_those_of_its_home():
    for original, data in there("scan", split_of):
        rows = gzip.decompress(data).split(b"\n")[:-1]
        lines = [b"IN: %s OUT: %s\n" % tuple(row.split(b"\t")) for row in rows]
        assert original.wrong(b"".join(lines)) == "", original.path


def test_pairs_of_blimp_that_are_here_are_those_of_its_home_or_half_of_them():
    for original, data in there("blimp"):
        is_half = data.count(b"\n") == 500 and len(data) < original.size
        assert is_half or original.wrong(data) == "", original.path


def test_articles_of_squad_that_are_here_are_divided_as_those_that_are_made():
    for part, due in (("train", TRAINED), ("dev", ASKED)):
        path = HERE / f"squad/{part}.jsonl.gz"
        if not path.is_file():
            pytest.skip(missing("squad") or f"no {path}")
        assert {question.article for question in read_questions(path)} == due


def test_halves_of_tests_that_are_here_are_every_second_row_of_the_whole():
    wholes = [*HERE.glob("scan/*.test.tsv.gz"), *HERE.glob("cogs/gen.tsv")]
    if not wholes:
        pytest.skip(f"no whole tests in {HERE}: `progtf data get scan cogs` brings them")
    for path in wholes:
        half = path.name.replace(".test.", ".test_public.").replace("gen.", "gen_public.")
        for whole, some in zip(open_pairs(path), open_pairs(path.with_name(half)), strict=True):
            assert [*some.problems()] == [*whole.problems()][::2]
