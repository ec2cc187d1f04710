"""The programs and notebooks that come with progtf, in a checkout and in an installed package."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_CHECKOUT = _PACKAGE.parent


def example(name: str) -> Path:
    """The path of an example, such as ``article/clocks.seme``.

    Raises:
        ValueError: if there is none of this name.
    """
    path = _folder("examples") / name
    if not path.is_file():
        raise ValueError(f"there is no example {name!r}; examples/README.md lists them")
    return path


def tour() -> tuple[Path, ...]:
    """The notebooks of the tour, in their order."""
    return tuple(sorted(_folder("notebooks").glob("*.ipynb")))


def essay() -> tuple[Path, ...]:
    """The chapters of the essay, in their order: Markdown with figures in it."""
    return tuple(sorted(_folder("examples/essay").glob("*.md")))


def _folder(name: str) -> Path:
    packaged = _PACKAGE / name
    return packaged if packaged.is_dir() else _CHECKOUT / name
