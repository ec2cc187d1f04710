"""Circuit discovery where the circuit is known: ``python -m benchmarks.circuits [NAME ...]``.

The truth is `progtf.circuit`; the score is the area under the ROC curve over all pairs of which the
one runs before the other. What was found is written to ``docs/experiments/circuits.json``.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.circuits.cases import Case, cases
from benchmarks.circuits.methods import METHODS, SMALL, Scores
from benchmarks.circuits.missed import Missed
from benchmarks.circuits.wired import Wired
from progtf.weights.circuit import circuit

FOUND = Path(__file__).parents[2] / "docs" / "experiments" / "circuits.json"


def auc(scores: list[float], truth: list[bool]) -> float:
    """The share of pairs of an edge and no edge that the scores order rightly; ties count half."""
    values, right = np.array(scores), np.array(truth)
    if right.all() or not right.any():
        return float("nan")
    more = values[right][:, None] - values[~right][None, :]
    return float(((more > 0) + 0.5 * (more == 0)).mean())


def scored(case: Case) -> dict[str, Any]:
    """What every method finds in a network."""
    known = circuit(case.written)
    wired = Wired(case.model, known, case.texts, case.said)
    truth, pairs = known.pairs(), list(wired.pairs())
    found = {name: method(wired) for name, method in METHODS.items()}
    chance = dict(zip(pairs, np.random.default_rng(1).random(len(pairs)).tolist(), strict=True))
    missed = Missed(wired, known, case.written)
    edges = [pair for pair in pairs if pair in truth]
    row: dict[str, Any] = {"network": case.name, "pairs": len(pairs), "edges": len(edges)}
    row |= {"right": case.right, "chance": round(_auc(chance, truth), 3)}
    for name, scores in found.items():
        lost = [edge for edge in edges if scores[edge] <= SMALL]
        reasons = Counter(missed.reason(edge, name, found) for edge in lost)
        false = sum(score > SMALL for pair, score in scores.items() if pair not in truth)
        area = round(_auc(scores, truth), 3)
        row[name] = {"auc": area, "missed": dict(sorted(reasons.items())), "false": false}
    return row


def _auc(scores: Scores, truth: set[tuple[str, str]]) -> float:
    """The area, where what rounding makes is 0."""
    values = [score if score > SMALL else 0.0 for score in scores.values()]
    return auc(values, [pair in truth for pair in scores])


def line(row: dict[str, Any]) -> str:
    """A row of the table of `docs/inside.md`."""
    cells = [row["network"], f"{row['edges']} of {row['pairs']}"]
    cells += [f"{row['chance']:.2f}", *(_cell(row[name]) for name in METHODS)]
    return f"| {' | '.join(cells)} |"


def _cell(found: dict[str, Any]) -> str:
    missed = ", ".join(f"{count} {reason}" for reason, count in found["missed"].items())
    return f"{found['auc']:.3f}" + (f" ({missed})" if missed else "")


def main() -> None:
    """Measures networks one by one, and prints the table."""
    torch.set_num_threads(1)
    rows = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else []
    for case in cases(sys.argv[1:]):
        row = scored(case)
        rows = [each for each in rows if each["network"] != row["network"]] + [row]
        print(line(row), flush=True)
        FOUND.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
