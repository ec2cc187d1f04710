"""A seme swapped between texts: a compiled program answers as its meaning says, always."""

import pytest

import progtf
from progtf.network.names import layers

NAMES = ("units", "tens", "hundreds", "thousands")
BASES = [f"What is the {name} digit of {n}?" for name in NAMES for n in (12345, 98760, 5555123)]
SOURCES = [f"What is the {name} digit of {n}?" for name in NAMES[::-1] for n in (67891, 12034, 9)]


@pytest.mark.parametrize("seme", ["asked", "encoder.hit.hit"])
def test_compiled_programs_agree_wherever_the_swap_matters(seme):
    program = progtf.load("examples/math/place_value.seme")
    model = progtf.compile(program)
    found = progtf.interchange(model, program, BASES, SOURCES, seme)
    assert found.counted > 5
    assert found.agreement == 1.0
    assert found.control < 0.5
    assert len(found.pairs) == len(BASES)


def test_texts_of_classes_agree_too():
    program = progtf.load("examples/grammar/agreement.seme")
    model, texts = progtf.compile(program), [each.input for each in program.examples]
    every = {seme: progtf.interchange(model, program, texts, texts[1:] + texts[:1], seme)
             for seme in written(model)}  # fmt: skip
    assert sum(found.counted for found in every.values()) > 0
    assert all(found.agreement == 1.0 for found in every.values() if found.counted)


def written(model):
    """The semes that layers write."""
    nodes = [node for node in progtf.circuit(model).nodes if node.kind != "embedding"]
    return sorted({seme for node in nodes for seme in node.writes})


def test_a_seme_that_nothing_writes_is_refused():
    program = progtf.load("examples/math/place_value.seme")
    with pytest.raises(ValueError, match="nothing writes `nowhere`"):
        progtf.interchange(progtf.compile(program), program, BASES, SOURCES, "nowhere")


def test_as_many_sources_as_bases_are_due():
    program = progtf.load("examples/math/place_value.seme")
    with pytest.raises(ValueError, match="2 texts are given, and 1 sources"):
        progtf.interchange(progtf.compile(program), program, BASES[:2], BASES[0], "asked")


def test_what_is_swapped_is_what_a_patch_swaps():
    program = progtf.load("examples/math/place_value.seme")
    model, base, source = progtf.compile(program), BASES[0], SOURCES[0]
    (pair,) = progtf.interchange(model, program, base, source, "asked").pairs
    patched = model.patch({"encoder.told": {"asked": progtf.swapped(source)}})
    assert pair.network == patched.run(base) != model.run(base)


def test_a_seme_in_a_loop_is_refused():
    program = progtf.load("examples/algorithms/bracket_pairs.seme")
    model, texts = progtf.compile(program), [each.input for each in program.examples[:2]]
    layer = next(each.name for each in layers(model.layout) if ".round." in each.point)
    seme = f"{layer}.{model.layout.columns[-1]}"
    with pytest.raises(ValueError, match="swap it behind the loop"):
        progtf.interchange(model, program, texts[0], texts[1], seme)
