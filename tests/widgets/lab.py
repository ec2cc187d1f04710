"""Notebooks in a real JupyterLab, driven as a person would."""

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

READY = """() => {
  const session = globalThis.jupyterapp?.shell?.currentWidget?.sessionContext;
  const kernel = session?.session?.kernel;
  return Boolean(session?.isReady && kernel?.connectionStatus === "connected"
    && kernel.status === "idle");
}"""


def write(path, *cells):
    """A notebook with these cells at a path."""
    metadata = {"kernelspec": {"display_name": "Python 3", "name": "python3", "language": "python"}}
    nbformat.write(new_notebook(cells=[new_code_cell(c) for c in cells], metadata=metadata), path)


def open_and_run(page, lab, name, *, theme=None):
    """Opens a notebook and runs all of its cells."""
    address, token, _ = lab
    page.goto(
        f"{address}/lab/workspaces/e2e/tree/{name}?reset&token={token}",
        wait_until="domcontentloaded",
    )
    page.wait_for_selector(".jp-LabShell", timeout=60_000)
    page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=60_000)
    page.wait_for_function(READY, timeout=60_000)
    if theme is not None:
        page.evaluate(
            "name => jupyterapp.commands.execute('apputils:change-theme', {theme: name})", theme
        )
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
