"""What a decoder writes bit by bit is what it answers at once, by C and by numpy."""

import shutil
from itertools import cycle, islice
from operator import eq

import pytest

import progtf
from progtf.program.answers import EndlessError
from progtf.program.outcome import NotExactError
from progtf.program.tokens import InputError, join
from progtf.running.interpret import Interpreter
from progtf.running.stream import Stream
from tests.examples.test_machines import simulated
from tests.programs import PROGRAMS, ROOT, loaded

DECODERS = [
    path
    for path in PROGRAMS
    if "kind: decoder" in (text := path.read_text(encoding="utf-8"))
    and "\nloop " not in text
    and "\n  loop " not in text
]
COMPILER = shutil.which("cc") or shutil.which("gcc")
BY = pytest.mark.parametrize("native", [True, False], ids=["C", "numpy"])

# Counts on by ones; from the ninth token on a promise is broken: `before` is 6.
COUNTS = """
model:
  kind: decoder
  length: 2 -> 9
semes:
  value: 0..9
  before: 0..5
  next: 0..9
  late
lexicon:
  for n in 0..9:
    "{n}": +{n}value
decoder:
  layer:
    head before:
      at: -1
      value: value>before
  layer:
    feedforward:
      next: value + 1 when value < 9
      late: before >= 5
output:
  classify next in 0..9
"""
COUNTS_DOWN = "16 15 6 17 17 0 15 15 9 18 15 12 17 17 0 400 1 0 -400 run"
"""A memory of `subleq.seme` that counts down from 400, and again, for ever."""
ENDS = "  <eos>: 100late - 1\n"  # where two before it was a 5


def counting(length=9, end="", *, native=True):
    text = COUNTS.replace("-> 9", f"-> {length}") + end
    return Interpreter(progtf.parse_program(text), native=native)


def joined(interpreter, tokens):
    shape = interpreter.speaker.interface
    return join(tokens, shape.tokens, shape.join)


def test_decoders_are_among_the_examples():
    assert {"subleq", "continue_pattern"} <= {path.stem for path in DECODERS}


@BY
@pytest.mark.parametrize("path", DECODERS, ids=lambda path: path.stem)
def test_examples_are_written_as_they_are_answered(path, native):
    program = loaded(path)
    interpreter = Interpreter(program, native=native)
    for example in program.examples:
        (answer,) = interpreter.answers([example.input])
        stream = interpreter.stream(example.input)
        assert joined(interpreter, [*stream]) == answer.text
        assert stream.broken == answer.broken == ()
        assert stream.outcome.verdict == answer.outcome.verdict == "by meaning"


@pytest.mark.parametrize("native", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_long_trace_is_written_as_it_is_answered(native):
    text = (ROOT / "examples/machines/subleq.seme").read_text(encoding="utf-8")
    longest = 9001 if native else 91  # C writes 64 tokens, then more and more at a time
    program = progtf.parse_program(text.replace("-> 9000001", f"-> {longest}"))
    interpreter = Interpreter(program, native=native)
    (error,) = interpreter.try_answers([COUNTS_DOWN])
    assert isinstance(error, EndlessError)
    written = list[str]()
    with pytest.raises(EndlessError, match=f"the output's length is {longest:,} tokens"):
        written.extend(interpreter.stream(COUNTS_DOWN))
    assert len(written) == longest
    assert " ".join(written) == error.answer.text
    assert len({*written}) > 15


@pytest.mark.long
@pytest.mark.skipif(COMPILER is None, reason="numpy would take days")
def test_nine_million_tokens_are_those_of_a_loop_in_python():
    machine = progtf.interpret(loaded(ROOT / "examples/machines/subleq.seme"))
    words = [int(word) for word in COUNTS_DOWN.split()[:-1]]
    again, _ = simulated(words, 802)  # after so many instructions all is as it was
    assert simulated(words, 1604)[0] == again * 2
    due = islice(cycle(again), 9_000_001)
    same = map(eq, machine.stream(COUNTS_DOWN), due)
    with pytest.raises(EndlessError, match="9,000,001 tokens"):
        assert all(same)
    assert next(due, None) is None


@BY
@pytest.mark.parametrize("length", [1, 2, 9])
def test_a_length_is_filled_where_nothing_ends(length, native):
    interpreter = counting(length, native=native)
    stream = interpreter.stream("0")
    assert [*stream] == ["1", "2", "3", "4", "5", "6", "7", "8", "9"][:length]
    assert " ".join(interpreter.stream("0")) == interpreter.run("0")


@BY
@pytest.mark.parametrize("length", [1, 6, 7, 9])
def test_what_ends_ends_within_its_length(length, native):
    interpreter = counting(length, ENDS, native=native)
    stream, written = interpreter.stream("0"), list[str]()
    if length < 6:
        with pytest.raises(EndlessError, match="does not end: the output's length is 1 token"):
            written.extend(stream)
    else:
        written.extend(stream)
    assert written == ["1", "2", "3", "4", "5", "6"][:length]


@BY
def test_a_promise_that_breaks_midway_is_named_and_strict_stops_there(native):
    interpreter = counting(native=native)
    (answer,) = interpreter.answers(["1"])
    stream = interpreter.stream("1")
    assert [*stream] == answer.text.split() == ["2", "3", "4", "5", "6", "7", "8", "9", "0"]
    assert stream.broken == answer.broken
    assert {each.kind for each in stream.broken} == {"range"}
    assert str(stream.outcome) == str(answer.outcome)
    stream, written = interpreter.stream("1", strict=True), list[str]()
    with pytest.raises(NotExactError, match="`before` is 6 at token 7"):
        written.extend(stream)
    assert written == ["2", "3", "4", "5", "6", "7"]  # all that stood before it was read


@BY
def test_tokens_come_before_the_last_one_is_known(native):
    stream = iter(counting(native=native).stream("1", strict=True))
    assert [next(stream) for _ in range(3)] == ["2", "3", "4"]


@BY
@pytest.mark.parametrize("text", ["", "1 2 3", "1 x", "1 10"])
def test_a_text_that_is_refused_is_so_at_once(text, native):
    interpreter = counting(native=native)
    (error,) = interpreter.try_answers([text])
    with pytest.raises(InputError) as told:
        interpreter.stream(text)
    assert str(told.value) == str(error)


@pytest.mark.parametrize("name", ["math/place_value", "a_or_an", "article/sentiment"])
def test_what_is_no_decoder_writes_nothing_bit_by_bit(name):
    interpreter = progtf.interpret(loaded(ROOT / "examples" / f"{name}.seme"))
    with pytest.raises(ValueError, match="only a decoder that goes on with its text"):
        interpreter.stream(loaded(ROOT / "examples" / f"{name}.seme").examples[0].input)


def test_what_is_patched_writes_nothing_bit_by_bit():
    patched = counting().patch({"decoder.embedding": {"value": progtf.added(1)}})
    with pytest.raises(ValueError, match="patched"):
        patched.stream("1")


@pytest.mark.skipif(COMPILER is None, reason="the engine needs a C compiler")
def test_c_writes_what_it_can_tell(monkeypatch):
    """Numpy is asked for nothing of a trace without a broken promise."""
    monkeypatch.setattr(Stream, "_computed", lambda *_: pytest.fail("numpy was asked"))
    assert [*counting(5).stream("0")] == ["1", "2", "3", "4", "5"]


@BY
def test_a_stream_is_gone_through_once(native):
    stream = counting(5, native=native).stream("0")
    assert next(stream) == "1"
    some = stream.some()
    assert [token for tokens in some for token in tokens] == ["2", "3", "4", "5"]
    assert [*stream] == []


TIES = """
model:
  kind: decoder
  length: 2 -> 3
semes: a b
lexicon:
  x: +a +b
  y: +a
output:
  x: b
  y: a
"""


@BY
def test_a_tie_is_told(native):
    interpreter = Interpreter(progtf.parse_program(TIES), native=native)
    for text in ("x", "y"):
        stream = interpreter.stream(text)
        answer = interpreter.answers([text])[0]
        assert " ".join(stream) == answer.text
        assert stream.tied == answer.tie
    assert interpreter.answers(["x"])[0].tie
