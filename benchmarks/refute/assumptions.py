"""Assumptions of certificates, in words, held against what happened: was one of them broken?"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.refute.meaning import Look, Meant, Watch, read
from progtf.exact import Report
from progtf.program.arrays import Array

SLACK, SAME = 1e-6, 1e-9


@dataclass(frozen=True)
class Happened:
    """One input: what it means, what was seen on the way, and what is claimed of it."""

    meant: Meant
    watch: Watch
    report: Report

    def streams(self, shown: str) -> Iterator[tuple[str, Array]]:
        """Every value that a seme, or the members of a family, ever had, by name."""
        for name in self.named(shown):
            column = self.watch.program.space.index[name]
            for step in self.watch.steps:
                yield name, step.residual[:, column]

    def named(self, shown: str) -> list[str]:
        """The semes that `x` or `x[..]` stands for."""
        stem, bracket, _ = shown.partition("[")
        names = self.watch.program.space.names
        return [name for name in names if (name.partition("[")[0] if bracket else name) == stem]

    def fillers(self, shown: str) -> Iterator[tuple[Look, Array]]:
        """What heads retrieve for a seme: (src,) values, with how they looked."""
        names = {*self.named(shown)}
        for look in self.watch.looks:
            for channel in look.head.channels:
                if names & channel.writes.keys():
                    yield look, read([channel.filler], self.watch.program, look.there)[:, 0]


Broken = Callable[[re.Match[str], Happened], bool]


def broken(report: Report, meant: Meant, watch: Watch) -> bool:
    """Whether an input breaks an assumption that can be read."""
    happened = Happened(meant, watch, report)
    return any(
        breaks(found, happened)
        for text in report.assumptions
        for pattern, breaks in READABLE
        if (found := pattern.match(text))
    )


def readable(report: Report) -> bool:
    """Whether all assumptions are such that an input can be held against them."""
    return all(any(p.match(text) for p, _ in READABLE) for text in report.assumptions)


# ------------------------------------------------------------------ one predicate each


def _leaves_range(found: re.Match[str], happened: Happened) -> bool:
    ranges = happened.watch.program.space.ranges
    return any(
        (values < ranges[name].low - SLACK * max(1.0, abs(ranges[name].low))).any()
        or (values > ranges[name].high + SLACK * max(1.0, abs(ranges[name].high))).any()
        for name, values in happened.streams(found[1])
    )


def _leaves_steps(found: re.Match[str], happened: Happened) -> bool:
    """What is 0 is not written yet, except at the end."""
    space = happened.watch.program.space
    last = happened.watch.steps[-1].residual
    for name, values in happened.streams(found[1]):
        grain = space.ranges[name].grain
        if grain:
            known = np.append(values[values != 0], last[:, space.index[name]])
            whole = np.round((known - space.ranges[name].low) / grain) * grain
            off = np.abs(known - space.ranges[name].low - whole)
            if (off > SLACK * np.maximum(min(1.0, grain), np.abs(known))).any():
                return True
    return False


def _leaves_values(found: re.Match[str], happened: Happened) -> bool:
    return _leaves_range(found, happened) or _leaves_steps(found, happened)


def _mixes(found: re.Match[str], happened: Happened) -> bool:
    """Tokens that are read together have different values; or one is shared among readers."""
    for look, values in happened.fillers(found[1]):
        if look.head.normalize == "queries":
            if (look.pattern % 1 != 0).any():
                return True
            continue
        for row in look.pattern:
            read = values[row > 0]
            if read.size and np.ptp(read) > SAME * max(1.0, np.abs(read).max()):
                return True
    return False


def _several_hold(found: re.Match[str], happened: Happened) -> bool:
    index = happened.watch.program.space.index
    columns = [index[name] for name in happened.named(found[1])]
    sums = (step.residual[:, columns].sum(axis=1) for step in happened.watch.steps)
    return any((each > 1 + SLACK).any() for each in sums)


def _scale(happened: Happened) -> float:
    scores = happened.meant.scores
    return 1.0 if scores is None else max(1.0, float(np.abs(scores).max()))


def _shared(_found: re.Match[str], happened: Happened) -> bool:
    return happened.meant.gap <= SAME * _scale(happened)


def _not_ahead(_found: re.Match[str], happened: Happened) -> bool:
    output = happened.report.output
    off = 0.0 if output is None else output.error
    return happened.meant.gap <= 2 * off + SAME * _scale(happened)


def _uneven(found: re.Match[str], happened: Happened) -> bool:
    for look in happened.watch.looks:
        if look.head.name == found[1]:
            counts = ((look.pattern > 0).sum(axis=1) + (look.rest > 0)).astype(int)
            if ((counts & (counts - 1)) != 0).any():
                return True
    return False


def _close_scores(found: re.Match[str], happened: Happened) -> bool:
    least = float(found[1]) * (1 - SLACK)
    for _, scores in happened.watch.scored:
        for row in scores:
            apart = np.diff(np.sort(row[np.isfinite(row)]))
            if ((apart > SAME) & (apart < least)).any():
                return True
    return False


def _adds_up_too_far(found: re.Match[str], happened: Happened) -> bool:
    limit = float(found[2].replace(",", ""))
    for look, values in happened.fillers(found[1]):
        parts = look.pattern * values
        up, down = np.maximum(parts, 0).sum(axis=1), np.maximum(-parts, 0).sum(axis=1)
        if (np.maximum(up, down) >= limit).any():
            return True
    return False


def _goes_on(found: re.Match[str], happened: Happened) -> bool:
    """A loop has not come to its end."""
    column = happened.watch.program.space.index[f"{found[1]}.unfinished"]
    return any((step.residual[:, column] > 0).any() for step in happened.watch.steps)


READABLE: tuple[tuple[re.Pattern[str], Broken], ...] = tuple(
    (re.compile(pattern), breaks)
    for pattern, breaks in (
        (r"`([^`]+)` stays in ", _leaves_range),
        (r"`([^`]+)` keeps to its steps of ", _leaves_steps),
        (r"`([^`]+)` keeps to its declared values from word to word", _leaves_values),
        (r"tokens that match equally give `([^`]+)` the same value", _mixes),
        (r"of `([^`]+)` one holds at a token", _several_hold),
        (r"the best score is not shared", _shared),
        (r"the best score is ahead of the others", _not_ahead),
        (r"head `([^`]*)` finds 1, 2, 4", _uneven),
        (r"scores that differ, differ by (\S+) at least", _close_scores),
        (r"loop `([^`]+)` ends within ", _goes_on),
        (r"what adds up to `([^`]+)` stays below ([\d,]+) on the way", _adds_up_too_far),
    )
)
