"""The Mathematics Dataset: generated, read, cached, in batches. `loading` joins it to torch."""

from progtf.data.batch import Batch, Batching, Cursor
from progtf.data.cache import Cache, Source, open_cache
from progtf.data.cache_build import build_cache
from progtf.data.errors import STRICT, DataError, Told
from progtf.data.forms import ACCEPTED, Form, form_of
from progtf.data.generator import generate
from progtf.data.layout import (
    ModuleFile,
    characters_of,
    module_paths,
    open_layout,
    place_of,
    unpack,
    vocabulary_of,
)
from progtf.data.live import FAST_MODULES, Live, stream_live
from progtf.data.make import Made, Order, check_order, make
from progtf.data.modules import (
    EXTRAPOLATION_MODULES,
    MODULES,
    SPLITS,
    TEST_SPLITS,
    TRAIN_SPLITS,
    choose_modules,
    choose_splits,
    modules_of,
)
from progtf.data.pairs import PairFile, has_pairs, open_pairs
from progtf.data.pool import Mixture, Pool
from progtf.data.problem import Problem
from progtf.data.stream import Shard, stream_batches
from progtf.data.tokens import CHARACTERS, LOWERED, PAPER, PAPER_TEXT, SPECIALS, Vocabulary
from progtf.data.words import Alphabet, Words
