"""Layers in torch that learned models and compiled programs are both made of."""

from progtf.nn.affine import Affine, follow_autocast, full_precision, store_weights
from progtf.nn.attention import HeadGroups, HeadSizes, KeysValues, RoleAttention
from progtf.nn.bindings import Binding, Hadamard, Outer, Unbound
from progtf.nn.clocks import clock, sinusoid
from progtf.nn.decoding import (
    Decodable,
    Symbols,
    continue_greedily,
    greedy,
    select_rows,
)
from progtf.nn.encoder_decoder import DecoderState, EncoderDecoder
from progtf.nn.feedforward import Dense, FeedForward
from progtf.nn.masks import Look, look_mask, present
from progtf.nn.norm import RoundNorm, SplitNorm
from progtf.nn.patterns import Pattern, ScaledSoftmax
from progtf.nn.pooling import PoolClassifier, pool
from progtf.nn.recurrent import VanillaRNN
from progtf.nn.transformer import Block, Recall, Stack, Sublayer, Sum
from progtf.nn.written import WrittenSoftmax, WrittenSoftmaxOverReaders

__all__ = [
    "Affine",
    "Binding",
    "Block",
    "Decodable",
    "DecoderState",
    "Dense",
    "EncoderDecoder",
    "FeedForward",
    "Hadamard",
    "HeadGroups",
    "HeadSizes",
    "KeysValues",
    "Look",
    "Outer",
    "Pattern",
    "PoolClassifier",
    "Recall",
    "RoleAttention",
    "RoundNorm",
    "ScaledSoftmax",
    "SplitNorm",
    "Stack",
    "Sublayer",
    "Sum",
    "Symbols",
    "Unbound",
    "VanillaRNN",
    "WrittenSoftmax",
    "WrittenSoftmaxOverReaders",
    "clock",
    "continue_greedily",
    "follow_autocast",
    "full_precision",
    "greedy",
    "look_mask",
    "pool",
    "present",
    "select_rows",
    "sinusoid",
    "store_weights",
]
