"""The trained network that a command asks: none comes with progtf, so it is said what makes one."""

from pathlib import Path

from progtf.cli.messages import UserError


def checkpoint_of(given: Path | None, name: str, data: str, last: int, time: str) -> Path:
    """The folder of a checkpoint, if one was given and is there.

    Args:
        given: By `--checkpoint`.
        name: Of the run that trains such a network, as in ``runs/NAME.toml``.
        data: The set that it is trained on.
        last: The step of its last checkpoint.
        time: How long it takes, in words.

    Raises:
        UserError: There is none; it names the commands that train one, and how it is used then.
    """
    if given is not None and given.is_dir():
        return given
    what = "no network was given" if given is None else f"{given}: there is no such folder"
    raise UserError(
        f"{what}, and none comes with progtf\n"
        f"  help: in a checkout `progtf data get {data} && progtf train runs/{name}.toml` trains"
        f" one ({time}), then say `--checkpoint runs/out/{name}/checkpoints/step-{last:07}`"
    )
