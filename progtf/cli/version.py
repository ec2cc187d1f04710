"""``progtf --version``: which progtf this is, and on what networks run here."""

import platform

import progtf
from progtf.extras import missing


def version() -> str:
    """The version, that of Python, and that of PyTorch with the device that it would train on."""
    return f"progtf {progtf.__version__}, Python {platform.python_version()}, {_torch()}"


def _torch() -> str:
    try:
        import torch  # noqa: PLC0415  it may be missing
    except ModuleNotFoundError as error:
        return missing(error) or str(error)
    cuda = torch.cuda.is_available()
    device = torch.cuda.get_device_name() if cuda else f"CPU, {torch.get_num_threads()} threads"
    return f"torch {torch.__version__} ({device})"
