"""What is said about programs that would not be exact. One function per code."""

from dataclasses import replace

from progtf.notation.diagnostics import Diagnostic, Note, Span
from progtf.notation.spell import counted
from progtf.numbers import exact, plain, refused
from progtf.program.model import Program


def unproven(problem: Diagnostic) -> Diagnostic:
    """The same where nothing is known to be wrong, but what is read cannot be shown to be exact."""
    hint = "what it reads adds up many errors, which are hardly all at their worst at once"
    return replace(problem, headline=f"not derived: {problem.headline}", help=hint)


def layer_norm(program: Program) -> Diagnostic:
    """A norm for which nothing is derived."""
    return Diagnostic(
        "layer-norm",
        "not derived: what `norm: layer` leaves of a number",
        somewhere(program),
        "from the first layer on every number is divided by a root of all others",
        "leave `norm` out, or say `norm: round`",
    )


def too_many_tokens(program: Program, tokens: int, most: int) -> Diagnostic:
    """A decoder that may write more than any network is followed for."""
    return Diagnostic(
        "too-many-tokens",
        f"not derived: no network is certified for {tokens:,} tokens",
        somewhere(program),
        f"what clocks and attention are off by is followed for {most:,} tokens at most",
        "the interpreter answers exactly at any length; a smaller `length` may be certified",
    )


def long_cell(span: Span, steps: int) -> Diagnostic:
    """A cell that is followed for so many words and no further."""
    return Diagnostic(
        "long-cell",
        f"not derived: what a cell comes to after {steps} words",
        span,
        "its bounds still grow",
        "declare a smaller `length`",
    )


def too_large(program: Program, said: str) -> Diagnostic:
    """A weight that a format does not have."""
    return Diagnostic("past-format", said, somewhere(program), "in this program", "use float32")


def overflow(span: Span, what: str) -> Diagnostic:
    """Numbers of which nothing shows that a format has them all."""
    return Diagnostic(
        "past-format",
        f"not derived: that {what} stay below 1e30 on the way",
        span,
        "what is larger may be infinite in float32",
        "declare smaller ranges, or use smaller factors",
    )


def somewhere(program: Program) -> Span:
    """A line of a program, for what is said about all of it."""
    stages = (*program.encoder, *program.decoder)
    return stages[0].span if stages else next(iter(program.places.values()))


def attention_leak(
    span: Span, name: str, found: tuple[float, float], length: int, needed: float, sharpness: float
) -> Diagnostic:
    """A head that spreads its attention over what does not match."""
    gap, leak = found
    label = (
        f"what matches is ahead by {gap:.3g} nats only: at {length} tokens up to "
        f"{100 * leak:.3g} % of the attention goes elsewhere"
    )
    hint = (
        f"`sharpness: {plain(needed)}` would do, here it is {plain(sharpness)}"
        if needed > sharpness
        else "a shorter `length`, or scores that differ more"
    )
    return Diagnostic("attention-leak", f"head `{name}` is not sharp enough", span, label, hint)


def clock_gap(span: Span, name: str, gap: float, error: float, length: int) -> Diagnostic:
    """Clocks that stand so much alike at two positions that scores cannot tell them apart."""
    label = f"at {length} tokens two positions differ by {gap:.2g}, scores lie off by up to "
    return Diagnostic(
        "clock-gap",
        f"the clocks of head `{name}` cannot tell the positions of {length} tokens apart",
        span,
        f"{label}{error:.2g}",
        "declare a slower clock, as `/512` beside `/8 /64`, or a smaller `length`",
    )


def threshold_margin(
    span: Span, margin: float, error: float, step: float, dtype: str
) -> Diagnostic:
    """A comparison whose inputs lie too far off."""
    label = (
        f"what it reads may lie {error:.3g} off, {error / step:.3g} of a step: {margin:.3g} of it "
        "are left, 0.25 are needed"
    )
    hint = (
        "give the numbers a smaller range, or store the weights in float32"
        if dtype in ("bfloat16", "float16")
        else "read numbers that are exact: copied by a head that finds one token, or by a rule"
    )
    return Diagnostic(
        "threshold-margin", "this rule cannot tell its values apart", span, label, hint
    )


def logit_gap(span: Span, gap: float, error: float, dtype: str) -> Diagnostic:
    """Two answers whose scores may change places."""
    return Diagnostic(
        "logit-gap",
        "the answer may come out wrong",
        span,
        f"two scores differ by {gap:.3g}, and each may lie {error:.3g} off in {dtype}",
        "smaller scores are more exact; so are weights in float32",
    )


def same_score(span: Span, one: str, other: str) -> Diagnostic:
    """Two answers that always have the same score."""
    return Diagnostic(
        "same-score",
        f"`{one}` and `{other}` always have the same score",
        span,
        "the second one is never said",
        "let them read different semes",
    )


def past_format(span: Span, name: str, value: float, dtype: str, integers: int) -> Diagnostic:
    """A range with whole numbers that a format does not have."""
    return Diagnostic(
        "past-format",
        f"`{name}` goes to {refused(value)}, which is more than {dtype} counts",
        span,
        f"whole numbers are exact up to {integers} in {dtype}",
        "declare a smaller range, split the number into digits, or use float32",
    )


def inexact_weight(span: Span, token: str, name: str, value: float, near: float) -> Diagnostic:
    """A value of the lexicon that a format does not have."""
    return Diagnostic(
        "inexact-weight",
        f"the token `{token}` cannot give `{name}` the value {refused(value)}",
        span,
        f"the nearest number of the format is {exact(near)}",
        "use a multiple of a power of two, as 0.125, or float32",
    )


def leaves_range(
    span: Span,
    name: str,
    value: float,
    ends: tuple[float, float],
    witness: str,
    declared: Span | None,
) -> Diagnostic:
    """A value outside of what is declared, and the input that it comes from."""
    notes = () if declared is None else (Note(declared, "declared here"),)
    return Diagnostic(
        "leaves-range",
        f"`{name}` comes to {refused(value)}, it is declared {plain(ends[0])}..{plain(ends[1])}",
        span,
        f"it does for the input {witness}",
        "widen the range, or change what is written",
        notes,
    )


def tie(span: Span, name: str, value: float, witness: str) -> Diagnostic:
    """Two keys with equal scores and different values, of which the mean is no value."""
    return Diagnostic(
        "tie",
        f"two tokens tie, and `{name}` gets the mean of their values",
        span,
        f"it gets {refused(value)} for the input {witness}",
        f"say which of them is meant, as with `nearest:`, or declare `{name}` with `step 0`",
    )


def inexact_answer(span: Span, name: str, error: float, dtype: str) -> Diagnostic:
    """A number of the answer that lies too far off."""
    return Diagnostic(
        "inexact-answer",
        f"`{name}` is not exact in the answer",
        span,
        f"it may lie {error:.3g} off in {dtype}",
        "store the weights in float32, or let a rule round it to a flag",
    )


def endless(span: Span, why: str) -> Diagnostic:
    """A program with ``<eos>`` that can never write it."""
    return Diagnostic(
        "endless",
        "no answer ever ends: no `<eos>` can follow",
        span,
        why,
        "give `<eos>` the best score where an answer is whole; a program that knows no `<eos>` "
        "fills its `length`",
    )


def no_end_found(span: Span, count: int) -> Diagnostic:
    """A program with ``<eos>`` of which no answer is known that ends."""
    label = f"`<eos>` follows in none of {counted(count, 'answer')} that were tried"
    hint = "an example whose answer ends shows that answers can"
    return Diagnostic("endless", "not derived: that an answer ends", span, label, hint)


def does_not_fall(span: Span, loop: str, why: str) -> Diagnostic:
    """What should fall in every round of a loop, and may not, as far as one token tells."""
    hint = (
        "a round must not raise it at any token, and must lower it by 1 at one that keeps the loop "
        "going; leave `falls:` out, and the rounds are an assumption"
    )
    return Diagnostic("falls", f"not derived: loop `{loop}` lowers this", span, why, hint)


def falls_longer(span: Span, loop: str, needed: int, most: int) -> Diagnostic:
    """What falls, but for more rounds than a loop has."""
    headline = f"not derived: loop `{loop}` ends within {counted(most, 'round')}"
    hint = f"write `up to {needed}`, or what falls from a smaller number"
    return Diagnostic("falls", headline, span, f"this can fall for {needed - 1:,} rounds", hint)
