"""Programs whose numbers are hard to add up: one answer, whichever way, where arithmetic can promise it.

What it cannot promise yet is an expected failure, with what goes wrong.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import progtf

FOLDER = Path(__file__).parents[1] / "data" / "certificates"
INPUTS = json.loads((FOLDER / "inputs.json").read_text())
UNFIT: dict[str, str] = {}


def programs(unfit):
    return [
        pytest.param(
            name, marks=pytest.mark.xfail(strict=True, reason=unfit[name]) if name in unfit else ()
        )
        for name in sorted(INPUTS)
    ]


def said(answer):
    return answer.text if answer.residual is None else np.round(answer.residual, 3).tolist()


def by_forward(model, text):
    """What the last layer gives, as a training loop sees it, put into words."""
    with torch.enable_grad():
        residual = model(model.batch([model.reader.read(text)])).detach()
    network = model.network
    if network.output is None and network.classifier is None:
        return residual[0].double().numpy()[:, : len(model.semes)].round(3).tolist()
    real = torch.ones(residual.shape[:2], dtype=torch.bool)
    scores = network.classifier(residual, real) if network.classifier else network.output(residual)[0]
    return scores.detach().double().numpy().round(2).tolist()


@pytest.mark.parametrize("name", programs(UNFIT))
def test_a_text_has_one_answer_alone_and_in_any_batch(name):
    model = progtf.compile(progtf.load(FOLDER / f"{name}.seme"))
    texts = INPUTS[name]
    alone = [said(model.answers([text])[0]) for text in texts]
    assert [said(answer) for answer in model.answers(texts)] == alone
    for shift in (1, len(texts) // 2):
        turned = [*texts[shift:], *texts[:shift]][: max(2, len(texts) // 2)]
        wanted = [alone[texts.index(text)] for text in turned]
        assert [said(answer) for answer in model.answers(turned)] == wanted
