"""Random programs that are derived from the grammar itself: every construct beside every other.

A line is derived from the rule of the grammar that reads such lines, word by word, with names of a
few semes; a line that is refused is taken out, until the rest is a program. So a construct that is
added to the grammar is tried without a word said here, beside all that there was.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import prod
from pathlib import Path

from lark import Lark
from lark.grammar import NonTerminal, Rule, Symbol, Terminal
from lark.lexer import PatternStr

from benchmarks.refute.chance import Chance
from progtf.building.load import analyse

GRAMMAR = Path(__file__).parents[2] / "grammar" / "seme.lark"
LIBRARY = Path(__file__).parents[2] / "progtf" / "std"
STARTS = (
    "head_line", "feedforward_line", "layer_line", "classify_line", "score_line", "output_line",
    "spelling_line", "dense_line", "cell_line", "reading_line", "sequence_line",
)  # fmt: skip
LEARNED = {"marked", "choice", "learned", "use_circuit", "output_row", "LEARNED"}
"""What only a network answers, and what needs circuits or tables, which are written below."""
OPENING = {"head_open", "feedforward_open", "reading_open", "sequence_open", "for_open"}
"""What has lines below; these are derived for themselves."""
DEEP = 16
RARE = {
    "QUANTIFIER": 0.1,
    "any_of": 0.3,
    "BANG": 0.3,
    "FOLDED": 0.3,
    "LPAR": 0.2,
    "_map_key": 5,
    "_condition_key": 4,
    "OPEN": 0.1,
    "CLOSE": 0.1,
    "loop": 0.1,
    "raw_field": 0.3,
    "alias": 0.4,
}
"""How often an alternative with such a word is taken, beside 1 for others."""
ENTRIES = {
    **dict.fromkeys(("BIND", "STAR"), "STAR"), "MATCH": "TILDE", "ELSE": "", "BIAS": "", "": "",
    **dict.fromkeys(("QUERY", "KEY", "VALUE", "ROLE", "OUT"), "TO"),
    **dict.fromkeys(("WEIGHTS", "INPUT", "RECURRENT"), "TO"),
}  # fmt: skip
"""Key -> what joins the terms of its entries; "": there is one term."""
FLAGS, FAMILY = ("a", "b", "c"), ("p[0]", "p[1]", "p[2]")
WORDS = ("x", "y", "z", "w", "v")
ARGUMENTS = {
    **dict.fromkeys(("most", "begin"), ("2", "3", "a")), "far": ("far", "far", "a"),
    **dict.fromkeys(("slots", "families", "features", "openers"), ("[a, b]", "[p]", "[n0]", "[]")),
}  # fmt: skip
"""What the circuits of the library want for some of their parameters."""
NUMBERS = (
    *("1",) * 8, *("2", "3", "0", "5") * 2, "0.5", "0.1", "{1/3}", "{2/3}", "{1/7}", "1.00000001",
    "0.99999999", "1e+15", "1e-15", "65537", "16777217", "9007199254740993", "7", "12",
)  # fmt: skip
RANGES = (
    "0..3", "0..9", "0..9", "-4..4", "0..100", "0..1 step 1/8", "0..2 step 1/3", "-1..1 step 0",
    "0..1000000", "-1000..1000 step 1/12", "-100000..100000 step 0",
)  # fmt: skip


@cache
def _grammar() -> tuple[Mapping[str, Sequence[Rule]], Mapping[str, str], Mapping[str, float]]:
    """Rules by what they make, the words that stand for themselves, and how deep each goes."""
    parser = Lark(GRAMMAR.read_text(), start=list(STARTS), maybe_placeholders=True)
    rules: dict[str, list[Rule]] = {}
    for rule in parser.rules:
        names = {symbol.name for symbol in rule.expansion}
        if not names & (LEARNED | OPENING):
            rules.setdefault(rule.origin.name, []).append(rule)
    words = {t.name: t.pattern.value for t in parser.terminals if isinstance(t.pattern, PatternStr)}
    depths = dict.fromkeys(rules, float("inf"))
    for _ in rules:
        depths |= {
            name: min(_depth(rule, depths) for rule in found) for name, found in rules.items()
        }
    return rules, words, depths


def _depth(rule: Rule, depths: Mapping[str, float]) -> float:
    below = [depths.get(s.name, float("inf")) for s in rule.expansion if isinstance(s, NonTerminal)]
    return 1 + max(below, default=0)


class Writer:
    """Derives lines, with the names that a program declares.

    Args:
        chance: where choices come from.
    """

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        pick = chance.pick
        self.numbers = {f"n{place}": pick(RANGES) for place in range(chance.randint(1, 3))}
        self.targets = [f"t{place}" for place in range(6)]
        self.ranges = {name: pick(RANGES) if chance.often(0.6) else "" for name in self.targets}
        self.distances = ["far"] if chance.often(0.4) else []
        self.is_target, self.key, self.last, self.start = False, "", "", ""
        self.made: Mapping[str, Callable[[], str]] = {
            "name": self._name, "expression": self._number, "index": lambda: pick("012"),
            "token": lambda: pick(WORDS), "class_name": lambda: pick("ABC"),
            "plain_name": self._name, "range": lambda: pick(("0..2", "0..1")),
            "domain": lambda: pick(("0..2", "0..1", "[1, 2]")), "coefficient": self._number,
            "amount": self._number, "divisor": lambda: pick(("2", "3", "10", "7", "0.5")),
            "signed_number": lambda: pick("++-") + pick(("1", "1", "2", "3", self._number())),
        }  # fmt: skip
        self.likely = {"literal": self._test, "form": self._sum, "first_term": self._name}
        self.words: Mapping[str, Callable[[], str]] = {
            "SIGN": lambda: pick("++-"), "TO": lambda: ">", "OPEN": lambda: "⟪",
            "CLOSE": lambda: "⟫", "COMPARE": lambda: pick(("=", "!=", ">=", "<=", "<")),
            "TIMES": lambda: "*", "MODULO": lambda: pick((" mod ", " div ")),
            "FUNCTION": lambda: pick(("sign", "clip", "abs")), "FOLDED": lambda: "abs",
            "QUANTIFIER": lambda: pick(("all ", "any ", "none ")), "SET": lambda: "set ",
            "LOOK": lambda: pick(("all", "before", "upto", "after", "self", "notself")),
            "NORMALIZE": lambda: pick(("keys", "queries")), "FOR": lambda: "for ",
            "ACTIVATION": lambda: pick(("relu", "clip", "none")), "NAME": self._name,
            "POOL": lambda: pick(("max", "mean", "first", "last", "sum")),
            "YES_NO": lambda: pick(("yes", "no")), "NEVER": lambda: " never ",
            "_RAW": lambda: pick(("mat1", "bias1", "mat2", "bias2")), "_AFTER": lambda: " after ",
            "_BELOW": lambda: " below ", "NUMBER": self._number, "VECTOR": self._vector,
            "STRING": lambda: f'"{" ".join(chance.some(WORDS, 2))}"', "NONE": lambda: "no ",
            "WORD": lambda: pick(WORDS), "SPECIAL": lambda: pick(("<bos>", "<eos>")),
            "SPELLING_TEST": lambda: pick(("contains ", "count ")),
        }  # fmt: skip

    # -------------------------------------------------------------- lines

    def line(self, start: str) -> str:
        """A line that a rule of the grammar reads."""
        self.is_target, self.key, self.start = start == "feedforward_line", "", start
        return _spaced("".join(self._derived(NonTerminal(start), DEEP)))

    def lines(self, start: str, most: int) -> list[str]:
        """Some; of those with a key one each."""
        made = [self.line(start) for _ in range(self.chance.randint(1, most))]
        return list({line.partition(":")[0]: line for line in made}.values())

    def _derived(self, symbol: Symbol, depth: int) -> Iterator[str]:
        rules, words, depths = _grammar()
        if isinstance(symbol, Terminal):
            self.key = symbol.name if symbol.name in ENTRIES else self.key
            said = self._word(symbol.name)
            yield f" {words[symbol.name]} " if symbol.name in words else said
        elif self.start == "head_line" and (said := self._in_head(symbol.name)):
            yield said
        elif symbol.name in self.made:
            yield self.made[symbol.name]()
        elif symbol.name in self.likely and self.chance.often(0.8):
            yield self.likely[symbol.name]()
        else:
            able = [rule for rule in rules[symbol.name] if _depth(rule, depths) < float("inf")]
            least = min(_depth(rule, depths) for rule in able)
            fitting = [rule for rule in able if _depth(rule, depths) <= max(depth, least)]
            for each in self._picked(symbol.name, fitting).expansion:
                yield from self._derived(each, depth - 1)

    def _picked(self, name: str, rules: Sequence[Rule]) -> Rule:
        """One of the alternatives, often one that the key of the line can have."""
        if name == "entry" and self.key in ENTRIES and self.chance.often(0.9):
            joined = ENTRIES[self.key]
            words = [{s.name for s in rule.expansion} & {"TO", "STAR", "TILDE"} for rule in rules]
            able = [r for r, w in zip(rules, words, strict=True) if joined in w or w == {*joined}]
            rules = able or rules
        rare = RARE | {name: 0.25}  # a list that goes on
        weights = [prod(rare.get(s.name, 1.0) for s in rule.expansion) for rule in rules]
        return self.chance.choices(rules, weights)[0]

    def _word(self, name: str) -> str:
        said = self.words[name]() if name in self.words else name.lower()
        self.last = name
        self.is_target = name in ("TO", "SET")
        return said

    # -------------------------------------------------------------- names and numbers

    def _name(self) -> str:
        chance, target, self.is_target = self.chance, self.is_target, False
        if self.last == "QUANTIFIER":
            return chance.pick(("p", "p", "alias", "both"))
        if target and chance.often(0.85):
            return chance.pick(("q", "r") if self.key in ("QUERY", "KEY") else self.targets)
        others = (*FLAGS, *self.numbers, *self.targets, *self.distances, "q", "p", "alias", "both")
        return chance.pick((*FLAGS, *self.numbers) if chance.often(0.5) else (*FAMILY, *others))

    def _test(self) -> str:
        """A flag, its absence, or a comparison of numbers."""
        chance, numbers = self.chance, [*self.numbers, *(n for n, v in self.ranges.items() if v)]
        if chance.often(0.6):
            return chance.pick(("", "", "!")) + chance.pick((*FLAGS, *FAMILY, *self._flags()))
        one, sign = self._sum(), chance.pick(("=", "!=", ">=", "<=", "<", ">"))
        return f"{one} {sign} {chance.pick((chance.pick(numbers), *'0123', '1.00000001', '0.5'))}"

    def _in_head(self, name: str) -> str:
        """What a head can take there, often; "": anything."""
        chance = self.chance
        if chance.often(0.15):
            return ""
        if name == "condition":
            flags = chance.some((*FLAGS, *FAMILY, *self._flags()), 2)
            return " & ".join(chance.pick(("", "", "!")) + flag for flag in flags)
        if name == "entry" and self.key == "MATCH":
            return chance.pick(("p ~ p", "p ~ p", "a ~ b", "far ~ far", "b ~ p[1]", "2p ~ p"))
        return ""

    def _sum(self) -> str:
        """A number that has been declared, or two."""
        chance, numbers = self.chance, [*self.numbers, *(n for n, v in self.ranges.items() if v)]
        more = (
            f" {chance.pick('+-')} {chance.pick((*numbers, *FLAGS))}" if chance.often(0.25) else ""
        )
        return f"{chance.pick(('', '', '', '2', '-'))}{chance.pick(numbers)}{more}"

    def _flags(self) -> list[str]:
        return [name for name, values in self.ranges.items() if not values]

    def _number(self) -> str:
        return self.chance.pick(NUMBERS)

    def _vector(self) -> str:
        names = self.chance.some((*FLAGS, *self.numbers, *self.targets), 2)
        return " ".join(f"{self.chance.pick('++-')}{name}" for name in names)


def _spaced(line: str) -> str:
    """As one writes it; a function and its bracket are one word."""
    return re.sub(r"(clip|abs|sign) \(", r"\1(", re.sub(r" +", " ", line)).strip()


# ------------------------------------------------------------------ programs


def derived(seed: int, place: int, folder: Path) -> str:
    """The program with this place among those of a seed; "" where nothing of a draft is left.

    Args:
        seed: of the choices.
        place: of the program.
        folder: where the files are written that it uses, one program after another.
    """
    chance = Chance(f"grammar {seed} {place}")
    if chance.often(0.12):
        return _with_parts(chance, folder)
    if chance.often(0.25):
        return _mended(_with_circuits(_draft(chance), chance), folder)
    if chance.often(0.15):
        return _mended(_with_table(_draft(chance), chance, folder), folder)
    return _mended(_draft(chance))


@cache
def _library() -> Sequence[tuple[str, str, Sequence[str]]]:
    """The circuits of the library that need nothing but what they are given: file, name, what."""
    files = ((name, (LIBRARY / f"{name}.seme").read_text()) for name in ("neighbours", "counting",
             "grammar", "slots"))  # fmt: skip
    return [
        (name, circuit, [each.strip() for each in given.split(",")])
        for name, text in files
        for circuit, given in re.findall(r"^circuit (\w+)\((.*)\):", text, re.MULTILINE)
    ]


def _with_circuits(draft: list[str], chance: Chance) -> list[str]:
    """The draft with circuits: one of the library, or lines of a layer that are used twice."""
    writer = Writer(chance)
    layers = [place for place, line in enumerate(draft) if line.strip().startswith("layer ")]
    names = (*FLAGS, "p", "p[1]", "[a, b]", *writer.numbers, *writer.targets, "0", "2")
    if not layers:
        return draft
    if chance.often(0.5):
        file, name, given = chance.pick(_library())
        before, calls = [f'use "std/{file}.seme"'], list[str]()
        for _ in range(chance.randint(1, 3)):
            said = [chance.pick(ARGUMENTS.get(each, names)) for each in given]
            last = chance.pick(writer.targets) if chance.often(0.8) else said[-1]
            calls.append(f"use {name}({', '.join((*said[:-1], last))})")
    else:
        body = "\n".join(_indented(_layer(writer, crossing=False)))
        for own, param in ((chance.pick(FLAGS), "what"), (chance.pick(writer.targets), "seen")):
            body = re.sub(rf"\b{own}\b", param, body)
        body = re.sub(r"\b2\b", "{k}", body)
        before = ["circuit own(what, seen, k):", *body.split("\n")]
        args = [
            (chance.pick(names), chance.pick(writer.targets), chance.pick("0123")) for _ in "ab"
        ]
        calls = [f"use own({', '.join(each)})" for each in args]
    for call in calls:
        place = chance.pick(layers)
        deep = len(draft[place]) - len(draft[place].lstrip()) + 2
        draft = [*draft[: place + 1], " " * deep + call, *draft[place + 1 :]]
        layers = [n + (n > place) for n in layers]
    return before + draft


def _with_table(draft: list[str], chance: Chance, folder: Path) -> list[str]:
    """The draft with words from a table, and lines for each item of a list or a column."""
    kinds, cut = ("a", "b", "c", "a/b"), chance.pick((",", "\t"))
    table = f"rows.{'csv' if cut == ',' else 'tsv'}"
    rows = [
        cut.join((word, chance.pick(kinds), chance.pick(("1", "2", "0.1", "7"))))
        for word in ("x", "y", "rob", "eve", "x")
    ]
    (folder / table).write_text("\n".join((cut.join(("word", "kind", "many")), *rows)) + "\n")
    lines = [f'let kinds = column kind of "{table}"', "let some = [a, b]", "let k = 3"]
    tests = ("kind=a", "kind has b", "!kind=b", "kind != a", "word starts with x e", "each",
             "kind=a & many=2", "word ends with b")  # fmt: skip
    gives = ("+{kind}", "+a", "+b -n0", "+{many}n0", "+p[{k}-2]", "+{many/3}n0", "+c +n0")
    if (head := next((n for n, line in enumerate(draft) if line == "lexicon:"), None)) is not None:
        given = [f"  {chance.pick(tests)} > {chance.pick(gives)}" for _ in range(3)]
        draft = [*draft[:head], f'lexicon from "{table}":', *given, *draft[head + 1 :]]
    rules = [n for n, line in enumerate(draft) if line.strip() == "feedforward:"]
    for place in reversed(rules):
        deep = " " * (len(draft[place]) - len(draft[place].lstrip()) + 2)
        loop = chance.pick(("for x in some", "for i in 0..2", "for i in 0..k if i != 3",
                            "for x in some for i in 0..1 if i > 0", "for x in kinds"))  # fmt: skip
        below = chance.pick(("+{i}t0 when p[i]", "t1: {i+1}n0 when x", "t2: x", "t3: p[i] & x",
                             "+t4 when n0 >= {i/3}", "t5: n0 mod {i+2}"))  # fmt: skip
        draft = [*draft[: place + 1], f"{deep}{loop}:", f"{deep}  {below}", *draft[place + 1 :]]
    if draft[-4:] and "output:" in draft and chance.often(0.5):
        scored = [f'output from "{table}":', '  kind=a > "{word}": a & n0', '  each > "{word}": b']
        draft = [*draft[: draft.index("output:")], *scored]
    return lines + draft


def _with_parts(chance: Chance, folder: Path) -> str:
    """A program of files: what tokens are, layers that may be held back, and layers of its own."""
    writer = Writer(chance)
    base = [*_declared(writer), "lexicon:", *_lexicon(writer, "encoder")]
    (folder / "base.seme").write_text("\n".join(base) + "\n")
    lines = ['use "base.seme"']
    for name in "rs"[: chance.randint(1, 2)]:
        part = ['use "base.seme"', "semes: own: 0..9", *_stack(writer, crossing=False)]
        (folder / f"{name}.seme").write_text(_mended(part, folder) or "semes: own\n")
        flags = chance.some(FLAGS, 2)
        asked = " & ".join(chance.pick(("", "", "!")) + flag for flag in flags)
        asked = f" when {asked}" if chance.often(0.8) else ""
        lines.append(f'use "{name}.seme" as {name}{asked}')
    lines += _stack(writer, crossing=False) if chance.often(0.5) else []
    return _mended(lines + _answer(writer, "encoder"), folder)


def _draft(chance: Chance) -> list[str]:
    """The lines of a program, most of which will be refused."""
    kind = chance.pick(("encoder",) * 8 + ("seq2seq", "decoder", "rnn", "dense"))
    writer = Writer(chance)
    lines = ["model:", f"  kind: {kind}", f"  length: {chance.pick((4, 6, 9, 20))} -> 3"]
    if chance.often(0.1):
        lines.append(f"  binding: {chance.pick(('outer', 'none', 'hadamard'))}")
    if chance.often(0.15):
        lines.append(f"  norm: {chance.pick(('round', 'split'))}")
    lines += _declared(writer)
    if kind != "dense":
        lines += ["lexicon:", *_lexicon(writer, kind)]
    if chance.often(0.1) and kind != "dense":
        lines += ["spelling:", *_indented(writer.lines("spelling_line", 2))]
    lines += [f"alias := {writer.line('score_line').partition(':')[2].strip() or 'a'}"]
    lines += ["both := a & !b | c"]
    if kind == "rnn":
        lines += ["cell:", *_indented(writer.lines("cell_line", 5))]
    stacks = {"seq2seq": ("encoder", "decoder"), "decoder": ("decoder",)}.get(kind, ("encoder",))
    for stack in () if kind == "dense" else stacks:
        lines += [f"{stack}:", *_indented(_stack(writer, crossing=len(stacks) > 1))]
    if kind == "dense":
        lines += _stack(writer, crossing=False)
    return lines + _answer(writer, kind)


def _declared(writer: Writer) -> list[str]:
    given = writer.numbers | writer.ranges
    lines = ["semes:", f"  {' '.join(FLAGS)}", "  p[0..2]"]
    lines += [f"  {name}: {values}" if values else f"  {name}" for name, values in given.items()]
    return lines + [f"  {name}: distance" for name in writer.distances]


def _lexicon(writer: Writer, kind: str) -> Iterator[str]:
    chance = writer.chance
    ends = ["<bos>", "<eos>"] if kind in ("seq2seq", "decoder") or chance.often(0.2) else []
    for word in (
        *WORDS[: chance.randint(2, 5)],
        *ends,
        *(["unknown"] if chance.often(0.3) else []),
    ):
        names = [name for name in FLAGS if chance.often(0.4)]
        names += [chance.pick(FAMILY)] if chance.often(0.7) else []
        names += [
            f"{chance.pick(('', '', '2', '3'))}{name}"
            for name in writer.numbers
            if chance.often(0.5)
        ]
        yield f"  {word}: {' '.join('+' + name for name in names) or '0'}"
    yield f"  every: {' '.join('+' + name for name in (*FLAGS, FAMILY[0], *writer.numbers))}"


def _stack(writer: Writer, *, crossing: bool) -> list[str]:
    chance, lines = writer.chance, list[str]()
    for place in range(chance.pick((1, 1, 2, 2, 3))):
        layer = [f"layer {'xyz'[place]}:", *_indented(_layer(writer, crossing=crossing))]
        if chance.often(0.15):
            until = chance.pick(("a", "no a", "t0", "no t0", "b"))
            asked = f" when {chance.pick(FLAGS)}" if chance.often(0.3) else ""
            lines += [f"loop l{place} up to {chance.pick((1, 2, 5))} until {until}{asked}:"]
            lines += ["  semes: own", *_indented(layer)]
        else:
            lines += layer
    return lines


def _layer(writer: Writer, *, crossing: bool) -> list[str]:
    chance, lines = writer.chance, list[str]()
    for place in range(chance.pick((0, 1, 1, 2))):
        made = writer.lines("head_line", 10)
        made += ["from: encoder"] if crossing and chance.often(0.5) else []
        if not any(line.startswith(("value:", "bind:")) for line in made):
            source = chance.pick((*FLAGS, *writer.numbers, ""))
            made.append(f"value: {source + '>' if source else '+'}{chance.pick(writer.targets)}")
        if any(line.startswith("nearest") for line in made):
            made = [f"look: {chance.pick(('before', 'upto', 'after'))}", *made]
        if chance.often(0.25):
            made += _raw(writer)
        if writer.distances and chance.often(0.2):
            made.append("distance: far")
        lines += [f"head h{place}:", *_indented(made)]
    lines += writer.lines("layer_line", 2) if chance.often(0.15) else []
    if chance.often(0.75):
        rules = [writer.line("feedforward_line") for _ in range(chance.randint(2, 14))]
        if chance.often(0.1):
            below = [writer.line("reading_line") for _ in range(chance.randint(1, 3))]
            rules += [f"reading {chance.pick(FLAGS)}:", *_indented(below)]
        lines += ["feedforward:", *_indented(rules)]
    return lines


def _raw(writer: Writer) -> list[str]:
    """Queries and keys of the same features."""
    chance, lines = writer.chance, list[str]()
    features = ("q", "r")[: chance.randint(1, 2)]
    for side in ("query", "key"):
        sources = [chance.pick((*FLAGS, *writer.numbers, "", "")) for _ in features]
        maps = [f"{n}>{f}" if n else f"+{f}" for n, f in zip(sources, features, strict=True)]
        lines.append(f"{side}: {', '.join(maps)}")
    return lines + ([f"else: +{writer.targets[0]} below 0.5"] if chance.often(0.4) else [])


def _answer(writer: Writer, kind: str) -> list[str]:
    chance = writer.chance
    if kind in ("seq2seq", "decoder"):
        return ["output:", *(f"  {word}: {chance.pick((*FLAGS, 't0', 'both'))}" for word in "xyz")]
    match chance.randrange(4):
        case 0:
            classes = [writer.line("classify_line") for _ in range(chance.randint(2, 4))]
            return ["classify:", *_indented(classes)]
        case 1:
            return ["score:", *_indented(writer.lines("score_line", 4))]
        case 2:
            return ["output:", *_indented([writer.line("output_line") for _ in range(3)])]
        case _:
            return []


def _indented(lines: Sequence[str]) -> list[str]:
    return ["  " + line for line in lines]


def _mended(lines: list[str], folder: Path | None = None) -> str:
    """What is left of lines without those that are refused, and without blocks that are empty."""
    for _ in range(40):
        source = "\n".join(lines) + "\n"
        program, told = analyse(
            source, str(folder / "derived.seme") if folder else "derived", folder
        )
        if program is not None:
            return source
        errors = [each.span.use or each.span for each in told if each.severity == "error"]
        wrong = {s.line - 1 for s in errors if s.source.name.endswith(("derived", "derived.seme"))}
        wrong = {place for place in wrong if 0 <= place < len(lines)}
        if not wrong:
            return ""
        lines = [*_without(lines, wrong)]
    return ""


def _without(lines: Sequence[str], wrong: set[int]) -> Iterator[str]:
    """Lines but for some, and but for those that stand below these or have nothing below."""
    dropped, blocks = -1, [line.endswith(":") for line in lines]
    for place, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        if 0 <= dropped < depth:
            continue
        dropped = depth if place in wrong else -1
        below = lines[place + 1 : place + 2]
        empty = blocks[place] and not any(len(x) - len(x.lstrip()) > depth for x in below)
        if place not in wrong and not empty:
            yield line
