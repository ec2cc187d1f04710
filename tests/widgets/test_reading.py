"""Reading in steps, two inputs, the glossary and the search, as readers use them."""

import json
import random

import pytest
from playwright.sync_api import expect

import progtf
from progtf.program.changes import EMBEDDING
from progtf.program.model import Layer
from progtf.views.program import describe, head_name
from progtf.weights.circuit import SCORES
from progtf.widgets import Playground, example
from tests.programs import EACH, loaded

pytestmark = pytest.mark.xdist_group("browser")

NOUNS = "article/attention_with_positions.seme"
WALK = (
    ("embedding", "dog comes in as"),
    ("query", "dog asks. Its query:"),
    ("key", "dog looks for one that fits its query."),
    ("score", "The score of a word is its key times the query of dog"),
    ("share", "Where no score is above 2.976, the null key takes all."),
    ("value", "What the words hold for who reads them:"),
    ("role", "multiplied by: black 1white 1"),
    ("written", "what the head writes to dog."),
    ("= noun_phrase", "dog is now"),
)
BLACK = ["black", "wanted 1place 1", "1·1 (wanted) + 2 (2 clocks) = 3", "1", "black 1", "+black"]
WHITE = [
    "white",
    "wanted 1place 3",
    "1·1 (wanted) + 0.7285 (2 clocks) = 1.729",
    "0",
    "white 1",
    "·",
]


def opened(mount, widget, panel):
    """A figure with one of its panels open, and that panel."""
    shown = mount(widget)
    titles = {"steps": "reading in steps", "compare": "two inputs", "glossary": "glossary of semes"}
    if not shown.get_by_test_id(panel).count():  # a small program is read in steps at once
        shown.locator("summary", has_text=titles[panel]).click()
    expect(shown.get_by_test_id(panel)).to_be_visible()
    return shown, shown.get_by_test_id(panel)


def test_a_token_is_walked_through_the_layers_by_arrow_keys(mount):
    shown, steps = opened(mount, Playground(example(NOUNS), "black dog white cat"), "steps")
    steps.focus()
    for number, (name, said) in enumerate(WALK):
        expect(steps.get_by_role("status")).to_have_text(f"{number + 1} of {len(WALK)}")
        expect(steps.locator("[aria-current]").last).to_have_text(name)
        expect(steps).to_contain_text(said)
        if name == "written":
            rows = [
                row.locator("th, td").all_inner_texts() for row in steps.locator("tbody tr").all()
            ]
            assert [rows[0], rows[2]] == [BLACK, WHITE]
            assert rows[4][:4] == ["nothing", "", "2.976", "0"]
            expect(shown.locator(".ptf-pointed-line")).to_have_text("  head colour:")
        shown.keyboard.press("ArrowRight")
    shown.keyboard.press("ArrowLeft")
    expect(steps.locator("[aria-current]").last).to_have_text("written")
    shown.keyboard.press("Home")
    expect(steps).to_contain_text("dog comes in as")
    steps.get_by_role("combobox").select_option(label="black (0)")
    shown.keyboard.press("End")
    expect(steps).to_contain_text("1 head writes nothing here.")


def test_the_walk_follows_the_token_that_is_locked_and_the_head_that_is_shown(mount):
    shown, steps = opened(mount, Playground(example("binding/with_roles.seme")), "steps")
    steps.focus()
    shown.keyboard.press("ArrowRight")
    other = steps.locator(".ptf-path").first.locator("button", has_text="/").last
    other.click()
    title = other.inner_text()
    chosen = shown.locator(".ptf-controls strong")
    expect(chosen).to_have_text(title)
    token = shown.get_by_test_id("residual").locator(".ptf-token").last
    token.click()
    expect(steps.get_by_role("combobox").locator("option:checked")).to_contain_text(
        token.inner_text()
    )


@pytest.mark.parametrize("name", [NOUNS, "binding/with_roles.seme", "attention/tallest.seme"])
def test_what_the_walk_says_is_written_is_what_the_residual_stream_gets(mount, name):
    shown, steps = opened(mount, Playground(example(name)), "steps")
    heads = 0
    for option in steps.get_by_role("combobox").locator("option").all_text_contents():
        steps.get_by_role("combobox").select_option(label=option)
        for place in range(steps.locator(".ptf-path").first.locator("button").count()):
            steps.locator(".ptf-path").first.locator("button").nth(place).click()
            title = steps.locator(".ptf-path [aria-current]").first.inner_text()
            if " / " not in title or title.endswith("rules"):
                continue
            steps.get_by_role("button", name="written").click()
            chips = steps.locator("tbody td:last-child .ptf-chip").all_inner_texts()
            row = (
                shown.get_by_test_id("residual")
                .locator("tbody tr")
                .nth(int(option.split("(")[-1][:-1]))
            )
            part = row.locator(".ptf-part", has_text=title.split(" / ")[1])
            assert sorted(chips) == sorted(part.locator(".ptf-chip").all_inner_texts())
            heads += 1
    assert heads > 0


def test_of_two_inputs_what_differs_is_marked(mount):
    shown, panel = opened(mount, Playground(example(NOUNS), "black dog white cat"), "compare")
    panel.get_by_test_id("other").fill("white dog white cat")
    expect(panel.get_by_test_id("differences")).to_have_text("2 semes differ, in 3 cells")
    sides = panel.locator("[aria-label='the input'], [aria-label='the other input']")
    for side, colour in zip(sides.all(), ("black", "white"), strict=True):
        marked = side.locator("td.ptf-differs").all_inner_texts()
        assert [text.split() for text in marked] == [
            ["+adjective", f"+{colour}"],
            ["+adjective", f"+{colour}"],
            ["+noun", f"+{colour}", "+dog"],
        ]
        pale = side.locator("td.ptf-differs .ptf-same").all_inner_texts()
        assert pale == ["+adjective", "+adjective", "+noun", "+dog"]
        assert side.locator(".ptf-mark").count() == 0
    panel.get_by_test_id("other").fill("black dog dog cat")  # then cat finds no adjective before it
    assert [side.locator(".ptf-mark").count() for side in sides.all()] == [1, 1]
    panel.get_by_test_id("other").fill("black dog white cat")
    expect(panel.get_by_test_id("differences")).to_have_text("Nothing differs.")
    assert panel.locator(".ptf-differs").count() == 0
    panel.get_by_test_id("other").fill("wug")
    expect(panel.get_by_test_id("differences")).to_contain_text("wug, is not in the lexicon")
    shown.get_by_test_id("input").fill("black cat")
    panel.get_by_test_id("other").fill("black dog black cat")
    expect(sides.last.locator("th.ptf-differs")).to_have_text(["dog", "black"])


def test_tokens_of_two_texts_are_paired_as_far_as_they_can_be(mount):
    shown, some = mount(Playground(example(NOUNS))), random.Random(7)
    texts = [[some.choice("abc") for _ in range(some.randrange(9))] for _ in range(400)]
    pairs = [*zip(texts[::2], texts[1::2], strict=True)]
    found = shown.evaluate(
        "pairs => pairs.map(([one, other]) => progtf.aligned(one, other))", pairs
    )
    for (one, other), (there, back) in zip(pairs, found, strict=True):
        partners = [j for j in there if j is not None]
        assert partners == sorted(set(partners))
        assert [back[j] for j in partners] == [i for i, j in enumerate(there) if j is not None]
        if len(one) == len(other):
            assert there == [*range(len(one))]
        else:
            alike = sum(j is not None and one[i] == other[j] for i, j in enumerate(there))
            assert alike == common(one, other)


def common(one, other):
    """The length of the longest sequence that two lists share."""
    last = [0] * (len(other) + 1)
    for token in one:
        row = [0]
        for place, each in enumerate(other):
            row.append(last[place] + 1 if token == each else max(row[-1], last[place + 1]))
        last = row
    return last[-1]


GLOSSARY = """program => [...progtf.glossary(program)].flatMap(([seme, found]) =>
  Object.entries(found).flatMap(([way, places]) =>
    [...places.keys()].map(place => [way, place, seme])))"""


@pytest.mark.parametrize("path", EACH)
def test_the_glossary_says_what_the_weights_say(empty, path):
    program = loaded(path)
    described = without_zeros(json.loads(json.dumps(describe(program))))
    found = {tuple(one) for one in empty[0].evaluate(GLOSSARY, described)}
    nodes = progtf.circuit(program).nodes
    called = [node.name for node in nodes if node.kind in ("head", "cross", "rules")]
    places = dict(zip(called, parts(program), strict=True))
    places[SCORES] = "classify" if program.classify else "output"
    expected = {one for node in nodes for one in mentions(node, places.get(node.name))}
    assert {one for one in found if one[1].split()[0] not in ("lexicon", "cell")} == {
        one for one in expected if one[2] in program.space.names[: program.semes]
    }
    if described["cut"] is None:
        given = {seme for node in nodes if node.kind == EMBEDDING for seme in node.writes}
        told = {one[2] for one in found if one[1] == "lexicon"}
        guessed = {seme for vector in program.spelled for seme in vector}  # of unlisted words
        assert told | guessed == given & {*program.space.names[: program.semes]}


def mentions(node, place):
    """What a node writes and reads, as the glossary has it."""
    if place is not None:
        yield from (("writes", place, seme) for seme in node.writes)
        yield from (("reads", place, seme) for each in node.reads.values() for seme in each)


def without_zeros(described):
    """A description without coefficients that are 0, which the weights do not have."""
    if isinstance(described, dict):
        return {k: without_zeros(v) for k, v in described.items() if v != 0 or k == "lexicon"}
    return [without_zeros(each) for each in described] if isinstance(described, list) else described


def parts(program):
    """What figures call heads and rules, in the order in which they run."""
    for stage in (*program.encoder, *program.decoder):
        if not isinstance(stage, Layer):
            yield stage.name or "dense"
            continue
        for place, head in enumerate((*stage.heads, *stage.cross)):
            yield f"{stage.name or 'layer'} / {head_name(head, place)}"
        if stage.feedforward is not None:
            yield f"{stage.name or 'layer'} / rules"


def test_the_glossary_leads_to_lines_and_finds_names(mount):
    shown, glossary = opened(mount, Playground(example("language/grammaticality.seme")), "glossary")
    glossary.get_by_role("textbox").fill("weird.agr")
    rows = glossary.locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.locator("th")).to_have_text("weird.agreement")
    expect(rows.locator("td").last).to_contain_text("classify")
    rows.get_by_role("button", name="line").click()
    line = int(rows.get_by_role("button", name="line").inner_text().split()[1])
    written = example("language/grammaticality.seme").read_text().split("\n")[line - 1]
    assert "weird" in written
    expect(shown.locator(".cm-content")).to_be_focused()
    expect(shown.locator(".cm-activeLine")).to_have_text(written)


def test_a_program_is_searched(mount):
    shown = mount(Playground(example(NOUNS)))
    shown.locator(".cm-content").click()
    shown.keyboard.press("Control+f")
    field = shown.get_by_role("textbox", name="Find")
    expect(field).to_be_focused()
    shown.keyboard.type("keypos")
    shown.keyboard.press("Enter")
    expect(shown.locator(".cm-searchMatch-selected")).to_have_text("keypos")
    shown.keyboard.press("Escape")
    expect(field).to_have_count(0)
    expect(shown.locator(".cm-content")).to_be_focused()
    shown.get_by_role("button", name="find").click()
    expect(field).to_be_focused()
