"""Tasks of a class: what is no task is refused, with what is wrong with it."""

from pathlib import Path

import pytest

from progtf.cli.messages import UserError
from progtf.cli.task import KEYS, read_task, task_body
from progtf.notation.render import SemeError

START = """\
semes: dog cat
lexicon:
  dog: +dog
  cat: +cat
score:
  pool: max
  value: dog
"""
SOLUTION = START.replace("max", "sum") + "examples:\n  dog dog -> 2\n"
GOOD = {"title": "Dogs", "wanted": "How many.", "start": START, "solution": SOLUTION}


def written(folder: Path, **changed: str) -> Path:
    file = folder / "dogs.toml"
    said = {**GOOD, **changed}
    file.write_text("".join(f"{key} = '''\n{text}'''\n" for key, text in said.items()))
    return file


def test_a_task_is_four_texts_and_its_page_has_no_solution(tmp_path):
    task, body = task_body(written(tmp_path), "python/")
    assert (task.title, task.start, task.solution) == ("Dogs", START, SOLUTION)
    assert "dog dog" in body
    assert "pool: max" in body
    assert "pool: sum" not in body


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"wanted": ""}, "`wanted` is missing, or no text"),
        ({"hint": "none"}, "a task has no `hint`; a task has title, wanted, start, solution"),
        ({"solution": START}, "has no `examples:`"),
        ({"solution": SOLUTION.replace("-> 2", "-> 3")}, "its own example in line 9"),
        ({"start": SOLUTION}, "meets all hidden examples"),
    ],
)
def test_what_is_no_task_is_refused(tmp_path, changed, why):
    with pytest.raises(UserError, match=r"dogs\.toml") as told:
        task_body(written(tmp_path, **changed), "python/")
    assert why in str(told.value)


@pytest.mark.parametrize(
    "text", ["semes: a\n", "title = 1\n", "title = 'a'\n", "a = " + "[" * 9999]
)
def test_a_file_of_another_kind_is_refused(tmp_path, text):
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=rf"a\.toml.*a task has {', '.join(KEYS)}"):
        read_task(file)


@pytest.mark.parametrize("key", ["start", "solution"])
def test_a_mistake_in_a_program_of_a_task_is_told_with_its_text(tmp_path, key):
    wrong = written(tmp_path, **{key: GOOD[key].replace("value: dog", "value: dgo")})
    with pytest.raises(SemeError, match=rf"dogs\.toml: {key}:7.*\n?.*") as told:
        task_body(wrong, "python/")
    assert f"the text `{key}`" in told.value.__notes__[0]
