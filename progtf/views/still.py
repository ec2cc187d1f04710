"""What a program shows where nothing can move: a printed notebook, a page, a mail."""

from html import escape
from typing import Any

from progtf.notation.spell import number
from progtf.program.model import Program
from progtf.program.summary import summary
from progtf.program.tokens import InputError
from progtf.views.draw import attention_svg, clocks_svg, residual_svg
from progtf.views.figure import first_input
from progtf.views.run import watch

Data = dict[str, Any]
HEADS = 4


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
    parts = [f'<div class="progtf-still"><pre>{escape(summary(program))}</pre>']
    try:
        run = None if text is None else watch(program, text)
    except InputError as error:
        return "".join([*parts, f"<p>{escape(str(error))}</p></div>"])
    if run is not None:
        parts += _pictures(program, run)
    return "".join([*parts, "</div>"])


def _pictures(program: Program, run: Data) -> list[str]:
    said = run["answer"]["text"]
    answers = program.classify is not None or bool(program.outputs)
    line = f"<p><code>{escape(run['input'])}</code>"
    parts = [line + (f" → <b>{escape(said)}</b></p>" if answers else "</p>")]
    parts.append(residual_svg(run, _semes(program)))
    heads = [(step, head) for step in run["steps"] for head in step["heads"]]
    parts += [f"<p>{attention_svg(step, head)}</p>" for step, head in heads[:HEADS]]
    if len(heads) > HEADS:
        parts.append(f"<p>and {len(heads) - HEADS} more heads</p>")
    if program.clocks:
        periods = " ".join(f"/{number(period)}" for period in program.clocks)
        picture = clocks_svg(run["steps"][0]["tokens"], program.clocks)
        parts.append(f"<p>{picture}<br>clocks {escape(periods)}</p>")
    return parts


def _semes(program: Program) -> tuple[str, ...]:
    return program.space.names[: program.semes]
