"""Writes what is generated from the grammar for editors: run it when the notation has new words."""

from pathlib import Path

from progtf.notation.highlight import as_json, codemirror, textmate

ROOT = Path(__file__).parents[1]
FILES = {
    ROOT / "docs" / "editors" / "seme.tmLanguage.json": textmate,
    ROOT / "js" / "src" / "highlight.json": codemirror,
}


def main() -> None:
    """Writes the files."""
    for path, make in FILES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_json(make()), encoding="utf-8")


if __name__ == "__main__":
    main()
