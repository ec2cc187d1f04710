"""What a program takes and gives, without a weight: what reading texts and answering them needs."""

from dataclasses import dataclass, field
from functools import cached_property

from progtf.numbers import DOUBLE, whole_steps
from progtf.program.heard import unheard
from progtf.program.model import EOS, Kind, Loop, Pool, Program, Tokens
from progtf.program.spelling import Spelling


@dataclass(frozen=True)
class Dimension:
    """One dimension of the residual and the values it may take."""

    name: str
    low: float
    high: float
    grain: float

    @property
    def whole(self) -> bool:
        """Whether it is declared to have whole numbers alone."""
        return whole_steps(self.low, self.grain)

    def has(self, value: float) -> bool:
        """Whether a number is one of the values: within the ends, and on a step of them."""
        if not self.low <= value <= self.high:
            return False
        if not self.grain:
            return True
        steps = (value - self.low) / self.grain
        if self.whole:
            return steps.is_integer() and float(value).is_integer()
        near = self.low + round(steps) * self.grain  # of three steps of 0.1, 0.30000000000000004
        return abs(value - near) <= DOUBLE * max(1.0, abs(value))


@dataclass(frozen=True)
class Interface:
    """A program as its users see it.

    Attributes:
        space: the residual's dimensions: semes, then clocks.
        semes: how many of them are declared semes.
        lengths: the longest input and the longest output, in tokens.
        join: how words end that the next one is joined to without a blank; none if empty.
        unknown: whether tokens are taken that the lexicon does not have.
        outputs: the tokens that can be written, in the order of their scores.
        pool: how a text is pooled for ``classes``; None: it is not.
        number: the one class is a number, and the answer is its score itself.
        examples: inputs and what is to be made of them.
        vectors: those that have a name, for inputs that are vectors.
        loops: those that must come to their end, since nothing in the program hears if not.
        again: how many steps a chain has at most; 0: what is written is never asked again.
        ask: how an ``{answer}`` is put to the ``{text}`` that asked; "": no questions are asked.
    """

    name: str
    kind: Kind
    tokens: Tokens
    join: str
    lengths: tuple[int, int]
    space: tuple[Dimension, ...]
    semes: int
    lexicon: tuple[str, ...]
    unknown: bool
    outputs: tuple[str, ...]
    pool: Pool | None
    classes: tuple[str, ...]
    number: bool
    spelling: Spelling
    examples: tuple[tuple[str, str], ...]
    vectors: dict[str, dict[str, float]] = field(
        default_factory=dict[str, dict[str, float]], kw_only=True
    )
    loops: tuple[Loop, ...] = field(default=(), kw_only=True)
    again: int = field(default=0, kw_only=True)
    ask: str = field(default="", kw_only=True)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the residual's dimensions, in order."""
        return tuple(dimension.name for dimension in self.space)

    def dimension(self, name: str) -> Dimension:
        """The dimension of the residual that has a name."""
        return self.space[self.names.index(name)]

    @property
    def takes_vectors(self) -> bool:
        """Whether inputs are vectors in the notation: there are no tokens."""
        return self.kind == "dense" and not self.lexicon

    @property
    def writes(self) -> bool:
        """Whether answers are written token by token, by a decoder."""
        return self.kind in ("seq2seq", "decoder")

    @property
    def ends(self) -> bool:
        """Whether what is written must come to ``<eos>``; a program without it fills its length."""
        return self.writes and (EOS in self.outputs or EOS in self.lexicon)

    @property
    def longest(self) -> int:
        """The longest sequence in tokens; a decoder alone writes on behind its input."""
        return sum(self.lengths) if self.kind == "decoder" else max(self.lengths)


def interface_of(program: Program) -> Interface:
    """The interface of a program."""
    classify = program.classify
    ranges = program.space.ranges
    return Interface(
        name=program.name, kind=program.kind, tokens=program.tokens, join=program.join,
        lengths=program.lengths,
        space=tuple(Dimension(n, r.low, r.high, r.grain) for n, r in ranges.items()),
        semes=program.semes, lexicon=tuple(program.lexicon), unknown=program.unknown is not None,
        outputs=tuple(program.outputs),
        pool=None if classify is None else classify.pool,
        classes=() if classify is None else tuple(classify.forms),
        number=classify is not None and classify.number,
        spelling=program.spelling,
        examples=tuple((example.input, example.output) for example in program.examples),
        vectors={name: dict(vector) for name, vector in program.vectors.items()},
        loops=unheard(program), again=program.again, ask=program.ask,
    )  # fmt: skip
