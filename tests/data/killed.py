"""Brings a set in processes that are killed, each a moment later than the one before.

What to bring comes as JSON on stdin. Says how many were killed and at what, and what was wrong.
"""

import hashlib
import json
import os
import shutil
import signal
import sys
from pathlib import Path

from progtf.data import fetching, getting, originals, prepared
from progtf.published import NAMED

EVENTS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate")
CALLS = ("write", "flush", "fsync", "close")
PACKAGE = str(Path(fetching.__file__).parents[1])
SAID = json.load(sys.stdin)
FOLDER = Path(SAID["folder"])


def bring():
    getting.get(NAMED["scan"], prepared.scan)


def killed_at(moment):
    """What a process did when it was killed, at its moment of that number; "" if it was not."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        passed = 0

        def moved_on(event):
            nonlocal passed
            passed += 1
            if passed == moment:
                os.write(writer, event.encode())
                os.kill(os.getpid(), signal.SIGKILL)

        def heard(event, given):
            if event in EVENTS and str(FOLDER) in str(given[0]):
                moved_on(event)

        def called(frame, event, given):
            ours = event == "c_call" and frame.f_code.co_filename.startswith(PACKAGE)
            if ours and given.__name__ in CALLS:
                moved_on(given.__name__)

        read = fetching._next
        fetching.PIECE = 8192
        fetching._next = lambda answer: (moved_on("_next"), read(answer))[1]
        sys.addaudithook(heard)
        sys.setprofile(called)
        bring()
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as said:
        return said.read()


def digests():
    found = (FOLDER / "scan").glob("*") if FOLDER.exists() else ()
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in found
        if path.name[0] != "." and not path.name.endswith(".part")
    }


def again():
    child = os.fork()
    if not child:
        bring()
        os._exit(0)
    return os.waitpid(child, 0)[1]


def main():
    originals.TABLE, originals.HOME = Path(SAID["table"]), SAID["home"]
    wrong, at, moment = [], [], 1
    while event := killed_at(moment):
        at.append(event)
        if not digests().items() <= SAID["due"].items():
            wrong.append([moment, event, "half a file", digests()])
        status = again()
        left = [str(path) for path in FOLDER.rglob("*.part")]
        if status or digests() != SAID["due"] or left or (FOLDER / ".getting/scan").exists():
            wrong.append([moment, event, "not whole", status, digests(), left])
        shutil.rmtree(FOLDER)
        moment += 1
    json.dump({"wrong": wrong, "kills": len(at), "at": sorted(set(at))}, sys.stdout)


if __name__ == "__main__":
    main()
