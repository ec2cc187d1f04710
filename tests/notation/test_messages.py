"""Messages leave words open; every place that says one gives it as many as it has."""

import ast
import re
from collections.abc import Iterator
from string import Formatter

import pytest

from progtf.building import problems
from progtf.notation import messages
from progtf.notation.diagnostics import Message, Source, Span
from tests.notation.codes import PACKAGES, ROOT

MODULES = {"messages": messages} | {
    f"problems.{name}": vars(problems)[name] for name in problems.__all__
}
MESSAGES = {
    f"{module}.{name}": value
    for module, content in MODULES.items()
    for name, value in vars(content).items()
    if isinstance(value, Message)
}
SPAN = Span(Source("<test>", "animal"), 1, 0, 6)


def _open(message: Message) -> int:
    """How many words a message leaves open."""
    parts = (message.headline, message.label, message.help)
    names = [name for part in parts for _, name, _, _ in Formatter().parse(part) if name]
    return max((int(re.findall(r"^\d+", name)[0]) + 1 for name in names), default=0)


def _said() -> Iterator[tuple[str, Message, ast.Call]]:
    """Every call of a message by its module, with where it stands."""
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in MESSAGES:
                yield f"{path}:{node.lineno}", MESSAGES[ast.unparse(node.func)], node


def test_every_place_that_says_a_message_gives_it_all_its_words():
    said = list(_said())
    assert len(said) > 60
    for place, message, call in said:
        if not any(isinstance(word, ast.Starred) for word in call.args):
            assert len(call.args) - 1 == _open(message), place
        assert any(word.arg == "at" for word in call.keywords) == bool(message.note), place


def test_a_message_names_the_nearest_name_where_it_has_no_help_of_its_own():
    message = Message("a-code", "nothing is called `{0}`", "not {1}")
    said = message(SPAN, "anmal", "here", known=("animal",))
    assert (said.headline, said.label) == ("nothing is called `anmal`", "not here")
    assert said.help == "did you mean `animal`?"
    with pytest.raises(IndexError):
        message(SPAN, "anmal")
