"""Torch's forward hooks on a model, its network, its decoder, and beside named hooks."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import torch
from torch.nn.modules import module as torch_module

import progtf
from progtf.program.answers import Answer
from tests.programs import PROGRAMS, loaded

STEMS = (
    "place_value", "a_or_an", "sentiment", "vectors", "continue_pattern", "repeats", "remainders",
    "attention_with_positions", "clocks", "roles", "any_fruit", "dense_layer", "tallest", "times",
    "polite_requests", "repeated_letters", "shared_coins", "nearest_noun", "with_roles", "euclid",
    "without_roles", "agreement", "larger_of_two", "words_to_go",
)  # fmt: skip
PATHS = [p for p in PROGRAMS if p.stem in STEMS and p.parent.name not in ("hybrid", "language")]
WRITES = next(path for path in PATHS if path.stem == "place_value")
READS = next(path for path in PATHS if path.stem == "attention_with_positions")
QUESTION, DIGIT = "What is the tens digit of 1234?", "3"
WHOLE = {
    "the model": lambda model: model,
    "the network": lambda model: model.network,
    "the decoder": lambda model: model.network.decoder,
}


def texts_of(path):
    texts = [example.input for example in loaded(path).examples]
    return texts[:3] or ["."]


def said(tried):
    """All that answers say, but for what is proven of them."""
    return [
        (each.text, each.scores, each.score, each.gap, each.outside, each.because)
        if isinstance(each, Answer)
        else str(each)
        for each in tried
    ]


@contextmanager
def registered(*handles):
    try:
        yield
    finally:
        for each in handles:
            each.remove()


def close(one, other):
    """The same answers, numbers to a rounding: all is computed at once, not step by step."""
    for mine, theirs in zip(one, other, strict=True):
        if isinstance(mine, str):
            assert mine == theirs
            continue
        assert mine[0] == theirs[0]
        assert mine[1] == pytest.approx(theirs[1], abs=1e-5) if mine[1] else not theirs[1]
        assert mine[3] == (None if theirs[3] is None else pytest.approx(theirs[3], abs=1e-4))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_hooks_on_the_model_and_its_network_are_called_and_leave_answers_as_they_are(path):
    model, texts = progtf.compile(loaded(path)), texts_of(path)
    plain = model.try_answers(texts)
    for name in ("the model", "the network"):
        before, behind = [], []
        whole = WHOLE[name](model)
        with registered(
            whole.register_forward_pre_hook(lambda *given, b=before: b.append(given)),
            whole.register_forward_hook(lambda *given, b=behind: b.append(given)),
        ):
            close(said(model.try_answers(texts)), said(plain))
            assert model.outcome.verdict == "not checked"
        assert len(before) == len(behind) > 0
        for module, given, gives in behind:
            assert module is whole
            assert gives.shape[:2] == given[-1].shape[:2]
            assert len(given) == (2 if model.layout.writes else 1)
    assert model.try_answers(texts) == plain


@pytest.mark.parametrize("name", WHOLE)
def test_what_a_hook_as_a_whole_returns_is_the_answer(name):
    model = progtf.compile(loaded(WRITES))
    wanted = model.layout.outputs.index("7")

    def seven(module, given, gives):
        if name == "the decoder":
            return torch.zeros_like(gives)
        return gives.index_fill(2, torch.tensor([wanted]), 1e6) if gives.shape[1] == 1 else gives

    before = model.run(QUESTION)
    with registered(WHOLE[name](model).register_forward_hook(seven)):
        (answer,) = model.try_answers([QUESTION])
        assert str(getattr(answer, "text", answer)) != before
        if name != "the decoder":
            assert answer.text == "7"
            assert answer.outcome.verdict == "not checked"
    assert model.run(QUESTION) == before == DIGIT
    assert model.outcome.verdict == "exact"


def test_arguments_are_those_of_a_call_source_and_all_that_is_written():
    model, seen = progtf.compile(loaded(WRITES)), []
    with registered(model.register_forward_pre_hook(lambda _, given: seen.append(given))):
        model.run(QUESTION)
    source = model.batch([model.reader.read(QUESTION)])
    assert all(torch.equal(given[0], source) for given in seen)
    written = [given[1][0].tolist() for given in seen]
    assert written[0] == [model.ids["<bos>"]]
    assert written[1] == [model.ids["<bos>"], model.ids[DIGIT]]


def test_a_hook_before_it_may_give_other_arguments():
    model = progtf.compile(loaded(WRITES))
    other = model.batch([model.reader.read("What is the tens digit of 1294?")])
    with registered(model.register_forward_pre_hook(lambda _, given: (other, *given[1:]))):
        assert model.run(QUESTION) == "9"
    named = model.register_forward_pre_hook(
        lambda _, given, more: ((other, *given[1:]), more), with_kwargs=True
    )
    with registered(named):
        assert model.run(QUESTION) == "9"


def test_hooks_on_all_modules_there_are_see_the_whole_too():
    model = progtf.compile(loaded(WRITES))
    for register in (
        torch_module.register_module_forward_pre_hook,
        torch_module.register_module_forward_hook,
    ):
        seen = []
        with registered(register(lambda module, *_, s=seen: s.append(module))):
            assert model.run(QUESTION) == DIGIT
        assert {type(each).__name__ for each in seen} >= {"Model", "Network", "Stack", "Block"}
        assert model.network.decoder in seen


@pytest.mark.parametrize(
    "given", ["no", None, 3, torch.zeros(2), torch.zeros(1, 1, 2), torch.zeros(1, 9, 10), [], ()]
)
@pytest.mark.parametrize("name", ["the model", "the network"])
@pytest.mark.parametrize("path", [WRITES, READS], ids=lambda path: path.stem)
def test_a_hook_as_a_whole_that_gives_no_such_tensor_is_refused(path, name, given):
    model, (text, *_) = progtf.compile(loaded(path)), texts_of(path)
    with registered(WHOLE[name](model).register_forward_hook(lambda *_: given)):
        if given is None:
            assert model.run(text)
        else:
            with pytest.raises(ValueError, match="a forward hook on the model or its network gave"):
                model.run(text)
    assert model.outcome.verdict == "exact"


def test_a_trace_and_other_calls_call_them_too():
    for path in (WRITES, READS):
        model, text, seen = progtf.compile(loaded(path)), texts_of(path)[0], []
        plain = model.trace(text)
        with registered(model.network.register_forward_hook(lambda *_, s=seen: s.append(1))):
            assert model.trace(text) == plain
            assert model.patch({}).run(text) == model.run_with_hooks(text) == model.run(text)
        assert len(seen) >= 4


def test_a_hook_of_one_model_is_not_called_by_another_thread_with_another_model():
    hooked, free = (progtf.compile(loaded(WRITES)) for _ in range(2))
    seen = []
    with registered(hooked.register_forward_hook(lambda *_: seen.append(1))):
        with ThreadPoolExecutor(2) as pool:
            every = [pool.submit(each.run, QUESTION) for each in (hooked, free) * 10]
            assert {each.result() for each in every} == {DIGIT}
        assert free.outcome.verdict == "exact"
        assert len(seen) == 20


# ------------------------------------------------------------------ beside named hooks


def parts_of(block):
    """The modules of a block that named hooks compute in lockstep, by name."""
    for side in ("attention", "cross"):
        part = getattr(block, side)
        if part is not None:
            yield f"{side}", part.layer
            for number, group in enumerate(part.layer.groups):
                yield f"{side} {number}", group
                for place, heads in enumerate(group.heads):
                    yield f"{side} {number} {place}", heads
    if block.feed_forward is not None:
        layer = block.feed_forward.layer
        yield "rules", layer
        yield from ((f"rules {n}", each) for n, each in enumerate(getattr(layer, "layers", ())))


def kept(module, given, gives):
    del module, given
    return tuple(each.clone() for each in gives) if isinstance(gives, tuple) else gives.clone()


HYBRID = next(p for p in PROGRAMS if p.parent.name == "hybrid" and p.stem == "place_value")


@pytest.mark.parametrize("path", [*PATHS, HYBRID], ids=lambda path: "/".join(path.parts[-2:]))
def test_hooks_of_torch_beside_named_ones_are_all_called_and_change_nothing_by_themselves(path):
    model, text = progtf.compile(loaded(path), "float32"), texts_of(path)[0]
    plain = said(model.try_answers([text]))
    named, seen, handles = [], [], []
    for part in (model.network.encoder, model.network.decoder):
        for number, block in enumerate(part.blocks):
            if not hasattr(block, "round") and hasattr(block, "attention"):
                for name, module in parts_of(block):
                    key = (id(part), number, name)
                    handles.append(
                        module.register_forward_hook(
                            lambda *given, k=key: (seen.append(k), kept(*given))[1]
                        )
                    )
    expected = set(seen)
    with registered(*handles):
        model.try_answers([text])
        expected |= set(seen)
        seen.clear()
        with model.hooked([(lambda _: True, lambda tensor, hook: named.append(hook.name))]):
            close(said(model.try_answers([text])), plain)
        assert set(seen) >= expected
    assert named or not model.hooks()


def test_the_order_is_torchs_before_named_ones_and_torchs_behind():
    model, order = progtf.compile(loaded(WRITES)), []
    block = model.network.decoder.blocks[1]
    heads, group = block.cross.layer, block.cross.layer.groups[0]
    modules = {"sublayer": heads, "group": group, "heads": group.heads[0]}
    handles = [
        register(lambda *_, n=name, w=when: order.append(f"{w} {n}"))
        for name, module in modules.items()
        for when, register in (
            ("before", module.register_forward_pre_hook),
            ("behind", module.register_forward_hook),
        )
    ]
    points = [f"decoder.blocks.1.cross.hook_{each}" for each in ("q", "z", "bound")]
    hooks = [(name, lambda tensor, hook: order.append(hook.name.split(".")[-1])) for name in points]
    with registered(*handles):
        model.run_with_hooks(QUESTION, hooks)
    before = ["before sublayer", "before group", "before heads"]
    behind = ["behind heads", "behind group", "behind sublayer"]
    assert order[:9] == [*before, "hook_q", "hook_z", "hook_bound", *behind]


def test_what_torchs_hooks_and_named_ones_change_both_counts():
    model = progtf.compile(loaded(READS))
    block = model.network.encoder.blocks[0]
    group, text = block.attention.layer.groups[0], "black dog"
    point = "encoder.blocks.0.attn.hook_bound"
    plain = model.run(text)

    def doubled(bound, hook):
        return 2 * bound

    assert model.run_with_hooks(text, [(point, doubled)]) == plain.replace(
        "dog: +noun +black", "dog: +noun +2black"
    )
    with registered(group.register_forward_hook(lambda _module, _given, update: 3 * update)):
        assert "+6black" in model.run_with_hooks(text, [(point, doubled)])
    seen = []
    with registered(
        group.heads[0].register_forward_hook(lambda _m, _given, bound: seen.append(bound.max()))
    ):
        model.run_with_hooks(text, [(point, doubled)])
    assert seen == [2.0]
    residuals = lambda _module, given: (torch.zeros_like(given[0]), *given[1:])  # noqa: E731
    with registered(group.register_forward_pre_hook(residuals)):
        alone = model.run(text)
        assert model.run_with_hooks(text, [(point, lambda bound, hook: None)]) == alone != plain


def test_hooks_on_gradients_are_called_beside_named_ones():
    model, seen = progtf.compile(loaded(READS)), []
    group = model.network.encoder.blocks[0].attention.layer.groups[0]
    ids = model.batch([["black", "dog"]])
    with (
        registered(group.register_full_backward_hook(lambda *_: seen.append(1))),
        model.hooked([("encoder.blocks.0.attn.hook_z", lambda tensor, hook: 2 * tensor)]),
    ):
        model(ids).sum().backward()
    assert seen == [1]


# ------------------------------------------------------------------ what is no hook

POINT, SEME = "encoder.blocks.0.hook_resid_post", "encoder.noun_phrase.black"
NO_HOOKS = [
    None, 3, "name", {POINT: print}, [3], ["name"], [(POINT,)], [(POINT, print, 1)], [None],
    [(3, print)], [(None, print)], [(POINT, None)], [(POINT, 3)], [(SEME, "f")], [[print, POINT]],
]  # fmt: skip


@pytest.fixture(scope="module")
def reader():
    return progtf.compile(loaded(READS))


@pytest.mark.parametrize("given", NO_HOOKS, ids=str)
def test_what_are_no_hooks_is_refused_with_what_is_due(reader, given):
    for call in (
        lambda: reader.run_with_hooks("black dog", given),
        lambda: reader.run_with_cache("black dog", None, given),
        lambda: reader.hooked(given),
    ):
        with pytest.raises(TypeError, match=r"is given.*(is|are) due"):
            call()


@pytest.mark.parametrize("names", [3, [3], [None], [POINT, 1], 1.5, [[POINT]]])
def test_what_are_no_names_to_keep_is_refused(reader, names):
    with pytest.raises(TypeError, match="a name, several, or a function of names is due"):
        reader.run_with_cache("black dog", names)


GIVEN = [
    "no", [1.0], (1.0,), {}, object(), 1j, torch.zeros(3), torch.zeros(1, 2, 3, 4),
    torch.zeros(1, 2, dtype=torch.complex64), torch.zeros(1, 2).to_sparse(),
    torch.zeros(1, 2, device="meta"), torch.zeros(0),
]  # fmt: skip


@pytest.mark.parametrize("gives", GIVEN, ids=lambda gives: type(gives).__name__)
@pytest.mark.parametrize("name", [POINT, SEME])
def test_what_a_hook_may_not_give_is_refused_with_its_name(reader, name, gives):
    with pytest.raises((TypeError, ValueError), match=rf"{name}: a hook gave .* due"):
        reader.run_with_hooks("black dog", [(name, lambda tensor, hook: gives)])
    assert reader.outcome.verdict == "exact"


@pytest.mark.parametrize("gives", [1, 0.5, True, torch.tensor(1.0), torch.tensor(1)])
def test_a_number_stands_for_a_seme_everywhere(reader, gives):
    many = torch.full((1, 2), float(gives))
    said = [reader.run_with_hooks("black dog", [(SEME, lambda *_, hook, g=g: g)])
            for g in (gives, many)]  # fmt: skip
    assert said[0] == said[1]


def test_a_context_of_hooks_is_entered_once_and_says_so(reader):
    plain, looks = reader.run("black dog"), [(SEME, lambda tensor, hook: 0 * tensor)]
    context = reader.hooked(looks)
    with context:
        changed = reader.run("black dog")
        with pytest.raises(RuntimeError, match="entered before: ask `hooked` for another one"):
            context.__enter__()
        assert reader.run("black dog") == changed != plain
    assert reader.run("black dog") == plain
    with pytest.raises(RuntimeError, match="entered before"), context:
        pass
    assert reader.run("black dog") == plain


def test_a_function_that_hooks_decorate_is_hooked_at_each_call(reader):
    plain = reader.run("black dog")

    @reader.hooked([(SEME, lambda tensor, hook: 0 * tensor)])
    def ask():
        return reader.run("black dog")

    assert ask() == ask() != plain == reader.run("black dog")
