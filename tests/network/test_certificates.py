"""Programs whose numbers are hard to add up: one answer alone and in any batch."""

import json
from pathlib import Path

import numpy as np
import pytest

import progtf

FOLDER = Path(__file__).parents[1] / "data" / "certificates"
INPUTS = json.loads((FOLDER / "inputs.json").read_text())


def said(answer):
    return answer.text if answer.residual is None else np.round(answer.residual, 3).tolist()


@pytest.mark.parametrize("name", sorted(INPUTS))
def test_a_text_has_one_answer_alone_and_in_any_batch(name):
    model = progtf.compile(progtf.load(FOLDER / f"{name}.seme"))
    texts = INPUTS[name]
    alone = [said(model.answers([text])[0]) for text in texts]
    assert [said(answer) for answer in model.answers(texts)] == alone
    for shift in (1, len(texts) // 2):
        turned = [*texts[shift:], *texts[:shift]][: max(2, len(texts) // 2)]
        wanted = [alone[texts.index(text)] for text in turned]
        assert [said(answer) for answer in model.answers(turned)] == wanted
