"""What is bundled into the front-end comes with its licences."""

import json

import pytest

from progtf.views.page import asset
from tests.programs import ROOT

NAMES = sorted(json.loads((ROOT / "js" / "package.json").read_text())["dependencies"])


@pytest.mark.parametrize("name", [name for name in NAMES if name != "pyodide"])  # beside the pages
def test_a_package_that_is_bundled_has_its_licence_in_the_notice(name):
    (own,) = [part for part in asset("NOTICE.txt").split("-" * 72) if f"\n{name} " in part]
    assert "Permission is hereby granted" in own
    assert "copyright (c)" in own.lower()
