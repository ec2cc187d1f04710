"""Numbers in the environment that decide how wide tables are, and how many threads compute."""

import os
import re

WIDEST, THREADS = 10_000, 1024


def wrong_number() -> str:
    """What is wrong with one of them, in words; "" if nothing is.

    A width that is no number is passed over by all that read it; a large one fills the memory.
    """
    for name in ("COLUMNS", "LINES"):
        said = os.environ.get(name, "").strip()
        if said.isdecimal() and (len(said) > len(str(WIDEST)) or int(said) > WIDEST):
            return f"{name} is `{said:.40}` in the environment; expected at most {WIDEST:,}"
    said = os.environ.get("OMP_NUM_THREADS", "").strip()
    each = [part.strip() for part in said.split(",")] if said else []
    if all(re.fullmatch("[0-9]{1,4}", part) and 1 <= int(part) <= THREADS for part in each):
        return ""
    return (
        f"OMP_NUM_THREADS is `{said:.40}` in the environment; expected a whole number from 1 to"
        f" {THREADS:,}, or several with commas between them"
    )
