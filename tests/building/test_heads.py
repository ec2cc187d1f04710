"""Every way of addressing reads what it says, and its null key lies between match and miss."""

from collections.abc import Collection, Iterable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progtf.building.heads.nulls import NATS
from progtf.building.load import analyse, parse_program
from progtf.program.model import Head, Layer, Program
from progtf.running.trace import Trace
from progtf.running.walk import residuals
from tests.building.oracle import codes

LEXICON = """
model:
  length: 7
semes: noun verb pl p[0..2] found x.a x.b
semes:
  id: 0..5
  got: -20..20
  val: 0..3
  wide: 0..100
  free: 0..1 step 0
lexicon:
  a: +noun +val +id
  b: +noun +pl +2val +2id
  c: +verb +3val +3id
  d: +p[0] +2val +4id
  e: +p[1] +5id +{1/3}free +wide
layer:
  head h:
"""
NOUN, PL, VERB = {"a", "b"}, {"b"}, {"c"}
VAL = {"a": 1, "b": 2, "c": 3, "d": 2, "e": 0}
ID = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
words = st.lists(st.sampled_from("abcde"), min_size=1, max_size=7)


class Scores(Trace):
    """Keeps the scores of the one head."""

    def scores(self, head: Head, scores: np.ndarray) -> None:
        self.head, self.table = head, scores


def program_with(fields: str) -> Program:
    return parse_program(LEXICON + "".join(f"    {line}\n" for line in fields.splitlines()))


def head_of(program: Program) -> Head:
    layer = program.encoder[0]
    assert isinstance(layer, Layer)
    return layer.heads[0]


def got(program: Program, tokens: list[str], trace: Trace | None = None) -> list[float]:
    final = residuals(program, tokens, trace)
    return final[:, program.space.index["got"]].tolist()


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def pick(tokens: list[str], positions: Iterable[int], among: Collection[str]) -> list[int]:
    return [j for j in positions if tokens[j] in among]


def anywhere(tokens: list[str]) -> range:
    return range(len(tokens))


def behind(tokens: list[str], i: int) -> range:
    return range(i + 1, len(tokens))


# For each idiom: its fields and the positions that position i of a sequence must read.
IDIOMS = {
    "at: -1": lambda _, i: [i - 1] if i else [],
    "at: +2": lambda w, i: [i + 2] if i + 2 < len(w) else [],
    "querypos: +0\nkeypos: +1\nelse: 0": lambda _, i: [i - 1] if i else [],
    "nearest: noun\nlook: before": lambda w, i: pick(w, range(i), NOUN)[-1:],
    "nearest: noun\nlook: upto": lambda w, i: pick(w, range(i + 1), NOUN)[-1:],
    "nearest: noun & !pl\nlook: after": lambda w, i: pick(w, behind(w, i), "a")[:1],
    "nearest: noun | verb\nlook: before": lambda w, i: pick(w, range(i), "abc")[-1:],
    "nearest: any p\nlook: after": lambda w, i: pick(w, behind(w, i), "de")[:1],
    "nearest: noun\nlook: before\nwhere: pl": lambda w, i: pick(w, range(i), PL)[-1:],
    "match: p ~ p": lambda w, i: pick(w, anywhere(w), w[i]) if w[i] in "de" else [],
    "match: p ~ p\nlook: before": lambda w, i: pick(w, range(i), w[i]) if w[i] in "de" else [],
    "match: noun ~ verb": lambda w, i: pick(w, anywhere(w), VERB) if w[i] in NOUN else [],
    "where: noun": lambda w, _: pick(w, anywhere(w), NOUN),
    "where: noun & !pl\nlook: before": lambda w, i: pick(w, range(i), "a"),
    "when: noun & pl": lambda w, i: list(anywhere(w)) if w[i] == "b" else [],
    "where: verb\nwhen: noun": lambda w, i: pick(w, anywhere(w), VERB) if w[i] in NOUN else [],
    "at: -1\nwhen: noun\nwhere: verb": lambda w, i: (
        pick(w, [i - 1], VERB) if i and w[i] in NOUN else []
    ),
    "query: noun>f\nkey: verb>f\nelse: 0": lambda w, i: (
        pick(w, anywhere(w), VERB) if w[i] in NOUN else []
    ),
    "highest: val where noun": lambda w, _: best(w, anywhere(w), NOUN, 1),
    "highest: 2val - 1 where noun & pl": lambda w, _: best(w, anywhere(w), PL, 1),
    "lowest: val where noun\nlook: after": lambda w, i: best(w, behind(w, i), NOUN, -1),
    "highest: val": lambda w, _: best(w, anywhere(w), "abcde", 1),
    "look: self": lambda _, i: [i],
    "look: before": lambda _, i: list(range(i)),
    "look: notself": lambda w, i: [j for j in anywhere(w) if j != i],
}


def best(tokens, positions, among, sign):
    candidates = [j for j in positions if tokens[j] in among]
    top = max((sign * VAL[tokens[j]] for j in candidates), default=0)
    return [j for j in candidates if sign * VAL[tokens[j]] == top]


@cache
def written(idiom):
    return program_with(f"{idiom}\nvalue: id>got")


@pytest.mark.parametrize("idiom", IDIOMS)
@given(words)
def test_a_head_reads_what_its_idiom_says(idiom, tokens):
    expected = [mean([ID[tokens[j]] for j in IDIOMS[idiom](tokens, i)]) for i in range(len(tokens))]
    assert got(written(idiom), tokens) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("idiom", [idiom for idiom in IDIOMS if "look" not in idiom[:5]])
@given(words)
def test_match_null_and_miss_are_apart_by_what_the_sharpness_assumes(idiom, tokens):
    trace = Scores()
    got(written(idiom), tokens, trace)
    head = trace.head
    if head.null is None:
        return
    for i, row in enumerate(trace.table * head.sharpness):
        matches, null = IDIOMS[idiom](tokens, i), row[-1]
        others = [row[j] for j in range(len(tokens)) if j not in matches]
        low = min((row[j] for j in matches), default=np.inf)
        assert low >= null + NATS - 1e-6
        least = low if matches else null
        assert all(score <= least - NATS + 1e-6 for score in others)


@given(words)
def test_ties_share_equally(tokens):
    program = program_with("query: +f\nkey: noun>f\nvalue: id>got")
    nouns = [ID[t] for t in tokens if t in NOUN] or [ID[t] for t in tokens]
    assert got(program, tokens) == pytest.approx([mean(nouns)] * len(tokens))


def test_a_row_with_nothing_to_look_at_writes_zeros():
    assert got(program_with("look: before\nvalue: id>got, +got"), ["a"]) == [0.0]


@pytest.mark.parametrize(
    ("lines", "right"),
    [
        ("match: p[0] ~ 2noun, 2p[0] ~ p[0]\nat: +1", False),  # a key with both scores 4
        ("match: p[0] ~ 2noun, 2p[0] ~ p[0]", True),
        ("match: p[0] ~ 2p[1], 2p[0] ~ p[0]\nat: +1", True),  # one of a family
        ("match: p ~ p\nat: +1", True),
    ],
)
def test_a_match_that_may_make_up_for_an_address_is_refused(lines, right):
    below = "".join(f"    {line}\n" for line in lines.split("\n"))
    text = "semes: p[0..2] noun got\nlexicon:\n  x: +noun +p[0]\nlayer:\n  head:\n"
    text += f"{below}    value: +got\n"
    assert list(codes(text)) == ([] if right else ["no-null"])


def test_an_else_is_written_where_nothing_matches():
    program = program_with("at: -1\nvalue: id>got\nelse: -7got")
    assert got(program, ["a", "b", "c"]) == [-7, 1, 2]


def test_a_role_binds_what_was_found_and_what_was_not():
    program = program_with("at: -1\nvalue: id>got\nrole: val>got\nelse: +2got")
    assert got(program, ["a", "b", "c"]) == [2 * 1, 1 * 2, 2 * 3]


def test_products_of_what_is_there_and_what_is_here():
    program = program_with("look: self\nbind: id*val > got, -2val*noun > got")
    assert got(program, ["a", "b", "c"]) == [1 - 2, 4 - 4, 9]


def test_an_output_map_sums_features_of_the_filler():
    program = program_with("at: -1\nvalue: id>f, val>g\nrole: val>g\nout: f>got, -g>got, +3got")
    assert got(program, ["a", "b", "c"]) == [3, 1 - 1 * 2 + 3, 2 - 2 * 3 + 3]


def test_queries_may_be_shared_out_over_keys():
    program = program_with("query: noun>f\nkey: +f\nvalue: id>got\nnormalize: queries")
    assert got(program, ["a", "c", "b"]) == [3, 0, 3]


def test_a_list_in_a_loop_goes_on():
    program = program_with("look: self\nfor k in 0..1:\n  value: p[k] > got")
    assert got(program, ["d", "e", "a"]) == [1, 1, 0]


def test_a_relation_weighs_what_it_compares():
    text = LEXICON.replace(
        "layer:", "below: for q in 0..2 for r in 0..2 if q < r: {1 + (q-r)/8} p[r] ~ p[q]\nlayer:"
    )
    program = parse_program(text + "    match: p ~ below ~ p\n    value: id>got\n")
    assert got(program, ["d", "e", "a"]) == [0, 4, 0]


@pytest.mark.parametrize(("given_", "sharpness"), [("sharpness: 3", 3.0), ("", 128.0)])
def test_a_sharpness_is_as_given_or_follows_from_the_gap(given_, sharpness):
    program = program_with(f"match: noun ~ verb\nvalue: id>got\n{given_}".strip())
    head = head_of(program)
    assert head.sharpness == sharpness
    assert head.null is not None
    assert head.null.score == 0.5


@pytest.mark.parametrize(
    ("key", "score"), [("val", 0.5), ("wide", 0.5), ("2val", 1.0), ("noun", 0.5)]
)
def test_a_null_key_lies_below_the_smallest_value_that_matches(key, score):
    head = head_of(program_with(f"query: +f\nkey: {key}>f\nvalue: id>got\nelse: 0"))
    assert head.null is not None
    assert head.null.score == score


CLASSES = """
semes: noun verb free seen
lexicon:
  dog: +noun
  run: +verb
layer one:
  head:
    at: -1
    copy: verb as prev
  feedforward:
    free: {rule}
layer two:
  head:
    look: before
    nearest: verb | free
    value: +seen
"""


@pytest.mark.parametrize(
    ("rule", "codes"),
    [
        ("noun & prev.verb", []),
        ("noun | noun & prev.verb", []),
        ("1 when noun & !prev.verb", []),
        ("!verb & prev.verb", ["overlapping-flags"]),
        ("noun | prev.verb", ["overlapping-flags"]),
    ],
)
def test_nearest_knows_by_rules_which_tokens_have_a_flag(rule, codes):
    assert [d.code for d in analyse(CLASSES.format(rule=rule), "t.seme", None)[1]] == codes


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ("query: noun>f, val>g\nkey: +f, val>g\nelse: 0\nvalue: id>got", "no-null"),
        ("query: +f\nkey: free>f\nelse: 0\nvalue: id>got", "no-null"),
        ("highest: val\nelse: 0\nvalue: id>got", "no-null"),
        ("nearest: noun\nvalue: id>got", "needs-look"),
        ("nearest: noun | pl\nlook: before\nvalue: id>got", "overlapping-flags"),
        ("nearest: noun & (pl | verb)\nlook: before\nvalue: id>got", "not-linear"),
        ("where: val > 2\nvalue: id>got", "not-linear"),
        ("where: noun | verb\nvalue: id>got", "not-linear"),
        ("at: +1\nkeypos: +1\nvalue: id>got", "two-addresses"),
        ("value: id>got\nvalue: noun>got", "duplicate-field"),
        ("value: id>got\nrole: noun>found", "role-without-value"),
        ("at: -1\nvalue: id>got\nelse: +found", "else-without-value"),
        ("query: noun>f\nkey: noun>g\nvalue: id>got", "unmatched-feature"),
        ("look: before", "missing"),
        ("from: encoder\nvalue: id>got", "not-here"),
    ],
)
def test_heads_that_cannot_be_are_refused(fields, code):
    text = LEXICON + "".join(f"    {line}\n" for line in fields.splitlines())
    assert set(codes(text)) == {code}
