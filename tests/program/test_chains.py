"""Programs that ask again what they wrote: every engine takes the same steps to the same end."""

import pickle

import pytest

import progtf
from progtf.building.load import flat_program
from progtf.network.model import Model
from progtf.program.chains import replaced
from progtf.program.changes import set_to, value_at
from progtf.program.interface import interface_of
from progtf.reference import Reference
from progtf.running.interpret import Interpreter
from progtf.weights.changes import entries_of
from progtf.weights.lower import lower

BRACKETS = """
model:
  tokens: chars
  again: up to 4
semes: open close gone
lexicon:
  "(": +open
  ")": +close
  ".": 0
layer meet:
  head next:
    at: +1
    copy: close as next
  head before:
    at: -1
    copy: open as before
  feedforward:
    gone: open & next.close | close & before.open
output:
  "(": open
  ")": close
  ".": 0.5
  <again>: 2gone
examples:
  "(()())." -> "."
  "(()." -> "(."
"""
COUNTDOWN = """
model:
  kind: seq2seq
  length: 3 -> 3
  again: up to 6
semes:
  val: 0..9
  digit begin asked more
  given: 0..9
  due: 0..9
lexicon:
  for d in 0..9:
    "{d}": +{d}val +digit
  <bos>: +begin
  <eos>: 0
  <again>: +asked
decoder:
  layer read:
    head number:
      from: encoder
      where: digit
      value: val>given
  layer count:
    feedforward:
      due: given - 1 when begin
      more: digit & given >= 2
output:
  classify due in 0..9
  <again>: 100more - 1
  <eos>: 90digit + 90asked - 1
examples:
  5 -> 0
"""
# `w` between two `x` has b twice, and a rule takes it for a flag; the first step makes `x` of `y`.
BREAKS = """
model:
  again: up to 9
semes: a b c z p
lexicon:
  x: +a
  y: +p
  w: +z
  g: 0
layer:
  head before:
    at: -1
    value: a>b
  head after:
    at: +1
    value: a>b
layer:
  feedforward:
    c: b & z
output:
  x: a + p
  w: z + c
  <again>: 0.5
"""
STEPS = {
    BRACKETS: ["(()()).", "(()(.", ".", "((()))."],
    COUNTDOWN: ["5", "1", "3"],
}
CASES = [
    pytest.param(text, id=name) for name, text in (("brackets", BRACKETS), ("down", COUNTDOWN))
]


def program_of(text):
    return progtf.parse_program(text, "chain.seme")


def texts_of(steps):
    return [step.text for step in steps] + [steps[-1].answer.text]


def everyone(text):
    """All that answer for a program."""
    program = program_of(text)
    yield "numpy", Interpreter(program, native=False)
    yield "reference", Reference(flat_program(text, "chain.seme", None), interface_of(program))
    for dtype in ("float64", "float32"):
        yield dtype, progtf.compile(program, dtype)


@pytest.mark.parametrize("text", CASES)
def test_every_engine_takes_the_same_steps(text):
    due = [texts_of(Interpreter(program_of(text)).steps(each)) for each in STEPS[text]]
    assert max(map(len, due)) > 3
    for who, answering in everyone(text):
        assert [texts_of(answering.steps(each)) for each in STEPS[text]] == due, who
        assert answering.run(STEPS[text]) == [steps[-1] for steps in due], who


def test_the_steps_are_these():
    steps = progtf.interpret(program_of(COUNTDOWN)).steps("3")
    assert texts_of(steps) == ["3", "2", "1", "0"]
    assert [step.answer.again for step in steps] == [True, True, False]
    steps = progtf.interpret(program_of(BRACKETS)).steps("(()()).")
    assert texts_of(steps) == ["(()()).", "().", ".", "."]


def test_a_program_that_is_asked_once_has_one_step():
    program = program_of("semes: a\nlexicon:\n  x: +a\n")
    (step,) = progtf.interpret(program).steps("x x")
    assert step.text == "x x"
    assert step.answer.text == "x: +a | x: +a"
    assert not step.answer.again
    assert not step.answer.steps


def test_chains_of_a_list_run_side_by_side(monkeypatch):
    model, asked = progtf.compile(program_of(COUNTDOWN)), []
    once = model._once
    monkeypatch.setattr(
        Model, "_once", lambda _, inputs, **more: asked.append(len(inputs)) or once(inputs, **more)
    )
    assert model.run(["1", "5", "2", "3"]) == ["0"] * 4
    assert asked == [4, 3, 2, 1, 1]


@pytest.mark.parametrize("text", CASES)
def test_who_fills_one_step_with_zeros_spoils_the_chain(text, monkeypatch):
    program = program_of(text)
    model, weights = progtf.compile(program), lower(program)
    zero = Model(
        weights.with_maps(
            each.with_entries(dict.fromkeys(each.entries, 0.0)) for each in weights.maps.values()
        )
    )
    assert not any(entries_of(zero.weights).values())
    asked = STEPS[text][0]
    due = model.steps(asked)
    assert len(due) > 2
    once = Model._once
    for spoiled in range(1, len(due) + 1):
        number = iter(range(1, 100))

        def spoil(self, inputs, number=number, spoiled=spoiled, **more):
            return once(zero if next(number) == spoiled else self, inputs, **more)

        monkeypatch.setattr(Model, "_once", spoil)
        (found,) = model.try_answers([asked])
        monkeypatch.setattr(Model, "_once", once)
        if not isinstance(found, progtf.InputError):
            assert found.text != due[-1].answer.text
        steps = found.answer.steps if isinstance(found, progtf.EndlessError) else found.steps
        assert len(steps) <= spoiled + 1


def test_a_chain_that_is_too_long_is_refused_by_name():
    for who, answering in everyone(COUNTDOWN):
        with pytest.raises(progtf.EndlessError, match=r"^again: not done after 6 steps$") as found:
            answering.run("9")
        assert texts_of(found.value.answer.steps) == ["9", "8", "7", "6", "5", "4", "3"], who
        assert answering.run("6") == "0", who


def test_a_step_that_cannot_be_read_is_named():
    for who, answering in everyone(BRACKETS):
        good, wrong = answering.try_answers(["().", "()"])
        assert good.text == "."
        assert isinstance(wrong, progtf.ChainError), who
        assert str(wrong) == "step 2: the input is empty"
        assert texts_of(wrong.steps) == ["()", ""]
        again = pickle.loads(pickle.dumps(wrong))
        assert (str(again), texts_of(again.steps)) == (str(wrong), texts_of(wrong.steps))
    with pytest.raises(progtf.ChainError, match=r"^input 2: step 2: the input is empty$"):
        progtf.interpret(program_of(BRACKETS)).run(["().", "()"])


def test_a_promise_that_a_step_breaks_is_named_with_the_step():
    meant = progtf.interpret(program_of(BREAKS))
    (kept, broken) = meant.answers(["y y", "g y w y"])
    assert (kept.text, kept.broken, kept.outcome.exact) == ("x x", (), True)
    assert texts_of(broken.steps) == ["g y w y", "x w x", "x w x"]
    assert [each.step for each in broken.broken] == [2]
    assert not broken.steps[0].answer.broken
    assert "step 2: `b` is 2 at token 2" in str(broken.outcome)
    with pytest.raises(progtf.NotExactError, match="step 2: `b` is 2"):
        meant.run("g y w y", strict=True)
    assert meant.run("y y", strict=True) == "x x"


def test_what_is_assumed_is_held_against_the_text_of_every_step():
    model = progtf.compile(program_of(BREAKS))
    assert model.outcome.exact
    assert model.outcome.assumptions
    (good, wrong) = model.answers(["y y", "g y w y"])
    assert good.outcome.exact
    assert not wrong.outcome.exact
    assert "step 2: " in str(wrong.outcome)
    with pytest.raises(progtf.NotExactError, match="step 2: "):
        model.run("g y w y", strict=True)


def test_a_change_is_made_in_every_step():
    program, asked = program_of(BRACKETS), "((.))."
    patch = {"encoder.meet": {"gone": set_to(0)}}
    for answering in (progtf.interpret(program), progtf.compile(program)):
        patched = answering.patch(patch)
        assert texts_of(patched.steps("(())."))[-1] == "(())."
        later = answering.patch({"encoder.meet": {"gone": value_at(4, 0)}})
        assert later.run(asked) == "((.))."
        found = later.try_answers(["(()).", "()."])
        assert [str(each) for each in found] == [
            "step 2: encoder.meet.gone@4: the text has 3 tokens, the first is 0",
            "encoder.meet.gone@4: the text has 3 tokens, the first is 0",
        ]


def test_a_trace_is_of_one_step():
    for text in (BRACKETS, COUNTDOWN):
        program, asked = program_of(text), STEPS[text][0]
        found = progtf.compile(program).trace(asked)
        labels = [(step.stack, step.label, step.tokens) for step in found]
        if text == COUNTDOWN:
            assert labels[-1] == ("decoder", "count", ("<bos>", "4", "<again>"))
        else:
            assert labels[-1] == ("encoder", "meet", tuple(asked))


def test_folders_and_decompiled_text_keep_it(tmp_path):
    program = program_of(COUNTDOWN)
    model = progtf.compile(program)
    progtf.save_model(model, tmp_path / "model")
    loaded = progtf.load_model(tmp_path / "model")
    assert texts_of(loaded.steps("3")) == ["3", "2", "1", "0"]
    text = progtf.decompile(loaded)
    assert "\n  again: up to 6\n" in text
    assert texts_of(progtf.interpret(program_of(text)).steps("3")) == ["3", "2", "1", "0"]


def test_marks_stand_under_whole_words():
    assert replaced("Let h = 10 + 13.", "Let h = 23.") == ((8, 15),)
    assert replaced("a b", "a b") == ()
    assert replaced("a b c", "b c") == ((0, 2),)
