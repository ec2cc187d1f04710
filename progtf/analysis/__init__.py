"""How good a model is, and what it does."""

from progtf.analysis.published import PUBLISHED, Published, published_beside
from progtf.analysis.report import as_json, write_misses
from progtf.analysis.scores import (
    Answer,
    Miss,
    ModuleScore,
    Summary,
    by_split,
    score_module,
    summarise,
)
