"""What a run tells while it goes on: metrics.jsonl, TensorBoard, a progress bar."""

import json
import math
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from progtf.atomic import opened, own_folder, write
from progtf.records import line_of
from progtf.tables import Shown, bar
from progtf.training.evaluation import Scores

METRICS = "metrics.jsonl"
SILENCE = 30.0
"""Seconds after which a run without a progress bar says where it is."""


class Log:
    """The log of one run; a silent one, without a folder, keeps only the curve."""

    def __init__(self, folder: Path | None, *, show: bool = True) -> None:
        self.folder = folder
        self.curve: list[dict[str, Any]] = []
        self._board: Any = None
        self._rate, self._loss = 0.0, math.nan
        self._said = self._began = time.monotonic()
        self._first = self._steps = 0
        console = Shown(stderr=True)
        self._show = show and folder is not None
        quiet = not (self._show and console.is_terminal)
        self._bar = bar(console, disable=quiet)
        self._task = self._bar.add_task("", total=None)

    def begin(
        self, step: int, steps: int, note: str = "", curve: Iterable[Mapping[str, Any]] = ()
    ) -> None:
        """Goes on after ``step``: what was noted of later steps has not happened.

        The file is written anew: what a checkpoint tells is so, whatever became of the file.

        Args:
            step: where the run stands.
            steps: how many it will have.
            note: what else is to be said of where it goes on.
            curve: what was noted before.
        """
        self.curve = [dict(record) for record in curve]
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            write(self.folder / METRICS, "".join(map(line_of, self.curve)))
            from torch.utils.tensorboard.writer import SummaryWriter  # noqa: PLC0415  slow

            first = step + 1 if step else 0
            self._board = SummaryWriter(
                str(own_folder(self.folder / "tensorboard")), purge_step=first
            )
        self._said = self._began = time.monotonic()
        self._first, self._steps = step, steps
        self._bar.start()
        self._bar.update(self._task, total=steps, completed=step)
        if step and self._show:
            self._say(f"going on after step {step}{note}")

    def step(self, step: int, loss: float, rate: float) -> None:
        """After every step; ``rate`` is questions a second."""
        self._loss, self._rate = loss, rate
        where = f"loss {loss:.3f}, {rate:.0f} questions/s"
        if not self._bar.disable:
            self._bar.update(self._task, completed=step, description=where)
        elif self._show and time.monotonic() - self._said > SILENCE and step < self._steps:
            each = (time.monotonic() - self._began) / (step - self._first)
            left = timedelta(seconds=round(each * (self._steps - step)))
            self._say(f"step {step} of {self._steps}: {where}, about {left} to go")

    def noted(self, step: int) -> None:
        """After every ``train.log_every`` steps: loss and speed go to TensorBoard."""
        if self.folder is not None:
            self._board.add_scalar("loss", self._loss, step)
            self._board.add_scalar("questions_per_second", self._rate, step)

    def evaluated(self, step: int, loss: float, scores: Scores, drift: dict[str, float]) -> None:
        """After every evaluation."""
        line: dict[str, Any] = {"step": step, "loss": None if math.isnan(loss) else loss}
        line |= {"questions_per_second": round(self._rate, 1), **scores.splits}
        line |= {"modules": scores.modules} if scores.modules else {}
        line |= {"drift": drift} if drift else {}
        self.curve.append(line)
        if self.folder is None:
            return
        with opened(self.folder / METRICS, append=True) as file:
            file.write(line_of(line).encode())
        for name, value in scores.splits.items():
            self._board.add_scalar(name, value, step)
        for split, modules in scores.modules.items():
            for module, value in modules.items():
                self._board.add_scalar(f"{split}/{module}", value, step)
        self._board.flush()
        if self._show:
            shown = ", ".join(f"{split} {score:.1f} %" for split, score in scores.splits.items())
            moved = f", semes changed {drift['changed']:.2f} %" if drift else ""
            so_far = "before training" if math.isnan(loss) else f"loss {loss:.4f}"
            self._say(f"step {step}: {so_far}, {shown}{moved}")

    def unreached(self, weak: dict[str, float]) -> None:
        """Names the written entries that training does not reach, with their gradients' norms."""
        if weak and self._show:
            shown = "\n".join(f"  {label}: {norm:.1e}" for label, norm in weak.items())
            self._say(
                "next to no gradient reaches these trained entries, or one that is noise, so that"
                " they learn nothing: addresses of sharp heads (mode `values` leaves them out),"
                f" what only these read, and what nothing reads that is learned or answers\n{shown}"
            )

    def _say(self, text: str) -> None:
        """Prints above the bar; in a file, a line stays a line."""
        self._said = time.monotonic()
        self._bar.console.print(text, soft_wrap=self._bar.disable)

    def end(self, step: int, scores: Scores, stopped: str) -> None:
        """The final results."""
        self._bar.stop()
        if self.folder is None:
            return
        final = {"step": step, "stopped": stopped, **scores.splits}
        final |= {"modules": scores.modules} if scores.modules else {}
        write(self.folder / "final.json", json.dumps(final, indent=1))
        self._board.close()
