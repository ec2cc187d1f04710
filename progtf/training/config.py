"""What a run's TOML file may say. A key that is not here is refused by name."""

import re
import tomllib
from os.path import expandvars
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError

from progtf.bounded import is_other, why_unread
from progtf.notation.did_you_mean import nearest
from progtf.published import FOLDER, data_folder
from progtf.texts import NotTextError, read_text
from progtf.training.meant import dropped

Control = Literal["", "off", "random", "trainable"]
Mode = Literal["frozen", "soft", "values", "all"]


MOST = 2**31 - 1
"""The largest whole number of a setting."""
MOST_LAYERS = 1000
"""Of a network's encoder, and of its decoder."""
MOST_QUESTIONS = 100_000_000
"""Of a module and split that the generator makes: it remembers each to make none twice."""
MOST_DRAWS = 1000
"""Networks that a step draws, one after another."""


class RunError(ValueError):
    """What is wrong with a run, for the person who started it."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _of_its_kind(cls, value: Any, info: ValidationInfo) -> Any:
        """True is no number, 1 is not true, and a number in quotes is a text."""
        name = info.field_name or ""
        for each in value if isinstance(value, list | tuple) else (value,):
            _check_kind(each, _kinds_in(cls.model_fields[name].annotation))
        return value

    @field_validator("*", mode="after")
    @classmethod
    def _in_range(cls, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and value > MOST:
            raise ValueError(f"a whole number of at most {MOST:,}")
        return value


def _kinds_in(annotation: Any) -> frozenset[type]:
    """The kinds of plain values that a setting may have."""
    parts = get_args(annotation)
    found = [type(part) for part in parts] if get_origin(annotation) is Literal else []
    inner = (_kinds_in(part) for part in parts) if not found else ()
    return frozenset({annotation, *found}).union(*inner) & _PLAIN


_PLAIN = frozenset({bool, int, float, str})


def _check_kind(value: Any, kinds: frozenset[type]) -> None:
    number = kinds & {int, float}
    if isinstance(value, bool) and bool not in kinds and number:
        raise PydanticCustomError("int_type" if int in kinds else "float_type", "a number")
    if isinstance(value, str) and str not in kinds and number:
        raise PydanticCustomError("int_type" if int in kinds else "float_type", "a number")
    if bool in kinds and not isinstance(value, bool):
        raise PydanticCustomError("bool_type", "true or false")


def _named(path: Any) -> Any:
    if path == "":
        raise ValueError("a path that a file can have")
    return path


def _usable(path: Path) -> Path:
    if "\0" in str(path) or any(len(part.encode(errors="replace")) > 255 for part in path.parts):
        raise ValueError("a path that a file can have")
    return path


Place = Annotated[Path, BeforeValidator(_named), AfterValidator(_usable)]
Share = Annotated[float, Field(ge=0, lt=1)]


class Pairs(_Table):
    """Files of pairs in ``data.folder``: question, tab, answer, or `IN: question OUT: answer`.

    Word problems in ``.jsonl`` files are pairs of a text and its equations.

    Attributes:
        train: the file to train on.
        interpolate: the file that a run is tested on as it goes; "": on what is held back.
        extrapolate: another one to be tested on.
        categories: patterns of the categories of ``train`` that are trained on; none: all.
        tokens: what the program reads and writes: words, with blanks between them, or characters.
        held_back: the share of the training rows that is tested on and never trained on, where
            there is no ``interpolate``; which ones, ``data.seed`` draws.
        rows: train on so many of the rows that are left, drawn by ``data.seed``; 0: on all.
        cover: of the rows that are left, train on those with a word that fewer than so many rows
            before them have, in an order drawn by ``data.seed``; 0: on all.
        pool: of so many batches, drawn together, each has questions of like length, so that less
            is padded; 1: batches as they are drawn.
        equations: of word problems: how answers are written, as ``expressions``, an operator with
            its operands at a time, or as ``operators``, postfix symbol by symbol (the Op tokens of
            Kim et al. 2020), which all kinds of ``[model]`` can learn but ``pointers``.
        without: rows of any file whose question has one of these words are left out.
        made_by: the command that makes the files, said where one is not there.
        own: ``train`` is made, with so many word problems of progtf's own, drawn by ``data.seed``;
            0: it is a file of yours.
    """

    train: str
    interpolate: str = ""
    extrapolate: str = ""
    categories: list[str] = []
    tokens: Literal["words", "chars"] = "words"
    held_back: Share = 0.1
    rows: int = Field(default=0, ge=0)
    cover: int = Field(default=0, ge=0)
    pool: int = Field(default=1, ge=1)
    equations: Literal["expressions", "operators"] = "expressions"
    without: list[str] = []
    made_by: str = ""
    own: int = Field(default=0, ge=0)


class Data(_Table):
    """Questions to train on and to be tested on; made by the generator if they are not there.

    Attributes:
        folder: where they are kept, or the published archive, which is unpacked beside itself;
            `$NAME` in it is what the environment says; `$PROGTF_DATA` is the user's data folder
            where it says nothing.
        pairs: the files are pairs of your own; what is said of modules, splits and numbers of
            questions does not count then.
        generate: false: the files are your own, `FOLDER/SPLIT/MODULE.txt`, question lines and
            answer lines in turns; tests are in `interpolate` and, if you like, `extrapolate`.
            The published dataset is such a folder.
        modules: merged; of `extrapolate` the files are tested on that have one of these names, or
            the name of its harder form, such as `numbers__place_value_big`.
        splits: to train on.
        questions: how many of each module and split.
        test: how many of each test split.
        seed: of the draws.
        alphabet: the characters of files of your own, from which networks of ``[model]`` are built;
            "": the 69 of the Mathematics Dataset, and what else the files have.
        vocabulary: the symbols that networks of ``[model]`` have: the ``paper-72`` of the text of
            Schlag et al. (2019), the ``code-73`` of its code, which has `<unk>` as well, the
            ``report-58`` of the three-module report, whose texts are lower-cased and whose other
            characters are `<unk>`, or those of the ``data`` that is trained and tested on; "": as
            ``alphabet`` says.
    """

    folder: Place
    pairs: Pairs | None = None
    generate: bool = True
    modules: list[str] = Field(default=[], min_length=1)
    splits: list[str] = Field(default=["train-easy", "train-medium", "train-hard"], min_length=1)
    questions: int = Field(default=20_000, ge=1, le=MOST_QUESTIONS)
    test: int = Field(default=1000, ge=1, le=MOST_QUESTIONS)
    seed: int = Field(default=1, ge=0)
    alphabet: str = ""
    vocabulary: Literal["", "paper-72", "code-73", "report-58", "data"] = ""


class Swap(_Table):
    """Numbers of a network's residual that are trained to be semes of a program.

    Attributes:
        program: a `.seme` file that answers the same questions, by its place beside the TOML file.
        semes: that are exchanged together: as `asked`, behind the last layer that writes it, or
            `encoder.told.asked`.
        block: of the network's encoder, behind which the numbers stand; the first is 0.
        numbers: the first of them, and the one behind the last.
        weight: what answers with another question's semes count in the loss, beside plain ones.
    """

    program: Place
    semes: list[str] = Field(min_length=1)
    block: int = Field(default=0, ge=0)
    numbers: tuple[int, int]
    weight: float = Field(default=1.0, gt=0)


class Train(_Table):
    """How long and how: the optimiser, its rate, the batch of each process.

    Attributes:
        epochs: in place of ``steps``: how often all questions are seen; 0: as ``steps`` says.
        batch: questions a process, step and accumulation.
        accumulate: batches before each step. The questions of a step are put in order of length
            before they are parted, so that little is padded.
        optimiser: ``adam``, ``adamw``, or ``lamb`` (You et al. 2020), whose steps are as long as
            each weight matrix allows; gradients are clipped by ``clip`` alone.
        warmup: steps of linear warm-up.
        decay: the share of the steps, at the end, over which the rate falls to 0.
        clip: the largest norm of all gradients together; 0: any.
        log_every: steps between two values of loss and speed in TensorBoard.
        average: tests and checkpoints have the mean of the weights over the last steps, each step
            counting this much of the one after it, such as 0.99; 0: the last weights.
        smoothing: the share of each symbol's due that all symbols that could stand there have.
        score_scale: what scores are multiplied with in the loss; written winners lead by a half
            alone, which is little for a loss.
        bounded: whether what is learned of words stays in the ranges of its semes, as rules that
            read them take for granted.
        draws: how many networks a step draws and compares, where words choose (`one of`).
        temperature: of the softmax by which they are drawn; tests and checkpoints have the
            likeliest.
        stop_at: stop once so many percent of the interpolation questions are right twice running.
        patience: stop after so many evaluations without a better one; 0: never.
        interchange: semes of programs that a ``[model]`` is trained to have, each by exchange with
            another question of the batch.
        strictness: what the loss counts of answers that change when all numbers that are no seme
            are exchanged, behind the blocks of ``interchange``.
        shard: each process keeps a part of weights, gradients and moments (FSDP2), for models that
            do not fit one GPU; without it each keeps all of them (DDP).
    """

    steps: int = Field(default=1000, ge=1)
    epochs: float = Field(default=0.0, ge=0)
    batch: int = Field(default=64, ge=1)
    accumulate: int = Field(default=1, ge=1)
    optimiser: Literal["adam", "adamw", "lamb"] = "adam"
    learning_rate: float = Field(default=1e-3, gt=0)
    betas: tuple[Share, Share] = (0.9, 0.98)
    weight_decay: float = Field(default=0.0, ge=0)
    warmup: int = Field(default=200, ge=0)
    decay: float = Field(default=0.0, ge=0, le=1)
    clip: float = Field(default=1.0, ge=0)
    log_every: int = Field(default=50, ge=1)
    average: Share = 0.0
    smoothing: Share = 0.0
    score_scale: float = Field(default=1.0, gt=0)
    bounded: bool = False
    draws: int = Field(default=4, ge=2, le=MOST_DRAWS)
    temperature: float = Field(default=1.0, gt=0)
    precision: Literal["float32", "bfloat16"] = "float32"
    stop_at: float = Field(default=101.0, gt=0)
    patience: int = Field(default=0, ge=0)
    interchange: list[Swap] = []
    strictness: float = Field(default=0.0, ge=0)
    shard: bool = False


class Evaluate(_Table):
    """When and on how many questions of each test split; ``final`` at the end.

    Attributes:
        extrapolate: whether questions of the split `extrapolate` are put as well.
        train: how many training questions are put as well, always the same ones, as the split
            ``train``; 0: none.
    """

    every: int = Field(default=100, ge=1)
    extrapolate: bool = True
    train: int = Field(default=0, ge=0)
    questions: int = Field(default=500, ge=1)
    final: int = Field(default=1000, ge=1)


class Checkpoints(_Table):
    """How often a checkpoint is written, and how many are kept."""

    every: int = Field(default=500, ge=1)
    keep: int = Field(default=2, ge=1)


class Written(_Table):
    """What training does with a written layer.

    Attributes:
        layer: ``encoder / 1 read``, as `progtf diff` calls it; ``""``: all of the program.
        mode: ``frozen``; ``soft``: gradients pass; ``values``: all entries but addresses are
            trained; ``all``: every entry is.
        learning_rate: of these entries.
    """

    layer: str = ""
    mode: Mode = "frozen"
    learning_rate: float = Field(default=1e-4, gt=0)


class Reading(_Table):
    """What is said of a network that finds answers in passages (kind ``reader``).

    Attributes:
        phrase: what sees words in their context: an ``lstm``, ``tpr`` cells that bind symbols to
            roles, or ``tprlstm``, both beside each other.
        narrow: an ``lstm`` so wide, projected to ``width``; 0: none.
        symbols: entries of the attention over symbols.
        roles: of the attention over roles, the written ones with them.
        d_symbol: numbers of a symbol's vector.
        d_role: of a role's.
        sparsity: what attentions cost that are not one-hot: C^F, of those over symbols, and C^R,
            of those over roles, where ``role_sparsity`` says nothing else.
        role_sparsity: C^R, if it is another one.
        form: of this cost: as published, or as an earlier ``note`` has it.
        vectors: a file of word vectors in GloVe's format; without it they are drawn, and learned.
        d_vector: numbers of vectors that are drawn.
        filters: over the letters of words.
        written: semes of the program that ``reads`` names, which are the first roles.
    """

    phrase: Literal["lstm", "tpr", "tprlstm"] = "lstm"
    narrow: int = Field(default=0, ge=0)
    symbols: int = Field(default=100, ge=1)
    roles: int = Field(default=20, ge=1)
    d_symbol: int = Field(default=10, ge=1)
    d_role: int = Field(default=10, ge=1)
    sparsity: float = Field(default=1e-5, ge=0)
    role_sparsity: float | None = Field(default=None, ge=0)
    form: Literal["published", "note"] = "published"
    vectors: Place | None = None
    d_vector: int = Field(default=100, ge=1)
    filters: int = Field(default=100, ge=1)
    written: list[str] = []


class Model(_Table):
    """A model that is learned as a whole, in place of a program.

    Attributes:
        kind: ``pointers`` writes the equations of word problems (``.jsonl`` files of pairs),
            ``reader`` finds answers in passages (``.jsonl`` files of pairs, or ``.json``
            ones as SQuAD has them, both perhaps ``.gz``).
        encoder: of ``pointers``: what sees the words around each; ``bert``: an ``lstm``, which
            reads beside words' vectors those of a BERT that comes with its weights (extra
            ``bert``).
        tuned: of ``bert``: the learning rate of its weights, but for the vectors of pieces, which
            stay as they are; 0: all do, and what they make of a text is computed once.
        frozen: of ``bert``: how many of its first layers stay as they are; what they make of a text
            is computed once.
        rules: of ``pointers``: whether an answer has as many equations as unknowns, and uses each.
        pointing: of ``pointers``: what an operand is chosen by: ``chained``, as here, also by the
            operator of its token and its first operand; ``published``, as Kim et al. 2020 have it,
            by the decoder's output alone; ``plain``, the ablation without pointers: numbers and
            results are symbols like any other.
        decoder_layers: of ``pointers``: layers of the decoder; 0: as many as ``layers``.
        shared: of ``pointers``: whether all layers of the decoder have the same weights.
        forgetful: of ``pointers``: the share of words that training takes for unknown ones.
        reads: of ``pointers``: a program over words, whose semes encoder and pointers read; of
            ``reader``: one that writes roles.
        reading: of ``reader``: its parts.
        binding: of ``tp``: how heads bind what they read: multiplied by a role as wide, or as the
            whole product with a role of 8 numbers (appendix A of Schlag et al. 2019).
        dropout: of the attention's shares, of what each layer adds, of hidden units, and of the
            embedding; of ``lstm`` and ``gru``: of the head's hidden units and between layers (with
            ``cells = "report"`` also of inputs and outputs).
        embedding_dropout: of ``tp`` and ``transformer``: of the embedding, where it is another one.
        norms: where blocks normalise: ``pre``, before each sublayer; ``post``, behind it;
            ``published``, before each and behind each block.
        scheme: of ``tp`` and ``transformer``: first weights as the ``published`` code draws them,
            or as the text of the ``paper`` says (section 4.1 of Schlag et al. 2019).
        tied: of ``tp`` and ``transformer``: the symbols' vectors are the output map, too (Eq. 8).
        role_embedding: of ``tp``: symbols are bound to a role of symbol and position (Eq. 2).
        embedding: of ``lstm`` and ``gru``: numbers of a symbol's vector; 0: ``width``.
        forcing: of ``lstm`` and ``gru``: with this probability, drawn for each symbol of each
            question, the decoder is fed the right symbol in training, else its own last answer.
        masked: of ``lstm`` and ``gru``: padding leaves the encoder's state as it is; the LSTM of
            the three-module report reads it.
        cells: of ``gru``: ``torch`` resets behind the product, the ``report`` before it.
        start: a checkpoint of a network of the same sizes, whose weights are the first ones.
    """

    kind: Literal["tp", "transformer", "lstm", "gru", "pointers", "reader"]
    width: int = Field(default=256, ge=1)
    filter: int = Field(default=512, ge=1)
    heads: int = Field(default=8, ge=1)
    layers: int = Field(default=3, ge=1, le=MOST_LAYERS)
    dropout: Share = 0.0
    embedding_dropout: Share | None = None
    norms: Literal["published", "pre", "post"] = "post"
    encoder: Literal["lstm", "transformer", "bert"] = "lstm"
    tuned: float = Field(default=3e-5, ge=0)
    frozen: int = Field(default=0, ge=0)
    rules: bool = False
    pointing: Literal["chained", "published", "plain"] = "chained"
    decoder_layers: int = Field(default=0, ge=0, le=MOST_LAYERS)
    shared: bool = False
    forgetful: Share = 0.0
    reads: Place | None = None
    reading: Reading = Reading()
    binding: Literal["hadamard", "outer"] = "hadamard"
    scheme: Literal["published", "paper"] = "published"
    tied: bool = False
    role_embedding: bool = False
    embedding: int = Field(default=0, ge=0)
    forcing: float = Field(default=0.5, ge=0, le=1)
    masked: bool = True
    cells: Literal["torch", "report"] = "torch"
    start: Place | None = None


class Damage(_Table):
    """Written entries spoilt before training: a share dropped, and noise on the others."""

    drop: float = Field(default=0.0, ge=0, le=1)
    noise: float = Field(default=0.0, ge=0)


class Run(_Table):
    """One run.

    Attributes:
        program: a `.seme` file, by its place beside the TOML file.
        learn: a ``learn:`` block in place of the program's own.
        lexicon: lines of a ``lexicon:`` block, in place of what the program says of these tokens.
        out: the folder of the run.
        control: ``off``: without the written part; ``random``: random features in its place;
            ``trainable``: it is trained as well.
        cache: written semes are kept, question by question.
    """

    name: str = "run"
    program: Place | None = None
    model: Model | None = None
    learn: str = ""
    lexicon: str = ""
    out: Place
    control: Control = ""
    damage: Damage = Damage()
    seed: int = Field(default=1, ge=0)
    cache: bool = True
    data: Data
    train: Train = Train()
    evaluate: Evaluate = Evaluate()
    checkpoints: Checkpoints = Checkpoints()
    written: list[Written] = []


def read_run(path: Path, changes: dict[str, Any] | None = None) -> Run:
    """The run that a TOML file describes, with some settings changed: ``{"train.steps": 10}``.

    Paths are taken from the file's folder.

    Raises:
        RunError: naming what cannot be read.
    """
    if is_other(path):
        raise RunError(f"{path}: no ordinary file; a run is described by a `.toml` file")
    try:
        said = tomllib.loads(read_text(path))
    except OSError as error:
        raise RunError(f"{path}: {str(error.strerror).lower()}") from None
    except NotTextError as error:
        raise RunError(f"{path}:{error.line}: {error.why}") from None
    except (ValueError, RecursionError) as error:
        hint = "" if path.suffix == ".toml" else "; a run is described by a `.toml` file"
        raise RunError(f"{path}: {error}{hint}") from None
    for key, value in (changes or {}).items():
        _put(said, key, value, path)
    try:
        run = Run.model_validate(said)
    except ValidationError as error:
        raise RunError("\n".join(f"{path}: {_told(e)}" for e in error.errors())) from None
    _check(run, path)
    return _placed(run, path)


def _check(run: Run, path: Path) -> None:
    for key, lines in (("learn", run.learn), ("lexicon", run.lexicon)):
        if lines.lstrip().startswith(f"{key}:"):
            raise RunError(
                f"{path}: `{key}`: leave out the line `{key}:`; what stands below it is due"
            )
    if not run.data.modules and run.data.pairs is None:
        raise RunError(f"{path}: `data.modules` is missing")
    if (run.program is None) == (run.model is None):
        raise RunError(f"{path}: a run has either `program` or `[model]`")
    if run.data.vocabulary and (run.data.alphabet or run.data.pairs is not None):
        other = "alphabet" if run.data.alphabet else "pairs"
        raise RunError(f"{path}: `data.vocabulary` beside `data.{other}`: leave one of them out")
    if run.data.vocabulary and run.model is None:
        raise RunError(f"{path}: `data.vocabulary` is for a `[model]`; a `program` has its lexicon")
    if run.train.interchange and run.model is None:
        raise RunError(f"{path}: `train.interchange` is for a `[model]`; a `program` has its semes")
    if run.model is not None and run.model.kind == "pointers" and not _points(run.data):
        raise RunError(
            f'{path}: `data.pairs.equations = "operators"`: `pointers` writes expressions; take'
            ' `kind = "transformer"`, which writes symbol by symbol'
        )
    if run.train.optimiser == "lamb" and run.train.shard:
        raise RunError(f"{path}: `lamb` needs whole matrices; `train.shard` divides them")
    for name, why in sorted(dropped(run)):
        raise RunError(f"{path}: `{name}` {why}")


def _points(data: Data) -> bool:
    return data.pairs is None or data.pairs.equations == "expressions"


def _put(said: dict[str, Any], key: str, value: Any, path: Path) -> None:
    *tables, last = key.split(".")
    for table in tables:
        said = said.setdefault(table, {})
        if not isinstance(said, dict):
            raise RunError(f"{path}: `{key}`: `{table}` is a setting, not a table of settings")
    said[last] = value


def _placed(run: Run, file: Path) -> Run:
    folder = file.parent
    where = _expanded(run.data.folder)
    if missing := re.search(r"\$\{?(\w+)", where):
        raise RunError(
            f"{file}: `data.folder`: the environment has no `{missing[1]}`, the folder that"
            f" {run.data.folder} lies in; `export {missing[1]}=...`, or give it by"
            " `--set data.folder=...`"
        )
    data = run.data.model_copy(update={"folder": folder / where})
    changed: dict[str, Any] = {"out": folder / run.out, "data": data}
    if run.model is not None:
        changed["model"] = _files_placed(run.model, file)
    if run.train.interchange:
        swaps = [_beside(swap, file) for swap in run.train.interchange]
        changed["train"] = run.train.model_copy(update={"interchange": swaps})
    if run.program is not None:
        changed["program"] = folder / run.program
        _check_there(file, "program", changed["program"])
    return run.model_copy(update=changed)


def _expanded(where: Path) -> str:
    """A place in which `$NAME` is what the environment says, or `$PROGTF_DATA` the data folder."""
    ours = rf"\$({FOLDER}\b|\{{{FOLDER}\}})"
    return expandvars(re.sub(ours, lambda _: str(data_folder()), str(where)))


def _check_there(file: Path, key: str, path: Path) -> None:
    """Raises RunError unless the file that a setting names can be read."""
    if (why := why_unread(path)) is not None:
        raise RunError(f"{file}: `{key}`: {path}: {why}")


def _beside(swap: Swap, file: Path) -> Swap:
    program = file.parent / swap.program
    _check_there(file, "train.interchange", program)
    return swap.model_copy(update={"program": program})


def _files_placed(model: Model, file: Path) -> Model:
    """The same, with the files that it reads by their places; raises RunError if one is none."""
    vectors = model.reading.vectors
    named = {
        "reads": model.reads and file.parent / model.reads,
        "reading.vectors": vectors and (file.parent / _expanded(vectors)).absolute(),
    }
    for key, path in named.items():
        if path is not None:
            _check_there(file, f"model.{key}", path)
    reading = model.reading.model_copy(update={"vectors": named["reading.vectors"]})
    start = model.start and file.parent / model.start
    return model.model_copy(update={"reads": named["reads"], "reading": reading, "start": start})


_DUE = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("string_type", "path_type"), "a text in quotes"),
    **dict.fromkeys(("list_type", "tuple_type"), "a list in brackets"),
    **dict.fromkeys(("model_type", "model_attributes_type"), "a table of settings"),
    "too_short": "one or more",
}
"""What is due, in words, for each kind of mistake that pydantic finds."""


def _told(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"`{place}` is missing"
    if error["type"] != "extra_forbidden":
        said = error["msg"].lower().removeprefix("input should be ").removeprefix("value error, ")
        return f"`{place}`: expected {_DUE.get(error['type'], said)}, not {error['input']!r:.200}"
    hint = nearest(str(error["loc"][-1]), _keys_beside(error["loc"]))
    return f"there is no setting `{place}`" + (f"; {hint}" if hint else "")


def _keys_beside(place: tuple[str | int, ...]) -> list[str]:
    table: Any = Run
    for part in place[:-1]:
        if isinstance(part, int):
            continue
        kind = table.model_fields[part].annotation
        inner = [a for a in (kind, *getattr(kind, "__args__", ())) if isinstance(a, type)]
        table = next(a for a in inner if issubclass(a, BaseModel))
    return list(table.model_fields)
