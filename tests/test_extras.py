"""Without the extras the language works, and what needs one says which."""

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import progtf
from progtf import extras
from progtf.extras import EXTRAS, installs
from progtf.notation import sought

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "examples" / "article" / "attention_with_positions.seme"
BARE = f"""
import sys
for name in {[module for modules in EXTRAS.values() for module in modules]}:
    sys.modules[name] = None
from progtf.cli.main import main
main()
"""


def bare(command, tmp_path):
    """A command where no extra is installed."""
    words = command.format(program=PROGRAM, root=ROOT).split()
    done = subprocess.run(
        [sys.executable, "-c", BARE, *words],
        cwd=tmp_path, input="", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_the_extras_are_those_of_the_package():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {*about["optional-dependencies"]} == {*EXTRAS, "all", "dev"}
    always = " ".join(about["dependencies"])
    assert not [name for names in EXTRAS.values() for name in names if f"{name}>" in always]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("--version", "torch is not installed"),
        ("check {program}", "exact"),
        ("fmt --check {program}", ""),
        ("run {program} dog", "dog: +noun +dog"),
        ("run --strict --json {program} dog", '"engine": "interpreter"'),
        ("run --trace noun --margins {program} dog", "noun"),
        ("run --engine reference {program} dog", "dog: +noun +dog"),
        ("test {program}", "4 of 4 right"),
        ("eval {program} --data {root}/examples/grammar/vocab.tsv --limit 2", "together"),
        ("patch {program} dog --set noun=0", "dog: +dog"),
        ("compile {program} -o compiled", "exact"),
        ("export {program} -o page.html", "page.html"),
        ("eval --help", "Usage"),
    ],
)
def test_the_language_needs_no_extra(command, says, tmp_path):
    done = bare(command, tmp_path)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout + done.stderr


@pytest.mark.parametrize(
    "folders",
    [
        "article attention binding",
        pytest.param("* algorithms language math", marks=pytest.mark.long),
    ],
)
def test_the_examples_of_every_written_program_are_right_without_an_extra(folders, tmp_path):
    every = {
        path for name in folders.split() for path in (ROOT / "examples").glob(f"{name}/*.seme")
    }
    read_words = {"language/blimp_published", "language/sentiment"}  # of data, or of an extra
    apart = {path for path in every if f"{path.parent.name}/{path.stem}" in read_words}
    files = sorted(path for path in every - apart if path.parent.name != "hybrid")
    done = bare("test " + " ".join(map(str, files)), tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(" examples on interpreter: ") == len(files) > 0


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("run --engine network {program} dog", "torch"),
        ("run --dtype float64 {program} dog", "torch"),
        ("run {root}/examples/hybrid/place_value.seme dog", "torch"),
        ("test --engine network {program}", "torch"),
        ("train {root}/runs/place_value.toml --dry-run", "train"),
        ("notebook tour --only-copy", "notebook"),
        ("lsp", "lsp"),
    ],
)
def test_what_needs_an_extra_says_which(command, extra, tmp_path):
    done = bare(command, tmp_path)
    assert done.returncode == 1
    assert installs(extra) in done.stderr


def test_a_program_is_told_what_its_word_list_comes_with(monkeypatch):
    found = sought.find_spec
    hidden = lambda name: None if name == "vaderSentiment" else found(name)  # noqa: E731
    monkeypatch.setattr(sought, "find_spec", hidden)
    text = 'semes: a\nlexicon from "vaderSentiment/words.tsv":\n  each > +a\n'
    with pytest.raises(progtf.SemeError, match=re.escape(installs("sentiment"))):
        progtf.parse_program(text)


def test_python_is_told_the_same():
    first, _, _ = BARE.partition("from progtf")
    code = f"{first}import progtf\nprogtf.compile(progtf.load({str(PROGRAM)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip().endswith(f"torch is not installed: {installs('torch')}")


@pytest.mark.parametrize(
    ("origin", "due"),
    [
        (None, "pip install 'progtf[lsp]'"),
        ({"url": "file:///a%20b/progtf", "dir_info": {}}, "pip install '/a b/progtf[lsp]'"),
        ({"url": "file:///a/progtf.whl", "archive_info": {}}, "pip install 'progtf[lsp]'"),
    ],
)
def test_an_extra_comes_from_where_the_package_came(origin, due, monkeypatch, tmp_path):
    """From a clone, from the folder that was installed, or by its name."""
    assert installs("lsp") == f"pip install -e '{ROOT}[lsp]'"
    about = tmp_path / "progtf-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: progtf\nVersion: 0.1.0\n")
    if origin:
        (about / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "progtf" / "extras.py"))
    monkeypatch.setattr(metadata, "distribution", lambda _: metadata.PathDistribution(about))
    assert installs("lsp") == due
