"""Texts with figures in them: Markdown whose fences called ``figure`` are programs to change."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from progtf.cli.messages import UserError
from progtf.cli.page_body import drawn
from progtf.cli.texts import as_text, read_text
from progtf.program.tokens import InputError
from progtf.views.figure import PANELS
from progtf.views.page import live

Data = dict[str, Any]
FENCE = "figure"
WORDS = ("program", "input", "panels", "only", "focus", "head", "token", "recorded")
"""What a figure may say, a line for each: see ``docs/notebooks.md``."""
KINDS = ("matrix", "training")
"""What a recorded figure may be."""


@dataclass(frozen=True)
class Chapter:
    """A page of text.

    Attributes:
        title: its first heading.
        about: its first paragraph, as text.
        body: HTML with figures.
    """

    title: str
    about: str
    body: str


def chapter(file: Path, python: str) -> Chapter:
    """The chapter in a Markdown file; HTML in it is shown as text.

    Args:
        file: figures name their programs as this file sees them.
        python: the folder of Python for browsers, as the page sees it.

    Raises:
        UserError: if the file or a figure cannot be read.
    """
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(read_text(file))
    for token in tokens:
        if token.type == "fence" and token.info.strip() == FENCE:
            token.type = FENCE
            token.content = _figure(file, token, python)
    reader.add_render_rule(FENCE, _as_it_is)
    title = _first(tokens, "heading_open") or as_text(file.stem)
    return Chapter(title, _first(tokens, "paragraph_open"), _led(reader, tokens))


def _as_it_is(_self: object, tokens: list[Token], place: int, *_: object) -> str:
    return tokens[place].content


def _led(reader: MarkdownIt, tokens: list[Token]) -> str:
    """HTML whose links to other chapters lead to their pages."""
    for token in (inner for each in tokens for inner in each.children or ()):
        where = str(token.attrGet("href") or "")
        if where.endswith(".md") and ":" not in where:
            token.attrSet("href", f"{where.removesuffix('.md')}.html")
    return reader.renderer.render(tokens, reader.options, {})


def _first(tokens: list[Token], kind: str) -> str:
    """The text of the first heading or paragraph."""
    for token, inner in pairwise(tokens):
        if token.type == kind:
            return "".join(each.content or " " for each in inner.children or ()).strip()
    return ""


def _figure(file: Path, token: Token, python: str) -> str:
    place = f"{file}:{(token.map or [0])[0] + 1}"
    said = _said(token.content, place)
    if "recorded" in said:
        return _recorded(file.parent / said["recorded"], place)
    if "program" not in said:
        raise UserError(f"{place}: a figure names its `program:`, or what is `recorded:`")
    panels = tuple(said.get("panels", " ".join(PANELS)).split())
    wrong = [panel for panel in panels if panel not in PANELS]
    if wrong:
        raise UserError(f"{place}: panel `{wrong[0]}` is none of {', '.join(PANELS)}")
    begin: Data = {name: said[name] for name in ("only", "focus", "head") if name in said}
    if "token" in said:
        begin["token"] = _number(said["token"], place)
    try:
        data, still = drawn(file.parent / said["program"], said.get("input"), python, panels, begin)
    except InputError as error:
        raise UserError(f"{place}: `input: {said['input']}`: {error}") from None
    return live("playground", data, still, python)


def _said(content: str, place: str) -> Mapping[str, str]:
    """The lines of a figure: ``name: value``."""
    pairs = [line.partition(":")[::2] for line in content.splitlines() if line.strip()]
    said = {name.strip(): value.strip() for name, value in pairs}
    wrong = [name for name in said if name not in WORDS]
    if wrong:
        raise UserError(f"{place}: a figure has no `{wrong[0]}`: it has {', '.join(WORDS)}")
    return said


def _number(said: str, place: str) -> int:
    if not said.isdecimal():
        raise UserError(f"{place}: `token: {said}` is no position")
    return int(said)


def _recorded(path: Path, place: str) -> str:
    """A matrix or a training as it was once."""
    try:
        found = json.loads(read_text(path), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place}: {path} is no recorded figure: {error}") from None
    known = isinstance(found, dict) and found.get("kind") in KINDS
    if not known or not isinstance(found.get("data"), dict):
        raise UserError(f"{place}: {path} is no recorded figure of kind {' or '.join(KINDS)}")
    return live(found["kind"], found["data"])


def _no_number(said: str) -> None:
    raise ValueError(f"{said} is no number that a page can read")
