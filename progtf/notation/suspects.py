"""What a file that has mistakes probably meant: sections that are misspelt or stand empty."""

from collections.abc import Iterator

from progtf.notation import messages
from progtf.notation import syntax as s
from progtf.notation.diagnostics import Diagnostic
from progtf.notation.did_you_mean import nearest
from progtf.notation.parser import SECTIONS


def suspects(file: s.File, *, read: bool) -> Iterator[Diagnostic]:
    """What may be behind the mistakes of a file.

    A word with a colon at the top of a file names a vector or a matrix, whatever the word: only a
    mistake elsewhere tells that it was meant as a section.

    Args:
        file: as far as it could be read.
        read: whether all its lines could.
    """
    present = {part.keyword for part in file.statements if isinstance(part, s.Block)}
    for part in file.statements:
        match part:
            case s.NamedValue(name=s.Name(base=name, indices=())):
                meant = nearest(name, SECTIONS - present)
                if meant:
                    yield messages.misspelt_section(part.span, name, meant)
            case s.Block(keyword="semes" | "lexicon", arguments=(), children=()) if read:
                yield messages.empty_section(part.span, part.keyword)
            case _:
                pass
