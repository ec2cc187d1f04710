"""Proofs in files: what a network promises, what that stands on, and every fact on the way."""

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from progtf.exact.kernel.context import Claim, Claims
from progtf.exact.kernel.facts import Fact
from progtf.exact.kernel.folder import Damaged, Folder, read
from progtf.exact.kernel.network import Proven, prove
from progtf.exact.kernel.numbers import NotProven

VERSION = 1


class Checked(NamedTuple):
    """A proof that was followed: what it proves, in one sentence, and what it stands on."""

    says: str
    under: tuple[str, ...]


def written(folder: Folder, meant: Mapping[str, Mapping[str, str]], claims: Claims) -> str:
    """The text of a proof.

    Raises:
        NotProven: where there is none.
    """
    proven = prove(folder, claims)
    about = {
        "proof": VERSION,
        "says": says(folder, proven),
        "network": folder.digest,
        "meant": meant,
        "claims": _told(claims),
        "under": [list(each) for each in proven.under],
        "gap": proven.gap,
        "error": proven.error,
        "facts": [
            [place, {n: _fact(f) for n, f in facts.items()}] for place, facts in proven.facts
        ],
    }
    return _signed(about)


def check(file: Path, folder: Path) -> Checked:
    """Follows a proof anew, fact by fact.

    Raises:
        Damaged: for a file that is no proof, or was changed, or is of another network.
        NotProven: for one that proves nothing.
    """
    try:
        text = file.read_bytes().decode()
        about = json.loads(text)
        same = _signed({key: each for key, each in about.items() if key != "sha256"}) == text
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise Damaged(f"{file}: no proof of progtf: {error}") from error
    if not same or about["proof"] != VERSION:
        raise Damaged(f"{file}: something in it was changed, or it is of another version")
    network = read(folder, about["meant"])
    if network.digest != about["network"]:
        raise Damaged(f"{file}: a proof of another network than the one in {folder}")
    if written(network, about["meant"], _claims(about["claims"])) != text:
        raise NotProven("its facts are not those that the lemmas give")
    return Checked(about["says"], tuple(" ".join(map(str, each)) for each in about["under"]))


def says(folder: Folder, proven: Proven) -> str:
    """What is proven, in one sentence."""
    inputs, outputs = folder.layout["lengths"]
    longest = f"at most {inputs} tokens" + (
        f" and {outputs} written" if folder.layout["decoder"] else ""
    )
    answer = (
        f"its numbers lie off by {proven.error:.2g} at most" if proven.gap is None
        else "the best score is the same one"
    )  # fmt: skip
    return (
        f"For every text of {longest} that keeps to {len(proven.under)} conditions, the network"
        f" with the digest {folder.digest[:16]}, in {folder.dtype}, in whatever order it adds up,"
        f" gives the answer of exact arithmetic with hard attention: {answer}."
    )


def _signed(about: Mapping[str, Any]) -> str:
    text = json.dumps(about, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps(
        {**about, "sha256": digest}, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )


def _fact(fact: Fact) -> list[Any]:
    step = None if fact.step is None else str(fact.step)
    return [str(fact.low), str(fact.high), step, fact.off, fact.stray]


def _told(claims: Claims) -> dict[str, Any]:
    numbers = {
        name: [None if each is None else str(each) for each in claim]
        for name, claim in claims.semes.items()
    }
    return {
        "semes": numbers,
        "single": sorted(claims.single),
        "alike": sorted(claims.alike),
        "apart": {name: str(gap) for name, gap in claims.apart.items()},
        "hot": sorted(claims.hot),
        "sums": {name: str(most) for name, most in claims.sums.items()},
        "flat": {path: sorted(units) for path, units in claims.flat.items()},
        "ahead": claims.ahead,
    }


def _claims(told: Mapping[str, Any]) -> Claims:
    def numbers(given: Any) -> list[Fraction | None]:
        return [None if each is None else Fraction(each) for each in given]

    return Claims(
        {name: Claim(*numbers(each)) for name, each in told["semes"].items()},
        frozenset(told["single"]),
        frozenset(told["alike"]),
        {name: Fraction(gap) for name, gap in told["apart"].items()},
        frozenset(told["hot"]),
        {name: Fraction(most) for name, most in told["sums"].items()},
        {path: frozenset(units) for path, units in told["flat"].items()},
        told["ahead"],
    )
