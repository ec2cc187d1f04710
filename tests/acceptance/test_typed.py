"""Sentences as people type them are answered as the bare ones of the sets are."""

import csv
from functools import cache
from pathlib import Path

import pytest

import progtf
from progtf.running.interpret import Interpreter

ROOT = Path(__file__).parents[2]
SETS = ROOT / "tests" / "data" / "language"
PROGRAMS = ROOT / "examples" / "language"

TYPED = {
    "a capital and a stop": lambda text: f"{text[0].upper()}{text[1:]}.",
    "shouted": lambda text: f"{text.upper()}!",
    "quoted": lambda text: f"“{text[0].upper()}{text[1:]}.”",
    "quoted at a typewriter": lambda text: f'"{text}"',
    "in single quotes": lambda text: f"'{text}.'",
    "with blanks": lambda text: f"  {text.replace(' ', '  ')} . ",
    "with no-break blanks": lambda text: text.replace(" ", "\u00a0") + "?",
    "with dots": lambda text: f"{text}…",
    "with three dots": lambda text: f"{text}...",
    "in guillemets": lambda text: f"«\u202f{text}\u202f»",
}


def column(file: str, name: str) -> list[str]:
    with (SETS / file).open(encoding="utf-8", newline="") as lines:
        return list(dict.fromkeys(row[name] for row in csv.DictReader(lines, delimiter="\t")))


@cache
def interpreter(name: str) -> Interpreter:
    return Interpreter(progtf.load(PROGRAMS / f"{name}.seme"))


@cache
def answers(name: str, texts: tuple[str, ...]) -> list[str]:
    return interpreter(name).run([*texts])


@pytest.mark.parametrize("how", TYPED)
@pytest.mark.parametrize(
    "file", ["grammaticality.tsv", "grammaticality_constructions.tsv", "grammaticality_edits.tsv"]
)
def test_sentences_are_judged_alike_however_they_are_typed(file, how):
    bare = tuple(column(file, "sentence"))
    typed = [TYPED[how](text) for text in bare]
    assert interpreter("grammaticality").run(typed) == answers("grammaticality", bare)


@pytest.mark.parametrize("how", TYPED)
@pytest.mark.parametrize("file", ["translation.tsv", "translation_constructions.tsv"])
def test_sentences_are_translated_alike_however_they_are_typed(file, how):
    bare = tuple(column(file, "english"))
    typed = [TYPED[how](text) for text in bare]
    assert interpreter("translation").run(typed) == answers("translation", bare)
