"""The search for an input that refutes a certificate: many, then those near the worst ones."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

import progtf
from benchmarks.refute.assumptions import broken
from benchmarks.refute.chance import Chance
from benchmarks.refute.claims import Claim, Got
from benchmarks.refute.inputs import Inputs, Words
from benchmarks.refute.meaning import Oracle
from progtf import EndlessError, InputError
from progtf.exact import FORMATS
from progtf.network.model import Model
from progtf.program.answers import Answer
from progtf.program.model import Program

FIRST, NEAR, HOT, ROUNDS, ALONE = 44, 8, 4, 2, 6
BATCH = 64
NOT_DONE = re.compile(r"loop \S+: not done after .*")


@dataclass(frozen=True)
class Found:
    """A difference: in which format, which promise, and the batch whose last text shows it."""

    dtype: str
    promise: str
    texts: tuple[str, ...]
    meant: str = ""
    got: str = ""


@dataclass
class Outcome:
    """What became of one certificate: refused, exact, assumed, false."""

    dtype: str
    verdict: str
    found: Found | None = None


class Trial:
    """One certificate, and the network that it speaks of."""

    def __init__(self, claim: Claim, model: Model, oracle: Oracle) -> None:
        self.claim, self.model, self.oracle = claim, model, oracle

    def got(self, texts: Sequence[str]) -> list[Got]:
        """What the network makes of some texts, all in one batch."""
        speaker = self.model.speaker
        found = self.model.readouts(self.model.read(texts))
        proof = self.model.proof
        return [Got(speaker.answer(readout, proof), readout) for readout in found]

    def drift(self, texts: Sequence[str]) -> list[float]:
        """How far the last residual of each text lies off, 1 being a quarter of a step.

        Thresholds hide small errors, and the residual has what they read.
        """
        model, space = self.model, self.oracle.program.space
        if model.layout.writes or model.layout.takes_vectors:
            return [0.0] * len(texts)
        with torch.no_grad():
            stream = model.residual(model.batch(model.read(texts))).double().numpy()  # type: ignore[arg-type]
        grains = [values.grain for values in space.ranges.values()]
        found: list[float] = []
        for text, got in zip(texts, stream, strict=True):
            meant = self.oracle.meant(text).readout.residual
            assert meant is not None
            size = np.where(grains, grains, np.maximum(0.1, np.abs(meant[:, : len(grains)])))
            off = np.abs(got[: len(meant), : len(grains)] - meant[:, : len(grains)])
            found.append(float((off / (size / 4)).max(initial=0.0)))
        return found

    def kept(self, text: str) -> bool:
        """Whether an input keeps to what the certificate assumes."""
        report, oracle = self.claim.report, self.oracle
        return not report.assumptions or not broken(
            oracle.program, report, oracle.meant(text).readout, oracle.watched(text)
        )

    def tried(self, texts: Sequence[str]) -> tuple[list[Got], Found | None]:
        """What the network makes of a batch, and the first difference; a traceback is one."""
        try:
            got = self.got(texts)
        except EndlessError:  # the answer to a text that breaks an assumption need not end
            kept = [text for text in texts if self.kept(text)]
            found = self.tried(kept)[1] if 0 < len(kept) < len(texts) else None
            return [], self._endless(texts) if len(kept) == len(texts) else found
        except InputError:  # a number that the format does not have is refused by name
            return [], None
        except Exception as error:  # noqa: BLE001  whatever it is, it was not promised
            return [], Found(self.claim.dtype, "runs", (*texts,), got=repr(error))
        return got, self.refuted(texts, got)

    def _endless(self, texts: Sequence[str]) -> Found:
        return Found(self.claim.dtype, "runs", (*texts,), got="an answer does not end")

    def refuted(self, texts: Sequence[str], got: Sequence[Got]) -> Found | None:
        """The first text of a batch whose answer is not what was promised."""
        alone = len(texts) == 1
        for place, (text, one) in enumerate(zip(texts, got, strict=True)):
            meant = self.oracle.meant(text)
            promise = self.claim.broken_by(meant, one, alone=alone)
            if promise and self.kept(text):
                batch = (*texts[:place], *texts[place + 1 :], text)
                shown = _shown(meant.answer, meant.scores), _shown(one.answer, one.scores)
                return Found(self.claim.dtype, promise, batch, *shown)
        return None


def _shown(answer: Answer, scores: np.ndarray | None) -> str:
    text = answer.text if answer.score is None else f"{answer.score!r}"
    return text if scores is None else f"{text}   scores {np.round(scores, 9).tolist()}"


def claimed(program: Program, dtype: str) -> Claim | Found:
    """The certificate that a program is given or refused; a traceback is a difference."""
    try:
        return Claim(dtype, progtf.check(program, dtype))
    except Exception as error:  # noqa: BLE001  whatever it is
        return Found(dtype, "checks", (), got=repr(error))


def attack(program: Program, chance: Chance) -> list[Outcome]:
    """What becomes of a program's certificates."""
    outcomes: dict[str, Outcome] = {}
    trials: list[Trial] = []
    oracle = Oracle(program)
    for dtype in FORMATS:
        claim = claimed(program, dtype)
        if isinstance(claim, Found):
            outcomes[dtype] = Outcome(dtype, "false", claim)
            continue
        verdict = verdict_of(claim)
        outcomes[claim.dtype] = outcome = Outcome(claim.dtype, verdict)
        if verdict in ("exact", "assumed"):
            try:
                trials.append(Trial(claim, progtf.compile(program, claim.dtype), oracle))
            except Exception as error:  # noqa: BLE001  of what was certified
                outcome.found = Found(claim.dtype, "compiles", (), got=str(error))
    if trials:
        for found in search(program, trials, chance):
            outcomes[found.dtype].found = found
    for outcome in outcomes.values():
        outcome.verdict = "false" if outcome.found is not None else outcome.verdict
    return list(outcomes.values())


def verdict_of(claim: Claim) -> str:
    """Whether a certificate can be tried."""
    if not claim.report.exact:
        return "refused"
    return "assumed" if claim.report.assumptions else "exact"


def search(program: Program, trials: list[Trial], chance: Chance) -> Iterator[Found]:
    """Every difference that is found; a certificate that is refuted is not tried any longer."""
    inputs, left = Inputs(program, chance), list(trials)
    heat: dict[Words, tuple[float, float]] = {}
    words = inputs.first(FIRST)
    for _ in range(1 + ROUNDS):
        yield from _endless(left, [inputs.text(each) for each in words])
        try:
            words = [w for w in words if w not in heat and _can_be_read(trials[0], inputs.text(w))]
        except Exception as error:  # noqa: BLE001  the interpreter itself has failed
            yield from (Found(trial.claim.dtype, "means", (), got=repr(error)) for trial in left)
            return
        for batch in _batches(words):
            texts = [inputs.text(each) for each in batch]
            for trial in [*left]:
                got, found = trial.tried(texts)
                if found is not None:
                    left.remove(trial)
                    yield found
                drift = trial.drift(texts) if got else []
                for each, text, one, far in zip(batch, texts, got, drift, strict=False):
                    off, gap = trial.claim.tension(trial.oracle.meant(text), one)
                    heat[each] = max(heat.get(each, (0.0, -np.inf)), (max(off, far), gap))
        if not left:
            return
        hottest = _hottest(heat, left[-1], inputs)
        words = list(dict.fromkeys(n for w in hottest for n in inputs.near(w, NEAR)))
    yield from _alone(left, [inputs.text(w) for w in _hottest(heat, left[-1], inputs)])


def _batches(words: list[Words]) -> Iterator[list[Words]]:
    for start in range(0, len(words), BATCH):
        yield words[start : start + BATCH]


def _can_be_read(trial: Trial, text: str) -> bool:
    try:
        trial.oracle.meant(text)
    except InputError:
        return False
    return True


def _endless(left: list[Trial], texts: Sequence[str]) -> Iterator[Found]:
    """The differences of loops that do not end; what is refuted is not tried any longer."""
    for trial in [*left]:
        if (found := going_on(trial, texts)) is not None:
            left.remove(trial)
            yield found


def going_on(trial: Trial, texts: Iterable[str]) -> Found | None:
    """The first text in which a loop goes on that is certified to end."""
    program = trial.oracle.program
    layers = (*program.encoder, *program.decoder)
    if all(each.loop is None or each.loop.falls is None for each in layers):
        return None
    for text in texts:
        try:
            trial.oracle.meant(text)
        except InputError as error:
            ends = NOT_DONE.search(str(error))
            meant, watch = trial.oracle.endless(text)
            if ends and not broken(program, trial.claim.report, meant.readout, watch):
                return Found(trial.claim.dtype, "ends", (text,), got=ends[0])
    return None


def _hottest(heat: dict[Words, tuple[float, float]], trial: Trial, inputs: Inputs) -> list[Words]:
    """The inputs that come nearest to a broken promise and break no assumption."""
    chosen: list[Words] = []
    for words in sorted(heat, key=lambda w: heat[w], reverse=True)[: 4 * HOT]:
        if len(chosen) < HOT and trial.kept(inputs.text(words)):
            chosen.append(words)
    return chosen or list(heat)[:HOT]


def _alone(trials: list[Trial], texts: list[str]) -> Iterator[Found]:
    """The worst ones one by one, and together with two threads; there is none if no answer ends."""
    for trial in trials if texts else ():
        runs = [[text] for text in texts[:ALONE]]
        found = next(filter(None, (trial.tried(run)[1] for run in runs)), None)
        if found is None:
            torch.set_num_threads(2)
            found = trial.tried(texts[::-1])[1]
            torch.set_num_threads(1)
        if found is not None:
            yield found
