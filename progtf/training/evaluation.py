"""How many test questions are answered rightly, by all processes together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch

from progtf.data import Problem
from progtf.nn import Decodable
from progtf.tasks.word_problems import WordProblem
from progtf.training import config
from progtf.training.networks import LearnedModel
from progtf.training.parallel import whole_weights
from progtf.training.questions import TESTS, by_length, test_problems, training_problems
from progtf.training.solve import scored
from progtf.training.steps import Steps

MOST_PER_TEST = 256


def tests_of(run: config.Run) -> dict[str, list[Problem]]:
    """The test questions of a run, split by split, and those of training that are put as well."""
    tests = {split: test_problems(run.data, split, run.evaluate.final) for split in TESTS}
    trained = training_problems(run, run.evaluate.train)
    return {**tests, "train": trained} if trained else tests


@dataclass(frozen=True)
class Evaluation:
    """Test questions, and what is to answer them.

    Attributes:
        asked: the word problem that a pair was made of, with its answers.
    """

    problems: Mapping[str, list[Problem]]
    steps: Steps
    asked: Mapping[Problem, WordProblem] = field(default_factory=dict[Problem, WordProblem])

    def scores(self, count: int) -> dict[str, float]:
        """Percent of the first questions that are right, split by split; processes share them.

        Of word problems those count that are solved, every unknown of them; ``SPLIT equations``
        says beside it how many have the very equations of the file.
        """
        self.steps.subject.eval()
        found: dict[str, float] = {}
        for split, problems in self.problems.items():
            some = problems if split == "train" else problems[:count]
            judged = {split: self._right}
            if self.asked and split != "train":
                judged = {split: self._solved, f"{split} equations": self._right}
            for name, how_many in judged.items():
                with self.steps.average.in_place():
                    (right,) = self.steps.ranks.total(how_many(some))
                if some:
                    found[name] = 100.0 * right / len(some)
        return found

    def _solved(self, problems: list[Problem]) -> int:
        """How many word problems of its share this process solves, as `progtf eval` counts them."""
        ranks, subject = self.steps.ranks, self.steps.subject
        mine = [self.asked[problem] for problem in problems[ranks.rank :: ranks.ranks]]
        network = subject.module
        assert isinstance(network, Decodable)
        with whole_weights(self.steps.loss):
            model = LearnedModel(network, vocabulary=subject.vocabulary)
            return sum(each.strict for each in scored(model, mine))

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
