"""`progtf eval`: what a model scores on the Mathematics Dataset, or on files of pairs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import eq
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from progtf.analysis import (
    ModuleScore,
    Published,
    as_json,
    by_split,
    published_beside,
    same_meaning,
    score_module,
    summarise,
    write_misses,
)
from progtf.analysis.chart import PICTURES, draw_chart
from progtf.analysis.report import REPORT, THREE, Reported, reported_beside
from progtf.analysis.scores import SAID_SO, Answer
from progtf.cli.data import Modules, Splits, mistakes_told, tell_passed
from progtf.cli.messages import UserError, say, warn
from progtf.cli.outcome import Asked, NoCache, kept, tell
from progtf.cli.progress import progress_bar
from progtf.cli.ranges import MOST
from progtf.cli.reading import evaluate_reading
from progtf.cli.sources import read_answering
from progtf.cli.word_problems import evaluate_word_problems
from progtf.cli.workers import Carried, Workers, shared_by
from progtf.data import (
    ACCEPTED,
    PAPER,
    TEST_SPLITS,
    DataError,
    ModuleFile,
    PairFile,
    Told,
    choose_splits,
    form_of,
    has_pairs,
    modules_of,
    open_layout,
    open_pairs,
    place_of,
    vocabulary_of,
)
from progtf.numbers import plain, shown
from progtf.program.outcome import Who
from progtf.tables import print_table
from progtf.tasks.comprehension import has_passages
from progtf.tasks.word_problems import has_word_problems
from progtf.training.folders import reads_lowered, steps_of


def load_model(path: Path, *, engine: Who | None = None, no_cache: bool = False) -> Answer:
    """Returns what answers questions with a `.seme` file, a compiled folder or a checkpoint.

    Of a written program that is its interpreter. Where answers are not proven to be exact, stderr
    says so.

    Raises:
        UserError: There is no model at `path`, or it is damaged.
        SemeError: The program has errors.
    """
    model = read_answering(path, None, kept(no_cache=no_cache), engine)
    tell(path, model.outcome)
    return Carried(model).said


def evaluate(  # noqa: PLR0913  each is an option
    model: Annotated[Path, typer.Argument(help="A .seme file, a compiled folder or a checkpoint.")],
    data: Annotated[
        Path,
        typer.Option(
            help="Folder or .tar.gz of the published layout; `progtf data make` makes a folder."
            " Or pairs, of which a line is question, answer and perhaps category with tabs (.tsv)"
            " or commas (.csv) between, `IN: question OUT: answer` (.txt), or an object with"
            " `question` and `answer` (.jsonl); each also as .gz. The content decides, then the"
            " name."
        ),
    ],
    modules: Modules = None,
    split: Splits = None,
    limit: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="Only the first questions of each module.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=MOST, help="Questions put at a time.")] = 256,
    ignore_case: Annotated[
        bool,
        typer.Option(
            "--ignore-case", help="A and a are alike; so it is for a checkpoint of 58 symbols."
        ),
    ] = False,
    conjuncts: Annotated[
        bool,
        typer.Option(
            "--conjuncts",
            help="Logical forms: right if they are equal sets of conjuncts, up to the names of"
            " variables.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, not tables.")] = False,
    chart: Annotated[
        Path | None, typer.Option(help="Write a bar chart: a .png, .svg or .pdf.")
    ] = None,
    errors: Annotated[
        Path | None, typer.Option(help="Write what was wrong, tab-separated.")
    ] = None,
    engine: Asked = None,
    no_cache: NoCache = False,
    workers: Workers = None,
) -> None:
    """Score a model on the Mathematics Dataset by exact match, beside the published scores.

    Interpolation and extrapolation questions are put, those that DATA has, and counted apart. An
    answer is right if every character is. What is refused, by an error or by `?`, is counted apart
    from what is wrong, and is not right either. Status 1 if everything is refused. Of a file of
    pairs all are put, and counted by category. Lines that are no question are refused: each is
    named on stderr, the rest goes on, the last line says how many, and the status is 1.

    Of questions about passages (.jsonl, or SQuAD's own .json) exact match and F1 are counted, as
    SQuAD does. Of word problems (.jsonl) those are counted that are solved, every unknown of them,
    and what went wrong with the others, by what their texts and equations have.

    Example: `progtf eval place_value.seme --data math -m numbers__place_value --chart out.png`
    """
    told = Told()

    def ended(read: int) -> None:
        if tell_passed(told, read):
            raise typer.Exit(1)

    with mistakes_told():
        _check_outputs(chart, errors)
        if has_passages(data):
            ended(evaluate_reading(model, data, limit, told, as_json=json))
            return
        if data.is_file() and has_word_problems(data):
            ended(evaluate_word_problems(model, data, limit, told, as_json=json))
            return
        files = _files(data, split, modules, limit, told)
        lowered = ignore_case or reads_lowered(model)
        same = partial(_same, same_meaning if conjuncts else eq, ignore_case=lowered)
        answer = load_model(model, engine=engine, no_cache=no_cache)
        put = partial(score_module, answer, limit=limit, batch=batch, same=same)
        with progress_bar(None) as report, shared_by(workers) as each:
            scores = [
                put(f, report=partial(report, f"{f.split}/{f.module}"), each=each) for f in files
            ]
        scores = [score for score in scores if score.problems]
        if not scores:
            ended(0)
            raise DataError("there is no question in it", data)
        if not has_pairs(data):
            scores.sort(key=lambda score: place_of(score.split, score.module))
        if chart:
            draw_chart(scores, model.stem, chart)
        if errors:
            write_misses(errors, scores)
    steps = steps_of(model)
    say(as_json(scores, model.stem, steps)) if json else _print_tables(scores, model.stem, steps)
    if scores and all(score.refused == score.problems for score in scores):
        raise UserError(f"the model refused every question: {_refusal(scores[0])}")
    ended(sum(score.problems for score in scores))


def _files(
    data: Path,
    split: Sequence[str] | None,
    modules: Sequence[str] | None,
    limit: int | None,
    told: Told,
) -> Iterable[ModuleFile | PairFile]:
    if has_pairs(data):
        if split:
            raise DataError("a file of pairs has no splits", data, help="leave `--split` out")
        return open_pairs(data, modules or (), limit, told)
    if data.is_file() and (form := form_of(data)) != "archive":
        command = "; `progtf pairs` takes these" if form == "minimal pairs" else ""
        raise DataError(f"this is no file of questions{command}", data, help=ACCEPTED)
    wanted = data, choose_splits(split or TEST_SPLITS), modules or ()
    alphabet = vocabulary_of(open_layout(*wanted)) if data.is_dir() else PAPER
    return open_layout(*wanted, alphabet, told)


def _same(alike: Callable[[str, str], bool], one: str, other: str, *, ignore_case: bool) -> bool:
    return alike(one.lower(), other.lower()) if ignore_case else alike(one, other)


def _refusal(score: ModuleScore) -> str:
    """Why the model refused, the first reason that is more than a `?`."""
    reasons = [miss.refusal for miss in score.misses if miss.refusal]
    return next((each for each in reasons if each != SAID_SO), reasons[0] if reasons else "")


def _check_outputs(chart: Path | None, errors: Path | None) -> None:
    """Complains before the work rather than after it."""
    if chart and chart.suffix not in PICTURES:
        raise DataError("no such kind of picture", chart, help=f"give one of {', '.join(PICTURES)}")
    for path in (chart, errors):
        if path and not path.parent.is_dir():
            raise DataError("there is no such folder", path.parent)


def _print_tables(scores: Sequence[ModuleScore], model: str, steps: int | None) -> None:
    for split, some in by_split(scores).items():
        print_table(_modules_table(split, some))
    if published := published_beside(scores):
        print_table(_published_table(published, scores, (model, steps)))
    if reported := reported_beside(scores):
        print_table(_reported_table(reported, scores, (model, steps)))
    for score in scores:
        if _refusal(score) not in ("", SAID_SO):  # of which the table says all there is
            warn(
                f"note: {score.split}/{score.module}: the model refused {score.refused} of"
                f" {score.problems} questions: {_refusal(score)}"
            )


def _modules_table(split: str, scores: Sequence[ModuleScore]) -> Table:
    table = Table(title=split, title_justify="left")
    table.add_column("module")
    for heading in ("right", "refused", "wrong", "of", "%"):
        table.add_column(heading, justify="right")
    counted = ("correct", "refused", "wrong", "problems")
    for score in scores:
        cells = (str(getattr(score, name)) for name in counted)
        table.add_row(score.module, *cells, f"{score.percent:.2f}")
    if len(scores) > 1:
        sums = [sum(getattr(score, name) for score in scores) for name in counted]
        table.add_section()
        table.add_row("together", *map(str, sums), f"{100 * sums[0] / sums[-1]:.2f}")
    return table


def _published_table(
    published: Sequence[Published], scores: Sequence[ModuleScore], own: tuple[str, int | None]
) -> Table:
    """The published means over all modules, and below them this model's over those scored."""
    table = Table(title="mean over modules, %", title_justify="left")
    table.add_column("model")
    for heading in ("steps", "interpolate", "> 95 %", "extrapolate", "> 95 %"):
        table.add_column(heading, justify="right")
    for row in published:
        inner = (f"{row.interpolate:.2f}", str(row.interpolate_above_95))
        outer = (f"{row.extrapolate:.2f}", str(row.extrapolate_above_95))
        name = f"{row.model} {plain(row.parameters)}M ({row.source})"
        table.add_row(name, f"{row.steps}k", *inner, *outer)
    table.add_section()
    splits = by_split(scores)
    name, steps = own
    sides = *_own(splits, "interpolate"), *_own(splits, "extrapolate")
    table.add_row(name, _thousands(steps), *sides)
    return table


def _reported_table(
    reported: Sequence[Reported], scores: Sequence[ModuleScore], own: tuple[str, int | None]
) -> Table:
    """The report's scores on its three modules, and below them this model's."""
    table = Table(title=f"{REPORT}: interpolate, %", title_justify="left")
    table.add_column("model")
    for heading in ("steps", "all three", *THREE):
        table.add_column(heading, justify="right")
    for row in reported:
        numbers = (f"{number:.1f}" for number in (row.together, *row.modules))
        table.add_row(row.model, f"{row.steps}k", *numbers)
    table.add_section()
    some = {score.module: score for score in scores if score.split == "interpolate"}
    right, of = (
        sum(getattr(each, name) for each in some.values()) for name in ("correct", "problems")
    )
    each = (some[module].percent for module in THREE)
    name, steps = own
    table.add_row(name, _thousands(steps), *(f"{n:.1f}" for n in (100 * right / of, *each)))
    return table


def _thousands(steps: int | None) -> str:
    return "" if steps is None else f"{shown(steps / 1000)}k"


def _own(splits: Mapping[str, Sequence[ModuleScore]], split: str) -> tuple[str, str]:
    if split not in splits:
        return "", ""
    summary = summarise(splits[split])
    every = len(modules_of(split))
    scored = "" if summary.modules == every else f" ({summary.modules} of {every} modules)"
    return f"{summary.mean:.2f}{scored}", str(summary.above_95)
