"""Which errors are mistakes of the person at the command line, and how they are told."""

from progtf.cli.messages import with_notes
from progtf.extras import missing
from progtf.mistakes import MistakeError
from progtf.notation.render import SemeError


def told(error: Exception) -> str | None:
    """What is said of a mistake; None: it is one of this library."""
    if isinstance(error, SemeError):
        return with_notes(error)
    if isinstance(error, MistakeError):
        return f"error: {error}"
    if isinstance(error, ModuleNotFoundError) and (said := missing(error)):
        return f"error: {said}"
    return None
