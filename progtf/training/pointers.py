"""Networks of ``[model]`` that write equations: their parts, from settings and symbols."""

import torch
from torch import nn

from progtf.data import SPECIALS, Alphabet
from progtf.data.tokens import END, PAD, START
from progtf.nn import Shape, Unbound, initialise, stack
from progtf.nn.expressions import ExpressionSymbols
from progtf.nn.pointers import ExpressionPointers, PointerShape
from progtf.nn.text_encoders import AttentiveContext, RecurrentContext, TextEncoder
from progtf.tasks.word_problems import EQUALS, MARKS, NEW, NOTHING, NUMBERS, RESULTS
from progtf.training.config import Model

LONGEST = 512
"""Words of a text, where their places are learned from."""


def build_pointers(wanted: Model, alphabet: Alphabet) -> ExpressionPointers:
    """The expression-pointer transformer over the symbols of word problems.

    Raises:
        ValueError: if its sizes do not fit each other.
    """
    symbols = expression_symbols(alphabet)
    number = {unit: place for place, unit in enumerate(alphabet.units, start=len(SPECIALS))}
    marks = tuple(number[mark] for mark in MARKS)
    shape = PointerShape(symbols, wanted.width, marks, wanted.dropout, wanted.rules, PAD, START)
    sizes = wanted.width, wanted.filter, wanted.heads, wanted.layers, wanted.layers
    blocks = Shape(
        len(alphabet), *sizes, dropout=wanted.dropout, norms=wanted.norms, role_embedding=False
    )
    table = nn.Parameter(torch.empty(len(alphabet), wanted.width))
    nn.init.normal_(table, std=wanted.width**-0.5 if wanted.encoder == "transformer" else 1.0)
    encoder = TextEncoder(table, _context(wanted, blocks), wanted.dropout, wanted.forgetful)
    network = ExpressionPointers(
        shape, encoder, stack(blocks, Unbound(), wanted.layers, decoder=True)
    )
    initialise(network, "published")
    return network


def _context(wanted: Model, blocks: Shape) -> nn.Module:
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
