"""How many test questions are answered rightly, by all processes together."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from progtf.data import Problem
from progtf.frozen import freeze
from progtf.nn import Decodable
from progtf.tasks.word_problems import WordProblem
from progtf.training import config
from progtf.training.networks import LearnedModel
from progtf.training.parallel import whole_weights
from progtf.training.questions import TESTS, test_problems, training_problems
from progtf.training.solve import scored
from progtf.training.steps import Steps

MOST_PER_TEST = 256


Asked = Sequence[tuple[Problem, str]]
"""Questions, each with the module that it is of, or with ``""``."""


def tests_of(run: config.Run) -> Mapping[str, Asked]:
    """The test questions of a run, split by split, and those of training that are put as well."""
    put = TESTS if run.evaluate.extrapolate else TESTS[:1]
    tests = {split: test_problems(run.data, split, run.evaluate.final) for split in put}
    trained = [(problem, "") for problem in training_problems(run, run.evaluate.train)]
    return {**tests, "train": trained} if trained else tests


@dataclass(frozen=True)
class Scores:
    """Percent that is right.

    Attributes:
        splits: of all questions of a split.
        modules: of each module's, ``{split: {module: percent}}``, where there are several.
    """

    splits: Mapping[str, float]
    modules: Mapping[str, Mapping[str, float]]

    def __post_init__(self) -> None:
        freeze(self, "splits", "modules")


@dataclass(frozen=True)
class Evaluation:
    """Test questions, and what is to answer them.

    Attributes:
        tests: split by split.
        asked: the word problem that a pair was made of, with its answers.
    """

    tests: Mapping[str, Asked]
    steps: Steps
    asked: Mapping[Problem, WordProblem] = field(default_factory=dict[Problem, WordProblem])

    def scores(self, count: int) -> Scores:
        """Percent of the first questions that are right; processes share them.

        Of word problems those count that are solved, every unknown of them; ``SPLIT equations``
        says beside it how many have the very equations of the file.
        """
        self.steps.subject.eval()
        splits: dict[str, float] = {}
        modules: dict[str, dict[str, float]] = {}
        for split, asked in self.tests.items():
            some = asked if split == "train" else asked[:count]
            if not some:
                continue
            put = Counter(module for _, module in some)
            with self.steps.average.in_place():
                mine = self._right(some)
                right = dict(zip(put, self.steps.ranks.total(*(mine[m] for m in put)), strict=True))
                splits[split] = 100.0 * sum(right.values()) / len(some)
                if self.asked and split != "train":
                    splits[f"{split} equations"] = splits[split]
                    (solved,) = self.steps.ranks.total(self._solved([each for each, _ in some]))
                    splits[split] = 100.0 * solved / len(some)
            if len(put) > 1:
                modules[split] = {each: 100.0 * right[each] / put[each] for each in sorted(put)}
        return Scores(splits, modules)

    def _solved(self, problems: Sequence[Problem]) -> int:
        """How many word problems of its share this process solves, as `progtf eval` counts them."""
        ranks, subject = self.steps.ranks, self.steps.subject
        mine = [self.asked[problem] for problem in problems[ranks.rank :: ranks.ranks]]
        network = subject.module
        assert isinstance(network, Decodable)
        with whole_weights(self.steps.loss):
            model = LearnedModel(network, vocabulary=subject.vocabulary)
            return sum(each.strict for each in scored(model, mine))

    @torch.no_grad()
    def _right(self, asked: Asked) -> Counter[str]:
        """How many of its share this process has right, by module; each has as many batches.

        Processes that share weights (FSDP2) wait for each other at every batch, so that one
        without questions of its own looks at another's.
        """
        ranks, total = self.steps.ranks, Counter[str]()
        for some in _by_length(asked, MOST_PER_TEST * ranks.ranks):
            mine = some[ranks.rank :: ranks.ranks]
            with ranks.autocast(self.steps.train.precision):
                put = [problem for problem, _ in mine or some[:1]]
                right = self.steps.loss(*self.steps.subject.batch(put, ranks.device), judged=True)
            total.update(module for (_, module), r in zip(mine, right.tolist(), strict=False) if r)
        return total


def _by_length(asked: Asked, size: int) -> Iterator[Asked]:
    """Questions in batches of like length."""
    ordered = sorted(asked, key=lambda each: (len(each[0].question), each[0].question))
    return (ordered[first : first + size] for first in range(0, len(ordered), size))
