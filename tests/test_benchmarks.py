"""The page of figures: made of what benchmarks find, kept, and compared with the last time."""

import ast
import json
import math
import random
import sys
from itertools import islice, pairwise
from pathlib import Path
from types import ModuleType

import pytest

import progtf
from benchmarks import __main__ as page
from benchmarks import (
    bench_answers,
    bench_engine,
    bench_loading,
    bench_loops,
    bench_notation,
    checkouts,
    rv32,
    subleq,
)
from benchmarks.experiments.plan import ALL
from benchmarks.experiments.records import records
from benchmarks.figures import ROOT, Figure, Missing, keep, past
from benchmarks.mutants import mutants
from progtf.nn.loops import Loop
from tests.programs import MATH, loaded


@pytest.fixture
def quick(monkeypatch):
    """A benchmark that finds something at once, and one that needs what is not here."""

    def part():
        yield Figure("half", 0.5, "x", "the whole")
        yield Missing("no cats here")

    words = [Figure("words", 1234.5, "a second")]
    for name, figures in (("quick", lambda: words), ("cats", part)):
        module = ModuleType(f"benchmarks.bench_{name}")
        module.figures = figures
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(page, "names", lambda: ["cats", "quick"])


def test_the_page_has_every_figure_and_goes_on_where_something_is_missing(quick, tmp_path, capsys):
    history = tmp_path / "history.jsonl"
    page.main(history=history)
    said = capsys.readouterr()
    assert "quick: words" in said.out
    assert "cats: not measured: no cats here" in said.out
    assert "cats ..." in said.err
    kept = [json.loads(line) for line in history.read_text().splitlines()]
    assert [line["name"] for line in kept] == ["cats: half", "quick: words"]
    assert kept[0].keys() == {
        "date", "commit", "cores", "machine", "versions",
        "name", "value", "unit", "against", "seed",
    }  # fmt: skip


def test_a_figure_stands_beside_the_last_one_and_the_change(quick, tmp_path, capsys):
    history = tmp_path / "history.jsonl"
    for value in (7, 1000):
        keep([Figure("quick: words", value, "a second")], history)
    assert past(history) == {"quick: words": 1000}
    page.main(["quick"], history=history)
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "words" in line)
    assert line.split() == ["quick:", "words", "1,234", "a", "second", "1,000", "+23%"]


def test_a_wrong_name_is_told_with_those_there_are(quick, tmp_path):
    with pytest.raises(SystemExit, match="no benchmark is called 'quik'; there are cats, quick"):
        page.main(["quik"], history=tmp_path / "history.jsonl")


def test_what_takes_long_waits_until_it_is_named(quick, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys.modules["benchmarks.bench_quick"], "LONG", True, raising=False)
    page.main(history=tmp_path / "history.jsonl")
    assert "quick: not measured: it takes long" in capsys.readouterr().out
    page.main(["quick"], history=tmp_path / "history.jsonl")
    assert "not measured" not in capsys.readouterr().out


def test_a_real_benchmark_gives_its_figures(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench_notation, "SIZES", (20, 40))
    monkeypatch.setattr(bench_notation, "QUOTES", (2000, 4000))
    page.main(["notation"], history=tmp_path / "history.jsonl")
    assert past(tmp_path / "history.jsonl").keys() == {
        "notation: 20 lexicon lines",
        "notation: 40 lexicon lines",
        "notation: 4,000 quotes",
    }
    assert "notation: 4,000 quotes" in capsys.readouterr().out


def test_every_math_program_is_asked_questions():
    asked = {*bench_answers.MODULES, *bench_answers.LATER, "all"}
    by_chains = {"definitions", "derivative"}  # they answer no module by themselves
    assert asked | by_chains == {path.stem for path in MATH.glob("*.seme")}


def test_a_loop_without_an_end_takes_all_rounds():
    model = bench_loops.without_end(progtf.compile(loaded(MATH / "div_remainder.seme")))
    (loop,) = (module for module in model.modules() if isinstance(module, Loop))
    turns, once = [], loop._once
    vars(loop)["_once"] = lambda *given, **more: turns.append(0) or once(*given, **more)
    assert model.run("What is the remainder when 7 is divided by 4?") == "3"
    assert len(turns) == loop.most


def test_a_report_tells_of_all_seeds_that_are_kept():
    runs = {arm.name: set(some) for arm, some in records(ALL[0]).items()}
    assert runs["off"] >= {1, 2, 3} <= runs["hybrid"]


def test_edits_are_the_same_for_both_states_change_a_line_each_and_stay_close_to_the_text():
    text = bench_loading.EDITED["edits"].read_text(encoding="utf-8")
    texts = [text, *bench_loading.edited(text, 200, random.Random(1))]
    assert texts[1:] == [*bench_loading.edited(text, 200, random.Random(1))]
    assert len(texts) == 201
    assert max(_lines_apart(text, each) for each in texts) <= bench_loading.MOST_AT_ONCE
    assert {_lines_apart(*pair) for pair in pairwise(texts)} == {1}
    taken_back = sum(one == other for one, other in zip(texts, texts[2:], strict=False))
    assert 50 <= taken_back <= 120  # a third of them; by the seed between 61 and 72
    assert {len(each) - len(text) for each in texts} >= {0, 1}  # a digit more is a coefficient


def _lines_apart(one, other):
    pairs = zip(one.splitlines(), other.splitlines(), strict=True)
    return sum(mine != theirs for mine, theirs in pairs)


def test_what_is_measured_of_loading_can_be_measured_of_two_states(tmp_path):
    assert checkouts.LOADS == bench_loading.NAMES
    out = tmp_path / "found.json"
    checkouts.main(["--before", str(ROOT), "--rounds", "1", "--only", "edits", "--edits", "3",
                    "--json", str(out)])  # fmt: skip
    found = json.loads(out.read_text())
    right = found["edits: right, of 3"]
    assert right["before"] == right["after"]
    assert {"edits: p50, ms", "edits: p95, ms", "edits: opened, ms"} <= found.keys()
    assert all(len(row["before"]) == len(row["after"]) == 1 for row in found.values())


def test_figures_of_loading_are_medians_of_processes(monkeypatch):
    asked = []

    def values_of(name, *_given):
        asked.append(name)
        return {"load, s": asked.count(name), "heads": 7} if name == "load" else {"calls": 9}

    monkeypatch.setattr(checkouts, "values_of", values_of)
    found = {each.name: (each.value, each.unit) for each in bench_loading.figures()}
    assert found["load: load"] == (3, "s")
    assert found["load: heads"] == (7, "")
    assert found["calls: calls"] == (9, "")
    assert asked[0] == "run"  # so that Python compiles before anything is timed


@pytest.mark.parametrize("turns", [(3,), (2, 1), (1, 3, 2)])
def test_a_nest_runs_as_told_and_its_trace_is_what_the_program_means(turns):
    memory = subleq.nest(turns)
    trace = [*subleq.trace(memory)]
    assert len(trace) == subleq.WIDTH * subleq.instructions(turns) + 1
    assert subleq.turned(turns, trace) == math.prod(turns)
    assert progtf.interpret(bench_engine.PROGRAM).run(subleq.text(memory)).split() == trace


def test_random_words_behind_a_nest_change_nothing():
    memory = bench_engine.MEMORIES[1].of((2, 3))
    assert len(memory) == bench_engine.WORDS
    assert [*subleq.trace(memory)][::3] == [*subleq.trace(subleq.nest((2, 3)))][::3]


def test_figures_of_engines_are_rates_and_ratios_and_say_what_is_wrong(monkeypatch):
    monkeypatch.setattr(bench_engine, "LAP", 5)
    monkeypatch.setattr(bench_engine, "LAPS", 2)
    right = bench_engine.Runner(bench_engine.ENGINE, "promised", _traced)
    wrong = bench_engine.Runner(
        bench_engine.NUMPY, "nothing", lambda text: islice(_traced(text), 7)
    )
    memory, count = bench_engine.MEMORIES[0], 300
    found = [*bench_engine.few(memory, [right, wrong])]
    found += bench_engine.many("300 tokens", [bench_engine.Ours(right, memory, count)])
    assert len({each.name for each in found}) == len(found) == 9
    told = {each.name: each.against for each in found}
    assert told["loops, 304 tokens: the engine in C, tokens"] == "promised"
    assert told["loops, 304 tokens: numpy, tokens"] == "nothing; WRONG from token 8 on"
    values = {each.name.removeprefix("300 tokens: the engine in C, "): each for each in found}
    assert values["tokens"].value == pytest.approx(3 * values["instructions"].value)
    assert values["turns"].value < values["instructions"].value


def _traced(text):
    return subleq.trace([int(word) for word in text.split()[:-1]])


def test_a_run_is_timed_lap_by_lap(monkeypatch):
    seconds = iter([0, 1, 3, 6])
    monkeypatch.setattr(bench_engine, "LAP", 2)
    monkeypatch.setattr(bench_engine, "process_time", lambda: next(seconds))
    tokens = iter("abcdefgh")
    assert bench_engine.laps(tokens, 6) == [1, 2, 3]
    assert next(tokens) == "g"


def test_the_other_nest_turns_as_often():
    for turns in ((3,), (3, 2, 2)):
        trace = [*rv32.trace(turns)]
        assert len(trace) % rv32.WIDTH == 1
        assert rv32.turned(turns, trace) == math.prod(turns)


def test_firebrands_computer_writes_what_is_right():
    pytest.importorskip("firebrand")
    turns, memory = (3, 2, 2), bench_engine.MEMORIES[1]
    trace = [*rv32.trace(turns)]
    computer = rv32.Computer(turns, len(trace), memory.words, random.Random(1))
    assert computer.write(len(trace)) == trace


def test_a_peer_of_another_version_is_left_out_with_what_to_do(monkeypatch):
    monkeypatch.setattr(bench_engine, "version", lambda _: "0.0.2")
    assert bench_engine.no_peer() == Missing("firebrand is 0.0.2: pip install firebrand==0.0.1")


def test_mistakes_put_into_the_kernel_are_programs_and_each_is_another():
    file = Path("progtf", "exact", "kernel", "curves.py")
    right = ast.unparse(ast.parse((ROOT / file).read_text(encoding="utf-8")))
    found = [*mutants(file)]
    assert len(found) > 20
    assert len({each.source for each in found} | {right}) == len(found) + 1
    assert {each.file for each in found} == {file}
    for each in found:
        compile(each.source, str(file), "exec")
        assert each.before != each.after
