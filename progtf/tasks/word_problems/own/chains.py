"""Kinds of problem that are put together: a setting, what happens in it, and a question.

`chains.txt` has the settings; a line is a key, and fields that colons part::

    setting bus
    counted
    begin a 12..60: a: There are [a] people on a bus.
    some There are some people on a bus.
    step b 2..15: v - b: At the next stop [b] of them get off.
    to money: p 2..4: v * p: Each of those on it pays [$p].
    end How many people are on the bus now?: v
    told Now there are [w] people on it.
    first How many people were on it at first?

`begin` says what there is, `step` what becomes of it: of ``v``, which is what the line before came
to. `to` goes on in another setting. `end` asks, for ``v`` or for ``total``, the sum of all that was
there in turn. Behind `some`, where nobody knows what there was, `told` says what it came to, and
`first` asks for the beginning. ``{P}`` is who a step is about, ``{Q}`` who the step before was.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from progtf.tasks.word_problems.own.table import CHAINS, Ask, Kind, equation, lines_of

LENGTHS = (1, 2, 2, 2, 3, 3)
"""How many steps a chain has; each as likely as another."""
BACKWARDS = 0.2
"""How likely it is the beginning that is asked for."""
_NAMED = re.compile(r"\[([$%*/]?)(\w+)(!?(?::[^\]]*)?)\]")
_FIRST_OF = "ABCDEF"


@dataclass(frozen=True)
class Step:
    """What there is, or becomes of it.

    Attributes:
        draws: of its own numbers.
        value: what it comes to, an expression.
        text: phrases.
        leads: the setting in which the next step is.
    """

    draws: tuple[str, ...]
    value: str
    text: str
    leads: str


@dataclass
class Setting:
    """A setting; its fields are the lines of its keys.

    Attributes:
        counted: whether what is there is always a whole number.
        ends: a question, and what it asks for.
    """

    name: str
    counted: bool = False
    begins: list[Step] = field(default_factory=list[Step])
    some: list[str] = field(default_factory=list[str])
    steps: list[Step] = field(default_factory=list[Step])
    ends: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    told: list[str] = field(default_factory=list[str])
    first: list[str] = field(default_factory=list[str])


@cache
def settings_written() -> Mapping[str, Setting]:
    """All settings by name.

    Raises:
        ValueError: for a line that is none.
    """
    found, here = dict[str, Setting](), Setting("")
    for key, text in lines_of(Path(__file__).parent / CHAINS):
        if key == "setting":
            here = found[text] = Setting(text)
            continue
        fields = [each.strip() for each in text.split(":")]
        match key, fields:
            case "counted", _:
                here.counted = True
            case "begin", [draws, value, said]:
                here.begins.append(Step(_parted(draws), value, said, here.name))
            case "step", [draws, value, said]:
                here.steps.append(Step(_parted(draws), value, said, here.name))
            case "to", [leads, draws, value, said]:
                here.steps.append(Step(_parted(draws), value, said, leads))
            case "end", [said, value]:
                here.ends.append((said, value))
            case (("some" | "told" | "first"), [said]):
                getattr(here, key).append(said)
            case _:
                raise ValueError(f"{CHAINS}: no line is `{key} {text}`")
    return found


def _parted(draws: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in draws.split(";") if each.strip())


def chained(random: Random) -> Kind:
    """A kind that is put together, of one story and one question; not all have numbers that fit."""
    settings = settings_written()
    begun = [each for each in settings.values() if each.begins]
    here = random.choices(begun, [len(each.begins) + len(each.steps) for each in begun])[0]
    steps = [random.choice(here.begins)]
    backwards = bool(here.some) and random.random() < BACKWARDS
    for _ in range(random.choice(LENGTHS)):
        left = [each for each in settings[steps[-1].leads].steps if each not in steps]
        if backwards:
            left = [each for each in left if settings[each.leads].told]
        if not left:
            break
        steps.append(random.choice(left))
    last = settings[steps[-1].leads]
    if backwards and last.told and here.first:
        return _backwards(here, last, steps, random)
    said, asked = random.choice(last.ends)
    told = [*_told(steps, settings)]
    values = [each.value for each in told]
    sums = {"v": f"({values[-1]})", "total": f"({' + '.join(values)})"}
    whole = _renamed(asked, sums)
    draws = [draw for each in told for draw in each.draws]
    name = f"chain in {here.name}"
    ask = Ask(("x",), _of(said, len(steps) - 1, {}), (equation(f"x = {whole}"),))
    return Kind(name, [*draws, f"x = {whole}"], [" ".join(each.text for each in told)], [ask])


def _backwards(here: Setting, last: Setting, steps: Sequence[Step], random: Random) -> Kind:
    """The same with its beginning unknown, and what it comes to told."""
    told = [*_told(steps, settings_written())]
    draws = [draw for each in told for draw in each.draws]
    first = told[0].value
    unknown = told[-1].value.replace(f"({first})", "x")
    story = [random.choice(here.some), *(each.text for each in told[1:]), random.choice(last.told)]
    return Kind(
        f"beginning of a chain in {here.name}",
        [*draws, f"x = {first}", f"w = {told[-1].value}"],
        [" ".join(_of(each, len(steps) - 1, {}) for each in story)],
        [Ask(("x",), random.choice(here.first), (equation(f"{unknown} = w"),))],
    )


def _told(steps: Sequence[Step], settings: Mapping[str, Setting]) -> Iterator[Step]:
    """The steps with names of their own for their numbers, in expressions of the first ones."""
    value = "0"
    for number, step in enumerate(steps):
        own = {draw.split()[0] for draw in step.draws if not draw.startswith("if ")}
        names = {name: f"{name}{number}" for name in own}
        value = _renamed(step.value, names | {"v": f"({value})"})
        draws = [_renamed(draw, names) for draw in step.draws]
        draws += [f"v{number} = {value}", f"if v{number} > 0", f"if 20000 > v{number}"]
        if settings[step.leads].counted:
            draws.append(f"if whole v{number}")
        yield Step(tuple(draws), value, _of(step.text, number, names), step.leads)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda found: names.get(found[0], found[0]), text)


def _of(text: str, number: int, names: Mapping[str, str]) -> str:
    """A text with the names of a step's numbers, and of whom it is about."""
    for mark, place in (("P", number), ("Q", number - 1)):
        text = re.sub(rf"\{{{mark}(?=[.}}])", f"{{{_FIRST_OF[place]}", text)
    named = lambda found: f"[{found[1]}{names.get(found[2], found[2])}{found[3]}]"  # noqa: E731
    return _NAMED.sub(named, text)
