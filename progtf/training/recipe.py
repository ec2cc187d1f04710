"""What decides a run: a run goes on only if it is the same."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import torch
from pydantic_core import to_jsonable_python
from torch import nn

from progtf.atomic import write
from progtf.building.load import load
from progtf.content import digest_of, key_of
from progtf.frozen import freeze
from progtf.network.model import Model
from progtf.training.config import Run
from progtf.training.meant import run_said
from progtf.training.outside import bert_digest
from progtf.training.ranks import Ranks
from progtf.training.subject import Subject

FILE = "settings.json"


@dataclass(frozen=True)
class Identity:
    """What a run is. It goes on only as the same one.

    Attributes:
        settings: all that decide it, by name.
        begun: a digest of what is trained, as it is before training.
        questions: a digest of those of each split.
        processes: how many it has.
        threads: of the processor, in each of them; 0: on a GPU, which promises no bits.
        built: what computes it; with something else it goes on, and its bits are others.
    """

    settings: Mapping[str, Any]
    begun: str
    questions: Mapping[str, str]
    processes: int
    threads: int
    built: str

    def __post_init__(self) -> None:
        freeze(self, "settings", "questions")

    @classmethod
    def of(
        cls, run: Run, subject: Subject, questions: Mapping[str, str], ranks: Ranks
    ) -> "Identity":
        """That of a run that has not begun.

        Args:
            run: its settings.
            subject: what is trained, before any step.
            questions: a digest of those of each split.
            ranks: the processes that it has.
        """
        built, threads = f"torch {torch.__version__}", 0
        if ranks.device.type == "cpu":
            built += f" for {torch.backends.cpu.get_cpu_capability()}"
            threads = torch.get_num_threads()
        settings = flat(_deciding(run))
        return cls(settings, _digest_of(subject), questions, ranks.ranks, threads, built)

    def changes(self, now: "Identity") -> list[str]:
        """What keeps a run of this identity from going on as another one, in words.

        A run can be made longer, if its rate does not depend on its length.
        """
        return [
            *_settings_changed(self.settings, now.settings),
            *(
                f"the questions of `{split}`"
                for split in sorted({*self.questions, *now.questions})
                if self.questions.get(split) != now.questions.get(split)
            ),
            *(
                f"{before} {what}, not {due}{remedy}"
                for what, before, due, remedy in (
                    ("processes", self.processes, now.processes, ""),
                    ("threads", self.threads, now.threads, f" (`--threads {self.threads}`)"),
                )
                if before != due
            ),
        ] or ([] if self.begun == now.begun else [self._begun_with])

    @property
    def _begun_with(self) -> str:
        of_program = self.settings.get("model.kind") is None
        return "the program" if of_program else "what the network begins with, or reads"


def _settings_changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted({*before, *now} - _idle(now)):
        was, is_now = (each[key] if key in each else _usual(key) for each in (before, now))
        if was != is_now:
            yield f"`{key}`, from {was} to {is_now}"


def _idle(settings: Mapping[str, Any]) -> set[str]:
    """Those that change no weight, as the others are."""
    found = {"train.log_every"}
    if settings["train.stop_at"] > 100 and not settings["train.patience"]:  # no test stops it
        found |= {key for key in settings if key.startswith("evaluate.")}
    return found if settings["train.decay"] else found | {"train.steps", "train.epochs"}


def _usual(key: str) -> Any:
    """What a setting is where nothing is said, or where there was none of that name."""
    table: Any = Run
    default: Any = None
    for part in key.split("."):
        field = getattr(table, "model_fields", {}).get(part)
        inner = () if field is None else (field.annotation, *get_args(field.annotation))
        table = next((a for a in inner if hasattr(a, "model_fields")), None)
        default = None if field is None or field.is_required() else field.default
    return to_jsonable_python(default)


def _digest_of(subject: nn.Module) -> str:
    """A digest of all programs in it, as they are laid out, and all weights before training."""
    digest = hashlib.sha256()
    for part in subject.modules():
        if isinstance(part, Model):
            digest.update(repr(replace(part.layout, name="")).encode())  # wherever it lies
            for each in part.network.weights.maps.values():
                digest.update(repr((each.key, each.entries, each.marked)).encode())
    for tensor in subject.state_dict().values():
        digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def note_settings(run: Run) -> None:
    """Writes the settings of a run that mean something to it to its folder."""
    run.out.mkdir(parents=True, exist_ok=True)
    write(run.out / FILE, json.dumps(run_said(run), indent=1, ensure_ascii=False) + "\n")


def _deciding(run: Run) -> dict[str, Any]:
    """All settings, but for names, places, and what is looked at."""
    settings = run.model_dump(mode="json")
    for key in ("out", "checkpoints", "name", "cache"):
        settings.pop(key)
    for key in ("final", "train"):
        settings["evaluate"].pop(key)
    settings["data"]["folder"] = settings["program"] = ""
    if settings["data"]["pairs"] is not None:
        settings["data"]["pairs"].pop("made_by")
    if settings["model"] is not None:
        settings["model"].pop("reads")  # its weights are in the digest
        settings["model"].pop("start")  # as these are
        settings["model"]["reading"]["vectors"] = None  # so are these
        if settings["model"]["encoder"] == "bert":
            settings["model"]["bert"] = bert_digest()  # it cuts words, and its sizes count
    for swap in settings["train"]["interchange"]:
        swap["program"] = _content(Path(swap["program"]))
    return settings


def _content(program: Path) -> str:
    """A digest of a program with all files that it uses, wherever they lie."""
    used = sorted(load(program).sought.contents.values())
    return key_of(digest_of(program), used)


def flat(settings: dict[str, Any], above: Path = Path()) -> dict[str, Any]:
    """Settings of settings by one name: ``{"train.steps": 100}``."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        inner = flat(value, above / key) if isinstance(value, dict) else None
        found |= {".".join((above / key).parts): value} if inner is None else inner
    return found
