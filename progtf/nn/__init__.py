"""Layers in torch that learned models and compiled programs are both made of."""

from progtf.nn.affine import Affine, SharedSums, store_weights
from progtf.nn.attention import HeadGroups, Heads, HeadSizes, RoleAttention
from progtf.nn.beam import all_beams, beam
from progtf.nn.bindings import Binding, Hadamard, Outer, Unbound
from progtf.nn.cache import KeysValues
from progtf.nn.cells import Recurrence, ResetInsideGRU, TorchCells
from progtf.nn.decoding import (
    PUBLISHED_SYMBOLS,
    Decodable,
    Symbols,
    at_once,
    continue_greedily,
    greedy,
    select_rows,
)
from progtf.nn.embedding import RoleEmbedding, SymbolEmbedding, clock, sinusoid
from progtf.nn.encoder_decoder import DecoderState, EncoderDecoder
from progtf.nn.evaluation import answer_all, exact_match, pad_rows
from progtf.nn.feedforward import Dense, FeedForward, RoundNorm, SplitNorm
from progtf.nn.initialise import initialise
from progtf.nn.loops import CausalLoop, Columns, Loop
from progtf.nn.models import TPTransformer, Transformer, stack
from progtf.nn.moves import WrittenByPlace, WrittenForAll
from progtf.nn.patterns import Look, Pattern, ScaledSoftmax, causal_look, look_mask, present
from progtf.nn.pooling import PoolClassifier, pool
from progtf.nn.precision import follow_autocast, full_precision, full_products
from progtf.nn.presets import PUBLISHED_RECIPE, REPORT_RECIPE, Recipe, Shape
from progtf.nn.published import load_published, published_tensors
from progtf.nn.recurrent import VanillaRNN
from progtf.nn.seq2seq import GRU, LSTM, RecurrentSeq2Seq, RecurrentShape, ReportGRU
from progtf.nn.tensor_products import TensorShape, TPRCell, TPRLSTMCell, sparsity
from progtf.nn.transformer import Block, Kept, Recall, Stack, Sublayer, Sum
from progtf.nn.written import WrittenSoftmax, WrittenSoftmaxOverReaders
