"""What heads of a decoder keep of what was written (progtf/running/native/recall.h)."""

import random
import shutil
import signal
import subprocess
import sys

import pytest

import progtf
from progtf.running.interpret import Interpreter
from progtf.running.sight import scans

COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="the engine needs a C compiler")

LEXICON = """
model:
  kind: decoder
  length: 8 -> 24
semes:
  is["a".."e"]
  vowel
  rank: 0..4
  weight: -2..2
  was["a".."e"]
  said["a".."e"]
  found: -8..8
  low: -8..8
  far: distance
  near
  share: 0..1
  flag
  other
  say: -9..9
lexicon:
  a: +is["a"] +vowel +4rank +2weight
  b: +is["b"] +1rank -weight
  c: +is["c"] +3rank +weight
  d: +is["d"] +2rank -2weight
  e: +is["e"] +vowel
  f: +found +low +near +share +said["a"] +said["b"] +said["c"] +said["d"] +said["e"] +flag
decoder:
"""
OUTPUT = """
output:
  a: said["a"] + 0.5found + 0.25is["c"] + 0.01
  b: said["b"] + 0.2low + 0.3is["a"] + 0.1near
  c: said["c"] - 0.4found + 0.35is["b"]
  d: said["d"] + 0.3is["e"] - 0.15low + 0.7share
  e: said["e"] + 0.45is["d"] + 0.05
"""
LINES = """
output:
  classify say in -9..9
  a: 100flag - 50
  b: 30other + 0.25
"""
NUMBERS = LEXICON.replace(
    "  a: +is", '  for n in -9..9:\n    "{n}": +{n}weight +rank\n  a: +say +flag +other +is', 1
)
NUMBERS = NUMBERS.replace("weight: -2..2", "weight: -9..9")
HEADS = {
    "the last that matches": """
  layer back:
    head before:
      at: -1
      value: is>was
  layer again:
    head again:
      look: before
      match: is ~ was
      nearest: !vowel
      value: is>said
""",
    "all that match": """
  layer back:
    head before:
      at: -1
      value: is>was
  layer again:
    head again:
      match: is ~ was
      value: is>said, rank>found
""",
    "the mean of all": """
  layer mean:
    head mean:
      look: before
      value: vowel>share, weight>low
""",
    "the highest of some": """
  layer best:
    head best:
      look: upto
      highest: rank where !vowel
      value: is>said
    head least:
      look: before
      lowest: weight
      value: is>said, weight>low
""",
    "one place": """
  layer one:
    head one:
      at: -3
      when: vowel
      value: is>said
    head two:
      at: -2
      when: !vowel
      else: +near
      value: weight>low, flag>near
    head three:
      at: 0
      value: rank>found
""",
    "one place among some": """
  layer one:
    head one:
      at: -2
      where: !vowel
      value: is>said
    head two:
      at: -1
      where: vowel
      when: !vowel
      else: +2found
      value: weight>low, flag>found
""",
    "itself": """
  layer own:
    head own:
      look: self
      bind: rank*weight > found
    head other:
      look: notself
      where: vowel
      value: weight>low
""",
    "keys that change": """
  layer first:
    head first:
      look: upto
      match: is ~ is
      nearest: !vowel
      value: rank>found
    feedforward:
      is["a"]: +1 when is["b"]
      is["b"]: -1 when is["b"]
  layer second:
    head second:
      look: upto
      match: is ~ is
      nearest: !vowel
      value: rank>low
  layer third:
    head third:
      look: upto
      match: is ~ is
      nearest: !vowel
      value: rank>low
""",
    "two levels": """
  layer both:
    head low:
      look: upto
      query: weight>w, +one
      key: {1/3}rank>w, 0.1weight>one
      else: 0 below -1
      value: is>said
    head high:
      look: upto
      query: weight>w, +one
      key: {1/3}rank>w, 0.1weight>one
      else: +near below 1.25
      value: is>said, flag>near
""",
    "how far": """
  layer far:
    head far:
      look: before
      nearest: vowel
      distance: far
    feedforward:
      near: far = 2 | far = 5
      found: 3 when far = 3
""",
    "a clock": """
  layer clock:
    head clock:
      look: before
      where: vowel
      query: cos[8]>c, sin[8]>s
      key: cos[8]>c, sin[8]>s
      else: 0 below 0.9
      value: is>said
    head back:
      at: -1
      value: weight>low
""",
    "again and again": """
  layer twice:
    repeat: 2
    head twice:
      look: before
      where: vowel
      value: share>share, weight>low
    feedforward:
      share: +0.25 when !vowel
""",
}
SCANNING = {"one place among some": 2}


def program_of(heads, output=OUTPUT, lexicon=LEXICON):
    return progtf.parse_program(lexicon + heads + output)


def texts(alphabet, count=40):
    chance = random.Random(11)
    return [
        " ".join(chance.choice(alphabet) for _ in range(chance.randint(1, 8))) for _ in range(count)
    ]


def said(tried):
    return [getattr(each, "text", str(each)) for each in tried]


@pytest.mark.parametrize("name", HEADS)
def test_c_writes_what_numpy_writes(name):
    program = program_of(HEADS[name])
    native, plain = Interpreter(program), Interpreter(program, native=False)
    asked = texts("abcdef")
    meant = plain.try_answers(asked)
    assert said(native.try_answers(asked)) == said(meant)
    engine = native.ready.coded.engine
    assert engine is not None
    told = [engine.told(tokens) is not None for tokens in native.read(asked)]
    whole = [not getattr(each, "broken", ()) and not getattr(each, "tie", False) for each in meant]
    assert told == whole
    assert sum(told) > len(told) / 2
    assert len({*said(meant)}) > 2
    assert [*map("".join, map(native.stream, asked))] == [
        each.replace(" ", "") for each in said(meant)
    ]


def test_numbers_are_said_by_the_line_that_is_highest():
    program = program_of(
        """
  layer last:
    head last:
      at: -2
      value: weight>found
    feedforward:
      say: clip(found - weight, -9, 9)
      flag: found = 3
      other: found > 5
""",
        LINES,
        NUMBERS,
    )
    native, plain = Interpreter(program), Interpreter(program, native=False)
    asked = texts([*map(str, range(-9, 10))])
    found = native.try_answers(asked)
    assert said(found) == said(plain.try_answers(asked))
    assert [each.gap for each in found] == [each.gap for each in plain.try_answers(asked)]
    assert {"a", "b", "-9", "-1", "4"} <= {*" ".join(said(found)).split()}


@pytest.mark.parametrize("name", HEADS)
def test_heads_that_scan_are_named(name):
    layers = program_of(HEADS[name]).decoder
    assert sum(scans(head) for layer in layers for head in layer.heads) == SCANNING.get(name, 0)


def test_a_broken_promise_is_left_to_numpy():
    program = progtf.parse_program("""
model:
  kind: decoder
  length: 3 -> 9
semes:
  up
  num: 0..9
  seen: 0..9
lexicon:
  for n in 0..9:
    "{n}": +{n}num
decoder:
  layer count:
    feedforward:
      up: 0.5 when num = 4
      up: 1 when num > 6
  layer see:
    head see:
      look: before
      nearest: up
      value: num>seen
    feedforward:
      num: +1 when num < 9
output:
  classify num in 0..9
examples:
  1 -> 2 3 4 5 6 7 8 9 9
""")
    native = Interpreter(program)
    assert [native.stream("5"), [*native.stream("5")]][1] == [
        "6",
        "7",
        "8",
        "9",
        "9",
        "9",
        "9",
        "9",
        "9",
    ]
    answer = native.answers(["2"])[0]
    assert [each.kind for each in answer.broken] == ["flag"]
    stream = native.stream("2")
    assert " ".join(stream) == answer.text
    assert [each.kind for each in stream.broken] == ["flag"]
    with pytest.raises(progtf.NotExactError, match="`up`"):
        list(native.stream("2", strict=True))


NEARLY = """
model:
  kind: decoder
  length: 3 -> 4
semes:
  v: 0..40000000000000
  s: 0..1
  a
  b
  saw: 0..1
lexicon:
  x: +35184372088832v +0.001s +a
  y: +35184372088832v +0.002s +b
  z: 0
decoder:
  layer:
    head:
      look: upto
      query: +q
      key: v>q, s>q
      value: a>saw
output:
  x: 2saw - 1.2
  y: 0
  z: 0.5saw - 0.45
"""


def test_keys_that_float64_does_not_tell_apart_are_not_one():
    program = progtf.parse_program(NEARLY)
    asked = ["x x y", "x y", "y x", "y y x", "x x"]
    meant = said(Interpreter(program, native=False).try_answers(asked))
    native = Interpreter(program)
    assert said(native.try_answers(asked)) == meant
    assert [" ".join(native.stream(text)) for text in asked] == meant
    assert meant[0] == "y y y y"


def test_who_computes_all_anew_does_not_stream():
    program = progtf.parse_program("""
model:
  kind: decoder
  length: 6 -> 8
semes:
  a
  b
  c
lexicon:
  x: +a
  y: +b
decoder:
  loop count up to 3 until c:
    layer:
      feedforward:
        c: a | b
output:
  x: b
  y: a
""")
    native = Interpreter(program)
    assert native.answers(["x"])[0].text == "y x y x y x y x"
    with pytest.raises(ValueError, match="anew with each token"):
        native.stream("x")


WRITER = """
import progtf
program = progtf.parse_program('''
model:
  kind: decoder
  length: 1 -> 16000000
semes:
  num: 0..999
  last: 0..999
lexicon:
  for n in 0..999:
    "{n}": +{n}num
decoder:
  layer:
    head:
      at: -1
      value: num>last
output:
  for n in 0..999:
    "{n}": {n % 7}last + {n % 11}num - {n}
''')
answering = progtf.interpret(program)
answering.ready.coded
print("begun", flush=True)
answering.answers(["3"])
"""


def test_a_long_answer_without_rules_hears_an_interrupt():
    asked = [sys.executable, "-c", WRITER]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            assert run.stdout.readline() == "begun\n"
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=60)
        finally:
            run.kill()
    assert err.rstrip().endswith("KeyboardInterrupt")
