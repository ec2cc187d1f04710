"""Passages of our own making: who keeps what, and where."""

import gzip
import json
import random
from pathlib import Path

NAMES = [
    "anna", "boris", "clara", "dmitri", "elena", "fyodor", "galina", "hugo", "irina", "jonas",
]  # fmt: skip
THINGS = [
    "goat", "horse", "parrot", "donkey", "camel", "turtle", "ferret", "rabbit", "pigeon",
    "falcon",
]  # fmt: skip
PLACES = [
    "barn", "cellar", "tower", "garden", "kitchen", "stable", "attic", "harbour", "meadow",
    "mill",
]  # fmt: skip


def made(count: int, seed: int, article: str = "keepers") -> list[dict]:
    """So many passages, each with a question about each of its sentences."""
    chance, found = random.Random(seed), []
    for number in range(count):
        names = chance.sample(NAMES, 2)
        facts = [
            (name.capitalize(), chance.choice(THINGS), chance.choice(PLACES)) for name in names
        ]
        text = " ".join(f"{n} keeps a {t} in the {p}." for n, t, p in facts)
        qas = []
        for place, (name, thing, where) in enumerate(facts):
            what = chance.random() < 0.5
            asked = f"What does {name} keep?" if what else f"In which place does {name} keep it?"
            answer = [f"a {thing}", thing] if what else [where]
            qas.append(
                {"id": f"{article}-{seed}-{number}-{place}", "question": asked, "answers": answer}
            )
        found.append({"article": article, "context": text, "qas": qas})
    return found


def saved(path: Path, passages: list[dict]) -> Path:
    """Writes them as JSON lines."""
    text = "".join(json.dumps(each) + "\n" for each in passages)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def read_lines(path: Path) -> list[dict]:
    """The passages of JSON lines."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def official(path: Path, passages: list[dict]) -> Path:
    """Writes them as SQuAD v1.1 does, passages of one article together."""
    articles: dict[str, list[dict]] = {}
    for each in passages:
        qas = [
            {**asked, "answers": [_placed(each["context"], answer) for answer in asked["answers"]]}
            for asked in each["qas"]
        ]
        articles.setdefault(each["article"], []).append({"context": each["context"], "qas": qas})
    data = [{"title": title, "paragraphs": some} for title, some in articles.items()]
    text = json.dumps({"data": data, "version": "1.1"}, indent=1).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def _placed(context: str, answer: str) -> dict:
    return {"text": answer, "answer_start": context.index(answer)}
