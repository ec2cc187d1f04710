"""SQuAD v1.1 as run files read it: its development set, whose articles are divided anew.

The figures of this project are of that set alone: some of its articles are trained on, and others
are asked. Its questions have several answers each, those of the training set one.
"""

import gzip
import json
from collections.abc import Mapping
from typing import Any

from progtf.data.errors import DataError
from progtf.data.prepared import as_they_are

DEVELOPMENT = "dev-v1.1.json"
ASKED = frozenset({
    "Chloroplast", "Newcastle_upon_Tyne", "Scottish_Parliament", "Steam_engine",
    "United_Methodist_Church", "Victoria_and_Albert_Museum",
})  # fmt: skip
"""The articles of `dev.jsonl.gz`."""
TRAINED = frozenset({
    "1973_oil_crisis", "Amazon_rainforest", "American_Broadcasting_Company", "Apollo_program",
    "Civil_disobedience", "Computational_complexity_theory", "Construction", "Ctenophora",
    "Doctor_Who", "Economic_inequality", "European_Union_law", "Force", "Fresno,_California",
    "Genghis_Khan", "Geology", "Harvard_University", "Huguenot", "Immune_system", "Imperialism",
    "Islamism", "Jacksonville,_Florida", "Kenya", "Martin_Luther", "Nikola_Tesla", "Normans",
    "Oxygen", "Packet_switching", "Pharmacy", "Prime_number", "Private_school", "Rhine",
    "Sky_(United_Kingdom)", "Super_Bowl_50", "Teacher", "Victoria_(Australia)", "Yuan_dynasty",
})  # fmt: skip
"""Those of `train.jsonl.gz`; all others are in `test.jsonl.gz`."""


def squad(originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of SQuAD, and passages a line of its development set, by article.

    Raises:
        DataError: It has not the form of SQuAD.
    """
    found = as_they_are(originals)
    lines: dict[str, list[str]] = {"train": [], "dev": [], "test": []}
    try:
        for article in json.loads(found[DEVELOPMENT])["data"]:
            name = _called(article["title"])
            for paragraph in article["paragraphs"]:
                said = {"article": name, "context": paragraph["context"]}
                said["qas"] = [_question(each) for each in paragraph["qas"]]
                lines[_part_of(name)].append(json.dumps(said, ensure_ascii=False))
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise DataError(f"no passages of SQuAD: {error}", DEVELOPMENT) from None
    for part, some in lines.items():
        text = "".join(f"{line}\n" for line in some)
        found[f"{part}.jsonl.gz"] = gzip.compress(text.encode(), mtime=0)
    return found


def _question(said: Mapping[str, Any]) -> dict[str, Any]:
    answers = [answer["text"] for answer in said["answers"]]
    return {"id": said["id"], "question": said["question"], "answers": answers}


def _called(title: str) -> str:
    return title.replace(" ", "_")


def _part_of(article: str) -> str:
    if article in TRAINED:
        return "train"
    return "dev" if article in ASKED else "test"
