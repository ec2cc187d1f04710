"""Checkpoints of networks that are learned as a whole: they answer, and hold no program."""

import pytest
import torch

from progtf.api import load_model
from progtf.data import LOWERED, PAPER, PAPER_TEXT
from progtf.data.problem import MAX_ANSWER
from progtf.data.tokens import END
from progtf.program.answers import EndlessError
from progtf.program.tokens import InputError
from progtf.training.config import Model, RunError
from progtf.training.networks import LearnedModel, build_network, save_network
from progtf.training.subject import as_batch
from progtf.weights.folder import FolderError
from tests.training.conftest import trained

MODEL = '[model]\nkind = "tp"\nwidth = 16\nheads = 2\nlayers = 1\nfilter = 16\n'
QUESTION = "What is the tens digit of 1234?"


@pytest.fixture
def learned(run_file):
    """A trainer whose network has learned the form of the answers."""
    text = run_file.read_text().replace('program = "tiny.seme"\n', "") + MODEL
    run_file.write_text(text)
    return trained(run_file, train__steps=60, evaluate__every=60, checkpoints__every=60)


def test_answers_are_those_that_were_tested(learned):
    tests = learned.setup.tests
    problems = [each for split in ("interpolate", "extrapolate") for each, _ in tests[split]]
    learned.setup.subject.eval()
    judged = learned.setup.subject.right(*as_batch(problems, torch.device("cpu"))).tolist()
    answers = LearnedModel.load(learned.latest).run([problem.question for problem in problems])
    right = [answer == problem.answer for answer, problem in zip(answers, problems, strict=True)]
    assert right == judged
    assert any(right)


def test_the_command_line_runs_them_and_says_what_they_lack(learned, progtf):
    status, out, err = progtf("run", learned.latest, QUESTION, "½", "1" * 161)
    assert status == 1
    assert len(out.splitlines()) == 3
    assert "character 1 of '½'" in err
    assert "161 characters" in err
    status, _, err = progtf("decompile", learned.latest)
    assert status == 1
    assert "learned as a whole" in err


def test_a_checkpoint_is_loaded_by_a_path_that_is_a_text(learned):
    assert LearnedModel.load(str(learned.latest)).respond(QUESTION) is not None


def test_the_folder_of_a_run_is_answered_with_its_latest_checkpoint(learned, progtf):
    run = learned.latest.parents[1]
    due = f"this is the folder of a run: name a checkpoint of it, the latest is {learned.latest}"
    for folder in (run, run / "checkpoints"):
        asked = ("--checkpoint", folder, "--text", "a", "--question", "a")
        for words in (("run", folder, QUESTION), ("roles", folder, QUESTION), ("decompile", folder),
                      ("solve", QUESTION, "--checkpoint", folder), ("answer", *asked)):  # fmt: skip
            status, _, err = progtf(*words)
            assert (status, due in err) == (1, True), (words, err)
        with pytest.raises(FolderError, match="the folder of a run"):
            load_model(folder)
        with pytest.raises(RunError, match="the folder of a run"):
            LearnedModel.load(folder)


def test_load_model_names_what_reads_a_network_that_is_learned_as_a_whole(learned):
    with pytest.raises(FolderError, match=r"`progtf.training.networks.LearnedModel.load` reads"):
        load_model(learned.latest)


@pytest.mark.parametrize("known", [PAPER, PAPER_TEXT, LOWERED])
def test_what_is_not_in_an_alphabet_is_told_with_the_name_that_a_run_file_has(known, tmp_path):
    wanted = Model(kind="tp", width=8, filter=8, heads=2, layers=1)
    network = build_network(wanted, 1, known)
    save_network(tmp_path, wanted, network.state_dict(), known)
    model = LearnedModel.load(tmp_path)
    assert model.vocabulary == known
    assert known.name in ("code-73", "paper-72", "report-58")
    if not known.lower:
        with pytest.raises(InputError, match=f"'€', is not in the vocabulary `{known.name}`"):
            model.encoded("2 € 3")


class Endless:
    """A network that writes one symbol for ever, but where the question is of three characters."""

    def start(self, source):
        return (source != 1).sum(dim=1)

    def step(self, tokens, state):
        scores = torch.zeros(len(tokens), len(PAPER))
        scores[:, 20] = 1.0
        scores[:, END] = 2.0 * (state == 5)
        return scores, state


def test_an_answer_that_does_not_end_is_an_error_with_the_text_so_far():
    model = LearnedModel(Endless())
    one, other = model.try_answers(["12", "123"])
    assert isinstance(one, EndlessError)
    assert one.answer.text == PAPER.decode(torch.full((MAX_ANSWER,), 20).numpy())
    assert (one.answer.outcome.verdict, len(one.answer.text)) == ("learned", MAX_ANSWER)
    assert f"length is {MAX_ANSWER} tokens" in str(one)
    assert not isinstance(other, InputError)
    assert other.text == ""
    with pytest.raises(EndlessError, match="input 1: the answer does not end"):
        model.run(["12", "123"])


def test_a_damaged_one_is_refused(learned):
    (learned.latest / "weights.safetensors").write_bytes(b"no")
    with pytest.raises(RunError, match="step-"):
        LearnedModel.load(learned.latest)


def test_checkpoints_are_looked_into_by_name(learned):
    model, name = LearnedModel.load(learned.latest), "encoder.blocks.0.hook_resid_post"
    texts = [QUESTION, "What is the units digit of 56?"]
    answers, cache = model.run_with_cache(texts)
    assert answers == model.run(texts)
    assert cache[name].shape[0] == len(texts)
    steps = cache["decoder.blocks.0.hook_resid_post"].shape[1]
    assert cache["decoder.blocks.0.attn.hook_pattern"].shape[2:] == (steps, steps)
    seen: list[int] = []
    found = [("decoder.blocks.0.hook_resid_pre", lambda tensor, hook: seen.append(hook.first))]
    assert model.run_with_hooks(QUESTION, found) == model.run([QUESTION])[0]
    assert seen == list(range(len(seen)))
    silenced = [(name, lambda tensor, hook: tensor * 0.0)]
    _, changed = model.run_with_cache(texts, "decoder.blocks.0.cross.hook_z", silenced)
    assert not torch.equal(
        changed["decoder.blocks.0.cross.hook_z"][:, 0], cache["decoder.blocks.0.cross.hook_z"][:, 0]
    )
