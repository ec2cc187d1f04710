"""Sentences as people type them, cut by ``std/sentences.seme``; names; unlisted words."""

import json

import pytest

from progtf import compile as compiled
from progtf.building.load import parse_program
from progtf.cli import main as cli
from progtf.program.interface import interface_of
from progtf.program.tokens import InputError, Reader
from progtf.reference import Reference
from progtf.running.interpret import Interpreter

WORDS = """
use "std/sentences.seme"
semes: word
spelling:
  keep: "a.m."
lexicon:
  the dogs sleep he she it is are do does did not can will I am you they we have and: +word
  cat laughs: +word
  "7" "3.5" "well-known" "U.S." "," ";" ":": +word
"""
TYPED = [
    ("the dogs sleep", "the dogs sleep"),
    ("The dogs sleep.", "the dogs sleep"),
    ("THE DOGS SLEEP!", "the dogs sleep"),
    ("the Dogs sleep?", "the dogs sleep"),
    ("The dogs sleep...", "the dogs sleep"),
    ("The dogs sleep…", "the dogs sleep"),
    ("The dogs sleep?!", "the dogs sleep"),
    ("  The  dogs   sleep . ", "the dogs sleep"),
    ("The\u00a0dogs\u202fsleep.", "the dogs sleep"),
    ("The\tdogs\u3000sleep.", "the dogs sleep"),
    ("“The dogs sleep.”", "the dogs sleep"),
    ("“The dogs sleep”.", "the dogs sleep"),
    ('"The dogs sleep."', "the dogs sleep"),
    ("'The dogs sleep.'", "the dogs sleep"),
    ("‘The dogs sleep.’", "the dogs sleep"),
    ("„The dogs sleep.“", "the dogs sleep"),
    ("« The dogs sleep. »", "the dogs sleep"),
    ('The "dogs" sleep.', "the dogs sleep"),
    ("The ‘dogs’ sleep.", "the dogs sleep"),
    ("The dogs sleep, and he laughs.", "the dogs sleep , and he laughs"),
    ("The dogs sleep,and he laughs.", "the dogs sleep , and he laughs"),
    ("The dogs sleep; he laughs.", "the dogs sleep ; he laughs"),
    ("The dogs: they sleep.", "the dogs : they sleep"),
    ("He doesn't sleep.", "he does not sleep"),
    ("He doesn’t sleep.", "he does not sleep"),
    ("HE DOESN'T SLEEP.", "he does not sleep"),
    ("They don't sleep.", "they do not sleep"),
    ("They can't sleep.", "they can not sleep"),
    ("They cannot sleep.", "they can not sleep"),
    ("He won't sleep.", "he will not sleep"),
    ("I'm the cat.", "I am the cat"),
    ("i’m the cat", "I am the cat"),
    ("It's the cat.", "it is the cat"),
    ("She’s the cat.", "she is the cat"),
    ("They're dogs.", "they are dogs"),
    ("He'll sleep.", "he will sleep"),
    ("We've dogs.", "we have dogs"),
    ("7 dogs sleep.", "7 dogs sleep"),
    ("3.5 dogs sleep.", "3.5 dogs sleep"),
    ("The well-known dogs sleep.", "the well-known dogs sleep"),
    ("The well\u2011known dogs sleep.", "the well-known dogs sleep"),
    ("The U.S. sleep.", "the U.S. sleep"),
    ("The do\u00adgs sl\u200beep.", None),  # a soft hyphen is not seen, a blank of no width parts
    ("The do\u00adgs sleep.", "the dogs sleep"),
    ("The\u200bdogs sleep.", "the dogs sleep"),
    ("\ufeffThe dogs sleep.", "the dogs sleep"),
    ("The dogs sleep。", "the dogs sleep"),
    ("The dogs sleep！", "the dogs sleep"),
]


def reader(text: str) -> Reader:
    return Reader.of(interface_of(parse_program(text)))


@pytest.mark.parametrize(("text", "due"), TYPED)
def test_a_sentence_becomes_the_words_that_it_has(text, due):
    if due is None:
        with pytest.raises(InputError):
            reader(WORDS).read(text)
    else:
        assert " ".join(reader(WORDS).read(text)) == due


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The dogs. He sleep.", "token 3, `.`"),  # two sentences
        ("The dogs — he sleep.", "token 3, `—`"),
        ("The dogs—he sleep.", "token 3, `—`"),
        ("The dogs--he sleep.", "token 3, `--`"),
        ("The (dogs) sleep.", "token 2, `(dogs`"),
        ("Doesn't he sleep?", "token 1, `Doesn't`"),  # another order than "does not he sleep"
        ("The dog's cat.", "token 2, `dog's`"),
        ("He ain't.", "token 2, `ain't`"),
        ("...", "the input is empty"),
        ("“”", "the input is empty"),
    ],
)
def test_what_is_not_read_is_named(text, named):
    with pytest.raises(InputError, match=named.replace("(", r"\(").replace(".", r"\.")):
        reader(WORDS).read(text)


@pytest.mark.parametrize(("text", "due"), [(text, due) for text, due in TYPED if due])
def test_every_token_stands_where_it_was_typed(text, due):
    placed = reader(WORDS).placed(text)
    places = [token.place for token in placed]
    assert places == sorted(places)
    for token, (first, behind) in zip(placed, places, strict=True):
        typed = text[first:behind].strip()
        same = typed.lower().replace("\u2011", "-").replace("\u00ad", "") == token.lower()
        assert same or "'" in typed or "’" in typed or typed.lower() == "cannot"


# ------------------------------------------------------------------ capitals and names

PAIRS = [
    ("May", "may"), ("US", "us"), ("Mark", "mark"), ("Will", "will"), ("Bill", "bill"),
    ("Rose", "rose"), ("Hope", "hope"), ("Grace", "grace"), ("Art", "art"), ("Frank", "frank"),
    ("Jack", "jack"), ("Pat", "pat"), ("Sue", "sue"), ("Drew", "drew"), ("Rob", "rob"),
    ("Polish", "polish"), ("Turkey", "turkey"), ("China", "china"), ("March", "march"),
    ("August", "august"), ("IT", "it"), ("WHO", "who"), ("AM", "am"), ("Reading", "reading"),
]  # fmt: skip
"""A name, and a word that has the same letters."""
ALONE = ["Emma", "Paris", "London", "NASA", "iPhone", "McDonald", "Ötzi", "Łódź", "O'Neil", "I"]
"""Names whose letters are no other word's."""
NAMES = "\n".join(
    ['use "std/sentences.seme"', "semes: name word", "lexicon:"]
    + [f'  "{name}": +name\n  "{word}": +word' for name, word in PAIRS]
    + [f'  "{name}": +name' for name in ALONE]
)


@pytest.mark.parametrize(("name", "word"), PAIRS)
def test_a_name_is_never_lost_to_a_word_nor_a_word_to_a_name(name, word):
    read = reader(NAMES).read
    assert read(f"{word} {name} {word}.") == [word, name, word]
    assert read(f"{name} {word}.") == [name, word]


@pytest.mark.parametrize("name", ALONE)
def test_a_name_is_found_in_any_case(name):
    read = reader(NAMES).read
    for typed in (name, name.lower(), name.upper(), f"“{name}”."):
        assert read(f"will {typed}") == ["will", name]


@pytest.mark.parametrize(
    ("typed", "due"),
    [
        ("MAY", "may"), ("Us", "us"), ("MARK", "mark"), ("wHo", "who"), ("It", "it"), ("Am", "am"),
    ],
)  # fmt: skip
def test_where_neither_is_as_typed_it_is_the_word_in_lower_case(typed, due):
    assert reader(NAMES).read(f"will {typed}") == ["will", due]


STRICT = 'semes: word\nlexicon:\n  the he she May "don\'t" dogs dog: +word\n'


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("The", "the"), ("THE", "the"), ("He", "he"), ("may", "May"), ("MAY", "May"),
        ("don’t", "don't"), ("DON’T", "don't"), ("Dogs", "dogs"), ("dosg", "dog"), ("thee", "the"),
    ],
)  # fmt: skip
def test_an_unknown_word_is_told_by_its_case_first(typed, meant):
    with pytest.raises(
        InputError, match=f"`{typed}`, is not in the lexicon; did you mean `{meant}`"
    ):
        reader(STRICT).read(f"the {typed}")


@pytest.mark.parametrize(("typed", "meant"), [("1000", "100"), ("5000", "500"), ("-1000", "-100")])
def test_of_thousands_of_words_the_same_one_is_named_in_every_process(typed, meant):
    numbers = reader('semes: word\nlexicon:\n  for n in -999..999:\n    "{n}": +word\n')
    with pytest.raises(InputError, match=f"did you mean `{meant}`"):
        numbers.read(typed)


# ------------------------------------------------------------------ words that are not listed

GUESSING = """
use "std/sentences.seme"
semes: noun verb adj adv past pl name number loud not.so
spelling:
  unknown digits > number
  unknown capital > name
  unknown "un-" > adj not.so
  unknown "-ly" > adv
  unknown "-ed" > verb past
  unknown "-ing" > verb
  unknown "-ness" > noun
  unknown "-s" > noun pl
  capitals > loud
lexicon:
  the a dog bed ring is we US us May may: +noun
"""
GUESSED = [
    ("we jumped", "jumped", {"verb", "past"}),
    ("we walked.", "walked", {"verb", "past"}),
    ("we JUMPED", "JUMPED", {"name", "loud"}),  # the first line that fits
    ("Jumped the dog", "Jumped", {"verb", "past"}),
    ("the quickly dog", "quickly", {"adv"}),
    ("Slowly the dog", "Slowly", {"adv"}),
    ("the wombats", "wombats", {"noun", "pl"}),
    ("Wombats is", "Wombats", {"noun", "pl"}),
    ("the running dog", "running", {"verb"}),
    ("the happiness", "happiness", {"noun"}),
    ("the unhappy dog", "unhappy", {"adj", "not.so"}),
    ("the untied dog", "untied", {"adj", "not.so"}),
    ("the Boris", "Boris", {"name"}),
    ("we is Boris.", "Boris", {"name"}),
    ("the Jumped", "Jumped", {"name"}),
    ("the McDonald", "McDonald", {"name"}),
    ("the “Boris”", "Boris", {"name"}),
    ("the Élan", "Élan", {"name"}),
    ("the NASA", "NASA", {"name", "loud"}),
    ("the 12", "12", {"number"}),
    ("the 12th", "12th", {"number"}),
    ("the 3.5", "3.5", {"number"}),
    ("the 1,000", "1,000", {"number"}),
    ("12 is", "12", {"number"}),
    ("the B52", "B52", {"number", "loud"}),
    ("the 10:30", "10:30", {"number"}),
]
KNOWN = ["the", "dog", "bed", "ring", "is", "we", "US", "us", "May", "may", "Bed", "RING", "Is"]
REFUSED = [
    "zog",
    "Zog is",
    "the zog",
    "ed is",
    "ly",
    "un is",
    "the -",
    "THE BORIS IS A ZOG",
    "blip",
]


@pytest.mark.parametrize(("text", "word", "due"), GUESSED)
def test_a_word_that_is_not_listed_is_told_by_its_spelling(text, word, due):
    program = parse_program(GUESSING)
    interpreter = Interpreter(program)
    tokens = [*map(str, interpreter.reader.read(text))]
    row = dict(
        zip(
            program.space.names,
            interpreter.answers([text])[0].residual[tokens.index(word)],
            strict=True,
        )
    )
    assert {name for name, value in row.items() if value} == due
    assert interpreter.reader.read(text)[tokens.index(word)].guess


@pytest.mark.parametrize("word", KNOWN)
def test_a_listed_word_is_never_guessed(word):
    assert not reader(GUESSING).read(f"the {word}")[-1].guess


@pytest.mark.parametrize("text", REFUSED)
def test_what_no_line_fits_is_refused(text):
    with pytest.raises(InputError, match="is not in the lexicon"):
        reader(GUESSING).read(text)


def test_network_reference_and_interpreter_guess_alike():
    program = parse_program(GUESSING)
    texts = [text for text, _, _ in GUESSED]
    said = Interpreter(program).run(texts)
    assert compiled(program, "float64").run(texts) == said
    from progtf.building.load import flat_program  # noqa: PLC0415  beside what it is held against

    assert (
        Reference(flat_program(GUESSING, "<test>", None), interface_of(program)).run(texts) == said
    )


def test_what_is_guessed_is_marked_and_stdout_stays_the_answer(tmp_path, capsys, monkeypatch):
    file = tmp_path / "guessing.seme"
    file.write_text(GUESSING)
    monkeypatch.setattr("sys.argv", ["progtf", "run", str(file), "We jumped.", "--json"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert not end.value.code
    out, err = capsys.readouterr()
    (_, jumped) = json.loads(out)["tokens"]
    assert jumped["guessed"] == 'unknown "-ed"'
    assert (jumped["known"], jumped["from"], jumped["to"]) == (False, 3, 9)
    assert 'text 1: `jumped` is not in the lexicon: read by `unknown "-ed"`' in err
