"""Writes ``docs/circuits.md``: what the files of the library say of themselves, with their demos.

python scripts/circuits_page.py
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "circuits.md"
OPENING = """# The library

Generated from `progtf/std/` by `scripts/circuits_page.py`. A program takes a file over with
`use "std/NAME.seme"`; where its heads and rules stand follows from what they read
([Other files](language.md#other-files)). `progtf check` prints it. Each file has a demo, which
`progtf test progtf/std/NAME.seme` runs.
"""


def page() -> str:
    """The text of the page."""
    folder = ROOT / "progtf" / "std"
    files = [(file.relative_to(folder).as_posix(), file) for file in folder.rglob("*.seme")]
    parts = [
        _part(name, file.read_text(encoding="utf-8").splitlines()) for name, file in sorted(files)
    ]
    return "\n".join([OPENING, *parts])


def _part(name: str, lines: list[str]) -> str:
    """The heading, the opening comment, and the program of the demo."""
    comment = [line.removeprefix("#").removeprefix(" ") for line in _opening(lines)]
    title = comment[0].removeprefix(f"{Path(name).name}:").strip()
    about = "\n".join(comment[1:]).strip("\n")
    demo = "\n".join(line.removeprefix("  ") for line in _demo(lines)).strip("\n")
    shown = [f"## {name}", "", title, ""]
    shown += ["```text", about, "```", ""] if about else []
    shown += ["Its demo:", "", "```text", demo, "```", ""] if demo else []
    return "\n".join(shown)


def _opening(lines: list[str]) -> list[str]:
    """The comment at the head of a file."""
    for number, line in enumerate(lines):
        if not line.startswith("#"):
            return lines[:number]
    return lines


def _demo(lines: list[str]) -> list[str]:
    """What stands in ``demo:``."""
    return lines[lines.index("demo:") + 1 :] if "demo:" in lines else []


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
