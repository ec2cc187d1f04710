"""``phrase "take away" > minus``: a flag on the first token of a phrase.

All phrases of a layer share one head an offset, which reads each token once; each phrase counts
how many of its tokens stand where they should, and a rule fires when all of them do.
"""

from collections.abc import Iterator, Mapping, Sequence

from progtf.building import problems
from progtf.notation import flat as f
from progtf.notation.diagnostics import Mistake, Span
from progtf.notation.scope import spell_name
from progtf.program.forms import Values
from progtf.program.model import COUNTER
from progtf.program.tokens import split


def counter(phrase: str) -> str:
    """The seme that counts a phrase's tokens."""
    return spell_name(COUNTER, (phrase,))


def counters(phrases: Sequence[f.Phrase[str]], tokens: str) -> dict[str, Values]:
    """The semes that phrases need, with their ranges; phrases of one token need none."""
    lengths = {text: len(split(text, tokens)) for phrase in phrases for text in phrase.phrases}
    return {counter(text): Values(0.0, n - 1.0, 1.0) for text, n in lengths.items() if n > 1}


def own_semes(lexicon: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """For every token the seme that no other token has, if there is one."""
    owners: dict[str, list[str]] = {}
    for token, vector in lexicon.items():
        for seme, value in vector.items():
            if value:
                owners.setdefault(seme, []).append(token)
    alone = {seme: tokens[0] for seme, tokens in owners.items() if len(tokens) == 1}
    return {token: seme for seme, token in alone.items() if lexicon[token][seme] == 1.0}


def phrase_blocks(
    phrases: Sequence[f.Phrase[str]], own: Mapping[str, str], tokens: str
) -> Iterator[f.Block]:
    """The heads and the feed-forward block that all phrases of a layer come to."""
    if not phrases:
        return
    span = phrases[0].span
    spelled = {
        text: [_own(token, own, phrase.span) for token in split(text, tokens)]
        for phrase in phrases
        for text in phrase.phrases
    }
    longest = max(len(semes) for semes in spelled.values())
    for offset in range(1, longest):
        there = {text: semes[offset] for text, semes in spelled.items() if offset < len(semes)}
        value = tuple(_arrow(seme, seme, span) for seme in dict.fromkeys(there.values()))
        out = tuple(_arrow(seme, counter(text), span) for text, seme in there.items())
        fields = f.Field("at", float(offset), span), f.Field("value", value, span)
        yield f.Block("head", f"phrase_{offset}", (*fields, f.Field("out", out, span)), span)
    rules = tuple(rule for phrase in phrases for rule in _rules(phrase, spelled))
    yield f.Block("feedforward", "", rules, span)


def _arrow(source: str, target: str, span: Span) -> f.Entry[f.Term]:
    return f.Entry("map", (f.Term(1.0, source, span), f.Term(1.0, target, span)), span)


def _own(token: str, own: Mapping[str, str], span: Span) -> str:
    if token not in own:
        raise Mistake(problems.names.no_own_seme(span, token))
    return own[token]


def _rules(phrase: f.Phrase[str], spelled: Mapping[str, list[str]]) -> Iterator[f.Rule]:
    """One rule a phrase; a phrase that begins with another one of the same target is implied."""
    texts = {tuple(spelled[text]): text for text in reversed(phrase.phrases)}
    for semes, text in reversed(texts.items()):
        if any(semes[:size] in texts for size in range(1, len(semes))):
            continue
        first, *rest = semes
        target = f.Entry("vector", (f.Term(1.0, phrase.target, phrase.span),), phrase.span)
        form = (f.Term(1.0, first, phrase.span),)
        if not rest:
            yield f.Rule((target,), f.Truth(form, phrase.span), None, phrase.span)
            continue
        form = (*form, f.Term(1.0, counter(text), phrase.span))
        whole = (f.Term(float(len(rest) + 1), None, phrase.span),)
        yield f.Rule((target,), f.Comparison(">=", form, whole, phrase.span), None, phrase.span)
