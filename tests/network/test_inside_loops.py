"""Looking into loops of decoders: step by step as at once, each place in its own rounds."""

import torch
from hypothesis import event, given
from hypothesis import strategies as st

from progtf import compile, load  # noqa: A004
from progtf.nn import Recall
from progtf.program.tokens import InputError
from tests.network.programs import built, inputs, written_in_loops


def read_at_once(model, text):
    """What a decoder reads until it has written its answer: a pair of source and target."""
    (asked,) = model.read([text])
    (found,) = model.readouts([asked])
    begun = ["<bos>"] if model.layout.kind == "seq2seq" else asked
    written = [token for token in found.written if token != "<eos>"]
    return model.batch([list(asked)]), model.batch([[*begun, *written]])


@given(written_in_loops(), inputs)
def test_what_is_kept_of_steps_is_what_is_kept_of_all_places_at_once(text, given_text):
    model = compile(built(text, ()), "float64")
    if isinstance(model.try_answers([given_text])[0], InputError):
        event("no answer")
        return
    with torch.no_grad():
        _, steps = model.run_with_cache(given_text)
        _, whole = model.run_with_cache(read_at_once(model, given_text))
    assert [*steps] == [*whole]
    for name in steps:
        torch.testing.assert_close(steps[name], whole[name], atol=1e-9, rtol=1e-9, equal_nan=True)
    event(f"places without a round: {any(steps[n].isnan().all(dim=0).any() for n in steps)}")


@given(written_in_loops(), inputs, st.data())
def test_what_hooks_change_in_steps_they_change_in_all_places_at_once(text, given_text, data):
    model = compile(built(text, ()), "float64")
    names = [
        n for n in model.hooks() if n.startswith("decoder") and ".round." in n and "hook_" in n
    ]
    name, factor = data.draw(st.sampled_from(names)), data.draw(st.sampled_from([0.3, 1.3]))
    hook = (name, lambda tensor, hook: tensor * factor)
    source, target = read_at_once(model, given_text)
    parts, seq2seq = model.network.encoder_decoder(model.pad), model.layout.kind == "seq2seq"
    memory = parts.encode(source) if seq2seq else (None, None)
    with torch.no_grad(), model.hooked([hook]):
        decoder = parts.decoder
        recalls = decoder.recalls(*memory) if seq2seq else tuple(Recall() for _ in decoder)
        state, steps = parts.begin(recalls), []
        for token in target.unbind(dim=1):
            residual, state = parts.go_on(token[:, None], state)
            steps.append(residual)
        whole = parts.decode(target, *memory)
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, atol=1e-9, rtol=1e-9)
    event(f"changed: {bool((parts.decode(target, *memory) != whole).any())}")


def test_a_name_of_the_program_is_told_all_that_its_point_is_told():
    model = compile(load("examples/remainders.seme"))
    point = {alias.name: alias.point for alias in model._aliases.values()}["decoder.take.rest"]
    told = {point: [], "decoder.take.rest": []}
    for name, heard in told.items():

        def look(_tensor, hook, heard=heard):
            going = None if hook.going is None else hook.going.tolist()
            heard.append((hook.first, hook.turn, hook.batch, going))

        model.run_with_hooks(["48 18", "99 33"], [(name, look)])
    assert told[point] == told["decoder.take.rest"]
    assert any(going is not None for *_, going in told[point])
