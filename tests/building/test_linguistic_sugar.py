"""Tables, copies, readings, sequences and paradigms mean what they say at length."""

import json
from pathlib import Path

import pytest

from progtf.building.load import analyse
from progtf.program.model import Program
from progtf.running.interpret import Interpreter, answer

TABLE = """word\tkind\tfrench\tfeatures
beautiful\tadj\tbeau\tms=beau;fs=belle
mouse\tnoun\tsouris\tgender=f;number=sg
mice\tnoun\tsouris\tgender=f;number=pl
smile\tverb\tsourire\tpresent=souris/souris/sourit
"""
WORDS = """
let lemmas = column french of "words.tsv" where !kind=verb
semes: lemma[lemmas] smiles noun pl person[0..2] form["ms"] form["fs"]
lexicon from "words.tsv":
  !kind=verb > lemma[french]
  kind=noun > noun
  kind=noun & features has number=pl > pl
  gender=f & kind=noun > form["fs"]
  kind=verb > smiles
"""


@pytest.fixture
def build(tmp_path: Path):
    (tmp_path / "words.tsv").write_text(TABLE, encoding="utf-8")

    def built(text: str) -> Program:
        program, found = analyse(text, "test.seme", tmp_path)
        assert program is not None, [d.headline for d in found]
        return program

    return built


def test_rows_give_what_their_tests_say(build):
    lexicon = build(WORDS).lexicon
    assert lexicon["mice"] == {'lemma["souris"]': 1, "noun": 1, "pl": 1, 'form["fs"]': 1}
    assert lexicon["beautiful"] == {'lemma["beau"]': 1}
    assert lexicon["smile"] == {"smiles": 1}


def test_a_column_is_a_list_of_its_cells_each_once(build):
    names = build(WORDS).space.names
    assert [n for n in names if n.startswith("lemma")] == ['lemma["beau"]', 'lemma["souris"]']


PARADIGM = """
layer:
  head next:
    at: +1
    value: form>form
  feedforward:
    person[2]: smiles
output from "words.tsv":
  for x in [ms, fs]:
    kind=adj > "{x}": lemma[french] & form[x]
  kind=noun > "{french}": lemma[french]
  for k in 0..2:
    kind=verb > "{present[k]}": smiles & person[k]
  "?": 0.75
"""


def test_a_paradigm_spells_complete_cells_only(build):
    program = build(WORDS + PARADIGM)
    assert answer(program, "beautiful mouse smile beautiful").text == "belle souris sourit ?"
    # `souris` is a noun and the first two persons of a verb, whose flags count once.
    assert program.outputs["souris"].coefficients == {
        'lemma["souris"]': 1.0,
        "smiles": 0.5,
        "person[0]": 0.5,
        "person[1]": 0.5,
    }


READINGS = """
semes: word a b c one two rest unit V N odd.order
lexicon:
  w: +word +unit +N
  a: +a +unit +V
  b: +b +a +unit +V
  c: 0
layer:
  head before:
    look: before
    nearest: unit
    copy: a b V N as before
  feedforward:
    reading word:
      +one when before.a
      +two when before.b
      +rest otherwise
    sequence before > odd.order:
      N after V N
      V & b never after V
classify:
  ODD: odd
  otherwise: FINE
"""


@pytest.mark.parametrize(
    ("text", "reading"), [("a w", "one"), ("b w", "one"), ("w", "rest"), ("a c w", "one")]
)
def test_the_first_reading_that_holds_is_taken(build, text, reading):
    program = build(READINGS.split("classify", maxsplit=1)[0])
    residual = answer(program, text).residual[-1]
    up = {name for name in ("one", "two", "rest") if residual[program.space.index[name]]}
    assert up == {reading}


@pytest.mark.parametrize(
    ("text", "odd"), [("a w w", []), ("w", ["w"]), ("a c b", ["b"]), ("a a w", []), ("w b", ["w"])]
)
def test_sequences_name_the_word_that_may_not_stand_there(build, text, odd):
    found = answer(build(READINGS), text)
    assert [reason.token for reason in found.because] == odd
    assert found.text == ("ODD" if odd else "FINE")


def test_reasons_are_the_same_from_interpreter_and_network(build):
    import progtf  # noqa: PLC0415  torch is slow

    program = build(READINGS)
    (network,) = progtf.compile(program).answers(["w a b"])
    (meant,) = Interpreter(program).try_answers(["w a b"])
    assert network.because == meant.because
    assert [(r.token, r.position, r.seme) for r in meant.because] == [
        ("w", 0, "odd.order"),
        ("b", 2, "odd.order"),
    ]
    json.dumps([r.value for r in meant.because])


def test_copies_of_a_family_are_a_family(build):
    program = build("""
semes: place[0..3] first
lexicon:
  a: +place[0]
  b: +place[3]
layer:
  head:
    at: -1
    copy: place as back
  feedforward:
    first: any back.place
""")
    assert [n for n in program.space.names if n.startswith("back")] == [
        f"back.place[{k}]" for k in range(4)
    ]
    assert answer(program, "b a").text == "b: +place[3] | a: +place[0] +first +back.place[3]"


JOINED = """
model:
  kind: seq2seq
  length: 4 -> 4
  join: "'"
semes: elides word BEGIN last END said
lexicon:
  the: +elides
  man: +word
  <bos>: +BEGIN
  <eos>: +END
encoder:
  layer:
    feedforward:
      last: word
decoder:
  layer:
    head written:
      at: -2
      value: +said
output:
  "l'": BEGIN
  homme: 0.5 - BEGIN - 2said
  <eos>: said
"""


def test_words_that_end_so_are_joined_to_the_next_in_text_and_trace(build):
    import progtf  # noqa: PLC0415  torch is slow
    from progtf import decompile  # noqa: PLC0415  torch is slow

    program = build(JOINED)
    assert answer(program, "the man").text == "l'homme"
    model = progtf.compile(program)
    assert model.run("the man") == "l'homme"
    assert model.trace("the man")[-1].tokens == ("<bos>", "l'", "homme")
    assert 'join: "\'"' in decompile(model)


def test_lists_in_lists_are_flat_and_indices_may_be_spelled(build):
    program = build("""
let ends = [det, noun]
let all = [first, ends]
semes: slot[all] S.det
lexicon:
  a: +slot["first"] +slot["noun"]
  for x in ends:
    "{x}": +slot["{x}"]
""")
    assert program.space.names[:3] == ('slot["first"]', 'slot["det"]', 'slot["noun"]')
    assert program.lexicon["noun"] == {'slot["noun"]': 1.0}
