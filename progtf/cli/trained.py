"""The trained network that a command asks: the one that lies in the package, or another."""

from pathlib import Path

from progtf.cli.messages import UserError

NETWORKS = Path(__file__).parents[1] / "networks"
"""A folder for each network of the package, with a card that says what it can do and what not."""


def checkpoint_of(given: Path | None, name: str) -> Path:
    """The folder of a network.

    Args:
        given: By `--checkpoint`.
        name: Of the network of the package, and of the run that trains it, ``runs/NAME.toml``.

    Raises:
        UserError: There is no folder that was given; it says what is asked without one.
    """
    if given is None:
        return NETWORKS / name
    if given.is_dir():
        return given
    raise UserError(
        f"{given}: there is no such folder\n"
        f"  help: without --checkpoint the network of the package is asked; in a checkout `progtf"
        f" train runs/{name}.toml` trains one"
    )
