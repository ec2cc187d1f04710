"""The reference says what the interpreter says, wherever a program keeps its promises."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import progtf
from benchmarks.refute.chance import Chance
from benchmarks.refute.grammar import STARTS, Writer, derived
from benchmarks.refute.meanings import compared
from progtf import compile, parse_program  # noqa: A004
from progtf.building.load import analyse
from progtf.program.answers import Answer
from progtf.program.model import Program
from progtf.reference import Reference, RefusedError
from progtf.running.interpret import Interpreter
from tests.docs.test_language import snippets, whole
from tests.network.programs import (
    LENGTH,
    TOKENS,
    asking_inputs,
    built,
    inputs,
    programs,
    used_in_decoders,
    used_loops,
    written_in_loops,
)
from tests.programs import ALL, LARGE, MATH, QUICK, loaded
from tests.reference.flat import reference_of

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("examples/**/*.seme"), *ROOT.glob("progtf/std/**/*.seme")])
MOST = {
    ALL: 2,
    MATH / "definitions.seme": 2,
    MATH / "is_prime.seme": 3,
    MATH / "list_prime_factors.seme": 3,
    MATH / "simplify_power.seme": 2,
}  # texts that take seconds each


def said(found):
    """What is printed, of an answer or of why there is none."""
    return found.text if isinstance(found, Answer) else f"{type(found).__name__}: {found}"


def assert_same(program: Program, reference: Reference, texts) -> None:
    meant = progtf.interpret(program).try_answers(texts)
    for text, one, other in zip(texts, reference.try_answers(texts), meant, strict=True):
        assert said(one) == said(other), text


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path, marks=[pytest.mark.long] * (path in LARGE | {ALL} and path.stem not in QUICK)
        )
        for path in FILES
    ],
    ids=_name,
)
def test_examples_are_answered_as_the_interpreter_answers_them(path):
    program = loaded(path)
    if program.hybrid:
        with pytest.raises(RefusedError, match="network"):
            reference_of(program, path.read_text(encoding="utf-8"), path.parent)
        return
    reference = reference_of(program, path.read_text(encoding="utf-8"), path.parent)
    texts = [example.input for example in program.examples]
    most = MOST.get(path, 4 if path in LARGE or path.parent.name == "std" else 12)
    assert_same(program, reference, texts[:: -(-len(texts) // most) or 1])


@pytest.mark.parametrize("snippet", snippets("seme"), ids=str)
def test_programs_of_the_description_are(snippet, tmp_path):
    for file in snippets("seme-file"):
        (tmp_path / file.words[0]).write_text(file.text)
    program, _ = analyse(snippet.text, "docs/language.md", tmp_path)
    assert program is not None
    if program.hybrid:
        pytest.skip("something is trained")
    reference = reference_of(program, snippet.text, tmp_path)
    assert_same(program, reference, [example.input for example in program.examples])


@pytest.mark.parametrize("snippet", snippets("seme-fragment"), ids=str)
def test_fragments_of_the_description_are(snippet):
    program = parse_program(whole(snippet))
    assert_same(program, reference_of(program, whole(snippet)), ["this that", "that this this"])


NAMED_TWICE = """
model:
  layers: auto
semes: noun big gone last.above last.below
lexicon:
  a: +noun
  b: +noun +big
  c: +big +gone +noun
layer:
  feedforward:
    last := noun & !gone
    last.above: last & big
    last.below: last & !big
"""


def test_an_alias_may_be_called_as_a_group_whose_semes_are_written_by_it():
    program = parse_program(NAMED_TWICE)
    assert_same(program, reference_of(program, NAMED_TWICE), ["a b c", "c"])


# ------------------------------------------------------------------ programs that nobody wrote


def assert_same_if_kept(text: str, words: str, part: str = "", folder: Path | None = None) -> None:
    """A program whose semes leave their ranges may say anything; so may one that rounds clocks."""
    text = text.replace("norm: round", "norm: none")
    if folder is not None:
        (folder / "part.seme").write_text(part)
        program, _ = analyse(text, str(folder / "program.seme"), folder)
        if program is None:
            return
    else:
        program = built(text)
    reference = reference_of(program, text, folder)
    (answer, broken), (other,) = (
        reference.ask(words),
        progtf.interpret(program).try_answers([words]),
    )
    kept = all(each.kind == "loop" for each in broken)
    if kept and in_ranges(program, answer):
        assert said(answer) == said(other)


def in_ranges(program: Program, found) -> bool:
    """Whether all that a residual shows is as declared."""
    if not isinstance(found, Answer) or found.residual is None:
        return True
    ranges = [*program.space.ranges.values()][: program.semes]
    columns = zip(found.residual.T, ranges, strict=True)
    return all(((low.low <= column) & (column <= low.high)).all() for column, low in columns)


@given(programs(), inputs)
def test_encoders(text, words):
    assert_same_if_kept(text, words)


@given(programs("seq2seq"), st.lists(st.sampled_from(TOKENS), min_size=1, max_size=LENGTH - 2))
def test_decoders(text, words):
    assert_same_if_kept(text, " ".join(words))


@given(written_in_loops(), inputs)
def test_loops_of_decoders(text, words):
    assert_same_if_kept(text, words)


@given(used_loops(), asking_inputs)
def test_loops_of_files_that_wait(tmp_path_factory, both, words):
    assert_same_if_kept(both[0], words, both[1], tmp_path_factory.mktemp("used"))


@given(used_in_decoders(), asking_inputs)
def test_loops_of_files_in_decoders(tmp_path_factory, both, words):
    assert_same_if_kept(both[0], words, both[1], tmp_path_factory.mktemp("used"))


# ------------------------------------------------------------------ derived from the grammar


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_derived_from_the_grammar_means_the_same(seed, tmp_path):
    seen = Counter()
    for place in range(40):
        source, chance = derived(seed, place, tmp_path), Chance(f"{seed} {place} texts")
        if source:
            assert [*compared(source, place, tmp_path, chance, seen)] == [], source
    assert seen["programs"] > 30
    assert seen["texts"] > 3 * seen["broken"]


def test_every_word_of_the_grammar_can_be_derived():
    writer = Writer(Chance("words"))
    spelled = {line for start in STARTS for _ in range(200) for line in [writer.line(start)]}
    assert all(line.isprintable() for line in spelled)
    keys = {line.partition(":")[0].strip() for line in spelled}
    assert keys >= {"query", "key", "value", "role", "out", "bind", "match", "where", "when"}
    assert keys >= {"nearest", "highest", "lowest", "at", "look", "distance", "else", "normalize"}


DISTANCE = """
semes:
  a
  b: 0..9
  far: distance
lexicon:
  x: +a
layer:
  head:
    normalize: queries
    value: a>b
    distance: far
"""
KEPT_OUT = """
semes:
  a f
  w: 0..9
lexicon:
  x: +a
  y: +a +f
layer:
  head:
    query: +10q
    key: a>q
    WHICH: f
    value: +w
    else: 0 below 1.5
"""
UNHEARD = """
semes:
  a b
  w: 0..9
  v: 0..9
lexicon:
  x: +a +v
  y: +b +2v
layer:
  head:
    normalize: queries
    when: a
    value: v>w
"""
HANDED_ON = """
semes:
  a
  w: 0..9
lexicon:
  x: +a
layer:
  head:
    value: a>w
    out: for i in 0..2 if i > 5: a>w
"""
BY_HAND = """
semes:
  p[0..1]
  n: 0..9
  t: 0..9
lexicon:
  x: +p[0] +n
  y: +p[1] +2n
  z: +p[0] +3n
layer:
  head:
    look: before
    match: p ~ p
    RANKED
    value: +t
    else: 0 below 3
"""
BY_RANK = "y: +p[1] +2n | x: +p[0] +n | z: +p[0] +3n +t"
NAMELESS = """
semes: a b
lexicon:
  x: +a
  unknown: +b
layer:
  head:
    at: -1
    value: b>a
"""


def every_engine(program, text):
    """Each of those that answer the same: reference, engine in C and in numpy, network."""
    yield reference_of(program, text)
    yield progtf.interpret(program)
    yield Interpreter(program, native=False)
    yield compile(program, "float64")


@pytest.mark.parametrize(
    ("text", "words", "answer"),
    [
        (KEPT_OUT.replace("WHICH", "where"), "x x", "x: +a | x: +a"),
        (KEPT_OUT.replace("WHICH", "where"), "x y", "x: +a +w | y: +a +f +w"),
        (KEPT_OUT.replace("WHICH", "when"), "x y", "x: +a | y: +a +f +w"),
        (UNHEARD, "y", "y: +b +2v"),
        (UNHEARD, "x y", "x: +a +3w +v | y: +b +2v"),
        (HANDED_ON, "x x", "x: +a | x: +a"),  # to nothing
        (
            BY_HAND.replace("RANKED", "highest: n"),
            "x y z",
            "x: +p[0] +n | y: +p[1] +2n | z: +p[0] +3n +t",
        ),
        (BY_HAND.replace("RANKED", "lowest: n"), "y x z", BY_RANK),
        (BY_HAND.replace("RANKED", "nearest: p[0]"), "y x z", BY_RANK),
    ],
)
def test_what_was_answered_in_two_ways_is_answered_in_one(text, words, answer):
    program = parse_program(text)
    for each in every_engine(program, text):
        (found,) = each.try_answers([words])
        assert found.text == answer, each


@pytest.mark.parametrize("mark", ["<bos>", "<eos>", "<again>", "<ask>"])
@pytest.mark.parametrize("own", ["", "\n  {}: +a"])
@pytest.mark.parametrize("spelling", ["", "spelling:\n  trim: punctuation\n"])
def test_a_special_token_is_no_word_of_a_text(mark, own, spelling):
    text = spelling + NAMELESS.replace("\n  unknown", own.format(mark) + "\n  unknown")
    program = parse_program(text)
    for each in every_engine(program, text):
        (found,) = each.try_answers([f"x {mark} y"])
        assert f"token 2, `{mark}`, is no word of a text" in str(found), each


def test_how_far_away_is_divided_as_what_is_read():
    program = parse_program(DISTANCE)
    answers = [each.try_answers(["x x"])[0].residual for each in every_engine(program, DISTANCE)]
    assert np.abs(answers[0][:, 2:]).max() > 0.3
    for other in answers[1:]:
        assert np.abs(answers[0] - other[:, : answers[0].shape[1]]).max() <= 1e-9


PART = """
semes:
  a
  n: 0..9
  t: 0..9
lexicon:
  x: +a +n
layer:
  feedforward:
    WRITER
    t: n mod 7
"""


def test_what_sets_a_seme_stands_behind_a_loop_that_adds_to_it(tmp_path):
    (tmp_path / "part.seme").write_text("""
semes: a b t
lexicon:
  x: +a +b
loop on up to 1 until t:
  layer:
    feedforward:
      t: b
layer:
  feedforward:
    set t: !a
""")
    text = 'use "part.seme"\n'
    program, _ = analyse(text, str(tmp_path / "program.seme"), tmp_path)
    reference = reference_of(program, text, tmp_path)
    assert reference.run("x") == "x: +a +b"
    assert_same(program, reference, ["x", "x x"])


@pytest.mark.parametrize(
    ("writer", "circular"), [("+n when t < 1 & a & t > 3", True), ("+a when t < 1 & n > 3", False)]
)
def test_which_parts_wait_is_read_off_the_text(writer, circular, tmp_path):
    (tmp_path / "part.seme").write_text(PART.replace("WRITER", writer))
    text = 'use "part.seme"\n'
    program, found = analyse(text, str(tmp_path / "program.seme"), tmp_path)
    assert [each.code for each in found] == ["circular-layers"] * circular
    if program is not None:
        assert_same(program, reference_of(program, text, tmp_path), ["x", "x x"])


# ------------------------------------------------------------------ what it is for


def reference(text: str) -> Reference:
    return reference_of(parse_program(text), text)


def test_a_third_is_a_third():
    found = reference("""
semes: a third
  share: 0..1 step 1/6
lexicon:
  x: +a
  y: 0
layer:
  head mean:
    value: a>share
  feedforward:
    third: share = {1/3}
""")
    text = "y: +third +0.333333share | x: +a +third +0.333333share"
    assert found.run("y x y") == f"{text} | y: +third +0.333333share"
    assert found.ask("y x y")[1] == ()


PROMISES = {
    "flags": """
semes: a b both
lexicon:
  x: +a
  y: 0
layer:
  head twice:
    look: upto
    value: 2a>b
layer:
  feedforward:
    both: a & b
""",
    "numbers": """
semes:
  n: 0..4
  mean: 0..3
  large
  copy: 0..3
lexicon:
  x: +4n
  y: +n
layer:
  head all:
    value: n>mean
  feedforward:
    large: mean >= 2
layer:
  feedforward:
    copy: mean when large
""",
    "members": """
semes: is[0..1] seen
lexicon:
  x: +is[0] +is[1]
  y: +is[0]
layer:
  head same:
    look: before
    match: is ~ is
    value: +seen
""",
    "scores": """
semes: a b
lexicon:
  x: +a +b
  y: +a
classify:
  A: a
  B: b
""",
    "loops": """
semes: a b
lexicon:
  x: +a
loop on up to 3 until b:
  layer:
    feedforward:
      b: !a
""",
    "answers": """
semes: a
  n: 0..9
lexicon:
  x: +a
layer:
  feedforward:
    n: 10a
score:
  value: n
""",
    "equal": """
semes: a
  n: 0..2 step 1/2
  b
lexicon:
  x: +a
layer:
  feedforward:
    n: 0.75a
layer:
  feedforward:
    b: n = 0.75
""",
    "bound to 0": """
semes: p[0..1] b
  n: 0..9
  o: 0..9 step 0
lexicon:
  x: +p[0] +p[1] +3n
  y: +p[0] +p[1] +4n +b
layer:
  head:
    match: p ~ p
    value: n>o
    role: b>o
""",
    "denied": """
semes: a b c
lexicon:
  x: +a
layer:
  feedforward:
    b: a
    +b when a
layer:
  feedforward:
    c: b & a & !b
    c: a when b & !b
""",
    "excluded": """
semes: a b
  n: 0..9
lexicon:
  x: +a
layer:
  feedforward:
    n: 10a
layer:
  feedforward:
    b: n >= 5 & n <= 2
""",
    "sets": """
semes: a b
  n: 0..9
lexicon:
  x: +a +b +n
layer:
  feedforward:
    set n: 2 when a & !b
    set n: 3 when b
""",
    "steps": """
semes: a
  n: 0..4
  m: 0..4
  w: 0..9
lexicon:
  x: +a +4n
  y: +n
layer:
  head mean:
    look: upto
    value: n>m
layer:
  head asked:
    query: m>wanted
    key: a>wanted
    else: 0 below 1.5
    value: +w
  head ranked:
    highest: m where a
    value: +w
""",
}  # fmt: skip


PROMISES["heard"] = PROMISES["loops"] + "layer:\n  feedforward:\n    a: on.unfinished\n"


@pytest.mark.parametrize(
    ("name", "words", "broken"),
    [
        ("flags", "x", {("flag", "b", 0, 2)}),
        ("flags", "x y", {("flag", "b", 0, 2)}),  # b is 1 at y, where a is not up
        ("flags", "x y y y", {("flag", "b", 0, 2)}),  # and no flag, but that tells nothing
        ("numbers", "y y", set()),
        ("numbers", "y x", set()),  # 2.5 is between two steps, and both are large
        ("numbers", "x", {("range", "mean", 0, 4)}),
        (
            "numbers",
            "y y y x",
            {("step", "mean", n, Fraction(7, 4)) for n in range(4)},
        ),
        ("members", "y y", set()),
        ("members", "y x", {("one", "is[0], is[1]", 1, 2)}),
        ("scores", "y", set()),
        ("scores", "y x", {("tie", "", 0, 1)}),
        ("loops", "x", {("loop", "on", 0, 3)}),
        ("heard", "x", set()),
        ("answers", "x", {("range", "n", 0, 10)}),
        ("equal", "x", {("step", "n", 0, Fraction(3, 4))}),
        ("bound to 0", "x x", set()),
        ("bound to 0", "x y", {("one", "p[0], p[1]", 1, 2)}),
        ("denied", "x", set()),  # b is 2, and what never holds reads nothing
        ("sets", "x", set()),
        ("steps", "x x", set()),
        ("steps", "x y", {("step", "m", 1, 2.5)}),  # of what is asked, not of what is ranked
    ],
)
def test_broken_promises_are_told(name, words, broken):
    _, found = reference(PROMISES[name]).ask(words)
    assert {(each.kind, each.what, each.token, each.value) for each in found} == broken


CERTAIN = """
semes:
  a c
  b
  m: 0..9
lexicon:
  x: +a
  y: +c
layer:
  head:
    value: a>b
layer:
  feedforward:
    m: 3 when TEST
"""


@pytest.mark.parametrize(
    ("test", "told"),
    [("!b | b", False), ("b | a | !b", False), ("a & (b | !b)", False), ("b & !b", False),
     ("b | a", True), ("b & a", True), ("!b", True), ("(b | !a) & a", True),
     ("b & a | !b", True)],
)  # fmt: skip
def test_a_flag_beside_its_denial_is_not_read(test, told):
    text = CERTAIN.replace("TEST", test)
    _, broken = reference(text).ask("x y")
    program = parse_program(text)
    (answer,) = Interpreter(program, native=False).try_answers(["x y"])
    assert bool(broken) == bool(answer.broken) == told


MATCHED = """
model:
  kind: dense
  length: 9 -> 3
semes:
  t: 0..9
  far: distance
layer:
  head same:
    match: far ~ far
    at: -1
    value: +t
"""


@pytest.mark.parametrize(
    ("hands", "broken"),
    [("+far.cos[8] +far.cos[64]", False), ("-far.sin[8] +far.sin[64]", False),
     ("+far.cos[8] -0.6far.sin[8] -far.sin[64]", True), ("+3far.cos[8]", True),
     ("0.5far.cos[8]", False)],
)  # fmt: skip
def test_hands_that_are_typed_and_are_none_are_told(hands, broken):
    program, words = parse_program(MATCHED), " | ".join([hands] * 3)
    meant, promises = reference(MATCHED).ask(words)
    (answer,) = progtf.interpret(program).try_answers([words])
    assert {(p.kind, p.token) for p in promises} == {(p.kind, p.token) for p in answer.broken}
    assert {p.kind for p in promises} == ({"distance"} if broken else set())
    assert broken or meant.text == answer.text


def test_comparisons_that_exclude_each_other_are_promised_too():
    """No text fulfils both, and a number that is outside of its range is told all the same."""
    program = parse_program(PROMISES["excluded"])
    assert "range" in {each.kind for each in reference(PROMISES["excluded"]).ask("x")[1]}
    for engine in (progtf.interpret(program), Interpreter(program, native=False)):
        (answer,) = engine.try_answers(["x"])
        assert "10" in str(answer.broken)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("model:\n  norm: layer\nsemes: a\nlexicon:\n  x: +a\n", "`norm: layer`"),
        ("semes: a\nlexicon:\n  x: ~a\n", "what is trained"),
        ("semes: a\nlexicon:\n  x: +a\nlearn:\n  semes: 2\n", "`learn:`"),
    ],
)
def test_what_is_learned_is_refused_by_name(text, what):
    with pytest.raises(RefusedError, match=f"{what} is the network's only"):
        reference(text)
