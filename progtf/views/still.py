"""What a program shows where nothing can move: a printed notebook, a page, a mail."""

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from progtf.notation.spell import number
from progtf.program.model import Program
from progtf.program.summary import summary
from progtf.program.tokens import InputError
from progtf.views.draw import attention_svg, clocks_svg, residual_svg
from progtf.views.figure import PANELS, first_input
from progtf.views.run import watch

Data = dict[str, Any]
_DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)
_LABEL = re.compile(r'aria-label="([^"]*)"')
HEADS = 4
LINES = 40
_MONO = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_BOX = (
    "background:#fff;border:1px solid #e2e6ec;border-radius:8px;color:#1d2433;"
    f"font:12.5px/1.55 {_MONO};margin:0 0 12px;padding:10px 14px;white-space:pre-wrap"
)
_ROW = "align-items:flex-start;display:flex;flex-wrap:wrap;gap:12px;margin:12px 0"


def bundle(program: Program) -> Data:
    """The forms in which a notebook shows a program: text, HTML with pictures, one picture."""
    text = first_input(program)
    shown: Data = {"text/plain": summary(program)}
    shown["text/html"] = program_html(program, text)
    if text is not None:
        shown["image/svg+xml"] = residual_svg(watch(program, text), _semes(program))
    return shown


def program_html(program: Program, text: str | None) -> str:
    """A program's outline and the pictures of one run, as HTML without scripts."""
    outline = summary(program).replace(program.name, Path(program.name).name)
    return _still(f'<pre style="{_BOX}">{escape(outline)}</pre>', program, text, PANELS)


def figure_html(
    listing: str, program: Program, text: str | None, panels: Sequence[str] = PANELS
) -> str:
    """What a figure shows, as HTML without scripts: the text of a program and pictures of one run.

    Args:
        listing: the text of the program.
        program: what that text says.
        text: the input; None: no pictures.
        panels: what the figure shows, some of ``PANELS``.
    """
    shown = f'<pre style="{_BOX}">{_listing(listing)}</pre>' if "editor" in panels else ""
    return _still(shown, program, text, panels)


def with_images(html: str) -> str:
    """A still picture whose drawings are images, with their labels in words.

    JupyterLab takes drawings out of notebooks that came from elsewhere, and leaves images.
    """
    return _DRAWING.sub(_image, html)


def _image(drawing: re.Match[str]) -> str:
    label = _LABEL.search(drawing[0])
    data = b64encode(drawing[0].encode()).decode()
    alternative = "" if label is None else label[1]
    return f'<img alt="{alternative}" src="data:image/svg+xml;base64,{data}">'


def _listing(text: str) -> str:
    """The first lines of a program, coloured where Pygments is installed."""
    lines = text.rstrip().split("\n")
    shown = "\n".join(lines[:LINES])
    more = f"\n… {len(lines) - LINES} more lines" if len(lines) > LINES else ""
    if find_spec("pygments") is None:
        return escape(shown + more)
    from pygments import highlight  # noqa: PLC0415  not everyone has notebooks
    from pygments.formatters import HtmlFormatter  # noqa: PLC0415

    from progtf.views.lexer import SemeLexer, SemeStyle  # noqa: PLC0415

    colours: Any = HtmlFormatter(nowrap=True, noclasses=True, style=SemeStyle)
    return highlight(shown, SemeLexer(), colours).rstrip() + more


def _still(head: str, program: Program, text: str | None, panels: Sequence[str]) -> str:
    parts = ['<div class="progtf-still">', head]
    try:
        run = None if text is None else watch(program, text)
    except InputError as error:
        return "".join([*parts, f"<p>{escape(str(error))}</p></div>"])
    if run is not None:
        parts += _pictures(program, run, panels)
    return "".join([*parts, "</div>"])


def _pictures(program: Program, run: Data, panels: Sequence[str]) -> list[str]:
    said, error = run["answer"]["text"], run["answer"].get("error")
    answers = program.classify is not None or bool(program.outputs)
    line = f"<p><code>{escape(run['input'])}</code>"
    parts = [line + (f" → <b>{escape(said)}</b></p>" if answers else "</p>")]
    parts += [] if error is None else [f"<p>{escape(error)}</p>"]
    if "residual" in panels:
        parts.append(_scrolled(residual_svg(run, _semes(program))))
    if "attention" in panels:
        parts += _heads(run)
    if "clocks" in panels and program.clocks:
        periods = " ".join(f"/{number(period)}" for period in program.clocks)
        picture = clocks_svg(run["steps"][0]["tokens"], program.clocks)
        parts.append(f"<p>{_scrolled(picture)}clocks {escape(periods)}</p>")
    return parts


def _heads(run: Data) -> list[str]:
    heads = [(step, head) for step in run["steps"] for head in step["heads"]]
    pictures = [f"<div>{attention_svg(step, head)}</div>" for step, head in heads[:HEADS]]
    more = f"<p>and {len(heads) - HEADS} more heads</p>" if len(heads) > HEADS else ""
    return [f'<div style="{_ROW}">', *pictures, "</div>", more] if heads else []


def _scrolled(picture: str) -> str:
    return f'<div style="margin:8px 0;overflow-x:auto">{picture}</div>'


def _semes(program: Program) -> tuple[str, ...]:
    return program.space.names[: program.semes]
