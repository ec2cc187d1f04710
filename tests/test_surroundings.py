"""Whatever is set for the whole process, answers are the same, and what is set stays as it is."""

import ast
import os
import random
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
import torch

import progtf
from progtf.nn import TPTransformer
from progtf.nn.making import making
from progtf.program.answers import Answer
from progtf.training import begin, trainable
from progtf.training.config import Model as Settings
from progtf.training.networks import build_network
from tests.programs import EACH, ROOT, loaded

PACKAGE = ROOT / "progtf"


@contextmanager
def default_dtype(dtype):
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


@contextmanager
def default_device(device):
    torch.set_default_device(device)
    try:
        yield
    finally:
        torch.set_default_device(None)


@contextmanager
def deterministic():
    torch.use_deterministic_algorithms(mode=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(mode=False)


@contextmanager
def strict_numbers():
    with np.errstate(all="raise"), torch.autograd.set_detect_anomaly(mode=True):
        yield


@contextmanager
def all_of_it():
    with default_dtype(torch.bfloat16), default_device("meta"), deterministic(), strict_numbers():
        yield


SETTINGS = {
    "bfloat16": lambda: default_dtype(torch.bfloat16),
    "float16": lambda: default_dtype(torch.float16),
    "float64": lambda: default_dtype(torch.float64),
    "meta": lambda: default_device("meta"),
    "within a device": lambda: torch.device("meta"),
    "deterministic": deterministic,
    "strict numbers": strict_numbers,
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
    "enable_grad": torch.enable_grad,
    "all": all_of_it,
}
ONE_A_GROUP = {
    "a_or_an", "sentiment", "vectors", "clocks", "polite_requests", "with_roles", "agreement",
    "say_digit", "reverse", "place_value", "euclid", "remainders", "continue_pattern",
}  # fmt: skip
CASES = [
    pytest.param(path, id=path.stem, marks=[] if path.stem in ONE_A_GROUP else pytest.mark.long)
    for (path,) in (case.values for case in EACH)
]


def told(model, texts):
    """All that a user hears of a model."""
    answers = model.answers(texts)
    said = [(a.text, a.scores, a.gap, a.score, a.outside, a.because) for a in answers]
    read = model.read(texts[:1])[0]
    _, cache = model.run_with_cache(texts[0])
    some = [*cache][:: max(1, len(cache) // 200)]
    kept = [(name, cache[name].double().numpy().tobytes(), cache[name].dtype) for name in some]
    moments = None if isinstance(read[0], dict) else model.trace(texts[0])
    return said, str(model.outcome), kept, moments, model.run(texts)


def texts_of(path):
    """Two of its examples that have an answer."""
    texts = [example.input for example in loaded(path).examples]
    tried = progtf.interpret(loaded(path)).try_answers(texts[:8])
    found = [t for t, answer in zip(texts, tried, strict=False) if isinstance(answer, Answer)][:2]
    return found or pytest.skip("no example with an answer")


@pytest.mark.parametrize("path", CASES)
def test_every_example_answers_as_ever_whatever_is_set(path):
    texts, program = texts_of(path), loaded(path)
    plain = told(progtf.compile(program), texts)
    few = ("all", "inference_mode") if path.stem in ONE_A_GROUP else ("all",)
    for name in SETTINGS if path.stem in ("a_or_an", "say_digit") else few:
        with SETTINGS[name]():
            model = progtf.compile(program)
            there = told(model, texts)
        assert there == plain, name
        assert told(model, texts) == plain, f"made within: {name}"
        assert not any(each.is_inference() for each in (*model.parameters(), *model.buffers()))


@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_done_with_a_model_is_the_same_whatever_is_set(name, tmp_path):
    path, other = ROOT / "examples/math/place_value.seme", "What is the units digit of 5678?"
    program, text = loaded(path), "What is the tens digit of 1234?"

    def done(folder):
        model = progtf.compile(program, "float32")
        ids = model.batch([model.reader.read(text)])
        progtf.save_model(model, folder)
        again = progtf.load_model(folder)
        swapped = progtf.interchange(model, program, [text, other], [other, text], "asked")
        patched = model.patch({"encoder.told": {"asked": progtf.added(2)}})
        halves = model.run_with_hooks(text, [("encoder.told.asked", lambda value, hook: 0.3)])
        with torch.no_grad():
            residual = model(ids)
        return (
            again.weights == model.weights, swapped, patched.run(text), halves,
            residual.dtype, residual.numpy().tobytes(), progtf.interpret(program).run(text),
            progtf.decompile(model),
        )  # fmt: skip

    plain = done(tmp_path / "plain")
    with SETTINGS[name]():
        assert done(tmp_path / "set") == plain


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("kind", ["tp", "transformer", "lstm", "gru"])
def test_learned_networks_begin_with_the_same_numbers_whatever_is_set(name, kind):
    settings = Settings(kind=kind, width=8, filter=8, heads=2, layers=1)
    plain = build_network(settings, 3).state_dict()
    with SETTINGS[name]():
        network = build_network(settings, 3)
    found = network.state_dict()
    assert {key: each.dtype for key, each in found.items()} == {
        key: each.dtype for key, each in plain.items()
    }
    assert all(torch.equal(found[key], each) for key, each in plain.items())
    assert all(parameter.requires_grad for parameter in network.parameters())


@pytest.mark.parametrize("name", SETTINGS)
def test_hybrids_begin_with_the_same_numbers_whatever_is_set(name):
    program = loaded(ROOT / "examples/hybrid/say_digit.seme")
    plain = begin(progtf.compile(program), 2)
    formats = [p.dtype for p in trainable(plain, 2)]
    with SETTINGS[name]():
        model = begin(progtf.compile(program), 2)
        parameters = trainable(model, 2)
    assert model.weights == plain.weights
    assert [p.dtype for p in parameters] == formats
    ids = model.batch([model.reader.read("What is the tens digit of 1234?")])
    model(ids, ids[:, :2]).sum().backward()


def state():
    """Of all random generators, and of what is set."""
    return (
        torch.get_rng_state().numpy().tobytes(), repr(np.random.get_state()), random.getstate(),  # noqa: NPY002
        torch.get_default_dtype(), torch.get_default_device(), torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(), torch.get_num_threads(),
        torch.are_deterministic_algorithms_enabled(), torch.get_float32_matmul_precision(),
        np.geterr(), torch.is_autocast_enabled("cpu"), dict(os.environ),
    )  # fmt: skip


@contextmanager
def untouched():
    """What others have drawn and set is as it was, and random numbers are not those of a seed."""
    before = state()
    yield
    assert state() == before


@pytest.mark.parametrize("path", CASES)
def test_no_random_number_of_others_is_drawn(path):
    program, texts = loaded(path), texts_of(path)
    with untouched():
        model = progtf.compile(program)  # in another format an answer may not end
        model.answers(texts)
        model.run_with_cache(texts[0])
        progtf.interpret(program).answers(texts)
        begin(model, 5)
        trainable(model, 5)


def test_no_random_number_of_others_is_drawn_by_tools(tmp_path):
    program = loaded(ROOT / "examples/math/place_value.seme")
    with untouched():
        model = progtf.compile(program, "float32")
        texts = ["What is the tens digit of 1234?", "What is the units digit of 5678?"]
        progtf.interchange(model, program, texts, texts[::-1], "asked")
        progtf.check(program)
        progtf.circuit(program)
        progtf.save_model(progtf.load_model(_saved(model, tmp_path)), tmp_path)
        for kind in ("tp", "lstm"):
            build_network(Settings(kind=kind, width=8, filter=8, heads=2, layers=1), 3)


def _saved(model, folder):
    progtf.save_model(model, folder)
    return folder


def test_a_library_of_layers_draws_as_torch_does():
    torch.manual_seed(4)
    first = torch.nn.Linear(3, 3)
    again = TPTransformer.report(9)
    torch.manual_seed(4)
    assert torch.equal(torch.nn.Linear(3, 3).weight, first.weight)
    same = TPTransformer.report(9)
    assert torch.equal(again.embedding.table, same.embedding.table)


@pytest.mark.parametrize("name", SETTINGS)
def test_tensors_are_made_as_ever_within(name):
    def made():
        layer, cells = torch.nn.Linear(3, 2), torch.nn.LSTM(3, 2)
        return [
            torch.empty(2), torch.zeros(2), torch.ones(1, dtype=torch.long), torch.arange(3),
            torch.arange(0.5, 2), torch.tensor([1.5]), torch.tensor([[1, 2]]), torch.tensor(True),
            torch.tensor(0.25), torch.full((2,), 0.5), torch.full((2,), 3), torch.rand(3),
            torch.randn(2, 2), torch.randint(9, (3,)), torch.randperm(5), torch.eye(2),
            torch.linspace(0, 1, 3), torch.as_tensor([0.5]), torch.as_tensor(torch.ones(1).half()),
            torch.empty(4).uniform_(-1, 1), torch.empty(4).normal_(),
            torch.empty(9).bernoulli_(0.5),
            torch.normal(0.0, 1.0, (3,)), *layer.parameters(), *cells.parameters(),
            torch.nn.init.orthogonal_(torch.empty(3, 3)), torch.nn.Embedding(3, 2).weight,
        ]  # fmt: skip

    torch.manual_seed(7)
    due = made()
    with SETTINGS[name](), making(7):
        found = made()
    for number, (one, other) in enumerate(zip(found, due, strict=True)):
        assert (one.dtype, one.device, one.shape) == (other.dtype, other.device, other.shape), (
            number
        )
        assert number == 0 or torch.equal(one, other), number
        assert not one.is_inference()


FIRST = """
import torch
torch.set_default_dtype(torch.bfloat16)
torch.set_default_device("meta")
torch.use_deterministic_algorithms(True)
import progtf
print(progtf.compile(progtf.load("examples/article/sentiment.seme")).run("good"))
print(progtf.compile(progtf.load("examples/algorithms/reverse.seme")).run("ba"))
"""


def test_what_was_set_before_the_import_does_not_count_either():
    given = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", FIRST]
    run = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    due = [
        progtf.compile(loaded(ROOT / "examples" / path)).run(text)
        for path, text in (("article/sentiment.seme", "good"), ("algorithms/reverse.seme", "ba"))
    ]
    assert run.stdout.splitlines() == due, run.stderr


PLACED = {
    "arange", "as_tensor", "empty", "empty_strided", "eye", "full", "linspace", "logspace", "ones",
    "rand", "randint", "randn", "randperm", "scalar_tensor", "tensor", "zeros",
}  # fmt: skip
WHOLE = {"arange", "as_tensor", "randint", "randperm"}
OWN_PARAMETERS = {"tensor_products.py:_drawn", "pointers.py:_encoder"}
"""Functions that make parameters, which are made as those of torch's own layers are."""


def unsaid(path):
    """Where a tensor is made without a word of its device, or of the format of its floats.

    Layers make parameters as torch's own do: networks that are ours are made within `making`.
    """

    def within(node, function):
        for child in ast.iter_child_nodes(node):
            inside = child.name if isinstance(child, ast.FunctionDef) else function
            if isinstance(child, ast.Call) and ast.unparse(child.func).startswith("torch."):
                name, said = ast.unparse(child.func)[6:], {each.arg for each in child.keywords}
                due = {"device"} | (set() if name in WHOLE else {"dtype"})
                silent = name in PLACED and not due <= said and None not in said
                if silent and inside != "__init__":
                    yield f"{path.name}:{inside}"
            yield from within(child, inside)

    return {*within(ast.parse(path.read_text(encoding="utf-8")), "")} - OWN_PARAMETERS


def test_every_tensor_says_where_it_is_made_and_in_which_format():
    found = {each for path in PACKAGE.rglob("*.py") for each in unsaid(path)}
    assert found == set()


def test_nobody_sets_anything_for_all_but_where_a_process_is_its_own():
    setters = (
        "manual_seed(", "set_default_dtype", "set_default_device", "use_deterministic_algorithms",
        "np.random.seed", "np.seterr", "set_num_threads", "set_rng_state", "fork_rng",
    )  # fmt: skip
    allowed = {
        ("cli/train.py", "set_num_threads"),  # the command's own process
        ("training/ranks.py", "set_rng_state"),  # put back after every step
        ("data/generator.py", "random.seed"),
    }
    for path in PACKAGE.rglob("*.py"):
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(PACKAGE))
        text = text.replace("Generator().manual_seed(", "").replace(").manual_seed(", "")
        for setter in setters:
            assert setter not in text or (name, setter) in allowed, (name, setter)


def test_such_a_place_is_found(tmp_path):
    file = tmp_path / "unsaid.py"
    file.write_text("import torch\ndef f():\n    return torch.zeros(3, device='cpu')\n")
    assert unsaid(file) == {"unsaid.py:f"}
