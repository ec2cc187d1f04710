"""Who looks at a model, or changes it, changes nothing for others who ask it, and is gone then."""

import asyncio
import contextvars
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.utils import parametrizations, parametrize
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import progtf
from progtf.network.model import Model
from progtf.nn.watching import watches
from progtf.program.outcome import NotExactError

LARGE = """
semes:
  val: 0..9
  big
lexicon:
  for n in 0..9:
    "{n}": +{n}val
layer one:
  feedforward:
    big: val >= 5
classify:
  pool: last
  BIG: big
  otherwise: SMALL
"""
TEXT = "4 7"
POINT = "encoder.blocks.0.hook_resid_post"
PATCH = {"encoder.one": {"big": progtf.set_to(0)}}


def fresh():
    return progtf.compile(progtf.parse_program(LARGE))


MADE = fresh()
assert MADE.answers([TEXT])[0].outcome.exact


@pytest.fixture
def model():
    return deepcopy(MADE)


def weight(model):
    return model.network.encoder.blocks[0].feed_forward.layer.outer.weight


def said(answering):
    (answer,) = answering.answers([TEXT])
    return answer.text, answer.outcome.exact


def untouched(model):
    """Nothing of what anybody did is there any more."""
    return said(model) == ("BIG", True) and not watches()


def zero(residual, hook):
    """A hook that answers otherwise."""
    return torch.zeros_like(residual)


def nothing(residual, hook):
    """A hook that answers the same."""


def fails(residual, hook):
    raise ZeroDivisionError


# ------------------------------------------------------------------ many who take turns


class Shared:
    """A model that several have, and whether its numbers are edited now."""

    def __init__(self):
        self.model, self.edited = deepcopy(MADE), False

    @property
    def due(self):
        return ("SMALL", False) if self.edited else ("BIG", True)

    def edit(self):
        weight(self.model).data.mul_(-1)
        self.edited = not self.edited


def asks(shared):
    for _ in range(3):
        assert said(shared.model) == shared.due
        yield


def asks_strictly(shared):
    for _ in range(3):
        if shared.edited:
            with pytest.raises(NotExactError):
                shared.model.run(TEXT, strict=True)
        else:
            assert shared.model.run(TEXT, strict=True) == "BIG"
        yield


def asks_many(shared):
    for _ in range(2):
        found = {(a.text, a.outcome.exact) for a in shared.model.answers([TEXT] * 5)}
        assert found == {shared.due}
        yield


def patches(shared):
    patched = shared.model.patch(PATCH)
    for _ in range(3):
        assert said(patched) == ("SMALL", False)
        yield


def hooks(shared):
    with shared.model.hooked([(POINT, zero)]):
        for _ in range(3):
            yield
            assert said(shared.model) == ("SMALL", False)
    yield
    assert said(shared.model) == shared.due


def looks_on(shared):
    seen = []
    with shared.model.hooked([(POINT, lambda residual, hook: seen.append(residual))]):
        for count in (1, 2):
            yield
            assert said(shared.model) == (shared.due[0], False)
            assert len(seen) == count


def closes_in_any_order(shared):
    first = shared.model.hooked([(POINT, zero)])
    second = shared.model.hooked([(POINT, nothing)])
    first.__enter__()
    yield
    second.__enter__()
    assert said(shared.model) == ("SMALL", False)
    yield
    first.__exit__(None, None, None)
    assert said(shared.model) == (shared.due[0], False)
    yield
    second.__exit__(None, None, None)
    assert said(shared.model) == shared.due


def errs(shared):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            shared.model.run_with_hooks(TEXT, [(POINT, fails)])
        yield
        assert said(shared.model) == shared.due


def caches(shared):
    for _ in range(2):
        text, cache = shared.model.run_with_cache(TEXT, POINT)
        assert text == shared.due[0]
        assert cache[POINT].shape[:2] == (1, 2)
        yield


def traces(shared):
    for _ in range(2):
        steps = shared.model.trace(TEXT)
        assert [step.label for step in steps] == ["embedding", "one"]
        big = steps[1].residual[1, shared.model.layout.columns.index("big")]
        assert (big > 0.5) == (shared.due[0] == "BIG")
        yield


def asks_in_a_hook(shared):
    told = []

    def ask(residual, hook):
        told.append(said(shared.model))

    for _ in range(2):
        shared.model.run_with_hooks(TEXT, [(POINT, ask)])
        assert told.pop() == shared.due
        yield


def leaves_half_way(shared):
    def watching():
        with shared.model.hooked([(POINT, zero)]):
            yield shared.model.run(TEXT)

    begun = watching()
    assert next(begun) == "SMALL"
    yield
    del begun
    assert said(shared.model) == shared.due
    yield


def edits(shared):
    for _ in range(2):
        shared.edit()
        assert said(shared.model) == shared.due
        yield
        shared.edit()
        assert said(shared.model) == shared.due
        yield


ACTORS = [
    asks, asks_strictly, asks_many, patches, hooks, looks_on, closes_in_any_order, errs, caches,
    traces, asks_in_a_hook, leaves_half_way, edits,
]  # fmt: skip


def apart_by_context(actors, turns):
    places = [contextvars.copy_context() for _ in actors]
    for turn in turns:
        places[turn].run(next, actors[turn], None)


def apart_by_thread(actors, turns):
    pools = [ThreadPoolExecutor(1) for _ in actors]
    try:
        for turn in turns:
            pools[turn].submit(next, actors[turn], None).result()
    finally:
        for pool in pools:
            pool.shutdown()


def apart_by_task(actors, turns):
    async def main():
        gates = [asyncio.Queue() for _ in actors]
        done = asyncio.Queue()

        async def live(actor, gate):
            while await gate.get():
                try:
                    next(actor, None)
                except BaseException as error:  # noqa: BLE001  shown below
                    await done.put(error)
                else:
                    await done.put(None)

        tasks = [asyncio.create_task(live(*each)) for each in zip(actors, gates, strict=True)]
        for turn in turns:
            await gates[turn].put(True)
            if (error := await done.get()) is not None:
                raise error
        for gate in gates:
            await gate.put(False)
        await asyncio.gather(*tasks)

    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop that runs, of a browser's
        pool.submit(asyncio.run, main()).result()


@pytest.mark.parametrize("run", [apart_by_context, apart_by_thread, apart_by_task])
@given(chosen=st.lists(st.sampled_from(ACTORS), min_size=2, max_size=5), seed=st.integers(0, 999))
def test_whoever_shares_a_model_sees_what_he_asked_for_and_nothing_else(run, chosen, seed):
    shared = Shared()
    actors = [each(shared) for each in chosen]
    turns = [number for number in range(len(actors)) for _ in range(6)]
    random.Random(seed).shuffle(turns)
    run(actors, turns)
    actors.clear()
    if shared.edited:
        shared.edit()
    assert untouched(shared.model)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["turn", "ask", "error", "drop"]))))
def test_hooks_of_one_context_end_in_any_order(happens):
    model, called, opened = deepcopy(MADE), [], {}
    for number, what in happens:
        if what == "turn" and number not in opened:
            hook = POINT, lambda residual, hook, own=number: called.append(own)
            opened[number] = model.hooked([hook])
            opened[number].__enter__()
        elif what == "turn":
            opened.pop(number).__exit__(None, None, None)
        elif what == "drop":
            opened.pop(number, None)
        elif what == "error":
            with pytest.raises(ZeroDivisionError):
                model.run_with_hooks(TEXT, [(POINT, fails)])
        called.clear()
        assert said(model) == ("BIG", not opened)
        assert called == list(opened)
    for each in opened.values():
        each.__exit__(None, None, None)
    assert untouched(model)


def test_a_watch_that_is_collected_in_another_thread_is_over_where_it_was_opened(model):
    def watching():
        with model.hooked([(POINT, zero)]):
            yield

    held = [watching()]
    next(held[0])
    assert said(model) == ("SMALL", False)
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert untouched(model)


def test_between_batches_of_a_patch_nothing_is_patched(model):
    patched = model.patch(PATCH)
    for _, found in patched.batches(patched.read([TEXT, "1", "2 3 4"])):
        assert said(model) == ("BIG", True)
        assert {patched.speaker.answer(each).text for each in found} == {"SMALL"}


def test_two_who_decode_in_turn_are_told_their_own_places():
    program = progtf.load("examples/math/place_value.seme")
    model, name = progtf.compile(program), "decoder.blocks.0.hook_resid_pre"
    source = model.batch([model.reader.read("What is the tens digit of 1234?")])
    parts, places = model.network.encoder_decoder(model.pad), []
    token = model.symbol_ids[:1]
    with torch.no_grad(), model.hooked([(name, lambda _, hook: places.append(hook.first))]):
        states = [parts.start(source), parts.start(source)]
        for who in (0, 0, 1, 0, 1):
            _, states[who] = parts.step(token, states[who])
    assert places == [0, 1, 0, 2, 1]


# ------------------------------------------------------------------ threads that do not wait


def share(model, seconds):
    """What several threads were told wrongly, while each does something else without a break."""
    until, wrong = time.monotonic() + seconds, []

    def asking():
        text, exact = said(model)
        return exact and text != "BIG"

    def editing():
        weight(model).data.mul_(-1)
        time.sleep(0)
        found = said(model) != ("SMALL", False)
        weight(model).data.mul_(-1)
        return found

    def patching():
        return said(model.patch(PATCH)) != ("SMALL", False)

    def hooking():
        with model.hooked([(POINT, zero)]):
            return said(model) != ("SMALL", False)

    def caching():
        _, cache = model.run_with_cache(TEXT)
        return POINT not in cache or len(model.trace(TEXT)) != 2

    def erring():
        try:
            model.run_with_hooks(TEXT, [(POINT, fails)])
        except ZeroDivisionError:
            return False
        return True

    def goes_on(each):
        count = 0
        while time.monotonic() < until:
            count += 1
            if each():
                wrong.append(each.__name__)
        return count

    roles = [asking, asking, editing, patching, hooking, caching, erring]
    with ThreadPoolExecutor(len(roles)) as pool:
        counts = list(pool.map(goes_on, roles))
    assert min(counts) > 0
    return wrong


def test_threads_that_share_a_model_are_told_what_is_so(model):
    assert share(model, 1.0) == []
    assert untouched(model)


@pytest.mark.long
def test_threads_that_share_a_model_for_ten_seconds_are_told_what_is_so(model):
    assert share(model, 10.0) == []
    assert untouched(model)


def test_patched_and_plain_answers_of_a_writer_in_two_threads_are_their_own():
    model = progtf.compile(progtf.load("examples/math/place_value.seme"))
    question, patch = (
        "What is the tens digit of 1234?",
        {"encoder.told": {"asked": progtf.added(2)}},
    )

    def ask(turn):
        return (model.patch(patch) if turn % 2 else model).run(question)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(ask, range(40))) == ["3", "1"] * 20
    (after,) = model.answers([question])
    assert (after.text, after.outcome.exact) == ("3", True)


# ------------------------------------------------------------------ all that can be changed


def first(model):
    return model.network.encoder.blocks[0].feed_forward.layer


def swapped(part, name, value):
    before = getattr(part, name)
    setattr(part, name, value)
    return lambda: setattr(part, name, before)


def written(tensor, change):
    before = tensor.detach().clone()
    change(tensor)
    return lambda: tensor.data.copy_(before)


def mode(kind):
    entered = kind()
    entered.__enter__()
    return lambda: entered.__exit__(None, None, None)


class Looking(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Dispatching(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Twice(nn.Module):
    def forward(self, numbers):
        return -numbers


def parametrized(model):
    part = first(model).outer
    before = part.weight.detach().clone()
    parametrize.register_parametrization(part, "weight", Twice())

    def undo():
        parametrize.remove_parametrizations(part, "weight", leave_parametrized=False)
        part.weight.data.copy_(before)

    return undo


def normed(model):
    part = first(model).outer
    before = part.weight.detach().clone()
    parametrizations.weight_norm(part, "weight")

    def undo():
        parametrize.remove_parametrizations(part, "weight")
        part.weight.data = before

    return undo


def hooked_everywhere(model):
    hook = nn.modules.module.register_module_forward_hook(lambda *_: None)
    return hook.remove


NEGATIVE = lambda tensor: tensor.data.neg_()  # noqa: E731
EDITS = {
    "data": lambda model: written(weight(model), NEGATIVE),
    "no_grad": lambda model: written(weight(model), torch.no_grad()(lambda each: each.neg_())),
    "numpy": lambda model: written(weight(model), lambda w: w.detach().numpy().__imul__(-1)),
    "detach": lambda model: written(weight(model), lambda w: w.detach().neg_()),
    "a view": lambda model: written(weight(model), lambda w: w.data.view(-1)[0].add_(1)),
    "one bit": lambda model: written(
        weight(model), lambda w: w.data.view(torch.uint8).flatten()[0].bitwise_xor_(1)
    ),
    "the sign of a zero": lambda model: written(
        model.network.embedding.vectors, lambda v: v.data.masked_fill_(v.data == 0, -0.0)
    ),
    "other data": lambda model: swapped(weight(model), "data", -weight(model).data),
    "another parameter": lambda model: swapped(
        first(model).outer, "weight", nn.Parameter(-weight(model).detach())
    ),
    "no gradients, and other numbers": lambda model: written(
        weight(model.requires_grad_(False)), lambda w: w.mul_(3)
    ),
    "another module": lambda model: swapped(first(model), "outer", deepcopy(first(model).outer)),
    "no module": lambda model: swapped(model.network.encoder.blocks[0], "feed_forward", None),
    "another network": lambda model: swapped(model, "network", deepcopy(model.network)),
    "a method": lambda model: swapped(first(model), "forward", lambda residual: residual),
    "a precision": lambda model: swapped(first(model), "precision", None),
    "columns read": lambda model: written(first(model).inner.reads, lambda r: r.data.add_(1)),
    "columns written": lambda model: written(
        first(model).outer.writes, lambda w: w.data.add_(0 - 1)
    ),
    "how classes pool": lambda model: swapped(model.network.classifier, "how", "sum"),
    "the ids of outputs": lambda model: written(model.symbol_ids, lambda ids: ids.data.add_(1)),
    "the layout": lambda model: swapped(model, "layout", replace(model.layout, lengths=(3, 0))),
    "a parametrization": parametrized,
    "a norm of weights": normed,
    "a hook": lambda model: first(model).register_forward_hook(lambda *_: None).remove,
    "a hook before": lambda model: first(model).register_forward_pre_hook(lambda *_: None).remove,
    "a hook of gradients": lambda model: (
        first(model).register_full_backward_hook(lambda *_: None).remove
    ),
    "a hook on the network": lambda model: (
        model.network.register_forward_hook(lambda *_: None).remove
    ),
    "a hook on all": hooked_everywhere,
    "autocast": lambda model: mode(lambda: torch.autocast("cpu", torch.bfloat16)),
    "a mode of functions": lambda model: mode(Looking),
    "a mode of products": lambda model: mode(Dispatching),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_is_changed_before_an_answer_leaves_it_without_a_proof_until_it_is_put_back(
    model, edit
):
    model.network.classifier  # noqa: B018  somebody has it
    for _ in range(2):
        undo = edit(model)
        assert not model.outcome.exact
        with pytest.raises(NotExactError):
            model.run(TEXT, strict=True)
        try:
            (tried,) = model.try_answers([TEXT])
        except (TypeError, RuntimeError, IndexError):
            tried = None  # it cannot compute so
        undo()
        assert (
            tried is None
            or not getattr(tried, "outcome", model.outcome).exact
            or (not hasattr(tried, "outcome"))
        )
        assert untouched(model)


NUMBERS = ["data", "no_grad", "numpy", "detach", "a view", "other data", "another parameter"]


@pytest.mark.parametrize("name", NUMBERS)
def test_the_answer_is_that_of_the_numbers_there_are(model, name):
    assert said(model) == ("BIG", True)
    undo = EDITS[name](model)
    due = Model(model.weights)
    assert [a.scores for a in model.answers([TEXT, "1", "9 9 2"])] == [
        a.scores for a in due.answers([TEXT, "1", "9 9 2"])
    ]
    undo()
    assert untouched(model)


def test_an_outcome_that_is_asked_for_later_is_that_of_the_answer(model):
    undo = EDITS["data"](model)
    (edited,) = model.answers([TEXT])
    undo()
    (plain,) = model.answers([TEXT])
    undo = EDITS["numpy"](model)
    assert (edited.text, edited.outcome.verdict) == ("SMALL", "not checked")
    assert (plain.text, plain.outcome.verdict) == ("BIG", "exact")
    undo()


def test_a_default_device_changes_no_outcome(model):
    with torch.device("cpu"):
        assert said(model) == ("BIG", True)


def test_training_and_eval_of_a_program_change_no_outcome(model):
    assert said(model.train()) == ("BIG", True)
    assert said(model.eval()) == ("BIG", True)


def test_as_long_as_nobody_asks_for_the_network_none_is_lent():
    model = fresh()
    model.run([TEXT, "1"])
    assert model.outcome.exact
    assert model.weights is model.weights
    assert not hasattr(model, "no_such_thing")
    assert model._own.lent is None
    (lent,) = model.children()
    assert lent is model.network is model._own.lent is not model._own.network
