"""What a program comes to, in a few lines: layers, heads, how sure they are."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from progtf.notation import spell
from progtf.notation.spell import counted, number
from progtf.numbers import plain
from progtf.program.loops import by_loop
from progtf.program.model import Dense, FeedForward, Head, Layer, Program, Stage, is_generated


def summary(program: Program) -> str:
    """Sizes of a program, and per head its features, sharpness and null key."""
    return "\n".join(_lines(program))


def _lines(program: Program) -> Iterator[str]:
    yield f"{program.name}: {program.kind} over {program.tokens}, binding {program.binding}"
    clocks = " ".join(f"/{number(period)}" for period in program.clocks) or "none"
    read, write = program.lengths
    length = f"{read} -> {write}" if program.kind in ("seq2seq", "decoder") else f"{read}"
    tokens = counted(len(program.lexicon), "token")
    yield f"  {_semes(program)}, clocks {clocks}, {tokens}, length {length}"
    if program.again:
        asks = f", after a question as {spell.quoted(program.ask)}" if program.ask else ""
        yield f"  asked again, up to {counted(program.again, 'step')}{asks}"
    for name, vector in program.vectors.items():
        yield f"  {name}: {spell.vector(vector.items())}"
    for name, stages in (("encoder", program.encoder), ("decoder", program.decoder)):
        for run in by_loop(stages):
            if run[0].loop is not None:
                yield f"  {name} / {run[0].loop}"
            for _, layer in groupby(run, key=lambda stage: stage.span):
                yield from _layers(name, layer)
    if program.examples:
        count = counted(len(program.examples), "example")
        yield f"  {count}; run with `progtf test {program.name}`"


def _layers(stack: str, stages: Iterable[Stage]) -> Iterator[str]:
    """What one layer of the text comes to, rounds that are put down one by one counted."""
    parts = [tuple(_stage(stack, stage)) for stage in stages]
    once = list(dict.fromkeys(parts))
    rounds = len(parts) // len(once)
    if rounds > 1 and parts == once * rounds:
        yield f"  {counted(rounds, 'round')} of"
        parts = once
    for lines in parts:
        yield from lines


def _semes(program: Program) -> str:
    """How many semes there are, those that the program made for itself apart."""
    made = sum(map(is_generated, program.space.names))
    return counted(program.semes - made, "seme") + (f" and {made:,} generated" if made else "")


def _stage(stack: str, stage: Stage) -> Iterator[str]:
    match stage:
        case Dense():
            yield f"  {stack} / {stage.name}: dense{' with relu' if stage.relu else ''}"
        case Layer():
            block = stage.feedforward
            rules = 0 if block is None else len(block.rules) + len(block.units)
            times = f", {stage.repeat} times" if stage.repeat > 1 else ""
            heads = len(stage.heads) + len(stage.cross)
            what = "comparison" if block is not None and _compares(block) else "rule"
            parts = f"{counted(heads, 'head')}, {counted(rules, what)}"
            yield f"  {stack} / {stage.name}: {parts}{times}"
            for head in (*stage.heads, *stage.cross):
                yield f"    {_head(head)}"
            if block is not None:
                yield from _rules(block)


def _head(head: Head) -> str:
    null = "no null key" if head.null is None else f"null key below {plain(head.null.score)}"
    where = "encoder" if head.source == "encoder" else head.look
    sizes = f"{counted(len(head.features), 'feature')}, {counted(len(head.channels), 'channel')}"
    return (
        f"head {head.name or '(unnamed)'}: looks at {where}, {sizes}, "
        f"sharpness {number(head.sharpness)}, {null}"
    )


def _written(block: FeedForward) -> list[str]:
    return [name for part in (*block.rules, *block.units) for name in part.writes]


def _compares(block: FeedForward) -> bool:
    """Whether a block does nothing but compare for the rules of the next layer."""
    names = _written(block)
    return bool(names) and all(map(is_generated, names))


def _rules(block: FeedForward) -> Iterator[str]:
    """What a feed-forward block writes, families by their names alone."""
    names = _written(block)
    shown = dict.fromkeys(n.partition("[")[0] for n in names if not is_generated(n))
    if shown:
        yield f"    rules for {', '.join(shown)}"
