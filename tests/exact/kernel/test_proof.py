"""Proofs in files: written, followed by a stranger, refused where anything in them was changed."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import progtf
from progtf.building.load import parse_program
from progtf.cli.main import app
from progtf.exact import proving
from progtf.exact.kept import broken
from progtf.exact.kernel.folder import Damaged
from progtf.exact.kernel.numbers import NotProven
from progtf.exact.kernel.proof import _signed, check
from progtf.exact.proving import proof_of
from progtf.program.outcome import Held
from progtf.running.interpret import Interpreter
from tests.programs import MATH, ROOT, loaded

KERNEL = ROOT / "progtf" / "exact" / "kernel"
MOST_LINES, MOST_COLUMNS = 2000, 100
PROGRAM = ROOT / "examples" / "grammar" / "agreement.seme"
SMALL = sorted(
    path
    for folder in ("attention", "binding", "grammar")
    for path in (ROOT / "examples" / folder).glob("*.seme")
)
RECURRENT = ROOT / "examples" / "article" / "sentiment.seme"
"""There is no lemma for cells yet."""


def made(program, folder, dtype="float32"):
    """A proof in a file, and the network that it is of."""
    (folder / "proof.json").write_text(proof_of(program, dtype).text, encoding="utf-8")
    progtf.save_model(progtf.compile(program, dtype), folder / "network")
    return folder / "proof.json", folder / "network"


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_small_program_is_proven_and_its_proof_is_followed(tmp_path, path, dtype):
    found = check(*made(loaded(path), tmp_path, dtype))
    assert dtype in found.says
    assert f"{len(found.under)} conditions" in found.says


@pytest.mark.long
@pytest.mark.parametrize("name", ["place_value", "sort"])
def test_a_math_program_is_proven(tmp_path, name):
    assert check(*made(loaded(MATH / f"{name}.seme"), tmp_path)).under


def test_a_stranger_needs_nothing_but_python(tmp_path):
    proof, network = made(loaded(PROGRAM), tmp_path)
    asked = [sys.executable, "-S", "-m", "progtf.exact.kernel", proof, network, "--conditions"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    says, *under = done.stdout.splitlines()
    assert f"that keeps to {len(under)} conditions" in says


ALIKE = """
semes:
  noun verb
  number: 0..2
  seen: 0..2
  two
lexicon:
  dog cat: +noun +number
  dogs: +noun +2number
  sleeps: +verb
layer:
  head subject:
    MORE
    value: number>seen
layer:
  feedforward:
    two: seen >= 2
output:
  yes: two
  no: 0.5
"""
SEVERAL = "examples:\n  dog cat sleeps -> no no no\n"


def test_tokens_that_say_the_same_may_be_several():
    program = parse_program(ALIKE.replace("MORE", "where: noun") + SEVERAL)
    made = proof_of(program, "float32")
    (head,) = (head for layer in program.encoder for head in layer.heads)
    said = {"one": (Held.of_head("one", head),), "alike": (Held.of_head("alike", head),)}
    meant = Interpreter(program)

    def breaks(text, held):
        return {*broken(meant, meant.read([text])[0], held)}

    for text, due in {
        "dog sleeps": set(),
        "dog cat": {"one"},
        "dog dogs": {"one", "alike"},
    }.items():
        assert breaks(text, said) == due
        assert bool(breaks(text, made.held)) == ("alike" in due)


def test_a_token_that_has_nothing_to_give_may_be_shared():
    program = parse_program(ALIKE.replace("MORE", "normalize: queries"))
    (head,) = (head for layer in program.encoder for head in layer.heads)
    meant, said = Interpreter(program), {"one": (Held.of_head("one", head),)}
    assert not broken(meant, meant.read(["sleeps sleeps"])[0], said)
    assert broken(meant, meant.read(["dog sleeps"])[0], said)


def test_its_help_and_what_it_does_not_take(tmp_path):
    asked = [sys.executable, "-m", "progtf.exact.kernel"]
    done = subprocess.run([*asked, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "usage" in done.stdout
    done = subprocess.run([*asked, "x"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    done = subprocess.run(
        [*asked, tmp_path / "no.json", tmp_path], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "no.json" in done.stderr
    assert "Traceback" not in done.stderr


def numbers_of(value, path=()):
    """Where in a proof numbers stand."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from numbers_of(each, (*path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from numbers_of(each, (*path, place))
    elif isinstance(value, (int, float)) or (isinstance(value, str) and value[-1:].isdigit()):
        yield path


def changed(text, path):
    """A proof in which one number is another."""
    about = json.loads(text)
    *way, last = path
    here = about
    for key in way:
        here = here[key]
    each = here[last]
    here[last] = (
        not each if isinstance(each, bool)
        else each + 1 if isinstance(each, (int, float))
        else each[:-1] + str((int(each[-1]) + 1) % 10)
    )  # fmt: skip
    return about


def test_a_proof_in_which_any_number_was_changed_is_refused(tmp_path):
    proof, network = made(loaded(PROGRAM), tmp_path)
    text = proof.read_text(encoding="utf-8")
    places = [*numbers_of(json.loads(text))]
    assert len(places) > 100
    for path in places:
        proof.write_text(json.dumps(changed(text, path), sort_keys=True), encoding="utf-8")
        with pytest.raises(Damaged):
            check(proof, network)


def test_facts_that_no_lemma_gives_are_refused_though_somebody_signed_them(tmp_path):
    proof, network = made(loaded(PROGRAM), tmp_path)
    text = proof.read_text(encoding="utf-8")
    places = [p for p in numbers_of(json.loads(text)) if p[0] in ("facts", "gap", "error", "under")]
    assert places
    for path in places[:60]:
        about = changed(text, path)
        del about["sha256"]
        proof.write_text(_signed(about), encoding="utf-8")
        with pytest.raises((Damaged, NotProven)):
            check(proof, network)


def test_a_network_of_which_one_bit_is_another_is_refused(tmp_path):
    proof, network = made(loaded(PROGRAM), tmp_path)
    file = network / "weights.safetensors"
    data = bytearray(file.read_bytes())
    for place in range(len(data) - 64, len(data)):
        data[place] ^= 1
        file.write_bytes(data)
        with pytest.raises(Damaged):
            check(proof, network)
        data[place] ^= 1


def test_check_writes_a_proof_and_says_what_it_proves(tmp_path):
    out = tmp_path / "proof.json"
    done = CliRunner().invoke(app, ["check", str(PROGRAM), "--proof", str(out)])
    assert done.exit_code == 0
    assert "gives the answer of exact arithmetic" in done.stdout
    assert json.loads(out.read_text(encoding="utf-8"))["says"] in done.stdout.replace("\n", " ")


def test_where_there_is_no_lemma_check_says_so_and_writes_nothing(tmp_path):
    out = tmp_path / "proof.json"
    done = CliRunner().invoke(app, ["check", str(RECURRENT), "--proof", str(out)])
    assert done.exit_code == 3
    assert "no proof: " in done.stderr
    assert not out.exists()


def test_the_kernel_is_small_and_needs_the_standard_library_alone():
    texts = [file.read_text(encoding="utf-8") for file in KERNEL.glob("*.py")]
    lines = [line for text in texts for line in text.split("\n") if line]
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_COLUMNS
    for file in KERNEL.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                known = name.split(".")[0] in sys.stdlib_module_names
                assert known or name.startswith("progtf.exact.kernel"), (file, name)
    assert Path(KERNEL / "__main__.py").exists()


TWO_LINES = """\
semes:
  n: 0..9
  p q
lexicon:
  for k in 0..9:
    "{k}": +{k}n
  <bos>: 0
layer one:
  head mean:
    value: n>m
layer two:
  feedforward:
    p: m >= 3
    q: m >= 7
output:
  both: p + q
  one: 0.75p
  none: 0.25
examples:
  7 8 6 7 -> both both both both
"""


def test_every_line_that_reads_a_mean_is_held_against_a_text(monkeypatch):
    monkeypatch.setattr(proving, "MOST_TRIES", 0)  # with all that it claims
    program = parse_program(TWO_LINES.replace("  p q", "  m: 0..9\n  p q"))
    held = proof_of(program, "float32").held
    lines = {each.place for some in held.values() for each in some if each.kind == "flat"}
    assert {place.rpartition(":")[2] for place in lines} == {"14", "15"}
    meant = Interpreter(program)
    assert broken(meant, meant.read(["5 5 0"])[0], held)  # a mean of 2.5
    assert not broken(meant, meant.read(["7 8 6 7"])[0], held)
