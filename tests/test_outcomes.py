"""No answer without its outcome: what is proven, in which format, and of which weights."""

import json
import pickle
from dataclasses import replace

import pytest
import torch

import progtf
from progtf import outcomes
from progtf.cache import Cache
from progtf.exact import Report
from progtf.notation.diagnostics import Diagnostic, Source, Span
from progtf.program.outcome import Outcome, Proof
from tests.exact import wrong

SMALL = """\
semes: a b
lexicon:
  x: +a
  unknown: 0
layer one:
  feedforward:
    b: a
"""
LARGE = """\
semes:
  total: 0..20000000
  many
lexicon:
  x: +20000000total
  y: +19999999total
  unknown: 0
layer one:
  feedforward:
    many when total >= 20000000
"""
HYBRID = SMALL + "learn:\n  semes: 4\n  reads: a, b\n  encoder: layers 1..1 heads 1 filter 8\n"


@pytest.fixture
def kept(tmp_path):
    return Cache(tmp_path)


@pytest.fixture
def checked(monkeypatch):
    """Every check that is made: its format; and what it comes to, unless it is to be itself."""
    made: list[str] = []
    report: dict[str, Report] = {}
    itself = outcomes.check

    def noted(program, dtype="float32", length=None, *, whole=True):
        made.append(dtype)
        return report.get(dtype) or itself(program, dtype, length, whole=whole)

    monkeypatch.setattr(outcomes, "check", noted)
    noted.made, noted.report = made, report
    return noted


def unproven(dtype):
    place = Span(Source("here/there.seme", "x"), 1, 0, 1)
    problem = Diagnostic("threshold-margin", "it could be anything", place)
    return Report(dtype, 8, unproven=[problem])


def small():
    return progtf.parse_program(SMALL)


def test_a_program_that_is_exact_in_float32_runs_in_float32():
    model = progtf.compile(small())
    assert model.weights.dtype == "float32"
    assert model.outcome == Outcome("exact", "float32")
    assert model.answers(["x"])[0].outcome == model.outcome


def test_a_program_that_is_exact_in_float64_alone_runs_in_float64():
    model = progtf.compile(progtf.parse_program(LARGE))
    assert model.outcome == Outcome("exact", "float64")
    assert ["many" in said for said in model.run(["x", "y"], strict=True)] == [True, False]


def test_where_nothing_is_derived_float64_answers_and_says_so(checked):
    checked.report |= {dtype: unproven(dtype) for dtype in ("float32", "float64")}
    model = progtf.compile(replace(small(), name="nothing"))
    assert (model.weights.dtype, checked.made) == ("float64", ["float32", "float64"])
    assert model.outcome.verdict == "not proven"
    assert model.outcome.problems == ("it could be anything (there.seme:1)",)
    assert model.run("x") == "x: +a +b"
    with pytest.raises(progtf.NotExactError, match=r"not proven.*float64.*there\.seme:1"):
        model.run("x", strict=True)


def test_what_is_refused_in_both_formats_is_told_as_refused():
    answer = progtf.compile(progtf.parse_program(wrong.SHARPNESS_TOO_LOW)).answers(["red dog"])[0]
    assert (answer.outcome.verdict, answer.outcome.dtype) == ("not exact", "float64")


def test_a_format_that_is_named_is_kept_and_checked_when_somebody_asks(checked):
    model = progtf.compile(replace(small(), name="named"), "bfloat16")
    answer = model.answers(["x"])[0]
    assert checked.made == []
    assert answer.outcome == Outcome("exact", "bfloat16")
    assert model.outcome == progtf.lower(model_program(), "bfloat16").outcome
    assert checked.made == ["bfloat16"]


def model_program():
    return replace(small(), name="named")


def test_a_hybrid_stays_in_float32_and_says_that_it_is_learned():
    model = progtf.compile(progtf.parse_program(HYBRID))
    assert (model.outcome.verdict, model.outcome.dtype) == ("learned", "float32")
    with pytest.raises(progtf.NotExactError, match="learned"):
        model.run("x", strict=True)


def test_the_interpreter_answers_by_meaning():
    answer = progtf.interpret(small()).answers(["x"], strict=True)[0]
    assert answer.outcome == Outcome("by meaning", "float64")


# ------------------------------------------------------------------------ remembered


def test_whether_equal_parts_are_one_object_is_in_no_key():
    program = progtf.load("examples/attention/tallest.seme")
    copied = {name.encode().decode(): place for name, place in program.places.items()}
    assert all(one is not other for one, other in zip(copied, program.places, strict=True))
    one, other = (
        outcomes.Question(each, Cache(None)) for each in (program, replace(program, places=copied))
    )
    assert one.key("float32") == other.key("float32")


def test_an_outcome_is_found_once_and_remembered_by_content(checked, kept, tmp_path):
    first = outcomes.proven(small(), kept=kept).outcome
    (tmp_path / "other").mkdir()
    (tmp_path / "other/<text>").write_text(SMALL)
    again = outcomes.proven(progtf.load(tmp_path / "other/<text>"), kept=kept).outcome
    assert (first, checked.made) == (again, ["float32"])
    other = progtf.parse_program(SMALL.replace("b: a", "b: a & a"))
    outcomes.proven(other, kept=kept)
    outcomes.proven(small(), "float64", kept).outcome  # noqa: B018  asked for
    assert checked.made == ["float32", "float32", "float64"]


@pytest.mark.parametrize("change", [{"lengths": (9, 9)}, {"norm": "layer"}, {"name": "other"}])
def test_a_program_that_was_changed_is_another_one(change):
    one, other = (outcomes.Question(p, Cache(None)) for p in (small(), replace(small(), **change)))
    assert one.key("float32") != other.key("float32")
    assert one.key("float32") != one.key("float64")


def test_what_was_asked_of_a_program_does_not_make_it_another_one():
    program = progtf.load("examples/attention/tallest.seme")
    before = outcomes.Question(program, Cache(None)).key("float32")
    progtf.compile(program).run([example.input for example in program.examples])
    progtf.interpret(program).run(program.examples[0].input)
    assert outcomes.Question(program, Cache(None)).key("float32") == before


def test_another_version_of_the_library_asks_again(checked, kept, monkeypatch):
    outcomes.proven(small(), kept=kept)
    monkeypatch.setattr(outcomes, "library", lambda: "another")
    outcomes.proven(small(), kept=kept)
    assert checked.made == ["float32", "float32"]


@pytest.mark.parametrize("held", [b"", b"{}", b'{"verdict": "sure", "dtype": "float32"}', b"\xff"])
def test_an_entry_that_is_no_outcome_is_found_out_anew(checked, kept, held):
    question = outcomes.Question(small(), kept)
    kept.write(question.key("float32"), held)
    assert outcomes.proven(small(), kept=kept).outcome.exact
    assert json.loads(kept.read(question.key("float32")))["verdict"] == "exact"
    assert checked.made == ["float32"]


def test_a_folder_has_the_outcome_of_the_weights_that_it_has(tmp_path):
    model = progtf.compile(progtf.parse_program(LARGE))
    progtf.save_model(model, tmp_path)
    again = progtf.load_model(tmp_path)
    assert again.outcome == again.answers(["x"])[0].outcome == Outcome("exact", "float64")
    add_in_place(again)
    progtf.save_model(again, tmp_path)
    assert progtf.load_model(tmp_path).outcome.verdict == "not checked"
    progtf.save_model(small(), tmp_path)
    assert progtf.load_model(tmp_path).outcome == Outcome("exact", "float32")


# ------------------------------------------------------------------------ changed weights


def add_in_place(model):
    with torch.no_grad():
        model.network.embedding.vectors += 1


def add_to_data(model):
    model.network.embedding.vectors.data[0, 0] += 1


def change_a_buffer(model):
    model.network.embedding.hands.data[:] = 0


CHANGES = [add_in_place, add_to_data, torch.nn.Module.half, torch.nn.Module.bfloat16]


@pytest.mark.parametrize("change", CHANGES)
def test_weights_that_were_changed_have_no_proof(change, tmp_path):
    model = progtf.compile(small())
    before = model.answers(["x"])[0]
    assert model.outcome.exact
    change(model)
    assert (model.outcome.verdict, before.outcome.verdict) == ("not checked", "exact")
    assert model.answers(["x"])[0].outcome.verdict == "not checked"


def test_hands_of_clocks_count_as_weights():
    model = progtf.compile(progtf.load("examples/article/attention_with_positions.seme"))
    assert model.outcome.exact
    change_a_buffer(model)
    assert not model.outcome.exact


def test_an_answer_knows_that_a_hook_could_have_changed_it():
    model = progtf.compile(small())
    hook = model.network.encoder.blocks[0].register_forward_hook(lambda *_: None)
    answer = model.answers(["x"])[0]
    hook.remove()
    assert (answer.outcome.verdict, model.outcome.verdict) == ("not checked", "exact")


def test_an_answer_of_weights_that_were_changed_and_changed_back_has_no_proof():
    model = progtf.compile(small())
    add_in_place(model)
    answer = model.answers(["x"])[0]
    with torch.no_grad():
        model.network.embedding.vectors -= 1
    assert (answer.outcome.verdict, model.outcome.verdict) == ("not checked", "exact")


def test_other_weights_made_of_proven_ones_have_no_proof():
    weights = progtf.lower(small())
    name = next(iter(weights))
    entry = next(iter(weights[name].entries))
    others = (
        weights.with_entries({name: {entry: 2.0}}),
        weights.with_learned({}),
        weights.stored_as("float64"),
        replace(weights),
    )
    assert weights.outcome.exact
    assert [other.outcome.verdict for other in others] == ["not checked"] * 4
    assert weights.stored_as("float32").outcome.exact


@pytest.mark.parametrize(
    "name", ["article/sentiment", "math/place_value", "language/grammaticality"]
)
def test_answering_changes_nothing(name):
    program = progtf.load(f"examples/{name}.seme")
    model = progtf.compile(program, "float32")
    proven = Proof.of(Outcome("exact", "float32"))
    model = progtf.compile(model.weights.proven(proven))
    answers = model.answers([example.input for example in program.examples])
    assert all(answer.outcome.exact for answer in answers)
    assert model.weights.outcome.exact


def test_an_answer_that_is_sent_to_another_process_keeps_its_outcome():
    answer = progtf.compile(small(), "float64").answers(["x"])[0]
    assert pickle.loads(pickle.dumps(answer)).outcome == Outcome("exact", "float64")
