"""Puts a program for subleq.seme together, and prints the words of memory and `run`.

    python assemble.py sum.sq | progtf run subleq.seme -

Each line of a `.sq` file is words, such as `3 -7 list`,
where a name stands for its address, or one of `FORMS`: instructions. Before it may stand a name
for its first word (`list: 3 -7`), behind it a comment (`# ...`). `list+1` is one word on.
"""

import re
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

# What is written, where x, y and p are names and n is a number; and the instructions that it is.
# Numbers to take off are words behind the program; `.` is where the next instruction begins.
FORMS = {
    "y -= x": "x y .",
    "y -= n": "n y .",
    "y -= x , if <= 0 goto p": "x y p",
    "y -= n , if <= 0 goto p": "n y p",
    "if y <= 0 goto p": "0 y p",
    "y += n": "-n y .",
    "y += x": "x 0 .  0 y .  0 0 .",
    "y = 0": "y y .",
    "y = n": "y y .  -n y .",
    "y = x": "x 0 .  y y .  0 y .  0 0 .",
    "goto p": "0 0 p",
    "halt": "0 0 -1",
}
MOST, MOST_WORDS = 999, 1000
NAME, NUMBER = r"(?!(?:goto|halt|if)\b)[^\W\d][\w.]*", r"-?\d{1,99}(?![\w.+-])"
PLACE = rf"({NAME})([-+]\d{{1,9}})?(?![\w.])"
WORD = f"{NUMBER}|{PLACE}"
TOKEN = re.compile(rf"{PLACE}|{NUMBER}|goto|halt|if|[-+<>]?=|[<>:,]")
END = ("the end of the line", "")
KINDS = {"n": ("a number", NUMBER), **dict.fromkeys("xyp", ("a name", PLACE)), "": END}


class Token(NamedTuple):
    """A piece of a line, from a column to another, or what stands for it in memory."""

    text: str
    line: str
    row: int
    start: int
    end: int


class ProgramError(Exception):
    """What is wrong, where, and what may help."""

    def __init__(self, headline: str, at: Token, hint: str = "") -> None:
        super().__init__(headline)
        self.at, self.hint = at, hint

    def shown(self, file: str) -> str:
        """The message, with the line of the file."""
        at, margin = self.at, " " * len(str(self.at.row))
        blank, mark = re.sub(r"[^\t]", " ", at.line[: at.start]), "^" * max(at.end - at.start, 1)
        said = f"error: {self}\n{margin}--> {file}:{at.row}:{at.start + 1}\n"
        said += f"{at.row} | {at.line}\n{margin} | {blank}{mark}"
        return said + f"\n{margin} = help: {self.hint}" * bool(self.hint)


def tokens_of(line: str, row: int) -> list[Token]:
    """The pieces of a line without its comment, and its end: a token without text."""
    code, tokens = line.partition("#")[0].rstrip(), list[Token]()
    at = len(code) - len(code.lstrip())
    while at < len(code):
        found = TOKEN.match(code, at)
        if found is None:
            raise ProgramError(f"`{code[at]}` means nothing here", Token("", line, row, at, at + 1))
        tokens.append(Token(found[0], line, row, at, found.end()))
        at = len(code) - len(code[found.end() :].lstrip())
    return [*tokens, Token("", line, row, len(code), len(code))]


def words_of(tokens: list[Token], address: int) -> list[Token]:
    """The words of a line, the first of them at an address; `=5` is where a 5 is kept."""
    count = next(n for n, token in enumerate(tokens) if not re.fullmatch(WORD, token.text))
    if not tokens[count].text:
        return tokens[:-1]
    expected = {count: ["a name", "a number", *[END[0]] * (count > 0)]}
    for form, words in FORMS.items():
        pieces = [*form.split(), ""]
        kinds = [KINDS.get(piece, (f"`{piece}`", re.escape(piece))) for piece in pieces]
        fits = [
            bool(re.fullmatch(kind[1], token.text))
            for kind, token in zip(kinds, tokens, strict=False)
        ]
        if all(fits):
            return instructions(words, dict(zip(pieces, tokens, strict=True)), address)
        count = fits.index(False)
        expected.setdefault(count, []).append(kinds[count][0])
    furthest = max(expected)
    *others, last = dict.fromkeys(expected[furthest])
    said, found = " or ".join([", ".join(others), last][not others :]), tokens[furthest]
    shown = f"`{found.text}`" if found.text else END[0]
    raise ProgramError(f"expected {said}, found {shown}", found)


def instructions(words: str, given: dict[str, Token], address: int) -> list[Token]:
    """The words of a form, with the tokens that were given for its pieces."""
    made = list[Token]()
    for n, word in enumerate(words.split()):
        token = given.get(word.removeprefix("-"), next(iter(given.values())))
        text = token.text if word in given else word
        if word == "-n":
            text = str(-int(token.text))
        if word == ".":  # at 999 the machine halts as at 1000, which is no word
            text = str(min(address + n + 1, MOST))
        elif n % 3 < 2 and re.fullmatch(NUMBER, text):
            text = f"={int(text)}"
        made.append(token._replace(text=text))
    return made


def number_of(word: Token, places: dict[str, int]) -> int:
    """What a word is, now that all names have their places."""
    name = re.fullmatch(PLACE, word.text)
    if name and name[1] not in places:
        near = get_close_matches(name[1], [*places, "goto", "halt", "if"], 1)
        hint = f"did you mean `{near[0]}`?" if near else ""
        raise ProgramError(f"no word is called `{name[1]}`", word, hint)
    number = places[name[1]] + int(name[2] or 0) if name else int(word.text)
    if abs(number) > MOST:
        raise ProgramError(f"{number} is no word: these are -{MOST} to {MOST}", word)
    return number


def assemble(text: str) -> list[int]:
    """The memory that a program is. Raises `ProgramError` where it is none."""
    words, places, rows = list[Token](), dict[str, int](), dict[str, int]()
    for row, line in enumerate(text.split("\n"), start=1):
        tokens = tokens_of(line, row)
        if tokens[1:] and tokens[1].text == ":":
            name = tokens[0]
            if not re.fullmatch(NAME, name.text):
                raise ProgramError(f"expected a name before `:`, found `{name.text}`", name)
            if name.text in places:
                hint = f"line {rows[name.text]} has it already"
                raise ProgramError(f"`{name.text}` stands for two words", name, hint)
            places[name.text], rows[name.text], tokens = len(words), row, tokens[2:]
        words += words_of(tokens, len(words))
    for n, word in enumerate([*words]):
        if word.text.startswith("="):
            number = word._replace(text=word.text[1:])
            if word.text not in places:
                places[word.text] = len(words)
                words.append(number)
            words[n] = word._replace(text=str(places[word.text]))
    if len(words) > MOST_WORDS:
        raise ProgramError(
            f"there are {len(words)} words: there can be {MOST_WORDS}", words[MOST_WORDS]
        )
    return [number_of(word, places) for word in words]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python assemble.py FILE.sq")
    file = sys.argv[1]
    try:
        print(*assemble(Path(file).read_text(encoding="utf-8-sig")), "run")
    except ProgramError as mistake:
        sys.exit(mistake.shown(file))
    except OSError as error:
        sys.exit(f"error: {file}: {error.strerror}")
    except UnicodeError:
        sys.exit(f"error: {file}: this is no text in UTF-8")
