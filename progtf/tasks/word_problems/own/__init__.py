"""Word problems of this project's own: drawn from kinds of problem that are written in a table."""

from progtf.tasks.word_problems.own.draw import as_line, draw_problem, draw_problems
from progtf.tasks.word_problems.own.table import Kind, digest, kinds_written

__all__ = ["Kind", "as_line", "digest", "draw_problem", "draw_problems", "kinds_written"]
