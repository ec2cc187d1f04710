"""``examples/language/scan.seme``: commands into actions, as SCAN's grammar has them."""

import gzip
import itertools
import random
from pathlib import Path

import pytest

import progtf
from benchmarks.published import missing
from progtf.program.tokens import InputError
from progtf.published import data_folder

PROGRAM = Path(__file__).parents[2] / "examples" / "language" / "scan.seme"
DATA, ABSENT = data_folder() / "scan", missing("scan")
SPLITS = (
    *("simple", "length", "addprim_jump", "addprim_turn_left", "template_around_right"),
    *("template_jump_around_right", "template_opposite_right", "template_right"),
)
TURNS = {"left": ["I_TURN_LEFT"], "right": ["I_TURN_RIGHT"]}
ACTS = {verb: [f"I_{verb.upper()}"] for verb in ("walk", "look", "run", "jump")} | {"turn": []}
TIMES = {"twice": 2, "thrice": 3}
WORDS = (*ACTS, *TURNS, *TIMES, "opposite", "around", "and", "after")


def phrases() -> dict[str, list[str]]:
    """The phrases of SCAN and their actions, by the rules of Lake and Baroni (2018, figure 6)."""
    once = {verb: act for verb, act in ACTS.items() if act}
    for (verb, act), (side, turn) in itertools.product(ACTS.items(), TURNS.items()):
        once[f"{verb} {side}"] = turn + act
        once[f"{verb} opposite {side}"] = turn + turn + act
        once[f"{verb} around {side}"] = (turn + act) * 4
    often = {f"{said} {word}": act * n for said, act in once.items() for word, n in TIMES.items()}
    return once | often


PHRASES = phrases()


def commands() -> dict[str, str]:
    """All commands and what they mean."""
    found = dict(PHRASES)
    for (one, first), (two, second) in itertools.product(PHRASES.items(), repeat=2):
        found[f"{one} and {two}"] = first + second
        found[f"{one} after {two}"] = second + first
    return {said: " ".join(actions) for said, actions in found.items()}


COMMANDS = commands()


@pytest.fixture(scope="module")
def model():
    return progtf.compile(progtf.load(PROGRAM))


def misunderstood(model, pairs: dict[str, str]) -> list[tuple[str, str, str]]:
    """Commands, the actions that are due, and what the program says instead."""
    said = model.run(list(pairs))
    return [(c, due, s) for (c, due), s in zip(pairs.items(), said, strict=True) if s != due]


def test_every_phrase_is_understood_alone_and_in_company(model):
    assert len(COMMANDS) == 20_910
    some = random.Random(17).sample(sorted(COMMANDS), 2_000)
    assert misunderstood(model, {c: COMMANDS[c] for c in (*PHRASES, *some)}) == []


def test_what_is_no_command_is_answered_with_a_question_mark(model):
    texts = [" ".join(t) for n in (1, 2, 3) for t in itertools.product(WORDS, repeat=n)]
    jumbled = random.Random(4)
    texts += [" ".join(jumbled.sample(c.split(), len(c.split()))) for c in sorted(COMMANDS)[::20]]
    texts += [f"{c} and walk" for c in sorted(COMMANDS)[::100]]
    assert sum(text not in COMMANDS for text in texts) > 3_000
    assert misunderstood(model, {text: COMMANDS.get(text, "?") for text in texts}) == []


def test_the_network_says_what_the_program_means(model):
    some = random.Random(3).sample(sorted(COMMANDS), 30)
    assert progtf.interpret(progtf.load(PROGRAM)).run(some) == model.run(some)


@pytest.mark.parametrize("text", ["", "hop left", "walk twice and hop"])
def test_an_empty_command_and_an_unknown_word_are_told(model, text):
    with pytest.raises(InputError):
        model.run(text)


def test_it_is_exact(model):
    assert model.outcome.exact


@pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
@pytest.mark.parametrize("split", SPLITS)
def test_every_test_row_of_a_split_is_right(model, split):
    with gzip.open(DATA / f"{split}.test_public.tsv.gz", "rt", encoding="utf-8") as file:
        rows = dict(line.rstrip("\n").split("\t") for line in file)
    assert len(rows) > 500
    assert misunderstood(model, rows) == []
