"""Word problems: read, as expression tokens and back, solved, judged."""

from progtf.tasks.word_problems.expressions import (
    EQUALS,
    NEW,
    NOTHING,
    Token,
    equations_of,
    from_text,
    to_text,
    tokens_of,
)
from progtf.tasks.word_problems.judge import leniently_right, strictly_right
from progtf.tasks.word_problems.kinds import KINDS, kinds_of
from progtf.tasks.word_problems.numbers import read_text
from progtf.tasks.word_problems.problem import Number, WordProblem
from progtf.tasks.word_problems.read import has_word_problems, read_word_problems
from progtf.tasks.word_problems.solver import Solution, Solver, UnsolvableError
from progtf.tasks.word_problems.splits import leaked
from progtf.tasks.word_problems.symbols import (
    MARKS,
    NUMBERS,
    RESULTS,
    SELDOM,
    Equations,
    as_pair,
    marked,
    symbols_of,
)

__all__ = [
    "EQUALS",
    "KINDS",
    "MARKS",
    "NEW",
    "NOTHING",
    "NUMBERS",
    "RESULTS",
    "SELDOM",
    "Equations",
    "Number",
    "Solution",
    "Solver",
    "Token",
    "UnsolvableError",
    "WordProblem",
    "as_pair",
    "equations_of",
    "from_text",
    "has_word_problems",
    "kinds_of",
    "leaked",
    "leniently_right",
    "marked",
    "read_text",
    "read_word_problems",
    "strictly_right",
    "symbols_of",
    "to_text",
    "tokens_of",
]
