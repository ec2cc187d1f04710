"""A checked program: what a network computes, in names, before anything is a tensor."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from progtf.frozen import freeze, freeze_all, quick
from progtf.notation.diagnostics import Span
from progtf.notation.outline import meaning
from progtf.notation.sought import Sought
from progtf.notation.spell import UNFINISHED, counted
from progtf.program.asked import Answered
from progtf.program.forms import Form, Space, Values, power_of_two_above
from progtf.program.shown import bundle
from progtf.program.spelling import Spelling

if TYPE_CHECKING:
    from progtf.notation.examples import Example

Kind = Literal["encoder", "decoder", "seq2seq", "rnn", "dense"]
Look = Literal["all", "before", "upto", "after", "self", "notself"]
Tokens = Literal["words", "chars", "words -> chars", "chars -> words"]
Binding = Literal["hadamard", "none", "outer"]
Norm = Literal["none", "layer", "round", "split"]
Normalize = Literal["keys", "queries"]
Mark = Literal["~", "?", "one of"]
Marks = Mapping[tuple[str, str, str], Mark]
"""(field, source, target) -> ``~`` trained from what is written, ``?`` from random."""
Pool = Literal["max", "mean", "first", "last", "sum"]

BOS, EOS, AGAIN, ASK = "<bos>", "<eos>", "<again>", "<ask>"
SPECIAL = (BOS, EOS, AGAIN, ASK)
"""Tokens that stand for no part of a text."""
MOST_STEPS = 1000
"""So many steps a chain may have."""
COUNTER, COMPARISON = "phrase", "comparison"
"""The families of semes that nobody wrote: counters of phrases, flags of comparisons."""


def is_generated(name: str) -> bool:
    """Whether a seme is one that the program made for itself."""
    return name.startswith((f'{COUNTER}["', f'{COMPARISON}["'))


@dataclass(frozen=True, slots=True)
class Feature:
    """One dimension of a head's query/key space; the score gets ``query * key``."""

    name: str
    query: Form
    key: Form


@dataclass(frozen=True, slots=True)
class Part:
    """One way in which a head searches: its features, and what their scores tell.

    Attributes:
        match: the lowest score of a match.
        high: the highest score of all.
        miss: the highest score without a match.
        gap: the smallest difference between two matches that must be told apart.
        selective: whether it can miss at all.
        periods: the clocks that it reads; of ``nearest`` the slow one alone.
        shift: how far from the reader an address looks, in tokens.
        offset: of an address of the own clocks, where it looks: so many tokens behind the reader;
            None: it compares something else.
    """

    kind: Literal["raw", "address", "match", "nearest", "extreme", "condition"]
    features: tuple[Feature, ...]
    match: float
    high: float
    miss: float
    gap: float
    selective: bool = True
    periods: tuple[float, ...] = ()
    shift: int = 0
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Channel:
    """One dimension of a head's filler: ``filler`` read there, times ``role`` read here."""

    name: str
    filler: Form
    role: Form
    writes: Mapping[str, float]

    def __post_init__(self) -> None:
        freeze(self, "writes")


@dataclass(frozen=True, slots=True)
class Null:
    """The key that a query rests on when nothing scores above ``score``; it writes ``filler``."""

    score: float
    filler: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """One attention head (Schlag et al. 2019, Eq. 3 to 6), with the sizes its names need.

    ``learned``: the fields that are learned as a whole, ``value: ?``, each with its size; 0 is the
    usual size. ``hard``: the sharpness that is computed where none is written.
    """

    name: str
    parts: tuple[Part, ...]
    channels: tuple[Channel, ...]
    look: Look
    source: Literal["self", "encoder"]
    bias: Mapping[str, float]
    sharpness: float
    null: Null | None
    normalize: Normalize
    span: Span
    marks: Marks = field(default_factory=dict[tuple[str, str, str], Mark])
    learned: Mapping[str, int] = field(default_factory=dict[str, int])
    hard: float = 0.0

    def __post_init__(self) -> None:
        freeze(self, "bias", "marks", "learned")

    @property
    def soft(self) -> bool:
        """Whether it is written to attend less sharply than would leave nothing to the rest."""
        return self.sharpness < self.hard

    @property
    def features(self) -> tuple[Feature, ...]:
        """The dimensions of its query/key space, those of all parts."""
        return tuple(feature for part in self.parts for feature in part.features)

    @property
    def required(self) -> frozenset[str]:
        """The flags that a reader must have to read anything but the null key: of ``when:``."""
        found: set[str] = set()
        for part in self.parts if self.null is not None else ():
            for feature in part.features:
                query, key = feature.query.coefficients, feature.key.coefficients
                needed = {name for name, factor in query.items() if factor == -1}
                if part.kind == "condition" and not key and feature.query.constant == len(needed):
                    found |= needed
        return frozenset(found)

    @property
    def targets(self) -> set[str]:
        return {*self.bias, *(seme for channel in self.channels for seme in channel.writes)}


@quick
@dataclass(frozen=True, slots=True)
class Gate:
    """Flags that must hold and flags that must not."""

    positive: frozenset[str] = frozenset()
    negative: frozenset[str] = frozenset()

    def violations(self) -> Form:
        """How many of them are not as they must be: 0 where the gate is open."""
        return _violations(self)


@lru_cache(maxsize=4096)
def _violations(gate: Gate) -> Form:
    coefficients = dict.fromkeys(sorted(gate.positive), -1.0)
    coefficients |= dict.fromkeys(sorted(gate.negative), 1.0)
    return Form(coefficients, float(len(gate.positive)))


@quick
@dataclass(frozen=True, slots=True, weakref_slot=True)
class Curve:
    """A piecewise linear function of one form.

    ``start + slope * (x - low) + sum of change * relu(x - knot)`` for x from ``low`` to ``high``.
    ``grain`` is the distance between two values that the form can take; two knots half of it
    apart are the ends of a ramp between plateaus.
    """

    form: Form
    low: float
    high: float
    start: float
    slope: float
    knots: tuple[tuple[float, float], ...]
    grain: float

    @property
    def reach(self) -> float:
        """How far one closed flag moves the reading: past the first bend, a power of two.

        Of a ramp three quarters of it are enough, so that a flag may lie a quarter off.
        """
        ramp = self.high - min((knot for knot, _ in self.knots), default=self.high)
        needed = self.high - self.low if self.slope else ramp / 0.75
        return power_of_two_above(max(needed, 2.0**-20))


@quick
@dataclass(frozen=True, slots=True)
class Line:
    """A rule as it was written: ``writes`` times one of ``values``.

    ``held``: the flag by which ``use ... when`` holds it back: where that is 0 nothing passes, be
    what is read beyond its range; "" if there is none.
    ``sets``: what it writes stands in the place of what was there, and can be this; None: it adds.
    ``folds``: of ``abs(abs(x) - a)`` the sums ``x`` and ``a``.
    """

    writes: Mapping[str, float]
    values: Values
    span: Span
    held: str = ""
    sets: Values | None = None
    folds: tuple[Form, Form] | None = None

    def __post_init__(self) -> None:
        freeze(self, "writes")


@quick
@dataclass(frozen=True, slots=True)
class Rule:
    """``writes`` times ``curve`` (1 without one) where the gate is open, 0 elsewhere.

    All rules that one line comes to share ``line``.
    """

    writes: Mapping[str, float]
    gate: Gate
    curve: Curve | None
    line: Line

    def __post_init__(self) -> None:
        freeze(self, "writes")


@dataclass(frozen=True, slots=True)
class Unit:
    """A hidden unit given as it is: ``relu(reads)`` times ``writes``."""

    name: str
    reads: Form
    writes: Mapping[str, float]

    def __post_init__(self) -> None:
        freeze(self, "writes")


@quick
@dataclass(frozen=True, slots=True)
class Compared:
    """A sum that some comparison reads behind a gate, and what it is promised to be there.

    ``steps``: whether it must be one of the values; else it lies between them. ``writes``: the
    semes of its line.
    """

    gate: Gate
    form: Form
    values: Values
    steps: bool
    span: Span
    writes: frozenset[str]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class FeedForward:
    """Rules and raw units of one layer, and what it adds everywhere (Eq. 7).

    ``compared``: sums of which no curve shows what they are promised to be: of comparisons that
    ranges settle, and of several that are mixed in one curve.
    """

    rules: tuple[Rule, ...] = ()
    units: tuple[Unit, ...] = ()
    bias: Mapping[str, float] | None = None
    marks: Marks = field(default_factory=dict[tuple[str, str, str], Mark])
    compared: tuple[Compared, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, "bias", "marks")

    @property
    def targets(self) -> set[str]:
        parts = (*self.rules, *self.units)
        return {*(self.bias or {}), *(seme for part in parts for seme in part.writes)}


@dataclass(frozen=True, slots=True)
class Loop:
    """What the layers of ``loop NAME up to MOST until FLAG when ASKED:`` share.

    A text stops as a whole, for its tokens read each other, and stays as it is.

    Attributes:
        most: how many rounds there are at most.
        until: the flag that ends it, if some token has it after a round.
        none: whether it ends where no token has the flag.
        resets: the semes of one round: 0 when a round begins.
        asked: the flags of which some token must have each; else the text is done before the first
            round.
        falls: what every round lowers, so that it ends; None: that is not said.
    """

    name: str
    most: int
    until: str
    none: bool
    resets: tuple[str, ...]
    asked: tuple[str, ...] = ()
    falls: Form | None = None

    @property
    def unfinished(self) -> str:
        """The seme that every token has if the last round did not end it."""
        return f"{self.name}{UNFINISHED}"

    def __str__(self) -> str:
        """The line that opens it."""
        until = f"until {'no ' if self.none else ''}{self.until}"
        when = f" when {' & '.join(self.asked)}" if self.asked else ""
        return f"loop {self.name} up to {self.most} {until}{when}"


@dataclass(frozen=True, slots=True)
class Layer:
    """Heads on the own sequence, then heads on the encoder, then the feed-forward block.

    ``repeat``: how often it runs, one time after another. ``loop``: the loop that it stands in; the
    layers of a loop follow each other.
    """

    name: str
    heads: tuple[Head, ...]
    cross: tuple[Head, ...]
    feedforward: FeedForward | None
    repeat: int
    span: Span
    loop: Loop | None = None


@dataclass(frozen=True, slots=True)
class Dense:
    """A pointwise layer without a residual connection: ``[relu](x W + b)``."""

    name: str
    weights: Mapping[str, Form]
    relu: bool
    span: Span
    marks: Marks = field(default_factory=dict[tuple[str, str, str], Mark])
    loop: None = None

    def __post_init__(self) -> None:
        freeze(self, "weights", "marks")


@dataclass(frozen=True, slots=True)
class Cell:
    """A vanilla recurrent cell: ``h = activation(x W + h U + b)``."""

    input: Mapping[str, Form]
    recurrent: Mapping[str, Form]
    activation: Literal["relu", "tanh", "clip", "none"]
    span: Span
    marks: Marks = field(default_factory=dict[tuple[str, str, str], Mark])

    def __post_init__(self) -> None:
        freeze(self, "input", "recurrent", "marks")


@dataclass(frozen=True, slots=True)
class Classify:
    """Pooled classes: the class with the largest score, ``otherwise`` with score 1/2.

    ``number``: there is one "class" and the answer is its score itself (``score:``).
    """

    pool: Pool
    classes: Mapping[str, Form]
    otherwise: str | None
    number: bool = False

    def __post_init__(self) -> None:
        freeze(self, "classes")

    @property
    def forms(self) -> dict[str, Form]:
        """The score of every class, ``otherwise`` among them."""
        rest = {} if self.otherwise is None else {self.otherwise: Form({}, 0.5)}
        return {**self.classes, **rest}


@dataclass(frozen=True, slots=True)
class LearnedLayer:
    """What is learned beside, or after, the written part of one layer."""

    heads: int
    filter: int


@dataclass(frozen=True, slots=True)
class Learn:
    """What is learned beside what is written.

    Attributes:
        semes: learned dimensions of the residual, beside those with names.
        reads: the written semes that learned parts read.
        encoder, decoder: the number of a layer, from 1 -> what is learned in it.
        protect: learned parts write to learned semes alone.
    """

    semes: int
    reads: tuple[str, ...]
    encoder: Mapping[int, LearnedLayer]
    decoder: Mapping[int, LearnedLayer]
    protect: bool = True

    def __post_init__(self) -> None:
        freeze(self, "encoder", "decoder")


Stage = Layer | Dense


@dataclass(frozen=True)
class Program:
    """Everything that decides what the network computes.

    Attributes:
        space: the residual stream; semes, then clocks.
        semes: how many of its names are declared semes.
        clocks: periods in tokens, slowest last; each has ``cos[p]`` and ``sin[p]`` in the space.
        lexicon: token -> vector; ``unknown`` is the vector of any other token, None: an error.
        spelling: how texts are cut into tokens; ``spelled``: what each of its marks gives.
        outputs: token -> score form; empty where the program has no output.
        join: how words end that the next one is joined to without a blank; none if empty.
        lengths: the longest input and the longest output, in tokens.
        places: where semes are declared, and by the keys ``output:``, ``classify:``, ``again:``
            and ``ask:`` where scores are, how often a text is asked, and how after a question.
        vectors: those that have a name, where inputs are vectors.
        sought: where files were looked for that it uses, and what lay there.
        answers: the kinds of question that its parts answer, if it uses parts `when` asked for.
        again: how many steps a chain of it has at most; 0: what it writes is never asked again.
        ask: how an ``{answer}`` is put to the ``{text}`` that asked; "": it asks no questions.
    """

    name: str
    kind: Kind
    tokens: Tokens
    binding: Binding
    norm: Norm
    width: int
    lengths: tuple[int, int]
    join: str
    space: Space
    semes: int
    clocks: tuple[float, ...]
    lexicon: Mapping[str, Mapping[str, float]]
    unknown: Mapping[str, float] | None
    encoder: tuple[Stage, ...]
    decoder: tuple[Stage, ...]
    cell: Cell | None
    outputs: Mapping[str, Form]
    spelling: Spelling
    spelled: tuple[Mapping[str, float], ...]
    classify: Classify | None
    examples: "tuple[Example, ...]"
    places: Mapping[str, Span]
    learn: Learn | None = None
    marks: Marks = field(default_factory=dict[tuple[str, str, str], Mark])
    vectors: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict[str, Mapping[str, float]]
    )
    sought: Sought = field(default_factory=Sought)
    answers: tuple[Answered, ...] = ()
    again: int = 0
    ask: str = ""

    def __post_init__(self) -> None:
        freeze(self, "unknown", "outputs", "places", "marks")
        freeze_all(self, "lexicon", "spelled", "vectors")

    @property
    def meanings(self) -> dict[str, str]:
        """What the comments beside their declarations say of semes."""
        semes = self.space.names[: self.semes]
        found = {name: meaning(self.places[name]) for name in semes if name in self.places}
        return {name: said for name, said in found.items() if said}

    @property
    def hybrid(self) -> bool:
        """Whether something is left to training."""
        layers = [stage for stage in (*self.encoder, *self.decoder) if isinstance(stage, Layer)]
        heads = [head for layer in layers for head in (*layer.heads, *layer.cross)]
        dense = [s for s in (*self.encoder, *self.decoder) if isinstance(s, Dense)]
        blocks = [layer.feedforward for layer in layers]
        marked = (self, self.cell, *heads, *dense, *blocks)
        return self.learn is not None or any(part.marks for part in marked if part is not None)

    def __repr__(self) -> str:
        """One line; ``progtf check`` and ``progtf.program.summary`` say more."""
        layers = [stage for stage in (*self.encoder, *self.decoder) if isinstance(stage, Layer)]
        dense = len(self.encoder) + len(self.decoder) - len(layers)
        heads = sum(len(layer.heads) + len(layer.cross) for layer in layers)
        sizes = [counted(self.semes, "seme"), counted(len(self.lexicon), "token")]
        sizes += [counted(dense, "dense layer")] if dense else []
        sizes += [counted(len(layers), "layer"), counted(heads, "head")] if layers else []
        return f"<Program {self.name}: {self.kind}, {', '.join(sizes)}>"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        """What a notebook shows; pictures are imported when one asks for them."""
        return bundle(self)
