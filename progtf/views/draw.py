"""Still pictures as SVG, for places where nothing can move; whatever is shown is escaped."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import cos, pi, sin
from typing import Any

from progtf.notation import spell
from progtf.numbers import DIGITS, plain, settled, shown

Data = dict[str, Any]
POSITIVE, NEGATIVE, EMPTY = "#1f6fb5", "#c4661a", "#eef1f5"
TEXT, MUTED, LINE = "#1d2433", "#667085", "#e2e6ec"
HANDS = ("#3b6fd4", "#d0791f", "#1f9d80", "#b4558f", "#8a8f2a", "#4aa3c7", "#7b62c9")
_LETTER = 7.3
_CHIPS = 8
_ROWS = 40


def svg(width: float, height: float, parts: Iterable[str], label: str) -> str:
    """A picture with a white ground, so that it can be read on any page."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(label)}" '
        'font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="12">'
        f'<rect width="100%" height="100%" rx="8" fill="#ffffff"/>{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, colour: str = TEXT, more: str = "") -> str:
    """Words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" {more}>{escape(words)}</text>'


def _box(x: float, y: float, width: float, height: float, colour: str, opacity: float) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
        f'fill="{colour}" fill-opacity="{opacity:.2f}"/>'
    )


def _empty(x: float, y: float, count: int) -> str:
    """A row of empty boxes, 28 wide and high and 2 apart: one thick dashed line."""
    return (
        f'<path d="M{x:.1f} {y + 14:.1f}h{30 * count - 2}" stroke="{EMPTY}" stroke-width="28" '
        'stroke-dasharray="28 2"/>'
    )


def _colour(value: float) -> str:
    return NEGATIVE if value < 0 else POSITIVE


def residual_svg(run: Data, semes: Sequence[str]) -> str:
    """Tokens down, parts of the network across, semes in the cells."""
    steps = [step for step in run["steps"] if step["stack"] == run["steps"][-1]["stack"]]
    tokens = steps[0]["tokens"]
    shown = range(min(_ROWS, len(tokens)))
    cells = [[_cell(step["rows"][i], semes) for i in shown] for step in steps]
    widths = [max(len(tokens[i]) for i in shown) * _LETTER + 34]
    widths += [max(70.0, *(_width(c) for c in column)) + 22 for column in cells]
    starts = [sum(widths[:place]) for place in range(len(widths) + 1)]
    parts = [text(starts[i + 1], 22, s["label"] or "layer", MUTED) for i, s in enumerate(steps)]
    top = 34
    for place in shown:
        parts.append(f'<line x1="12" x2="{starts[-1]:.0f}" y1="{top}" y2="{top}" stroke="{LINE}"/>')
        parts.append(text(16, top + 20, tokens[place], TEXT, 'font-weight="600"'))
        for column, found in enumerate(cells):
            before = dict(cells[column - 1][place]) if column else {}
            parts += _chips(found[place], before, starts[column + 1], top + 7)
        top += 10 + 22 * max(1, *(-(-min(len(column[place]), _CHIPS + 1) // 2) for column in cells))
    if len(tokens) > _ROWS:
        parts.append(text(16, top + 16, f"and {len(tokens) - _ROWS} more rows", MUTED))
        top += 24
    return svg(starts[-1] + 12, top + 4, parts, "residual stream")


def _cell(row: Mapping[str, float], semes: Sequence[str]) -> list[tuple[str, float]]:
    found = ((name, settled(row[name], DIGITS)) for name in semes if name in row)
    return [(name, value) for name, value in found if value]


def _width(chips: Sequence[tuple[str, float]]) -> float:
    pairs = [chips[i : i + 2] for i in range(0, min(len(chips), _CHIPS), 2)]
    return max((sum(len(_chip(n, v)) * _LETTER + 18 for n, v in p) for p in pairs), default=0)


def _chip(name: str, value: float) -> str:
    return spell.of_amount(shown(value), name)


def _chips(
    chips: Sequence[tuple[str, float]], before: Mapping[str, float], left: float, top: float
) -> Iterator[str]:
    x = left
    if not chips:
        yield text(x + 3, top + 13, "·", MUTED)
    if len(chips) > _CHIPS:
        yield text(x + 6, top + 13 + 11 * _CHIPS, f"and {len(chips) - _CHIPS} more", MUTED)
    for place, (name, value) in enumerate(chips[:_CHIPS]):
        x = left if place % 2 == 0 else x
        y = top + 22 * (place // 2)
        words = _chip(name, value)
        new = before.get(name) != value
        yield _box(x, y, len(words) * _LETTER + 12, 18, _colour(value), 0.22 if new else 0.06)
        yield text(x + 6, y + 13, words, TEXT if new else MUTED)
        x += len(words) * _LETTER + 18


def attention_svg(step: Data, head: Data) -> str:
    """Who reads from whom: readers down, what is read across, the null key last."""
    tokens = step["tokens"]
    readers, sources = tokens[:_ROWS], (head["src"] or tokens)[:_ROWS]
    rest = any(head["rest"])
    names = [*sources, *(["nothing"] if rest else [])]
    left = max(map(len, readers)) * _LETTER + 24
    top = max(map(len, names)) * _LETTER * 0.75 + 44
    parts = [text(12, 22, f"{step['label'] or 'layer'} / {head['name']}", MUTED)]
    for place, name in enumerate(names):
        if len(name) == 1:
            parts.append(text(left + place * 30 + 11, top - 8, name))
            continue
        x = left + place * 30 + 18
        turned = f'transform="rotate(-45 {x:.0f} {top - 8:.0f})"'
        parts.append(text(x - 4, top - 6, name, TEXT if place < len(sources) else MUTED, turned))
    for dst, reader in enumerate(readers):
        y = top + dst * 30
        parts.append(text(left - 10, y + 19, reader, TEXT, 'text-anchor="end"'))
        shares = [*head["pattern"][dst][: len(sources)], *([head["rest"][dst]] if rest else [])]
        parts.append(_empty(left + 1, y + 1, len(shares)))
        for src, share in enumerate(shares):
            colour = POSITIVE if src < len(sources) else MUTED
            if share:
                parts.append(_box(left + src * 30 + 1, y + 1, 28, 28, colour, 0.1 + 0.9 * share))
    return svg(left + 30 * len(names) + 60, top + 30 * len(readers) + 12, parts, "attention")


def clocks_svg(tokens: Sequence[str], periods: Sequence[float]) -> str:
    """A face for each token, a hand for each clock."""
    parts: list[str] = []
    for place, token in enumerate(tokens[:12]):
        x, y = 58 + 96 * place, 56
        parts.append(f'<circle cx="{x}" cy="{y}" r="40" fill="#f6f7f9" stroke="{LINE}"/>')
        for clock, period in enumerate(periods):
            angle = 2 * pi * place / period
            reach = 34 - 16 * clock / max(1, len(periods) - 1)
            tip = x + reach * sin(angle), y - reach * cos(angle)
            parts.append(
                f'<line x1="{x}" y1="{y}" x2="{tip[0]:.1f}" y2="{tip[1]:.1f}" stroke-width="2.6" '
                f'stroke-linecap="round" stroke="{HANDS[clock % len(HANDS)]}"/>'
            )
        parts.append(text(x, 114, token[:12], TEXT, 'text-anchor="middle"'))
    return svg(20 + 96 * len(tokens[:12]), 126, parts, "clocks")


def matrix_svg(
    rows: Sequence[str], columns: Sequence[str], entries: Sequence[Sequence[Any]]
) -> str:
    """A matrix with named rows and columns; zero is uncoloured."""
    values = {(source, target): value for source, target, value in entries}
    most = max([1.0, *(abs(value) for value in values.values())])
    left = max([4, *map(len, rows)]) * _LETTER + 24
    side = max([5, *map(len, columns)]) * _LETTER + 12
    parts = [
        text(left + (i + 0.5) * side, 24, name, TEXT, 'text-anchor="middle"')
        for i, name in enumerate(columns)
    ]
    for down, source in enumerate(rows):
        y = 34 + 30 * down
        parts.append(text(left - 10, y + 19, source, TEXT, 'text-anchor="end"'))
        for across, target in enumerate(columns):
            value = values.get((source, target), 0.0)
            x = left + across * side
            strength = 0.08 + 0.6 * abs(value) / most
            parts.append(_box(x + 1, y + 1, side - 2, 28, EMPTY, 1))
            if value:
                parts.append(_box(x + 1, y + 1, side - 2, 28, _colour(value), strength))
            number = shown(settled(value, DIGITS))
            centre = 'text-anchor="middle"'
            parts.append(text(x + side / 2, y + 19, number, TEXT if value else MUTED, centre))
    return svg(left + side * len(columns) + 12, 46 + 30 * len(rows), parts, "matrix")


def curve_svg(name: str, points: Sequence[tuple[float, float]]) -> str:
    """A curve with its ends labelled."""
    if not points:
        return svg(420, 40, [text(12, 24, f"{name}: no records yet", MUTED)], name)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low, high = min(0.0, *ys), max(*ys, 1e-9)
    wide = (xs[-1] - xs[0]) or 1.0
    path = " ".join(
        f"{56 + 340 * (x - xs[0]) / wide:.1f},{140 - 100 * (y - low) / (high - low):.1f}"
        for x, y in points
    )
    parts = [
        text(12, 22, f"{name}: {plain(ys[-1])} at step {plain(xs[-1])}"),
        f'<polyline points="{path}" fill="none" stroke="{POSITIVE}" stroke-width="2"/>',
        text(48, 44, plain(high), MUTED, 'text-anchor="end"'),
        text(48, 144, plain(low), MUTED, 'text-anchor="end"'),
    ]
    return svg(420, 160, parts, name)
