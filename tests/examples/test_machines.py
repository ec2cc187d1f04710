"""The machine of ``examples/machines``: its network, its assembler and what is written for it."""

import random
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import progtf

MACHINES = Path(__file__).parents[2] / "examples" / "machines"
ASSEMBLER = MACHINES / "assemble.py"
ASSEMBLED = runpy.run_path(str(ASSEMBLER))
assemble: Any = ASSEMBLED["assemble"]
ProgramError: Any = ASSEMBLED["ProgramError"]
LONGEST = 1200  # tokens that the network is asked for here: primes.sq writes 1,135


def simulated(words: list[int], most: int = 2000) -> tuple[list[str], list[int]]:
    """The tokens that a memory writes, without `end` if there were too many, and it then."""
    memory, at, written = [*words], 0, list[str]()
    for _ in range(most):
        if at < 0 or at + 2 >= len(memory):
            return [*written, "end"], memory
        a, b, c = memory[at : at + 3]
        there = 0 <= a < len(memory) and 0 <= b < len(memory)
        left = memory[b] - memory[a] if there else 0
        if not there or abs(left) > 999:
            return [*written, "fault", "end"], memory
        memory[b] = left
        written += [str(at), str(b), str(left)]
        at = c if left <= 0 else at + 3
    return written, memory


def program_of(name):
    return assemble((MACHINES / f"{name}.sq").read_text(encoding="utf-8"))


def network(longest):
    """The network for fewer tokens than it can write: soon told if it does not end, and quick."""
    text = (MACHINES / "subleq.seme").read_text(encoding="utf-8")
    shorter = text.replace("-> 9000001", f"-> {longest}")
    assert shorter != text
    return progtf.interpret(progtf.parse_program(shorter))


@pytest.fixture(scope="module")
def machine():
    return network(LONGEST)


def traces(machine, memories):
    asked = [" ".join([*map(str, words), "run"]) for words in memories]
    return [answer.text.split() for answer in machine.answers(asked, strict=True)]


# A memory, and what it writes: worked out by hand.
MEMORIES = {
    "the example": ("3 4 -1 7 3", "0 4 -4 end"),
    "one word": ("5", "end"),
    "two words": ("0 0", "end"),
    "three words, of which all are read before one is written": ("0 0 7", "0 0 0 end"),
    "on at the next where more than 0 is left": ("3 4 0 2 3", "0 4 1 end"),
    "on at c where 0 is left": ("6 7 3 7 7 -1 4 4", "0 7 0 3 7 0 end"),
    "on at c where less is left": ("7 6 4 0 0 6 -9 1", "0 6 -10 4 6 -17 end"),
    "c is below 0": ("3 4 -999 1 0", "0 4 -1 end"),
    "c is the last word": ("3 3 4 0 5", "0 3 0 end"),
    "c is far behind the last word": ("3 3 999 0", "0 3 0 end"),
    "the last three words are an instruction": ("1 1 4 9 5 3 -1", "0 1 0 4 3 6 end"),
    "these three write into their own c": ("1 1 4 9 5 6 -1", "0 1 0 4 6 -7 end"),
    "behind the last three words is none": ("3 4 9 -5 6", "0 4 11 end"),
    "b is a, with 0 left": ("3 3 -1 8", "0 3 0 end"),
    "b is the word of a itself": ("4 0 3 0 1 -1", "0 0 3 3 1 -3 end"),
    "b is the word of b itself": ("4 1 -1 0 3", "0 1 -2 end"),
    "b is the word of c, which was read before": ("4 2 3 0 9", "0 2 -6 end"),
    "a word of c that was changed before": ("8 5 3 6 7 -8 5 5 -8", "0 5 0 3 7 0 0 5 8 3 7 -5 end"),
    "an address that was changed before": ("8 3 3 7 7 -1 4 2 -1", "0 3 8 3 7 3 6 3 1 end"),
    "a is below 0": ("-1 0 0", "fault end"),
    "b is below 0": ("0 -1 0", "fault end"),
    "a is behind the last word": ("3 0 0", "fault end"),
    "b is behind the last word": ("0 3 0", "fault end"),
    "both are far outside": ("999 -999 0", "fault end"),
    "more than 999": ("3 4 -1 -500 500", "fault end"),
    "less than -999": ("3 4 -1 500 -500", "fault end"),
    "just 999": ("3 4 -1 -499 500", "0 4 999 end"),
    "just -999": ("3 4 -1 499 -500", "0 4 -999 end"),
    "as large as can be": ("3 4 -1 -999 999", "fault end"),
    "a fault where it does not halt": ("0 0 3 -1 0 0", "0 0 0 fault end"),
}


@pytest.mark.parametrize("case", MEMORIES)
def test_the_plain_machine_writes_what_was_worked_out_by_hand(case):
    words, expected = MEMORIES[case]
    written, _ = simulated([*map(int, words.split())])
    assert written == expected.split()


def test_the_network_writes_what_was_worked_out_by_hand(machine):
    memories = [[*map(int, words.split())] for words, _ in MEMORIES.values()]
    expected = [written.split() for _, written in MEMORIES.values()]
    assert dict(zip(MEMORIES, traces(machine, memories), strict=True)) == dict(
        zip(MEMORIES, expected, strict=True)
    )


def test_no_words_are_no_instruction():
    assert simulated([]) == (["end"], [])
    assert traces(network(longest=9), [[]]) == [["end"]]


@pytest.mark.parametrize(
    "text",
    [
        "3 4 -1 7 3 run run",
        "run run",
        "0 end 0 run",
        "3 fault -1 7 3 run",
        "end run",
        "3 4 -1",
        "end",
    ],
)
def test_what_is_no_memory_is_a_fault(text):
    answer = network(longest=9).answers([text], strict=True)[0]
    assert answer.text == ("" if text == "end" else "fault end")


def test_a_trace_goes_on(machine):
    texts = ["3 4 -1 7 3 run 0", "3 4 -1 7 3 run 0 4", "3 4 -1 7 3 run 0 4 -4"]
    assert [each.text for each in machine.answers(texts)] == ["4 -4 end", "-4 end", "end"]


def test_large_memories_are_run_as_well(machine):
    chance, memories = random.Random(3), list[list[int]]()
    while len(memories) < 40:
        size = chance.randint(13, 1000)
        words = [chance.randint(-9, size - 1) for _ in range(size)]
        if simulated(words, 60)[0][-1] == "end":
            memories.append(words)
    assert traces(machine, memories) == [simulated(words)[0] for words in memories]


def drawn(chance, count):
    """Memories of 3 to 12 words that halt within 60 instructions, most of them not at once."""
    while count:
        size = chance.randint(3, 12)
        low, high = chance.choice([(0, size - 1), (0, size - 1), (-2, size + 1), (-999, 999)])
        words = [chance.randint(low, high) for _ in range(size)]
        words[:2] = [chance.randrange(size) for _ in range(2)]
        written, _ = simulated(words, 60)
        if written[-1] == "end" and (len(written) > 3 or chance.random() < 0.1):
            count -= 1
            yield words


@pytest.mark.parametrize("count", [300, pytest.param(5000, marks=pytest.mark.long)])
def test_the_network_writes_what_the_plain_machine_writes(machine, count):
    memories = [*drawn(random.Random(count), count)]
    expected = [simulated(words)[0] for words in memories]
    assert {"fault", "end"} == {
        written[-2] if "fault" in written else "end" for written in expected
    }
    assert traces(machine, memories) == expected


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ((-9, 996, 5, 7), "0 4 0 997 5 9 end"),  # behind it is 1000, which no word can be
        ((9, 996, 5, 998), "0 4 0 997 5 -9 end"),
        ((9, 996, 999, -5), "0 4 0 997 999 -14 end"),
    ],
)
def test_a_thousand_words_are_read_to_the_last(machine, tail, expected):
    words = [3, 4, 997, *[0] * 993, *tail]
    assert len(words) == 1000
    assert simulated(words)[0] == expected.split()
    assert traces(machine, [words]) == [expected.split()]


# Where each program says that its outcome stands, and what it is there.
OUTCOMES = {
    "fibonacci": (22, [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987]),
    "gcd": (24, [12, 0]),
    "primes": (86, [n if n in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29) else 0 for n in range(31)]),
    "sort": (79, [-7, -3, 0, 5, 9, 9]),
    "sum": (18, [100]),
}


def test_every_program_is_known_here():
    assert {path.stem for path in MACHINES.glob("*.sq")} == {*OUTCOMES}


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_program_ends_with_what_it_says(name):
    start, outcome = OUTCOMES[name]
    written, memory = simulated(program_of(name))
    assert memory[start : start + len(outcome)] == outcome
    assert written[-1] == "end"
    assert "fault" in written if name == "fibonacci" else "fault" not in written


def test_a_trace_alone_says_what_memory_is_at_the_end():
    words = program_of("sort")
    written, memory = simulated(words)
    for at in range(1, len(written) - 1, 3):
        words[int(written[at])] = int(written[at + 1])
    assert words == memory


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_network_runs_a_program(machine, name):
    words = program_of(name)
    assert traces(machine, [words]) == [simulated(words)[0]]


def test_the_file_itself_runs_a_program():
    written, _ = simulated(words := program_of("sum"))
    assert traces(progtf.interpret(progtf.load(MACHINES / "subleq.seme")), [words]) == [written]


# Numbers in place of those of a program, and what comes of them.
@pytest.mark.parametrize(("pair", "greatest"), [((1, 1), 1), ((7, 999), 1), ((999, 111), 111)])
def test_other_numbers_have_a_divisor_too(pair, greatest):
    words = program_of("gcd")
    words[24:26] = pair
    assert simulated(words)[1][24:26] == [greatest, 0]


def test_all_lists_come_in_order():
    chance = random.Random(5)
    for _ in range(50):
        words = program_of("sort")
        words[79:85] = numbers = [chance.randint(-400, 400) for _ in range(6)]
        assert simulated(words)[1][79:85] == sorted(numbers)


# A line, and the words that it is; behind them are 7 at `x`, 8 at `y`, and constants.
STATEMENTS = {
    "x -= y": [4, 3, 3, 7, 8],
    "x -= 5": [5, 3, 3, 7, 8, 5],
    "x -= y, if <= 0 goto y": [4, 3, 4, 7, 8],
    "x -= 5, if <= 0 goto x": [5, 3, 3, 7, 8, 5],
    "if x <= 0 goto y": [5, 3, 4, 7, 8, 0],
    "x += 5": [5, 3, 3, 7, 8, -5],
    "x += y": [10, 11, 3, 11, 9, 6, 11, 11, 9, 7, 8, 0],
    "x = 0": [3, 3, 3, 7, 8],
    "x = -2": [6, 6, 3, 8, 6, 6, 7, 8, 2],
    "x = y": [13, 14, 3, 12, 12, 6, 14, 12, 9, 14, 14, 12, 7, 8, 0],
    "goto y": [5, 5, 4, 7, 8, 0],
    "halt": [5, 5, -1, 7, 8, 0],
    "x -= x+1": [4, 3, 3, 7, 8],
    "3 x y-1 x+6 -9": [3, 5, 5, 11, -9, 7, 8],
    "here: here -= here+2": [2, 0, 3, 7, 8],
    "\there:halt # 3 4": [5, 5, -1, 7, 8, 0],
    "": [7, 8],
}


@pytest.mark.parametrize("line", STATEMENTS)
def test_a_line_is_these_words(line):
    assert assemble(f"{line}\nx: 7\n# all\ny: 8\n") == STATEMENTS[line]


@pytest.mark.parametrize(
    ("line", "x"),
    [("x += y", 15), ("x += 9", 16), ("x = y", 8), ("x = -9", -9), ("x = x", 7), ("x += x", 14)],
)
def test_an_assignment_assigns(line, x):
    _, memory = simulated(words := assemble(f"{line}\nhalt\nx: 7\ny: 8"))
    at = words.index(7)
    assert memory[at : at + 2] == [x, 8]


def test_each_constant_is_kept_once():
    assert assemble("x -= 5\nx -= 5\nx += -5\nx: 1") == [10, 9, 3, 10, 9, 6, 10, 9, 9, 1, 5]


def test_a_thousand_words_are_a_program_whose_last_instruction_halts():
    words = assemble("0 0 997\n" + "0\n" * 994 + "last: last -= last")
    assert words[-3:] == [997, 997, 999]
    assert simulated(words)[0] == ["0", "0", "0", "997", "997", "0", "end"]


# A program, the line, column and length of what is wrong in it, and what is said.
WRONG = {
    "x -= y ; z": (1, 8, 1, "`;` means nothing here"),
    "x: 1\n\n  x -= 3x": (3, 8, 1, "`3` means nothing here"),
    "x: 1\n  x -=": (2, 7, 1, "expected a name or a number, found the end of the line"),
    "x: 1\n  x -= # one": (2, 7, 1, "expected a name or a number, found the end of the line"),
    "x: 1\nx -= x, goto x": (2, 9, 4, "expected `if`, found `goto`"),
    "x: 1\nx -= x goto x": (2, 8, 4, "expected the end of the line or `,`, found `goto`"),
    "x: 1\nif x <= 1 goto x": (2, 9, 1, "expected `0`, found `1`"),
    "x: 1\nif x < 0 goto x": (2, 6, 1, "expected `<=`, found `<`"),
    "x: 1\ngoto": (2, 5, 1, "expected a name, found the end of the line"),
    "x: 1\ngoto 3": (2, 6, 1, "expected a name, found `3`"),
    "x: 1\nx 3 = 4": (
        2, 5, 1, "expected a name, a number or the end of the line, found `=`",
    ),
    "goto: 3": (1, 1, 4, "expected a name before `:`, found `goto`"),
    "x+1: 3": (1, 1, 3, "expected a name before `:`, found `x+1`"),
    "list: 1\nlist: 2": (2, 1, 4, "`list` stands for two words\nline 1 has it already"),
    "list: 1\ngoto lisd": (2, 6, 4, "no word is called `lisd`\ndid you mean `list`?"),
    "list: 1\nlisd+2 9": (2, 1, 6, "no word is called `lisd`\ndid you mean `list`?"),
    "gotoo 3": (1, 1, 5, "no word is called `gotoo`\ndid you mean `goto`?"),
    "goto elsewhere": (1, 6, 9, "no word is called `elsewhere`"),
    "5 1000": (1, 3, 4, "1000 is no word: these are -999 to 999"),
    "5 -1000": (1, 3, 5, "-1000 is no word: these are -999 to 999"),
    "x: 5\nx += 4000": (2, 6, 4, "-4000 is no word: these are -999 to 999"),
    "x: x+1000": (1, 4, 6, "1000 is no word: these are -999 to 999"),
    "x: x-1000": (1, 4, 6, "-1000 is no word: these are -999 to 999"),
    "1 2\n" * 500 + "3 4": (501, 1, 1, "there are 1002 words: there can be 1000"),
    "1 2\n" * 500 + "halt": (501, 1, 4, "there are 1004 words: there can be 1000"),
    "9" * 5000: (1, 1, 1, "`9` means nothing here"),
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_mistake_is_told_where_it_is(text):
    row, column, length, said = WRONG[text]
    with pytest.raises(ProgramError) as told:
        assemble(text)
    at = told.value.at
    assert (at.row, at.start + 1, max(at.end - at.start, 1)) == (row, column, length)
    assert f"{told.value}\n{told.value.hint}".strip() == said


def command(*arguments):
    asked = [sys.executable, str(ASSEMBLER), *map(str, arguments)]
    return subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60)


def test_the_command_prints_what_the_machine_reads():
    done = command(MACHINES / "gcd.sq")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == " ".join(map(str, program_of("gcd"))) + " run\n"


def test_the_command_shows_the_line(tmp_path):
    (file := tmp_path / "a.sq").write_text("sum: 1\n\tgoto smu # on\n", encoding="utf-8")
    done = command(file)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "error: no word is called `smu`",
        f" --> {file}:2:7",
        "2 | \tgoto smu # on",
        "  | \t     ^^^",
        "  = help: did you mean `sum`?",
    ]


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", "folder"])
def test_the_command_says_that_it_cannot_read(tmp_path, content):
    file = tmp_path / "a.sq"
    if content == "folder":
        file.mkdir()
    elif content is not None:
        file.write_bytes(content)
    done = command(file)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {file}: ")
    assert len(done.stderr.splitlines()) == 1


def test_the_command_says_how_it_is_called():
    assert command().stderr == "usage: python assemble.py FILE.sq\n"
