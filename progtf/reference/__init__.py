"""What a program means, slowly and in fractions, to be read beside ``docs/language.md``.

`meaning.py` has a section a construct in the order of that page, and reads the flat program as it
stands; `numbers.py` is what it computes with; `program.py` answers texts by it. What is no part of
the flat program, how texts become tokens and answers words, the interface says.
"""

from progtf.reference.meaning import RefusedError
from progtf.reference.program import Reference

__all__ = ["Reference", "RefusedError"]
