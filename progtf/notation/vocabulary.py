"""What every word, mark and number of the notation means, in a line each.

The tables of ``docs/language.md``, hovers and completions of the language server, and those of the
editor in figures are all made of these rows.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from progtf.notation.blocks import BLOCKS
from progtf.notation.highlight import Kind, spelled


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table.

    Attributes:
        written: the words or marks, each in backticks.
        where: the blocks that have them.
        means: what they do.
    """

    written: str
    where: str
    means: str

    @property
    def words(self) -> tuple[str, ...]:
        """Every single word or mark that the line is about."""
        parts = re.findall(r"`([^`]+)`", self.written)
        return tuple(word for part in parts for word in _single(part.replace("\\|", "|")))


def _single(written: str) -> list[str]:
    """`up to` is two words, `kind:` is one without its colon."""
    return [word.rstrip(":") or word for word in written.split()]


KEYWORDS = (
    Row(
        "`model:`",
        "file",
        "settings: `kind`, `tokens`, `length`, `binding`, `norm`, `layers`, "
        "`sharpness`, `width`, `again`, `ask`",
    ),
    Row(
        "`kind:`",
        "`model`",
        "which network it is: `encoder`, `decoder`, `seq2seq`, `rnn`, `dense`",
    ),
    Row(
        "`tokens:`",
        "`model`",
        "what texts are cut into: `words`, `chars`, `chars -> words`, `words -> chars`",
    ),
    Row(
        "`readings:`",
        "`model`",
        "`one`, `joined`: whether a word may have several lines in the lexicon",
    ),
    Row("`join:`", "`model`", "how words end that the next one is joined to"),
    Row("`length:`", "`model`", "the longest input in tokens, `->` the longest output"),
    Row(
        "`binding:`",
        "`model`",
        "how heads bind what is read to roles: `hadamard`, `none`, `outer`",
    ),
    Row(
        "`norm:`",
        "`model`",
        "what layers read the residual through: `none`, `layer`, `round`, `split`",
    ),
    Row(
        "`layers:`",
        "`model`",
        "whether heads and rules find their layers themselves: `explicit`, `auto`",
    ),
    Row(
        "`sharpness:`",
        "`model`, head",
        "factor of the scores: the greater it is, the more the best key gets of the share",
    ),
    Row("`width:`", "`model`", "dimensions of the residual"),
    Row("`again: up to`", "`model`", "in how many steps at most a text is asked again"),
    Row("`ask:`", "`model`", "how a text is asked again with the answer to its question"),
    Row("`semes:`", "file", "names of the dimensions of the residual, in order"),
    Row("`..` , `step`", "`semes`", "the values of a seme"),
    Row("`distance`", "`semes`", "a seme for every hand of every clock"),
    Row("`clocks:`", "file", "periods in tokens, `/7 /40`: hands by which heads tell positions"),
    Row("`lexicon:` , `lexicon from`", "file", "token, vector; from a table"),
    Row("`columns`", "`lexicon from`", "names of the columns of a table without a header"),
    Row("`forms`", "`lexicon from`", "the columns in which words stand, several in a row"),
    Row("`each`", "`lexicon from`", "what every row gives"),
    Row("`unknown:`", "`lexicon`", "the vector of all other tokens"),
    Row("`spelling:`", "file", "how texts are cut into tokens, and what spelling gives"),
    Row(
        "`separate:` , `drop:` , `quotes` , `dashes`",
        "`spelling`",
        "what is a token of its own, and what is none",
    ),
    Row(
        "`stops:` , `close:` , `after`",
        "`spelling`",
        "what the end of a text is without, and what it has",
    ),
    Row("`fold:` , `typography` , `blanks` , `opening`", "`spelling`", "what counts as what"),
    Row("`keep:`", "`spelling`", "words that stay as they are"),
    Row(
        "`read` ... `as` , `inside` , `between numbers` , `between terms`",
        "`spelling`",
        "what stands for something else",
    ),
    Row("`thousands:` , `lists`", "`spelling`", "what parts the digits of a number"),
    Row(
        "`trim: punctuation` , `leaving`",
        "`spelling`",
        "cuts off punctuation, if enough is left",
    ),
    Row("`case:`", "`spelling`", "whether capitals count: `fold`, `lower`"),
    Row("`join: phrases`", "`spelling`", "several words may be one token"),
    Row(
        "`unknown` , `capital` , `digits`",
        "`spelling`",
        "what a word gets that the lexicon does not have",
    ),
    Row("`capitals` , `contains` , `count`", "`spelling`", "what the spelling of any token gives"),
    Row(
        "`=` , `!=` , `has` , `starts with` , `ends with` , `&`",
        "`lexicon from`",
        "tests of a cell, and several tests",
    ),
    Row("`<bos>` , `<eos>`", "`lexicon`, `output`", "first and last token"),
    Row("`<again>`", "`lexicon`, `output`", "where it is written, the answer is asked again"),
    Row(
        "`<ask>`",
        "`lexicon`, `output`",
        "where it is written, the answer is a question, and its text waits",
    ),
    Row("`encoder:` , `decoder:`", "file", "layers, where there are two stacks"),
    Row(
        "`layer:`",
        "file, `encoder`, `decoder`",
        "heads, which look at other tokens, then rules in a feed-forward block",
    ),
    Row("`repeat:`", "`layer`", "how often the layer is run"),
    Row(
        "`loop` ... `up to` ... `until` , `until no` , `when`",
        "where a layer may",
        "layers that run until a flag is up, or none: in a text of an encoder, at"
        " a place of a decoder",
    ),
    Row("`falls:`", "`loop`", "what every round lowers, so that it ends"),
    Row(
        "`head:`",
        "`layer`, `circuit`",
        "an attention head: it looks at other tokens and writes what it finds there",
    ),
    Row("`query:` , `key:`", "head", "affine maps to features"),
    Row("`value:`", "head", "affine map from what is read to what is written"),
    Row("`role:`", "head", "affine map of the reader, multiplied with the filler"),
    Row("`bind:`", "head", "products of what is read and of the reader, `filler*role > seme`"),
    Row("`out:`", "head", "from features of the filler to semes"),
    Row("`at:`", "head", "how many tokens away the head reads: `-1` is the one before"),
    Row(
        "`querypos:` , `keypos:`",
        "head",
        "how far the clocks of query and key are moved on; both may share a line",
    ),
    Row("`match:`", "head", "mine `~` theirs, or mine `~` relation `~` theirs"),
    Row("`nearest:`", "head", "the nearest key with a flag"),
    Row(
        "`highest:` , `lowest:`",
        "head",
        "the key with the greatest, smallest value, `where` a flag holds",
    ),
    Row("`copy:` ... `as`", "head", "copies semes to names with a prefix"),
    Row("`distance:`", "head", "writes how far away it is"),
    Row("`where:`", "head", "which keys may be read"),
    Row("`when:`", "head", "which readers read"),
    Row(
        "`look:`",
        "head",
        "which tokens a head may read: `all`, `before`, `upto`, `after`, `self`, `notself`",
    ),
    Row("`from: encoder`", "head", "read the encoder"),
    Row(
        "`else:` , `below`",
        "head",
        "what is written where nothing matches; the score that counts as a match",
    ),
    Row("`normalize:`", "head", "over what the shares add up to 1: `keys`, `queries`"),
    Row("`feedforward:`", "`layer`, `circuit`", "rules: what each token makes of its own semes"),
    Row("`when`", "rule", "where the rule applies"),
    Row("`set`", "rule", "the value stands in the place of what was there"),
    Row("`&` , `\\|` , `!`", "conditions", "and, or, not"),
    Row("`any` , `all` , `none`", "conditions", "of a family"),
    Row("`mod` , `div` , `sign` , `abs` , `clip`", "rule", "functions of a sum"),
    Row("`reading` ... `otherwise`", "`feedforward`", "the first reading of a word that fits"),
    Row(
        "`sequence` ... `>` , `after` , `never after`",
        "`feedforward`",
        "what may stand before what",
    ),
    Row("`mat1:` , `bias1:` , `mat2:` , `bias2:`", "`feedforward`", "weights as they are"),
    Row(
        "`dense:`",
        "file, `encoder`, `decoder`",
        "a layer without residual connection: `weights:`, `bias:`, `relu: yes` or"
        " `no` (`true` or `false` say the same)",
    ),
    Row(
        "`cell:`",
        "file",
        "a recurrent cell: `input:`, `recurrent:`, `bias:`, `activation:` `relu`,"
        " `tanh`, `clip`, `none`",
    ),
    Row("`output:` , `output from`", "file", "scores of tokens; from a table"),
    Row("`classify` ... `in`", "`output`", "tokens that are numbers"),
    Row("`classify:`", "file", "scores of classes"),
    Row("`pool:`", "`classify`, `score`", "`max`, `mean`, `first`, `last`, `sum`"),
    Row("`score:`", "file", "answers with a number: `pool:` and `value:`"),
    Row("`otherwise:`", "`classify`", "the class with score ½"),
    Row("`learn:`", "file", "what is learned beside what is written"),
    Row("`one of`", "`lexicon`", "what training chooses from"),
    Row("`reads:`", "`learn`", "the written semes that learned parts read"),
    Row("`layers` , `heads` , `filter`", "`learn`", "where something is learned, and how much"),
    Row("`protect:`", "`learn`", "`yes`, `no`: learned parts write to learned semes only"),
    Row("`examples:`", "file", "input `->` expected answer"),
    Row(
        "`let` , `column` ... `of`",
        "file",
        "a number, string, range or list with a name; the cells of a column",
    ),
    Row("`for` ... `in` , `at` , `if`", "anywhere", "repeats lines or entries"),
    Row("`:=`", "file, `layer`, `feedforward`", "an alias"),
    Row("`circuit`", "file", "a piece of a layer with parameters"),
    Row("`use`", "`layer`, `circuit`", "puts a circuit in"),
    Row("`use` ... `as` ... `when`", "file", "takes another file over"),
    Row("`demo:`", "file", "what a library file shows when it is run by itself"),
    Row("`phrase`", "`layer`", "a flag at the first token of a phrase"),
    Row("`\\rightarrow` , `\\to`", "lists", "`>` as LaTeX spells it"),
    Row("`before`", "`look`", "the tokens before the reader"),
    Row("`upto`", "`look`", "the reader and the tokens before it"),
    Row("`after`", "`look`", "the tokens behind the reader"),
    Row("`self`", "`look`", "the reader alone"),
    Row("`notself`", "`look`", "all tokens but the reader"),
    Row(
        "`keys`",
        "`normalize`",
        "the shares of one reader add up to 1, as they do without this line",
    ),
    Row("`queries`", "`normalize`", "the shares of one key add up to 1 over all readers"),
    Row(
        "`max` , `mean` , `sum`",
        "`pool`",
        "the greatest value of all tokens, their mean, their sum",
    ),
    Row("`first` , `last`", "`pool`", "the first token alone, the last token alone"),
    Row("`lower`", "`case`", "all tokens are read in lower case"),
    Row(
        "`fold`",
        "`case`",
        "a token that the lexicon lacks as it is written is looked up in any case",
    ),
    Row(
        "`weights:` , `bias:` , `relu:`",
        "`dense`",
        "a matrix, a vector that is added, and whether negative sums become 0",
    ),
    Row(
        "`input:` , `recurrent:` , `bias:` , `activation:`",
        "`cell`",
        "what is read of a word, what of the state before, a vector that is "
        "added, and the function of their sum",
    ),
    Row(
        "`relu` , `tanh` , `clip` , `none`",
        "`activation`",
        "0 below 0; between -1 and 1 smoothly; cut at the ends of the ranges; as it is",
    ),
    Row(
        "`yes` , `no` , `true` , `false`",
        "`relu`, `protect`",
        "on, off; `true` and `false` say the same",
    ),
)
"""In the order of a program."""

MARKS = (
    Row("`&`", "conditions", "both hold"),
    Row(
        "`\\|`",
        "conditions, `examples`",
        "one of the two holds, or both; in an example: the next token",
    ),
    Row("`!`", "conditions", "the flag behind it is down"),
    Row(
        "`+` , `-`",
        "vectors, lists",
        "adds or takes off so many times what stands behind: `+pig -2wombat`",
    ),
    Row(
        "`>` , `→`",
        "lists",
        "leads from what is read to what is written: `3pig>wombat`; in a condition: greater than",
    ),
    Row("`<` , `<=` , `>=` , `!=`", "conditions", "compares two sums: `a < b`"),
    Row(
        "`*`",
        "`bind`, numbers",
        "a product: of what is read and what the reader has, or of two numbers",
    ),
    Row(
        "`~`",
        "`match`, marks",
        "mine `~` theirs: the reader's and the key's; before a name: a weight "
        "that training begins at its number",
    ),
    Row("`?`", "marks", "a weight that training begins at random"),
    Row("`[` , `]`", "names", "a member of a family: `place[0]`, or several: `place[0..3]`"),
    Row("`{` , `}`", "numbers, names", "arithmetic, or what a loop puts in: `{1/64}`, `{k + 1}`"),
    Row("`/`", "`clocks`, numbers", "before a period: a clock; between numbers: divided by"),
    Row(
        "`->`",
        "`examples`, `model`",
        "joins an input to the answer that is expected, or an input's length and "
        "tokens to the output's",
    ),
    Row(
        "`#`",
        "anywhere",
        "a comment; beside a declaration it is what the semes of the line mean",
    ),
    Row(
        "`2` , `2.5` , `1e-3`",
        "anywhere",
        "a number; before a name: so many times that name, which counts once without a number",
    ),
    Row(
        "`2`",
        "`at`",
        "so many tokens away is what the head reads: `-1` is the word before, `1` the word behind",
    ),
    Row("`+` , `-`", "`at`", "behind the reader, before it"),
    Row("`2`", "`querypos`, `keypos`", "so many tokens the clocks are moved on"),
    Row("`2`", "`sharpness`, `width`, `length`, `again`, `repeat`", "a number"),
    Row('`"…"`', "anywhere", "a token or characters, as they are spelled"),
)
"""Between words."""

FIGURES = {
    "seme": "a dimension of the residual that has a name",
    "residual": "the vector of a token as it passes through the layers; every layer reads"
    " it and adds to it",
    "head": "looks at other tokens by attention, and writes what it finds there",
    "query": "what a token looks for: a number for each feature of a head",
    "key": "what a token has for those who look: a number for each feature of a head",
    "value": "what of a token is read by those who look at it",
    "score": "how well a key fits a query: their product",
    "share": "how much a token reads from another: the softmax of sharpness times score, 1 in all",
    "sharpness": "the factor of a head's scores: the greater it is, the more the best key "
    "gets of the share",
    "null key": "one more key that a head may look at, with nothing to read: where it "
    "rests when no token fits",
    "clock": "a position as the angle of a hand, which goes round once in a period of "
    "tokens: heads find `at:` by it",
    "feature": "a dimension of the queries and keys of one head",
    "role": "what the reader multiplies what it reads with",
    "rule": "a line of `feedforward:`: what is written to a seme, computed from the "
    "semes of the same token",
    "flag": "a seme that is 0 or 1",
}
"""What figures call by name and no keyword says."""

_KINDS: dict[str, str] = {"number": "2", "string": '"…"', "comment": "#"}


def keywords_table() -> str:
    """The table of all keywords, in Markdown."""
    return _table(("keyword", "where", "meaning"), KEYWORDS)


def marks_table() -> str:
    """The table of marks and numbers, in Markdown."""
    return _table(("written", "where", "meaning"), MARKS)


def figures_table() -> str:
    """The table of words that figures use, in Markdown."""
    lines = (f"| {word} | {means} |" for word, means in FIGURES.items())
    return "\n".join(("| word | meaning |", "| --- | --- |", *lines))


def _table(head: tuple[str, ...], rows: tuple[Row, ...]) -> str:
    lines = (f"| {row.written} | {row.where} | {row.means} |" for row in rows)
    return "\n".join((f"| {' | '.join(head)} |", "| --- | --- | --- |", *lines))


@cache
def by_word() -> dict[str, tuple[Row, ...]]:
    """The rows that are about a word or a mark."""
    found: dict[str, tuple[Row, ...]] = {}
    for rows in (KEYWORDS, MARKS):
        own: dict[str, tuple[Row, ...]] = {}
        for row in rows:
            for word in row.words:
                own[word] = (*own.get(word, ()), row)
        found |= own
    return found


def meaning_of(word: str, blocks: tuple[str, ...] = ()) -> str:
    """What a word does, of several meanings those in the innermost of its blocks that has one."""
    rows = by_word().get(word, ())
    general = tuple(row for row in rows if "`" not in row.where)
    named = (
        tuple(row for row in rows if re.search(rf"\b{re.escape(block)}\b", row.where))
        for block in reversed(blocks)
    )
    rows = next(filter(None, (*named, general)), rows)
    return "; ".join(dict.fromkeys(row.means for row in rows))


def explained(lines: list[str], line: int, column: int) -> tuple[str, str] | None:
    """What stands at a place, and what it does; None where nothing is said of it.

    Args:
        lines: the text.
        line: from 1.
        column: from 0.
    """
    for start, kind, text in spelled(lines[line - 1]):
        if start <= column < start + len(text):
            word = _KINDS.get(kind) or _known(text.strip(), kind)
            said = meaning_of(word, blocks_around(lines, line))
            return (text.strip(), said) if said else None
    return None


def _known(text: str, kind: Kind) -> str:
    """The entry for a text; a word of the lexicon or the target of a rule has none."""
    if kind == "token" and not text.startswith("<"):
        return ""
    return text if text in by_word() or kind != "operator" else text[:1]


def blocks_around(lines: list[str], line: int) -> tuple[str, ...]:
    """The keywords of the blocks around a line, the innermost last, and then its first word."""
    found: list[str] = []
    depth = len(lines[line - 1]) + 1 if line <= len(lines) else 1
    for above in reversed(lines[:line]):
        indent = len(above) - len(above.lstrip())
        if above.strip() and not above.lstrip().startswith("#") and indent < depth:
            found.append(re.split(r"\W", above.strip(), maxsplit=1)[0])
            depth = indent
    words = [word for word in found[1:] if word in BLOCKS] or ["file"]
    rule = ("rule",) if words[0] == "feedforward" else ()
    return (*reversed(words), *rule, *found[:1])


def for_editors() -> dict[str, Any]:
    """The rows by words, as the editor in figures looks them up."""
    return {
        "words": {
            word: [[row.where, row.means] for row in rows] for word, rows in by_word().items()
        },
        "kinds": _KINDS,
        "figures": FIGURES,
    }
