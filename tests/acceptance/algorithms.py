"""The tasks of ``examples/algorithms/`` in plain Python, and inputs for them.

``TASKS`` has, by the name of the program, what it must answer and what to ask it: a function from
a length and a random generator to an input of that length. All-equal inputs are asked as well.
"""

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SYMBOLS = "0123456789" + LETTERS
KINDS = {")": "(", "}": "{"}


@dataclass(frozen=True)
class Task:
    """What a program must answer, random inputs of a length, and inputs that are all alike."""

    answer: Callable[[str], str]
    ask: Callable[[int, random.Random], str]
    alike: Callable[[int], tuple[str, ...]]


def letters(alphabet: str) -> Callable[[int, random.Random], str]:
    """Random characters, of the whole alphabet or of few of them, so that some repeat often."""

    def ask(length: int, rng: random.Random) -> str:
        few = rng.sample(alphabet, rng.randint(1, len(alphabet)))
        return "".join(rng.choices(few, k=length))

    return ask


def repeated(*characters: str) -> Callable[[int], tuple[str, ...]]:
    """One character as often as the length says."""
    return lambda length: tuple((c * length)[:length] for c in characters)


def hist(text: str) -> str:
    return " ".join(str(text.count(c)) for c in text)


def most_freq(text: str) -> str:
    ordered = sorted(Counter(text).items(), key=lambda item: (-item[1], text.index(item[0])))
    return "".join(c for c, _ in ordered).ljust(len(text), "_")


def dyck2(text: str) -> str:
    said, stack, failed = "", [], False
    for c in text:
        if c in "({":
            stack.append(c)
        else:
            failed = failed or not stack or stack.pop() != KINDS[c]
        said += "F" if failed else "P" if stack else "T"
    return said


def brackets(length: int, rng: random.Random) -> str:
    """Mostly well formed: each bracket closes the last one, up to the end, save for slips."""
    text, stack, slips = "", [], rng.random() < 0.4
    while len(text) < length:
        must_close = len(stack) >= length - len(text)
        if stack and (must_close or rng.random() < 0.45):
            opened = stack.pop()
            text += ")" if opened == "(" else "}"
        else:
            stack.append(rng.choice("({"))
            text += stack[-1]
    if slips:
        place = rng.randrange(length)
        text = text[:place] + rng.choice("(){}") + text[place + 1 :]
    return text


def nested(length: int) -> tuple[str, ...]:
    """One kind of bracket only; as deep as can be; closed by the wrong kind at the last."""
    half = length // 2
    deep = "(" * half + ")" * half
    return "(" * length, "}" * length, deep, "{" * half + "}" * half, deep[:-1] + "}"


def shuffle_dyck2(text: str) -> str:
    for kind in ("()", "{}"):
        depth = 0
        for c in text:
            depth += (c == kind[0]) - (c == kind[1])
            if depth < 0:
                return "0"
        if depth:
            return "0"
    return "1"


def frac_prevs(text: str) -> str:
    shares = (Fraction(text[:end].count("a"), end) for end in range(1, len(text) + 1))
    return " ".join(map(str, shares))


def parity(text: str) -> str:
    return str(text.count("1") % 2)


def addition(text: str) -> str:
    numbers = re.fullmatch(r"(\d+)\+(\d+)=", text)
    first, second = numbers.groups() if numbers else ("", "0")
    if len(first) != len(second):
        return "?"
    return str(int(first) + int(second)).zfill(len(first) + 1)


def sums(length: int, rng: random.Random) -> str:
    """Operands of half the length; long carries are as likely as any other sum."""
    width = length // 2
    digits = rng.choice(["0123456789", "09", "0189"])
    return "{}+{}=".format(*("".join(rng.choices(digits, k=width)) for _ in "ab"))


def carried(length: int) -> tuple[str, ...]:
    """All nines and one, nines and zeros, all alike."""
    width = length // 2
    nines, one = "9" * width, "1".zfill(width)
    return f"{nines}+{one}=", f"{one}+{nines}=", f"{nines}+{'0' * width}=", f"{nines}+{nines}="


def recall(text: str) -> str:
    body, asked = text.split("|")
    after = [body[k + 1] for k in range(len(body) - 1) if body[k] == asked]
    return after[-1] if after else "?"


def recalled(length: int, rng: random.Random) -> str:
    body = letters(SYMBOLS)(length, rng)
    return f"{body}|{rng.choice(body + rng.choice(SYMBOLS))}"


def rpn(text: str) -> str:
    stack: list[int] = []
    big = False
    for word in text.split():
        if word.isdigit():
            stack.append(int(word))
            continue
        if len(stack) < 2:
            return "?"
        b, a = stack.pop(), stack.pop()
        value = a + b if word == "+" else a - b if word == "-" else a * b
        big = big or abs(value) > 999
        stack.append(max(-999, min(999, value)))
    return "?" if len(stack) != 1 else "too big" if big else str(stack[0])


def formula(length: int, rng: random.Random) -> str:
    """A formula of that many tokens, or one less, of any shape; mostly with small values."""
    operators = (length - 1) // 2
    signs = rng.choice(["+-", "+-", "+-*"])
    top = rng.choice([2, 9, 99])

    def written(count: int) -> list[str]:
        if not count:
            return [str(rng.randint(0, top))]
        left = rng.choice([0, count - 1, rng.randrange(count)])
        return [*written(left), *written(count - 1 - left), rng.choice(signs)]

    return " ".join(written(operators))


def chains(length: int) -> tuple[str, ...]:
    """Operators one after another and all at the end; one product too big; no formulas."""
    n = (length - 1) // 2
    left = "1" + " 1 *" * n
    right = " ".join(["1"] * (n + 1) + ["+"] * n)
    return left, right, "99" + " 99 *" * n, " ".join(["1"] * length), " ".join(["+"] * length)


def passive(text: str) -> str:
    words = " ".join(text.split())
    phrase = r"[a-z](?:[1-9]\d?)?(?: [a-z](?:[1-9]\d?)?)*"
    found = re.fullmatch(f"({phrase}) V ({phrase})", words)
    return f"{found[2]} Was V By {found[1]}" if found else "?"


def sentence(length: int, rng: random.Random) -> str:
    words = [rng.choice(LETTERS) + rng.choice(["", str(rng.randint(1, 99))]) for _ in range(length)]
    words[rng.randint(1, length - 2)] = "V"
    return " ".join(words)


def one_word(length: int) -> tuple[str, ...]:
    """The same word all over, with the verb at the second and the last but one place."""
    texts = (["x"] * length for _ in "ab")
    return tuple(
        " ".join([*text[:place], "V", *text[place + 1 :]])
        for text, place in zip(texts, (1, length - 2), strict=True)
    )


def product(base: int) -> Callable[[str], str]:
    """The product of two numbers, written in a base up to 10; `?` of what is none."""

    def answer(text: str) -> str:
        numbers = re.fullmatch(rf"([0-{base - 1}]+)\*([0-{base - 1}]+)", text)
        if not numbers:
            return "?"
        value = int(numbers[1], base) * int(numbers[2], base)
        return f"{value:b}" if base == 2 else str(value)

    return answer


def factors(base: int) -> Callable[[int, random.Random], str]:
    """Two numbers of 40 digits at most together, that many characters with the sign."""

    def ask(length: int, rng: random.Random) -> str:
        count = min(length, 41) - 1
        few = rng.choice(["01", f"0{base - 1}", "0123456789"[:base]])
        first = rng.choice([1, count // 2, count - 1, rng.randint(1, count - 1)])
        digits = "".join(rng.choices(few, k=count))
        return f"{digits[:first]}*{digits[first:]}"

    return ask


def longest(base: int) -> Callable[[int], tuple[str, ...]]:
    """All nines, all zeros and powers of ten, of like length and of unlike length."""

    def alike(length: int) -> tuple[str, ...]:
        half = min(20, length // 2)
        nines, zeros, power = str(base - 1) * half, "0" * half, "1" + "0" * (half - 1)
        some = nines, zeros, power
        long = str(base - 1) * (2 * half - 1)
        each = (f"{a}*{b}" for a in some for b in some)
        return *each, f"1*{long}", f"{long}*{base - 1}"

    return alike


def sort_numbers(text: str) -> str:
    if not re.fullmatch(r"\d{1,10}( \d{1,10}){0,49}", text):
        return "?"
    return " ".join(sorted(text.split(), key=int))


def numbers(length: int, rng: random.Random) -> str:
    """Half as many numbers as the length says, with many that begin alike or are the same."""
    few, most = rng.choice(["0123456789", "09", "0", "9"]), rng.randint(1, 10)
    widths = rng.choices([most, rng.randint(1, most)], k=rng.randint(1, max(1, length // 2)))
    said = ["".join(rng.choices(few, k=width)) for width in widths]
    rng.choice([list.sort, lambda s: s.sort(reverse=True), rng.shuffle])(said)
    return " ".join(said)


def ordered(length: int) -> tuple[str, ...]:
    """Numbers of ten digits: sorted, reversed, nines, zeros, equal, and the least one last."""
    count = length // 2
    upwards = [str(k).zfill(10) for k in range(count)]
    others = (["9" * 10] * count, ["0" * 10] * count, ["1234567890"] * count)
    last = [*upwards[1:], upwards[0]]
    return tuple(" ".join(each) for each in (upwards, upwards[::-1], *others, last))


def bracket_pairs(text: str) -> str:
    said, open_ones = list("_" * len(text)), list[int]()
    for place, c in enumerate(text):
        if c in "([{":
            open_ones.append(place)
        elif c in ")]}" and open_ones and text[open_ones[-1]] + c in ("()", "[]", "{}"):
            said[open_ones.pop()] = said[place] = "="
        elif c in ")]}":
            open_ones.append(place)  # nothing finds its partner across it
    for place in open_ones:
        said[place] = "x"
    return "".join(said)


def bracketed(length: int, rng: random.Random) -> str:
    """Pairs in pairs, with words between; some with slips, some at random."""
    if rng.random() < 0.2:
        return "".join(rng.choices("()[]{}a", k=length))
    text, still = "", list[str]()
    eager, words = rng.random(), rng.random() * 0.5
    while len(text) + len(still) < length:
        if rng.random() < words:
            text += "a"
        elif (still and rng.random() > eager) or len(text) + len(still) + 2 > length:
            text += still.pop() if still else "a"
        else:
            opened = rng.choice(["()", "[]", "{}"])
            text, still = text + opened[0], [*still, opened[1]]
    text += "".join(reversed(still))
    for _ in range(rng.choice([0, 0, 1, 3])):
        place = rng.randrange(length)
        text = text[:place] + rng.choice("()[]{}a") + text[place + 1 :]
    return text


def deepest(length: int) -> tuple[str, ...]:
    """As deep as can be, of one kind and of three; in the wrong order; side by side; all alike."""
    half = length // 2
    opened = ("([{" * half)[:half]
    closed = opened[::-1].translate(str.maketrans("([{", ")]}"))
    wrong = opened.translate(str.maketrans("([{", ")]}")) if half % 3 else closed[1:] + closed[0]
    return (
        *("(" * half + ")" * half, opened + closed, opened + wrong, closed + opened),
        *("()" * half, "(" * length, "]" * length, opened + "a" * (length - 2 * half) + closed),
    )


ROUNDS = 1000  # of subleq


def subleq(text: str) -> str | None:
    """What is in memory when the program halts; nothing if that takes too long."""
    memory, at, limit = [int(word) for word in text.split()], 0, 99
    size = len(memory)
    for _ in range(ROUNDS + 1):
        if not 0 <= at <= size - 3:
            return " ".join(map(str, memory))
        a, b, c = memory[at : at + 3]
        if not (0 <= a < size and 0 <= b < size) or abs(memory[b] - memory[a]) > limit:
            return " ".join(["fault"] * size)
        memory[b] -= memory[a]
        at = c if memory[b] <= 0 else at + 3
    return None


def machine(length: int, rng: random.Random) -> str:
    """A program that halts or faults, with so many words: random ones, and loops that count."""
    size = min(length, 16)
    while True:
        far = rng.choice([size - 1, size - 1, 99])
        words = [rng.randint(rng.choice([-1, 0, -far]), far) for _ in range(size)]
        if size >= 12 and rng.random() < 0.7:  # down from some number, in steps, with some work
            work = [rng.randrange(6, size), rng.randrange(6, size), rng.choice([3, 6])]
            words[:9] = [9, 10, rng.choice([-1, 6]), *work, 11, 11, 0]
            words[9:12] = [rng.randint(1, 3), rng.randint(0, 99), 0]
        text = " ".join(map(str, words))
        told = subleq(text)
        if told is not None and ("fault" not in told or rng.random() < 0.1):
            return text


def machines(length: int) -> tuple[str, ...]:
    """Words alike; a loop that counts as long as it can; one that rewrites its own instructions."""
    size = min(length, 16)
    alike = tuple(" ".join([word] * size) for word in ("0", "-1", "1", "99", str(size - 1)))
    count = "9 10 -1 11 11 0 0 0 0 1 99 0"
    # The second instruction moves on what the first one takes, so that words are added up.
    moves = "13 12 3 11 0 6 11 15 0 0 0 -1 0 20 30 -1"
    return tuple(t for t in (*alike, count, moves) if len(t.split()) <= size and subleq(t))


TASKS = {
    "reverse": Task(lambda text: text[::-1], letters(LETTERS), repeated("a", "z")),
    "hist": Task(hist, letters(LETTERS), repeated("a", "z")),
    "sort": Task(lambda text: "".join(sorted(text)), letters(SYMBOLS), repeated("0", "9", "z")),
    "most_freq": Task(most_freq, letters(LETTERS), repeated("a", "z", LETTERS * 4)),
    "dyck2": Task(dyck2, brackets, nested),
    "shuffle_dyck2": Task(shuffle_dyck2, brackets, nested),
    "frac_prevs": Task(frac_prevs, letters("abc"), repeated("a", "b", "ab", "ba")),
    "parity": Task(parity, letters("01"), repeated("0", "1")),
    "addition": Task(addition, sums, carried),
    "recall": Task(recall, recalled, lambda n: ("a" * n + "|a", "a" * n + "|b")),
    "rpn": Task(rpn, formula, chains),
    "passive": Task(passive, sentence, one_word),
    "decimal_multiplication": Task(product(10), factors(10), longest(10)),
    "binary_multiplication": Task(product(2), factors(2), longest(2)),
    "sort_numbers": Task(sort_numbers, numbers, ordered),
    "bracket_pairs": Task(bracket_pairs, bracketed, deepest),
    "subleq": Task(lambda text: subleq(text) or "", machine, machines),
}
