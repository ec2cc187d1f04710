"""What was compiled is kept by all that it was read from, and by nothing else."""

import copy
import json
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import progtf
from progtf import cache as caching
from progtf import compiled
from progtf.cache import Cache, ship
from progtf.cli.sources import read_interpreter, read_model, read_program, read_proven
from progtf.cli.workers import Carried
from progtf.compiled import ANSWERING, PROVING, READING, Compiled, Place, place_of
from progtf.network.model import Model
from progtf.notation.sought import Sought
from progtf.outcomes import Question
from progtf.program.asleep import Asleep
from progtf.program.model import Program
from progtf.program.packed import packed, unpacked
from progtf.running.interpret import Interpreter
from progtf.running.ready import Ready
from scripts import shipped
from scripts.shipped import Shipping
from tests.network.test_kinds import ASKED as ASKED_BY_KIND

MAIN = """\
use "used.seme"
lexicon from "words.tsv":
  each > a
  unknown: 0
layer:
  use copied()
"""
USED = """\
semes: a b
circuit copied():
  feedforward:
    b: a
"""


MODULES = """\
import sys
from progtf.cli.main import main
try:
    main()
finally:
    print(*sys.modules)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "main.seme").write_text(MAIN)
    (tmp_path / "used.seme").write_text(USED)
    (tmp_path / "words.tsv").write_text("word\ndog\n")
    return tmp_path


@pytest.fixture
def kept(tmp_path):
    return Cache(tmp_path / "cache")


def known(folder, kept, dtype=None):
    path = folder / "main.seme"
    return Compiled(Place(path, path.read_bytes(), kept), dtype).weights()


def read(folder, kept, dtype=None):
    return read_proven(folder / "main.seme", dtype, kept)


def test_what_is_kept_is_what_was_compiled_with_what_is_proven_of_it(folder, kept):
    assert known(folder, kept) is None
    made = read(folder, kept)
    again = known(folder, kept)
    assert again is not None
    assert again == made
    assert again.outcome == made.outcome
    assert str(again.outcome).startswith("exact")


def test_a_program_that_was_named_from_here_is_the_same(folder, monkeypatch):
    monkeypatch.setenv("PROGTF_CACHE", str(folder / "own"))
    monkeypatch.chdir(folder.parent)
    read, kept = (progtf.load(f"{folder.name}/main.seme") for _ in range(2))
    assert (type(read), type(kept)) == (Program, Asleep)
    assert read == kept


@pytest.fixture
def loaded(folder, monkeypatch):
    """A program that was read, and the same as it is kept."""
    monkeypatch.setenv("PROGTF_CACHE", str(folder / "own"))
    read, kept = progtf.load(folder / "main.seme"), progtf.load(folder / "main.seme")
    assert (type(read), type(kept)) == (Program, Asleep)
    return read, kept


def test_a_kept_program_is_made_when_somebody_looks_at_it_and_is_the_one_that_was_read(
    folder, loaded
):
    read, kept = loaded
    assert isinstance(kept, Program)
    assert kept.name == read.name == str(folder / "main.seme")
    assert place_of(kept) is not None
    assert type(kept) is Asleep
    with pytest.raises(FrozenInstanceError):
        kept.seen = True
    with pytest.raises(FrozenInstanceError):
        del kept.seen
    assert type(kept) is Asleep
    (folder / "used.seme").unlink()  # what it is was known when it was loaded
    assert kept == read
    assert type(kept) is Program
    assert vars(kept).keys() == vars(read).keys()


def again(program):
    return pickle.loads(pickle.dumps(program))


@pytest.mark.parametrize("ask", [repr, hash, copy.copy, copy.deepcopy, again, vars, str])
def test_whatever_is_asked_of_a_kept_program_is_answered_as_of_one_that_was_read(loaded, ask):
    read, kept = loaded
    try:
        due = ask(read)
    except TypeError as error:
        with pytest.raises(TypeError, match=re.escape(str(error))):
            ask(kept)
        return
    assert ask(kept) == due
    assert type(kept) is Program


def test_a_kept_program_has_the_key_of_the_one_that_was_read(loaded, kept):
    assert len({Question(each, kept).key("float32") for each in loaded}) == 1


def test_a_kept_program_is_packed_as_the_one_that_was_read(loaded):
    read, kept = loaded
    assert unpacked(packed(kept)) == unpacked(packed(read)) == replace(read, sought=Sought())


def test_threads_that_look_at_a_kept_program_at_once_find_one(folder, loaded):
    assert loaded
    for _ in range(20):
        kept = progtf.load(folder / "main.seme")
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _, one=kept: id(one.space), range(8)))
        assert len({*found}) == 1


PARTS = ASKED_BY_KIND.replace("shout.seme", "part.seme")
PART = """\
semes:
  size: 0..2
  more: 0..2
lexicon:
  a: +size
  b: +size +more
layer:
  feedforward:
    size: more
layer:
  head:
    look: self
    value: size>echo
  feedforward:
    out: size
    loud: size >= 1
"""
ANSWERS = """\
import sys, progtf
from progtf.network import model as home
from progtf.network.network import Network
made = []
whole = Network._make
Network._make = lambda self, weights: (made.append(weights.layout.width), whole(self, weights))[1]
program = progtf.load(sys.argv[1])
model = progtf.compile(program)
texts = ["one a b", "two a", "a"]
answers = model.answers(texts)
print(model.layout.width in made, type(program).__name__, "progtf.exact.checked" in sys.modules)
print(*[f"{each.text}|{each.gap}|{each.outcome}" for each in answers], sep=";")
print(len(list(model.parameters())) > 20, model.layout.width in made, model.run(texts[0]))
print(model.weights == progtf.compile(program).weights, model.outcome.verdict)
"""


def test_a_second_process_answers_by_kept_parts_and_makes_the_network_for_whoever_looks(
    tmp_path,
):
    (tmp_path / "main.seme").write_text(PARTS)
    (tmp_path / "part.seme").write_text(PART)
    line = [sys.executable, "-c", ANSWERS, str(tmp_path / "main.seme")]
    told = []
    for _ in range(2):
        env = os.environ | {"PROGTF_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(line, capture_output=True, text=True, check=True, env=env)
        told.append(done.stdout.splitlines())
    first, second = told
    assert first[0] == "False Program True"
    assert second[0] == "False Asleep False"
    assert first[1:] == second[1:]
    assert first[2].startswith("True True")
    assert first[3] == "True exact"


@pytest.mark.parametrize("spoiled", ["part", "first", "weights"])
def test_kept_parts_that_are_gone_are_made_again(tmp_path, spoiled):
    (tmp_path / "main.seme").write_text(PARTS)
    (tmp_path / "part.seme").write_text(PART)
    kept = Cache(tmp_path / "cache")
    texts = ["one a b", "two a", "a"]

    def answers():
        return [
            (each.text, each.gap)
            for each in read_model(tmp_path / "main.seme", None, kept).answers(texts)
        ]

    due = answers()
    place = Place(tmp_path / "main.seme", PARTS.encode(), kept)
    name = Compiled(place, None)._name
    gone = {"part": f"{name}, part ['first']", "first": f"{name}, first", "weights": name}[spoiled]
    (entry,) = (tmp_path / "cache").glob(f"{caching._own(place._key(gone, PROVING))}*")
    entry.unlink()
    assert answers() == due
    (tmp_path / "part.seme").write_text(PART.replace("out: size", "out: 2size"))
    assert read_model(tmp_path / "main.seme", None, kept).answers(texts)[0].gap != due[0][1]


def test_every_format_is_kept_by_itself(folder, kept):
    assert read(folder, kept, "float16").dtype == "float16"
    assert known(folder, kept) is None
    assert read(folder, kept).dtype == "float32"
    assert known(folder, kept, "float16").dtype == "float16"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.seme", MAIN.replace("unknown: 0", "unknown: +a")),
        ("used.seme", USED.replace("b: a", "b: !a")),
        ("words.tsv", "word\ncat\n"),
    ],
)
def test_another_text_of_any_file_is_another_program(folder, kept, name, text):
    before = read(folder, kept)
    old = (folder / name).read_text()
    (folder / name).write_text(text)
    assert known(folder, kept) is None
    after = read(folder, kept)
    assert after != before
    assert known(folder, kept) == after
    (folder / name).write_text(old)
    assert read(folder, kept) == before


def test_a_file_that_goes_is_told_and_not_remembered(folder, kept):
    read(folder, kept)
    (folder / "used.seme").unlink()
    assert known(folder, kept) is None
    with pytest.raises(progtf.SemeError, match="no such file"):
        read(folder, kept)


def test_a_table_that_appears_nearer_is_read(folder, kept, monkeypatch, tmp_path_factory):
    far = tmp_path_factory.mktemp("far")
    (folder / "words.tsv").rename(far / "words.tsv")
    monkeypatch.setenv("PROGTF_DATA", str(far))
    read(folder, kept)
    assert known(folder, kept) is not None
    (folder / "words.tsv").write_text("word\ncat\n")
    assert known(folder, kept) is None
    assert "cat" in read(folder, kept).layout.lexicon


TABLE = """\
semes: noun verb
lexicon from "words/t.tsv":
  kind=n > noun
  kind=v > verb
"""
KINDS = {"noun": "word\tkind\ndog\tn\n", "verb": "word\tkind\ndog\tv\n"}
PLACES = (
    "a/words",
    "b/words",
    "far/words",
    "a/far/words",
    "b/far/words",
    "near/words",
    "last/words",
)
"""Beside two programs, below `$PROGTF_DATA` however it is meant, in packages of that name."""


def told(program, kept):
    """What a program says of a dog, or the mistake in it."""
    try:
        weights = read_proven(program, None, kept)
    except progtf.SemeError as error:
        with pytest.raises(progtf.SemeError):
            read_program(program, kept)
        return str(error)
    held = weights.maps[("lexicon",), "vector"]
    found = {held.targets[column] for column in held.columns}
    assert {*read_program(program, kept).lexicon["dog"]} == found
    return found


def put(place, kind):
    path = Path(place) / "t.tsv"
    path.unlink(missing_ok=True)
    if kind is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KINDS[kind])


def link(place, other):
    put(place, None)
    goal = Path(other).absolute() / "t.tsv"
    path = Path(place) / "t.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(goal)


CHANGES = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(PLACES), st.sampled_from([*KINDS, None])),
    st.tuples(st.just("link"), st.sampled_from(PLACES), st.sampled_from(PLACES)),
    st.tuples(st.just("data"), st.sampled_from([None, "", "far", "/far"])),
    st.tuples(st.just("stand"), st.sampled_from(["", "a", "b"])),
    st.tuples(st.just("packages"), st.sampled_from([["last"], ["near", "last"], []])),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CHANGES, min_size=3, max_size=12), st.booleans())
def test_whatever_changes_what_is_kept_says_what_is_read_anew(changes, relative):
    """Tables come, go, and lead elsewhere; who asks stands elsewhere, and looks elsewhere."""
    before, path, data = Path.cwd(), list(sys.path), os.environ.pop("PROGTF_DATA", None)
    with tempfile.TemporaryDirectory() as home:
        root, kept = Path(home).resolve(), Cache(Path(home) / "kept")
        stand = root
        try:
            for each in "ab":
                (root / each).mkdir()
                (root / each / "x.seme").write_text(TABLE)
            os.chdir(root)
            put("a/words", "noun")
            for what, *how in [("stand", "a"), *changes]:
                os.chdir(root)
                match what:
                    case "put":
                        put(*how)
                    case "link":
                        link(*how)
                    case "data" if how[0] is None:
                        os.environ.pop("PROGTF_DATA", None)
                    case "data":
                        far = how[0].replace("/far", str(root / "far"))
                        os.environ["PROGTF_DATA"] = far
                    case "packages":
                        sys.path[:] = [*(str(root / each) for each in how[0]), *path]
                    case _:
                        stand = root / how[0]
                os.chdir(stand)
                for program in (root / "a" / "x.seme", root / "b" / "x.seme"):
                    named = Path(os.path.relpath(program)) if relative else program
                    assert told(named, kept) == told(named, Cache(None))
        finally:
            os.chdir(before)
            sys.path[:] = path
            os.environ.pop("PROGTF_DATA", None)
            if data is not None:
                os.environ["PROGTF_DATA"] = data


def test_what_lies_below_another_folder_of_the_same_name_is_another_table(tmp_path, monkeypatch):
    kept = Cache(tmp_path / "kept")
    for each in "ab":
        (tmp_path / each / "p").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for each in "ab":
        Path(each, "p/x.seme").write_text(TABLE)
        put(f"{each}/p/words", "noun")
    monkeypatch.chdir(tmp_path / "a")
    assert told(Path("p/x.seme"), kept) == {"noun"}
    put("p/words", "verb")
    monkeypatch.chdir(tmp_path / "b")
    assert told(tmp_path / "a/p/x.seme", kept) == {"verb"}


@pytest.mark.parametrize("name", ["main.seme", "used.seme", "words.tsv"])
def test_a_file_that_changes_while_it_is_compiled_is_not_remembered(
    folder, kept, name, monkeypatch
):
    usual = Place.keep
    other = {
        "main.seme": MAIN.replace("unknown: 0", "unknown: +a"),
        "used.seme": USED.replace("b: a", "b: !a"),
        "words.tsv": "word\ncat\n",
    }

    def slow(place, program, warnings):
        (folder / name).write_text(other[name])
        usual(place, program, warnings)

    with monkeypatch.context() as patched:
        patched.setattr(Place, "keep", slow)
        before = read(folder, kept)
    after = read(folder, kept)
    assert after == read(folder, Cache(None))
    assert after != before


@pytest.mark.parametrize("place", range(0, 8000, 131))
def test_a_flipped_bit_in_what_is_kept_is_noticed_and_it_is_made_anew(folder, kept, place):
    made = read(folder, kept)
    entries = sorted(kept.folder.iterdir())
    for entry in entries:
        held = bytearray(entry.read_bytes())
        held[place % len(held)] ^= 1 << place % 8
        entry.write_bytes(held)
    assert known(folder, kept) is None
    assert read(folder, kept) == made
    assert known(folder, kept) == made


def test_entries_that_changed_places_are_none(folder, kept):
    made = read(folder, kept)
    entries = sorted(kept.folder.iterdir())
    for entry, other in zip(entries, [each.read_bytes() for each in entries[1:]], strict=False):
        entry.write_bytes(other)
    assert known(folder, kept) is None
    assert read(folder, kept) == made


@pytest.mark.parametrize("package", ["lark", "numpy", "pydantic"])
def test_another_version_of_what_it_computes_with_compiles_again(
    folder, kept, package, monkeypatch
):
    read(folder, kept)
    usual = caching.version
    monkeypatch.setattr(caching, "version", lambda name: name == package or usual(name))
    caching._versions.cache_clear()
    try:
        assert known(folder, kept) is None
    finally:
        caching._versions.cache_clear()


def test_another_library_compiles_again(folder, kept, monkeypatch):
    read(folder, kept)
    monkeypatch.setattr(compiled, "library", lambda *rooms: "another")
    assert known(folder, kept) is None


def test_a_program_is_kept_as_it_was_understood(folder, kept):
    path = folder / "main.seme"
    made = read_program(path, kept)
    found, _ = Place(path, path.read_bytes(), kept).program()
    assert found == made
    assert found.sought.contents == made.sought.contents
    (folder / "used.seme").write_text(USED.replace("b: a", "b: !a"))
    assert Place(path, path.read_bytes(), kept).program() is None
    assert read_program(path, kept) != found


def test_a_program_says_in_messages_what_its_file_was_called(folder, kept, monkeypatch):
    monkeypatch.chdir(folder)
    for path in (Path("main.seme"), folder / "main.seme", Path("main.seme")):
        assert read_program(path, kept).name == str(path)


@pytest.mark.parametrize("place", range(0, 8000, 331))
def test_a_flipped_bit_in_a_program_that_is_kept_is_noticed(folder, kept, place):
    path = folder / "main.seme"
    made = read_program(path, kept)
    for entry in sorted(kept.folder.iterdir()):
        held = bytearray(entry.read_bytes())
        held[place % len(held)] ^= 1 << place % 8
        entry.write_bytes(held)
    assert Place(path, path.read_bytes(), kept).program() is None
    assert read_program(path, kept) == made


def test_a_copy_elsewhere_is_the_same_program(folder, kept, tmp_path_factory, monkeypatch):
    made = read_program(folder / "main.seme", kept)
    other = tmp_path_factory.mktemp("other") / "deeper"
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("cache"))
    path = other / "main.seme"
    found, _ = Place(path, path.read_bytes(), kept).program()
    assert found == progtf.load(path)
    assert found.places["b"].source.name == str(other / "used.seme")
    monkeypatch.chdir(other)
    found, _ = Place(Path("main.seme"), path.read_bytes(), kept).program()
    assert (found.name, found.places["b"].source.name) == ("main.seme", "used.seme")
    assert found != made
    (other / "used.seme").write_text(USED.replace("b: a", "b: !a"))
    assert Place(path, path.read_bytes(), kept).program() is None
    assert Place(folder / "main.seme", MAIN.encode(), kept).program() is not None


def test_a_program_that_lies_in_the_data_folder_is_kept_by_where_it_lies(
    folder, kept, monkeypatch, tmp_path_factory
):
    monkeypatch.setenv("PROGTF_DATA", str(folder))
    read_program(folder / "main.seme", kept)
    assert Place(folder / "main.seme", MAIN.encode(), kept).program() is not None
    other = tmp_path_factory.mktemp("other") / "deeper"
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("cache"))
    assert Place(other / "main.seme", MAIN.encode(), kept).program() is None


@pytest.mark.parametrize("path", sorted(Path("tests/golden/warned").glob("*.seme")), ids=str)
def test_what_is_doubtful_is_kept_with_a_program(path, kept):
    made = Place(path, path.read_bytes(), kept).read()
    assert made[1]
    assert Place(path, path.read_bytes(), kept).program() == made


ASKED = {
    "examples/math/pair.seme": ["Which is greater: 3 or 7?", "Which is bigger?", "Are 1 and 1"],
    "examples/attention/polite_requests.seme": ["may I go", "may I please", "xyz"],
    "examples/euclid.seme": ["12 8"],
    "examples/language/translation.seme": [],
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_kept_of_a_program_answers_as_the_program(name, kept):
    path = Path(name)
    program = read_program(path, Cache(None))
    texts = [*ASKED[name], *(each.input for each in program.examples[:8])]
    due = [shown(each) for each in Interpreter(program).try_answers(texts)]
    for _ in range(2):
        kept_one = Ready(lambda: program, Place(path, path.read_bytes(), kept), name)
        Place(path, path.read_bytes(), kept).read()
        assert [shown(each) for each in Interpreter(kept_one).try_answers(texts)] == due


def shown(answer):
    """All that is told of an answer."""
    if isinstance(answer, Exception):
        return type(answer), str(answer)
    return answer.text, str(answer.outcome), answer.broken, answer.gap


def test_parts_of_one_program_are_never_joined_with_another(folder, kept, monkeypatch):
    """A file is edited while somebody asks, who then needs the program as a whole."""
    path = folder / "main.seme"
    read_interpreter(path, kept).answers(["dog"])
    monkeypatch.setattr(Place, "program", lambda self: None)  # it is not kept any more
    asked = read_interpreter(path, kept)
    assert asked.run("dog") == "dog: +a +b"
    (folder / "used.seme").write_text(USED.replace("b: a", "b: !a"))
    with pytest.raises(progtf.InputError, match="has changed meanwhile"):
        _ = asked.program
    assert read_interpreter(path, kept).run("dog") == "dog: +a"


def test_what_was_read_before_an_edit_is_never_kept_for_what_is_read_behind_it(folder, kept):
    """Nothing is kept any more, and somebody goes on with what was read before."""
    path, used = folder / "main.seme", folder / "used.seme"
    asked = read_interpreter(path, kept)
    assert asked.run("dog") == "dog: +a +b"
    before = load(path, kept)
    used.write_text(USED.replace("b: a", "b: !a"))
    kept.clear()
    assert progtf.interpret(before).run("dog") == progtf.compile(before).run("dog") == "dog: +a +b"
    assert read_interpreter(path, kept).run("dog") == "dog: +a"
    assert read_model(path, None, kept).run("dog") == "dog: +a"
    again = read_interpreter(path, kept)
    assert again.run("dog") == "dog: +a"
    used.write_text(USED)
    kept.clear()
    for _ in range(2):  # it stays what it is
        with pytest.raises(progtf.InputError, match="load it again"):
            _ = again.program
    assert read_interpreter(path, kept).run("dog") == "dog: +a +b"


def load(path, kept):
    return Place(path, path.read_bytes(), kept).asleep()


def test_a_program_that_is_used_by_its_own_files_is_refused_though_another_of_its_text_is_not(
    tmp_path, kept
):
    text = 'demo:\n  use "b.seme"\n  semes: a\n  lexicon:\n    x: +a\n'
    (tmp_path / "a.seme").write_text(text)
    (tmp_path / "c.seme").write_text(text)
    (tmp_path / "b.seme").write_text('use "a.seme"\nsemes: b\nlexicon:\n  x: +b\n')
    for _ in range(2):
        assert read_interpreter(tmp_path / "c.seme", kept).run("x") == "x: +b +a"
        with pytest.raises(progtf.SemeError, match="use each other"):
            read_interpreter(tmp_path / "a.seme", kept).run("x")


def in_two_folders(place):
    """Two programs of one text, each beside files of its own."""
    for name in ("one", "two"):
        (place / name).mkdir()
        (place / name / "main.seme").write_text('use "used.seme"\n')
        (place / name / "used.seme").write_text(f'use "{name}.seme"\n')
        (place / name / f"{name}.seme").write_text(f"semes: {name}\nlexicon:\n  x: +{name}\n")
    return place / "one" / "main.seme", place / "two" / "main.seme"


def test_programs_of_one_text_beside_other_files_answer_in_turn(tmp_path, kept):
    one, two = in_two_folders(tmp_path)
    for path in (one, two, one, two):
        assert read_interpreter(path, kept).run("x") == f"x: +{path.parent.name}"


@pytest.mark.parametrize("keeps", [True, False])
def test_a_used_file_that_uses_another_by_now_is_read(folder, kept, keeps):
    path, used = folder / "main.seme", folder / "used.seme"
    assert read_interpreter(path, kept).run("dog") == "dog: +a +b"
    (folder / "more.seme").write_text("semes: more\n")
    used.write_text('use "more.seme"\n' + USED.replace("b: a", "b: !a"))
    if not keeps:
        kept = replace(kept, folder=None, shipped=kept.folder)
    for _ in range(2):
        assert read_interpreter(path, kept).run("dog") == "dog: +a"


def test_where_files_lie_here_counts_before_where_those_that_came_along_did(tmp_path):
    came = Cache(tmp_path / "came")
    own = Cache(tmp_path / "own", shipped=tmp_path / "shipped")
    one, two = in_two_folders(tmp_path)
    place = Place(one, one.read_bytes(), came)
    place.read()
    ship(own.shipped, place._names_key, came.read(place._names_key))
    assert Place(two, two.read_bytes(), own).program() is None
    read_program(two, own)
    assert Place(two, two.read_bytes(), own).program() is not None


@pytest.mark.parametrize(
    "noted",
    ["[]", "null", '"x"', "3", "[" * 100_000, '{"m": []}', '{"m": {"when": 1}}']
    + [
        json.dumps({"m": {"when": when, "seconds": 1, "why": "", "state": state}})
        for when, state in (
            (1e300, {}), (math.nan, {}), ("now", {}), (-1, {}), (1, []), (1, {"": 2}),
        )
    ],
)  # fmt: skip
def test_notes_of_others_are_none(folder, kept, noted):
    kept.folder.mkdir(parents=True, exist_ok=True)
    (kept.folder / "readings.json").write_text(noted)
    assert kept.readings == {}
    assert read_interpreter(folder / "main.seme", kept).run("dog") == "dog: +a +b"
    assert [*kept.readings] == [str(folder / "main.seme")]


def test_an_assumption_that_a_text_breaks_is_told_the_second_time_too(tmp_path):
    path, kept = Path("examples/attention/polite_requests.seme"), Cache(tmp_path / "cache")
    for _ in range(2):
        model = Model(read_proven(path, None, kept))
        assert model.outcome.exact
        (answer,) = model.answers(["may I please"])
        assert answer.outcome.verdict == "broken promise"
        with pytest.raises(progtf.NotExactError, match="it is assumed that"):
            model.run("may I please", strict=True)
        (elsewhere,) = pickle.loads(pickle.dumps(Carried(model))).beside(["may I please"])[1]
        assert elsewhere.outcome.verdict == "broken promise"


def test_the_last_reading_says_why(folder, kept):
    path = folder / "main.seme"

    def why():
        return kept.readings[str(path)].why

    read_program(path, kept)
    assert why() == "it was not read before"
    read_program(path, kept)
    assert why() == "it was not read before"
    (folder / "words.tsv").write_text("word\ncat\n")
    read_program(path, kept)
    assert why() == "words.tsv has changed"
    path.write_text(MAIN + "\n")
    read_program(path, kept)
    assert why() == "its text has changed"
    for each in kept.folder.glob("*.kept"):
        each.unlink()
    read_program(path, kept)
    assert why() == "what was kept of it is gone"
    (kept.folder / "readings.json").write_text("[1")
    assert kept.readings == {}
    read_program(path, kept)


ROOMS = """
import sys
from pathlib import Path
from progtf.cache import Cache, ship
from progtf.compiled import Place
def rooms():
    inner = {each.split(".")[1] for each in sys.modules if each.startswith("progtf.") and each.count(".") > 1}
    print(*sorted(inner))
path = Path(sys.argv[1])
program, _ = Place(path, path.read_bytes(), Cache(None)).read()
rooms()
from progtf.running.ready import Ready
ready = Ready.of(program)
ready.first, ready.kinds, ready.coded
rooms()
from progtf.outcomes import proven
from progtf.weights.folder import packed
packed(proven(program, None, Cache(None)))
rooms()
"""  # noqa: E501  it is one set


@pytest.mark.parametrize("name", ["math/pair", "hybrid/shop", "language/translation", "euclid"])
def test_the_rooms_that_are_part_of_keys_are_all_that_take_part(name):
    """What is kept has the sources of some rooms in its key: no other may decide it."""
    line = [sys.executable, "-c", ROOMS, f"examples/{name}.seme"]
    told = subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines()
    for took_part, told_of in zip(told, (READING, ANSWERING, PROVING), strict=True):
        assert {*took_part.split()} <= {*told_of}


@pytest.mark.parametrize("name", ["used.seme", "words.tsv"])
def test_a_file_that_goes_while_it_is_read_is_not_remembered_as_gone(
    folder, kept, name, monkeypatch
):
    usual, held = Place.keep, (folder / name).read_text()

    def slow(place, program, warnings):
        (folder / name).unlink()
        usual(place, program, warnings)

    with monkeypatch.context() as patched:
        patched.setattr(Place, "keep", slow)
        read_program(folder / "main.seme", kept)
    with pytest.raises(progtf.SemeError):
        read_program(folder / "main.seme", kept)
    (folder / name).write_text(held)
    assert read_program(folder / "main.seme", kept)


def test_tables_of_others_are_not_shipped(tmp_path, monkeypatch):
    away = tmp_path / "shipped"
    monkeypatch.setattr(shipped, "SHIPPED", away)
    (tmp_path / "data").mkdir()
    (tmp_path / "data/words.tsv").write_text("word\nsecret\n")
    monkeypatch.setenv("PROGTF_DATA", str(tmp_path / "data"))
    (tmp_path / "p").mkdir()
    (tmp_path / "p/main.seme").write_text(MAIN)
    (tmp_path / "p/used.seme").write_text(USED)
    assert shipped.made(tmp_path / "p/main.seme") == set()
    (tmp_path / "p/words.tsv").write_text("word\nmine\n")
    shutil.rmtree(away)  # as what nobody would find is removed
    assert len(shipped.made(tmp_path / "p/main.seme")) >= 2


def test_what_is_shipped_is_found_as_what_is_kept(folder, tmp_path):
    away = tmp_path / "shipped"
    path = folder / "main.seme"
    place = Place(path, path.read_bytes(), Shipping(None, shipped=away))
    program = place.read()[0]
    user = Cache(None, shipped=away)
    found = Place(path, path.read_bytes(), user).program()
    assert found is not None
    assert found[0] == program
    (folder / "used.seme").write_text(USED.replace("b: a", "b: !a"))
    assert Place(path, path.read_bytes(), user).program() is None
    assert read_program(path, user) != program
    (folder / "used.seme").write_text(USED)
    for entry in away.iterdir():
        entry.write_bytes(entry.read_bytes()[:-3])
    assert Place(path, path.read_bytes(), user).program() is None


def test_a_truncated_entry_is_as_good_as_none(folder, kept):
    made = read(folder, kept)
    for entry in kept.folder.iterdir():
        entry.write_bytes(entry.read_bytes()[:-7])
    assert known(folder, kept) is None
    assert read(folder, kept) == made


def test_nothing_is_kept_where_nothing_is_to_be(folder, tmp_path):
    read(folder, Cache(None))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "main.seme",
        "used.seme",
        "words.tsv",
    ]


@pytest.mark.parametrize("more", [(), ("--engine", "network")])
def test_the_second_run_neither_reads_the_notation_nor_checks(folder, monkeypatch, more):
    monkeypatch.setenv("PROGTF_CACHE", str(folder / "cache"))
    line = [sys.executable, "-c", MODULES, "run", str(folder / "main.seme"), "dog", *more]
    first, second = (
        subprocess.run(line, capture_output=True, text=True, check=True).stdout for _ in range(2)
    )
    assert first.splitlines()[0] == second.splitlines()[0] == "dog: +a +b"
    checking = {"progtf.exact", "progtf.outcomes"}
    assert bool(checking & {*first.split()}) == bool(more)
    modules = {"lark", "progtf.notation.parser", *(checking if more else ())}
    assert modules <= {*first.split()}
    assert not modules & {*second.split()}
    assert Path(folder / "cache").is_dir()
