"""`cogs.seme` without roles of arguments: what a construction gives to whom is to be learned."""

import re
import shutil
from pathlib import Path

CASES = {
    "active": "verb & !passive & object & !unaccusative",
    "unaccusative": "verb & !passive & object & unaccusative",
    "alone": "verb & !passive & !object & !unaccusative",
    "alone_unaccusative": "verb & !passive & !object & unaccusative",
    "passive": "verb & passive & !object",
    "passive_given": "verb & passive & object",
    "by": "free & b.by",
    "to": "free & b.to",
    "one": "free & b.verb & !behind.free & !ahead.free",
    "first": "free & b.verb & !behind.free & ahead.free",
    "second": "free & b.verb & behind.free",
    "infinitive": "infinitive",
}
"""The constructions in which a verb or what stands behind it has a role; one at most holds."""
RULES = re.compile(r'(?: +role\["\w+"\]: .*\n)+')
SEMES, ATOMS = "semes:\n", "  layer atoms:\n"


def write_program(source: Path, folder: Path) -> Path:
    """The program with a flag for each construction, and a free weight from each to each role.

    Args:
        source: `cogs.seme`, with its table of words beside it.
        folder: where both are written.
    """
    text = source.read_text(encoding="utf-8")
    indent = " " * 6
    flags = "".join(f"{indent}case.{name}: {when}\n" for name, when in CASES.items())
    text, changed = RULES.subn(lambda _: flags, text, count=1)
    if not changed:
        raise ValueError(f"{source}: no rules that write roles")
    names = [f"case.{name}" for name in CASES]
    free = ", ".join(f"for r in roles: ?{name}>role[r]" for name in names)
    head = f"    head roles:\n{indent}look: self\n{indent}value: {free}\n"
    text = text.replace(SEMES, f"{SEMES}  {' '.join(names)}\n", 1)
    text = text.replace(ATOMS, ATOMS + head, 1)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source.with_suffix(".tsv"), folder)
    written = folder / "cogs_roles.seme"
    written.write_text(text, encoding="utf-8")
    return written
