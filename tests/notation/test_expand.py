"""Families, loops, guards, indices, circuits, namespaces and tables, expanded."""

from pathlib import Path

import pytest

from progtf.building.load import analyse
from progtf.notation import flat as f
from progtf.notation.diagnostics import Source
from progtf.notation.expand import expand, expand_text
from progtf.notation.files import gather
from progtf.notation.parser import parse_all
from progtf.notation.render import render


def expanded(text: str, folder: Path | None = None) -> f.Flat:
    file, unreadable = parse_all(Source("t.seme", text))
    files, unusable = gather(file, folder)
    flat, wrong = expand(file, files)
    assert (*unreadable, *unusable, *wrong) == ()
    return flat


def codes(text: str, folder: Path | None = None) -> list[str]:
    file, unreadable = parse_all(Source("t.seme", text))
    files, unusable = gather(file, folder)
    return [d.code for d in (*unreadable, *unusable, *expand(file, files)[1])]


def semes(flat: f.Flat) -> list[str]:
    return [item.name for item in flat.statements if isinstance(item, f.Seme)]


def shown(entries: f.Entries) -> list[str]:
    return [">".join(f"{t.coefficient:g}{t.name or ''}" for t in e.terms) for e in entries]


def entries(text: str, setting: str = "") -> list[str]:
    flat = expanded(f"{setting}\nv: {text}\n")
    (value,) = [item for item in flat.statements if isinstance(item, f.NamedValue)]
    return shown(value.value)


@pytest.mark.parametrize(
    ("declared", "names"),
    [
        ("place[-1..1]", ["place[-1]", "place[0]", "place[1]"]),
        ('is["a".."c"]', ['is["a"]', 'is["b"]', 'is["c"]']),
        ("grid[0..1,2..3]", ["grid[0,2]", "grid[0,3]", "grid[1,2]", "grid[1,3]"]),
        ("a b.c", ["a", "b.c"]),
        ("p[K] q[{1}..2]".replace("{1}", "1"), ["p[5]", "q[1]", "q[2]"]),
    ],
)
def test_families_are_declared_member_by_member(declared, names):
    assert semes(expanded(f"let K = 5\nsemes: {declared}\n")) == names


def test_semes_are_declared_in_loops():
    text = "semes:\n  for k in 0..2 if k != 1:\n    sum[k]: 0..{k}\n".replace("{k}", "k+1")
    ranges = [(i.name, i.low, i.high) for i in expanded(text).statements]
    assert ranges == [("sum[0]", 0, 1), ("sum[2]", 0, 3)]


def test_a_declaration_has_a_range_a_step_or_is_a_flag_or_a_distance():
    items = expanded("semes: a\nsemes:\n  x: -9..9\n  h: 0..1 step 1/4\n  d: distance\n").statements
    assert [(i.name, i.low, i.high, i.step) for i in items[:3]] == [
        ("a", 0, 1, 1),
        ("x", -9, 9, 1),
        ("h", 0, 1, 0.25),
    ]
    assert isinstance(items[3], f.Distance)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("p>p", ["1p[0]>1p[0]", "1p[1]>1p[1]", "1p[2]>1p[2]"]),
        ("p>a", ["1p[0]>1a", "1p[1]>1a", "1p[2]>1a"]),
        ("a>p[1..2]", ["1a>1p[1]", "1a>1p[2]"]),
        ("p[0..1]>p[1..2]", ["1p[0]>1p[1]", "1p[1]>1p[2]"]),
        ("+2p", ["2p[0]", "2p[1]", "2p[2]"]),
        ("for k in 0..1: {10 - k}p[k] > p[k+1]", ["10p[0]>1p[1]", "9p[1]>1p[2]"]),
        (
            "for i in 0..1 for j in 0..2 if i < j if j != 1: p[i]>p[j]",
            ["1p[0]>1p[2]", "1p[1]>1p[2]"],
        ),
        ('for c at k in "xy": is[c]>p[k]', ['1is["x"]>1p[0]', '1is["y"]>1p[1]']),
        ('for c in "xyz" if c != "y": +is[c]', ['1is["x"]', '1is["z"]']),
        ("for n in [a, b]: n>p[0]", ["1a>1p[0]", "1b>1p[0]"]),
        ("for k in p: +{k}a", ["0a", "1a", "2a"]),
        (
            "a>b, for k in 0..1: p[k]>a, p[k]>b, for k in 1..2: b>p[k]",
            ["1a>1b", "1p[0]>1a", "1p[0]>1b", "1p[1]>1a", "1p[1]>1b", "1b>1p[1]", "1b>1p[2]"],
        ),
        ("+{cos(2*pi*1/4) + 1}a", ["1a"]),
    ],
)
def test_entries_with_families_and_loops(text, result):
    assert entries(text, 'semes: p[0..2] is["x".."z"] a b') == result


def test_a_string_loop_fills_quoted_tokens():
    text = 'semes: v: 0..9\nlexicon:\n  for d at n in "01":\n    "{d}!{x}": +{n}v\n'
    (lexicon,) = [b for b in expanded(text).statements if isinstance(b, f.Block)]
    assert [(e.token, shown(e.value)) for e in lexicon.children] == [
        ("0!{x}", ["0v"]),
        ("1!{x}", ["1v"]),
    ]


@pytest.mark.parametrize(
    ("condition", "members"),
    [
        ("all p[0..1]", f.AllOf),
        ("any p[0..1]", f.AnyOf),
        ("none p[0..1]", f.Not),
        ("all p[1..0]", f.AllOf),
    ],
)
def test_quantifiers_are_spelled_out(condition, members):
    flat = expanded(f"semes: p[0..2] a\nS := {condition}\n")
    (alias,) = [item for item in flat.statements if isinstance(item, f.Alias)]
    assert isinstance(alias.value, members)


MARK = """
circuit mark(source, target, k):
  head look[k]:
    at: -{k}
    value: source > target, place[k] > target
  feedforward:
    target: source.x & !place[k]
"""


def test_a_circuit_puts_names_and_numbers_in():
    text = f"semes: a.x b place[0..3]\n{MARK}\nlayer:\n  use mark(a, b, 2)\n"
    (layer,) = [b for b in expanded(text).statements if isinstance(b, f.Block)]
    head, block = layer.children
    assert head.name == "look[2]"
    assert [c.value for c in head.children if c.key == "at"] == [-2]
    assert shown(head.children[1].value) == ["1a>1b", "1place[2]>1b"]
    rule = block.children[0]
    assert shown(rule.targets) == ["1b"]
    assert [part.form[0].name for part in (rule.value.parts[0], rule.value.parts[1].part)] == [
        "a.x",
        "place[2]",
    ]


def test_a_family_can_be_handed_to_a_circuit():
    text = "semes: p[0..2] q[0..2]\ncircuit copy(f, g):\n  head:\n    value: f[1..2] > g[1..2]\n"
    text += "layer:\n  use copy(p, q)\n"
    (layer,) = [b for b in expanded(text).statements if isinstance(b, f.Block)]
    assert shown(layer.children[0].children[0].value) == ["1p[1]>1q[1]", "1p[2]>1q[2]"]


def test_semes_with_names_of_keywords_can_be_copied():
    text = (
        "semes: and after never\nlayer:\n  head:\n    at: -1\n    copy: and after never as prev\n"
    )
    (layer,) = [b for b in expanded(text).statements if isinstance(b, f.Block)]
    (value,) = [field.value for field in layer.children[0].children if field.key == "value"]
    assert shown(value) == ["1and>1prev.and", "1after>1prev.after", "1never>1prev.never"]


LIBRARY = """
let K = 1
semes: digit place[0..K]
S := digit + place[0]
circuit read(target):
  head:
    value: digit > target, S > target, place > place, outside > target
"""


def test_names_of_a_used_file_get_its_prefix(tmp_path):
    (tmp_path / "lib.seme").write_text(LIBRARY)
    text = 'use "lib.seme" as num\nsemes: mine outside\nlayer:\n  use num.read(mine)\n'
    flat = expanded(text, tmp_path)
    assert semes(flat) == ["num.digit", "num.place[0]", "num.place[1]", "mine", "outside"]
    assert [i.name for i in flat.statements if isinstance(i, f.Alias)] == ["num.S"]
    (layer,) = [b for b in flat.statements if isinstance(b, f.Block)]
    assert shown(layer.children[0].children[0].value) == [
        "1num.digit>1mine",
        "1num.S>1mine",
        "1num.place[0]>1num.place[0]",
        "1num.place[1]>1num.place[1]",
        "1outside>1mine",
    ]


def test_a_file_can_be_used_twice_under_two_names(tmp_path):
    (tmp_path / "lib.seme").write_text("semes: a\n")
    text = 'use "lib.seme" as x\nuse "lib.seme" as y\nuse "lib.seme"\n'
    assert semes(expanded(text, tmp_path)) == ["x.a", "y.a", "a"]


def test_prefixes_of_nested_files_add_up(tmp_path):
    (tmp_path / "inner.seme").write_text("semes: a\n")
    (tmp_path / "outer.seme").write_text('use "inner.seme" as in_\nsemes: b\n')
    assert semes(expanded('use "outer.seme" as out\n', tmp_path)) == ["out.in_.a", "out.b"]


def written(name: str, text: str, folder: Path) -> None:
    (folder / f"{name}.seme").write_text(text)


def rules(flat: f.Flat) -> list[tuple[str, str]]:
    """Of each rule its target and the one name that it reads."""
    found = (part for part in f.walk(flat.statements) if isinstance(part, f.Rule))
    return [(rule.targets[0].terms[0].name, rule.value.form[0].name) for rule in found]


def test_a_file_and_the_folder_of_its_name_stand_under_one_prefix(tmp_path, monkeypatch):
    parts = tmp_path / "front"
    parts.mkdir()
    written("deep", "semes: low\n", tmp_path)
    written("one", "semes: a\n", parts)
    body = "layer:\n  feedforward:\n    b: a\n    b: low\n"
    written("two", f'use "one.seme"\nuse "deep.seme"\nsemes: b\n{body}', parts)
    written("deep", "semes: low\n", parts)
    written("front", 'use "front/two.seme"\nuse "deep.seme"\nsemes: c\n', tmp_path)
    written("user", 'use "front.seme"\nlayer:\n  feedforward:\n    c: b\n', tmp_path)
    text = 'use "front.seme" as x when asks\nuse "user.seme" as x\nsemes: asks\n'
    for place in (tmp_path, parts):  # messages name files from where one stands
        monkeypatch.chdir(place)
        flat = expanded(text, tmp_path)
        assert semes(flat) == ["x.a", "x.low", "x.b", "low", "x.c", "asks"]
        assert rules(flat) == [("x.b", "x.a"), ("x.b", "x.low"), ("x.c", "x.b")]


def test_a_part_of_a_file_is_held_back_with_it(tmp_path):
    (tmp_path / "front").mkdir()
    body = "semes: a\nlayer:\n  feedforward:\n    out: a\n    a: out\n"
    written("one", body, tmp_path / "front")
    written("front", 'use "front/one.seme"\n', tmp_path)
    flat = expanded('use "front.seme" as x when asks\nsemes: asks out\n', tmp_path)
    found = [part for part in f.walk(flat.statements) if isinstance(part, f.Rule)]
    assert [(rule.targets[0].terms[0].name, bool(rule.held)) for rule in found] == [
        ("out", True),
        ("x.a", False),
    ]


def test_a_circuit_reads_names_of_who_uses_it_under_the_prefix_of_both(tmp_path):
    written("lib", "semes: a\ncircuit c():\n  feedforward:\n    a: mine\n", tmp_path)
    written("user", 'use "lib.seme"\nsemes: mine\nlayer:\n  use c()\n', tmp_path)
    text = 'use "user.seme" as x\nuse "lib.seme" as x\nsemes: mine\n'
    assert rules(expanded(text, tmp_path)) == [("x.a", "x.mine")]


def test_a_circuit_reads_what_its_own_file_uses_before_names_of_who_uses_it(tmp_path):
    written("deep", "semes: mine\n", tmp_path)
    written(
        "lib", 'use "deep.seme"\nsemes: a\ncircuit c():\n  feedforward:\n    a: mine\n', tmp_path
    )
    written("user", 'use "lib.seme"\nsemes: mine.too\nlayer:\n  use c()\n', tmp_path)
    text = 'use "user.seme" as x\nuse "lib.seme" as x\n'
    assert rules(expanded(text, tmp_path)) == [("x.a", "mine")]


def test_files_under_a_part_of_a_prefix_are_shared_by_those_under_all_of_it(tmp_path):
    written("deep", "semes: mine\n", tmp_path)
    body = "layer:\n  feedforward:\n    out: mine\n"
    written("user", f'use "deep.seme"\nsemes: out\n{body}', tmp_path)
    text = 'use "user.seme" as x.a\nuse "user.seme" as x.b\nuse "user.seme" as y\n'
    flat = expanded(f'{text}use "deep.seme" as x\n', tmp_path)
    assert sorted(semes(flat)) == ["mine", "x.a.out", "x.b.out", "x.mine", "y.out"]
    assert rules(flat) == [("x.a.out", "x.mine"), ("x.b.out", "x.mine"), ("y.out", "mine")]


def test_a_name_that_begins_like_one_of_another_file_is_told_from_it(tmp_path):
    written("deep", "semes: next.digit\n", tmp_path)
    body = "layer:\n  feedforward:\n    next.mine: next.digit\n"
    written("user", f'use "deep.seme"\nsemes: next.mine\n{body}', tmp_path)
    assert rules(expanded('use "user.seme" as x\n', tmp_path)) == [("x.next.mine", "next.digit")]


def test_names_that_begin_with_a_name_of_a_list_get_the_prefix(tmp_path):
    body = (
        "layer:\n  feedforward:\n    for s in sides:\n      s.out: s.sum\n      of[sides]: s.sum\n"
    )
    semes = "semes:\n  of[sides]\n  for s in sides:\n    s.out s.sum\n"
    written("user", f"let sides = [left]\n{semes}{body}", tmp_path)
    flat = expanded('use "user.seme" as x\n', tmp_path)
    assert rules(flat) == [("x.left.out", "x.left.sum"), ('x.of["left"]', "x.left.sum")]


def test_what_is_copied_in_a_used_file_gets_its_prefix(tmp_path):
    written("deep", "semes: theirs\n", tmp_path)
    body = "layer:\n  head:\n    at: -1\n    copy: mine theirs as prev\n"
    body += "  feedforward:\n    mine[0]: prev.mine[1]\n    mine[0]: prev.theirs\n"
    written("user", f'use "deep.seme"\nsemes: mine[0..1]\n{body}', tmp_path)
    flat = expanded('use "user.seme" as x\nuse "user.seme" as y\n', tmp_path)
    copies = {"prev.mine[0]", "prev.mine[1]", "prev.theirs"}
    assert {n for n in semes(flat) if "prev" in n} == {f"{p}.{c}" for p in "xy" for c in copies}
    assert rules(flat)[:2] == [("x.mine[0]", "x.prev.mine[1]"), ("x.mine[0]", "x.prev.theirs")]


TABLE = (
    "word\tcategory\tnumber\ndog\tnoun\tsg\nruns\tnoun/verb\tpl\nruns\tverb\tsg\n\nand\tconj\t\n"
)


def lexicon_from(rows: str, table: str, folder: Path) -> dict[str | None, list[str]]:
    (folder / "words.tsv").write_text(table)
    text = f'semes: noun verb sg pl long\nlexicon from "words.tsv":\n{rows}'
    (block,) = [b for b in expanded(text, folder).statements if isinstance(b, f.Block)]
    return {entry.token: shown(entry.value) for entry in block.children}


def test_a_cell_may_be_asked_not_to_be_something(tmp_path):
    unlike, same = "  category != noun > verb\n", "  !category=noun > verb\n"
    found = lexicon_from(unlike, TABLE, tmp_path)
    assert found == lexicon_from(same, TABLE, tmp_path)
    assert found["runs"] == ["1verb"]
    assert found["dog"] == []
    assert lexicon_from("  !category != verb > verb\n", TABLE, tmp_path)["dog"] == []


def test_two_columns_are_not_called_alike(tmp_path):
    (tmp_path / "words.tsv").write_text("word\tnumber\tnumber\na\tsg\tpl\n")
    text = 'semes: sg\nlexicon from "words.tsv":\n  number=sg > sg\n'
    _, (wrong, *_) = analyse(text, "twice", tmp_path)
    assert (wrong.code, wrong.span.row) == ("table", 1)


def test_columns_of_a_table_give_semes(tmp_path):
    rows = (
        "  category has noun > noun\n  category=verb > verb\n"
        "  for n in [sg, pl]:\n    number=sg > n\n"
        "  word starts with r a > long\n  word ends with g > -2long\n  unknown: +noun\n"
    )
    assert lexicon_from(rows, TABLE, tmp_path) == {
        "dog": ["1noun", "1sg", "1pl", "-2long"],
        "runs": ["1noun", "1long", "1verb", "1sg", "1pl"],
        "and": ["1long"],
        None: ["1noun"],
    }


def test_cells_are_the_decimals_that_stand_there(tmp_path):
    table = "word\tshare\na\t0.1\nb\t-0.70\nc\t3\n"
    rows = "  each > {3*share}sg\n  each > {share/0.1}pl\n  each > {share}long\n"
    assert lexicon_from(rows, table, tmp_path) == {
        "a": ["0.3sg", "1pl", "0.1long"],
        "b": ["-2.1sg", "-7pl", "-0.7long"],
        "c": ["9sg", "30pl", "3long"],
    }


@pytest.mark.parametrize(
    ("line", "vectors"),
    [
        ("each > noun", ["1noun"]), ("each > noun +{share}sg", ["1noun", "2sg"]),
        ("each > {share}noun", ["2noun"]), ("each > {share}share", ["2share"]),
        ("each > sg +{share + 1}noun", ["1sg", "3noun"]), ("each > of[noun]", ['1of["verb"]']),
        ("each > noun +of[noun]", ["1noun", '1of["verb"]']),
        ("each > sg.noun +{share}sg", ["1sg.noun", "2sg"]),
        ("each > -2sg +{share}of[noun]", ["-2sg", '2of["verb"]']),
    ],
)  # fmt: skip
def test_a_seme_may_be_called_as_a_column_is(line, vectors, tmp_path):
    """Only in an index and in braces the name of a column stands for the cell."""
    (tmp_path / "words.tsv").write_text("word\tnoun\tshare\tsg\na\tverb\t2\tlong\n")
    semes = (
        "let them = [verb]\nsemes:\n  noun: 0..9\n  share: 0..9\n  sg sg.noun\n  of[them]: 0..9\n"
    )
    text = f'{semes}lexicon from "words.tsv":\n  {line}\n'
    blocks = [b for b in expanded(text, tmp_path).statements if isinstance(b, f.Block)]
    assert [shown(entry.value) for entry in blocks[-1].children] == [vectors]


def test_the_variable_of_a_loop_is_nearer_than_a_column(tmp_path):
    (tmp_path / "words.tsv").write_text("word\tn\tshare\na\tlong\t2\n")
    lines = (
        "  for n in [sg, pl]:\n    each > +n\n    each > +{share}of[n]\n    each > +{share}to.n\n"
    )
    semes = "let them = [sg, pl, long]\nsemes: sg pl of[them] to.sg to.pl\n"
    text = f'{semes}lexicon from "words.tsv":\n{lines}'
    blocks = [b for b in expanded(text, tmp_path).statements if isinstance(b, f.Block)]
    assert [shown(entry.value) for entry in blocks[-1].children] == [
        ["1sg", '2of["sg"]', "2to.sg", "1pl", '2of["pl"]', "2to.pl"]
    ]


@pytest.mark.parametrize(
    ("cell", "vector"),
    [(".3", "0.9sg"), ("-.3", "-0.9sg"), ("1e-3", "0.003sg"), ("1e+3", "3000sg"),
     ("2.5E+1", "75sg"), ("+7", "21sg"), ("-0.50", "-1.5sg"), ("1e+0", "3sg")],
)  # fmt: skip
def test_cells_are_the_numbers_that_a_program_has(cell, vector, tmp_path):
    assert lexicon_from("  each > {3*share}sg\n", f"word\tshare\na\t{cell}\n", tmp_path) == {
        "a": [vector]
    }


@pytest.mark.parametrize(
    "cell", ["\u0661", "\u0660.\u0665", "1.", "1e", "1e0", "1e+9999", "0x1", "\u00b2"]
)
def test_cells_that_are_no_numbers_of_a_program_are_names(cell, tmp_path):
    (tmp_path / "words.tsv").write_text(f"word\tshare\na\t{cell}\n", "utf-8")
    text = 'semes: x\nlexicon from "words.tsv":\n  each > {3*share}x\n'
    assert codes(text, tmp_path) == ["not-a-number"]


@pytest.mark.parametrize("uses", [
    ["two", "one as l"], ["two as l", "one"], ["two as l", "one as l"],
    ["two as l", "one as l.m"], ["one", "two"], ["one"], ["one as l"],
])  # fmt: skip
def test_files_that_use_each_other_are_refused_however_they_are_used(uses, tmp_path):
    for own, other in (("one", "two"), ("two", "one")):
        (tmp_path / f"{own}.seme").write_text(f'use "{other}.seme"\nsemes: {own}\n')
    lines = [
        f'use "{name}.seme" {rest}'.strip() for name, _, rest in (u.partition(" ") for u in uses)
    ]
    found = codes("\n".join([*lines, "semes: a", "lexicon:", "  x: +a", ""]), tmp_path)
    assert set(found) == {"use"}


@pytest.mark.parametrize("cell", ["1" * 301, "9" * 5000, "1" * 400 + ".5", "0." + "0" * 400 + "1"])
def test_a_cell_with_too_many_digits_is_refused(cell, tmp_path):
    (tmp_path / "words.tsv").write_text(f"word\tshare\na\t{cell}\n")
    text = 'semes: x\nlexicon from "words.tsv":\n  each > {share}x\n'
    assert codes(text, tmp_path) == ["arithmetic"]


def test_a_table_may_give_vectors_itself(tmp_path):
    table = "dog\t+noun\nruns\t+verb -2sg\n"
    assert lexicon_from("", table, tmp_path) == {"dog": ["1noun"], "runs": ["1verb", "-2sg"]}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("../../etc/passwd", "below the program's folder"),
        ("/etc/passwd", "below the program's folder"),
        ("std/../../setup.py", "below the program's folder"),
        ("nothing.seme", "no such file"),
        ("a\\u0000b", "no file can be called so"),
        ("x" * 5000, "no such file"),
        (".", "it is a folder"),
    ],
)
def test_files_are_read_below_the_folder_only(path, says, tmp_path):
    file, _ = parse_all(Source("t.seme", f'use "{path}"\n'))
    _, found = gather(file, tmp_path)
    assert [d.code for d in found] == ["use"]
    assert says in found[0].label


def test_a_text_without_a_place_uses_the_library_only():
    file, _ = parse_all(Source("t.seme", 'use "lib.seme"\n'))
    _, found = gather(file, None)
    assert found[0].label == "a text without a file can only use `std/...`"


def test_files_that_use_each_other_are_refused(tmp_path):
    (tmp_path / "a.seme").write_text('use "b.seme"\n')
    (tmp_path / "b.seme").write_text('use "a.seme"\n')
    assert codes('use "a.seme"\n', tmp_path) == ["use"]


def test_files_that_double_at_every_step_are_too_many(tmp_path):
    for k in range(25):
        (tmp_path / f"f{k}.seme").write_text(
            f'use "f{k + 1}.seme" as a\nuse "f{k + 1}.seme" as b\n'
        )
    (tmp_path / "f25.seme").write_text("semes: x\n")
    assert codes('use "f0.seme"\n', tmp_path) == ["too-many-terms"]


def test_circuits_that_double_at_every_step_are_too_many():
    text = "semes: a\ncircuit c0(x):\n  feedforward:\n    x: a\n"
    for k in range(1, 40):
        text += f"circuit c{k}(x):\n  use c{k - 1}(x)\n  use c{k - 1}(x)\n"
    assert codes(text + "layer:\n  use c39(a)\n") == ["too-many-terms"]


def test_a_mistake_in_a_circuit_of_the_library_shows_the_use():
    text = 'use "std/grammar.seme"\nsemes: a open part depth[0..3]\nlexicon:\n  x: +a\nencoder:\n'
    text += "  layer:\n    use depths(a, 0, depth, 3, open, part)\n"
    text += "  layer:\n    use depths(wrong, 0, depth, 3, open, part)\n"
    _, found = analyse(text, "t.seme", None)
    (unknown,) = [d for d in found if d.code == "unknown-seme"]
    assert unknown.span.source.name.endswith("grammar.seme")
    assert render(unknown).count("= note: the circuit is used here at t.seme:9") == 1


@pytest.mark.parametrize(
    "text",
    [
        "semes: p[0..999,0..999]\n",
        "semes: a\nlexicon:\n  for i in 0..999 for j in 0..999:\n    x: +a\n",
        "semes: a\nv: for i in 0..999 for j in 0..i if j < 0: +a\n",
        "semes: p[0..999]\nlexicon:\n  for i in 0..999:\n    x: +p\n",
        "semes: p[0..999]\nlayer:\n  feedforward:\n    for i in 0..999:\n      p[i]: any p\n",
    ],
)
def test_what_expands_without_end_is_refused(text):
    assert codes(text) == ["too-many-terms"]


def test_a_mistake_in_a_loop_is_reported_once():
    text = "semes: a\nlexicon:\n  for i in 0..99:\n    x: +{nothing}a\n    y: +{i/0}a\n"
    assert codes(text) == ["unknown-constant", "arithmetic"]


def test_tokens_that_are_classified_by_a_number_are_numbers():
    _, found = expand_text("t", 'semes: v\noutput:\n  classify v in "a".."c"\n')
    assert [each.code for each in found] == ["not-a-number"]
    flat, found = expand_text("t", "semes: v\noutput:\n  classify v in -1..2\n")
    assert not found
    scores = {entry.token: entry.score.form for entry in flat.statements[-1].children}
    for token, (slope, constant) in scores.items():
        assert (slope.coefficient, constant.coefficient) == (2 * int(token), -(int(token) ** 2))
