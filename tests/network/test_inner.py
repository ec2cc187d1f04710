"""A network that nobody has asked for is not looked through; whoever has it is noticed."""

from copy import copy, deepcopy

import pytest
import torch

import progtf
from progtf.network.model import Model
from progtf.network.network import Network
from progtf.nn import hooks
from progtf.nn.transformer import Block
from tests.programs import PROGRAMS, loaded

PATH = next(path for path in PROGRAMS if path.parts[-2:] == ("math", "place_value.seme"))
TEXT = "What is the hundreds digit of 4321?"


@pytest.fixture
def model():
    made = progtf.compile(loaded(PATH))
    assert made.run(TEXT) == made.run(TEXT) == "3"
    return made


@pytest.fixture
def walks(monkeypatch):
    """How often a network was looked through."""
    found, held = [], hooks._held

    def counted(module):
        found.append(module)
        return held(module)

    monkeypatch.setattr(hooks, "_held", counted)
    return found


def applied(model):
    found = []
    model.apply(found.append)
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
}
TENSORS = {
    "parameters": lambda model: [*model.parameters()],
    "state_dict": lambda model: [*model.state_dict().values()],
}


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
    before = model.answers([TEXT])[0].gap
    with torch.no_grad():
        for tensor in way(model):
            if tensor.is_floating_point():
                tensor.mul_(2)
    after = model.answers([TEXT])[0].gap
    assert after == Model(model.weights).answers([TEXT])[0].gap != before


def test_another_network_is_no_longer_the_one_that_nobody_knows(model):
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


def test_a_network_that_nobody_knows_is_looked_through_once(model, walks):
    model.run(TEXT)
    model.answers([TEXT, TEXT, "How?"])
    assert not walks
    model.to(torch.float64).run(TEXT)
    first = len(walks)
    assert first
    model.run(TEXT)
    assert len(walks) == first
    assert model.network
    model.run(TEXT)
    assert len(walks) > first


def test_who_watches_all_modules_there_are_is_told(model):
    seen = []
    hook = torch.nn.modules.module.register_module_forward_hook(lambda *_: seen.append(1))
    try:
        model.run(TEXT)
    finally:
        hook.remove()
    assert seen
