"""One file that shows figures without Python and without a network: text, data and front-end."""

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

Data = dict[str, Any]
MIMETYPE = "application/vnd.progtf+json"
_STYLE = """
:root { color-scheme: light dark; }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
body { background: light-dark(#f6f7f9, #10131a); color: light-dark(#1d2433, #e4e8f0);
  font: 16px/1.6 system-ui, "DejaVu Sans", sans-serif; margin: 0 auto; max-width: 1180px;
  padding: 24px 20px 60px; }
h1 { font-size: 26px; line-height: 1.3; margin: 8px 0 4px; }
h2, h3 { line-height: 1.35; }
main > :is(p, ul, ol, pre, h1, h2, h3), main > div > p
  { max-width: 760px; }
.about { color: light-dark(#566074, #98a2b5); font-size: 14px; }
pre { background: light-dark(#fff, #171b23); border: 1px solid light-dark(#e2e6ec, #2c3341);
  border-radius: 8px; font-size: 13px; overflow: auto; padding: 10px 14px; }
main > table { border-collapse: collapse; font-size: 15px; margin: 14px 0; max-width: 760px; }
main > table :is(th, td) { border-bottom: 1px solid light-dark(#e2e6ec, #2c3341);
  padding: 5px 18px 5px 0; text-align: left; vertical-align: top; }
main > .progtf, main > div:has(> .progtf) { margin: 18px 0; }
main > blockquote { border-left: 3px solid light-dark(#c9d3e6, #39435a); margin: 14px 0;
  max-width: 740px; padding: 0 0 0 16px; }
main > :is(p, pre, table, h1, h2) { overflow-wrap: anywhere; }
a { color: light-dark(#3157c4, #8fb0ff); }
.anchor-link { display: none; }
code { font-size: 0.9em; }
nav a, footer a { display: inline-block; min-height: 24px; min-width: 24px; }
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  body { max-width: none; padding: 0; }
  pre { overflow: visible; print-color-adjust: exact; white-space: pre-wrap; }
  nav, footer { display: none; }
}
"""
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
    "worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
ALONE = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def asset(name: str) -> str:
    """A file of the front-end that comes with the package: ``progtf.js`` or ``progtf.css``."""
    return (files("progtf.views") / "static" / name).read_text(encoding="utf-8")


def live(kind: str, data: Data, still: str = "", python: str | None = None) -> str:
    """A figure inside a page: its data, and a still picture for where scripts do not run.

    The page must hold the front-end (see ``page``). Where ``python`` names the folder of
    ``progtf.views.site``, as the page sees it, readers may change the program.
    """
    text = json.dumps({"kind": kind, "data": data}, ensure_ascii=False).replace("<", "\\u003c")
    shown = f'<div class="progtf-still">{still}</div>' if still else ""
    beside = "" if python is None else f' data-python="{escape(python)}"'
    return f'{shown}<script type="{MIMETYPE}"{beside}>{text}</script>'


def page(title: str, body: str, *, about: str = "", closed: bool = False) -> str:
    """A whole page in one file.

    Args:
        title: of the page.
        body: HTML, with figures made by ``live``.
        about: what search engines and previews say of it, as text.
        closed: nothing runs but the front-end, and nothing is loaded; not for the HTML of others.
    """
    code = asset("progtf.js")
    head = f"<style>{_STYLE}{asset('progtf.css')}</style>"
    if closed:
        hashed = b64encode(sha256(code.encode()).digest()).decode()
        head = _policy(ALONE.format(hashed)) + head
    return _document(title, head, body, f'<script type="module">{code}</script>', about)


def plain_page(title: str, body: str) -> str:
    """A whole page in one file without a figure: it holds no script."""
    return _document(title, f"<style>{_STYLE}</style>", body)


def site_page(
    title: str,
    body: str,
    assets: str,
    *,
    about: str = "",
    ways: str = "",
    docs: str | None = None,
) -> str:
    """A page of a folder: front-end and Python lie beside it, and it may load nothing else.

    Args:
        title: of the page.
        body: HTML, with figures made by ``live``.
        assets: the folder of ``progtf.js``, as the page sees it, with ``/`` at its end.
        about: what search engines and previews say of it, as text.
        ways: HTML of links to other pages, which stand above it and below.
        docs: the address of the documentation around the folder, as the page sees it: the page
            has the theme that was chosen there.
    """
    link = f'<link rel="stylesheet" href="{escape(assets)}progtf.css">'
    head = f"{_policy(POLICY)}<style>{_STYLE}</style>{link}"
    if docs is not None:
        head += f'<script src="{escape(assets)}theme.js" data-home="{escape(docs)}"></script>'
    script = f'<script defer src="{escape(assets)}progtf.js"></script>'
    around = (f'<nav aria-label="pages">{ways}</nav>', f"<footer>{ways}</footer>")
    around = around if ways else ("", "")
    return _document(title, head, body, script, about, around)


def _policy(said: str) -> str:
    return f'<meta http-equiv="Content-Security-Policy" content="{said}">'


def _document(
    title: str,
    head: str,
    body: str,
    script: str = "",
    about: str = "",
    around: tuple[str, str] = ("", ""),
) -> str:
    said = f'<meta name="description" content="{escape(about)}">' if about else ""
    icon = b64encode(asset("favicon.svg").encode()).decode()
    above, below = around
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'{head}{said}<link rel="icon" href="data:image/svg+xml;base64,{icon}">'
        f"<title>{escape(title)}</title></head>"
        f"<body>{above}<main>{body}</main>{below}{script}</body></html>\n"
    )


def program_body(title: str, about: str, data: Data, still: str, python: str | None = None) -> str:
    """What a page about one program says; ``python`` as in ``live``."""
    program = data["program"]
    heads = any(stage.get("heads") for stage in (*program["encoder"], *program["decoder"]))
    deeds = ["change the input", "point at cells"]
    deeds += ["drag the clocks' hands"] if program["clocks"] else []
    deeds += ["switch heads off"] if heads else []
    if python is None:
        note = _done(deeds)
        note += " To change the program, open it in a notebook: <code>progtf notebook</code>."
    else:
        note = (
            f'<span class="progtf-served">{_done(["change the program", *deeds])} '
            "The address holds what you have changed.</span>"
            f'<span class="progtf-file" hidden>{_done(deeds)}</span>'
        )
    head = (
        f"<h1>{escape(title)}</h1><p>{escape(about)}</p>" if about else f"<h1>{escape(title)}</h1>"
    )
    return f'{head}{live("playground", data, still, python)}<p class="about">{note}</p>'


def _done(deeds: list[str]) -> str:
    """The sentence that says what a reader can do."""
    said = ", ".join(deeds)
    return f"{said[0].upper()}{said[1:]}: the page computes what follows by itself."
