"""What a judgement becomes in an editor."""

from pathlib import Path

import pytest

pytest.importorskip("lsprotocol", reason="the extra `lsp` is not installed")

from progtf.lsp.convert import lenses
from progtf.lsp.document import Document


def test_a_judgement_that_failed_is_told(tmp_path: Path):
    document = Document("program.seme", "semes: dog\n", tmp_path)
    (line, said), *_ = lenses(document, {"failed": "RuntimeError: out of memory"})
    assert line == 1
    assert "RuntimeError: out of memory" in said
