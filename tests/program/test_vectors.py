"""Vectors with names, as inputs of programs that take vectors."""

import pytest

import progtf
from progtf.building.load import analyse
from progtf.program.model import Program
from progtf.program.tokens import InputError
from progtf.running.interpret import answer
from progtf.views.editor import declared

BARE = """
vec1: +pig -wombat
vec2: -2.1pig +3.3peregrine
mat1: pig>pig, 2peregrine>peregrine, 3peregrine>wombat
"""
DENSE = """
vec1: +pig -wombat
vec2: vec1 +2pig
mat1: pig>pig, 2wombat>wombat
model:
  kind: dense
semes: pig wombat
dense:
  weights: mat1
"""


def loaded(text: str) -> Program:
    program, found = analyse(text, "<test>", None)
    assert program is not None, found
    return program


def test_a_file_of_named_vectors_and_matrices_is_a_program() -> None:
    program = loaded(BARE)
    assert program.space.names == ("pig", "wombat", "peregrine")
    assert answer(program, "vec1").text == "+pig -wombat"
    assert answer(program, "vec1 -2vec2 | pig").text == "+5.2pig -wombat -6.6peregrine | +pig"


def test_named_vectors_go_through_a_dense_layer_and_are_kept_with_the_weights(tmp_path) -> None:
    model = progtf.compile(loaded(DENSE))
    said = ["+pig -2wombat", "+3pig -2wombat | +pig"]
    assert model.run(["vec1", "vec2 | pig"]) == said
    progtf.save_model(model, tmp_path / "kept")
    assert progtf.load_model(tmp_path / "kept").run(["vec1", "vec2 | pig"]) == said


def test_what_the_comment_beside_a_seme_says_is_kept_as_its_meaning() -> None:
    lines = """semes:
  nom acc    # case: I, me
  weird      # some expectation is violated
  sg
lexicon:
  I: +nom +sg +acc +weird   # not a meaning
"""
    program = loaded(lines)
    case = "case: I, me"
    assert program.meanings == {"nom": case, "acc": case, "weird": "some expectation is violated"}
    names = {each["name"]: each["meaning"] for each in declared(program)}
    assert names == {**program.meanings, "sg": ""}


@pytest.mark.parametrize("text", ["vec3", "mat1"])
def test_what_is_no_vector_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(InputError, match=f"no seme is called `{text}`"):
        answer(loaded(DENSE), text)
