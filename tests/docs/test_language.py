"""``docs/language.md`` tells the truth: programs run, fragments load, mistakes are found."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from progtf import compile as compiled
from progtf.building.load import analyse
from progtf.notation.grammar import grammar_text
from progtf.numbers import EXACT, NOISE
from progtf.program.expected import agrees
from progtf.program.formats import counts_hold
from progtf.program.interface import interface_of
from progtf.running.interpret import answer

PAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
AROUND = {
    "file": [],
    "layer": ["layer the_fragment:"],
    "head": ["layer the_fragment:", "  head the_fragment:"],
    "feedforward": ["layer the_fragment:", "  feedforward:"],
}
TOLERANCES = {way: NOISE[way] for way in ("float64", "float32", "bfloat16")}


@dataclass(frozen=True)
class Snippet:
    """One fenced block: the words behind its fence, its text, and the line it begins in."""

    kind: str
    words: tuple[str, ...]
    text: str
    line: int

    def __str__(self) -> str:
        return f"line{self.line}"


def snippets(*kinds: str) -> list[Snippet]:
    found: list[Snippet] = []
    for match in re.finditer(r"^```([^\n`]*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        kind, *words = match.group(1).split() or [""]
        line = PAGE.count("\n", 0, match.start()) + 1
        if kind in kinds:
            found.append(Snippet(kind, tuple(words), match.group(2), line))
    return found


def whole(fragment: Snippet) -> str:
    """The program that a fragment stands in; its last two words say where: `in head`."""
    (around,) = snippets("seme-around")
    opening = AROUND[fragment.words[-1]]
    lines = ["  " * len(opening) + line for line in fragment.text.splitlines()]
    return "\n".join([around.text, *opening, *lines, ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that programs of this page use."""
    made = tmp_path_factory.mktemp("used")
    for file in snippets("seme-file"):
        (made / file.words[0]).write_text(file.text)
    return made


@pytest.mark.parametrize("snippet", snippets("seme"), ids=str)
def test_programs_do_what_their_examples_say(snippet: Snippet, folder: Path) -> None:
    program, found = analyse(snippet.text, "docs/language.md", folder)
    assert program is not None, [d.headline for d in found]
    assert not found, [d.headline for d in found]
    shape = interface_of(program)
    assert program.examples
    models = {
        dtype: compiled(program, dtype) for dtype in TOLERANCES if counts_hold(program, dtype)
    }
    for example in program.examples:
        said = answer(program, example.input)
        assert agrees(said, example.output, shape, EXACT), f"{example.input} -> {said.text}"
        for dtype, model in models.items():
            (done,) = model.answers([example.input])
            correct = agrees(done, example.output, shape, TOLERANCES[dtype])
            assert correct, f"{dtype}: {example.input} -> {done.text}"


@pytest.mark.parametrize("snippet", snippets("seme-fragment"), ids=str)
def test_fragments_stand_in_a_program(snippet: Snippet) -> None:
    program, found = analyse(whole(snippet), "docs/language.md", None)
    assert program is not None, [d.headline for d in found]
    compiled(program).run("this that")


@pytest.mark.parametrize("snippet", snippets("seme-error"), ids=str)
def test_what_is_said_to_be_refused_is_refused(snippet: Snippet, tmp_path: Path) -> None:
    program, found = analyse(whole(snippet), "docs/language.md", tmp_path)
    assert program is None
    assert {d.code for d in found if d.severity == "error"} == {snippet.words[0]}


def test_every_fence_is_known() -> None:
    every = len(re.findall(r"^```", PAGE, re.MULTILINE)) // 2
    known = snippets("", "seme", "seme-file", "seme-fragment", "seme-error", "seme-around")
    assert len(known) == every
    # Text without a mark is what no program can hold: a formula, lines that need a table,
    # what a command prints.
    assert len(snippets("")) == 7


def test_the_program_around_the_fragments_is_a_program() -> None:
    (around,) = snippets("seme-around")
    program, found = analyse(around.text, "docs/language.md", None)
    assert program is not None
    assert not found


# ------------------------------------------------------------------ the table of keywords


def keywords_of_the_grammar() -> set[str]:
    """Every word in quotes or in a choice of words in the grammar."""
    grammar = re.sub(r"(?m)//.*$", "", grammar_text())
    words = set(re.findall(r'"([a-z][a-z0-9]+)"', grammar))
    words |= set(re.findall(r"/([a-z]+)\(\?=", grammar))
    for choice in re.findall(r"\(\?:([a-z0-9|]+)\)", grammar):
        words |= set(choice.split("|"))
    return words


def table_of_keywords() -> str:
    return PAGE.partition("\n## All keywords")[2].partition("\n## ")[0]


def test_the_table_has_every_keyword() -> None:
    told = set(
        re.findall(r"[a-z][a-z0-9]*", " ".join(re.findall(r"`([^`]*)`", table_of_keywords())))
    )
    grammar = keywords_of_the_grammar()
    assert len(grammar) > 60
    assert grammar - told == set()


def test_the_table_has_nothing_but_keywords() -> None:
    """The first column, that is; the others explain."""
    rows = [line for line in table_of_keywords().splitlines() if line.startswith("| `")]
    first = " ".join(row.split(" | ")[0] for row in rows)
    told = set(re.findall(r"\b[a-z][a-z0-9]*\b", " ".join(re.findall(r"`([^`]*)`", first))))
    more = {"bos", "eos", "with", "between", "numbers", "terms"}
    assert told - keywords_of_the_grammar() - more == set()


# ------------------------------------------------------------------ the contents


def test_the_contents_name_the_headings() -> None:
    listed = re.findall(r"^- \[(.*)\]\(#(.*)\)$", PAGE, re.MULTILINE)
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert [title for title, _ in listed] == headings[: len(listed)]
    for title, anchor in listed:
        assert anchor == re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
