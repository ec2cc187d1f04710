"""Kinds of word problems, to tell where a solver goes wrong (Kim et al. 2020, section 5.2).

The paper sorts errors by hand: those of comparisons and those of the order of time. Here a kind is
what words of the text or the problem's own equations say, so that all problems can be counted.
"""

from progtf.tasks.word_problems.expressions import NEW, tokens_of
from progtf.tasks.word_problems.problem import WordProblem

COMPARISONS = frozenset({
    "than", "exceeds", "exceed", "difference", "twice", "thrice", "times", "double", "triple",
    "larger", "smaller", "greater", "less", "fewer", "older", "younger", "longer", "shorter",
})  # fmt: skip
TIMES = frozenset({
    "before", "after", "ago", "now", "then", "later", "already", "earlier", "first", "next",
    "yesterday", "today", "tomorrow", "until", "finally",
})  # fmt: skip
COMPARISON, TIME, UNUSED = "comparison", "temporal order", "a number not used"
CONSTANT, SEVERAL = "a number not said", "several unknowns"
KINDS = (COMPARISON, TIME, UNUSED, CONSTANT, SEVERAL)


def kinds_of(problem: WordProblem) -> frozenset[str]:
    """The kinds that a problem is of; there may be several, or none.

    Its equations tell whether a number of the text is not used, whether they have a constant that
    the text does not say, and whether there are several unknowns.
    """
    words = {word.lower() for word in problem.words}
    tokens = tokens_of(problem.equations, len(problem.numbers))
    operands = {operand for token in tokens for operand in token[1:]}
    unused = any(f"N_{place}" not in operands for place in range(len(problem.numbers)))
    has = {
        COMPARISON: not words.isdisjoint(COMPARISONS),
        TIME: not words.isdisjoint(TIMES),
        UNUSED: unused,
        CONSTANT: any(operand.startswith("C_") for operand in operands),
        SEVERAL: sum(token.operator == NEW for token in tokens) > 1,
    }
    return frozenset(kind for kind, is_so in has.items() if is_so)
