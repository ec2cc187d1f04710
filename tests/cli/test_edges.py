"""Files whose names are no text, as other systems wrote them: no command ends in a traceback."""

import os

import pytest

from tests.cli.forked import results_of

pytestmark = pytest.mark.xdist_group("edges")  # whose commands are run once

PROGRAM = "semes: a\nlexicon:\n  x: +a\nexamples:\n  x -> x: +a\n"
READS = 'semes: a\nlexicon from "t.tsv":\n  kind=n > a\n'
SCORES = "semes: a\nlexicon:\n  x: +a\nscore:\n  value: a\n"
B, C = (os.fsdecode(name) for name in (b"b\xff", b"gr\xfcn"))
COMMANDS = [  # and how they end
    ("run B.seme x", 0), ("run --json B.seme x", 0), ("run --engine network B.seme x", 0),
    ("run --engine reference B.seme x", 0), ("run --trace a B.seme x", 0),
    ("run --margins B.seme x", 0), ("run B/p.seme x", 0), ("run none-B.seme x", 1), ("run B x", 1),
    ("run wrong-B.seme x", 1), ("test B.seme", 0), ("test --engine network B.seme", 0),
    ("check B.seme", 0), ("check --json B.seme", 0), ("check B/p.seme", 0),
    ("check wrong-B.seme", 1), ("check --json wrong-B.seme", 1), ("fmt B.seme", 0),
    ("fmt --check B.seme", 0), ("compile B.seme -o out-B", 0), ("run out-B x", 0),
    ("decompile out-B", 0), ("decompile out-B -o made-B.seme", 0), ("diff out-B B.seme", 0),
    ("circuit B.seme", 0), ("circuit B.seme --svg", 0), ("eval B.seme --data B.tsv", 0),
    ("eval B.seme --data B.tsv --json", 0), ("eval B.seme --data B", 0),
    ("eval B.seme --data wrong-B.tsv --errors e-B.tsv --chart c-B.png", 1),
    ("pairs s-B.seme B.jsonl", 0), ("patch B.seme x --set encoder=a:0", 1), ("train B.toml", 1),
    ("train B.toml --dry-run", 1), ("adopt B.npz -o net-B", 1), ("solve x --checkpoint B", 1),
    ("answer B --text x --question y", 1), ("roles B --data B.tsv", 1), ("probe B --data B.tsv", 1),
    ("hadamard B -o o-B --data B.tsv", 1), ("export B.seme -o page-B.html", 0),
    ("notebook tour-B --only-copy", 0), ("data inspect B", 0),
    ("data cache B --out B.cache -s interpolate", 0), ("data inspect B.cache --check", 0),
    ("data sample B", 1), ("data make --out m-B -s interpolate -m numbers__gcd --count 2", 0),
]  # fmt: skip


@pytest.fixture(scope="module", params=[B, C])
def found(request, tmp_path_factory):
    folder, name = tmp_path_factory.mktemp("edges"), request.param
    files = {
        "B.seme": PROGRAM, "s-B.seme": SCORES, "B/p.seme": READS, "B/t.tsv": "word\tkind\nx\tn\n",
        "wrong-B.seme": PROGRAM.replace("+a\ne", "+b\ne"), "B.tsv": "x\tx: +a\n",
        "wrong-B.tsv": "x\ty\n$z$\tno\nwrong\n", "B.toml": "name = 1\n",
        "B/interpolate/B.txt": "x\nx: +a\n",
        "B.jsonl": '{"sentence_good": "x", "sentence_bad": "x"}\n',
        "B.npz": "no weights",
    }  # fmt: skip
    for path, text in files.items():
        (folder / path.replace("B", name)).parent.mkdir(parents=True, exist_ok=True)
        (folder / path.replace("B", name)).write_text(text)
    cases = [{"argv": command.replace("B", name).split()} for command, _ in COMMANDS]
    env = {"PROGTF_CACHE": str(folder / "kept")}
    given = (command for command, _ in COMMANDS)
    return dict(zip(given, results_of(cases, cwd=folder, env=env), strict=True))


@pytest.mark.parametrize(("command", "due"), COMMANDS)
def test_a_file_whose_name_is_no_text_is_a_file(command, due, found):
    status, out, err = found[command]
    assert "Traceback" not in out + err
    assert status in ((due, 2) if due else (0,)), (out, err)
