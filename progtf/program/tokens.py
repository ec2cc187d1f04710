"""Texts to tokens and back: words or characters, with ``<bos>`` and ``<eos>`` where declared.

``chars -> words`` reads characters and writes words; ``words`` alone reads and writes them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from progtf import texts
from progtf.mistakes import MistakeError
from progtf.notation.did_you_mean import nearest
from progtf.program.characters import Characters
from progtf.program.cutting import PLAIN, Cutter
from progtf.program.interface import Interface
from progtf.program.model import AGAIN, ASK, BOS, EOS, SPECIAL
from progtf.program.spelling import Spelling, Token


class InputError(MistakeError):
    """An input that a program cannot take: an unknown token, too long, empty.

    Attributes:
        about: the part of the text that is meant, as it is written; empty: all of it.
    """

    def __init__(self, said: str, about: str = "") -> None:
        super().__init__(said)
        self.about = about

    def of(self, place: str) -> "InputError":
        """The same, said of one input of several: ``input 2``."""
        return InputError(f"{place}: {self}", self.about)


def check_texts(texts: object) -> None:
    """Refuses what is no list of texts; a text alone is none, its characters are not meant.

    Raises:
        TypeError: saying what is given.
    """
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise TypeError(f"texts: {texts!r} is given, and a list of texts is due")
    if isinstance(texts, Iterator):  # to look at its texts is to lose them
        raise TypeError(
            f"texts: {texts!r} is given, and a list of texts is due: list(...) makes one"
        )
    for number, text in enumerate(cast("Iterable[object]", texts), start=1):
        if not isinstance(text, str):
            raise TypeError(f"text {number}: {text!r} is given, and a text is due")


def given(text: str) -> str:
    """A text that a person gave, in normal form.

    Raises:
        InputError: if it is none, but bytes of another encoding.
    """
    if why := texts.why_no_text(text):
        raise InputError(why)
    return texts.given(text)


def split(text: str, tokens: str) -> list[str]:
    """The tokens of an input: its words, or its characters."""
    return list(text) if tokens.startswith("chars") else text.split()


def join(parts: Iterable[str], tokens: str, end: str = "") -> str:
    """The text of an output's tokens, special ones left out.

    Args:
        parts: the tokens.
        tokens: ``words`` or ``chars``.
        end: after a word that ends so there is no blank: ``l'`` and ``homme`` are ``l'homme``.
    """
    plain = [part for part in parts if part not in SPECIAL]
    if tokens.endswith("chars"):
        return "".join(plain)
    text = " ".join(plain)
    return text.replace(f"{end} ", end) if end else text


def guessed_by(token: str) -> str:
    """The line of a program by which a token is read that its lexicon does not have; ""."""
    return token.guess if isinstance(token, Token) else ""


_OWN = {
    BOS: f"it stands before every text that a program with `{BOS}` reads",
    EOS: f"it stands behind every text that a program with `{EOS}` reads",
    AGAIN: "a program writes it, to be asked again what it wrote",
    ASK: "a program writes it, to be asked first what it wrote",
}


@dataclass(frozen=True)
class Reader:
    """Reads inputs for one program.

    Attributes:
        kind, tokens: of the program.
        lexicon: the tokens it knows.
        unknown: whether it takes others.
        longest: the longest input, special tokens included.
        spelling: how words are cut and looked up.
    """

    kind: str
    tokens: str
    lexicon: frozenset[str]
    unknown: bool
    longest: int
    spelling: Spelling = field(default_factory=Spelling)

    @classmethod
    def of(cls, interface: Interface) -> "Reader":
        """The reader of a program."""
        return cls(
            interface.kind, interface.tokens, frozenset(interface.lexicon), interface.unknown,
            interface.lengths[0], interface.spelling,
        )  # fmt: skip

    @cached_property
    def _cutter(self) -> Cutter:
        return Cutter(self.spelling, self.lexicon)

    @cached_property
    def _characters(self) -> Characters:
        return Characters(self.spelling)

    def read(self, text: str) -> list[str]:
        """The tokens of an input, with the special ones around it.

        Raises:
            InputError: if the program cannot take it.
        """
        parts = self._parts(text)
        if not parts:
            raise InputError("the input is empty")
        if not (self.lexicon.issuperset(parts) and _OWN.keys().isdisjoint(parts)):
            self._check_words(parts)
        wrapped = [BOS] * (BOS in self.lexicon) + parts
        if self.kind != "decoder":
            wrapped += [EOS] * (EOS in self.lexicon)
        if len(wrapped) > self.longest:
            special = len(wrapped) - len(parts)
            counted = " with <bos> and <eos>" if special else ""
            raise InputError(
                f"the input has {len(wrapped)} tokens{counted}, the program takes {self.longest}"
            )
        return wrapped

    def _check_words(self, parts: list[str]) -> None:
        for position, part in enumerate(parts, start=1):
            self._refuse_special(position, part)
            if part not in self.lexicon and not self.unknown and not guessed_by(part):
                hint = self._meant(part) if len(part) > 1 else ""
                raise InputError(
                    f"token {position}, `{part}`, is not in the lexicon" + (hint and f"; {hint}"),
                    part,
                )

    def _refuse_special(self, position: int, word: str) -> None:
        if word in SPECIAL and (word, self.kind) != (EOS, "decoder"):
            raise InputError(
                f"token {position}, `{word}`, is no word of a text: {_OWN[word]}; leave it out",
                word,
            )

    def _parts(self, text: str) -> list[str]:
        if self.spelling == Spelling():
            return split(text, self.tokens)
        if not self.tokens.startswith("chars"):
            for position, word in enumerate(text.split(), start=1):  # before it loses its signs
                self._refuse_special(position, word)
            return [*self._cutter.tokens(text)]
        if why := self._characters.why_refused(text):
            raise InputError(why)
        return self._characters.tokens(text)

    def leaves(self, symbol: str) -> bool:
        """Whether a symbol is read as it stands, wherever it stands in a text of such symbols."""
        spelling = self.spelling
        if spelling == Spelling() or any(symbol == each.mark for each in spelling.close):
            return True
        if self.tokens.startswith("chars"):
            signs = {sign for said in spelling.read for sign in said.text} | {*PLAIN}
            return symbol not in signs
        read = self._cutter.tokens(f"{symbol} {symbol}")
        return not spelling.join and not spelling.marks and read[:2] == [symbol, symbol]

    def _meant(self, part: str) -> str:
        """What a token was to be: the same in another case or with plain marks, or one like it."""
        plain = "".join(PLAIN.get(sign, sign) for sign in part).lower()
        same = next((token for token in sorted(self.lexicon) if token.lower() == plain), "")
        if same:
            return f"did you mean `{same}`?"
        return nearest(part, sorted(self.lexicon, key=lambda token: (token[:1] != part[:1], token)))

    def placed(self, text: str) -> list[Token]:
        """The tokens of an input as ``read`` has them, each with its place in the text.

        Raises:
            InputError: if the program cannot take it.
        """
        tokens, placed, at = self.read(text), list[Token](), 0
        for token in tokens:
            if isinstance(token, Token):
                placed.append(token)
                at = token.place[1]
            elif token in (BOS, EOS):
                placed.append(Token.of(token, (), (at, at)))
            else:  # tokens are as they stand there
                start = text.index(token, at)
                at = start + len(token)
                placed.append(Token.of(token, (), (start, at)))
        return placed
