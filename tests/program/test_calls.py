"""Programs that ask questions: a text waits for the answer, and is asked again with it."""

import pickle
from dataclasses import replace

import pytest

import progtf
from progtf.network.model import Model
from progtf.program.chains import followers
from progtf.program.holes import puts
from progtf.running.interpret import Interpreter
from progtf.weights.changes import contrasts, entries_of
from progtf.weights.folder import FolderError
from progtf.weights.lower import lower
from tests.program.test_chains import everyone, program_of

FIBONACCI = """
model:
  kind: seq2seq
  length: 5 -> 3
  again: up to 60
  ask: "{answer} {text}"

semes:
  val: 0..8
  digit begin end asked
  n: 0..8
  last: 0..8
  first: 0..8
  one two leaf left right both
  due: 0..16
  said: 0..16
  say: 0..16
  asks more

lexicon:
  for d in 0..8:
    "{d}": +{d}val +digit
  <bos>: +begin
  <eos>: +end
  <ask>: +asked

encoder:
  layer read:
    head number:
      at: -1
      value: val>n
    head last:
      at: -2
      value: val>last, digit>one
    head first:
      at: -3
      value: val>first, digit>two
  layer plan:
    feedforward:
      leaf: end & n < 2
      left: end & n >= 2 & !one
      right: end & n >= 2 & one & !two
      both: end & two
  layer count:
    feedforward:
      due: n when leaf
      due: n - 1 when left
      due: n - 2 when right
      due: first + last when both

decoder:
  layer hear:
    head said:
      from: encoder
      where: end
      value: due>said, left>asks, right>asks
    feedforward:
      say: said when begin
      more: digit & asks

output:
  classify say in 0..8
  <ask>: 4more - 1
  <eos>: 2digit + 2asked - 1

examples:
  0 -> 0
  6 -> 8
"""
NOTS = """
model:
  again: up to 9
  ask: "{answer} {text}"
semes: not no yes word truth more behind said drop ask says_no says_yes
lexicon:
  not: +not +word
  no: +no +word +truth
  yes: +yes +word +truth
layer:
  head before:
    at: -1
    value: word>more
  head next:
    at: +1
    value: not>behind
  head said:
    look: before
    where: truth
    value: truth>said
layer:
  feedforward:
    drop: said
    ask: not & !more
    says_no: no & !behind | yes & behind
    says_yes: yes & !behind | no & behind
output:
  not: not
  no: says_no
  yes: says_yes
  <ask>: 2ask
  <again>: 3drop
examples:
  yes -> yes
  not yes -> no
  not not no -> no
"""
OF_3 = [
    (0, "3", "2"),
    (1, "2", "1"),
    (2, "1", "1"),
    (1, "1 2", "0"),
    (2, "0", "0"),
    (1, "0 1 2", "1"),
    (0, "1 3", "1"),
    (1, "1", "1"),
    (0, "1 1 3", "2"),
]
OF_NOTS = [
    (0, "not not yes", "not yes"),
    (1, "not yes", "yes"),
    (2, "yes", "yes"),
    (1, "yes not yes", "no"),
    (1, "no", "no"),
    (0, "no not not yes", "yes"),
    (0, "yes", "yes"),
]
CASES = [
    pytest.param(FIBONACCI, "3", OF_3, id="fibonacci"),
    pytest.param(NOTS, "not not yes", OF_NOTS, id="nots"),
]


def told(steps):
    return [(step.depth, step.text, step.answer.text) for step in steps]


@pytest.mark.parametrize(("text", "asked", "due"), CASES)
def test_every_engine_asks_the_same_texts(text, asked, due):
    for who, answering in everyone(text):
        assert told(answering.steps(asked)) == due, who
        assert answering.run([asked, asked]) == [due[-1][2]] * 2, who
    native = Interpreter(program_of(text))
    assert told(native.steps(asked)) == due


def test_who_asks_is_not_asked_again_by_itself():
    steps = progtf.interpret(program_of(NOTS)).steps("not not yes")
    told = [(step.answer.asks, step.answer.again) for step in steps]
    neither = (False, False)
    assert told == [(True, False)] * 2 + [neither, (False, True), neither, (False, True), neither]


def test_where_both_tokens_are_written_the_question_decides():
    text = NOTS.replace("    drop: said\n", "    drop: said\n    drop: not & more\n")
    assert text != NOTS
    for who, answering in everyone(text):  # `<ask>` of the first `not`, `<again>` of the second
        (step, *_) = answering.steps("not not yes")
        assert (step.answer.text, step.answer.asks, step.answer.again) == ("yes", True, False), who


def test_the_tree_of_questions_counts_all_its_texts():
    meant = progtf.interpret(program_of(FIBONACCI))
    assert [len(meant.steps(str(n))) for n in range(7)] == [1, 1, 5, 9, 17, 29, 49]
    assert meant.run([str(n) for n in range(7)]) == ["0", "1", "1", "2", "3", "5", "8"]
    assert max(step.depth for step in meant.steps("6")) == 5


def test_a_bound_that_is_reached_is_refused_by_name():
    few = FIBONACCI.replace("up to 60", "up to 8")
    for who, answering in everyone(few):
        found = answering.try_answers(["3", "2"])
        assert isinstance(found[0], progtf.EndlessError), who
        assert str(found[0]) == "again: not done after 8 steps"
        assert told(found[0].answer.steps) == OF_3[:8]
        assert found[0].answer.text == "1 1 3"  # what would be asked next
        assert found[1].text == "1"
        (deeper,) = answering.try_answers(["5"])
        assert isinstance(deeper, progtf.EndlessError)
        assert told(deeper.answer.steps)[-1] == (3, "0 1 2", "1")
        assert deeper.answer.text == "5"  # what waits, and no answer of another question


def test_texts_that_are_alike_are_asked_once_a_round(monkeypatch):
    model, asked = progtf.compile(program_of(FIBONACCI)), []
    once = model._once
    monkeypatch.setattr(
        Model, "_once", lambda _, inputs, **more: asked.append(len(inputs)) or once(inputs, **more)
    )
    assert model.run(["3", "0", "3", "2"]) == ["2", "0", "2", "1"]
    assert asked == [4, 2, 2, 2, 2, 1, 1, 1, 1]


def test_a_question_that_cannot_be_read_is_named_with_its_step():
    for who, answering in everyone(NOTS):
        (wrong,) = answering.try_answers(["not"])
        assert isinstance(wrong, progtf.ChainError), who
        assert str(wrong) == "step 2: the input is empty"
        assert (told(wrong.steps), wrong.text, wrong.depth) == ([(0, "not", "")], "", 1)
        again = pickle.loads(pickle.dumps(wrong))
        assert (str(again), again.text, again.depth) == (str(wrong), "", 1)
        assert told(again.steps) == told(wrong.steps)


def test_what_comes_back_is_put_as_it_stands():
    form = NOTS.replace('"{answer} {text}"', "'{text} {answer} {x} \"{answer }\"'")
    program = program_of(form)
    assert program.ask == '{text} {answer} {x} "{answer }"'
    (wrong,) = progtf.interpret(program).try_answers(["not yes"])
    assert wrong.text == 'not yes yes {x} "{answer }"'


def test_a_form_has_each_of_its_holes_once():
    assert puts("{answer}; {text}")
    assert puts("{text}{answer}{other}")
    for form in ("", "{answer}", "{text}", "{text}{answer}{text}", "{Text} {answer}", 4):
        assert not puts(form)


def test_without_the_row_of_the_token_nothing_is_asked():
    for text, asked in ((FIBONACCI, "5"), (NOTS, "not not yes")):
        model = progtf.compile(program_of(text))
        weights = lower(program_of(text))
        without = Model(weights.with_maps(_without(each) for each in weights.maps.values()))
        gone = {*entries_of(weights)} - {*entries_of(without.weights)}
        assert gone
        assert {target for _, _, target in gone} == {"<ask>"}
        assert len(model.steps(asked)) > 5
        (found,) = without.try_answers([asked])
        steps = found.answer.steps if isinstance(found, progtf.EndlessError) else found.steps
        assert not any(step.answer.asks for step in steps)
        assert {step.depth for step in steps} == {0}
        assert steps[-1].answer.text != model.run(asked)


def _without(part):
    zeros = {key: 0.0 for key in part.entries if key[1] == "<ask>"}
    return part.with_entries({**part.entries, **zeros})


def test_what_takes_the_place_of_a_step_is_of_its_depth():
    steps = progtf.interpret(program_of(FIBONACCI)).steps("3")
    assert followers(steps) == ["1 3", "1 2", "1", "0 1 2", "0", "1", "1 1 3", "1", "2"]
    assert followers(steps[:1]) == ["3"]  # its answer never came


def test_folders_and_decompiled_text_keep_it(tmp_path):
    model = progtf.compile(program_of(FIBONACCI))
    progtf.save_model(model, tmp_path / "model")
    assert told(progtf.load_model(tmp_path / "model").steps("3")) == OF_3
    text = progtf.decompile(model)
    assert '\n  ask: "{answer} {text}"\n' in text
    assert told(progtf.interpret(program_of(text)).steps("3")) == OF_3


def test_folders_with_another_form_are_refused(tmp_path):
    weights = lower(program_of(FIBONACCI))
    for number, wrong in enumerate(({"ask": "{answer}"}, {"again": 0})):
        layout = replace(weights.layout, **wrong)
        progtf.save_model(Model(replace(weights, layout=layout)), tmp_path / str(number))
        with pytest.raises(FolderError, match="questions that come back as"):
            progtf.load_model(tmp_path / str(number))


def test_forms_that_differ_are_told():
    one = lower(program_of(FIBONACCI)).layout
    other = replace(one, ask="{Answer} {text}")
    assert list(contrasts(one, other)) == ["ask: {answer} {text} -> {Answer} {text}"]
    assert list(contrasts(replace(one, ask=""), one)) == ["ask: none -> {answer} {text}"]
