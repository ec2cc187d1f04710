"""What is written is multiplied in float32, whatever a process allows its float32 products."""

from threading import Barrier, Thread

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import progtf
from progtf.nn import full_precision, full_products

BACKENDS = {"cuda": torch.backends.cuda.matmul, "cpu": torch.backends.mkldnn.matmul}
PRODUCTS = ("mm", "bmm", "addmm", "baddbmm", "linear", "matmul")
COARSE = {"cuda": "tf32", "cpu": "bf16"}


@pytest.fixture
def coarse():
    """A process that allows TF32 on CUDA, and bfloat16 in float32 products of the CPU."""
    torch.set_float32_matmul_precision("medium")
    yield
    torch.set_float32_matmul_precision("highest")


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("surrounding", [full_precision, full_products])
@pytest.mark.parametrize("kind", BACKENDS)
def test_a_written_layer_is_computed_without_tf32_and_leaves_the_setting_as_it_was(
    kind, surrounding
):
    with surrounding(torch.device(kind)):
        assert BACKENDS[kind].fp32_precision == "ieee"
        with surrounding(torch.device(kind)):
            assert BACKENDS[kind].fp32_precision == "ieee"
        assert BACKENDS[kind].fp32_precision == "ieee"
    assert BACKENDS[kind].fp32_precision == COARSE[kind]
    assert torch.get_float32_matmul_precision() == "medium"


@pytest.mark.usefixtures("coarse")
def test_a_thread_that_is_done_does_not_take_the_setting_from_another():
    both, done, seen = Barrier(2), Barrier(2), []

    def first():
        with full_precision(torch.device("cuda")):
            both.wait()
        done.wait()

    def second():
        with full_precision(torch.device("cuda")):
            both.wait()
            done.wait()
            seen.append(torch.backends.cuda.matmul.fp32_precision)

    threads = [Thread(target=each) for each in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (seen, torch.backends.cuda.matmul.fp32_precision) == (["ieee"], "tf32")


def test_a_setting_that_nobody_made_is_not_touched():
    before = torch.backends.cuda.matmul.fp32_precision
    assert before in ("none", "ieee")
    with full_precision(torch.device("cuda")):
        assert torch.backends.cuda.matmul.fp32_precision == before


class Watch(TorchDispatchMode):
    """Notes under which setting every product of matrices is computed."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function._schema.name.removeprefix("aten::") in PRODUCTS:
            self.seen.append(BACKENDS["cpu"].fp32_precision)
        return function(*args, **(kwargs or {}))


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(
    "name", ["math/place_value", "language/grammaticality", "article/sentiment", "attention/times"]
)
def test_every_product_of_a_written_program_is_one_of_float32(name):
    program = progtf.load(f"examples/{name}.seme")
    model, text = progtf.compile(program, "float32"), program.examples[0].input
    with Watch() as watch:
        model.run(text)
    assert watch.seen
    assert set(watch.seen) == {"ieee"}
