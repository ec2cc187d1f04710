"""What an editor waits for: the language server's start, and mistakes after an edit of 600 lines.

Spoken to by its protocol. An edit changes one digit, and the next one changes it back, as soon as
mistakes are told: nobody is idle, so that nothing is proven beside. Half of them are among what all
lines may refer to, declarations above all, half in layers.
"""

import asyncio
import random
import sys
import time
from collections.abc import Iterator
from statistics import median

from benchmarks.figures import ROOT, Figure, Found, Missing
from benchmarks.timing import processor_below
from progtf.extras import not_installed

PROGRAM = ROOT / "examples/language/translation.seme"  # 611 lines
STARTS, EDITS = 7, 15
START_AIM, EDIT_AIM = 1000, 150  # ms
START, OPEN = "start", "first mistakes"
LAYERS, OTHERS = "an edit in a layer", "an edit of a declaration"
STACKS = ("encoder:", "decoder:")


def figures() -> Iterator[Found]:
    """Milliseconds of waiting, and of the server's processor."""
    try:
        import pygls  # noqa: F401, PLC0415  an extra
    except ModuleNotFoundError:
        yield Missing(not_installed("pygls") or "")
        return
    sessions = [
        asyncio.run(session(EDITS if last else 0)) for last in (*[False] * (STARTS - 1), True)
    ]
    for name, aim in ((START, START_AIM), (OPEN, None), (LAYERS, EDIT_AIM), (OTHERS, EDIT_AIM)):
        found = [pair for each in sessions for pair in each[name]]
        for what, place in (("", 0), (", processor", 1)):
            said = f"aim: under {aim}" if aim else ""
            yield Figure(f"editor: {name}{what}", median(pair[place] for pair in found), "ms", said)


async def session(edits: int) -> dict[str, list[tuple[float, float]]]:
    """Milliseconds by the clock and of the server's processor: of a start, and of some edits."""
    from lsprotocol import types  # noqa: PLC0415  an extra

    from tests.lsp.test_server import Editor  # noqa: PLC0415  as above

    editor, uri, text = Editor(), PROGRAM.as_uri(), PROGRAM.read_text(encoding="utf-8")
    begun = time.perf_counter()
    await editor.start_io(sys.executable, "-m", "progtf", "lsp")
    await editor.initialize_async(types.InitializeParams(types.ClientCapabilities()))
    took = {START: [(_since(begun), processor_below())], OPEN: [], LAYERS: [], OTHERS: []}
    editor.initialized(types.InitializedParams())
    for version, (name, changed) in enumerate([(OPEN, text), *_edits(text, edits)]):
        before, begun = processor_below(), time.perf_counter()
        if version == 0:
            opened = types.TextDocumentItem(uri, "seme", version, changed)
            editor.text_document_did_open(types.DidOpenTextDocumentParams(opened))
        else:
            editor.write(uri, version, changed)
        while (await asyncio.wait_for(editor.told.get(), 60)).version != version:
            pass
        took[name].append((_since(begun), processor_below() - before))
    await editor.shutdown_async(None)
    editor.exit(None)
    await editor.stop()
    return took


def _edits(text: str, count: int) -> Iterator[tuple[str, str]]:
    """Where an edit is, and the text after it: of each kind so many, and each taken back."""
    chance, begin = random.Random(1), min(text.index(f"\n{stack}") for stack in STACKS)
    digits = [at for at, mark in enumerate(text) if mark.isdigit()]
    for _ in range(count):
        for name in (LAYERS, OTHERS):
            at = chance.choice([at for at in digits if (at > begin) == (name == LAYERS)])
            yield name, text[:at] + chance.choice("0123456789") + text[at + 1 :]
            yield name, text


def _since(begun: float) -> float:
    return 1000 * (time.perf_counter() - begun)
