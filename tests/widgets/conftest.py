"""One Chromium and one JupyterLab for all tests of what people see."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
NAMES = ("chromium", "chromium-browser", "google-chrome")
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
}


@pytest.fixture(scope="session")
def browser():
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("Chromium is not installed, so nothing was looked at: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Address, token and folder of a JupyterLab that knows nothing of this machine's settings."""
    pytest.importorskip("jupyterlab", reason="jupyterlab is not installed")
    home = tmp_path_factory.mktemp("lab")
    (home / "work").mkdir()
    settings = home / "data" / "lab" / "settings"
    port, token = free_port(), secrets.token_hex(8)
    environment = {
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
    config = home / "config" / "labconfig"
    config.mkdir(parents=True)
    settings.mkdir(parents=True)
    (config / "default_setting_overrides.json").write_text(json.dumps(OVERRIDES))
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
            server.wait(timeout=20)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url, server, log):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")
