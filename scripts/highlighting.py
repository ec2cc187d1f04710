"""Writes the TextMate grammar of the notation: run it when the notation has new words."""

from pathlib import Path

from progtf.notation.highlight import as_json, textmate

PATH = Path(__file__).parents[1] / "docs" / "editors" / "vscode" / "seme.tmLanguage.json"


def main() -> None:
    """Writes the file."""
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(as_json(textmate()), encoding="utf-8")


if __name__ == "__main__":
    main()
