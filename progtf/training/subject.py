"""What is trained: a hybrid, or a model that is learned as a whole. Both speak of ids alike."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from progtf.data import PAPER, Alphabet, Problem
from progtf.data.tokens import END, PAD, START
from progtf.equality import compared
from progtf.network.model import Model
from progtf.nn import pad_rows, present
from progtf.program.model import BOS, EOS
from progtf.program.spelling import Spelling
from progtf.training.bounds import Bounds
from progtf.training.choices import Choices
from progtf.training.config import Model as NetworkSettings
from progtf.training.config import RunError
from progtf.training.extent import Side, sides_of
from progtf.training.seme_cache import SemeCache, check_random
from progtf.weights.marking import with_marks_of
from progtf.weights.weights import Weights

Ids = Int[Tensor, "batch pos"]
IGNORED = -100
_OTHERWISE = "words are read from pairs (`[data.pairs]`)"
_LACKS = {
    "question": (
        "a question has `{}`, which the program cannot read: add it to the lexicon, or give all"
        " others a vector by `unknown: 0`"
    ),
    "answer": (
        "an answer has `{}`, which the program cannot write: add it to `tokens:` of `learn:` or to"
        " `output:`"
    ),
}


@compared
@dataclass(frozen=True)
class Translation:
    """The data's symbols as a model's ids.

    Attributes:
        ids: symbol number -> id of the model's embedding.
        classes: symbol number -> column of the model's logits, IGNORED where it has none.
    """

    ids: Int[Tensor, " symbol"]
    classes: Int[Tensor, " symbol"]


class Subject(nn.Module):
    """A module from source and target symbols to logits, whatever it is made of.

    Attributes:
        score_scale: what logits are multiplied with in the loss.
        smoothing: the share of a symbol's due that all symbols that could stand there have.
        parted: whether the rows of a step may be parted by length: they are lines of the data's
            symbols, with padding at their ends alone, and no row matters to another.
    """

    translation: Translation
    parted = True
    score_scale = 1.0
    smoothing = 0.0

    def __init__(self, module: nn.Module, vocabulary: Alphabet) -> None:
        super().__init__()
        self.module, self.vocabulary = module, vocabulary

    def forward(self, source: Ids, target: Ids) -> Float[Tensor, "batch pos out"]:
        """Logits after each target symbol; both in the data's symbols."""
        ids = self.translation.ids.to(source.device)
        return self.logits(ids[source], ids[target])

    def logits(self, source: Ids, target: Ids) -> Float[Tensor, "batch pos out"]:
        """The same in the model's ids."""
        return self.module(source, target)

    def loss(self, source: Ids, answer: Ids) -> Tensor:
        """The mean cross-entropy of the symbols of answers, padding left out."""
        return self.losses(source, answer)[0]

    def losses(self, source: Ids, answer: Ids) -> tuple[Tensor, Float[Tensor, " batch"]]:
        """The mean cross-entropy of all symbols of answers, and that of each answer's."""
        logits, due = self.scores(source, answer).float() * self.score_scale, self.due(answer)
        mean = functional.cross_entropy(logits.flatten(0, 1), due.flatten())
        if self.smoothing:
            mean = mean + self.smoothing * (_evenly(logits)[due != IGNORED].mean() - mean)
        with torch.no_grad():
            each = functional.cross_entropy(logits.mT, due, reduction="none").sum(dim=1)
        return mean, each / (due != IGNORED).sum(dim=1)

    def after_step(self) -> None:
        """What is to be done whenever weights have changed."""

    def batch(self, problems: Sequence[Problem], device: torch.device) -> tuple[Ids, Ids]:
        """Rows as tensors: questions, and what tells what is due."""
        return as_batch(problems, device, self.vocabulary)

    def scores(self, source: Ids, answer: Ids) -> Float[Tensor, "batch pos out"]:
        """The logits beside all that is due."""
        return self(source, answer[:, :-1])

    def due(self, answer: Ids) -> Ids:
        """The column of the logits that is right at each step."""
        return self.translation.classes.to(answer.device)[answer[:, 1:]]

    @property
    def room(self) -> dict[str, int]:
        """How many characters or words a question and an answer may have; nothing: any number."""
        return {}

    @property
    def alphabet(self) -> dict[str, Collection[str]]:
        """The characters or words that a question and an answer may have; nothing: any."""
        return {}

    def check_problems(self, place: str, problems: Sequence[Problem]) -> None:
        """Raises RunError if one of them could not be put, or its answer not given."""
        self.check(sides_of(place, problems, self.vocabulary))

    def check(self, sides: Iterable[Side]) -> None:
        """Raises RunError if some questions could not be put, or some answers not given."""
        for side in sides:
            most = self.room.get(side.name, side.longest)
            if side.longest > most:
                units = "words" if side.tokens == "words" else "characters"
                raise RunError(
                    f"{side.place}: too long: one {side.name} has {side.longest} {units},"
                    f" and the program's `length:` leaves room for {most}"
                )
            known = self.alphabet.get(side.name, side.units)
            for unit in side.units:
                if unit not in known:
                    raise RunError(f"{side.place}: {_LACKS[side.name].format(unit)}")

    @torch.no_grad()
    def right(self, source: Ids, answer: Ids) -> Bool[Tensor, " batch"]:
        """Whether greedy decoding would give the answer, every symbol of it."""
        due = self.due(answer)
        likeliest = self.scores(source, answer).argmax(dim=-1)
        return ((likeliest == due) | (answer[:, 1:] == PAD)).all(dim=-1)


def _evenly(logits: Float[Tensor, "*rows out"]) -> Float[Tensor, " *rows"]:
    """The mean of the negative log-probabilities that are not infinite, row by row."""
    possible = logits.isfinite()
    each = -logits.log_softmax(dim=-1).masked_fill(~possible, 0.0)
    return each.sum(dim=-1) / possible.sum(dim=-1)


class Hybrid(Subject):
    """A compiled model."""

    module: Model
    cache: SemeCache | None = None
    choices: Choices | None = None
    bounds: Bounds | None = None

    def __init__(
        self, module: Model, written: Weights | None = None, vocabulary: Alphabet = PAPER
    ) -> None:
        super().__init__(module, vocabulary)
        self.written = module.network.weights if written is None else written

    def loss(self, source: Ids, answer: Ids) -> Tensor:
        """The mean cross-entropy of the symbols of answers; where words choose, of all draws."""
        if self.choices is None:
            return super().loss(source, answer)
        words = self.words_of(source, answer)
        has = (words[:, :, None] == self.choices.free.rows).any(dim=1)
        return self.choices.loss(has, lambda: self.losses(source, answer))

    def ids_of(self, source: Ids) -> Ids:
        """Questions as rows of the embedding."""
        return self.translation.ids.to(source.device)[source]

    def words_of(self, source: Ids, answer: Ids) -> Ids:
        """All that is read of questions and answers, as rows of the embedding."""
        return torch.cat([self.ids_of(source), self.ids_of(answer[:, :-1])], dim=1)

    @torch.no_grad()
    def residuals(self, source: Ids, answer: Ids) -> Iterator[tuple[Tensor, Tensor]]:
        """The last residual of each stack, and where there are tokens."""
        model, network = self.module, self.module.network
        asked, given = self.ids_of(source), self.ids_of(answer)
        memory, real = model.residual(asked), present(asked, model.pad)
        yield memory, real
        written = network.decoder(network.embedding(given), None, memory, real)
        yield written, present(given, model.pad)

    def after_step(self) -> None:
        """Keeps what is learned of words within bounds."""
        if self.bounds is not None:
            self.bounds.keep()

    def weights(self) -> Weights:
        """The weights that it has now, with the marks that its program has."""
        return with_marks_of(self.module.weights, self.written)

    @cached_property
    def translation(self) -> Translation:  # type: ignore[override]
        """The data's symbols as tokens of the program.

        Raises:
            RunError: if the program does not answer questions, or lacks a token.
        """
        self.check_kind()
        model, layout = self.module, self.module.layout
        symbols = ["\0", "\0", BOS, EOS, *self.vocabulary.units]
        rows = [model.ids.get(symbol, model.unknown) for symbol in symbols]
        rows[PAD] = model.pad
        for token in (BOS, EOS):
            if token not in layout.lexicon:
                raise RunError(f"{layout.name}: `{token}` is not in the lexicon: give it a vector")
        column = {token: number for number, token in enumerate(layout.outputs)}
        classes = [column.get(symbol, IGNORED) for symbol in symbols]
        return Translation(
            model.embedded(torch.tensor(rows, dtype=torch.long, device="cpu")),
            torch.tensor(classes, dtype=torch.long, device="cpu"),
        )

    def check_kind(self) -> None:
        """Raises RunError if the program does not write answers to such questions."""
        layout, due = self.module.layout, self.vocabulary.tokens
        if layout.tokens != due:
            raise RunError(
                f"{layout.name}: answers to these questions are written by a program with"
                f" `tokens: {due}`, this one has {layout.tokens}; {_OTHERWISE}"
            )

    def check(self, sides: Iterable[Side]) -> None:
        """Raises RunError, too, if the program reads a symbol of a question as another one."""
        every = [*sides]
        for side in every if self.module.layout.spelling != Spelling() else ():
            other = (each for each in side.units if not self.module.reader.leaves(each))
            if side.name == "question" and (found := next(other, None)) is not None:
                name = self.module.layout.name
                why = f"its `spelling:` reads `{found}` otherwise than it stands there"
                raise RunError(f"{side.place}: {name}: {why}")
        super().check(every)

    def logits(self, source: Ids, target: Ids) -> Float[Tensor, "batch pos out"]:
        """Logits after each target token; written semes come from the cache, if there is one."""
        model = self.module
        if self.cache is None:
            return model(source, target)
        network, real = model.network, present(source, model.pad)
        memory = self.cache.encode(source, real)
        residual = network.encoder_decoder(model.pad).decode(target, memory, real)
        assert network.unembed is not None
        return network.unembed(residual)

    def use_cache(self, *, wanted: bool) -> None:
        """Whether written semes are kept, question by question."""
        self.cache = SemeCache.of(self.module) if wanted else None

    def randomise(self, problems: Sequence[Problem], begun: "Hybrid", seed: int) -> None:
        """Puts random features in place of the written semes: control ``random``.

        Args:
            problems: whose semes say which values the features have.
            begun: the same before training.
            seed: of the features.
        """
        self.use_cache(wanted=True)
        check_random(self.module)
        assert self.cache is not None
        device = self.module.output_ids.device
        source = self.batch(problems, device)[0]
        self.cache.randomise(self.ids_of(source), begun.to(device).module, seed)

    @property
    def room(self) -> dict[str, int]:
        """What `length:` says, without the start and the end of a question."""
        question, answer = self.module.layout.lengths
        return {"question": question - 2, "answer": answer}

    @property
    def alphabet(self) -> dict[str, Collection[str]]:
        """What the lexicon has, unless it has `unknown`, and what can be written."""
        reader, writable = self.module.reader, set(self.module.layout.outputs)
        readable = {} if reader.unknown else {"question": reader.lexicon}
        return {**readable, "answer": writable}


class Learned(Subject):
    """A model of `progtf.nn` over the data's symbols, and what it was built from."""

    def __init__(
        self, module: nn.Module, settings: NetworkSettings, vocabulary: Alphabet = PAPER
    ) -> None:
        super().__init__(module, vocabulary)
        self.settings = settings

    @cached_property
    def translation(self) -> Translation:  # type: ignore[override]
        """The data's symbols as they are."""
        numbers = torch.arange(len(self.vocabulary), device="cpu")
        classes = numbers.clone()
        classes[PAD] = IGNORED
        return Translation(numbers, classes)


def as_batch(
    problems: Sequence[Problem], device: torch.device, vocabulary: Alphabet = PAPER
) -> tuple[Ids, Ids]:
    """Questions and answers as symbols, with start and end, padded."""
    questions, answers = (
        pad_rows([[START, *vocabulary.encode(text).tolist(), END] for text in texts], PAD)
        for texts in zip(*problems, strict=True)
    )
    return questions.to(device), answers.to(device)
