"""Questions of the Mathematics Dataset that lie in ``tests/data/math``."""

from pathlib import Path

from progtf.compiler.model import Model

FOLDER = Path("tests/data/math")


def read(path: Path) -> tuple[list[str], list[str]]:
    """Questions and answers of one file."""
    lines = path.read_text().splitlines()
    return lines[0::2], lines[1::2]


def every_question_right(model: Model, module: str, gap: float = 0.9) -> None:
    """All answers to a module and to its extrapolation variants are right, and clearly so."""
    paths = [FOLDER / f"{module}{variant}.txt" for variant in ("", "_big", "_longer")]
    paths = [path for path in paths if path.exists()]
    assert paths
    for path in paths:
        asked, expected = read(path)
        answers = model.answers(asked)
        wrong = [
            (q, a.text) for q, a, e in zip(asked, answers, expected, strict=True) if a.text != e
        ]
        assert wrong == [], path.stem
        assert min(answer.gap for answer in answers) > gap
