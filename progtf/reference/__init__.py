"""What a program means, slowly and in fractions, to be read beside ``docs/language.md``.

``sums`` has numbers, sums and conditions; ``heads`` and ``layers`` what they are used in;
``program`` the sections of a file, and how it answers.
"""

from progtf.reference.program import Reference, RefusedError, Said
from progtf.reference.sums import Broken

__all__ = ["Broken", "Reference", "RefusedError", "Said"]
