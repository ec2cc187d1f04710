"""Numbers of a residual that are trained to be semes of a program, by interchange (SIIT).

Interchange intervention training (Geiger et al. 2022) puts some numbers of one question's residual
in the place of the same numbers of another's, and asks for what the program answers when it is the
seme that changes places. Strictness (Gupta et al. 2024) asks that all other numbers, so exchanged,
change no answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.building.load import load
from progtf.data import Alphabet
from progtf.data.problem import Problem
from progtf.data.tokens import PAD
from progtf.network.interchange import Subspace, place_of
from progtf.network.model import Model
from progtf.nn import present
from progtf.nn.inside import Inside
from progtf.nn.points import Function, Hook
from progtf.program.tokens import InputError
from progtf.training.config import Model as NetworkSettings
from progtf.training.config import RunError, Swap, Train
from progtf.training.subject import IGNORED, Ids, Learned, as_batch
from progtf.weights.lower import lower


@dataclass(frozen=True)
class Aligned:
    """Semes, and the numbers that are to be them.

    Attributes:
        program: says what is answered with another one's semes.
        semes: as ``encoder.told.asked``.
        place: the numbers.
        weight: of its loss.
    """

    program: Model
    semes: tuple[str, ...]
    place: Subspace
    weight: float

    @classmethod
    def of(cls, swap: Swap, width: int) -> "Aligned":
        """What a run file asks for.

        Raises:
            RunError: for a seme that is none, or numbers that the residual does not have.
        """
        program = Model(lower(load(swap.program)))
        first, end = swap.numbers
        if not 0 <= first < end <= width:
            raise RunError(
                f"`train.interchange`: `numbers`: {first} to {end} of a width of {width}"
            )
        try:
            semes = tuple(".".join(place_of(program.weights, seme)) for seme in swap.semes)
        except ValueError as error:
            raise RunError(f"`train.interchange`: {swap.program}: {error}") from None
        directions = torch.eye(width, dtype=torch.float32, device="cpu")[:, first:end]
        point = f"encoder.blocks.{swap.block}.hook_resid_post"
        return cls(program, semes, Subspace(point, directions), swap.weight)

    def meant(self, bases: Sequence[str], sources: Sequence[str]) -> list[str]:
        """What the program answers to bases with the semes of sources, which are no shorter."""
        try:
            _, cache = self.program.run_with_cache(list(sources), self.semes)
            hooks = [(seme, _put(cache[seme])) for seme in self.semes]
            return self.program.run_with_hooks(list(bases), hooks)
        except InputError as error:
            raise RunError(f"`train.interchange`: {error}") from None


def _put(theirs: Tensor) -> Function:
    def put(mine: Tensor, hook: Hook) -> Tensor:
        del hook
        return theirs[:, : mine.shape[1]]

    return put


class Interchanged(Learned):
    """A network whose loss asks for swapped answers, too, while it is trained.

    Its batches stay as they are drawn: questions of like length have little to exchange.
    """

    module: nn.Module
    parted = False

    def __init__(
        self, module: nn.Module, settings: NetworkSettings, vocabulary: Alphabet, train: Train
    ) -> None:
        super().__init__(module, settings, vocabulary)
        blocks = settings.layers
        if settings.kind not in ("tp", "transformer"):
            raise RunError(f"`train.interchange`: a `{settings.kind}` has no encoder of blocks")
        if (most := max(swap.block for swap in train.interchange)) >= blocks:
            raise RunError(f"`train.interchange`: block {most} of {blocks}; the first one is 0")
        self.aligned = [Aligned.of(swap, settings.width) for swap in train.interchange]
        self.strictness = train.strictness

    def loss(self, source: Ids, answer: Ids) -> Tensor:
        """That of answers, of answers with a seme of another question, and of no other change."""
        plain = super().loss(source, answer)
        half = len(source) // 2
        if not self.training or not half:
            return plain
        base, rows = self._paired(source, half)
        texts = [self.vocabulary.decode(row) for row in rows.cpu().numpy()]
        total = plain
        for each in self.aligned:
            meant = each.meant(texts[:half], texts[half:])
            due = as_batch([Problem("", text) for text in meant], source.device, self.vocabulary)[1]
            total = total + each.weight * self._swapped(rows, due, each.place)
        if self.strictness:
            for rest in self._rest():
                total = total + self.strictness * self._swapped(rows, answer[base], rest)
        return total

    @staticmethod
    def _paired(source: Ids, half: int) -> tuple[Tensor, Ids]:
        """Which rows are bases, and all rows, sources last: of two the longer gives its semes."""
        lengths = (source != PAD).sum(dim=1)
        one, other = torch.arange(2 * half, device=source.device).split(half)
        longer = lengths[one] > lengths[other]
        base = torch.where(longer, other, one)
        return base, source[torch.cat([base, torch.where(longer, one, other)])]

    def _rest(self) -> list[Subspace]:
        """Behind every block that has aligned numbers, all others."""
        points: dict[str, Tensor] = {}
        for each in self.aligned:
            spared = each.place.directions.sum(dim=1)
            points[each.place.point] = points.get(each.place.point, 0) + spared
        return [
            Subspace(
                point, torch.eye(len(spared), dtype=torch.float32, device="cpu")[:, spared == 0]
            )
            for point, spared in points.items()
        ]

    def _swapped(self, rows: Ids, answer: Ids, place: Subspace) -> Tensor:
        """The loss of an answer to the first half of rows, with numbers of the second half."""
        half = len(rows) // 2
        real = present(rows, PAD)
        both = real[:half] & real[half:]
        assert isinstance(self.module, Inside)
        with self.module.hooked([(place.point, exchanged(place.directions, both))]):
            logits = self(rows, answer[:, :-1].repeat(2, 1))[:half].float() * self.score_scale
        due = self.due(answer)
        return functional.cross_entropy(logits.flatten(0, 1), due.flatten(), ignore_index=IGNORED)


def exchanged(directions: Float[Tensor, "d_model k"], both: Bool[Tensor, "base pos"]) -> Function:
    """What puts the second half of a batch into the first: in a subspace, at tokens of both."""

    def swap(residual: Tensor, hook: Hook) -> Tensor:
        del hook
        across, half = directions.to(residual), len(both)
        more = (residual[half:] - residual[:half]) @ across @ across.mT
        return torch.cat([residual[:half] + more * both[..., None], residual[half:]])

    return swap
