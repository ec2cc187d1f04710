"""A program for some of its texts: what writes nothing where some flags are 0, left out.

And without what writes to names that nobody reads on its way to the answer. Exactly, by the
meaning: behind a closed gate nothing is written, times 0 it is 0, and who lacks a flag of ``when``
rests on the null key. `progtf.weights.narrow` finds the same from the weights of a network.
"""

from collections.abc import Collection

from progtf.program.model import Layer, Program
from progtf.program.narrow.ahead import ahead_of, has
from progtf.program.narrow.back import back_of
from progtf.program.narrow.cut import Part, cut


def narrowed(program: Program, zero: Collection[str], wanted: Collection[str] = ()) -> Part:
    """The same program for the texts of which some semes are 0 at every token.

    Args:
        program: the whole one, which `can_be_narrowed`.
        zero: semes of the encoder that are 0 at every token, `written_once`.
        wanted: semes that are asked for behind the encoder, in place of the answer.
    """
    asked = frozenset(wanted)
    return cut(back_of(program, ahead_of(program, frozenset(zero)), asked), asked)


def can_be_narrowed(program: Program) -> bool:
    """Whether answers are written, and every layer adds what its names say, without training."""
    stages = (*program.encoder, *program.decoder)
    plain = program.norm != "layer" and all(isinstance(stage, Layer) for stage in stages)
    return program.kind == "seq2seq" and plain and not program.hybrid


def holding(program: Program) -> tuple[str, ...]:
    """The flags by which ``use ... when`` holds back what files write."""
    layers = (stage for stage in (*program.encoder, *program.decoder) if isinstance(stage, Layer))
    blocks = (layer.feedforward for layer in layers if layer.feedforward is not None)
    flags = (rule.line.held for block in blocks for rule in block.rules)
    return tuple(dict.fromkeys(flag for flag in flags if flag))


def written_once(program: Program, names: Collection[str]) -> tuple[str, ...]:
    """Those semes that one part of one layer of the encoder writes, once, and no token has.

    Where such a seme is 0 behind the encoder it has been 0 all the way.
    """
    writers = dict.fromkeys(names, 0)
    writers |= dict.fromkeys(writers.keys() & has(program), 2)
    for layer in program.encoder:
        assert isinstance(layer, Layer)
        parts = [head.targets for head in layer.heads]
        parts += [] if layer.feedforward is None else [layer.feedforward.targets]
        parts += [] if layer.loop is None else [{layer.loop.unfinished, *layer.loop.resets}]
        again = layer.repeat > 1 or layer.loop is not None
        for name in (name for part in parts for name in writers.keys() & part):
            writers[name] += 2 if again else 1
    return tuple(name for name, count in writers.items() if count == 1)
