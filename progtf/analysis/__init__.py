"""How good a model is, and what it does."""

from progtf.analysis.conjuncts import same_meaning
from progtf.analysis.report import PUBLISHED, Published, as_json, published_beside, write_misses
from progtf.analysis.scores import (
    Answer,
    Miss,
    ModuleScore,
    Summary,
    by_split,
    score_module,
    summarise,
)
