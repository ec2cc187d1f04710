"""``python -m progtf.exact.kernel FILE FOLDER``: checks a proof with the standard library alone."""

import sys
from pathlib import Path

from progtf.exact.kernel.folder import Damaged
from progtf.exact.kernel.numbers import NotProven
from progtf.exact.kernel.proof import check

USAGE = """usage: python -m progtf.exact.kernel FILE FOLDER [--conditions]

Checks the proof in FILE, which `progtf check --proof FILE` writes, against the network in FOLDER,
which `progtf compile` writes: every fact is derived anew from the weights, with nothing but Python.
Prints what is proven and ends with 0, or says why nothing is and ends with 1.

  --conditions  also print what texts must keep to
"""


def main(given: list[str]) -> int:
    """The status to end with: 0: proven, 1: not, 2: asked in another way."""
    options = [each for each in given if each.startswith("-")]
    places = [each for each in given if not each.startswith("-")]
    if len(places) != 2 or set(options) - {"--conditions"}:
        (sys.stdout if given == ["--help"] else sys.stderr).write(USAGE)
        return 0 if given == ["--help"] else 2
    try:
        found = check(Path(places[0]), Path(places[1]))
    except (Damaged, NotProven) as error:
        sys.stderr.write(f"not proven: {error}\n")
        return 1
    lines = [found.says, *(found.under if options else ())]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
