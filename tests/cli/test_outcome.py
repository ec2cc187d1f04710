"""What commands say of answers that are not proven to be exact, and how they end."""

import json
import sys
import time

import pytest

from progtf.cli import outcome
from tests.exact import wrong
from tests.test_outcomes import HYBRID, LARGE, SMALL

REFUSED = wrong.SHARPNESS_TOO_LOW
ERROR = "semes: a\nlexicon:\n  x: +b\n"


@pytest.fixture
def files(tmp_path):
    """Programs by what is said of them."""
    texts = {
        "exact": SMALL, "large": LARGE, "refused": REFUSED, "learned": HYBRID, "error": ERROR,
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"{name}.seme").write_text(text)
    return {name: tmp_path / f"{name}.seme" for name in texts}


def said(out):
    return json.loads(out.splitlines()[0])["outcome"]


@pytest.mark.parametrize(
    ("name", "verdict", "dtype"),
    [
        ("exact", "exact", "float32"),
        ("large", "exact", "float64"),
        ("refused", "not exact", "float64"),
        ("learned", "learned", "float32"),
    ],
)
def test_run_says_of_every_answer_what_is_proven_of_it(progtf, files, name, verdict, dtype):
    asked = "red" if name == "refused" else "x"
    status, out, err = progtf("run", files[name], "--json", "--engine", "network", asked)
    assert status == 0
    assert (said(out)["verdict"], said(out)["dtype"]) == (verdict, dtype)
    assert len(err.splitlines()) == (verdict != "exact")
    assert (f"computed in {dtype}" in err) == (verdict != "exact")


@pytest.mark.parametrize(
    ("name", "engine", "verdict"),
    [
        ("exact", "interpreter", "by meaning"),
        ("large", "interpreter", "by meaning"),
        ("refused", "network", "not exact"),
        ("learned", "network", "learned"),
    ],
)
def test_json_says_who_answered(progtf, files, name, engine, verdict):
    """What attends softly and what is learned is the network's."""
    asked = "red" if name == "refused" else "x"
    status, out, err = progtf("run", files[name], "--json", asked)
    assert status == 0
    assert json.loads(out)["engine"] == engine
    assert (said(out)["verdict"], bool(err)) == (verdict, engine == "network")


def test_a_format_that_is_named_is_respected_and_told_alike(progtf, files):
    status, out, err = progtf("run", files["large"], "--json", "--dtype", "float32", "y")
    assert (status, said(out)["verdict"]) == (0, "not exact")
    assert "NOT exact" in err
    assert "computed in float32" in err


@pytest.mark.parametrize(
    ("name", "more", "status"),
    [
        ("exact", (), 0),
        ("large", (), 0),
        ("large", ("--dtype", "float32"), 1),
        ("refused", (), 1),
        ("refused", ("--margins",), 1),
        ("refused", ("--engine", "interpreter"), 0),
        ("refused", ("--engine", "network"), 1),
        ("exact", ("--engine", "network"), 0),
        ("learned", (), 3),
    ],
)
def test_strict_answers_what_is_exact_and_nothing_else(progtf, files, name, more, status):
    found, out, err = progtf("run", files[name], "--strict", *more, "red dog")
    assert (found, bool(out)) == (status, not status)
    assert ("--strict asks for exact answers" in err) == bool(status)


def test_a_folder_keeps_the_format_and_the_outcome_of_its_program(progtf, files, tmp_path):
    for name, verdict in (("exact", "exact"), ("large", "exact"), ("refused", "not exact")):
        folder = tmp_path / name
        said_of_folder = progtf("compile", files[name], "-o", folder)[1].splitlines()[1]
        assert ("NOT exact" in said_of_folder) == (verdict == "not exact")
        _, out, _ = progtf("run", folder, "--json", "red dog")
        assert (said(out)["verdict"], said(out)["dtype"]) == (
            verdict,
            "float32" if name == "exact" else "float64",
        )
    assert progtf("diff", tmp_path / "large", files["large"])[0] == 0
    _, out, _ = progtf("run", tmp_path / "large", "--json", "--dtype", "float32", "x")
    assert said(out)["verdict"] == "not checked"


# ------------------------------------------------------------------------ check


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["exact"], 0),
        (["learned"], 0),
        (["large"], 0),
        (["large", "--dtype", "float32"], 1),
        (["refused"], 1),
        (["error"], 1),
        (["exact", "refused", "exact"], 1),
    ],
)
def test_check_ends_with_the_worst_outcome(progtf, files, names, status):
    assert progtf("check", *(files.get(name, name) for name in names))[0] == status


def test_check_says_what_it_is_in_the_other_arithmetic(progtf, files):
    _, out, _ = progtf("check", files["large"])
    assert "exact" in out.splitlines()[-2]
    assert "weights in float64" in out.splitlines()[-2]
    assert out.splitlines()[-1].startswith("in float32: NOT exact")


def test_check_ends_with_3_where_nothing_is_proven(progtf, files, monkeypatch):
    from progtf import outcomes  # noqa: PLC0415  where the command looks it up
    from tests.test_outcomes import unproven  # noqa: PLC0415

    monkeypatch.setattr(outcomes, "check", lambda _, dtype, *__, **___: unproven(dtype))
    assert progtf("check", files["exact"], "--dtype", "float16")[0] == 3
    assert progtf("check", files["exact"], files["error"], "--dtype", "float16")[0] == 1


def test_check_in_json(progtf, files):
    _, out, err = progtf("check", "--json", *files.values())
    found = {one["file"].rpartition("/")[2]: one for one in map(json.loads, out.splitlines())}
    assert err == ""
    assert {name: one["verdict"] for name, one in found.items()} == {
        "exact.seme": "exact",
        "large.seme": "exact",
        "refused.seme": "not exact",
        "learned.seme": "learned",
        "error.seme": "refused",
    }
    assert found["exact.seme"] == {
        "file": str(files["exact"]), "verdict": "exact", "dtype": "float32", "assumptions": [],
        "length": 64, "problems": [], "lighter": [], "answers": "interpreter", "broken": [],
        "tried": 0,
    } | {"length": found["exact.seme"]["length"]}  # fmt: skip
    (problem,) = found["error.seme"]["problems"]
    assert (problem["code"], problem["line"], problem["column"]) == ("unknown-seme", 3, 7)
    assert {name: one.get("answers") for name, one in found.items()} == {
        "exact.seme": "interpreter",
        "large.seme": "interpreter",
        "refused.seme": "network",
        "learned.seme": "network",
        "error.seme": None,
    }


def test_check_says_in_a_line_who_answers(progtf, files):
    words = {
        "exact": "answered by the interpreter, exactly; what follows is of the network",
        "refused": "answered by the network: head `colour` in line 9 of refused.seme attends "
        "softly: `sharpness: 4`, where 128 would leave nothing to the rest",
        "learned": "answered by the network: something in it is left to training",
    }
    for name, line in words.items():
        assert line in progtf("check", files[name])[1].splitlines()
        assert "answered by" not in progtf("check", "--quiet", files[name])[1]


# ------------------------------------------------------------------------ the cache


def test_a_second_run_checks_nothing(progtf, files, monkeypatch, tmp_path):
    monkeypatch.setenv("PROGTF_CACHE", str(tmp_path / "kept"))
    asked = "run", files["exact"], "x", "--engine", "network"
    progtf(*asked)
    assert len(list((tmp_path / "kept").glob("*.kept"))) == 4
    monkeypatch.setattr("progtf.outcomes.check", None)
    assert progtf(*asked)[0] == 0
    with pytest.raises(TypeError, match="not callable"):
        progtf(*asked, "--no-cache")


def test_what_the_interpreter_answers_is_read_once_and_checked_never(
    progtf, files, monkeypatch, tmp_path
):
    monkeypatch.setenv("PROGTF_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr("progtf.outcomes.check", None)
    first = progtf("run", files["exact"], "x")
    assert first[0] == 0
    assert len(list((tmp_path / "kept").glob("*.kept"))) == 3
    monkeypatch.setattr("progtf.building.load.analyse", None)
    assert progtf("run", files["exact"], "x") == first
    with pytest.raises(TypeError, match="not callable"):
        progtf("run", "--no-cache", files["exact"], "x")


def test_checking_a_program_is_remembered_for_running_it(progtf, files, monkeypatch, tmp_path):
    monkeypatch.setenv("PROGTF_CACHE", str(tmp_path / "kept"))
    progtf("check", files["exact"])
    monkeypatch.setattr("progtf.outcomes.check", None)
    assert progtf("run", files["exact"], "x", "--engine", "network")[0] == 0


def _refused(*_, **__):
    raise PermissionError("read-only")


def test_the_cache_can_be_cleared(progtf, files, monkeypatch, tmp_path):
    monkeypatch.setenv("PROGTF_CACHE", str(tmp_path / "kept"))
    progtf("run", files["exact"], "x", "--engine", "network")
    there = len([*(tmp_path / "kept").glob("*.kept")])
    assert there >= 4
    with monkeypatch.context() as held:
        held.setattr("pathlib.Path.unlink", _refused)
        status, said, wrong = progtf("cache", "clear")
    assert (status, "0 files removed" in said) == (1, True)
    assert f"{there} files could not be removed" in wrong
    assert f"{tmp_path / 'kept'}: {there} files removed" in progtf("cache", "clear")[1]
    assert "0 files removed" in progtf("cache", "clear")[1]
    monkeypatch.setenv("PROGTF_CACHE", "")
    assert progtf("cache", "clear")[:2] == (0, "nothing is kept: 0 files removed, 0 bytes\n")


def test_who_waits_at_a_terminal_is_told_why(files, monkeypatch, capsys):
    monkeypatch.setattr(outcome, "PATIENCE", 0.0)
    for terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        with outcome.saying_so(f"checking {files['exact']}"):
            time.sleep(0.2)
        assert ("checking" in capsys.readouterr().err) == terminal


def test_who_does_not_wait_is_told_nothing(files, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with outcome.saying_so(f"checking {files['exact']}"):
        pass
    assert capsys.readouterr().err == ""


DENSE = """
model:
  kind: dense
semes: pig hen
dense:
  weights: 0.5pig>pig, hen>hen
"""


@pytest.mark.parametrize("more", [(), ("--workers", "2")])
@pytest.mark.parametrize("digits", ["1", "2", "3", "7", "15"])
def test_how_numbers_are_printed_changes_nothing_that_is_proven(
    progtf, files, tmp_path, digits, more
):
    (tmp_path / "dense.seme").write_text(DENSE)
    asked = ("--json", "--strict", "--digits", digits, *more)
    status, out, _ = progtf("run", tmp_path / "dense.seme", "+pig", *asked)
    assert (status, said(out)["verdict"]) == (0, "by meaning")


def test_a_line_says_what_its_input_has_beyond_what_is_declared(progtf, tmp_path):
    (tmp_path / "dense.seme").write_text(DENSE)
    asked = ("run", tmp_path / "dense.seme", "+pig", "+3pig", "+hen")
    status, out, err = progtf(*asked, "--engine", "network")
    assert (status, out.splitlines()) == (0, ["+0.5pig", "+1.5pig", "+hen"])
    assert err.startswith("text 2: not proven")
    assert "`pig 0..1` is declared, and it is 3" in err
    status, out, err = progtf(*asked, "--strict")  # it is computed exactly
    assert (status, out.splitlines(), err) == (0, ["+0.5pig", "+1.5pig", "+hen"], "")


def test_tokens_of_vectors_are_not_traced(progtf, tmp_path):
    (tmp_path / "dense.seme").write_text(DENSE)
    status, out, err = progtf("run", tmp_path / "dense.seme", "+pig", "--trace", "pig")
    assert (status, out) == (1, "")
    assert "takes vectors" in err


@pytest.mark.parametrize("text", ["a\udcff", "\udc80", "x \udcc3\udc28"])
def test_an_argument_that_is_not_utf_8_is_refused(progtf, files, text):
    status, out, err = progtf("run", files["exact"], text)
    assert (status, out) == (1, "\n")
    assert "not written in UTF-8" in err


def test_the_cache_says_what_it_keeps_and_why_programs_were_read(progtf, tmp_path, monkeypatch):
    monkeypatch.setenv("PROGTF_CACHE", str(tmp_path / "kept"))
    status, out, err = progtf("cache")
    assert (status, err) == (0, "")
    assert f"{tmp_path / 'kept'}: 0 files, 0 bytes of" in out
    program = tmp_path / "a.seme"
    program.write_text("semes: a\nlexicon:\n  x: +a\n")
    assert progtf("run", program, "x")[:2] == (0, "x: +a\n")
    program.write_text("semes: a\nlexicon:\n  x: +a\n  y: 0\n")
    assert progtf("run", program, "x")[:2] == (0, "x: +a\n")
    status, out, _ = progtf("cache")
    assert status == 0
    assert f"{program}: its text has changed" in out
    assert progtf("cache", "clear")[0] == 0
    assert str(program) not in progtf("cache")[1]
