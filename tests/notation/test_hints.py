"""Whoever writes as in other languages is told how it is written here."""

import re

import pytest

from benchmarks.fuzz_notation import texts
from progtf.building.load import analyse, unread_examples
from progtf.notation.grammar import grammar_text
from progtf.notation.parse_errors import HIDDEN, called
from progtf.notation.parser import grammar


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("feedforward:\n    yum: a or b", "|"),
        ("feedforward:\n    yum: a || b", "|"),
        ("feedforward:\n    yum: a and b", "&"),
        ("feedforward:\n    yum: a && b", "&"),
        ("feedforward:\n    yum: not a", "!"),
        ("feedforward:\n    yum: a <> b", "!="),
    ],
)
def test_operators_of_other_languages_get_a_hint(line: str, meant: str) -> None:
    text = f"semes: a b yum\nlexicon:\n  x: +a +b\nlayer:\n  {line}\n"
    _, found = analyse(text, "<test>", None)
    assert [(d.code, d.help) for d in found] == [("syntax", f"that is written `{meant}` here")]


@pytest.mark.parametrize(
    ("line", "help_"),
    [
        ("layer:\n  head:\n    value: a -> yum", "did you mean `>`?"),
        ("layer:\n  head:\n    value: a->yum", "did you mean `>`?"),
        ("layer:\n  feedforward:\n    a -> yum", "`yum: a`"),
        ("layer:\n  a -> yum", "`yum: a`, what a head copies `a>yum`"),
        ("a -> yum", "`yum: a`, what a head copies `a>yum`"),
        ("lexicon:\n  y -> +a", "did you mean `:`?"),
    ],
)
def test_an_arrow_in_place_of_another_mark_is_marked_whole(line: str, help_: str) -> None:
    _, found = analyse(f"semes: a b yum\nlexicon:\n  x: +a +b\n{line}\n", "<test>", None)
    assert [(d.code, d.headline) for d in found] == [("syntax", "unexpected `->`")]
    span = found[0].span
    assert span.source.lines[span.line - 1][span.start : span.end] == "->"
    assert found[0].help.endswith(help_)


@pytest.mark.parametrize(
    ("answers", "example", "marked", "help_"),
    [
        ("", "x -> x: +nuon", "nuon", "did you mean `noun`?"),
        ("", "y -> x: +noun", "y", ""),
        ("output:\n  dog: noun\n", "x -> dgo", "dgo", "did you mean `dog`?"),
    ],
)
def test_a_typo_in_an_example_is_marked_where_it_stands(answers, example, marked, help_):
    text = f"semes: noun\nlexicon:\n  x: +noun\n{answers}examples:\n  {example}\n"
    program, _ = analyse(text, "<test>", None)
    (found,) = unread_examples(program)
    span = found.span
    assert span.source.lines[span.line - 1][span.start : span.end] == marked
    assert found.help == help_


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("c: max(a, b)", "`m: a when a >= b` and `m: b when a < b`"),
        ("c: min(a, b)", "`m: a when a <= b` and `m: b when a > b`"),
        ("c: a if a > b", "`when`"),
        ("c: a when a > b else b", "a rule of its own"),
        ("c: a * b", "`bind:`"),
        ("c: a when 0 < a < b", "`0 < a & a < b`"),
        ("c: a div 2 + b", "behind `mod` and `div`"),
    ],
)
def test_a_rule_of_other_languages_gets_a_hint(line: str, meant: str) -> None:
    semes = "semes: a: 0..9 b: 0..9 c: 0..9\nlexicon:\n  x: +a +b\n"
    _, found = analyse(f"{semes}layer:\n  feedforward:\n    {line}\n", "<test>", None)
    assert [d.code for d in found] == ["syntax"]
    assert meant in found[0].help


def test_an_example_without_an_answer_gets_no_such_hint() -> None:
    text = "semes: a\nlexicon:\n  x: +a\nexamples:\n  x ->\n"
    _, found = analyse(text, "<test>", None)
    assert [(d.code, d.help) for d in found] == [("syntax", "")]


def test_a_seme_may_be_called_like_an_operator_elsewhere() -> None:
    text = "semes: a not or\nlexicon:\n  x: +a +not\nlayer:\n  feedforward:\n    or: a | not\n"
    program, found = analyse(text, "<test>", None)
    assert program is not None
    assert found == ()


def test_an_else_that_cannot_come_about_is_explained() -> None:
    text = "semes: a b\nlexicon:\n  x: +a\nlayer:\n  head:\n    value: a>b\n    else: 0\n"
    _, found = analyse(text, "<test>", None)
    assert [d.code for d in found] == ["no-null"]
    assert found[0].headline == "this head always finds something, so its `else` cannot come about"


@pytest.mark.parametrize(
    "text",
    [
        "semes: pig\nlexicon:\n  x: 1e3pig\n",
        "semes: pig\nlexicon:\n  x: +pig -1e3pig\n",
        "let k = 1e3\n",
        "semes:\n  pig: 0..1e3\n",
    ],
)
def test_an_exponent_without_its_sign_is_told(text: str) -> None:
    _, found = analyse(text, "<test>", None)
    assert found[0].help.startswith("the exponent of a number needs a sign: `1e+3")


def test_a_seme_may_be_called_like_an_exponent() -> None:
    program, found = analyse("semes: e1 e2\nlexicon:\n  x: 2e1 + 3e2\n", "<test>", None)
    assert found == ()
    assert program is not None
    assert dict(program.lexicon["x"]) == {"e1": 2.0, "e2": 3.0}


@pytest.mark.parametrize("index", ["{1..3}", "{...}", "...", "1, {k}"])
def test_braces_in_an_index_are_told(index: str) -> None:
    _, found = analyse(f"semes:\n  pos[{index}]\n", "<test>", None)
    assert found[0].help.startswith("an index stands without braces")


def test_every_terminal_of_the_grammar_has_a_name_that_a_person_reads() -> None:
    shown = [t.name for t in grammar().terminals if t.name not in {*HIDDEN, "__IGNORE_0"}]
    names = {name: called(name, grammar()) for name in shown}
    assert all("\\" not in name and "(?" not in name for name in names.values()), names
    assert all("`" in name or " " in name for name in names.values()), names


def test_no_message_shows_a_name_of_the_grammar() -> None:
    mentioned = {*grammar_text().split(), *(t.name for t in grammar().terminals)}
    mentioned = {re.sub(r"[^\w]", "", name.partition(".")[0]).lower() for name in mentioned}
    technical = {name for name in mentioned if "_" in name.strip("_") or name.startswith("_")}
    assert {"_one", "head_line"} <= technical
    labels = [
        found.label
        for text in texts(400, seed=4)
        for found in analyse(text, "<test>", None)[1]
        if found.code in ("syntax", "unknown-key")
    ]
    assert len({label for label in labels if label.startswith("expected")}) > 50
    for label in labels:
        words = set(re.findall(r"\w+", re.sub("`[^`]*`", "", label).lower()))
        assert not words & technical, label
