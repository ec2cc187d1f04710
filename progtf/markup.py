r"""Texts from outside in Markdown that is made here: they are shown, and never obeyed.

``as_text("[here](https://x.y) <b>")`` is ``\[here\](https\:\/\/x\.y) \<b\>``, which shows what was
given, and leads nowhere.
"""

import re

from progtf.terminal import plain

_OBEYED = re.compile(
    r"[\\`*\[\]<>#|&~@$!^]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it is none
    r"|:(?=\S)|(?<=[:/])/|\.(?=\w)"  # an address becomes a link by itself
    r"|^[-+=:]"  # what begins a line: a list, or a rule
)
_NUMBERED = re.compile(r"^(\d+)([.)])")  # and this
_TICKS = re.compile("`+")


def as_text(said: str) -> str:
    """A text as Markdown shows it, in one line, and within its cell of a table."""
    line = _OBEYED.sub(r"\\\g<0>", " ".join(plain(said).split()))
    return _NUMBERED.sub(r"\1\\\2", line)


def as_code(said: str) -> str:
    """A text in one line as code; no table has a cell that it could leave."""
    line = " ".join(plain(said).split()) or " "
    ticks = "`" * (1 + _longest(line))
    blank = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{blank}{line}{blank}{ticks}"


def fenced(said: str, language: str = "") -> str:
    """Lines as a block of code, which ends where they do."""
    ticks = "`" * max(3, 1 + _longest(said))
    return f"{ticks}{language}\n{plain(said)}\n{ticks}"


def _longest(said: str) -> int:
    """Backticks in a row."""
    return max(map(len, _TICKS.findall(said)), default=0)
