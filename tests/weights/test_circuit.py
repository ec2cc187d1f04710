"""The edges of a program: who writes what that whom reads."""

import json
import xml.etree.ElementTree as ET

import pytest

import progtf
from progtf.views.circuit import draw

CHAIN = """
semes: a b c d
lexicon:
  x: +a
layer one:
  head up:
    at: -1
    value: a>b
  feedforward:
    c: b
layer two:
  feedforward:
    d: c & a
"""


def edges(circuit):
    return {
        (e.writer, e.reader, e.seme) for e in circuit.edges if not e.seme.startswith(("cos", "sin"))
    }


def test_edges_are_what_is_written():
    circuit = progtf.circuit(progtf.parse_program(CHAIN))
    assert edges(circuit) == {
        ("encoder.embedding", "encoder.one.head up", "a"),
        ("encoder.one.head up", "encoder.one.rules", "b"),
        ("encoder.one.rules", "encoder.two.rules", "c"),
        ("encoder.embedding", "encoder.two.rules", "a"),
    }
    assert [node.name for node in circuit.nodes][-1] == "encoder.two.rules"


def test_a_layer_that_repeats_reads_what_it_wrote():
    text = CHAIN.replace("layer two:", "layer two:\n  repeat: 2").replace(
        "d: c & a", "c: d\n    d: c"
    )
    found = edges(progtf.circuit(progtf.parse_program(text)))
    assert ("encoder.two.rules", "encoder.two.rules", "d") in found
    assert ("encoder.one.rules", "encoder.one.rules", "c") not in found


def test_decoders_read_the_encoder_through_keys_and_values_alone():
    circuit = progtf.circuit(progtf.load("examples/math/place_value.seme"))
    kinds = {node.name: node.kind for node in circuit.nodes}
    across = [
        e
        for e in circuit.edges
        if e.writer.startswith("encoder") and not e.reader.startswith("encoder")
    ]
    assert across
    assert all(kinds[edge.reader] == "cross" and {*edge.by} <= {"key", "value"} for edge in across)
    assert {e.reader for e in circuit.edges if e.seme == "hit"} == {"decoder.answer.head digit"}


@pytest.mark.parametrize(
    "file", ["math/place_value", "grammar/agreement", "euclid", "article/dense_layer"]
)
def test_every_form_says_the_same(file):
    circuit = progtf.circuit(progtf.load(f"examples/{file}.seme"))
    names = {node.name for node in circuit.nodes}
    assert len(names) == len(circuit.nodes)
    assert {end for pair in circuit.pairs() for end in pair} <= names
    data = json.loads(json.dumps(circuit.as_data()))
    assert len(data["edges"]) == len(circuit.edges)
    assert circuit.dot().count(" -> ") == len(circuit.pairs())
    picture = ET.fromstring(draw(circuit))
    assert len(picture.findall("{http://www.w3.org/2000/svg}path")) == len(circuit.pairs())


def test_networkx_gets_every_edge():
    networkx = pytest.importorskip("networkx")
    circuit = progtf.circuit(progtf.parse_program(CHAIN))
    graph = circuit.graph()
    assert graph.number_of_edges() == len(circuit.edges)
    assert networkx.is_directed_acyclic_graph(graph)
