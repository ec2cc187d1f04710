"""Reads the words of COGS off its training set into ``examples/language/cogs.tsv``.

``python scripts/cogs_words.py ../shared/data/cogs/train.tsv``. A word is what a logical form says
about its place: a noun, a verb or a name. Those of which none says anything ("was", "the") are the
grammar's.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "examples" / "language"
# `rose ( x _ 1 )`, `help . agent ( x _ 2 , Emma )`; of words that stand alone `rose ( a )`,
# `help . agent ( e , b )`.
NOUN = re.compile(r"(\w+) \( (?:x _ (\d+)|a) \)")
VERB = re.compile(r"\b(?!nmod\b)(\w+) \. (\w+) \( (?:x _ (\d+)|e) , (?:x _ )?(\w+) \)")
BEFORE = {"was": "participle", "to": "bare"}
FORMS = ("past", "participle", "bare")
Row = tuple[list[str], str]


class Words:
    """What training rows tell about words.

    Attributes:
        classes: word -> its lemma and its class; forms: verb -> the forms in which it was seen.
        unaccusative: lemmas of verbs that are said of nothing but a theme, and not in the passive.
        in_sentences: the words that were seen in sentences, not only alone.
    """

    def __init__(self, rows: list[Row]) -> None:
        self.classes: dict[str, tuple[str, str]] = {}
        self.forms: dict[str, set[str]] = defaultdict(set)
        self.unaccusative: set[str] = set()
        self.in_sentences = {word for words, _ in rows if len(words) > 1 for word in words}
        for words, meaning in rows:
            self._nouns_and_names(words, meaning)
            self._verbs(words, meaning)

    def _nouns_and_names(self, words: list[str], meaning: str) -> None:
        for lemma, place in NOUN.findall(meaning):
            self.classes[words[int(place or 0)]] = lemma, "noun"
        said = {other for *_, other in VERB.findall(meaning) if other in words}
        for name in (*said, *({meaning} & set(words))):
            self.classes[name] = name, "name"

    def _verbs(self, words: list[str], meaning: str) -> None:
        roles: dict[tuple[str, int], set[str]] = defaultdict(set)
        for lemma, role, place, _ in VERB.findall(meaning):
            roles[lemma, int(place or 0)].add(role)
        for (lemma, place), said in roles.items():
            form = BEFORE.get(words[place - 1], "past") if len(words) > 1 else "bare"
            self.classes[words[place]] = lemma, "verb"
            self.forms[words[place]].add(form)
            if said == {"theme"} and form != "participle":
                self.unaccusative.add(lemma)

    def table(self) -> Iterator[str]:
        """The lines of the table: word, lemma, class, the forms of verbs, where it was seen."""
        yield "word\tlemma\tclass\tforms\tseen"
        for word, (lemma, kind) in sorted(
            self.classes.items(), key=lambda row: (row[1][::-1], row)
        ):
            verb = kind == "verb"
            told = "unaccusative" if verb and lemma in self.unaccusative else kind
            forms = "/".join(self._forms(word, lemma)) if verb else "-"
            seen = "sentences" if word in self.in_sentences else "alone"
            yield f"{word}\t{lemma}\t{told}\t{forms}\t{seen}"

    def _forms(self, word: str, lemma: str) -> list[str]:
        """Past and participle are one word, as far as no other one is seen in their place."""
        forms = set(self.forms[word])
        others = [
            o for o, (said, _) in self.classes.items() if said == lemma and o not in (word, lemma)
        ]
        if forms & {"past", "participle"} and not others:
            forms |= {"past", "participle"}
        return [form for form in FORMS if form in forms]


def read(path: Path) -> list[Row]:
    """The words and the logical form of each row."""
    lines = path.read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    return [(sentence.split(), meaning) for sentence, meaning, _ in cells]


if __name__ == "__main__":
    rows = Words(read(Path(sys.argv[1]))).table()
    (FOLDER / "cogs.tsv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
