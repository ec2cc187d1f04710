"""What a terminal, or a table of rich, shows as text and never obeys."""

import codecs
import re

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"  # these turn or end the line they stand in
)
WRITTEN_OUT = "progtf-written-out"
"""The error handler of streams that cannot write a character: it is written as JSON writes it."""


def plain(text: str) -> str:
    """A text with its control characters written out: a terminal would obey them.

    So are marks that turn the direction of writing around. Line ends and tabs stay. They are
    written as JSON and the notation write them.
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _written_out(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    pairs = (units[at : at + 4] for at in range(0, len(units), 4))
    return "".join(f"\\u{unit}" for unit in pairs), error.end


codecs.register_error(WRITTEN_OUT, _written_out)
