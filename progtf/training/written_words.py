"""What a program says of words, as learned networks read it: its flags, never changed."""

from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from progtf.building.load import load
from progtf.data import SPECIALS
from progtf.data.tokens import END, PAD, START
from progtf.network.model import Model
from progtf.nn.kept_texts import KeptTexts
from progtf.notation.did_you_mean import nearest
from progtf.program.model import BOS, EOS
from progtf.training.config import RunError
from progtf.weights.folder import load_weights
from progtf.weights.lower import lower
from progtf.weights.weights import Weights

Source = Int[Tensor, "batch src"]
FOLDER = "reads"
"""Of a checkpoint: the program's weights."""


def weights_at(path: Path) -> Weights:
    """The weights of a program, or those in a folder.

    Raises:
        RunError: if it is no encoder over words.
    """
    weights = load_weights(path) if path.is_dir() else lower(load(path))
    layout = weights.layout
    if layout.kind != "encoder" or layout.tokens != "words":
        raise RunError(f"{path}: `model.reads` is an encoder over words, not {layout.kind}")
    return weights


class WrittenWords(nn.Module):
    """The flags that a program gives every word of a text; computed once a text, and kept
    until the program or the words change.

    Shapes:
        source   batch src
        returns  batch src flag

    Args:
        model: the program's.
        units: what symbols stand for, behind the specials.
        names: which semes; none: all that are flags.

    Raises:
        ValueError: if the program has no such flag.
    """

    rows: Int[Tensor, " symbol"]

    def __init__(self, model: Model, units: Sequence[str], names: Sequence[str] = ()) -> None:
        super().__init__()
        self.model = model.requires_grad_(requires_grad=False)
        flags = {
            each.name: n
            for n, each in enumerate(model.layout.space)
            if each.low >= 0 and each.high <= 1
        }
        for name in names:
            if name not in flags:
                raise ValueError(f"the program has no flag `{name}`; {nearest(name, flags)}")
        self.flags = [flags[name] for name in names or flags]
        self.longest = model.layout.lengths[0]
        self.register_buffer("rows", self._rows(units))
        self.kept = KeptTexts()

    def _rows(self, units: Sequence[str]) -> Int[Tensor, " symbol"]:
        model = self.model
        rows = [model.rows.get(unit, model.unknown) for unit in (*SPECIALS, *units)]
        rows[PAD] = model.pad
        for symbol, token in ((START, BOS), (END, EOS)):
            rows[symbol] = model.rows.get(token, model.unknown)
        return torch.tensor(rows, dtype=torch.long, device="cpu")

    def know(self, units: Sequence[str]) -> None:
        """Reads more symbols from now on, behind those that it reads, which stay what they are."""
        more = self._rows(units)[len(self.rows) :].to(self.rows.device)
        self.rows = torch.cat([self.rows, more])

    def shuffle(self, seed: int) -> None:
        """Gives every word that the program knows the vector of another one: control ``random``."""
        known = (self.rows < self.model.unknown).nonzero()[:, 0]
        drawn = torch.randperm(
            len(known), generator=torch.Generator().manual_seed(seed), device="cpu"
        )
        self.rows[known] = self.rows[known[drawn]]

    @torch.no_grad()
    def forward(
        self, source: Source, real: Bool[Tensor, "batch src"]
    ) -> Float[Tensor, "batch src flag"]:
        """Raises ValueError for a text that is longer than the program takes."""
        if source.shape[1] > self.longest:
            raise ValueError(f"{source.shape[1]} words, and the program takes {self.longest}")
        return self.kept.of(source, real, self._found, self)

    def _found(
        self, source: Source, real: Bool[Tensor, "batch src"]
    ) -> Float[Tensor, "batch src flag"]:
        del real  # padding is a token of the program
        return self.model.residual(self.rows[source])[..., self.flags].float()
