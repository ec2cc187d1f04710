"""Texts to tokens and back: words or characters, with ``<bos>`` and ``<eos>`` where declared."""

from collections.abc import Iterable, Mapping

from progtf.program.model import BOS, EOS


def split(text: str, tokens: str) -> list[str]:
    """The tokens of a text: its words, or its characters."""
    return list(text) if tokens == "chars" else text.split()


def join(parts: Iterable[str], tokens: str) -> str:
    """The text of some tokens, special ones left out."""
    plain = [part for part in parts if part not in (BOS, EOS)]
    return "".join(plain) if tokens == "chars" else " ".join(plain)


def wrap(parts: list[str], lexicon: Mapping[str, object]) -> list[str]:
    """The tokens between ``<bos>`` and ``<eos>``, each if the lexicon has it."""
    return [BOS] * (BOS in lexicon) + parts + [EOS] * (EOS in lexicon)
