"""Answers by counting words alone: the sliding window, the baseline of SQuAD and of MCTest.

Richardson et al. 2013, algorithm 1, with its distances; Rajpurkar et al. 2016, section 5.1, by
which candidates stand in the sentence that has most of the question's words and pairs of words.
Their candidates are the constituents of a parser; here they are runs of words between stop words
and punctuation.
"""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from progtf.tasks.comprehension.texts import Question, Text

STOP_WORDS = frozenset({
    "a", "about", "after", "all", "also", "although", "among", "an", "and", "any", "are", "as",
    "at", "be", "became", "because", "been", "before", "being", "between", "both", "but", "by",
    "can", "could", "did", "do", "does", "during", "each", "for", "from", "had", "has", "have",
    "he", "her", "his", "how", "if", "in", "into", "is", "it", "its", "many", "may", "more",
    "most", "much", "no", "not", "of", "on", "one", "or", "other", "she", "so", "some", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "under", "until", "was", "were", "what", "when", "where", "which", "while",
    "who", "whom", "whose", "why", "will", "with", "would", "you"
})  # fmt: skip
LONGEST = 6
"""Words of a candidate."""
Span = tuple[int, int]


def slide(question: Question) -> Span:
    """The first and the last word of the answer that counting finds."""
    passage = question.passage
    asked = {word for word in question.asked.lower if word.isalnum()} - STOP_WORDS
    pairs = set(pairwise(question.asked.lower))
    ranked = [
        (_overlap(passage, sentence, span, set(question.asked.lower), pairs), span)
        for sentence in passage.sentences
        for span in candidates(passage, sentence, asked)
    ]
    if not ranked:
        return 0, 0
    most = max(score for score, _ in ranked)
    likely = [span for score, span in ranked if score == most]
    value = _values(passage)
    return max(
        likely, key=lambda span: _window(passage, span, asked, value) - _far(passage, span, asked)
    )


def candidates(passage: Text, sentence: Span, asked: set[str]) -> Iterator[Span]:
    """Runs of words that are neither asked for nor stop words nor punctuation."""
    begin = None
    for place in range(*sentence):
        word = passage.lower[place]
        out = word in STOP_WORDS or word in asked or not word.isalnum()
        if out:
            begin = None
            continue
        begin = place if begin is None else begin
        ends = place + 1 == sentence[1] or _breaks(passage.lower[place + 1], asked)
        if ends and place - begin < LONGEST:
            yield begin, place


def _breaks(word: str, asked: set[str]) -> bool:
    return word in STOP_WORDS or word in asked or not word.isalnum()


def _overlap(
    passage: Text, sentence: Span, span: Span, words: set[str], pairs: set[tuple[str, str]]
) -> int:
    """How many words, and pairs of words, of the question stand in the rest of the sentence."""
    before = passage.lower[sentence[0] : span[0]]
    behind = passage.lower[span[1] + 1 : sentence[1]]
    there = {*before, *behind}
    together = {*pairwise(before), *pairwise(behind)}
    return len(words & there) + len(pairs & together)


def _values(passage: Text) -> dict[str, float]:
    """What a word counts: the less, the more often it stands there."""
    return {word: math.log1p(1 / count) for word, count in Counter(passage.lower).items()}


def _window(passage: Text, span: Span, asked: set[str], value: dict[str, float]) -> float:
    """The best window as long as question and candidate together have words."""
    wanted = asked | set(passage.lower[span[0] : span[1] + 1])
    gains = [value[word] if word in wanted else 0.0 for word in passage.lower]
    size = len(wanted)
    return max(sum(gains[at : at + size]) for at in range(max(len(gains) - size, 0) + 1))


def _far(passage: Text, span: Span, asked: set[str]) -> float:
    """How far the nearest word of the question is from the candidate; 1 where there is none."""
    places = [n for n, word in enumerate(passage.lower) if word in asked]
    gaps = [min(abs(n - span[0]), abs(n - span[1])) for n in places]
    return min(gaps, default=len(passage.words)) / len(passage.words)
