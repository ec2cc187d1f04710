"""What ``import progtf`` offers. Torch is imported when a model is asked for, not before."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from progtf.bounded import read_bytes
from progtf.cache import Cache
from progtf.compiled import Compiled, Place, place_of
from progtf.extras import told
from progtf.notation import flat, spell
from progtf.notation.render import SemeError
from progtf.program.answers import ChainStep, EndlessError  # noqa: F401  part of what is offered
from progtf.program.arrays import Array
from progtf.program.chains import ChainError  # noqa: F401  as above
from progtf.program.changes import (  # noqa: F401  as above
    ablated,
    added,
    scaled,
    set_to,
    swapped,
    value_at,
)
from progtf.program.formats import common_format, holding
from progtf.program.forms import add_to
from progtf.program.model import Program
from progtf.program.outcome import NotExactError, Outcome  # noqa: F401  as above
from progtf.program.tokens import InputError  # noqa: F401  as above

if TYPE_CHECKING:
    from progtf.network.interchange import Interchange, Subspace
    from progtf.network.model import Model
    from progtf.nn.inside import Inside
    from progtf.running.interpret import Interpreter
    from progtf.weights.circuit import Circuit
    from progtf.weights.weights import Weights


def lower(program: Program, dtype: str = "float32") -> "Weights":
    """The weights that a program means, by name: maps of entries, without torch.

    Args:
        program: from ``progtf.load``.
        dtype: how they are stored: float64, float32, bfloat16 or float16.

    Raises:
        TypeError: for anything but a program.
        ValueError: for another ``dtype``.
        progtf.program.formats.FormatError: if a weight is too large for it.
    """
    from progtf.outcomes import proven  # noqa: PLC0415  only who asks waits

    return proven(_checked(program), dtype)


def interpret(program: Program | str | Path) -> "Interpreter":
    """What answers texts by a program's meaning alone: hard attention, exactly, and no torch.

    Its answers name what promises of the program a text breaks, ``answer.broken``. It has the
    ``run``, ``answers`` and ``try_answers`` of a model.

    Args:
        program: from ``progtf.load``; or the ``.seme`` file, which is read only where nothing that
            was found of it before answers.

    Raises:
        TypeError: for anything else.
        SemeError: with all errors of the file.
        OSError: if it cannot be read.
    """
    from progtf.running.interpret import Interpreter  # noqa: PLC0415  only who asks waits
    from progtf.running.ready import Ready  # noqa: PLC0415  as above

    if isinstance(program, str | Path):
        path = Path(program)
        place = Place(path, read_bytes(path), Cache.of_user())
        return Interpreter(Ready(lambda: place.again(lambda: place.read()[0]), place, str(path)))
    known = _checked(program)
    return Interpreter(Ready(lambda: known, place_of(known), known.name))


def _checked(program: object) -> Program:
    if isinstance(program, Program):
        return program
    given = type(program).__name__
    raise TypeError(f"program: a {given} is given, and what progtf.load returns is due")


def compile(program: "Program | Weights", dtype: str | None = None) -> "Model":  # noqa: A001  it is what it does
    """The torch module that computes what a program means.

    Args:
        program: from ``progtf.load``; or weights, which keep the format that they have.
        dtype: how weights are stored: float64, float32, bfloat16 or float16; without it as given
            weights are, and of a program in float32 if it is proven to be exact in it or leaves
            something to training, in float64 otherwise. Arithmetic is float64 for float64 weights,
            float32 otherwise.

    Returns:
        A ``torch.nn.Module`` whose ``run`` takes a text or a list of texts; its ``outcome`` is what
        is proven of it.

    Raises:
        TypeError: for anything but a program.
        ValueError: for another ``dtype``.
    """
    with told():
        from progtf.network.model import Model  # noqa: PLC0415  torch is slow
    from progtf.weights.weights import Weights  # noqa: PLC0415

    if isinstance(program, Weights):
        return Model(program if dtype is None else program.stored_as(dtype))

    def prove(known: Program) -> Weights:
        from progtf.outcomes import proven  # noqa: PLC0415  only who proves waits

        return proven(known, dtype)

    known = _checked(program)
    place = place_of(known) if dtype is None else None
    if place is None:
        return Model(prove(known))
    return Model(Compiled(place, dtype).ready(lambda: known, prove))


def load_model(folder: str | Path) -> "Model":
    """The model in a folder that ``progtf compile`` or ``progtf.save_model`` wrote.

    A checkpoint of a hybrid is such a folder, too. A network that is learned as a whole is none:
    ``progtf.training.networks.LearnedModel.load`` reads it.

    Raises:
        progtf.weights.folder.FolderError: with what is wrong with the folder.
    """
    with told():
        from progtf.network.model import Model  # noqa: PLC0415  torch is slow
    from progtf.weights.folder import FolderError, load_weights  # noqa: PLC0415

    weights = load_weights(folder)
    try:
        return Model(weights)
    except ValueError as error:
        raise FolderError(f"{folder}: damaged: {error}") from None
    except (MemoryError, RuntimeError) as error:  # torch has no error of its own for it
        if isinstance(error, RuntimeError) and "allocate" not in str(error):
            raise
        wide = weights.layout.width
        raise FolderError(f"{folder}: a network of {wide:,} dimensions is too large here") from None


def save_model(model: "Model | Weights | Program", folder: str | Path) -> None:
    """Writes a model to a folder: safetensors and JSON, loadable without the source."""
    from progtf.weights.folder import save_weights  # noqa: PLC0415  only who asks waits

    if isinstance(model, Program):
        from progtf.outcomes import proven  # noqa: PLC0415  as above

        model = proven(model)
    save_weights(_weights(model), folder)


def decompile(model: "Model | Weights | Program") -> str:
    """The program that a model's weights are: compiled again, it has the same bits.

    Raises:
        progtf.weights.decompile.UnwritableError: for weights on dimensions that no seme names,
            and for infinities or NaN.
    """
    from progtf.weights import decompile as decompiling  # noqa: PLC0415  only who asks waits

    return decompiling.decompile(_weights(model))


def interchange(
    model: "Inside",
    program: Program,
    base: str | Sequence[str],
    source: str | Sequence[str],
    seme: str,
    seed: int = 1,
    subspace: "Subspace | None" = None,
) -> "Interchange":
    """Swaps a seme from one text into another, in a network and by the meaning of its program.

    Args:
        model: the network, compiled or trained, with the semes of the program; any other, such as
            `progtf.training.networks.LearnedModel`, with a ``subspace``.
        program: what it should compute.
        base: a text or several.
        source: where the seme is taken from: as many texts.
        seme: its name, swapped behind the last layer that writes it, or as ``encoder.read.hit``.
        seed: of the random subspace.
        subspace: what is held to be the seme in a network that has none: a
            `progtf.network.interchange.Subspace`, a point and orthonormal directions.

    Returns:
        ``agreement`` over the pairs whose answer the swap changes, beside that of a random
        subspace (``control``), and all ``pairs``.

    Raises:
        ValueError: for a seme that is none, or is in a loop, for another number of sources than of
            bases, or a network without semes where there is no ``subspace``.
    """
    from progtf.network import interchange as home  # noqa: PLC0415  torch is slow

    return home.interchange(model, _checked(program), base, source, seme, seed, subspace)


def circuit(model: "Model | Weights | Program") -> "Circuit":
    """Who writes what that whom reads: heads, rules, and the semes between them.

    It has ``nodes`` and ``edges``, told by ``as_data()``, ``dot()`` and ``graph()`` (networkx).
    """
    from progtf.weights.circuit import circuit as circuit_of  # noqa: PLC0415  only who asks waits

    return circuit_of(_weights(model))


def diff(one: "Model | Weights | Program", other: "Model | Weights | Program") -> list[str]:
    """What differs between two models, a line each: as a whole, then weights, largest first."""
    from progtf.weights.changes import changes, contrasts, shown  # noqa: PLC0415  as above

    before, after = _weights(one), _weights(other)
    formats: dict[bool, list[str]] = {True: [], False: []}
    for model, weights in ((one, before), (other, after)):
        formats[isinstance(model, Program)].append(weights.dtype)
    common = common_format(formats[True], formats[False])
    if common is not None and before.dtype != after.dtype:
        before, after = _weights(one, common), _weights(other, common)
    return [*contrasts(before.layout, after.layout), *map(shown, changes(before, after))]


def _weights(model: "Model | Weights | Program", dtype: str | None = None) -> "Weights":
    from progtf.weights.weights import Weights  # noqa: PLC0415  only who asks waits

    if isinstance(model, Program):
        return lower(model, dtype or holding(model))
    weights = model if isinstance(model, Weights) else model.weights
    return weights if dtype is None else weights.stored_as(dtype)


def vector(text: str, semes: str | Sequence[str]) -> Array:
    """A vector written in the notation, as numbers.

    Args:
        text: such as ``+pig -2.1wombat``.
        semes: the names of the dimensions in order, as a list or separated by blanks.

    Returns:
        Shape (semes,), float64.

    Raises:
        SemeError: if the text is no vector over these semes.
    """
    names = _names(semes)
    terms = [entry.terms[0] for entry in _entries(text, "vector")]
    return _array((len(names),), (((_index(term, names),), term.coefficient) for term in terms))


def matrix(text: str, semes: str | Sequence[str]) -> Array:
    """A matrix written in the notation, as numbers: row = source, column = target.

    Args:
        text: such as ``3pig>wombat, -peregrine>pig``.
        semes: the names of rows and columns in order, as a list or separated by blanks.

    Returns:
        Shape (semes, semes), float64; a row vector times it is what the map gives.

    Raises:
        SemeError: if the text is no matrix over these semes.
    """
    names = _names(semes)
    return _array(
        (len(names), len(names)),
        (
            (
                (_index(source, names), _index(target, names)),
                source.coefficient * target.coefficient,
            )
            for source, target in (entry.terms for entry in _entries(text, "map"))
        ),
    )


def _array(shape: tuple[int, ...], entries: Iterable[tuple[tuple[int, ...], float]]) -> Array:
    """Numbers by their places; those of one place add up."""
    total: dict[tuple[int, ...], float] = {}
    for place, value in entries:
        add_to(total, place, value)
    result = np.zeros(shape)
    for place, value in total.items():
        result[place] = value
    return result


def to_text(array: np.ndarray, semes: str | Sequence[str]) -> str:
    """A vector or matrix in the notation; reading it back gives the same bits.

    Args:
        array: shape (semes,) or (semes, semes).
        semes: the names of the dimensions in order.

    Raises:
        ValueError: for another shape, and for infinities and NaN.
    """
    names = list(_names(semes))
    values = np.asarray(array)
    if values.shape not in ((len(names),), (len(names), len(names))):
        raise ValueError(f"array of shape {values.shape} over {len(names)} semes")
    kept = [tuple(place) for place in np.argwhere((values != 0) | np.signbit(values))]
    numbers = [_shortest(values.dtype.type(values[place])) for place in kept]
    if values.ndim == 1:
        return spell.vector((names[place[0]], n) for place, n in zip(kept, numbers, strict=True))
    pairs = zip(kept, numbers, strict=True)
    return spell.matrix((names[row], names[column], n) for (row, column), n in pairs) or "0"


def _shortest(value: np.generic) -> float:
    """The float64 with the fewest digits that reads back to the same bits of the array's format."""
    short = float(str(value))
    return short if value.dtype.type(short) == value else float(value)


def _names(semes: str | Sequence[str]) -> dict[str, int]:
    """Names to places; a string may hold families, as ``place[0..3]``."""
    if isinstance(semes, str):
        from progtf.notation.expand import expand_text  # noqa: PLC0415  only who asks waits

        expanded, found = expand_text("<semes>", f"semes: {semes}")
        if found:
            raise SemeError(found)
        semes = [item.name for item in expanded.statements if isinstance(item, flat.Seme)]
    return {name: place for place, name in enumerate(semes)}


def _entries(text: str, kind: str) -> tuple[flat.Entry, ...]:
    from progtf.building import problems  # noqa: PLC0415  only who asks waits
    from progtf.notation.expand import expand_text  # noqa: PLC0415  as above

    expanded, found = expand_text(f"<{kind}>", f"{kind}: {' '.join(text.split())}")
    if found:
        raise SemeError(found)
    values = [item.value for item in expanded.statements if isinstance(item, flat.NamedValue)]
    entries = values[0] if values else ()
    due = {"vector": "a vector", "map": "a matrix"}
    entries = tuple(e for e in entries if e.terms[0].name or e.terms[0].coefficient)  # `0`: none
    wrong = [e for e in entries if e.kind != kind or e.terms[-1].name is None]
    if wrong:
        named = {e.kind: due.get(e.kind, f"a {e.kind}") for e in wrong}
        raise SemeError(problems.names.wrong_kind(e.span, named[e.kind], due[kind]) for e in wrong)
    return entries


def _index(term: flat.Term, names: dict[str, int]) -> int:
    if term.name in names:
        return names[term.name]
    from progtf.building import problems  # noqa: PLC0415  as above

    raise SemeError([problems.names.unknown_seme(term.span, str(term.name), names, None)])
