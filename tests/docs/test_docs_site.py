"""The documentation as a site: every link leads somewhere, and nothing comes from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from progtf.views.site import pyodide_folder

pytest.importorskip("mkdocs", reason="mkdocs is not installed")
ROOT = Path(__file__).parents[2]
ELSEWHERE = re.compile(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//""")

PREVIEW = re.compile(r'<meta property="og:(\w+)" content="([^"]*)">')


@pytest.mark.long
def test_the_site_is_built_with_all_its_links(tmp_path):
    try:
        pyodide_folder()
    except FileNotFoundError as error:
        pytest.skip(f"{error}, so no site was made: make docs, or (cd js && npm install)")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in (
        "index",
        "language",
        "api",
        "decisions/0017-loops",
        "essay",
        "figures/index",
        "figures/6_training",
    ):
        assert (tmp_path / f"{name}.html").is_file()
    assert "progtf.api.compile" in (tmp_path / "api.html").read_text()
    home, deep = (tmp_path / name for name in ("index.html", "decisions/0017-loops.html"))
    for page in (home, deep):
        told = dict(PREVIEW.findall(page.read_text()))
        assert set(told) == {"title", "description", "type", "image"}
        assert all(told.values())
        assert (page.parent / told["image"]).is_file()
    for page in tmp_path.rglob("*.html"):
        assert not ELSEWHERE.search(page.read_text()), page
