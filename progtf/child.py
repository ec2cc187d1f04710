"""A module that answers lines in a process of its own, within limits of time."""

import os
import subprocess
import sys
import threading


class Child:
    """Runs ``python -m MODULE``, which says that it is ready, and then answers a line with a line.

    It is started when it is first asked, and again after it was stopped.

    Args:
        module: which module is run; it can import what its parent can.
        patience: seconds for an answer; the start is not counted.
    """

    def __init__(self, module: str, patience: float) -> None:
        self.module = module
        self.patience = patience
        self._process: subprocess.Popen[str] | None = None

    def ask(self, line: str) -> str | None:
        """What it answers; None if that took too long or it ended, after which it is stopped."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        alarm = threading.Timer(self.patience, process.kill)
        alarm.start()
        try:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ""
        finally:
            alarm.cancel()
        if answer.endswith("\n"):
            return answer
        self.stop()
        return None

    def stop(self) -> None:
        """Ends the process; who asks next starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._process = _started(self.module)
        return self._process


def _started(module: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join(path or "." for path in sys.path)
    process = subprocess.Popen(  # noqa: S603  our own module
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": paths, "PYTHONUTF8": "1"},
    )
    assert process.stdout is not None
    process.stdout.readline()  # it is ready
    return process
