"""Which test problems stand in training as well."""

from collections.abc import Iterable, Sequence

from progtf.tasks.word_problems.problem import WordProblem


def leaked(tests: Sequence[WordProblem], training: Iterable[WordProblem]) -> list[bool]:
    """Of each test problem, whether training has its text, but perhaps for the numbers.

    A fifth and more of a test fold of MAWPS has; a score on the others tells what was learned.
    """
    known = {problem.without_numbers for problem in training}
    return [problem.without_numbers in known for problem in tests]
