"""Written networks as they answer: the same weights without their zeros.

A written weight matrix is nearly empty: a rule reads a handful of semes out of hundreds. So the
layers of a compiled network are laid out once more for answering: a map gathers the columns of the
residual that it reads, and adds to those that it writes. Every number is that of the network.
"""

from typing import NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from progtf.compiler.lean_heads import LeanHeads
from progtf.compiler.lean_maps import Reader, Writer, wide
from progtf.compiler.network import Embedding, Network
from progtf.nn import (
    Affine,
    Block,
    FeedForward,
    Hadamard,
    PoolClassifier,
    Recall,
    RoleAttention,
    Stack,
    Unbound,
    VanillaRNN,
    full_precision,
    pool,
)
from progtf.nn.transformer import Past

Residual = Float[Tensor, "batch pos d_model"]
Present = Bool[Tensor, "batch pos"]


class Parts(NamedTuple):
    """The parts of a network, lean where they can be."""

    embedding: Embedding
    encoder: Stack
    decoder: Stack
    cell: VanillaRNN | None
    output: "Affine | Reader | None"
    classifier: "PoolClassifier | LeanClassifier | None"


def lean(network: Network) -> Parts:
    """A network laid out for answering.

    Its weights are copies: it is made anew when those of the network change. Blocks with parts of
    other kinds, such as learned ones, stay as they are.
    """
    output, classifier = network.output, network.classifier
    return Parts(
        network.embedding,
        _stack(network.encoder),
        _stack(network.decoder),
        network.cell,
        Reader([output]) if type(output) is Affine else output,
        LeanClassifier(classifier) if type(classifier) is PoolClassifier else classifier,
    )


def _stack(stack: Stack) -> Stack:
    """Its blocks made lean; a block that is run several times stays one block."""
    made = {block: LeanBlock(block) if _is_written(block) else block for block in set(stack)}
    return Stack([made[block] for block in stack], stack.closing)


def _is_written(block: Block) -> bool:
    """Whether a block has written heads and rules alone, and reads the residual as it is."""
    sublayers = [s for s in (block.attention, block.cross, block.feed_forward) if s is not None]
    groups = [g for s in (block.attention, block.cross) if s is not None for g in s.layer]
    rules = block.feed_forward
    return (
        type(block) is Block
        and all(isinstance(s.before, nn.Identity) and s.after is None for s in sublayers)
        and all(type(g) is RoleAttention for g in groups)
        and all(isinstance(g.binding, Hadamard | Unbound) for g in groups)
        and (rules is None or type(rules.layer) is FeedForward)
    )


class LeanBlock(Block):
    """A block of written heads and rules; it writes to the residual in place."""

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.own = LeanHeads(block.attention.layer) if block.attention else None
        self.other = LeanHeads(block.cross.layer) if block.cross else None
        rules = block.feed_forward.layer if block.feed_forward else None
        self.inner = Reader([rules.inner]) if isinstance(rules, FeedForward) else None
        self.outer = Writer([rules.outer]) if isinstance(rules, FeedForward) else None

    def proceed(
        self,
        residual: Residual,
        past: Past,
        present: Bool[Tensor, "batch past_and_pos"] | None = None,
        recall: Recall | None = None,
    ) -> tuple[Residual, Past]:
        """As in `Block`; the residual given is the one returned."""
        with full_precision(residual.device):
            if self.own is not None:
                past = self.own.then(past, residual)
                self.own.attend(residual, past, present)
            if self.other is not None:
                assert recall is not None
                self.other.attend(residual, recall.keys_values, recall.present)
            if self.inner is not None and self.outer is not None:
                self.outer.add(residual, self.inner(residual).relu_())
        return residual, past

    def recall(self, memory: Residual, present: Present | None) -> Recall:
        """The encoder's output as the heads read it."""
        if self.other is None:
            return Recall()
        with full_precision(memory.device):
            return Recall(self.other.keys_values(memory), present)


class LeanClassifier:
    """Class scores of the pooled sequence, of which only what they read is pooled."""

    def __init__(self, classifier: PoolClassifier) -> None:
        weight = wide(classifier.score.weight)
        self.classifier = classifier
        self.columns = weight.ne(0).any(dim=1).nonzero().squeeze(-1)
        self.weight = weight[self.columns].t().contiguous()
        self.bias = wide(classifier.score.bias)

    def __call__(self, residual: Residual, present: Present) -> Float[Tensor, "batch class"]:
        read = residual.index_select(-1, self.columns)
        return functional.linear(pool(read, present, self.classifier.how), self.weight, self.bias)
