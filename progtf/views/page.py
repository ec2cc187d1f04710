"""One file that shows figures without Python and without a network: text, data and front-end."""

import json
from html import escape
from importlib.resources import files
from typing import Any

Data = dict[str, Any]
MIMETYPE = "application/vnd.progtf+json"
_STYLE = """
:root { color-scheme: light dark; }
body { background: light-dark(#f6f7f9, #10131a); color: light-dark(#1d2433, #e4e8f0);
  font: 16px/1.6 system-ui, "DejaVu Sans", sans-serif; margin: 0 auto; max-width: 1180px;
  padding: 24px 20px 60px; }
h1 { font-size: 26px; line-height: 1.3; margin: 8px 0 4px; }
h2, h3 { line-height: 1.35; }
body > p, body > ul, body > ol, body > pre, body > h1, body > h2, body > h3, body > div > p
  { max-width: 760px; }
body > p.about { color: light-dark(#667085, #98a2b5); font-size: 14px; }
pre { background: light-dark(#fff, #171b23); border: 1px solid light-dark(#e2e6ec, #2c3341);
  border-radius: 8px; font-size: 13px; overflow: auto; padding: 10px 14px; }
a { color: light-dark(#3157c4, #8fb0ff); }
.anchor-link { display: none; }
code { font-size: 0.9em; }
"""


def asset(name: str) -> str:
    """A file of the front-end that comes with the package: ``progtf.js`` or ``progtf.css``."""
    return (files("progtf.views") / "static" / name).read_text(encoding="utf-8")


def live(kind: str, data: Data, still: str = "") -> str:
    """A figure inside a page: its data, and a still picture for where scripts do not run.

    The page must hold the front-end (see ``page``).
    """
    text = json.dumps({"kind": kind, "data": data}, ensure_ascii=False).replace("<", "\\u003c")
    shown = f'<div class="progtf-still">{still}</div>' if still else ""
    return f'{shown}<script type="{MIMETYPE}">{text}</script>'


def page(title: str, body: str) -> str:
    """A whole page; ``body`` is HTML, with figures made by ``live``."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}{asset('progtf.css')}</style></head><body>"
        f'{body}<script type="module">{asset("progtf.js")}</script></body></html>\n'
    )


def program_page(title: str, about: str, data: Data, still: str) -> str:
    """A page about one program."""
    program = data["program"]
    heads = any(stage.get("heads") for stage in (*program["encoder"], *program["decoder"]))
    deeds = ["Change the input", "point at cells"]
    deeds += ["drag the clocks' hands"] if program["clocks"] else []
    deeds += ["switch heads off"] if heads else []
    note = (
        f"{', '.join(deeds)}: the page computes what follows by itself. "
        "To change the program, open it in a notebook: <code>progtf notebook</code>."
    )
    head = (
        f"<h1>{escape(title)}</h1><p>{escape(about)}</p>" if about else f"<h1>{escape(title)}</h1>"
    )
    return page(title, f'{head}{live("playground", data, still)}<p class="about">{note}</p>')
