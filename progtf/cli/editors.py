"""``progtf lsp``: a language server for editors."""

import gc
import logging
import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer

from progtf.cli.messages import warn


def lsp(
    *,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Listen there, and not to stdin.")
    ] = None,
) -> None:
    """Answer an editor that speaks the language server protocol, on stdin and stdout.

    It is started by the editor: mistakes are marked while one types, names are explained, found,
    completed and renamed, and above a program stands whether it is exact and how many of its
    examples are right. `docs/editors.md` has the lines that VS Code, Neovim and Emacs need.
    """
    from progtf.lsp.features import define  # noqa: PLC0415  an extra
    from progtf.lsp.messages import Messages  # noqa: PLC0415
    from progtf.lsp.server import Server  # noqa: PLC0415

    gc.disable()  # the server looks for garbage when nobody types
    server = Server(version("progtf"))
    define(server)
    if port is not None:
        server.start_tcp("127.0.0.1", port)
    if sys.stdin.isatty():
        warn("progtf lsp waits for an editor; --help says more, Ctrl-D ends it")
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # the client hears of what is wrong
    stdin: Any = Messages(sys.stdin.buffer, sys.stdout.buffer)
    server.start_io(stdin)
