"""Builds the engine in C beside its source, where there is a compiler; numpy answers elsewhere.

`make setup` and the wheel do it; by hand: `python scripts/native.py`. The library carries the
digest of the source that it was made of, and `progtf` uses it for that source alone.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("progtf", "running", "native")
SOURCE, LIBRARY = FOLDER / "engine.c", FOLDER / "engine.shared"
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fPIC", "-shared")


SANITIZED = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


def build(root: Path, more: Sequence[str] = ()) -> bool:
    """Compiles the engine, with more options of the compiler; whether there is one now."""
    source, library = root / SOURCE, root / LIBRARY
    compiler = shutil.which(os.environ.get("CC") or "cc") or shutil.which("gcc")
    if compiler is None or sys.platform == "win32":
        return False
    digest = run_path(str(root / FOLDER / "library.py"))["digest_of"](root / FOLDER)
    made = library.with_name(f"engine.{os.getpid()}")
    command = [compiler, *FLAGS, *more, f'-DSOURCE="{digest}"', "-o", str(made), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join(done.stderr.splitlines()[:20])
        print(f"the engine in C was not built:\n{said}", file=sys.stderr)
        return False
    made.replace(library)
    return True


class Native(BuildHookInterface[Any]):
    """Puts the engine into wheels, which then are for one platform and every Python."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  hatch's
        """Builds it before anything is gathered."""
        if build(Path(self.root)):
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
            build_data["artifacts"].append(LIBRARY.as_posix())
        build_data["artifacts"].append("progtf/shipped/*.kept")  # by scripts/shipped.py, if it ran


if __name__ == "__main__":
    there = build(Path(__file__).parents[1], SANITIZED if "sanitized" in sys.argv else ())
    print(LIBRARY if there else "no compiler: numpy answers")
