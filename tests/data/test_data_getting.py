"""`progtf data get`: the right bytes or none, whatever goes wrong on the way."""

import errno
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from progtf.content import digest_of
from progtf.data import DataError, fetching, getting, open_pairs, originals, prepared
from progtf.data.originals import Original
from progtf.published import NAMED, SETS, data_folder
from progtf.tasks.comprehension import read_questions
from progtf.tasks.comprehension.prepared import squad
from tests import home as made_up
from tests.home import COMMIT, REPOSITORY, SCAN, served, table_of, write_files

HERE = Path(__file__).parent
TEST = "jump_split/tasks_test_jump.txt"
ADDRESS = f"/{REPOSITORY}/{COMMIT}/{TEST}"
PREPARE = {
    "scan": prepared.scan, "cogs": prepared.cogs, "squad": squad,
    "blimp-words": prepared.blimp_words, "alg514": prepared.as_they_are,
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The data folder, and a table of made-up files."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PROGTF_DATA", str(tmp_path / "data"))
    tabled(monkeypatch, tmp_path)
    return tmp_path / "data"


@pytest.fixture
def home(monkeypatch):
    with served() as found:
        monkeypatch.setattr(originals, "HOME", f"{found.address}/{{repository}}/{{commit}}")
        yield found


def tabled(monkeypatch, folder, **changed):
    path = folder / "sources.tsv"
    path.write_text(table_of(made_up.SETS, **changed))
    monkeypatch.setattr(originals, "TABLE", path)


def got(name="scan", source="", **more):
    return getting.get(NAMED[name], PREPARE[name], str(source), **more)


def rows(path):
    return [problem for file in open_pairs(path) for problem in file.problems()]


def there(folder):
    """The files of a set, without locks and notes."""
    return sorted(path.name for path in folder.glob("*") if path.name[0] != ".")


EVERY = ["LICENSE", "jump.test.tsv.gz", "jump.test_public.tsv.gz", "jump.train.tsv.gz"]


def is_right(folder):
    """SCAN is all there and as it should be, and nothing else is."""
    due = prepared.scan(SCAN)
    assert there(folder / "scan") == EVERY
    assert all((folder / "scan" / name).read_bytes() == data for name, data in due.items())
    assert not (folder / ".getting/scan").exists()
    return True


def test_a_set_comes_from_its_home_and_then_is_there(home, folder):
    assert got() == (folder / "scan", 4, True)
    assert is_right(folder)
    asked = len(home.asked)
    assert asked == 3
    assert got() == (folder / "scan", 4, False)
    assert len(home.asked) == asked


def test_scan_is_pairs_with_tabs_and_half_of_its_tests(home, folder):
    got()
    tests = rows(folder / "scan/jump.test.tsv.gz")
    assert [tests[0].question, tests[1].answer, len(tests)] == ["hop 1", "I_HOP I_HOP", 799]
    assert rows(folder / "scan/jump.test_public.tsv.gz") == tests[::2]
    assert rows(folder / "scan/jump.train.tsv.gz")[1] == ("hop twice", "I_HOP I_HOP")


def test_cogs_is_as_it_is_and_half_of_each_category(home, folder):
    got("cogs")
    for path, data in made_up.COGS.items():
        assert (folder / "cogs" / Path(path).name).read_bytes() == data
    half = {file.module: [p.question for p in file.problems()]
            for file in open_pairs(folder / "cogs/gen_public.tsv")}  # fmt: skip
    assert half == {
        "even": ["Dog 0 barked .", "Dog 6 barked ."],
        "odd": ["Dog 1 barked .", "Dog 4 barked .", "Dog 7 barked ."],
    }


def test_squad_is_divided_by_articles(home, folder):
    got("squad")
    found = {part: read_questions(folder / f"squad/{part}.jsonl.gz")
             for part in ("train", "dev", "test")}  # fmt: skip
    assert {part: [q.article for q in some] for part, some in found.items()} == {
        "train": ["Force"], "dev": ["Steam_engine"], "test": ["Warsaw"]
    }  # fmt: skip
    assert found["dev"][0].answers == ("a goat", "goat")
    official = read_questions(folder / "squad/dev-v1.1.json")
    assert official == (*found["train"], *found["dev"], *found["test"])


def test_words_of_blimp_come_under_the_names_that_programs_read(home, folder):
    got("blimp-words")
    assert there(folder / "blimp") == ["vocabulary.csv", "vocabulary.md"]


def test_sets_share_a_folder(home, folder, monkeypatch):
    got("alg514")
    tabled(monkeypatch, folder.parent, set="mawps")
    monkeypatch.setitem(PREPARE, "mawps", prepared.as_they_are)
    home.files |= {f"/{REPOSITORY}/{COMMIT}/{path}": data for path, data in SCAN.items()}
    assert got("mawps").new
    tabled(monkeypatch, folder.parent)
    assert not got("alg514").new


@pytest.mark.parametrize("cut", [0, 1, 5000])
def test_what_is_cut_off_goes_on_where_it_was(home, folder, cut):
    home.cuts = [10**9, 10**9, cut]
    got()
    assert is_right(folder)
    assert home.asked[-1] == (ADDRESS, f"bytes={cut}-" if cut else None)


def test_what_is_cut_off_again_and_again_is_told_and_goes_on_later(home, folder):
    home.cuts = [10**9, 10**9, 4000, 0, 0, 0]
    with pytest.raises(DataError, match=r"tasks_test_jump.txt: cut off after 4,000 bytes"):
        got()
    assert there(folder / "scan") == []
    home.asked.clear()
    got()
    assert home.asked == [(ADDRESS, "bytes=4000-")]
    assert is_right(folder)


def test_a_home_that_does_not_go_on_amid_a_file_is_asked_for_all_of_it(home, folder):
    home.ranges, home.cuts = False, [10**9, 10**9, 4000]
    got()
    assert is_right(folder)


@pytest.mark.parametrize(
    "left",
    [b"IN: hop", b"other", b"x" * 10**6, SCAN[TEST] + b"x"],
    ids=["begun", "other", "longer", "one more"],
)
@pytest.mark.parametrize("sized", [True, False])
def test_whatever_an_earlier_process_left_the_right_file_comes(
    home, folder, monkeypatch, left, sized
):
    tabled(monkeypatch, folder.parent, **({} if sized else {"bytes": ""}))
    monkeypatch.setattr(originals, "MOST", 10**5)
    stage = folder / ".getting/scan"
    stage.mkdir(parents=True)
    (stage / made_up.git_of(SCAN[TEST])).write_bytes(left)
    got()
    assert is_right(folder)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (SCAN[TEST].replace(b"hop 7", b"hop 8", 1), r"its git checksum is [0-9a-f]{40}, not"),
        (SCAN[TEST][:-1], "it has .* bytes, not"),
        (SCAN[TEST] + b"\n", "it has more bytes than are due"),
        (b"", "it has 0 bytes, not"),
    ],
    ids=["other", "shorter", "longer", "empty"],
)
def test_another_file_is_refused_with_its_address(home, folder, data, why):
    home.files[ADDRESS] = data
    with pytest.raises(DataError, match=f"{ADDRESS}: there is another file: {why}"):
        got()
    assert there(folder / "scan") == []
    home.files[ADDRESS] = SCAN[TEST]
    got()
    assert is_right(folder)


def test_a_file_of_unknown_size_has_its_bound(home, folder, monkeypatch):
    tabled(monkeypatch, folder.parent, bytes="")
    monkeypatch.setattr(originals, "MOST", 1000)
    with pytest.raises(DataError, match="more bytes than are due"):
        got()


def test_both_checksums_count():
    data = b"a\n"
    right = Original("a/b", "c", "d", 2, made_up.git_of(data), hashlib.sha256(data).hexdigest())
    assert right.wrong(data) == ""
    assert "git checksum" in right._replace(git="0" * 40).wrong(data)
    assert "SHA-256" in right._replace(sha256="0" * 64).wrong(data)
    assert right._replace(size=None, sha256="").wrong(data) == ""
    assert right.git == "78981922613b2afb6025042ff6bd878ac1994e85"  # as `git hash-object` has it


@pytest.mark.parametrize("status", [404, 410])
def test_a_home_that_is_gone_is_told_with_its_address_and_another_way(home, folder, status):
    home.status = status
    with pytest.raises(DataError) as told:
        got()
    said = str(told.value)
    assert said.startswith(f"{home.address}/{REPOSITORY}/{COMMIT}/LICENSE: the file is not there")
    assert str(status) in said
    assert "`progtf data get scan --from FOLDER`" in said
    assert there(folder / "scan") == []


@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_a_home_that_refuses_is_told(home, status):
    home.status = status
    with pytest.raises(DataError, match=rf"LICENSE: the file is not given out \({status} "):
        got()


def test_a_home_that_moved_is_followed_and_told(home, folder):
    home.moved[ADDRESS] = f"{home.address}/elsewhere.txt"
    home.files["/elsewhere.txt"] = SCAN[TEST]
    said = []
    got(said=said.append)
    assert is_right(folder)
    assert said == [f"{home.address}{ADDRESS} has moved to {home.address}/elsewhere.txt"]


def test_a_home_that_moved_to_something_else_is_refused(home, folder):
    home.moved[ADDRESS] = f"{home.address}/sign-in"
    home.files["/sign-in"] = b"<html>Sign in</html>"
    with pytest.raises(DataError, match="there is another file"):
        got()


@pytest.mark.parametrize("goal", ["{0}", "file:///etc/passwd"])
def test_a_home_that_leads_nowhere_is_told(home, goal):
    home.moved[ADDRESS] = goal.format(ADDRESS)
    with pytest.raises(DataError, match=r"tasks_test_jump.txt: the file has moved.*\(302 "):
        got()


def test_where_no_network_is_one_sentence_says_so_and_what_else_there_is(folder, monkeypatch):
    monkeypatch.setattr(originals, "HOME", "http://127.0.0.1:9/{repository}/{commit}")
    with pytest.raises(DataError) as told:
        got()
    said = str(told.value)
    assert said.startswith("no network: 127.0.0.1:9 is not reached (")
    assert "; `progtf data get scan --from FOLDER`, ARCHIVE or URL takes the files of" in said
    assert "\n" not in said


def test_an_answer_that_does_not_come_is_not_waited_for(home, monkeypatch):
    monkeypatch.setattr(fetching, "WAIT", 0.05)
    import time  # noqa: PLC0415

    monkeypatch.setattr(home, "answer", lambda request: time.sleep(0.5))
    with pytest.raises(DataError, match=r"is not reached \(no answer within 0 seconds\)"):
        got()


def test_proxies_are_those_of_the_environment(home, folder, monkeypatch):
    monkeypatch.setattr(originals, "HOME", "http://data.invalid/{repository}/{commit}")
    monkeypatch.setenv("http_proxy", home.address)
    got()
    assert is_right(folder)
    assert home.asked[0][0] == f"http://data.invalid/{REPOSITORY}/{COMMIT}/LICENSE"


def archive_of(folder, kind):
    source = write_files(folder / "SCAN-master", SCAN)
    (source / "README.md").write_text("# SCAN\n")
    path = folder / f"SCAN.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as file:
            for each in sorted(source.rglob("*")):
                file.write(each, each.relative_to(folder))
    else:
        with tarfile.open(path, f"w:{kind.rpartition('.')[2].replace('tar', '')}") as file:
            file.add(source, "SCAN-master")
    return path


KINDS = ("zip", "tar", "tar.gz", "tar.bz2", "tar.xz")


@pytest.mark.parametrize("kind", KINDS)
def test_a_set_comes_from_an_archive(folder, tmp_path, kind):
    got(source=archive_of(tmp_path, kind))
    assert is_right(folder)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_set_comes_from_an_archive_at_an_address(home, folder, tmp_path, kind):
    home.files[f"/{kind}/S.{kind}"] = archive_of(tmp_path, kind).read_bytes()
    got(source=f"{home.address}/{kind}/S.{kind}")
    assert is_right(folder)


def test_a_set_comes_from_the_address_of_a_folder(home, folder):
    home.files = {f"/mirror/scan/{path}": data for path, data in SCAN.items()}
    got(source=f"{home.address}/mirror/scan/")
    assert is_right(folder)


@pytest.mark.parametrize("place", ["", "below/clone"])
def test_a_set_comes_from_a_folder(folder, tmp_path, place):
    write_files(tmp_path / "disk" / place, SCAN)
    write_files(tmp_path / "disk", {"another/LICENSE": b"Mine.\n"})
    got(source=tmp_path / "disk")
    assert is_right(folder)


def test_a_set_comes_from_its_files_alone(folder, tmp_path):
    write_files(tmp_path / "disk", {Path(path).name: data for path, data in SCAN.items()})
    got(source=tmp_path / "disk")
    assert is_right(folder)


def test_files_are_known_by_their_bytes_whatever_they_are_called(folder, tmp_path):
    write_files(tmp_path / "disk", {f"{n}.bin": data for n, data in enumerate(SCAN.values())})
    got(source=tmp_path / "disk")
    assert is_right(folder)


@pytest.mark.parametrize("kind", ["folder", *KINDS])
@pytest.mark.parametrize("change", ["missing", "other"])
def test_a_source_without_a_file_names_it(folder, tmp_path, monkeypatch, kind, change):
    files = {path: data for path, data in SCAN.items() if path != TEST}
    if change == "other":
        files[TEST] = SCAN[TEST].replace(b"hop 7", b"hop 8", 1)
    monkeypatch.setitem(globals(), "SCAN", files)
    path = archive_of(tmp_path, "tar" if kind == "folder" else kind)
    why = "of .* is not here" if change == "missing" else ": this is another file: its git checksum"
    with pytest.raises(DataError, match=f"tasks_test_jump.txt ?{why}"):
        got(source=path.with_name("SCAN-master") if kind == "folder" else path)
    assert there(folder / "scan") == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_archive_is_told(tmp_path, kind):
    path = archive_of(tmp_path, kind)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError):
        got(source=path)


@pytest.mark.parametrize("source", ["/no/such/place", "ftp://127.0.0.1/x", "file:///etc"])
def test_a_source_that_is_none_is_told(source):
    with pytest.raises(DataError, match=r"there is no such folder|begins with http"):
        got(source=source)


def test_a_file_of_ones_own_is_not_written_over(home, folder):
    write_files(folder, {"scan/jump.train.tsv.gz": b"mine"})
    with pytest.raises(DataError, match="another file lies here"):
        got()
    assert there(folder / "scan") == ["jump.train.tsv.gz"]
    (folder / "scan/jump.train.tsv.gz").unlink()
    got()
    assert is_right(folder)


def test_a_file_that_lies_there_already_is_taken(home, folder):
    write_files(folder, {"scan/LICENSE": SCAN["LICENSE"]})
    before = (folder / "scan/LICENSE").stat().st_ino
    got()
    assert is_right(folder)
    assert (folder / "scan/LICENSE").stat().st_ino == before


@pytest.mark.parametrize("change", ["gone", "changed", "note"])
def test_a_set_that_is_not_whole_any_more_is_brought_again(home, folder, change):
    got()
    path = folder / "scan/jump.test.tsv.gz"
    if change == "gone":
        path.unlink()
    elif change == "note":
        (folder / "scan/.scan.json").write_text('{"of": 3, "files": []}')
    else:
        path.write_bytes(b"changed")
        with pytest.raises(DataError, match="another file lies here"):
            got()
        path.unlink()
    assert got().new
    assert is_right(folder)


@contextmanager
def full(file, room):
    """A file on a disk with so much room."""

    def write(data):
        if len(data) > room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        room[0] -= len(data)
        return type(file).write(file, data)

    class Full:
        def __getattr__(self, name):
            return write if name == "write" else getattr(file, name)

    yield Full()


LOADED, MADE = sum(map(len, SCAN.values())), sum(map(len, prepared.scan(SCAN).values()))


@pytest.mark.parametrize("room", [0, 20, LOADED - 1, LOADED, LOADED + 20, LOADED + MADE])
def test_a_full_disk_is_told_and_nothing_stays_on_it(home, folder, monkeypatch, room):
    left = [room]

    def fills(opens):
        @contextmanager
        def opened(*given, **more):
            with opens(*given, **more) as file, full(file, left) as narrow:
                yield narrow

        return opened

    monkeypatch.setattr(fetching, "opened", fills(fetching.opened))
    monkeypatch.setattr(getting, "replacing", fills(getting.replacing))
    with pytest.raises(DataError, match="scan: the disk is full; nothing of the set stays on it"):
        got()
    assert there(folder / "scan") == []
    assert not (folder / ".getting/scan").exists()
    left[0] = 10**9
    got()
    assert is_right(folder)


def test_a_folder_that_cannot_be_written_is_told(folder, home):
    folder.write_text("a file")
    with pytest.raises(OSError, match="data") as told:
        got()
    assert told.value.errno in (errno.ENOTDIR, errno.EEXIST)


def test_a_process_that_is_killed_anywhere_leaves_whole_files_and_the_next_ends_its_work(
    home, folder, tmp_path
):
    said = {
        "table": str(originals.TABLE), "home": originals.HOME, "folder": str(folder),
        "due": {n: hashlib.sha256(data).hexdigest() for n, data in prepared.scan(SCAN).items()},
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(HERE / "killed.py")],
        input=json.dumps(said), capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["kills"] > 60
    assert {"_next", "open", "write", "fsync", "os.rename", "os.mkdir"} <= set(found["at"])


def test_two_at_once_are_safe_and_load_it_once(home, folder):
    home.files[ADDRESS] = SCAN[TEST]
    run = (
        "from progtf.data import getting, originals, prepared; from progtf.published import NAMED;"
        f"from pathlib import Path; originals.TABLE = Path({str(originals.TABLE)!r});"
        f"originals.HOME = {originals.HOME!r};"
        "print(getting.get(NAMED['scan'], prepared.scan).new)"
    )
    some = [
        subprocess.Popen([sys.executable, "-c", run], stdout=subprocess.PIPE, text=True,
                         env={**os.environ, "PYTHONPATH": str(HERE.parents[1])})
        for _ in range(3)
    ]  # fmt: skip
    assert sorted(each.communicate(timeout=60)[0] for each in some) == ["False\n"] * 2 + ["True\n"]
    assert is_right(folder)
    assert len(home.asked) == 3


def test_gzip_has_the_same_bytes_each_time():
    assert prepared.packed([b"a"]) == prepared.packed([b"a"])
    assert gzip.decompress(prepared.packed([b"a", b"b"])) == b"a\nb\n"


@pytest.mark.parametrize("files", [{"tasks_train_a.txt": b"hop\tI_HOP\n"}])
def test_lines_of_another_form_are_no_scan(files):
    with pytest.raises(DataError, match="no `IN: command OUT: actions`"):
        prepared.scan(files)


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b'{"data": [{"title": 3}]}'])
def test_another_form_is_no_squad(text):
    with pytest.raises(DataError, match="no passages of SQuAD"):
        squad({"dev-v1.1.json": text})


def test_a_line_without_a_category_is_no_cogs():
    with pytest.raises(DataError, match=r"gen\.tsv:1: "):
        prepared.cogs({"gen.tsv": b"A dog .\n"})


def test_the_data_folder_is_absolute_and_the_users_where_nobody_names_one(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    for named, due in (
        ("there", tmp_path / "there"), ("~/d", tmp_path / "home/d"), ("", None), (None, None)
    ):  # fmt: skip
        monkeypatch.delenv("PROGTF_DATA", raising=False)
        if named is not None:
            monkeypatch.setenv("PROGTF_DATA", named)
        assert data_folder().is_absolute()
        assert data_folder() == due if due else "progtf" in data_folder().name


def test_what_a_set_is_called_here_is_what_a_missing_file_is_told_by():
    assert digest_of(originals.TABLE)
    for name, files in made_up.SETS.items():
        for made in PREPARE[name](files):
            named = {each.name for each in SETS if each.folder == NAMED[name].folder
                     and any(Path(made).match(pattern) for pattern in each.files)}  # fmt: skip
            assert named == {name} or (made == "LICENSE" and not named), made
