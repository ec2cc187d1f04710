"""Networks of ``[model]``, which are learned as a whole: built, kept, and what they answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from progtf.atomic import new_folder
from progtf.bounded import read_bytes
from progtf.data import CHARACTERS, LOWERED, PAPER, PAPER_TEXT, Alphabet, Vocabulary, Words
from progtf.data.problem import MAX_ANSWER, MAX_QUESTION
from progtf.data.tokens import END, START
from progtf.nn import (
    GRU,
    LSTM,
    Decodable,
    Outer,
    RecurrentSeq2Seq,
    RecurrentShape,
    ReportGRU,
    Shape,
    TPTransformer,
    Transformer,
    answer_all,
)
from progtf.nn.decoding import greedy
from progtf.nn.evaluation import pad_rows
from progtf.nn.inside import Inside
from progtf.nn.making import making
from progtf.program.answering import tried, without_errors
from progtf.program.answers import Answer, EndlessError
from progtf.program.outcome import Outcome, Proof
from progtf.program.tokens import InputError, given
from progtf.sealed import DamagedError, check, seal
from progtf.training.config import Model, RunError
from progtf.training.folders import SETTINGS, is_network
from progtf.training.meant import model_said
from progtf.training.outside import check_bert, note_outside
from progtf.training.pointers import build_pointers
from progtf.training.reading import build_reader
from progtf.training.sizes import check_room, surely_fits, within
from progtf.training.written_words import FOLDER as READS
from progtf.training.written_words import weights_at
from progtf.weights.elsewhere import advice
from progtf.weights.folder import WEIGHTS, save_weights

DAMAGED = (
    ValidationError, SafetensorError, OSError, ValueError, TypeError, AttributeError, LookupError,
    ArithmeticError, RuntimeError, RecursionError, MemoryError, AssertionError,
)  # fmt: skip
"""What comes of a description that is none: it is told, whatever it was."""
ROLE = 8
"""Numbers of a role that is bound by the whole product."""
MAX_WORDS = 512
"""Of a question or an answer, where words are read."""
LEARNED = Outcome("learned", "float32")


_KNOWN = PAPER, PAPER_TEXT, LOWERED


def build_network(wanted: Model, seed: int, vocabulary: Alphabet = PAPER) -> nn.Module:
    """A network over the symbols of a vocabulary with its first weights.

    Raises:
        ValueError: if its sizes do not fit each other.
    """
    symbols = len(vocabulary)
    with making(seed):
        if wanted.kind == "pointers":
            return build_pointers(wanted, vocabulary)
        if wanted.kind == "reader":
            return build_reader(wanted, vocabulary)
        first = int(isinstance(vocabulary, Vocabulary) and not vocabulary.unknown)
        if wanted.kind in ("lstm", "gru"):
            if first:
                raise ValueError("`data.vocabulary`: `paper-72` is for kinds `tp`, `transformer`")
            return _recurrent(wanted, symbols)
        shape = replace(_shape(wanted, symbols), first=first)
        if isinstance(vocabulary, Words):
            shape = replace(shape, max_length=MAX_WORDS + len((START, END)))
        if wanted.kind == "transformer":
            return Transformer(shape, wanted.scheme)
        binding = Outer(ROLE) if wanted.binding == "outer" else None
        return TPTransformer(shape, binding, wanted.scheme)


def check_sizes(wanted: Model, vocabulary: Alphabet) -> None:
    """Looks at sizes before a network is built; of what it reads from files it has none yet.

    Raises:
        ValueError: if they do not fit each other, or the network not into this machine's memory.
    """
    if surely_fits(wanted, max(wanted.layers, wanted.decoder_layers), len(vocabulary)):
        return
    reading = wanted.reading.model_copy(update={"vectors": None, "written": []})
    encoder = "lstm" if wanted.encoder == "bert" else wanted.encoder
    alone = {"reads": None, "reading": reading, "encoder": encoder}
    check_room(lambda: build_network(wanted.model_copy(update=alone), 0, vocabulary))


def _shape(wanted: Model, symbols: int) -> Shape:
    sizes = wanted.width, wanted.filter, wanted.heads, wanted.layers, wanted.layers
    roles = wanted.kind == "tp" and wanted.role_embedding
    return Shape(
        symbols, *sizes, dropout=wanted.dropout, embedding_dropout=wanted.embedding_dropout,
        norms=wanted.norms, tied=wanted.tied, role_embedding=roles,
    )  # fmt: skip


def _recurrent(wanted: Model, symbols: int) -> RecurrentSeq2Seq:
    shape = RecurrentShape(
        symbols, wanted.embedding or wanted.width, wanted.width, wanted.layers,
        wanted.dropout, wanted.forcing, masked=wanted.masked,
    )  # fmt: skip
    if wanted.kind == "lstm":
        return LSTM(shape)
    return ReportGRU(shape) if wanted.cells == "report" else GRU(shape)


def _alphabet(units: str | list[str], wanted: Model, kind: Mapping[str, bool]) -> Alphabet:
    if isinstance(units, str):
        own = Vocabulary("alphabet", units, **kind)
        return next((each for each in _KNOWN if replace(each, name=own.name) == own), own)
    return Words(tuple(units), open=wanted.kind in ("pointers", "reader"))


def publish_network(
    folder: Path, wanted: Model, tensors: dict[str, Tensor], vocabulary: Alphabet
) -> None:
    """Writes a network to a folder that is not there yet, and has its name when it is whole.

    Raises:
        RunError: if something is there, or it cannot be written.
    """
    try:
        with new_folder(folder) as part:
            save_network(part, wanted, tensors, vocabulary)
    except (OSError, SafetensorError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise RunError(f"{folder}: {why.lower()}") from None


def save_network(
    folder: Path, wanted: Model, tensors: dict[str, Tensor], vocabulary: Alphabet
) -> None:
    """Writes weights, what they are weights of (sizes, and an alphabet or words), and digests.

    What the network reads elsewhere is known by a digest of it.
    """
    save_file(tensors, folder / WEIGHTS)
    if wanted.reads is not None:
        save_weights(weights_at(wanted.reads), folder / READS)
    units = vocabulary.characters if isinstance(vocabulary, Vocabulary) else vocabulary.units
    said = {**model_said(wanted), "alphabet": units}
    if isinstance(vocabulary, Vocabulary):
        said["symbols"] = {"lower": vocabulary.lower, "unknown": vocabulary.unknown}
    settings = json.dumps(said, indent=1, ensure_ascii=False) + "\n"
    (folder / SETTINGS).write_text(settings, encoding="utf-8")
    note_outside(folder, wanted)
    seal(folder)


def load_network(folder: Path) -> tuple[nn.Module, Alphabet, Model]:
    """The network in a checkpoint, what it reads, and its settings as they were.

    Raises:
        RunError: if the folder is no checkpoint of a network, or damaged.
    """
    if not is_network(folder):
        why = advice(folder) or "`progtf train` makes one"
        raise RunError(f"{folder}: no checkpoint of a network; {why}")
    try:
        check(folder)
        wanted, vocabulary = read_settings(folder)
        check_bert(folder, wanted)
        with within(wanted, folder / WEIGHTS):
            network = build_network(kept_settings(wanted, folder), 0, vocabulary)
        network.load_state_dict(load_file(folder / WEIGHTS))
    except DamagedError as error:
        raise RunError(str(error)) from None
    except DAMAGED as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise RunError(f"{folder}: {reason}") from None
    return network.eval(), vocabulary, wanted


def read_settings(folder: Path) -> tuple[Model, Alphabet]:
    """What the network in a checkpoint was built from, and what it reads."""
    said = json.loads(read_bytes(folder / SETTINGS))
    if not isinstance(said, dict):
        raise ValueError(f"{SETTINGS} holds no settings")  # noqa: TRY004  told as a mistake of data
    units, kind = said.pop("alphabet", CHARACTERS), said.pop("symbols", {})
    wanted = Model(**said)
    return wanted, _alphabet(units, wanted, kind)


def kept_settings(wanted: Model, folder: Path) -> Model:
    """The same settings, with what they read in a checkpoint's own files."""
    changed: dict[str, Any] = {}
    if wanted.reads is not None:
        changed["reads"] = folder / READS
    if wanted.reading.vectors is not None:
        changed["reading"] = wanted.reading.model_copy(update={"vectors": folder / WEIGHTS})
    return wanted.model_copy(update=changed)


@dataclass(frozen=True)
class LearnedModel(Inside):
    """A network that answers questions; it has no program, so that nothing of it is notation."""

    network: Decodable
    semes: tuple[str, ...] = ()
    vocabulary: Alphabet = PAPER
    outcome: Outcome = LEARNED

    @classmethod
    def load(cls, folder: str | Path) -> "LearnedModel":
        """The network in a checkpoint.

        Raises:
            RunError: if the folder is damaged.
        """
        network, vocabulary, wanted = load_network(Path(folder))
        if not isinstance(network, Decodable):
            raise RunError(
                f"{folder}: a network of kind `{wanted.kind}` writes no answers; it finds them in"
                " passages: `progtf answer`"
            )
        return cls(network, vocabulary=vocabulary)

    def run(self, questions: list[str]) -> list[str]:
        """Greedy answers.

        Raises:
            InputError: for a question of other characters or words, or of too many.
            EndlessError: if an answer does not end; it has the text so far.
        """
        return [each.text for each in without_errors(self.try_answers(questions))]

    def try_answers(self, texts: Sequence[str]) -> list[Answer | InputError]:
        """The same, with a mistake in the place of the answer to each text that is none."""
        sources = [tried(self.encoded, text) for text in texts]
        asked = [one for one in sources if not isinstance(one, InputError)]
        answers = iter(answer_all(self.network, asked, self._most))
        return [
            one if isinstance(one, InputError) else tried(self._answer, text, next(answers))
            for text, one in zip(texts, sources, strict=True)
        ]

    def _answer(self, text: str, symbols: list[int]) -> Answer:
        """The answer that some symbols are.

        Raises:
            EndlessError: if the end is not among them.
        """
        most, ends = self._most - 1, END in symbols
        (said,) = self._decoded([symbols if ends else symbols[:most]])
        answer = Answer(said, tuple(self.vocabulary.cut(text)), proof=Proof.of(self.outcome))
        if not ends:
            raise EndlessError.after(most, answer)
        return answer

    @property
    def looked_into(self) -> nn.Module:
        assert isinstance(self.network, nn.Module)
        return self.network

    @torch.no_grad()
    def respond(self, given: Any) -> Any:
        """The answer to a question or to several, all computed at once.

        Of an answer that does not end it is what was written so far: who looks inside may see why.

        Raises:
            InputError: for a question of other characters or words, or of too many.
        """
        questions = [given] if isinstance(given, str) else given
        sources = pad_rows([self.encoded(question) for question in questions])
        said = self._decoded(greedy(self.network, sources, self._most, drop=False).tolist())
        return said[0] if isinstance(given, str) else said

    @property
    def _most(self) -> int:
        """How many symbols an answer has, its end with them."""
        return 1 + (MAX_ANSWER if isinstance(self.vocabulary, Vocabulary) else MAX_WORDS)

    def _decoded(self, answers: list[list[int]]) -> list[str]:
        return [
            self.vocabulary.decode(torch.tensor(answer, dtype=torch.long, device="cpu").numpy())
            for answer in answers
        ]

    def encoded(self, question: str) -> list[int]:
        """The symbols of a question, between its start and its end.

        Raises:
            InputError: for a question of other characters or words, or of too many.
        """
        chars, question = isinstance(self.vocabulary, Vocabulary), given(question)
        units, most = ("characters", MAX_QUESTION) if chars else ("words", MAX_WORDS)
        if (count := len(self.vocabulary.cut(question))) > most:
            raise InputError(f"the question has {count} {units}; these networks take {most}")
        try:
            return [START, *self.vocabulary.encode(question).tolist(), END]
        except ValueError as error:
            raise InputError(str(error)) from None
