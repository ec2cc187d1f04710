"""Who changes a network or watches it is noticed at the next answer, whichever way led there."""

from copy import copy, deepcopy

import pytest
import torch
from torch import nn
from torch.nn.modules import module

import progtf
from progtf.network.model import Model
from progtf.network.network import Network
from progtf.nn.transformer import Block
from progtf.program.tokens import InputError
from tests.programs import PROGRAMS, loaded

PATH = next(path for path in PROGRAMS if path.parts[-2:] == ("math", "place_value.seme"))
TEXT = "What is the hundreds digit of 4321?"


@pytest.fixture
def model():
    made = progtf.compile(loaded(PATH))
    assert made.run(TEXT) == made.run(TEXT) == "3"
    return made


def applied(model):
    found = []
    model.apply(found.append)
    return found


def watched_once(model):
    """The modules that a hook on all there are has seen, which is gone again."""
    found = []
    hook = module.register_module_forward_pre_hook(lambda each, _: found.append(each))
    try:
        model.run(TEXT)
    finally:
        hook.remove()
    return nn.ModuleList(found)


def of_gradients(model):
    """The parameters that the graph of gradients leads to."""
    with torch.enable_grad():
        scores = model(model.batch(model.read([TEXT])), model.batch([["<bos>", "3"]]))
    asked = [scores.grad_fn]
    for each in asked:  # which grows on the way
        asked += [then for then, _ in each.next_functions if then and then not in asked]
    found = [each.variable for each in asked if hasattr(each, "variable")]
    assert found
    return found


WAYS = {
    "network": lambda model: model.network,
    "looked_into": lambda model: model.looked_into,
    "children": lambda model: next(model.children()),
    "modules": lambda model: [*model.modules()][1],
    "get_submodule": lambda model: model.get_submodule("network"),
    "getattr": lambda model: getattr(model, "network"),  # noqa: B009
    "apply": lambda model: applied(model)[-2],
    "_modules": lambda model: model._modules["network"],
    "copy": lambda model: copy(model).network,
    "watched once": watched_once,
}
TENSORS = {
    "parameters": lambda model: [*model.parameters()],
    "state_dict": lambda model: [*model.state_dict().values()],
    "gradients": of_gradients,
}


def gap(model):
    """Of the answer, or why there is none."""
    try:
        return model.answers([TEXT])[0].gap
    except InputError as error:
        return str(error)


def blocks(found):
    return [each for each in found.modules() if isinstance(each, Block)]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_hook_is_called_whichever_way_led_to_it(model, way):
    seen = []
    blocks(way(model))[0].register_forward_hook(lambda *_: seen.append(1))
    model.run(TEXT)
    assert seen


@pytest.mark.parametrize("way", TENSORS.values(), ids=TENSORS)
def test_a_changed_number_counts_whichever_way_led_to_it(model, way):
    before = gap(model)
    with torch.no_grad():
        for tensor in way(model):
            if tensor.is_floating_point():
                tensor.mul_(1.0625)
    assert gap(model) == gap(Model(model.weights)) != before


def test_another_network_in_its_place_is_watched(model):
    other = Network(model.weights)
    model.network = other
    assert model.run(TEXT) == "3"
    seen = []
    blocks(other)[0].register_forward_hook(lambda *_: seen.append(1))
    model.run(TEXT)
    assert seen


def test_a_deep_copy_is_looked_after_by_itself(model):
    other = deepcopy(model)
    assert other.run(TEXT) == "3"
    blocks(other.network)[0].register_forward_hook(lambda *_: 1 / 0)
    assert model.run(TEXT) == "3"
    with pytest.raises(ZeroDivisionError):
        other.run(TEXT)
