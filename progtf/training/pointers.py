"""Networks of ``[model]`` that write equations: their parts, from settings and symbols."""

from collections.abc import Sequence

import torch
from torch import nn

from progtf.data import SPECIALS, Alphabet
from progtf.data.tokens import END, PAD, START
from progtf.network.model import Model
from progtf.nn import Shape, Unbound, initialise, stack
from progtf.nn.bert import Bert, load_bert
from progtf.nn.expressions import ExpressionSymbols
from progtf.nn.operands import PointerShape
from progtf.nn.pieces import PieceVectors
from progtf.nn.pointers import ExpressionPointers
from progtf.nn.text_encoders import AttentiveContext, RecurrentContext, TextEncoder
from progtf.tasks.word_problems import (
    EQUALS,
    MARKS,
    NEW,
    NOTHING,
    NUMBERS,
    RESULTS,
    SELDOM,
)
from progtf.training import config
from progtf.training.pieces import bert_folder, pieces_of
from progtf.training.written_words import WrittenWords, weights_at

LONGEST = 512
"""Words of a text, where their places are learned from."""


def build_pointers(wanted: config.Model, alphabet: Alphabet) -> ExpressionPointers:
    """The expression-pointer transformer over the symbols of word problems.

    Raises:
        ValueError: if its sizes do not fit each other.
    """
    if SELDOM not in alphabet.units:
        raise ValueError(
            "`pointers` learns from word problems: files of pairs that end in `.jsonl`"
        )
    symbols = expression_symbols(alphabet)
    number = {unit: place for place, unit in enumerate(alphabet.units, start=len(SPECIALS))}
    marks = tuple(number[mark] for mark in MARKS)
    shape = PointerShape(
        symbols, wanted.width, marks, wanted.dropout, wanted.rules, PAD, START, wanted.pointing
    )
    sizes = wanted.width, wanted.filter, wanted.heads, wanted.layers, wanted.layers
    blocks = Shape(
        len(alphabet), *sizes, dropout=wanted.dropout, norms=wanted.norms, role_embedding=False
    )
    reader = _reader(wanted, alphabet.units)
    semes = len(reader.flags) if reader is not None else 0
    encoder = _encoder(wanted, blocks, alphabet.units, number[SELDOM], semes)
    layers = wanted.decoder_layers or wanted.layers
    decoder = stack(blocks, Unbound(), layers, decoder=True, shared=wanted.shared)
    initialise(decoder, "published")
    return ExpressionPointers(shape, encoder, decoder, reader, semes)


def _reader(wanted: config.Model, units: Sequence[str]) -> WrittenWords | None:
    """What is written of words."""
    if wanted.reads is None:
        return None
    return WrittenWords(Model(weights_at(wanted.reads)), units)


def _encoder(
    wanted: config.Model, blocks: Shape, units: Sequence[str], learned: int, semes: int
) -> TextEncoder:
    """What reads texts.

    Args:
        wanted: settings.
        blocks: sizes of transformer blocks.
        units: what symbols stand for.
        learned: how many symbols have vectors of their own.
        semes: how many are written of each word.
    """
    table = nn.Parameter(torch.empty(learned, wanted.width))
    nn.init.normal_(table, std=wanted.width**-0.5 if wanted.encoder == "transformer" else 1.0)
    context = _context(wanted, blocks)
    initialise(context, "published")
    beside = _pieces(wanted, units) if wanted.encoder == "bert" else None
    return TextEncoder(table, context, wanted.dropout, wanted.forgetful, semes, beside)


def _pieces(wanted: config.Model, units: Sequence[str]) -> PieceVectors:
    """What the small BERT makes of words."""
    folder = bert_folder()
    bert = load_bert(folder)
    bert.table.requires_grad_(False)
    bert.freeze(wanted.frozen if wanted.tuned else len(bert.stack.blocks))
    return PieceVectors(bert, pieces_of(units, folder), wanted.width)


def own_rates(network: nn.Module, wanted: config.Model) -> list[tuple[nn.Parameter, float]]:
    """The weights that came with an encoder, with their learning rate."""
    parts = (part for part in network.modules() if isinstance(part, Bert))
    return [(each, wanted.tuned) for part in parts for each in part.parameters()]


def _context(wanted: config.Model, blocks: Shape) -> nn.Module:
    """What sees the words around each."""
    if wanted.encoder == "transformer":
        heads = stack(blocks, Unbound(), wanted.layers, decoder=False)
        return AttentiveContext(heads, wanted.width, LONGEST)
    return RecurrentContext.sized(wanted.width, wanted.layers, wanted.dropout)


def expression_symbols(alphabet: Alphabet) -> ExpressionSymbols:
    """Where the symbols of answers are in an alphabet of word problems."""
    number = {unit: place for place, unit in enumerate(alphabet.units, start=len(SPECIALS))}
    nothing, first_number = number[NOTHING], number[NUMBERS[0]]
    return ExpressionSymbols(
        end=END, new=number[NEW], equals=number[EQUALS],
        arithmetic=(number[EQUALS] + 1, nothing), nothing=nothing,
        constants=first_number - nothing - 1, numbers=len(NUMBERS), results=len(RESULTS),
    )  # fmt: skip
