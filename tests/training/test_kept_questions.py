"""What is kept of questions answers only for the files that it was made of."""

import shutil
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from progtf.data import DataError, Order, make, open_cache
from progtf.data.growing import GrowingFile, Progress, saved_progress
from progtf.data.problem import Problem
from progtf.training import questions
from progtf.training.config import Data, RunError
from progtf.training.questions import digests_of, opened, prepare

MODULES = ["algebra__" + "x" * 70, "algebra__" + "y" * 70, "numbers__gcd", "numbers__lcm"]
TEXTS = ["What is 1?\n1\n", "What is 2?\n2\n", "What is 1?\n7\n", "Is é 3?\n3\n"]


def put(folder, module, text, split="train"):
    path = folder / split / f"{module}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def data_of(folder, modules=MODULES, **more):
    return Data(folder=folder, generate=False, splits=["train"], modules=modules, **more)


def trained_on(data):
    """What a run would be trained on."""
    prepare(data)
    cache = opened(data)
    vocabulary = questions.alphabet_of(data)
    found = {}
    for source in cache.sources:
        texts = (cache.text(source, block) for block in range(source.blocks))
        found[source.module] = "".join(vocabulary.to_text(t.characters.tobytes()) for t in texts)
    return found


def caches(folder):
    return sorted(folder.glob("*.cache"))


@pytest.fixture
def folder(tmp_path):
    for module, text in zip(MODULES, TEXTS[:2] * 2, strict=True):
        put(tmp_path, module, text)
        put(tmp_path, module, text, "interpolate")
    return tmp_path


CHANGES = st.tuples(st.sampled_from(MODULES), st.sampled_from(TEXTS))
CHOSEN = st.lists(st.sampled_from(MODULES), min_size=1, unique=True)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(CHANGES, CHOSEN), min_size=1, max_size=5))
def test_a_run_is_trained_on_the_files_as_they_are_now(folder, changes):
    """Whatever was kept before, of other texts, of other modules, whose names begin alike."""
    for (module, text), chosen in changes:
        put(folder, module, text)
        due = {
            each: (folder / "train" / f"{each}.txt").read_text(encoding="utf-8").replace("\n", "")
            for each in chosen
        }
        assert trained_on(data_of(folder, sorted(chosen))) == due


def test_two_runs_with_long_lists_of_modules_keep_two_caches(folder):
    one, other = MODULES[:3], [*MODULES[:2], MODULES[3]]
    for modules in (one, other, one):
        assert {*trained_on(data_of(folder, modules))} == {*modules}
    assert len(caches(folder)) == 2


def test_of_files_that_have_changed_nothing_is_kept(folder):
    trained_on(data_of(folder))
    put(folder, MODULES[0], "What is 5?\n5\n")
    trained_on(data_of(folder))
    assert len(caches(folder)) == 1


@pytest.mark.parametrize("place", range(0, 2000, 37))
def test_a_bit_of_a_cache_that_flips_is_noticed_and_it_is_made_anew(folder, place):
    data = data_of(folder)
    due = trained_on(data)
    (path,) = caches(folder)
    held = bytearray(path.read_bytes())
    held[place % len(held)] ^= 1 << place % 8
    path.write_bytes(held)
    with pytest.raises(DataError, match=r"damaged|cut short|not a progtf cache"):
        read_all(open_cache(path))
    assert trained_on(data) == due


def read_all(cache):
    return [cache.text(source, block) for source in cache.sources for block in range(source.blocks)]


def test_a_cache_of_other_files_under_the_same_name_is_made_anew(folder):
    one, other = (data_of(folder, [module]) for module in MODULES[2:])
    due = trained_on(one)
    first = set(caches(folder))
    trained_on(other)
    (theirs,) = {*caches(folder)} - first
    (mine,) = first
    shutil.copy(theirs, mine)
    with pytest.raises(RunError, match="was made of others"):
        opened(one)
    assert trained_on(one) == due


def test_questions_that_change_while_they_are_read_are_not_kept(folder, monkeypatch):
    usual = questions.build_cache

    def slow(path, files, report, made_of):
        put(folder, MODULES[0], "What is 9?\n9\n")
        usual(path, files, report, made_of)

    with monkeypatch.context() as patched:
        patched.setattr(questions, "build_cache", slow)
        with pytest.raises(RunError, match="changed while they were read"):
            prepare(data_of(folder))
    assert not caches(folder)
    assert trained_on(data_of(folder))[MODULES[0]] == "What is 9?9"


@pytest.mark.parametrize("split", ["train", "interpolate", "extrapolate"])
@pytest.mark.parametrize("text", [*TEXTS[2:], "What is 1?\n1\nWhat is 1?\n1\n"])
def test_every_split_has_a_digest_of_its_own(folder, split, text):
    put(folder, MODULES[2], TEXTS[1], "extrapolate")
    before = digests_of(data_of(folder))
    put(folder, MODULES[2], text, split)
    after = digests_of(data_of(folder))
    changed = {each for each in before if before[each] != after[each]}
    assert changed == ({split, "train"} if "é" in text else {split})  # a symbol more for all


def test_a_file_that_was_unpacked_and_has_another_bit_is_unpacked_again(folder):
    for module in ("numbers__gcd", "numbers__lcm"):
        put(folder / "m", module, "What is 1?\n1\n", "train-easy")
        put(folder / "m", module, "What is 1?\n1\n", "interpolate")
    with tarfile.open(folder / "m.tar.gz", "w:gz") as archive:
        archive.add(folder / "m", "m")
    data = Data(folder=folder / "m.tar.gz", generate=False, splits=["train-easy"], modules=["*"])
    due = trained_on(data)
    inside = folder / "m.tar.gz.unpacked"
    for spoil in (
        lambda path: path.write_text("What is 1?\n3\n"),
        lambda path: path.unlink(),
        lambda path: path.with_name("numbers__is_prime.txt").write_text("Is 7 prime?\nTrue\n"),
    ):
        spoil(inside / "train-easy" / "numbers__gcd.txt")
        assert trained_on(data) == due


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("made")
    make(Order(out, ("interpolate", "train-easy"), ("numbers__gcd",), 20, 1), cores=1)
    return out


@pytest.mark.parametrize("split", ["interpolate", "train-easy"])
def test_generated_questions_that_were_changed_are_refused_and_made_again(made, split, tmp_path):
    shutil.copytree(made, tmp_path / "made")
    order = Order(tmp_path / "made", ("interpolate", "train-easy"), ("numbers__gcd",), 20, 1)
    path = order.out / split / "numbers__gcd.txt"
    held = path.read_bytes()
    path.write_bytes(held.replace(b"1", b"2", 1))
    with pytest.raises(DataError, match="this is not what was made") as told:
        make(order, cores=1)
    assert "delete it" in told.value.help
    path.unlink()
    make(order, cores=1)
    assert path.read_bytes() == held


def test_questions_of_another_seed_are_no_others_cache(tmp_path):
    """All but the cache is deleted, and made again from another seed."""
    first = Data(
        folder=tmp_path, modules=["numbers__gcd"], splits=["train-easy"], questions=20, test=5
    )
    before = trained_on(first)
    for path in (*tmp_path.rglob("*.txt"), tmp_path / "made.json"):
        path.unlink()
    assert trained_on(first.model_copy(update={"seed": 2})) != before


def leave_half(path):
    with GrowingFile(path) as file:
        file.add([Problem("What is 1?", "1"), Problem("What is 2?", "2")])
        raise KeyboardInterrupt


@pytest.mark.parametrize("place", range(0, 1600, 23))
def test_a_half_made_file_with_another_bit_is_begun_anew(tmp_path, place):
    path = tmp_path / "train-easy" / "numbers__gcd.txt"
    with pytest.raises(KeyboardInterrupt):
        leave_half(path)
    assert saved_progress(path).problems == 2
    for each in (path.with_name("numbers__gcd.txt.part"), Path(f"{path}.progress")):
        held = each.read_bytes()
        other = bytearray(held)
        other[place // 8 % len(held)] ^= 1 << place % 8
        each.write_bytes(other)
        assert saved_progress(path) == Progress()
        each.write_bytes(held)
