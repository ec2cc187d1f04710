"""Long, deep and circular texts have a clear answer, and twice as much takes twice the calls."""

import cProfile
import pstats
import time

import pytest

from progtf.building.load import analyse

MANY = 1000
SMALL, GROWTH = 300, 2.3  # calls at twice the size, of those at the size


def text(*definitions, rules="s: b", semes="", model=""):
    """A program with some definitions and rules; ``semes``: as they are declared, 20 a line."""
    names = semes.split()
    rows = ["  " + " ".join(names[at : at + 20]) for at in range(0, len(names), 20)]
    return "\n".join(
        [
            *(["model:", f"  {model}"] if model else []),
            *["semes:", "  s: 0..1000000", "  b", *rows],
            *definitions,
            *["lexicon:", "  x: +b", "layer:", "  feedforward:"],
            *[f"    {rule}" for rule in ([rules] if isinstance(rules, str) else rules)],
            "",
        ]
    )


def each(form, count, first=0):
    """Lines that a function gives of numbers."""
    return [form(number) for number in range(first, count)]


def chain(definition, first, count):
    """Definitions, each made of the one before it."""
    return [first, *each(lambda n: definition.format(n, n - 1), count, 1)]


def circle(definition, count):
    """Definitions, each made of the next one, the last of the first."""
    return each(lambda n: definition.format(n, (n + 1) % count), count)


def circuits(inner, count):
    return [line for n in range(count) for line in (f"circuit c{n}(t):", f"  {inner(n)}")]


def using(*lines, use="use c0(s)"):
    head = ["semes:", "  s: 0..1000000", "  b", *lines, "lexicon:", "  x: +b", "layer:"]
    return "\n".join([*head, f"  {use}", ""])


DOUBLING = {
    "lists": ("let p0 = [b]", "let p{} = [p{}, p{}]", "for k in p{}: k", "too-many-terms"),
    "texts": ('let p0 = "ab"', 'let p{} = "{{p{}}}{{p{}}}"', "b", "too-long"),
    "aliases": ("p0 := b", "p{} := p{} | !p{}", "p{}", "too-many-terms"),
    "sums": ("p0 := b", "p{} := p{} + p{}", "p{} > 1", "too-many-terms"),
}


@pytest.mark.parametrize("kind", DOUBLING)
@pytest.mark.parametrize("count", [40, 400])
def test_what_doubles_from_line_to_line_is_refused_at_once(kind, count):
    first, line, used, code = DOUBLING[kind]
    lines = [first, *(line.format(n, n - 1, n - 1) for n in range(1, count))]
    start = time.process_time()
    _, found = analyse(text(*lines, rules=f"s: {used.format(count - 1)}"), "doubling.seme", None)
    assert time.process_time() - start < 20  # it took all memory that there is
    assert code in {each.code for each in found}
    assert all(each.span is not None for each in found)


KINDS = {  # of so many: the text, and the codes of what is wrong with it
    "aliases of aliases": (
        lambda n: text(*chain("a{} := a{}", "a0 := b", n), rules=f"s: a{n - 1}"),
        set(),
    ),
    "aliases of aliases, the last one first": (
        lambda n: text(*each(lambda k: f"a{k} := a{k + 1}", n), f"a{n} := b", rules="s: a0"),
        set(),
    ),
    "aliases of aliases, all of them read": (
        lambda n: text(*chain("a{} := a{}", "a0 := b", n), rules=each(lambda k: f"s: a{k}", n)),
        set(),
    ),
    "sums of aliases": (
        lambda n: text(*chain("a{} := a{} + b", "a0 := b", n), rules=f"s: a{n - 1}"),
        set(),
    ),
    "conditions of aliases": (
        lambda n: text(*chain("a{} := a{} & b", "a0 := !b", n), rules=f"s: a{n - 1}"),
        set(),
    ),
    "denied aliases": (
        lambda n: text(*chain("a{} := !a{}", "a0 := !b", n), rules=f"s: a{n - 1}"),
        set(),
    ),
    "aliases that double": (
        lambda n: text(*chain("a{0} := a{1} + a{1}", "a0 := b", n)),
        {"too-many-terms"},
    ),
    "a circle of aliases": (
        lambda n: text(*circle("a{} := a{}", n), rules="s: a0"),
        {"alias-cycle"},
    ),
    "a circle of aliases that nobody reads": (
        lambda n: text(*circle("a{} := a{} + b", n)),
        {"alias-cycle"},
    ),
    "a circle of conditions": (
        lambda n: text(*circle("a{} := !a{} | b", n), rules="s: a0"),
        {"alias-cycle"},
    ),
    "aliases that lead into a circle": (
        lambda n: text("z := z", *chain("a{} := a{}", "a0 := z", n), rules=f"s: a{n - 1}"),
        {"alias-cycle"},
    ),
    "circles of two": (
        lambda n: text(*each(lambda k: f"a{k} := c{k}", n), *each(lambda k: f"c{k} := a{k}", n)),
        {"alias-cycle"},
    ),
    "an alias given again and again": (
        lambda n: text(*["a := b"] * n, rules="s: a"),
        {"duplicate-name"},
    ),
    "values of values": (
        lambda n: text(*chain("v{}: +v{}", "v0: +b", n), f"v: +v{n - 1}", rules="s: b"),
        set(),
    ),
    "values of values, given to a token": (
        lambda n: text(*chain("v{}: +v{}", "v0: +b", n)) + f"lexicon:\n  y: +v{n - 1}\n",
        set(),
    ),
    "values that double": (
        lambda n: text(*chain("v{0}: +v{1} +v{1}", "v0: +b", n)),
        {"too-many-terms"},
    ),
    "a circle of values": (lambda n: text(*circle("v{}: +v{}", n)), {"alias-cycle"}),
    "constants of constants": (
        lambda n: text(*chain("let k{} = k{} + 1", "let k0 = 1", n), rules=f"s: {{k{n - 1}}}b"),
        set(),
    ),
    "constants before what they are made of": (
        lambda n: text(*each(lambda k: f"let k{k} = k{k + 1}", n), f"let k{n} = 1"),
        {"unknown-constant"},
    ),
    "circuits that use circuits": (
        lambda n: using("circuit c(t):", "  feedforward:", "    t: b",
                        *circuits(lambda k: f"use c{k + 1 if k + 1 < n else ''}(t)", n)),
        set(),
    ),
    "a circle of circuits": (
        lambda n: using(*circuits(lambda k: f"use c{(k + 1) % n}(t)", n)),
        {"circuit-cycle"},
    ),
    "circuits that come to a circle": (
        lambda n: using(*circuits(lambda k: f"use c{max(n // 2, (k + 1) % n)}(t)", n)),
        {"circuit-cycle"},
    ),
    "a circle of circuits that nobody uses": (
        lambda n: text(*circuits(lambda k: f"use c{(k + 1) % n}(t)", n)),
        set(),
    ),
    "layers in a circle": (
        lambda n: text(
            rules=circle("y{}: y{}", n),
            semes=" ".join(each(lambda k: f"y{k}", n)), model="layers: auto",
        ),
        {"circular-layers"},
    ),
    "layers of layers": (
        lambda n: text(
            rules=chain("y{}: y{}", "y0: b", n),
            semes=" ".join(each(lambda k: f"y{k}", n)), model="layers: auto",
        ),
        set(),
    ),
    "a group": (
        lambda n: text(rules="s: a", semes="b2 " + " ".join(each(lambda k: f"a.x{k}", n)))
        + "lexicon:\n  y: +a.x0\n",
        set(),
    ),
    "a group of which any holds": (
        lambda n: text(rules="s: any a", semes=" ".join(each(lambda k: f"a.x{k}", n)))
        + "lexicon:\n  y: +a.x0\n",
        set(),
    ),
    "a family of which any holds": (
        lambda n: text(rules="s: any a", semes=f"a[0..{n - 1}]") + "lexicon:\n  y: +a[0]\n",
        set(),
    ),
    "names that are none": (
        lambda n: text(rules=each(lambda k: f"s: zzz{k}", n)),
        {"unknown-seme"},
    ),
    "members that are none": (
        lambda n: text(rules="s: a.z", semes=" ".join(each(lambda k: f"a.x{k}", n))),
        {"unknown-seme"},
    ),
    "a name declared again and again": (lambda n: text(semes="a " * n), {"duplicate-seme"}),
    "one rule again and again": (lambda n: text(rules=["s: b"] * n), set()),
}  # fmt: skip


NESTED = ("conditions of aliases", "denied aliases", "circuits that use circuits")
"""Of which one stands inside another; too many of them are refused, where they are read."""


@pytest.mark.parametrize("size", [3, MANY])
@pytest.mark.parametrize("kind", KINDS)
def test_many_of_a_kind_have_a_clear_answer(kind, size):
    made, codes = KINDS[kind]
    built, found = analyse(made(size), "<text>", None)
    if kind.endswith("double") and size == 3:
        codes = set()
    if kind in NESTED and size == MANY:
        codes = {"too-deep"}
    assert {each.code for each in found} == codes, found[:3]
    assert (built is None) == bool(codes)
    assert all(each.span.line > 1 for each in found)  # where it stands, not the whole text


@pytest.mark.parametrize("kind", KINDS)
def test_twice_as_many_of_a_kind_take_twice_the_calls(kind):
    made, _ = KINDS[kind]
    analyse(made(3), "<text>", None)
    few, many = (calls(made(size)) for size in (SMALL, 2 * SMALL))
    assert many < GROWTH * few


def calls(written):
    with cProfile.Profile() as profile:
        analyse(written, "<text>", None)
    return pstats.Stats(profile).total_calls


@pytest.mark.parametrize("rule", ["s: b", "s: a", "s: any a"])
def test_a_group_of_100_000_names_is_read_in_seconds(rule):
    names = " ".join(f"a.x{number}" for number in range(100_000))
    written = text(rules=rule, semes=names) + "lexicon:\n  y: +a.x0\n"
    start = time.process_time()
    built, found = analyse(written, "<text>", None)
    assert not found
    assert built is not None
    assert len(built.space.names) == 100_002
    assert time.process_time() - start < 20  # calls do not tell of sets that grow


@pytest.mark.parametrize(
    ("lines", "circle"),
    [
        (["a := z", "z := z"], "z"),
        (["z := z", "a := z"], "z"),
        (["a := z + b", "c := a | b", "z := y", "y := z"], "zy"),
        (["y := z", "a := y", "z := a & y", "c := a"], "yaz"),
        (["a := y", "y := z + z", "z := y", "c := z", "d := d"], "yzd"),
        (["v: +w", "w: +w"], "w"),
        (["v: +b +w", "w: +u", "u: +b +w"], "wu"),
        ([*each(lambda k: f"a{k} := a{k + 1}", 400), "a400 := z", "z := z"], "z"),
    ],
)
def test_only_what_contains_itself_is_told_wherever_it_stands(lines, circle):
    _, found = analyse(text(*lines), "<text>", None)
    told = [each.headline for each in found if each.code == "alias-cycle"]
    assert sorted(told) == sorted(f"`{name}` is defined by itself" for name in circle)
