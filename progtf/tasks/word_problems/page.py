"""A solved word problem as a page: each number has a colour, in the text and in the equations."""

from collections.abc import Sequence
from html import escape
from itertools import cycle, islice

from progtf.tasks.word_problems.problem import WordProblem
from progtf.tasks.word_problems.shown import Pointed

COLOURS = ("#3157c4", "#b4461e", "#1d7a46", "#8a2d8f", "#8a6a00", "#00727d", "#b3264d", "#555f70")
_STYLE = """
body { background: #f6f7f9; color: #1d2433; font: 18px/1.7 system-ui, "DejaVu Sans", sans-serif;
  margin: 0 auto; max-width: 760px; padding: 24px 20px 60px; }
mark { background: none; border-bottom: 3px solid; font-weight: 600; }
table { border-collapse: collapse; } td, th { padding: 4px 14px 4px 0; text-align: left; }
"""


def solution_page(
    problem: WordProblem,
    equations: Sequence[str],
    solution: Sequence[str],
    pointers: Sequence[Pointed],
) -> str:
    """A whole page.

    Args:
        problem: with its words and numbers.
        equations: as people write them.
        solution: such as ``x = 9``.
        pointers: which words the operands of the equations point at.
    """
    colours = list(islice(cycle(COLOURS), len(problem.numbers)))
    used = {each.number for each in pointers}
    rows = [
        f"<tr><td>{escape(equation)}</td>"
        f"<td>{_operands(problem, pointers, number, colours)}</td></tr>"
        for number, equation in enumerate(equations, start=1)
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>word problem</title>'
        f"<style>{_STYLE}</style></head><body><p>{_text(problem, used, colours)}</p>"
        f"<table><tr><th>equation</th><th>points at</th></tr>{''.join(rows)}</table>"
        f"<p>{escape(', '.join(solution))}</p></body></html>\n"
    )


def _text(problem: WordProblem, used: set[int], colours: Sequence[str]) -> str:
    """The words; those that say numbers in colours, numbers that are not used crossed out."""
    said = {word: place for place, each in enumerate(problem.numbers) for word in each.words}
    shown = []
    for place, word in enumerate(problem.words):
        number = said.get(place)
        if number is None:
            shown.append(escape(word))
        elif number in used:
            shown.append(_mark(word, colours[number]))
        else:
            shown.append(f"<s>{escape(word)}</s>")
    return " ".join(shown)


def _mark(word: str, colour: str) -> str:
    return f'<mark style="color: {colour}">{escape(word)}</mark>'


def _operands(
    problem: WordProblem, pointers: Sequence[Pointed], equation: int, colours: Sequence[str]
) -> str:
    mine = [each for each in pointers if each.equation == equation]
    around = [(each, problem.words[max(each.word - 2, 0) : each.word + 3]) for each in mine]
    return "; ".join(
        f"{_mark(problem.said(each.number), colours[each.number])} in “{escape(' '.join(words))}”"
        for each, words in around
    )
