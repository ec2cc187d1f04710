r"""What a name is: Unicode says so, in any script.

The grammar spells names with ``\w``, which has letters and digits and leaves out the marks that
stand on letters: vowels of Hindi, Thai and Tamil, points of Arabic and Hebrew, accents that no
letter brings along. A line that has any is read by its shadow, in which a letter stands for each.
"""

import re

_START, _CONTINUE = "\u02d0", "\u0660"
"""What stands for a mark in a shadow: a letter, or a digit, with which no name begins."""
_JOINERS = "\u200c\u200d"
_RUN = re.compile(r"[^\x00-/:-@\[-^`{-\x7f]+")
"""Characters without those of ASCII that stand in no name."""


def shadow(text: str) -> str:
    """A text of the same length in which all that belongs to names is a letter or a digit."""
    return text if text.isascii() else _RUN.sub(_cast, text)


def _cast(found: re.Match[str]) -> str:
    run, begun, cast = found.group(), False, list[str]()
    for place, one in enumerate(run):
        is_word = one.isalnum() or one == "_"
        if is_word or (one in _JOINERS and not _joins(run, place)):
            begun = (begun or not one.isdecimal()) and is_word
            cast.append(one)
        elif one.isidentifier():
            begun = True
            cast.append(_START)
        else:
            begun = begun and (one in _JOINERS or f"a{one}".isidentifier())
            cast.append(_CONTINUE if begun else one)
    return "".join(cast)


def _joins(name: str, place: int) -> bool:
    """Whether a joiner changes how a word is written, as behind a virama or within Arabic."""
    import unicodedata  # noqa: PLC0415  few names have one

    behind = name[place + 1 : place + 2]
    if not place or not behind:
        return False
    if unicodedata.combining(name[place - 1]) == unicodedata.combining("\u094d"):
        return True
    letters = (each for each in (name[place - 1], behind))
    return name[place] == "\u200c" and all(unicodedata.bidirectional(c) == "AL" for c in letters)
