"""The blocks of a file: which rule of the grammar reads the lines below, and what these may do."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlockKind:
    """What stands below one keyword.

    Attributes:
        rule: the rule for its lines.
        place: what messages call it.
        declares: whether a line may declare a name.
        alone: whether only the program itself has it, and no file that it uses.
        adds: whether lines of a file that the program shares stand beside its own; under a prefix
            they say how that file is read by itself.
        lent: which of these a program must lack to take it over from a file that it shares.
    """

    rule: str
    place: str
    declares: bool = False
    alone: bool = False
    lent: tuple[str, ...] = ()
    adds: bool = False


_STACK = BlockKind("stack_line", "an encoder or decoder", declares=True)
_ANSWERS = ("output", "classify", "score")
_LAYER = BlockKind("layer_line", "a layer", declares=True)

BLOCKS: Mapping[str, BlockKind] = {
    "model": BlockKind("model_line", "`model:`", declares=True),
    "semes": BlockKind("semes_line", "`semes:`", declares=True),
    "clocks": BlockKind("clocks_line", "`clocks:`", declares=True),
    "lexicon": BlockKind("lexicon_line", "a lexicon"),
    "spelling": BlockKind("spelling_line", "`spelling:`", adds=True),
    "encoder": _STACK,
    "decoder": _STACK,
    "layer": _LAYER,
    "circuit": _LAYER,
    "loop": BlockKind("loop_line", "a loop", declares=True),
    "head": BlockKind("head_line", "a head"),
    "feedforward": BlockKind("feedforward_line", "a feed-forward block", declares=True),
    "reading": BlockKind("reading_line", "a reading"),
    "sequence": BlockKind("sequence_line", "a sequence"),
    "dense": BlockKind("dense_line", "a dense layer", alone=True),
    "cell": BlockKind("cell_line", "`cell:`", alone=True),
    "output": BlockKind("output_line", "`output:`"),
    "classify": BlockKind("classify_line", "`classify:`", lent=_ANSWERS),
    "score": BlockKind("score_line", "`score:`", lent=_ANSWERS),
    "learn": BlockKind("learn_line", "`learn:`"),
    "examples": BlockKind("examples_line", "`examples:`"),
    "demo": BlockKind("file_line", "a file", declares=True),
}
SECTIONS = frozenset(BLOCKS) - {"head", "feedforward", "demo"}
"""What may stand at the top of a file and has lines below."""

KINDS: Mapping[str, BlockKind] = {kind.rule: kind for kind in BLOCKS.values()} | {
    "entries_line": BlockKind("entries_line", "a list", declares=True)
}
"""Rule -> the kind of block whose lines it reads; those of a list stand below a named value."""
