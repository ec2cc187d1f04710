"""Programs that answer by a class, or by an output for every token: their rows, scores, and dues.

A program reads questions as it reads them in ``progtf run``, with its own spelling and alphabet.
"""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from progtf.data import Problem
from progtf.network.model import Model
from progtf.nn import present
from progtf.notation.did_you_mean import nearest
from progtf.notation.spell import counted
from progtf.program.model import BOS, EOS
from progtf.program.tokens import InputError, split
from progtf.training.config import Data, RunError
from progtf.training.questions import alphabet_of
from progtf.training.subject import IGNORED, Hybrid, Ids
from progtf.weights.layout import Layout
from progtf.weights.weights import Weights

_INSTEAD = {
    "decoder": "a `kind: decoder` writes on behind its question; a `kind: seq2seq` is trained",
    "dense": "its inputs are vectors, and files of pairs have texts: give it a `lexicon:`",
    "number": (
        "`score:` gives a number, and training compares scores: write `classify:`, with a class"
        " for every answer"
    ),
    "nothing": (
        "it answers with vectors, it has no scores to learn from: add `classify:`, for one label"
        " a text, or `output:`, for one a token"
    ),
}


class Labelled(Hybrid):
    """A compiled model whose answers are labels: one of a text, or one of each of its tokens."""

    parted = False

    def __init__(self, module: Model, written: Weights | None = None) -> None:
        super().__init__(module, written)
        layout = module.layout
        self.labels = layout.classes or layout.outputs
        self.number_of = {label: number for number, label in enumerate(self.labels)}

    def check_kind(self) -> None:
        """Raises RunError if the program has no scores that labels could be told by."""
        if (why := _lacking(self.module.layout)) is not None:
            raise RunError(f"{self.module.layout.name}: {_INSTEAD[why]}")

    # ------------------------------------------------------------------ rows

    def batch(self, problems: Sequence[Problem], device: torch.device) -> tuple[Ids, Ids]:
        """Questions as rows of the embedding, answers as columns of the scores."""
        read = [self.module.reader.read(problem.question) for problem in problems]
        dues = [
            self._dues(row, problem.answer) for row, problem in zip(read, problems, strict=True)
        ]
        answers = torch.full(
            (len(dues), max(map(len, dues))), IGNORED, dtype=torch.long, device="cpu"
        )
        for row, due in zip(answers, dues, strict=True):
            row[: len(due)] = torch.tensor(due, dtype=torch.long, device="cpu")
        return self.module.batch(read).to(device), answers.to(device)

    def _dues(self, tokens: Sequence[str], answer: str) -> list[int]:
        """The columns that are right, one for each score; IGNORED where nothing is due."""
        if self.module.layout.classes:
            return [self.number_of[answer]]
        labels = iter(self._parts(answer))
        return [IGNORED if t in (BOS, EOS) else self.number_of[next(labels)] for t in tokens]

    def _parts(self, answer: str) -> list[str]:
        """The labels of an answer, in their order."""
        layout = self.module.layout
        if layout.classes:
            return [answer]
        return split(answer, "chars" if layout.tokens.endswith("chars") else "words")

    def check_problems(self, place: str, problems: Sequence[Problem]) -> None:
        """Raises RunError for a question that cannot be read, or an answer that cannot be given."""
        for question, answer in problems:
            where = f"{place}: `{question}`"
            try:
                read = self.module.reader.read(question)
            except InputError as error:
                raise RunError(f"{where}: {error}") from None
            parts = self._parts(answer)
            for label in parts:
                if label not in self.number_of:
                    block = "classify" if self.module.layout.classes else "output"
                    hint = nearest(label, self.labels)
                    raise RunError(
                        f"{where}: the answer `{label}` is no label of `{block}:`"
                        + (f"; {hint}" if hint else "")
                    )
            due = sum(token not in (BOS, EOS) for token in read)
            if not self.module.layout.classes and len(parts) != due:
                raise RunError(
                    f"{where}: {counted(due, 'token')}, and the answer has"
                    f" {counted(len(parts), 'label')}: one a token is due"
                )

    # ------------------------------------------------------------------ scores

    def ids_of(self, source: Ids) -> Ids:
        """They are rows of the embedding already."""
        return source

    def words_of(self, source: Ids, answer: Ids) -> Ids:
        """The words of questions, whatever marks their spelling gives them."""
        del answer
        return source % self.module.first_extra

    def scores(self, source: Ids, answer: Ids) -> Float[Tensor, "batch due label"]:
        """The scores of labels: one row a text, or one a token."""
        del answer
        network, real = self.module.network, present(source, self.module.pad)
        residual = self._residual(source, real)
        if network.classifier is not None:
            return network.classifier(residual, real)[:, None]
        assert network.unembed is not None
        return network.unembed(residual)

    def _residual(self, source: Ids, real: Tensor) -> Tensor:
        if self.cache is None:
            return self.module.network.encode(source, self.module.pad)
        return self.cache.encode(source, real)

    def due(self, answer: Ids) -> Int[Tensor, "batch due"]:
        """Answers are columns already."""
        return answer

    @torch.no_grad()
    def right(self, source: Ids, answer: Ids) -> Tensor:
        """Whether the best label is right everywhere."""
        best = self.scores(source, answer).argmax(dim=-1)
        return ((best == answer) | (answer == IGNORED)).all(dim=-1)

    def residuals(self, source: Ids, answer: Ids) -> Iterator[tuple[Tensor, Tensor]]:
        """The encoder's last residual, and where there are tokens."""
        del answer
        yield self.module.residual(source), present(source, self.module.pad)


def subject_of(model: Model, written: Weights | None, data: Data) -> Hybrid:
    """What trains a model, by what it answers.

    Raises:
        RunError: if nothing can, or the data has no rows for it.
    """
    if model.layout.kind == "seq2seq":
        subject = Hybrid(model, written, alphabet_of(data))
    else:
        subject = Labelled(model, written)
    subject.check_kind()
    if isinstance(subject, Labelled) and data.pairs is None:
        raise RunError(
            f"{model.layout.name}: its answers are labels, which are learned from a file of pairs:"
            " `[data.pairs]`, `train = FILE`, on each line a question, a tab, the answer"
        )
    return subject


def _lacking(layout: Layout) -> str | None:
    """What keeps a program from being trained on labels."""
    if layout.kind == "decoder":
        return "decoder"
    if layout.takes_vectors:
        return "dense"
    if layout.number:
        return "number"
    return None if layout.classes or layout.outputs else "nothing"
