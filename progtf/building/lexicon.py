"""The ``lexicon:`` section: a vector for every token; and the ``spelling:`` section."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from progtf.building import maps, problems
from progtf.building.names import Reader
from progtf.building.ranges import misfits
from progtf.building.settings import Sections, Settings
from progtf.notation import flat as f
from progtf.notation import spell
from progtf.notation.diagnostics import Diagnostic, Report, Span
from progtf.notation.scope import names_in
from progtf.program.forms import add_to
from progtf.program.model import SPECIAL
from progtf.program.spelling import Case, Close, Kind, MarkTest, ReadAs, Spelling
from progtf.program.tokens import split

Vector = Mapping[str, float]


@dataclass(slots=True)
class Lexicon:
    """Token -> vector; ``unknown`` is the vector of any other token, None: there is none."""

    vectors: dict[str, Vector] = field(default_factory=dict[str, Vector])
    unknown: Vector | None = None

    def of(self, token: str) -> Vector:
        """What a token has; the special tokens are never unknown."""
        otherwise = None if token in SPECIAL else self.unknown
        return self.vectors.get(token, otherwise or {})

    def semes(self) -> set[str]:
        """Everything that some token has."""
        vectors = [*self.vectors.values(), self.unknown or {}]
        return {seme for vector in vectors for seme in vector}


def build_lexicon(sections: Sections, names: Reader, settings: Settings) -> Lexicon:
    """The lexicon of a program: what its files say of every token, added up.

    What is wrong with it is reported.
    """
    rows: dict[str, list[f.Statement]] = {}
    for block in sections.blocks("lexicon"):
        rows.setdefault(block.origin, []).extend(block.children)
    if sections.blocks("spelling") and not settings.tokens.startswith("chars"):
        settings = replace(settings, tokens="text")  # what tokens are, is for that to say
    parts = [_one_file(entries, names, settings) for entries in rows.values()]
    return parts[0] if len(parts) == 1 else _added(parts)


def _added(parts: Sequence[Lexicon]) -> Lexicon:
    """Every file gives a token what it says of it, or else what it says of unknown tokens."""
    tokens = dict.fromkeys(token for part in parts for token in part.vectors)
    unknown = [part.unknown for part in parts if part.unknown is not None]
    return Lexicon(
        {token: _sum(part.of(token) for part in parts) for token in tokens},
        _sum(unknown) if unknown else None,
    )


def _sum(vectors: Iterable[Vector]) -> Vector:
    total: dict[str, float] = {}
    for vector in vectors:
        for seme, value in vector.items():
            add_to(total, seme, value)
    return total


def _one_file(entries: Iterable[f.Statement], names: Reader, settings: Settings) -> Lexicon:
    lexicon, tokens, report = Lexicon(), settings.tokens, names.wrong.append
    given: dict[str | None, f.LexiconEntry] = {}
    for entry in entries:
        if not isinstance(entry, f.LexiconEntry):
            continue
        vector = maps.vector(entry.value, names)
        for misfit in misfits(vector, names.space, partial(_place, entry)):
            report(misfit)
        token = entry.token
        if token in given:
            _say_again(lexicon, given[token], entry, vector, settings.readings, report)
        elif token is None:
            lexicon.unknown = vector
        else:
            lexicon.vectors[token] = vector
            if braced := next(names_in(token), None):
                report(problems.order.braces_in_token(entry.span, token, braced[0]))
            if tokens != "text":
                _check_token(entry, token, tokens, report)
        given[token] = entry
    return lexicon


def _say_again(
    lexicon: Lexicon,
    first: f.LexiconEntry,
    entry: f.LexiconEntry,
    vector: Vector,
    readings: str,
    report: Report,
) -> None:
    """A second entry of a token: joined to what the first gives, or reported."""
    token = entry.token
    before = lexicon.unknown if token is None else lexicon.vectors.get(token)
    learned = any(each.mark for each in (*first.value, *entry.value))
    joined = None if learned else _joined(before or {}, vector)
    if joined is None or token is None or readings != "joined":
        report(_twice(entry, first.span, joined))
    else:
        lexicon.vectors[token] = joined


def _joined(one: Vector, other: Vector) -> Vector | None:
    """Every seme that either gives; None if they give different numbers of one."""
    agree = all(other.get(seme, value) == value for seme, value in one.items())
    return {**one, **other} if agree else None


def _twice(entry: f.LexiconEntry, first: Span, joined: Vector | None) -> Diagnostic:
    """A token with two entries; how one line says what both say, if they agree."""
    shown = "unknown" if entry.token is None else spell.token(entry.token)
    hint = "give it one line: its entries are learned, or give one seme different numbers"
    if joined is not None:
        hint = f"give it one line: `{shown}: {spell.vector(joined.items())}`"
        if entry.token is not None:
            hint += "; or let `readings: joined` in `model:` join all readings of a word"
    what = f"`{entry.token or shown}`"
    return problems.order.twice("duplicate-token", entry.span, what, first, hint)


def _place(entry: f.LexiconEntry, seme: str) -> Span:
    """Where an entry gives a value to a seme; by way of a named value that is the whole entry."""
    return next((e.span for e in entry.value if e.terms[-1].name == seme), entry.span)


def _check_token(entry: f.LexiconEntry, token: str, tokens: str, report: Report) -> None:
    """A token that the tokenizer never produces would never be found."""
    if token in SPECIAL or split(token, tokens) == [token]:
        return
    kind = "single characters" if tokens.startswith("chars") else "words without blanks"
    report(problems.names.lexicon_token(entry.span, token, f"tokens are {kind}"))


def build_spelling(sections: Sections, tokens: str, kind: str, report: Report) -> Spelling:
    """The spelling of a program; what is wrong with it is reported."""
    blocks = sections.blocks("spelling")
    if not blocks:
        return Spelling()
    children = list(sections.children("spelling"))
    for item in children:
        if why := _not_here(item, characters=tokens.startswith("chars")):
            report(problems.order.not_here(item.span, "this line", why))
    marks = [item for item in children if isinstance(item, f.SpellingMark)]
    if marks and kind not in ("encoder", "rnn"):
        why = f"only encoders and recurrent networks read marks, this is a {kind}"
        report(problems.order.not_here(marks[0].span, "what spelling gives", why))
    given = {item.key: item.value for item in children if isinstance(item, f.Field)}
    said = [item for item in children if isinstance(item, f.Field)]
    leaving, case = given.get("trim", 0), given.get("case", "as written")
    thousands = given.get("thousands")
    return Spelling(
        separate=_texts(said, "separate"),
        leaving=int(leaving) if isinstance(leaving, (int, float)) else 0,
        case=cast("Case", case),
        join="join" in given,
        marks=tuple(MarkTest(mark.test, mark.text) for mark in marks),
        fold=_kinds(said, "fold"),
        keep=_texts(said, "keep"),
        drop=_texts(said, "drop"),
        quotes=_what_becomes("quotes", said),
        dashes=_what_becomes("dashes", said),
        stops=_texts(said, "stops"),
        close=_closes(said),
        read=tuple(
            dict.fromkeys(
                ReadAs(item.text, item.meant, item.where)
                for item in children
                if isinstance(item, f.ReadAs)
            )
        ),
        thousands=(_texts(said, "thousands") or ("",))[-1],
        lists=isinstance(thousands, f.Words) and bool(thousands.kinds),
    )


_OF_WORDS = ("separate", "drop", "trim", "case", "join")


def _not_here(item: f.Statement, *, characters: bool) -> str:
    """Why a line of ``spelling:`` says nothing of what a program reads; "" if it does."""
    key = item.key if isinstance(item, f.Field) else ""
    where = item.where if isinstance(item, f.ReadAs) else ""
    if characters:
        of_words = key in _OF_WORDS or where == "inside" or isinstance(item, f.SpellingMark)
        return "it is about words, and this program reads characters" if of_words else ""
    of_signs = key == "thousands" or where.startswith("between ")
    return "it is about characters, and this program reads words" if of_signs else ""


def _texts(said: Iterable[f.Field[Any]], key: str) -> tuple[str, ...]:
    """What all lines with a key say, each text once."""
    values = (each.value for each in said if each.key == key)
    return tuple(dict.fromkeys(text for value in values for text in value.values))


def _closes(said: Iterable[f.Field[Any]]) -> tuple[Close, ...]:
    found = (each.value for each in said if isinstance(each.value, f.Close))
    return tuple(dict.fromkeys(Close(each.mark, each.after) for each in found))


def _kinds(said: Iterable[f.Field[Any]], key: str) -> tuple[str, ...]:
    values = (each.value for each in said if each.key == key)
    return tuple(dict.fromkeys(kind for value in values for kind in value.kinds))


def _what_becomes(kind: str, said: Sequence[f.Field[Any]]) -> Kind:
    """Whether quotes or dashes are dropped or parted; the last line that names them counts."""
    named = [each.key for each in said if each.key in ("separate", "drop")]
    named = [key for key in named if kind in _kinds(said, key)]
    return cast("Kind", named[-1]) if named else "stays"


def mark_vectors(sections: Sections, names: Reader) -> tuple[dict[str, float], ...]:
    """What each mark of the ``spelling:`` section gives."""
    marks = (item for item in sections.children("spelling") if isinstance(item, f.SpellingMark))
    return tuple(maps.vector(mark.gives, names) for mark in marks)
