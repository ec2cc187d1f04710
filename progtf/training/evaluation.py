"""How many test questions are answered rightly, by all processes together."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from progtf.data import Problem
from progtf.training import config
from progtf.training.questions import TESTS, by_length, test_problems
from progtf.training.steps import Steps

MOST_PER_TEST = 256


def tests_of(run: config.Run) -> dict[str, list[Problem]]:
    """The test questions of a run, split by split."""
    return {split: test_problems(run.data, split, run.evaluate.final) for split in TESTS}


@dataclass(frozen=True)
class Evaluation:
    """Test questions, and what is to answer them."""

    problems: Mapping[str, list[Problem]]
    steps: Steps

    def scores(self, count: int) -> dict[str, float]:
        """Percent of the first questions that are right, split by split; processes share them."""
        self.steps.subject.eval()
        found: dict[str, float] = {}
        for split, problems in self.problems.items():
            some = problems[:count]
            with self.steps.average.in_place():
                (right,) = self.steps.ranks.total(self._right(some))
            if some:
                found[split] = 100.0 * right / len(some)
        return found

    @torch.no_grad()
    def _right(self, problems: list[Problem]) -> int:
        """How many of its share this process has right; each has equally many batches.

        Processes that share weights (FSDP2) wait for each other at every batch, so that one
        without questions of its own looks at another's.
        """
        ranks, total = self.steps.ranks, 0
        for some in by_length(problems, MOST_PER_TEST * ranks.ranks):
            mine = some[ranks.rank :: ranks.ranks]
            with ranks.autocast(self.steps.train.precision):
                batch = self.steps.subject.batch(mine or some[:1], ranks.device)
                right = self.steps.loss(*batch, judged=True)
            total += int(right.sum()) if mine else 0
        return total
