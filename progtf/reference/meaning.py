"""What a program means, a section a construct, in the order of ``docs/language.md``."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple

from progtf.notation import flat as f
from progtf.notation import spell
from progtf.notation.spell import UNFINISHED
from progtf.notation.using import HELD
from progtf.numbers import plain
from progtf.program.interface import Interface
from progtf.program.loops import by_loop
from progtf.program.model import BOS, SPECIAL
from progtf.program.promises import Broken, Kind
from progtf.program.spelling import Token
from progtf.program.tokens import split
from progtf.reference.numbers import (
    FLAG,
    HALF,
    HAND,
    NULL,
    Form,
    Matrix,
    Number,
    Shares,
    Stream,
    Values,
    Vector,
    add,
    best,
    common_step,
    divided,
    flagged,
    hand,
    hands,
    near,
    nearly,
    nearness,
    nothing,
    number,
    of,
    power_of_two,
    settled,
    times,
)

LEARNED = {("norm", "layer"), ("activation", "tanh")}
SIDES = {"all": (-1, 0, 1), "before": (-1,), "upto": (-1, 0), "after": (1,)}
SIDES |= {"self": (0,), "notself": (-1, 1)}
"""By ``look:``, on which sides of a reader a key may stand."""
RESTING = {"else", "at", "match", "nearest", "where", "when"}
"""The lines that bring a null key with them; `highest` and `lowest` do with `where`."""
EXTREMES = {"highest": 1, "lowest": -1}
POSITIONS = {"at", "querypos", "keypos", "distance"}
RAW = "mat1", "bias1", "weights", "bias"
"""The lines of raw weights and of ``dense:`` that read semes."""
READING = "parts", "part", "left", "right", "form", "more", "where"
"""Where conditions, sums and functions hold what they read."""
ORDERS = {">=": ge, ">": gt, "<": lt, "<=": le, "=": eq, "!=": ne}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mod": lambda x, m: x - m * (x // m),
    "div": lambda x, m: x // m,
    "sign": lambda x: (x > 0) - (x < 0),
    "abs": abs,
    "clip": lambda x, low, high: min(max(x, low), high),
}
JUMPS = {"mod": FUNCTIONS["div"], "div": FUNCTIONS["div"], "sign": FUNCTIONS["sign"]}
"""What two numbers that mean the same to a function share, of functions that jump."""
ACTIVATIONS: dict[str, Callable[[Number], Number]] = {
    "relu": lambda x: max(x, 0),
    "clip": lambda x: min(max(x, -1), 1),
    "none": lambda x: x,
}


class RefusedError(ValueError):
    """What this does not compute, though a network does."""


Past = dict[tuple[int, ...], Stream]


class Way(NamedTuple):
    """One way in which a head searches.

    ``asks``, ``offers``: what a reader looks for, and what a key has of it; ``finds``: of both, and
    of how far behind the reader the key stands, whether it matches, and its score; ``member``: it
    weighs more than other ways, and who finds something asks for one thing.
    """

    asks: Callable[[Vector], Any]
    offers: Callable[[Vector], Any]
    finds: Callable[[Any, Any, int], tuple[bool, Number]]
    member: bool = False


class Channel(NamedTuple):
    """``filler`` is read there, or ``rest`` of the null key; times ``role`` it is written."""

    filler: Form
    role: Form
    writes: Form
    rest: Number


Side = dict[tuple[str, str], Form]
"""What a head asks or offers: families, their members, and the sum that says how much of each."""
Read = Callable[[Form, Vector], Number]
Part = f.Block | f.Rule | f.Phrase[str]
"""A head, raw weights, a rule, phrases, or ``dense:``: what reads and writes."""
HEADS, CROSSING, LINES, DENSE = range(4)
Layer = tuple[list[Part], ...]
"""Heads, heads on the encoder, then lines: each step reads what was there before it."""


class Run(NamedTuple):
    """Layers that keep together: one, or those of a loop.

    ``origin``: the file whose layers keep their order; None: parts without a place of their own.
    """

    layers: Sequence[Layer]
    loop: f.Loop | None
    origin: str | None

    @property
    def is_plain(self) -> bool:
        """Whether others may stand beside it."""
        return self.loop is None and len(self.layers) == 1 and not self.layers[0][DENSE]


def factors(*terms: f.Term) -> Number:
    """The product of the numbers in front of terms."""
    return math.prod(number(term.coefficient) for term in terms)


def fields_of(children: Iterable[f.Statement]) -> dict[str, Any]:
    """The lines of a block by key; those of the rounds of a ``for`` are one list."""
    found: dict[str, Any] = {}
    for child in children:
        if isinstance(child, f.Field):
            value: Any = child.value
            found[child.key] = found.get(child.key, ()) + value if type(value) is tuple else value
    return found


def once(find: Callable[..., Any]) -> Callable[..., Any]:
    """What is found out of a piece of the program is found out once."""

    def found(meaning: "Meaning", said: Any, *more: Any) -> Any:
        key = find, id(said), more
        if key not in meaning.known:
            meaning.known[key] = said, find(meaning, said, *more)
        return meaning.known[key][1]

    return found


class Meaning:
    """What a flat program means, construct by construct.

    Attributes:
        sections: what stands in the sections of each keyword.
        ranges: semes, the hands of distances and clocks, and what each may be.
        distances: the names of the hands of each distance, clock by clock.
        signed: the distances that some head measures to both sides.
        groups: ``weird`` for ``weird.case``, ``weird.order`` ...
        aliases, lists: what ``:=`` and ``name:`` define.
        clocks: the periods of the clocks; ramp: of a slow one by which ``nearest`` tells how near.
        known: what was found out of pieces of the program.
    """

    # -------------------------------------------------------------- files, `model:`

    def __init__(self, flat: f.Flat, interface: Interface) -> None:
        self.known: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        self.tokens, self.length = interface.tokens, interface.longest
        every = f.walk(flat.statements)
        self.aliases = {each.name: each.value for each in every if isinstance(each, f.Alias)}
        self.lists = {each.name: each.value for each in every if isinstance(each, f.NamedValue)}
        blocks = [each for each in flat.statements if isinstance(each, f.Block)]
        self.sections = defaultdict[str, list[Any]](list)
        for block in blocks:
            self.sections[block.keyword] += block.children
        own = (block.children for block in blocks if block.keyword == "model" and not block.origin)
        self.model = fields_of(child for children in own for child in children)
        self.unheard = {loop.name for loop in interface.loops}
        self.kind, self.auto = interface.kind, self.model.get("layers") == "auto"
        self.rounds = self.model.get("norm") == "round"
        self.clocks, self.ramp = self.periods(every)
        self.name_semes(flat, every)
        self.marks = [m.gives for m in self.sections["spelling"] if isinstance(m, f.SpellingMark)]
        self.lexicon = self.words(block for block in blocks if block.keyword == "lexicon")
        above = [block for block in blocks if block.keyword in ("layer", "dense")]
        encoder, decoder = (
            [b for b in self.sections[s] if isinstance(b, f.Block)] for s in ("encoder", "decoder")
        )
        self.encoder = self.stack(encoder if self.kind == "decoder" else [*above, *encoder])
        self.decoder = self.stack(decoder if self.kind != "decoder" else [*above, *decoder])

    # -------------------------------------------------------------- vectors and matrices

    def entries(
        self, said: f.Entries, factor: Number = 1
    ) -> Iterator[tuple[str, tuple[f.Term, ...], Number]]:
        """Kind, terms and a factor of each entry of a list; lists with a name are put in."""
        for entry in said:
            first = entry.terms[0]
            if entry.kind == "vector" and first.name in self.lists:
                inside = factor * number(first.coefficient)
                yield from self.entries(self.lists[str(first.name)], inside)
            else:
                yield entry.kind, entry.terms, factor

    @once
    def matrix(self, said: f.Entries, hidden: bool = False) -> Matrix:
        """``3pig>wombat, -wombat``; ``hidden``: it reads what has a name in its block alone."""
        found: Matrix = {}
        for kind, (*source, target), factor in self.entries(said):
            if target.name is not None and kind != "product":  # no zero vector
                read = self.form(tuple(source)) if source and not hidden else {"": 1}
                if source and hidden:
                    read = {str(source[0].name): number(source[0].coefficient)}
                add(found.setdefault(target.name, {}), read, factor * number(target.coefficient))
        return found

    def vector(self, said: f.Entries) -> Form:
        """``+pig -2wombat``; entries of the same place add up."""
        return {name: form.get("", 0) for name, form in self.matrix(said, True).items()}

    # -------------------------------------------------------------- `semes:`

    def name_semes(self, flat: f.Flat, every: Sequence[f.Statement]) -> None:
        """What the names of semes, distances, clocks and groups are."""
        self.ranges: dict[str, Values] = {}
        self.distances: dict[str, list[tuple[str, str]]] = {}
        for each in flat.statements:
            if isinstance(each, f.Seme):
                self.ranges[each.name] = Values(*map(number, (each.low, each.high, each.step)))
            elif isinstance(each, f.Distance):
                own = [(f"{each.name}.{c}", f"{each.name}.{s}") for c, s in map(hands, self.clocks)]
                self.distances[each.name] = own
                self.ranges |= dict.fromkeys((hand for two in own for hand in two), HAND)
        self.groups: dict[str, list[str]] = {}
        for name in self.ranges:
            stem, dot, _ = name.partition(".")
            if dot and "[" not in stem and stem not in {*self.ranges, *self.distances}:
                self.groups.setdefault(stem, []).append(name)
        self.kept = {n for n in self.ranges if n.endswith(UNFINISHED)}
        self.kept |= {name for period in (*self.clocks, *self.ramp) for name in hands(period)}
        self.ranges |= {name: self.ranges.get(name, HAND) for name in self.kept}
        heads = (fields_of(each.children) for each in every if isinstance(each, f.Block))
        sides = ((head.get("distance"), head.get("look")) for head in heads)
        self.signed = {name for name, look in sides if look not in ("before", "upto", "after")}

    @once
    def values(self, form: Form) -> Values:
        """What a sum may be, if each seme keeps to its range."""
        read = [(factor, self.ranges[name]) for name, factor in form.items() if name]
        low = sum((min(x * each.low, x * each.high) for x, each in read), form.get("", 0))
        high = sum((max(x * each.low, x * each.high) for x, each in read), form.get("", 0))
        return Values(low, high, common_step(abs(x) * each.step for x, each in read if x))

    def checked(self, form: Form, vector: Vector, meant: Callable[[Number], Any] = near) -> Number:
        """The number of a sum that is promised to keep to its range, and to its steps.

        ``meant``: what a number means; one between two steps that mean the same is as good.
        """
        value, (low, high, step) = of(form, vector), self.values(form)
        below = value - (value - low) % step if step else value
        kind: Kind = "step" if low <= value <= high else "range"
        around = {meant(each) for each in (below, value, below + step)}
        if kind == "range" or (below < value and len(around) > 1):
            read, rest = {name: near(x) for name, x in form.items() if name}, form.get("", 0)
            steps = "" if kind == "range" else f" in steps of {plain(near(step))}"
            due = f"{plain(near(low - rest))}..{plain(near(high - rest))}{steps}"
            vector.note(kind, spell.form(read, 0.0), value - rest, due)
        return value

    def answered(self, forms: Iterable[Form], stream: Iterable[Vector]) -> None:
        """The numbers that scores read are promised to keep to their ranges, not sums of flags."""
        for vector in stream:
            for name in dict.fromkeys(name for form in forms for name in form if name):
                low, high, step = self.ranges[name]
                value = vector.get(name, 0)
                if (low, high, step) != (0, 1, 1) and not low <= value <= high:
                    vector.note("range", name, value, f"{plain(near(low))}..{plain(near(high))}")

    # -------------------------------------------------------------- `spelling:`, `lexicon:`

    def words(self, blocks: Iterable[f.Block]) -> dict[str | None, Form]:
        """What files say of each token, added up; under None what they say of all others.

        Several lines of one file give all that they give. A file that does not name a token says of
        it what it says of unknown ones, of special ones nothing. A flag to which a token
        gives another number is no flag: it is what tokens give.
        """
        files: dict[str, dict[str | None, Form]] = {}
        given: dict[str, set[Number]] = {}
        for block in blocks:
            said = files.setdefault(block.origin, {})
            for each in block.children:
                if isinstance(each, f.LexiconEntry):
                    vector = self.vector(each.value)
                    said[each.token] = {**said.get(each.token, {}), **vector}
                    for name, value in vector.items():
                        if value not in (0, 1) and self.ranges[name] == FLAG:
                            given.setdefault(name, {0, 1}).add(value)
        for name, some in given.items():
            self.ranges[name] = Values(min(some), max(some), common_step(map(abs, some - {0})))
        found: dict[str | None, Form] = {None: {}}
        for token in dict.fromkeys((None, *(token for said in files.values() for token in said))):
            found[token] = {}
            for said in files.values():
                others = {} if token in SPECIAL else said.get(None, {})
                add(found[token], said.get(token, others))
        return found

    def embedded(self, tokens: Sequence[str], first: int, broken: list[Broken]) -> Stream:
        """What tokens from a place on have by lexicon and spelling, and the hands of all clocks."""
        found = Stream()
        for place, token in enumerate(tokens[first:], first):
            vector = dict(self.lexicon.get(token, self.lexicon[None]))
            marks = token.marks if isinstance(token, Token) else ()
            for count, mark in zip(marks, self.marks, strict=False):
                add(vector, self.vector(mark), count)
            for period in {*self.clocks, *self.ramp}:
                add(vector, dict(zip(hands(period), hand(period, place), strict=True)))
            found.append(Vector(vector, place, broken))
        return found

    # -------------------------------------------------------------- `clocks:`

    def periods(self, every: Sequence[f.Statement]) -> tuple[tuple[Number, ...], tuple[int, ...]]:
        """Those of the clocks, and of a slow one if something looks for the nearest."""
        fields: dict[str, Any] = {e.key: e.value for e in every if isinstance(e, f.Field)}
        ramp = (1 << (6 * self.length - 1).bit_length(),) if "nearest" in fields else ()
        if "clocks" in fields:
            return tuple(map(number, fields["clocks"].values)), ramp
        if any(isinstance(each, f.Phrase) for each in every) or fields.keys() & POSITIONS:
            count = next(n for n in range(1, 99) if 8**n >= 2 * self.length)
            return tuple(8**n for n in range(1, count + 1)), ramp
        return (), ramp

    # -------------------------------------------------------------- layers

    def run(
        self, runs: Sequence[Run], stream: Stream, memory: Stream | None, past: Past, first: int = 0
    ) -> Stream:
        """All layers, one after another, for the tokens from ``first`` on.

        ``memory``: what the encoder has found; None: this is the encoder, which may look ahead.
        ``past``: what each step of a layer has read of the text so far.
        """
        for place, run in enumerate(runs):
            if run.loop is not None:
                stream = self.loop(run.layers, run.loop, stream, memory)
            for turn, layer in enumerate(run.layers if run.loop is None else ()):
                stream = self.layer(layer, stream, memory, past, (place, turn), first)
        return stream

    def layer(
        self, layer: Layer, stream: Stream, memory: Stream | None, past: Past,
        place: tuple[int, int] = (0, 0), first: int = 0,
    ) -> Stream:  # fmt: skip
        """One layer: each step of it reads what is there, and all of its parts add to that."""
        for step, parts in enumerate(layer):
            if parts and step == DENSE:
                stream = [self.dense(parts[0], vector) for vector in stream]
            elif parts:
                readers = [*map(self.rounded, stream)] if self.rounds else stream
                read = past[*place, step] = [*past.get((*place, step), [])[:first], *readers]
                text = memory if memory is not None and step == CROSSING else read
                ahead = memory is None or text is memory
                adds = [self.adds(part, readers, text, ahead) for part in parts]
                updates = [*zip(*adds, strict=True)]
                for vector, some in zip(stream, updates, strict=True):
                    both = zip(parts, some, strict=True)
                    sets = (s for part, s in both if isinstance(part, f.Rule) and part.sets and s)
                    for name, times in Counter(name for update in sets for name in update).items():
                        if times > 1:
                            vector.note("set", name, times)
                stream = [v.plus(some) for v, some in zip(stream, updates, strict=True)]
        return stream

    def adds(self, part: Part, readers: Stream, text: Stream, ahead: bool) -> Sequence[Form | None]:
        """What a part adds to each reader, given all that it may look at."""
        if isinstance(part, f.Rule):
            return [self.rule(part, vector) for vector in readers]
        if isinstance(part, f.Phrase):
            return [self.phrase(part, text[vector.place :]) for vector in readers]
        if part.keyword == "head":
            return self.head(part, readers, text, ahead)
        return [self.units(part, vector) for vector in readers]

    def rounded(self, vector: Vector) -> Vector:
        """What layers read by ``norm: round``: clocks stay as they are."""
        return vector.but({n: x if n in self.kept else round(x) for n, x in vector.items()})

    def loop(
        self, layers: Sequence[Layer], loop: f.Loop, stream: Stream, memory: Stream | None
    ) -> Stream:
        """Rounds until all have stopped: the text, or each place of a decoder."""
        most, resets = int(loop.most.coefficient), set(loop.resets)
        resets |= {h for name in loop.resets for two in self.distances.get(name, ()) for h in two}

        def heard(flag: f.Term) -> list[bool]:
            up = [self.is_up(str(flag.name), vector) for vector in stream]
            return up if memory is not None else [any(up)] * len(up)

        going = [all(up) for up in zip([True] * len(stream), *map(heard, loop.asked), strict=True)]
        for _ in range(most):
            if not any(going):
                break
            stream = [
                v.but({n: x for n, x in v.items() if n not in resets}) if goes else v
                for v, goes in zip(stream, going, strict=True)
            ]
            for layer in layers:
                new = self.layer(layer, stream, memory, {})
                stream = [n if goes else v for n, v, goes in zip(new, stream, going, strict=True)]
            until = heard(loop.until)
            going = [goes and up == loop.none for goes, up in zip(going, until, strict=True)]
        for vector, goes in zip(stream, going, strict=True):
            if goes and loop.name in self.unheard:
                vector.note("loop", loop.name, most)
        end = {f"{loop.name}{UNFINISHED}": 1}
        return [v.plus([end]) if goes else v for v, goes in zip(stream, going, strict=True)]

    # -------------------------------------------------------------- heads

    def head(self, head: f.Block, readers: Stream, keys: Stream, ahead: bool) -> list[Form]:
        """What a head adds to each reader: of what it reads filler times role, and how far away."""
        fields, ways = self.fields(head), self.ways(head)
        wanted = fields.get("where")

        offered: dict[int, list[Any] | None] = {}

        def offers(place: int) -> list[Any] | None:
            if place not in offered:  # of a key that nobody looks at no promise is read
                key, known = keys[place], self.holds(wanted, keys[place])
                offered[place] = [way.offers(key) for way in ways] if known else None
            return offered[place]

        shares: list[Shares] = []
        for reader in readers:
            count = len(keys) if ahead else reader.place + 1
            heard = self.hears(head, reader)
            shares.append(self.shares(head, reader, range(count), offers) if heard else {})
        if fields.get("normalize") == "queries":
            shares = divided(shares)
        return [
            self.written(head, reader, keys, share) if self.holds(fields.get(HELD), reader) else {}
            for reader, share in zip(readers, shares, strict=True)
        ]

    def shares(
        self, head: f.Block, reader: Vector, places: Iterable[int], offers: Callable[[int], Any]
    ) -> Shares:
        """How a reader divides itself among the keys that are best, or the null key where there is
        one and nothing matches in every way; its scores, if keys divide themselves.
        """
        fields, ways = self.fields(head), self.ways(head)
        rests, below = self.rests(head), fields.get("else", f.Rest((), None)).below
        nothing, scores = {NULL: 1} if rests else {}, dict[int, tuple[Number, Number]]()
        if not self.holds(fields.get("when"), reader):
            return nothing
        asked, look = [way.asks(reader) for way in ways], SIDES[fields.get("look", "all")]
        for place in places:
            apart = place - reader.place
            if (apart > 0) - (apart < 0) in look and (offered := offers(place)) is not None:
                each = zip(ways, asked, offered, strict=True)
                found = [(way.member, *way.finds(mine, its, apart)) for way, mine, its in each]
                if not rests or below is not None or all(hit for _, hit, _ in found):
                    heavy = sum(score for member, _, score in found if member)
                    light = sum(score for member, _, score in found if not member)
                    one = heavy * self.weight(head) + light
                    scores[place] = (heavy, light) if below is None else (0, one)
        if below is not None:
            scores[NULL] = 0, number(below)
        for way, mine in zip(ways, asked, strict=True):
            if way.member and scores and len(mine) > 1:
                reader.note("one", ", ".join(name for _, name in mine), len(mine))
        return scores if fields.get("normalize") == "queries" else best(scores) or nothing

    def hears(self, head: f.Block, reader: Vector) -> bool:
        """Whether what a reader finds may matter: it does not if all of it is bound to 0."""
        fields = self.fields(head)
        if "distance" in fields or fields.get("normalize") == "queries":
            return True
        return any(of(channel.role, reader) for channel in self.channels(head))

    @once
    def weight(self, head: f.Block) -> Number:
        """How much a member counts in one score with others, which cannot make up for it."""
        fields = self.fields(head)
        ranked = [self.values(self.form(fields[k].form)) for k in EXTREMES if k in fields]
        spread = sum(low_high.high - low_high.low for low_high in ranked) + ("nearest" in fields)
        return 2 * power_of_two(spread) if spread else 1

    def rests(self, head: f.Block) -> bool:
        """Whether a head has a null key."""
        fields = self.fields(head)
        ranked = [fields[key] for key in EXTREMES if key in fields]
        rests = fields.keys() & RESTING or any(each.where for each in ranked)
        return bool(rests) and fields.get("normalize") != "queries"

    def written(self, head: f.Block, reader: Vector, keys: Stream, shares: Shares) -> Form:
        """What a head writes of what a reader reads."""
        fields = self.fields(head)
        found = dict(self.vector(fields.get("out", ())))
        for filler, role, writes, rest in self.channels(head):
            read = sum(
                share * (rest if key == NULL else of(filler, keys[key]))
                for key, share in shares.items()
            )
            if read:
                add(found, writes, read * of(role, reader))
        if "distance" in fields:
            if len(shares) > 1:
                reader.note("distance", "", len(shares))
            turn = -1 if fields.get("look") in ("before", "upto") else 1
            own = self.distances[fields["distance"]]
            for (cos, sin), period in zip(own, self.clocks, strict=True):
                for key, share in shares.items():
                    x, y = hand(period, key - reader.place) if key != NULL else (0, 0)
                    add(found, {cos: x, sin: y * turn}, share)
        return found

    @once
    def channels(self, head: f.Block) -> list[Channel]:
        """``value`` and ``role``, by way of ``out`` or not, then ``bind``."""
        fields, one = self.fields(head), {"": 1}
        value, role = self.matrix(fields.get("value", ())), self.matrix(fields.get("role", ()))
        out, onward = fields.get("out", ()), self.matrix(fields.get("out", ()), True)
        rest = self.vector(fields.get("else", f.Rest((), None)).filler)
        products = [each for each in self.entries(out) if each[0] == "product"]
        found: list[Channel] = []
        for _, (filler, bound, target), factor in products:
            name, weight = str(filler.name), factor * factors(filler, bound, target)
            writes = {str(target.name): weight}
            found.append(Channel(value[name], role[str(bound.name)], writes, rest.get(name, 0)))
        for name, filler in () if products else value.items():
            further = {n: form[name] for n, form in onward.items() if name in form}
            writes = further if "out" in fields else {name: 1}
            found.append(Channel(filler, role.get(name, one), writes, rest.get(name, 0)))
        for _, (filler, bound, target), factor in self.entries(fields.get("bind", ())):
            name = str(target.name)
            writes = {name: factor * factors(target)}
            channel = Channel(self.form((filler,)), self.form((bound,)), writes, rest.get(name, 0))
            found.append(channel)
        return found

    # -------------------------------------------------------------- what a head looks for

    @once
    def ways(self, head: f.Block) -> list[Way]:
        """The ways in which a head searches."""
        fields, read, found = self.fields(head), self.checked if self.rests(head) else of, []
        within = partial(self.checked, meant=nothing) if self.rests(head) else of
        if fields.keys() & {"query", "key"}:
            sides = (self.matrix(fields.get(side, ())).items() for side in ("query", "key"))
            mine, theirs = ({(n.partition("[")[0], n): form for n, form in side} for side in sides)
            found.append(by_product(mine, theirs, read))
        if fields.keys() & {"at", "querypos", "keypos"}:
            away = int(fields.get("at", 0) + fields.get("querypos", 0) - fields.get("keypos", 0))
            here = lambda *two: (two[-1] == away, nearness(self.clocks, two[-1] - away))  # noqa: E731
            found.append(Way(nothing, nothing, here))
        found += self.matches(fields.get("match", ()))
        if "nearest" in fields:
            slow = {hands(self.ramp[0])[1]: 1 if fields["look"] != "after" else -1}
            found.append(self.by_worth(slow, 1, fields["nearest"], 2, of))
        for key, sign in EXTREMES.items():
            if key in fields:
                form = self.form(fields[key].form)
                bonus = 2 * (self.values(form).high - self.values(form).low) + 1
                bonus = power_of_two(bonus) if fields[key].where else 0
                found.append(self.by_worth(form, sign, fields[key].where, bonus, within))
        return found

    def by_worth(self, form: Form, sign: int, where: Any, bonus: Number, read: Read) -> Way:
        """``nearest: noun``, ``highest: rank where noun``: the greatest of those with a flag."""

        def offers(key: Vector) -> tuple[bool, Number]:
            return self.holds(where, key), sign * read(form, key) + bonus * self.opened(where, key)

        return Way(nothing, offers, lambda _, offered, __: offered)

    def matches(self, said: f.Entries) -> Iterator[Way]:
        """``place ~ place``, keys that have the member of a family that the reader has; and
        ``to_end ~ from_start``, keys whose distance is the reader's, so that all hands agree.
        """
        asked, offered = Side(), Side()
        for name, wanted, weight in self.pairs(said):
            if name in self.distances:
                sides = 1 if self.signed.isdisjoint((name, wanted)) else 2
                enough, gap = nearly(self.clocks, self.length * sides)
                both = (
                    enumerate(h for two in self.distances[d] for h in two) for d in (name, wanted)
                )
                own, other = ({("", str(n)): {h: 1} for n, h in side} for side in both)
                way, most = by_product(own, other, of, enough), len(self.clocks) + gap / Fraction(4)
                yield way._replace(asks=of_hands(way.asks, most), offers=of_hands(way.offers, most))
            else:
                asked["", name] = self.meant(name)
                add(offered.setdefault(("", name), {}), self.meant(wanted), weight)
        if asked:
            yield by_product(asked, offered, flagged, member=True)

    def pairs(self, said: f.Entries) -> Iterator[tuple[str, str, Number]]:
        """What the reader has, what a key must have, and how much that counts."""
        for _, (own, *relation, other), factor in self.entries(said):
            weight = factor * factors(own, *relation, other)
            if not relation:
                yield str(own.name), str(other.name), weight
            for each in relation:
                for _, (left, right), more in self.entries(self.lists[str(each.name)]):
                    if left.name == own.name:
                        yield str(own.name), str(right.name), weight * more * factors(left, right)

    # -------------------------------------------------------------- feed-forward blocks

    def rule(self, rule: f.Rule, vector: Vector) -> Form | None:
        """``total: val when noun``; a reading and a sequence are such rules already."""
        targets = self.vector(rule.targets)
        if not rule.sets and self.is_condition(rule.value):
            return targets if self.holds(self.both(rule), vector) else None
        if not self.holds(rule.when, vector):
            return None
        given = self.amount(rule.value, vector)
        if rule.sets:
            return {name: given - vector.get(name, 0) for name in targets}
        return {name: given * factor for name, factor in targets.items()} if given else {}

    @once
    def both(self, rule: f.Rule) -> f.AllOf[Any]:
        """The condition that a rule gives, and the one under which it gives it."""
        return f.AllOf(tuple(part for part in (rule.value, rule.when) if part is not None))

    def is_condition(self, value: f.Value | None) -> bool:
        """Whether a rule gives 1 or 0 by a condition, and no number."""
        match value:
            case None | f.Function():
                return False
            case f.Truth(form=(f.Term(name=str() as name),)):
                return not isinstance(self.aliases.get(name), f.Truth | None)
            case _:
                return not isinstance(value, f.Truth)

    def amount(self, value: Any, vector: Vector) -> Number:
        """The number that a rule gives: a sum, a function of one, or 1 where a condition holds."""
        if value is None:
            return 1
        if self.is_condition(value):
            return int(self.holds(value, vector))
        form = self.form(value.form)
        if isinstance(value, f.Truth):
            return self.checked(form, vector, nothing)
        if value.more:
            return abs(abs(of(form, vector)) + of(self.form(value.more), vector))
        given, jumps = [*map(number, value.arguments)], JUMPS.get(value.function, nothing)
        read = self.checked(form, vector, lambda x: jumps(x, *given))
        return FUNCTIONS[value.function](read, *given)

    def units(self, block: f.Block, vector: Vector) -> Form:
        """``mat1`` to ``bias2`` of one file: relu(x·mat1 + bias1)·mat2 + bias2."""
        inward = self.joint(block, "mat1", "bias1")
        outward = self.joint(block, "mat2", "bias2", True)
        return times({name: max(x, 0) for name, x in times(vector, inward).items()}, outward)

    # -------------------------------------------------------------- conditions

    def holds(self, said: f.Condition | None, vector: Vector) -> bool:  # noqa: PLR0911  one per node
        """Whether a condition holds; one that is not written does."""
        match said:
            case None:
                return True
            case f.AllOf(parts=parts):
                never = self.is_impossible(said)
                return not never and settled(parts, self.holds, vector, settles=False)
            case f.AnyOf(parts=parts):
                always = self.is_certain(said)
                return always or settled(parts, self.holds, vector, settles=True)
            case f.Not(part=part):
                return not self.holds(part, vector)
            case f.Comparison():
                return self.compares(said, vector)
            case f.Truth(form=(f.Term(name=str() as name),)) if name in self.aliases:
                return self.holds(self.aliases[name], vector)
            case f.Truth(form=(f.Term(name=None, coefficient=value),)):
                return value != 0
            case f.Truth(form=form):
                flags = [name for name in self.form(form) if name]
                return settled(flags, self.is_up, vector, settles=True)

    @once
    def is_impossible(self, said: f.AllOf[Any]) -> bool:
        """Whether a flag and its denial are joined: so no flag is read."""
        tests = {*self.joined(said)}
        return any((name, not up) in tests for name, up in tests)

    @once
    def is_certain(self, said: f.AnyOf[Any]) -> bool:
        """Whether a flag stands beside its denial, `f | !f`: so no flag is read."""
        alone = (part for part in said.parts if isinstance(part, f.Truth | f.Not))
        tests = {test for part in alone if not self.is_alias(part) for test in self.joined(part)}
        return any((name, not up) in tests for name, up in tests)

    def is_alias(self, said: f.Truth[f.Term] | f.Not[Any]) -> bool:
        """Whether what is tested, or denied, stands for something else."""
        inner = said.part if isinstance(said, f.Not) else said
        return isinstance(inner, f.Truth) and inner.form[0].name in self.aliases

    def joined(self, said: f.Condition) -> Iterator[tuple[str, bool]]:
        """The flags that ``&`` joins, and whether each must be up."""
        match said:
            case f.AllOf(parts=parts):
                for part in parts:
                    yield from self.joined(part)
            case f.Truth(form=(f.Term(name=str() as name, coefficient=1),)):
                alias = self.aliases.get(name)
                yield from [(name, True)] if alias is None else self.joined(alias)
            case f.Not(part=f.Truth(form=(f.Term(name=str() as name, coefficient=1),))):
                yield from [] if name in self.aliases else [(name, False)]
            case _:
                pass

    def opened(self, said: f.Condition | None, vector: Vector) -> int:
        """1 where flags joined by ``&`` are as they must be, and 1 less for each that is not; of
        flags joined by ``|`` how many there are.
        """
        match said:
            case f.AllOf(parts=parts):
                return 1 - sum(1 - self.opened(part, vector) for part in parts)
            case f.AnyOf(parts=parts):
                return sum(self.opened(part, vector) for part in parts)
            case f.Truth(form=(f.Term(name=str() as name),)) if name in self.aliases:
                return self.opened(self.aliases[name], vector)
            case f.Truth(form=form):
                return sum(self.is_up(name, vector) for name in self.form(form) if name)
            case _:
                return int(self.holds(said, vector))

    def is_up(self, name: str, vector: Vector) -> bool:
        """Whether a flag is 1."""
        value = vector.get(name, 0)
        if value not in (0, 1):
            vector.note("flag", name, value)
        return value > HALF

    def compares(self, said: f.Comparison[f.Term], vector: Vector) -> bool:
        """``total >= 10``; ``large = noun``, of conditions; ``far = 3``, of a distance."""
        order = ORDERS[said.operator]
        sides = f.Truth(said.left, said.span), f.Truth(said.right, said.span)
        if said.operator in ("=", "!=") and any(map(self.is_condition, sides)):
            return order(*(self.holds(side, vector) for side in sides))
        if len(said.left) == 1 and said.left[0].name in self.distances:
            return self.is_away(said, vector)
        return order(self.checked(self.less(said), vector, lambda x: order(x, 0)), 0)

    @once
    def less(self, said: f.Comparison[f.Term]) -> Form:
        """The left side of a comparison less the right one."""
        found = dict(self.form(said.left))
        add(found, self.form(said.right), -1)
        return found

    def is_away(self, said: f.Comparison[f.Term], vector: Vector) -> bool:
        """``far = 3``: all hands stand as they do three tokens away."""
        name, wanted = str(said.left[0].name), said.operator == "="
        away, value = int(self.form(said.right).get("", 0)), 0
        for two, period in zip(self.distances[name], self.clocks, strict=True):
            value += of(dict(zip(two, hand(period, away), strict=True)), vector)
        most = self.length + abs(away) if name in self.signed else max(self.length, abs(away) + 1)
        enough, gap = nearly(self.clocks, most)
        if abs(away) >= self.length:
            return not wanted
        if abs(value - enough) * 4 < gap:
            vector.note("distance", f"{name} {said.operator} {away}", value)
        return (value > enough) == wanted

    # -------------------------------------------------------------- `dense:`, `cell:`

    def dense(self, block: Any, vector: Vector) -> Vector:
        """``dense:`` replaces the semes by x·weights + bias, or by the relu of that."""
        found = times(vector, self.joint(block, "weights", "bias"))
        if self.fields(block).get("relu") in ("yes", "true"):
            found = {name: max(x, 0) for name, x in found.items()}
        return vector.but(found | {name: x for name, x in vector.items() if name in self.kept})

    def cell(self, stream: Stream) -> Stream:
        """``cell:``: state = activation(x·input + state·recurrent + bias), the first one 0."""
        fields, found, state = fields_of(self.sections["cell"]), Stream(), Form()
        inward, recurrent = fields.get("input"), self.matrix(fields.get("recurrent", ()))
        activated = ACTIVATIONS[fields.get("activation", "relu")]
        for vector in stream:
            given = vector if inward is None else vector.but(times(vector, self.matrix(inward)))
            whole = given.plus([self.vector(fields.get("bias", ())), times(state, recurrent)])
            state = {name: activated(value) for name, value in whole.items()}
            found.append(vector.but(state))
        return found

    # -------------------------------------------------------------- what a program answers

    def outputs(self) -> dict[str, Form]:
        """The score of each token; several lines of one token add up, or are cells of it."""
        said = [entry for entry in self.sections["output"] if isinstance(entry, f.OutputEntry)]
        if not said and self.kind in ("seq2seq", "decoder"):
            return {str(token): form for token, form in self.lexicon.items() if token != BOS}
        in_cells = {entry.token for entry in said if not isinstance(entry.score, f.Truth)}
        found: dict[str, Form] = {}
        for entry in said:
            form = found.setdefault(entry.token, {})
            if isinstance(entry.score, f.Truth) and entry.token not in in_cells:
                add(form, self.form(entry.score.form))
            else:
                for cell in self.cells(entry.score):
                    for name in cell:
                        form[name] = max(form.get(name, 0), Fraction(1, len(cell)))
        return found

    def cells(self, said: Any) -> Iterator[set[str]]:
        """The sets of flags of which one must be up as a whole."""
        match said:
            case f.AnyOf(parts=parts):
                yield from (cell for part in parts for cell in self.cells(part))
            case f.AllOf(parts=parts):
                for several in product(*([*self.cells(part)] for part in parts)):
                    yield set[str]().union(*several)
            case _:
                yield from ({name} for name in self.form(said.form) if name)

    def classes(self) -> list[Form]:
        """The score of each class, that of ``otherwise`` last; or the one score."""
        said = [*self.sections["classify"], *self.sections["score"]]
        entries = [each.when for each in said if isinstance(each, f.ClassEntry)]
        forms = [self.form(when.form) for when in entries if isinstance(when, f.Truth)]
        return [*forms, {"": HALF}] if None in entries else forms

    # -------------------------------------------------------------- names for sums, lines of blocks

    @once
    def form(self, terms: Sequence[f.Term]) -> Form:
        """A sum, with what stands for aliases and groups in it."""
        found = Form()
        for term in terms:
            read = {"": 1} if term.name is None else self.meant(term.name)
            add(found, read, number(term.coefficient))
        return found

    def meant(self, name: str) -> Form:
        """What a name reads: a seme, the sum that an alias stands for, or that of a group."""
        if name in self.ranges:
            return {name: 1}
        alias = self.aliases.get(name)
        if isinstance(alias, f.Truth):
            return self.form(alias.form)
        found = Form()
        for member in self.groups[name]:
            add(found, self.meant(member))
        return found

    @once
    def fields(self, block: f.Block) -> dict[str, Any]:
        """The lines of a block by key."""
        return fields_of(block.children)

    @once
    def joint(self, block: f.Block, matrix: str, bias: str, hidden: bool = False) -> Matrix:
        """A matrix and a bias of a block as one."""
        fields = self.fields(block)
        return self.matrix(fields.get(matrix, ()) + fields.get(bias, ()), hidden)

    # -------------------------------------------------------------- phrases

    def phrase(self, said: f.Phrase[str], text: Stream) -> Form:
        """``phrase "take away", "minus" > subtracts``: a flag where each token has a seme that no
        other token has. A phrase that begins with another one of the line says nothing more.
        """
        spelled = [tuple(split(each, self.tokens)) for each in dict.fromkeys(said.phrases)]
        begun = [words for words in spelled if any(words[:n] in spelled for n in range(len(words)))]
        found = 0
        for words in spelled:
            if words not in begun and len(words) <= len(text):
                own = (self.own[word] for word in words)
                found += all(v.get(name, 0) > HALF for v, name in zip(text, own, strict=False))
        return {said.target: found}

    @cached_property
    def own(self) -> dict[str, str]:
        """For each token a seme that no other token has, and that is 1 there."""
        words = [(token, *pair) for token, v in self.lexicon.items() if token for pair in v.items()]
        having = Counter(name for _, name, x in words if x)
        return {token: name for token, name, x in words if x == 1 and having[name] == 1}

    # -------------------------------------------------------------- other files

    def stack(self, blocks: Iterable[f.Block]) -> list[Run]:
        """The layers of a stack in the order in which they run."""
        runs: list[Run] = []
        for together in by_loop(blocks):
            first = together[0]
            parts = [[*self.parts(block)] for block in together]
            if first.keyword == "layer" and first.loop is None and (self.auto or first.origin):
                runs += (Run([layer_of([part])], None, None) for part in parts[0])
            else:
                repeats = (int(self.fields(block).get("repeat", 1)) for block in together)
                both = zip(map(layer_of, parts), repeats, strict=True)
                layers = [layer for layer, times in both for _ in range(times)]
                runs.append(Run(layers, first.loop, first.origin))
        return [*self.in_order(runs)]

    def parts(self, block: f.Block) -> Iterator[Part]:
        """The parts of a layer; the raw weights of a file are one."""
        if block.keyword == "dense":
            yield block
        raw: dict[str, list[f.Statement]] = {}
        for child in block.children:
            match child:
                case f.Phrase() | f.Block(keyword="head"):
                    yield child
                case f.Block():
                    yield from (each for each in child.children if isinstance(each, f.Rule))
                    fields = (each for each in child.children if isinstance(each, f.Field))
                    raw.setdefault(child.origin, []).extend(fields)
                case _:
                    pass
        for some in filter(None, raw.values()):
            yield replace(block, keyword="feedforward", children=tuple(some))

    def in_order(self, runs: Sequence[Run]) -> Iterator[Run]:
        """Each run in the earliest layer in which all has been written that it reads, and layers of
        one file behind each other. What is repeated is no place for others: these stand before it.
        """
        writers: dict[str, list[tuple[int, int]]] = {}
        anew = [self.steps(run, self.sets) for run in runs]
        for place, run in enumerate(runs):
            for name, steps in self.steps(run, self.writes).items():
                writers.setdefault(name, []).append((place, max(steps)))
        waits: list[list[tuple[int, bool]]] = []
        last: dict[str | None, int] = {}
        for place, run in enumerate(runs):
            waits.append([(last[run.origin], True)] if run.origin in last else [])
            reads = self.steps(run, self.reads)
            for name, steps in {**anew[place], **reads}.items():
                for other, step in writers.get(name, ()):
                    if name not in reads and name in anew[other]:
                        continue
                    if other != place and (run.origin is None or runs[other].origin != run.origin):
                        waits[-1].append((other, min(steps) <= step))
            if run.origin is not None:
                last[run.origin] = place
        levels, before = [0] * len(runs), list[int]()
        while levels != before:
            before = levels
            levels = [max((levels[n] + more for n, more in each), default=0) for each in waits]
            assert max(levels, default=0) <= len(runs), "parts wait for each other in a circle"
        for level in range(max(levels, default=-1) + 1):
            row = [run for run, own in zip(runs, levels, strict=True) if own == level]
            plain = [run.layers[0] for run in row if run.is_plain]
            yield Run([layer_of(p for each in plain for step in each for p in step)], None, None)
            yield from (run for run in row if not run.is_plain)

    def steps(self, run: Run, find: Callable[[Any], set[str]]) -> dict[str, set[int]]:
        """The semes that a run reads, or writes, and in which steps; what is repeated has none."""
        found: dict[str, set[int]] = {}
        if run.loop is not None:
            asked = {str(flag.name) for flag in run.loop.asked}
            of_loop = asked if find == self.reads else {f"{run.loop.name}{UNFINISHED}"}
            found |= {name: {LINES} for name in of_loop}
        for step, parts in ((s, parts) for layer in run.layers for s, parts in enumerate(layer)):
            for name in (name for part in parts for name in find(part)):
                found.setdefault(name, set()).add(step if run.is_plain else LINES)
        return found

    def reads(self, part: Part) -> set[str]:
        """The semes of its own stack that a part reads."""
        if isinstance(part, f.Phrase):
            return set()
        if isinstance(part, f.Rule):
            return self.names((part.when, part.value))
        fields = self.fields(part)
        if part.keyword != "head":
            return self.names([fields.get(key, ()) for key in RAW])
        match = [*self.pairs(fields.get("match", ()))]
        bind = [*self.entries(fields.get("bind", ()))]
        mine = [fields.get(key, ()) for key in ("query", "role", "when", HELD)]
        mine += [own for own, _, _ in match] + [terms[1] for _, terms, _ in bind]
        theirs = [fields.get(key, ()) for key in ("value", "key", "where", "nearest")]
        theirs += [fields.get(key, ()) for key in ("highest", "lowest")]
        theirs += [its for _, its, _ in match] + [terms[0] for _, terms, _ in bind]
        return self.names(mine if "from" in fields else mine + theirs)

    def writes(self, part: Part) -> set[str]:
        """The semes that a part writes; for what ``dense:`` does nobody waits."""
        if isinstance(part, f.Phrase):
            return {part.target}
        if isinstance(part, f.Rule):
            return set(self.vector(part.targets))
        fields = self.fields(part)
        if part.keyword != "head":
            return set(self.joint(part, "mat2", "bias2", True))
        hands = (hand for two in self.distances.get(fields.get("distance", ""), ()) for hand in two)
        written = (name for channel in self.channels(part) for name in channel.writes)
        return {*hands, *written, *self.vector(fields.get("out", ()))}

    def sets(self, part: Part) -> set[str]:
        """The semes that a part gives a value in the place of what was there."""
        return self.writes(part) if isinstance(part, f.Rule) and part.sets else set()

    def names(self, said: Any) -> set[str]:
        """The semes that a sum, a condition or a list reads, but for what the list writes."""
        if isinstance(said, f.Term):
            said = str(said.name)
        if isinstance(said, str):
            if said not in self.aliases and (said in self.ranges or said in self.groups):
                return set(self.meant(said))
            said = self.aliases.get(said) or self.distances.get(said, ())
        if isinstance(said, f.Entry):
            given = self.lists.get(str(said.terms[0].name)) if said.kind == "vector" else None
            said = given or said.terms[:-1]
        if not isinstance(said, list | tuple | dict):
            said = [getattr(said, each) for each in READING if hasattr(said, each)]
        return set[str]().union(*map(self.names, said))


def by_product(
    mine: Side, theirs: Side, read: Read, enough: Number = 0, member: bool = False
) -> Way:
    """``query: noun>wanted``, ``key: adjective>wanted``: the greatest product.

    It matches where each feature is above 0, or what is enough; those of one family count together.
    """
    families = {family for family, _ in mine.keys() & theirs.keys()}

    def looked(side: Side) -> Callable[[Vector], dict[tuple[str, str], Number]]:
        return lambda v: {name: x for name, form in side.items() if (x := read(form, v))}

    def finds(asked: Any, offered: Any, _apart: int) -> tuple[bool, Number]:
        sums: Form = dict.fromkeys(families, 0)
        for name in asked.keys() & offered.keys():
            add(sums, {name[0]: asked[name] * offered[name]})
        return all(x > enough for x in sums.values()), sum(sums.values())

    return Way(looked(mine), looked(theirs), finds, member)


def of_hands(looked: Callable[[Vector], Any], most: Number) -> Callable[[Vector], Any]:
    """What is looked for, or offered, of a distance: each of its hands has the length 1."""

    def found(vector: Vector) -> Any:
        hands = looked(vector)
        size = sum(x * x for x in hands.values())
        if size > most:
            vector.note("distance", "", size)
        return hands

    return found


def layer_of(parts: Iterable[Part]) -> Layer:
    """The layer in which some parts stand."""
    steps: Layer = [], [], [], []
    for part in parts:
        step = LINES
        if isinstance(part, f.Block) and part.keyword != "feedforward":
            crossing = "from" in fields_of(part.children)
            step = DENSE if part.keyword == "dense" else CROSSING if crossing else HEADS
        steps[step].append(part)
    return steps


def refuse_learned(flat: f.Flat) -> None:
    """Refuses what only a network computes.

    Raises:
        RefusedError: by name.
    """
    for each in f.walk(flat.statements):
        said, key = getattr(each, "gives", getattr(each, "value", ())), getattr(each, "key", "")
        if isinstance(each, f.Block) and each.keyword == "learn":
            what = "`learn:`"
        elif isinstance(said, str) and (key, said) in LEARNED:
            what = f"`{key}: {said}`"
        elif isinstance(said, tuple) and any(entry.mark for entry in said):
            what = "what is trained"
        else:
            continue
        raise RefusedError(f"{what} is the network's only")
