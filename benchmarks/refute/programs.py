"""Whole programs: random ones, and those that are known."""

from collections.abc import Sequence

from benchmarks.refute.answers import answer
from benchmarks.refute.chance import Chance
from benchmarks.refute.draft import Draft, form_text, led
from benchmarks.refute.heads import head
from benchmarks.refute.known_programs import BLOCK, borrowed, mutated
from benchmarks.refute.rules import rules
from progtf.notation.spell import number
from progtf.program.forms import FLAG, Form, Values

WORDS = ("x", "y", "z", "w", "v", "dog")


def written(seed: int, place: int) -> str:
    """The program with this place among those of a seed."""
    chance = Chance(f"{seed} {place}")
    kind = chance.random()
    if kind < 0.12:
        return borrowed(seed, place // (8 * BLOCK))[place % BLOCK]
    if kind < 0.32:
        return mutated(chance)
    return random_program(chance)


def random_program(chance: Chance) -> str:
    """A program with any of the constructs."""
    kind = chance.pick(("encoder",) * 12 + ("seq2seq", "seq2seq", "decoder", "rnn", "dense", "rnn"))
    draft = Draft(chance)
    lexicon = _lexicon(draft, kind)
    spelled = _spelling(draft) if kind in ("encoder", "rnn") and chance.often(0.12) else []
    draft.settle()
    given = list(draft.readable)
    if kind == "rnn":
        _cell(draft)
    if kind == "seq2seq":
        draft.lines.append("encoder:")
    _layers(draft, kind, chance.pick((1, 1, 2, 2, 3, 3, 4)), indent=int(kind == "seq2seq"))
    if kind == "seq2seq":
        _decoder(draft, given)
    said = answer(draft, kind)
    lines = [
        *_model(chance, kind),
        *draft.declarations(),
        *spelled,
        *lexicon,
        *draft.lines,
        *said,
    ]
    return "\n".join(lines) + "\n"


def _model(chance: Chance, kind: str) -> list[str]:
    longest = chance.pick((1, 2, 4, 8, 8, 12, 18, 24, 64))
    lines = [
        "model:",
        f"  kind: {kind}",
        f"  length: {max(longest, 4)} -> {chance.pick((1, 3, 5))}",
    ]
    if chance.often(0.15):
        lines.append("  binding: outer")
    if chance.often(0.15) and kind != "rnn":
        lines.append(f"  norm: {chance.pick(('round', 'round', 'split', 'layer'))}")
    if chance.often(0.05):
        lines.append(f"  sharpness: {chance.pick((32, 1024, 65536))}")
    return lines


def _lexicon(draft: Draft, kind: str) -> list[str]:
    """The section, or nothing for a program over vectors; what it gives can be read."""
    chance = draft.chance
    for _ in range(chance.randint(1, 3)):
        draft.seme()
    for _ in range(chance.randint(0, 3)):
        draft.seme(chance.range())
    if chance.often(0.25):
        for member in range(chance.randint(2, 4)):
            draft.declared[f"p[{member}]"] = FLAG
            draft.fresh.append(f"p[{member}]")
    if kind == "dense":
        return []
    words = WORDS[: chance.randint(1, len(WORDS))]
    special = ["<bos>", "<eos>"] if kind in ("seq2seq", "decoder") or chance.often(0.1) else []
    lines = [f"  {word}: {_given(draft)}" for word in (*words, *special)]
    lines.append(f"  every: {_given(draft, share=1.0)}")
    if chance.often(0.25):
        lines.append(f"  unknown: {_given(draft, share=0.2)}")
    return ["lexicon:", *lines]


def _given(draft: Draft, share: float = 0.5) -> str:
    """What a token gives: of a family one member."""
    chance, terms = draft.chance, list[str]()
    members = [name for name in draft.fresh if "[" in name]
    chosen = [chance.pick(members)] if members and chance.often(0.8) else []
    for name in draft.fresh:
        if "[" in name or not chance.often(share):
            continue
        values = draft.declared[name]
        value = 1.0 if values == FLAG else chance.value(values)
        value = value or (share == 1 and values.high)
        if value:
            terms.append(f"{'+' if value > 0 else '-'}{number(abs(value))}{name}")
    return " ".join([*terms, *(f"+{name}" for name in chosen)]) or "0"


def _spelling(draft: Draft) -> list[str]:
    chance = draft.chance
    lines = ["spelling:", "  trim: punctuation"]
    lines += ["  case: fold"] if chance.often(0.5) else []
    target = f"n{len(draft.declared)}"
    draft.declared[target] = Values(
        0.0, chance.pick((15.0, 15.0, 20.0, 1e6)), chance.pick((1.0, 1.0, 0.0))
    )
    draft.fresh.append(target)
    lines.append(f'  count "!" > {target}')
    if chance.often(0.5):
        lines.append(f"  capitals > {draft.seme()}")
    return lines


def _cell(draft: Draft) -> None:
    """A recurrent cell that copies, counts and adds up."""
    chance = draft.chance
    kept = chance.some(draft.readable, 3)
    inputs = [f"{name}>{name}" for name in draft.readable]
    recurrent = [f"{number(chance.pick((1.0, 1.0, 0.5, 0.9, 0.1)))}{name}>{name}" for name in kept]
    form = Form({chance.pick(draft.readable): chance.coefficient()})
    target = draft.loosely(draft.values(form))
    values = draft.declared[target]
    draft.declared[target] = led(Values(min(-1.0, 64 * values.low), 64 * values.high, values.grain))
    inputs += [f"{number(c)}{name}>{target}" for name, c in form.coefficients.items()]
    recurrent.append(f"{number(chance.pick((1.0, 1.0, 1.0, 0.5, 0.9)))}{target}>{target}")
    activation = chance.pick(("relu", "relu", "none", "clip", "tanh"))
    draft.lines += [
        "cell:", f"  input: {', '.join(inputs)}", f"  recurrent: {', '.join(recurrent)}",
        f"  activation: {activation}",
    ]  # fmt: skip
    draft.settle()


def _layers(
    draft: Draft, kind: str, count: int, *, indent: int = 0, memory: Sequence[str] | None = None
) -> None:
    """Layers of heads and rules, loops of such; of dense programs rules and dense layers alone."""
    chance = draft.chance
    for _ in range(count):
        if kind == "dense" and chance.often(0.25):
            _dense(draft, indent)
        elif chance.often(0.06 if memory is None else 0.12):
            _loop(draft, kind, indent, memory)
        else:
            _layer(draft, kind, indent, memory)


def _loop(draft: Draft, kind: str, indent: int, memory: Sequence[str] | None) -> None:
    """A loop of one layer or two; what ends it is often written in it, what begins it before it."""
    chance, before, known = draft.chance, len(draft.lines), {*draft.declared}
    asked = f" when {chance.pick(given)}" if (given := draft.flags()) and chance.often(0.2) else ""
    for _ in range(chance.pick((1, 1, 2))):
        _layer(draft, kind, indent + 1, memory, once=True)
    until, falls, most = _countdown(draft, indent + 1) if chance.often(0.5) else ("", "", 0)
    flags = draft.flags()
    if not flags:
        draft.lines[before:] = [line.removeprefix("  ") for line in draft.lines[before:]]
        return
    if not until:
        until = chance.pick(flags[-3:] if chance.often(0.7) else flags)
        until = f"no {until}" if chance.often(0.3) else until
    most = most or chance.pick((1, 2, 3, 5, 20))
    opening = [f"loop loop{before} up to {most} until {until}{asked}:"]
    opening += [f"  falls: {falls}"] if falls else []
    own = [name for name in draft.declared if name not in known and "[" not in name]
    own = chance.some(own, len(own)) if own and chance.often(0.6) else []
    if own:
        draft.rounds |= {*own}
        opening += ["  " + line for line in draft.declarations(own)]
    draft.lines[before:before] = ["  " * indent + line for line in opening]


def _countdown(draft: Draft, indent: int) -> tuple[str, str, int]:
    """A layer that counts down; what ends its loop, what should fall, and in how many rounds.

    It often does not fall, or not so far: such a certificate must be refused.
    """
    chance = draft.chance
    whole = [n for n in draft.numbers() if draft.declared[n].grain == 1 and "[" not in n]
    small = [n for n in whole if draft.declared[n].low >= 0 and draft.declared[n].high <= 16]
    if not small:
        return "", "", 0
    counter, by = chance.pick(small), number(chance.pick((1.0, 1.0, 1.0, 2.0, 0.5, 0.0)))
    least = number(chance.pick((0.0, 1.0, 1.0, 1.0, 2.0)))
    asked = f" & {draft.literals(1)}" if chance.often(0.3) else ""
    goes_on, ends = draft.seme(), chance.often(0.4)
    test = f"{counter} < {least}" if ends else f"{counter} >= {least}"
    lines = [
        f"set {counter}: {counter} - {by} when {counter} >= {least}{asked}",
        f"set {goes_on}: {test}{asked if chance.often(0.7) else ''}",
    ]
    draft.write(indent, ["layer:", "  feedforward:", *(f"    {line}" for line in lines)])
    draft.settle()
    wrong = chance.pick((f"-{counter}", form_text(draft.form(2)), f"2{counter}"))
    falls = counter if chance.often(0.7) else wrong
    most = chance.pick((3, 20, 40, 150, 700, 1000))
    return goes_on if ends else f"no {goes_on}", falls, most


def _layer(
    draft: Draft, kind: str, indent: int, memory: Sequence[str] | None, *, once: bool = False
) -> None:
    """A layer of heads and rules; ``once``: it does not repeat itself."""
    chance, causal = draft.chance, memory is not None or kind == "decoder"
    draft.write(indent, ["layer:"])
    if not once and chance.often(0.06) and memory is None:
        draft.write(indent, ["  repeat: 2"])
    heads = 0 if kind == "dense" else chance.pick((0, 1, 1, 1, 2))
    for _ in range(heads):
        read = memory if chance.often(0.5) else None
        draft.write(indent + 1, head(draft, causal=causal, memory=read))
    # A block reads what the heads of its layer have written.
    draft.settle()
    if not heads or chance.often(0.6):
        draft.write(indent + 1, ["feedforward:"])
        for _ in range(chance.pick((1, 1, 2, 3))):
            draft.write(indent + 2, rules(draft))
    draft.settle()


def _dense(draft: Draft, indent: int) -> None:
    chance, entries = draft.chance, list[str]()
    for name in draft.readable:
        sources = [name, *(draft.chance.some(draft.readable, 1) if chance.often(0.3) else [])]
        entries += [f"{number(chance.pick((1.0, 1.0, 0.5, 0.1)))}{s}>{name}" for s in sources]
    draft.write(indent, ["dense:", f"  weights: {', '.join(entries)}"])
    if chance.often(0.5):
        draft.write(indent, [f"  relu: {chance.pick(('yes', 'no'))}"])


def _decoder(draft: Draft, given: Sequence[str]) -> None:
    """The decoder's layers: its tokens have what the lexicon gives, the encoder's the rest too."""
    draft.lines.append("decoder:")
    memory, draft.readable = draft.readable, list(given)
    draft.sums.clear()
    _layers(draft, "seq2seq", 1, indent=1, memory=memory)
