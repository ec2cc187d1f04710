"""Notebooks in a real JupyterLab and a real Chromium, driven as a person would."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parents[2]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
READY = """() => {
  const session = globalThis.jupyterapp?.shell?.currentWidget?.sessionContext;
  const kernel = session?.session?.kernel;
  return Boolean(session?.isReady && kernel?.connectionStatus === "connected"
    && kernel.status === "idle");
}"""


def chromium():
    """The path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


@contextmanager
def jupyterlab(home):
    """Address, token and folder of a JupyterLab that knows nothing of this machine's settings."""
    port, token = free_port(), secrets.token_hex(8)
    environment = settings(home)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", f"--IdentityProvider.token={token}"]
    command += [f"--ServerApp.root_dir={home / 'work'}", "--expose-app-in-browser"]
    with (home / "log.txt").open("w") as log:
        server = subprocess.Popen(
            command, env=environment, stdout=log, stderr=log, cwd=home / "work"
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/api/status?token={token}", server, home / "log.txt")
            yield f"http://127.0.0.1:{port}", token, home / "work"
        finally:
            server.terminate()
            server.wait(timeout=120)


def settings(home):
    """Folders of its own below ``home``, with no news and no checks for updates."""
    for folder in ("work", "data", "config/labconfig"):
        (home / folder).mkdir(parents=True)
    overrides = home / "config" / "labconfig" / "default_setting_overrides.json"
    overrides.write_text(json.dumps(OVERRIDES))
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "user-settings"),
        "JUPYTER_PLATFORM_DIRS": "1",
    }


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url, server, log):
    end = time.monotonic() + 300
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def write(path, *cells):
    """A notebook with these cells at a path."""
    metadata = {"kernelspec": {"display_name": "Python 3", "name": "python3", "language": "python"}}
    nbformat.write(new_notebook(cells=[new_code_cell(c) for c in cells], metadata=metadata), path)


def open_and_run(page, lab, name):
    """Opens a notebook in a workspace of its own and runs all of its cells.

    In a shared one a page that is loaded again would show the notebooks of the other pages too.
    """
    address, token, _ = lab
    page.goto(
        f"{address}/lab/workspaces/{Path(name).stem}/tree/{name}?reset&token={token}",
        wait_until="domcontentloaded",
    )
    page.wait_for_selector(".jp-LabShell")
    page.wait_for_selector("#jupyterlab-splash", state="detached")
    page.wait_for_function(READY)
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
