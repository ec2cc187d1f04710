"""Widgets without a browser: what they hold, say and answer."""

import json
import subprocess
import sys
import threading

import numpy as np
import pytest

pytest.importorskip("anywidget", reason="anywidget is not installed")

from traitlets import TraitError

import progtf
from progtf.views.page import MIMETYPE
from progtf.widgets import (
    AttentionView,
    ClockView,
    MatrixView,
    Playground,
    SemeEditor,
    StepsView,
    TrainingView,
    example,
)
from progtf.widgets.training import MOST_POINTS, read_records, thinned
from progtf.widgets.worker import Examiner, Queue

NOUNS = "article/attention_with_positions.seme"
SEMES = "pig peregrine wombat"


@pytest.fixture
def examiner():
    made = Examiner()
    yield made
    made.child.stop()


def request(text):
    return {"figure": "1", "text": text, "name": "<test>", "folder": None, "inputs": []}


@pytest.mark.parametrize("view", [Playground, AttentionView, ClockView, SemeEditor])
def test_views_take_programs_paths_and_texts_alike(view):
    path = example(NOUNS)
    shown = [view(path), view(str(path)), view(progtf.load(path))]
    assert shown[0].data == shown[1].data == shown[2].data
    assert view(path.read_text(encoding="utf-8")).data["program"]["clocks"] == [7.0, 40.0]


def test_a_text_with_errors_is_shown_with_them():
    shown = Playground("semes: a\nlexicon:\n  x: +b\n")
    assert shown.data["program"] is None
    assert [p["code"] for p in shown.data["problems"]] == ["unknown-seme"]
    with pytest.raises(progtf.SemeError):
        _ = shown.program
    assert shown.still() == ""


def test_a_panel_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="clock"):
        Playground(example(NOUNS), panels=("clock",))


def test_an_example_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="no example"):
        example("article/nothing.seme")


def test_a_widget_brings_a_still_picture_and_its_data():
    bundle, _ = Playground(example(NOUNS))._repr_mimebundle_()
    assert "<svg" in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert json.loads(json.dumps(bundle[MIMETYPE]))["kind"] == "playground"


def without_a_loop(call, *given):
    """Calls from a thread of its own: open browsers leave an event loop in this one, at rest."""
    thread = threading.Thread(target=call, args=given)
    thread.start()
    thread.join()


def test_an_edit_is_examined_beside_the_kernel():
    shown, done = Playground(example(NOUNS)), threading.Event()
    text = shown.text.replace("head colour:", "head colours:")
    shown.observe(lambda _change: done.set(), "data")
    asked = {"id": 7, "at": 1, "text": text, "input": "black dog"}
    without_a_loop(shown.set_trait, "edited", asked)
    assert done.wait(300)
    assert (shown.data["asked"], shown.data["text"], shown.data["input"]) == (7, text, "black dog")
    assert shown.data["program"]["encoder"][0]["heads"][0]["name"] == "colours"
    assert shown.data["first"] == example(NOUNS).read_text(encoding="utf-8")
    assert shown.program.name == str(example(NOUNS))


def test_an_input_alone_is_kept_and_nothing_is_examined(monkeypatch):
    shown = Playground(example(NOUNS))
    monkeypatch.setattr("progtf.widgets.figures.queue", lambda: pytest.fail("examined"))
    shown.edited = {**shown.edited, "input": "white dog"}
    assert shown.input == "white dog"


@pytest.mark.parametrize(
    "edited", [{}, {"id": "1", "at": 1, "text": "", "input": ""}, {"id": 1, "at": 1, "text": 3}]
)
def test_what_is_no_edit_is_refused(edited):
    shown = Playground(example(NOUNS))
    with pytest.raises(TraitError, match="edited has"):
        shown.edited = edited
    assert shown.text.startswith("#")


def test_the_edited_text_is_saved_to_its_file_or_to_another(tmp_path):
    file, other = tmp_path / "one.seme", tmp_path / "other.seme"
    file.write_text("semes: a\nlexicon:\n  x: +a\n")
    shown = Playground(file)
    shown.edited = {**shown.edited, "text": "semes: b\n"}
    assert [shown.save(), shown.save(other)] == [file, other]
    assert file.read_text() == other.read_text() == "semes: b\n"
    with pytest.raises(ValueError, match="no file yet"):
        Playground("semes: a\n").save()


def test_a_program_that_takes_too_long_is_given_up_and_the_next_one_is_read(examiner):
    examiner.child.patience = 0.01
    many = "semes: " + " ".join(f"s{n}" for n in range(5000))
    assert examiner.ask(request(many))["changed"]["problems"][0]["code"] == "too-slow"
    examiner.child.patience = 60
    assert [n["name"] for n in examiner.ask(request("semes: a b"))["changed"]["names"]] == [
        "a",
        "b",
    ]


def test_of_several_texts_the_newest_is_examined():
    asked, go, done, got = [], threading.Event(), threading.Event(), []

    class Slow(Examiner):
        def ask(self, request):
            asked.append(request["text"])
            go.wait(10)
            return request

    queue = Queue(Slow())
    without_a_loop(queue.submit, "one", request("first"), got.append)
    while not asked:
        pass
    without_a_loop(queue.submit, "one", request("second"), got.append)
    without_a_loop(queue.submit, "one", request("third"), lambda _found: done.set())
    go.set()
    assert done.wait(10)
    assert asked == ["first", "third"]


def test_matrix_and_notation_follow_each_other():
    shown = MatrixView("3pig>wombat, -peregrine>pig", SEMES)
    shown.hear({"type": "cell", "source": "pig", "target": "pig", "value": 2})
    assert shown.data["text"] == "2pig>pig, 3pig>wombat, -peregrine>pig"
    shown.hear({"type": "text", "text": "pig>pigg"})
    problem = shown.data["problem"]
    assert problem["headline"] == "no seme is called `pigg`"
    assert (problem["text"][problem["start"] : problem["end"]], problem["mend"]) == ("pigg", "pig")
    assert shown.text == "2pig>pig, 3pig>wombat, -peregrine>pig"
    shown.hear({"type": "text", "text": "wombat>pig"})
    assert shown.array.tolist() == progtf.matrix("wombat>pig", SEMES).tolist()


def test_vectors_and_arrays_are_shown_as_well():
    assert MatrixView("+pig -2wombat", SEMES).data["entries"] == [
        ["", "pig", 1.0],
        ["", "wombat", -2.0],
    ]
    assert MatrixView(np.eye(3), SEMES).text == "pig>pig, peregrine>peregrine, wombat>wombat"


def test_training_is_read_from_files_that_still_grow(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1, "loss": 2.0, "phase": "a"}\n{"step": 2, "loss": NaN}\n{"ste')
    assert read_records(path) == [{"step": 1.0, "loss": 2.0}, {"step": 2.0}]
    shown, news = TrainingView(path), threading.Event()
    shown.observe(lambda _change: news.set(), "data")
    path.write_text('{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 1.5}\n{"step": 3, "loss": 1}\n')
    shown.follow(seconds=300, every=0.02)
    assert news.wait(300)
    shown.stop()
    assert shown.records[-1] == {"step": 3.0, "loss": 1.0}


def test_long_trainings_are_thinned_and_keep_their_end():
    records = [{"step": float(step)} for step in range(5 * MOST_POINTS + 3)]
    shown = thinned(records)
    assert len(shown) <= MOST_POINTS
    assert shown[-1] == records[-1]
    assert thinned([]) == []


def test_written_and_learned_weights_are_compared():
    program = progtf.load(example(NOUNS))
    written, learned = progtf.compile(program), progtf.compile(program)
    shown = TrainingView([], written, learned)
    assert shown.data["count"] == 0
    weight = next(p for p in learned.network.encoder.parameters() if p.count_nonzero())
    weight.data *= 2
    assert TrainingView([], written, learned).data["count"] > 0


def test_importing_progtf_imports_neither_widgets_nor_torch():
    code = (
        "import progtf, sys; progtf.load; "
        "print({'torch', 'anywidget', 'IPython'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


CHAIN = "Let h = 63 - 66. What is h + 5?"


def test_a_chain_shows_its_steps_and_what_each_replaces():
    shown = StepsView(example("math/definitions.seme"), CHAIN, [])
    asked = shown.data["asked"]
    assert (asked["text"], asked["answer"], asked["error"]) == (CHAIN, "2", "")
    lines = ["".join(piece for piece, _ in step["pieces"]) for step in asked["steps"]]
    assert lines == [step.text for step in shown.answering.steps(CHAIN)]
    assert [step["depth"] for step in asked["steps"]] == [0, 1, 0, 0]
    assert [piece for piece, gone in asked["steps"][2]["pieces"] if gone] != []
    assert "<mark>" in shown.still()
    shown.hear({"type": "ask", "text": "What is <b>?"})
    assert "&lt;b&gt;" in shown.still()
    assert shown.data["asked"]["text"] == "What is <b>?"
    shown.hear({"type": "ask", "text": 3})
    assert shown.data["asked"]["text"] == "What is <b>?"


def test_a_chain_offers_the_first_examples_and_says_why_there_is_no_answer():
    shown = StepsView(example(NOUNS))
    assert shown.data["asked"]["text"] == shown.data["others"][0]["text"]
    shown.hear({"type": "ask", "text": "wug"})
    asked = shown.data["asked"]
    assert "is not in the lexicon" in asked["error"]
    assert asked["steps"] == [{"pieces": [("wug", False)], "depth": 0}]
