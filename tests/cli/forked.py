"""Runs commands of the command line in forks of one process, which has imported what they import.

Cases come as JSON on stdin, each as

    {"argv": ["run"], "streams": {"stdout": "full"}, "limit": 60, "memory": 2000000, "env": {}}

and so go the results: ``[status, stdout, stderr]``. A stream is ``closed``, ``full``, ``broken``
(nobody reads it), or the name of an encoding; a status below 0 is a signal; the limit is in
seconds, the memory in bytes.
"""

import gc
import io
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from importlib import import_module
from pathlib import Path

import torch

from progtf import cli
from progtf.cli.main import main

ROOT = Path(__file__).parents[2]


def results_of(cases, *, cwd, env=()):
    """What the command line makes of cases, which run in a folder."""
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        cwd=cwd,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **dict(env)},
    )
    return json.loads(done.stdout)


def _prepare(streams):
    """Makes of the three streams what Python makes of them when it starts."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        state = streams.get(name)
        if state == "closed":
            os.close(number)
            setattr(sys, name, None)
            continue
        if state == "full":
            os.dup2(os.open("/dev/full", os.O_RDWR), number)
        if state == "broken":
            reader, writer = os.pipe()
            os.close(reader)
            os.dup2(writer, number)
        encoding = state if state not in (None, "full", "broken") else "utf-8"
        if name == "stdin":
            sys.stdin = open(0, encoding=encoding)  # noqa: SIM115
        else:
            errors = "backslashreplace" if name == "stderr" else "strict"
            raw = open(number, "wb", closefd=False)  # noqa: SIM115
            setattr(sys, name, io.TextIOWrapper(raw, encoding, errors))
            setattr(sys, f"__{name}__", getattr(sys, name))


def _child(case, out, err):
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    if memory := case.get("memory"):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.alarm(case.get("limit", 60))
    os.environ.update(case.get("env", {}))
    _prepare(case.get("streams", {}))
    sys.argv = ["progtf", *case["argv"]]
    status = 0
    try:
        main()
    except SystemExit as error:
        status = error.code or 0
    except BaseException:  # noqa: BLE001  it is what is looked for
        os.write(err.fileno(), traceback.format_exc().encode(errors="replace"))
        status = 1
    for stream in (sys.stdout, sys.stderr):  # as Python does when it ends
        try:
            stream.flush()
        except (OSError, ValueError):
            os.write(err.fileno(), b"Exception ignored on flushing\n")
            status = 120
    os._exit(status)


def _run(case):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            _child(case, out, err)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = []
        for name, file in (("stdout", out), ("stderr", err)):
            file.seek(0)
            encoding = "cp1252" if case.get("streams", {}).get(name) == "cp1252" else "utf-8"
            said.append(file.read().decode(encoding, errors="replace"))
        return [status, *said]


if __name__ == "__main__":
    torch.set_num_threads(1)
    for module in pkgutil.iter_modules(cli.__path__, "progtf.cli."):
        import_module(module.name)
    gc.freeze()
    answer = json.dumps([_run(case) for case in json.load(sys.stdin)])
    sys.stdout.write(answer)
