"""COGS in plain Python: a parser by recursive descent, what its trees mean, and sentences."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

TABLE = Path(__file__).parents[2] / "examples" / "language" / "cogs.tsv"
ARTICLES, PREPOSITIONS = ("a", "A", "the", "The"), ("in", "on", "beside")
KINDS = ("noun", "name")


def vocabulary() -> dict[str, tuple[str, str, list[str]]]:
    """Word -> lemma, class, forms."""
    rows = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]
    return {word: (lemma, kind, forms.split("/")) for word, lemma, kind, forms, _ in rows}


WORDS = vocabulary()
NOTHING = ("", "", [""])


class UngrammaticalError(Exception):
    """It is no sentence."""


@dataclass
class Phrase:
    """A noun phrase: a name, or a noun at its place, and what stands behind its preposition."""

    noun: str
    place: int = -1
    definite: bool = False
    inside: "tuple[str, Phrase] | None" = None

    @property
    def variable(self) -> str:
        return self.noun if self.place < 0 else f"x _ {self.place}"

    def nouns(self) -> "Iterator[Phrase]":
        if self.place >= 0:
            yield self
        if self.inside:
            yield from self.inside[1].nouns()


@dataclass
class Verb:
    """A verb with all that belongs to it."""

    lemma: str
    place: int
    subject: Phrase
    passive: bool
    unaccusative: bool
    objects: list[Phrase] = field(default_factory=list[Phrase])
    receiver: Phrase | None = None
    agent: Phrase | None = None
    clause: "tuple[str, Verb] | None" = None

    def roles(self) -> Iterator[tuple[str, str]]:
        """Its arguments, in their order."""
        own = "agent"
        if self.passive:
            own = "recipient" if self.objects else "theme"
        elif self.unaccusative and not self.objects:
            own = "theme"
        yield own, self.subject.variable
        *first, last = self.objects or [None]
        yield from (("recipient", phrase.variable) for phrase in first if phrase)
        if last:
            yield "theme", last.variable
        if self.clause:
            yield self.clause[0], f"x _ {self.clause[1].place}"
        if self.receiver:
            yield "recipient", self.receiver.variable
        if self.agent:
            yield "agent", self.agent.variable

    def phrases(self) -> Iterator[Phrase]:
        yield from (self.subject, *self.objects)
        yield from (phrase for phrase in (self.receiver, self.agent) if phrase)

    def verbs(self) -> "Iterator[Verb]":
        yield self
        if self.clause:
            yield from self.clause[1].verbs()


def meaning(sentence: str) -> str:
    """The logical form of a sentence; `?` where it is none."""
    try:
        verbs = list(Parser(sentence).sentence().verbs())
    except UngrammaticalError:
        return "?"
    phrases = (phrase for verb in verbs for phrase in verb.phrases())
    nouns = {noun.place: noun for phrase in phrases for noun in phrase.nouns()}
    owners = sorted([*nouns.values(), *verbs], key=lambda owner: owner.place)
    definite = [f"* {n.noun} ( x _ {n.place} ) ;" for _, n in sorted(nouns.items()) if n.definite]
    return " ".join([*definite, " AND ".join(atom for owner in owners for atom in atoms(owner))])


def atoms(owner: Phrase | Verb) -> Iterator[str]:
    """What is said of a noun or a verb."""
    if isinstance(owner, Verb):
        for role, other in owner.roles():
            yield f"{owner.lemma} . {role} ( x _ {owner.place} , {other} )"
        return
    if not owner.definite:
        yield f"{owner.noun} ( {owner.variable} )"
    if owner.inside:
        preposition, inner = owner.inside
        yield f"{owner.noun} . nmod . {preposition} ( {owner.variable} , {inner.variable} )"


class Parser:
    """Reads a sentence from left to right; every method takes what it is called after."""

    def __init__(self, sentence: str) -> None:
        self.words, self.at = [*sentence.split(), ""], 0

    def sentence(self) -> Verb:
        verb = self._clause()
        self._take(".")
        self._take("")
        return verb

    def _take(self, *words: str) -> str:
        if self.words[self.at] not in words:
            raise UngrammaticalError
        self.at += 1
        return self.words[self.at - 1]

    def _next(self, *words: str) -> bool:
        return self.words[self.at] in words

    def _entry(self) -> tuple[str, str, list[str]]:
        return WORDS.get(self.words[self.at], NOTHING)

    def _phrase_next(self) -> bool:
        return self._next(*ARTICLES) or self._entry()[1] == "name"

    def _phrase(self) -> Phrase:
        lemma, kind, _ = self._entry()
        if kind == "name":
            self.at += 1
            return Phrase(lemma)
        definite = self._take(*ARTICLES) in ("the", "The")
        lemma, kind, _ = self._entry()
        if kind != "noun":
            raise UngrammaticalError
        self.at += 1
        phrase = Phrase(lemma, self.at - 1, definite)
        if self._next(*PREPOSITIONS):
            preposition = self._take(*PREPOSITIONS)
            if not self._next(*ARTICLES):
                raise UngrammaticalError
            phrase.inside = preposition, self._phrase()
        return phrase

    def _clause(self) -> Verb:
        subject = self._phrase()
        if not self._next("was"):
            return self._active("past", subject)
        self.at += 1
        verb = self._verb("participle", subject)
        if self._phrase_next():
            verb.objects.append(self._phrase())
        elif self._next("to"):
            self.at += 1
            verb.receiver = self._phrase()
        if self._next("by"):
            self.at += 1
            verb.agent = self._phrase()
        return verb

    def _verb(self, form: str, subject: Phrase) -> Verb:
        lemma, kind, forms = self._entry()
        if form not in forms:
            raise UngrammaticalError
        self.at += 1
        return Verb(lemma, self.at - 1, subject, form == "participle", kind == "unaccusative")

    def _active(self, form: str, subject: Phrase) -> Verb:
        verb = self._verb(form, subject)
        if self._next("that"):
            self.at += 1
            verb.clause = "ccomp", self._clause()
        elif self._next("to"):
            self.at += 1
            verb.clause = "xcomp", self._active("bare", subject)
        while self._phrase_next() and len(verb.objects) < 2 and not verb.clause:
            verb.objects.append(self._phrase())
        if self._next("to") and len(verb.objects) == 1:
            self.at += 1
            verb.receiver = self._phrase()
        return verb


class Writer:
    """Writes sentences of its own: any word of a class, any construction, as deep as one likes.

    Args:
        choice: `random.Random`.
        nested: how likely a preposition, and a clause, goes on.
    """

    def __init__(self, choice: Random, nested: float = 0.2) -> None:
        self.choice, self.nested = choice, nested
        self.nouns, self.names = (sorted(w for w in WORDS if WORDS[w][1] == k) for k in KINDS)

    def sentence(self) -> str:
        words = [*self._clause(), "."]
        first = words[0].capitalize() if words[0] in ("a", "the") else words[0]
        return " ".join([first, *words[1:]])

    def _verb(self, form: str) -> str:
        return self.choice.choice(sorted(word for word in WORDS if form in WORDS[word][2]))

    def _noun(self) -> list[str]:
        return [self.choice.choice(["a", "the"]), self.choice.choice(self.nouns)]

    def phrase(self) -> list[str]:
        if self.choice.random() < 0.25:
            return [self.choice.choice(self.names)]
        words = self._noun()
        while self.choice.random() < self.nested:
            words += [self.choice.choice(PREPOSITIONS), *self._noun()]
        return words

    def _clause(self) -> list[str]:
        words = self.phrase()
        if self.choice.random() < self.nested:
            return [*words, self._verb("past"), "that", *self._clause()]
        if self.choice.random() < 0.4:
            behind = self.choice.choice([[], self.phrase(), ["to", *self.phrase()]])
            agent = self.choice.choice([[], ["by", *self.phrase()]])
            return [*words, "was", self._verb("participle"), *behind, *agent]
        return [*words, self._verb("past"), *self._behind()]

    def _behind(self) -> list[str]:
        one, two = self.phrase(), self.phrase()
        infinitive = ["to", self._verb("bare")]
        return self.choice.choice([[], one, [*one, *two], [*one, "to", *two], infinitive])


def spoiled(sentence: str, choice: Random) -> str:
    """The same with a word left out, put twice, replaced, or two words changed over."""
    words = sentence.split()
    one, two = choice.randrange(len(words)), choice.randrange(len(words))
    match choice.randrange(4):
        case 0:
            words.pop(one)
        case 1:
            words.insert(one, words[two])
        case 2:
            words[one] = words[two]
        case _:
            words[one], words[two] = words[two], words[one]
    return " ".join(words)
