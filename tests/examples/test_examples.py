"""Every program in ``examples/`` and every library file does what its examples say."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from progtf import compile as compiled
from progtf.building.load import analyse
from progtf.network.model import Model
from progtf.notation.format import format_text
from progtf.numbers import EXACT, NOISE
from progtf.program.expected import agrees
from progtf.program.formats import rules_hold
from progtf.program.interface import interface_of
from progtf.program.model import Program
from progtf.program.tokens import Reader
from progtf.running.interpret import Interpreter, answer
from progtf.running.walk import residuals
from tests.programs import ALL, LARGE, QUICK, analysed, loaded

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("examples/**/*.seme"), *ROOT.glob("progtf/std/**/*.seme")])
# all.seme takes minutes; questions of all its kinds are asked elsewhere.
RUN = [pytest.param(p, marks=pytest.mark.long) if p == ALL else p for p in FILES]
# bfloat16 keeps eight bits of a weight, so that 3.3 is stored as 3.296875.
TOLERANCES = {way: NOISE[way] for way in ("float64", "float32", "bfloat16")}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


# Those with some thousand weights are networks of the acceptance tests, too, in what is proven.
COMPILED = [
    pytest.param(
        path, dtype, id=f"{_name(path)}-{dtype}",
        marks=[pytest.mark.long]
        * (path == ALL or path in LARGE and path.stem not in QUICK),
    )
    for path in FILES for dtype in TOLERANCES
    if path != ALL or dtype == "float64"  # its parts are here on their own
]  # fmt: skip


def program_of(path: Path) -> Program:
    program, (_, found) = loaded(path), analysed(path)
    assert not found, [d.headline for d in found]  # warnings neither: these are to be learned from
    return program


@cache
def model_of(path: Path, dtype: str) -> Model:
    return compiled(program_of(path), dtype)


@pytest.mark.parametrize("path", RUN, ids=_name)
def test_a_program_means_what_its_examples_say(path: Path) -> None:
    program = program_of(path)
    shape = interface_of(program)
    assert program.examples or path.parent.name == "hybrid"
    every = 40 if path.name == "all.seme" else 1  # its parts are here on their own
    asked = program.examples[::every]
    answers = Interpreter(program).answers([example.input for example in asked])
    for example, said in zip(asked, answers, strict=True):
        assert agrees(said, example.output, shape, EXACT), f"{example.input} -> {said.text}"
        kept = path.name == "all.seme" or said.broken == ()  # its parts are here on their own
        assert kept, f"{example.input} breaks a promise: {said.broken[0]}"


@pytest.mark.parametrize(("path", "dtype"), COMPILED)
def test_a_compiled_program_does_what_its_examples_say(path: Path, dtype: str) -> None:
    program = program_of(path)
    if not rules_hold(program, dtype):
        assert dtype == "bfloat16" or compiled(program).weights.dtype == "float64"
        pytest.skip("the rules compare larger numbers than this format can tell apart")
    model = model_of(path, dtype)
    answers = model.answers([example.input for example in program.examples])
    for example, said in zip(program.examples, answers, strict=True):
        correct = agrees(said, example.output, model.layout, TOLERANCES[dtype])
        assert correct, f"{example.input} -> {said.text}"


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_program_is_spaced_as_the_formatter_would(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_text(text) == text


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_the_first_line_says_what_a_program_does(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith(f"# {path.name}: ")


def test_the_overview_has_every_program() -> None:
    folder = ROOT / "examples"
    overview = (folder / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([^)]*\.seme)\)", overview)
    assert sorted(listed) == [
        str(path.relative_to(folder)) for path in FILES if folder in path.parents
    ]


def test_a_wrong_example_is_noticed() -> None:
    program = program_of(ROOT / "examples/article/first_matrix.seme")
    shape = interface_of(program)
    said = answer(program, "+peregrine")
    assert agrees(said, "+2peregrine +3wombat", shape, EXACT)
    assert not agrees(said, "+2peregrine +4wombat", shape, EXACT)
    assert not agrees(said, "+2peregrine", shape, EXACT)


# ------------------------------------------------------------------ what the article prints


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("first_matrix", [[1, 0, 0], [0, 2, 3], [0, 0, 4]]),
        ("second_matrix", [[0, 0, 3], [-1, 2, -4], [0, 0, 0]]),
    ],
)
def test_the_matrices_are_those_that_the_article_prints(
    name: str, printed: list[list[float]]
) -> None:
    said = answer(program_of(ROOT / f"examples/article/{name}.seme"), "+pig | +peregrine | +wombat")
    assert said.residual is not None
    assert said.residual.tolist() == printed


def test_seven_clocks_make_fourteen_dimensions() -> None:
    program = program_of(ROOT / "examples/article/clocks.seme")
    assert len(program.clocks) == 7
    assert program.semes == len(program.space) - program.semes == 14


# ------------------------------------------------------------------ the binding problem


WITHOUT, WITH = (ROOT / f"examples/binding/{name}_roles.seme" for name in ("without", "with"))
ONE, OTHER = "(a/b)/(c/d)", "(a/d)/(c/b)"
MAIN_STROKE = 5


def meant(path: Path, text: str) -> np.ndarray:
    """The residual of the main stroke, clocks included, by the interpreter."""
    program = program_of(path)
    return residuals(program, Reader.of(interface_of(program)).read(text))[MAIN_STROKE]


@torch.no_grad()
def computed(path: Path, text: str, dtype: str) -> np.ndarray:
    """The same by the network."""
    model = model_of(path, dtype)
    return model.residual(model.batch([list(text)]))[0, MAIN_STROKE].double().numpy()


def test_without_roles_two_structures_are_one() -> None:
    assert np.array_equal(meant(WITHOUT, ONE), meant(WITHOUT, OTHER))
    # It is not that nothing is represented: another letter is seen at once.
    assert not np.array_equal(meant(WITHOUT, ONE), meant(WITHOUT, "(a/b)/(c/a)"))


def test_with_roles_they_are_two() -> None:
    # Two fractions are represented by half a seme each, and none of them is shared.
    difference = meant(WITH, ONE) - meant(WITH, OTHER)
    assert sorted(difference[difference != 0]) == [-0.5, -0.5, 0.5, 0.5]


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_networks_confuse_and_tell_apart_the_same(dtype: str) -> None:
    tolerance = TOLERANCES[dtype]
    same = computed(WITHOUT, ONE, dtype) - computed(WITHOUT, OTHER, dtype)
    apart = computed(WITH, ONE, dtype) - computed(WITH, OTHER, dtype)
    assert np.abs(same).max() <= tolerance
    assert np.abs(apart).max() == pytest.approx(0.5, abs=tolerance)


def test_the_roles_make_the_difference() -> None:
    """Both programs attend alike; only what they do with the filler differs."""
    for path, binding in ((WITHOUT, "none"), (WITH, "hadamard")):
        assert program_of(path).binding == binding
    lines = [
        [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        for path in (WITHOUT, WITH)
    ]
    addressing = ("at:", "when:", "query:", "key:", "else:", "look:", "layer", "head")
    plain, bound = ([line for line in found if line.startswith(addressing)] for found in lines)
    assert [line.replace("over>", "under>") for line in bound] == plain


def test_the_full_outer_product_tells_them_apart_as_well() -> None:
    text = WITH.read_text(encoding="utf-8").replace("binding: hadamard", "binding: outer")
    program, _ = analyse(text, "<outer>", None)
    assert program is not None
    assert program.binding == "outer"
    shape = interface_of(program)
    for dtype, tolerance in TOLERANCES.items():
        model = compiled(program, dtype)
        for example in program.examples:
            (said,) = model.answers([example.input])
            assert agrees(said, example.output, shape, tolerance), f"{dtype}: {said.text}"


# ------------------------------------------------------------------ a program with a table


def test_the_fragment_of_a_grammar_works_with_its_table() -> None:
    path = Path(__file__).parent / "fragment" / "grammaticality_fragment.seme"
    text = path.read_text(encoding="utf-8")
    # The fragment reads pronouns, which no row of its table gives: it is refused until one does.
    refused, found = analyse(text, path.name, path.parent)
    assert refused is None
    assert [d.headline for d in found] == ["nothing ever writes `pron`"]
    mended = text.replace("  number=sg > sg\n", "  category=pron > pron\n  number=sg > sg\n")
    program, found = analyse(mended, path.name, path.parent)
    assert program is not None
    assert not found
    shape = interface_of(program)
    assert len(program.examples) == 2
    for example in program.examples:
        assert agrees(answer(program, example.input), example.output, shape, 0.0)
        for dtype in TOLERANCES:
            assert compiled(program, dtype).run(example.input) == example.output
