"""Which errors are mistakes of the person at the command line, and how they are told."""

from progtf.cli.messages import UserError, with_notes
from progtf.extras import missing
from progtf.notation.render import SemeError
from progtf.program.formats import FormatError
from progtf.program.tokens import InputError
from progtf.weights.decompile import UnwritableError
from progtf.weights.folder import FolderError


def told(error: Exception) -> str | None:
    """What is said of a mistake; None: it is one of this library."""
    if isinstance(error, SemeError):
        return with_notes(error)
    if isinstance(error, (FolderError, FormatError, InputError, UnwritableError, UserError)):
        return f"error: {error}"
    if isinstance(error, ModuleNotFoundError) and (said := missing(error)):
        return f"error: {said}"
    return None
