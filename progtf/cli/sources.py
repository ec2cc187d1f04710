"""Programs and models from what a person names: a ``.seme`` file or a compiled folder.

What is not there, or means nothing, is a UserError; a program with mistakes is a SemeError, and a
folder that is damaged a FolderError.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from progtf.cache import Cache
from progtf.cli.messages import UserError, warn
from progtf.cli.outcome import saying_so
from progtf.cli.texts import read_bytes, with_doubt
from progtf.compiled import Compiled, Place
from progtf.notation.render import SemeError, render_all

if TYPE_CHECKING:
    from progtf.network.model import Model
    from progtf.notation.diagnostics import Diagnostic
    from progtf.program.model import Program
    from progtf.program.outcome import Who
    from progtf.running.interpret import Interpreter
    from progtf.training.networks import LearnedModel
    from progtf.weights.weights import Weights


def read_program(path: Path, cache: Cache | None = None, *, warnings: bool = False) -> "Program":
    """The program in a file; its warnings go to stderr if asked for.

    Args:
        path: the file.
        cache: where it may be kept from before; None: the user's.
        warnings: whether they are told.

    Raises:
        UserError: if there is no such file.
        SemeError: with all errors of the program.
    """
    kept = Cache.of_user() if cache is None else cache
    return _understood(Place(path, read_bytes(path), kept), warnings=warnings)


def _understood(place: Place, *, warnings: bool = False) -> "Program":
    try:
        program, found = place.program() or _anew(place)
    except SemeError as error:
        raise with_doubt(error, place.path) from None
    if warnings and found:
        warn(render_all(found))
    return program


def _anew(place: Place) -> "tuple[Program, tuple[Diagnostic, ...]]":
    with saying_so(f"reading {place.path}, since {place.why}"):
        return place.anew()


def read_interpreter(path: Path, cache: Cache) -> "Interpreter":
    """What answers by the meaning of a program; it is read when there is no other way.

    Raises:
        UserError: if there is no such file, or it is a folder.
        SemeError: with all errors of the program.
    """
    place = Place(path, read_bytes(path), cache)
    program = _understood(place) if place.seen is None else None
    from progtf.running.interpret import Interpreter  # noqa: PLC0415  who has mistakes needs none
    from progtf.running.ready import Ready  # noqa: PLC0415  as said

    again = partial(place.again, lambda: _understood(place) if program is None else program)
    return Interpreter(Ready(again, place, str(path)))


def read_model(path: Path, dtype: str | None, cache: Cache) -> "Model":
    """The model of a program, or the one in a folder.

    Raises:
        UserError: if there is neither, or the format is not known.
        FolderError: with what is wrong with the folder.
    """
    _check_format(dtype)
    if path.is_dir():
        weights = read_weights(path, dtype)
    else:
        place = Place(path, read_bytes(path), cache)
        weights = Compiled(place, dtype).ready(
            partial(_understood, place), partial(_proven, place, dtype)
        )
    from progtf.network.model import Model  # noqa: PLC0415  torch is slow

    try:
        return Model(weights)
    except ValueError as error:
        raise UserError(f"{path}: damaged: {error}") from None


def read_proven(path: Path, dtype: str | None, cache: Cache) -> "Weights":
    """The weights of a program, or those in a folder, with what is proven of them found out.

    Raises:
        UserError: if there is neither, or the format is not known.
    """
    _check_format(dtype)
    if path.is_dir():
        return read_weights(path, dtype)
    place = Place(path, read_bytes(path), cache)
    compiled = Compiled(place, dtype)
    weights = compiled.weights()
    if weights is None:
        weights = _proven(place, dtype, _understood(place))
        compiled.keep(weights)
    return weights


def _proven(place: Place, dtype: str | None, program: "Program") -> "Weights":
    from progtf.outcomes import proven  # noqa: PLC0415  only who checks waits

    with saying_so(f"checking {place.path}, once"):
        weights = proven(program, dtype, place.kept)
        _ = weights.outcome
    return weights


def read_weights(path: Path, dtype: str | None) -> "Weights":
    """The weights of a program, or those in a folder; without a format one that has all numbers.

    Raises:
        UserError: if there is neither, or the format is not known.
        FolderError: with what is wrong with the folder.
    """
    _check_format(dtype)
    if not path.is_dir():
        from progtf.program.formats import holding  # noqa: PLC0415  a folder needs none
        from progtf.weights.lower import lower  # noqa: PLC0415  as said

        program = read_program(path)
        return lower(program, dtype or holding(program))
    from progtf.training.folders import is_network  # noqa: PLC0415  only who reads one waits
    from progtf.weights.folder import load_weights  # noqa: PLC0415  as said

    if is_network(path):
        raise UserError(
            f"{path}: this network is learned as a whole, there is no program in it; by its kind"
            " `progtf run` and `eval` take it, `solve` (pointers) or `answer` (reader)"
        )
    weights = load_weights(path)
    return weights if dtype is None else weights.stored_as(dtype)


def _check_format(dtype: str | None) -> None:
    if dtype is None:
        return
    from progtf.weights.formats import FORMATS  # noqa: PLC0415  numpy takes its time

    if dtype not in FORMATS:
        raise UserError(f"--dtype {dtype} is none of {', '.join(FORMATS)}")


def read_answering(
    path: Path, dtype: str | None, cache: Cache, engine: "Who | None" = None
) -> "Model | Interpreter | LearnedModel":
    """What answers texts: of a written program the interpreter, of all else the network.

    Args:
        path: a program, a folder of weights, or one of a network that was learned as a whole.
        dtype: a number format, in which only a network answers.
        cache: where what was found out is kept.
        engine: who is to answer; None: who answers for such a program.

    Raises:
        UserError: as ``read_model``; for a number format, if it is such a network; for a
            checkpoint whose random features are gone; and if the interpreter is to answer for what
            is no program.
    """
    if engine == "interpreter":
        return read_interpreter(path, cache)
    if engine is None and dtype is None and not path.is_dir():
        meant = read_interpreter(path, cache)
        if meant.ready.first.who == "interpreter":
            return meant
    return _read_network(path, dtype, cache)


def read_inside(
    path: Path, dtype: str | None, cache: Cache, engine: "Who | None" = None
) -> "Model | Interpreter":
    """What answers texts as ``read_answering`` says, if semes can be told in it.

    Raises:
        UserError: as ``read_answering``; and for a network that was learned as a whole.
    """
    if path.is_dir() and engine != "interpreter":
        return read_model(path, dtype, cache)
    return cast("Model | Interpreter", read_answering(path, dtype, cache, engine))


def _read_network(path: Path, dtype: str | None, cache: Cache) -> "Model | LearnedModel":
    from progtf.training.folders import control_of, is_network  # noqa: PLC0415  as above

    if control_of(path) == "random":
        raise UserError(
            f"{path}: trained beside random features (control `random`), which are not kept:"
            " without them it gives other answers; what it scored is in the `report.md` of its run"
        )
    if not is_network(path):
        return read_model(path, dtype, cache)
    from progtf.nn.pointers import ExpressionPointers  # noqa: PLC0415
    from progtf.training.config import RunError  # noqa: PLC0415
    from progtf.training.networks import LearnedModel  # noqa: PLC0415

    if dtype is not None:
        raise UserError(
            "a network that is learned as a whole runs as it is kept: leave --dtype out"
        )
    try:
        model = LearnedModel.load(path)
    except RunError as error:
        raise UserError(str(error)) from None
    if isinstance(model.network, ExpressionPointers):
        raise UserError(
            f"{path}: a network of kind `pointers` writes equations of word problems:"
            " `progtf solve`"
        )
    return model
