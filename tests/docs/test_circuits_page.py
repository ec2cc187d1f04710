"""``docs/circuits.md`` says of the library what its files say."""

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "circuits_page.py"


def test_the_page_is_up_to_date() -> None:
    found = importlib.util.spec_from_file_location("circuits_page", SCRIPT)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    written = module.PAGE.read_text(encoding="utf-8")
    assert written == module.page(), "run python scripts/circuits_page.py"


def test_every_file_of_the_library_has_a_demo() -> None:
    files = sorted((SCRIPT.parents[1] / "progtf" / "std").rglob("*.seme"))
    assert len(files) >= 8
    without = [file.name for file in files if "\ndemo:\n" not in file.read_text(encoding="utf-8")]
    assert without == []


def test_no_two_files_of_the_library_have_the_same_name() -> None:
    names = [file.name for file in (SCRIPT.parents[1] / "progtf" / "std").rglob("*.seme")]
    assert sorted(names) == sorted(set(names))
