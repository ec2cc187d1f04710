"""Lists and runs the benchmarks: ``python -m benchmarks [NAME ...]``; ``--list`` names them."""

import sys
from importlib import import_module
from pathlib import Path

_PREFIX = "bench_"


def names() -> list[str]:
    """The benchmarks in this folder: every ``bench_NAME.py`` has a ``main()``."""
    here = Path(__file__).parent
    return sorted(path.stem.removeprefix(_PREFIX) for path in here.glob(f"{_PREFIX}*.py"))


def main(arguments: list[str]) -> None:
    """Runs the named benchmarks, all of them if none is named."""
    known = names()
    if arguments == ["--list"]:
        print("\n".join(known))
        return
    unknown = [name for name in arguments if name not in known]
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}; there are {', '.join(known)}")
    for name in arguments or known:
        print(f"== {name}", flush=True)
        import_module(f"benchmarks.{_PREFIX}{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
