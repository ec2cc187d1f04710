"""Texts from outside are shown as they are in Markdown that is made here, and never obeyed."""

import re
from html import escape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from progtf.lsp.document import Document
from progtf.lsp.hover import hover
from progtf.markup import as_code, as_text, fenced
from progtf.terminal import plain

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = [
    "[a](https://b.c)", "![a](https://b.c/d.png)", "<https://b.c>", "https://b.c/d?e=f&g",
    "a@b.c", "<b>bold</b>", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "<!-- a -->", "www.b.c",
    "&lt;b&gt;", "&#x3c;b&#x3e;", "`a`", "``a` b", "```\na\n```", "~~~ a", "*a*", "**a**", "_a_",
    "__a__", "a_b_c", "~~a~~", "~a~", "# a", "## a ##", "- a", "+ a", "* a", "1. a", "12345) a",
    "> a", "---", "***", "===", "| a | b |", "a|b", "[a]: https://b.c", "[^1]", "$a$", "$$a$$",
    "command:workbench.action.quit", "[a](command:b)", ":smile:", "a\\", "\\",
    "\\[a\\](b)", "a  \nb",
    "a\n# b", "a\n\n\n> b", "    a", "\ta", "\x1b[31mred", "\u202eabc", "javascript:alert(1)",
    "[[a]]", "{{a}}", "${a}", "<details><summary>a", "</td></tr></table>", "a\rb", "a\x0b# b",
    "file:///etc/passwd", "ftp://a.b", "![](data:image/png;base64,AAAA)", "0. a", "=", "-",
    "+", ":",
]  # fmt: skip


class Shown(HTMLParser):
    """The text of HTML, and the tags in it."""

    def __init__(self, html):
        super().__init__()
        self.text, self.tags = "", []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        del attrs
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def one_line(text):
    return " ".join(plain(text).split())


def check_text(text):
    shown = Shown(READER.render(f"{as_text(text)}\n"))
    assert shown.text.strip("\n") == one_line(text)
    assert set(shown.tags) <= {"p"}
    row = READER.render(f"| a | b |\n| - | - |\n| {as_text(text)} | 1 |\n")
    assert f"<td>{escape(one_line(text), quote=False)}</td>\n<td>1</td>" in row.replace(
        "&quot;", '"'
    )
    heading = Shown(READER.render(f"# {as_text(text)}\n"))
    assert (heading.text.strip("\n"), heading.tags) == (one_line(text), ["h1"])
    said = as_text(text)
    assert not re.search(r"(?<!\\)[<\[`]|://|\w@\w|\w\.\w", said)


def check_code(text):
    shown = Shown(READER.render(f"a {as_code(text)} b\n"))
    assert shown.text.strip("\n") == f"a {one_line(text) or ' '} b"
    assert shown.tags == ["p", "code"]


def check_fenced(text):
    tokens = READER.parse(f"a\n\n{fenced(text, 'seme')}\n\nb\n")
    assert tokens[3].type == "fence"
    assert tokens[3].content == f"{plain(text)}\n"
    assert len(tokens) == 7


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown(text):
    check_text(text)
    check_code(text)
    check_fenced(text)


SIGNS = st.sampled_from(
    [*"\\`*_{}[]()#+-.!|<>&~@$^:/=;'\" \n\tab1", "https://", "www.", "<b>", "&amp;"]
)


@settings(max_examples=600, deadline=None)
@given(st.lists(SIGNS, max_size=24).map("".join))
def test_whatever_stands_in_a_text_is_shown(text):
    if text.strip():
        check_text(text)
        check_code(text)
        check_fenced(text)


@pytest.mark.parametrize(
    "text", [each for each in HOSTILE if "\n" not in each and "\r" not in each]
)
def test_what_hovers_over_a_name_shows_comments_and_names_as_they_are(text):
    """Of a declaration and its meaning, of a title, and of what a file says of itself."""
    text = text.replace("\x0b", " ")
    program = (
        f"semes: noun  # {text}\nlexicon:\n  dog: +noun\nlayer:\n  feedforward:\n    noun: noun\n"
    )
    said = hover(Document("a.seme", program), 1, 8)
    shown = Shown(READER.render(said or ""))
    assert one_line(text.lstrip("# ")) in shown.text
    assert set(shown.tags) <= {"p", "pre", "code"}


@pytest.mark.parametrize("name", ["[a](b).seme", "`a`.seme", "<b>.seme", "*a*.seme", "a_b_.seme"])
def test_what_hovers_over_a_path_shows_what_the_file_says(tmp_path, name):
    (tmp_path / name).write_text("# [a](https://b.c) <b>\n# ```\nsemes: noun\n")
    program = f'use "{name}"\n'
    said = hover(Document(str(tmp_path / "m.seme"), program, tmp_path), 1, 6)
    shown = Shown(READER.render(said or ""))
    assert name in shown.text
    assert "[a](https://b.c) <b> ```" in shown.text
    assert set(shown.tags) <= {"p", "code"}
