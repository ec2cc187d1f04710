"""Notebooks as one page each: run from clean, with live figures, without Python or a network."""

import os
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert.filters.markdown import markdown2html
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from progtf.views.lexer import SemeLexer
from progtf.views.page import MIMETYPE, live, page
from progtf.widgets.base import LIVE

PATIENCE = 600
_STATES = "application/vnd.jupyter.widget-state+json"
_VIEW = "application/vnd.jupyter.widget-view+json"


class NotebookError(Exception):
    """A file is no notebook."""


def notebook_page(path: Path) -> str:
    """A notebook, run in its own folder, as HTML.

    Raises:
        NotebookError: if the file is none.
        nbclient.exceptions.CellExecutionError: if a cell fails.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
    except (ValueError, AttributeError, nbformat.ValidationError) as error:
        said = str(error).partition("\n")[0]
        raise NotebookError(f"this is no notebook: {said}") from None
    NotebookClient(
        notebook, timeout=PATIENCE, resources={"metadata": {"path": str(path.parent)}}
    ).execute(env={**os.environ, LIVE: "live"})
    return executed_page(notebook, path.stem.replace("_", " "))


def executed_page(notebook: Any, title: str) -> str:
    """A notebook that was run already, as HTML."""
    body = "".join(_cell(cell, _states(notebook)) for cell in notebook.cells)
    return page(title.encode(errors="replace").decode(), f"<style>{_style()}</style>{body}")


def _style() -> str:
    """Colours of code for light and dark pages."""
    dark = HtmlFormatter(style="github-dark", classprefix="c-").get_style_defs(".code")
    light = HtmlFormatter(style="friendly", classprefix="c-").get_style_defs(".code")
    return (
        f"{light} @media (prefers-color-scheme: dark) {{ {dark} }} "
        ".code { background: light-dark(#fff, #171b23) !important; }"
    )


def _states(notebook: Any) -> Mapping[str, Any]:
    """What widgets hold after the last cell, by their models: later cells may have changed them."""
    kept = notebook.metadata.get("widgets", {}).get(_STATES, {}).get("state", {})
    return {model: one["state"] for model, one in kept.items()}


def _cell(cell: Any, states: Mapping[str, Any]) -> str:
    if cell.cell_type == "markdown":
        return markdown2html(cell.source)
    if cell.cell_type != "code":
        return f"<pre>{escape(cell.source)}</pre>"
    lexer = SemeLexer() if cell.source.startswith("%%seme") else PythonLexer()
    code = highlight(cell.source, lexer, HtmlFormatter(nowrap=True, classprefix="c-"))
    return f'<pre class="code">{code}</pre>' + "".join(_output(o, states) for o in cell.outputs)


def _output(output: Any, states: Mapping[str, Any]) -> str:
    if output.output_type == "stream":
        return f"<pre>{escape(output.text)}</pre>"
    data = output.get("data", {})
    if MIMETYPE in data:
        now = states.get(data.get(_VIEW, {}).get("model_id"), data[MIMETYPE])
        return live(now["kind"], now["data"], data.get("text/html", ""))
    if "text/html" in data:
        return f"<div>{data['text/html']}</div>"
    if "image/png" in data:
        return f'<img alt="" src="data:image/png;base64,{data["image/png"].strip()}">'
    return f"<pre>{escape(data.get('text/plain', ''))}</pre>"
