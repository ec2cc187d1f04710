"""What the kernel proves is answered as it is meant, or a text breaks a condition that is named."""

import pytest

import progtf
from progtf.building.load import parse_program
from progtf.exact.kept import broken
from progtf.exact.kernel.numbers import NotProven
from progtf.exact.proving import proof_of
from progtf.program.formats import FormatError
from progtf.running.interpret import Interpreter
from tests.exact.meant import cases
from tests.exact.test_kept import said

CASES = {name: rest for name, *rest in cases()}


@pytest.mark.parametrize("name", CASES)
def test_a_proven_network_says_what_is_meant_or_a_condition_is_broken(name):
    text, dtype, texts = CASES[name]
    program = parse_program(text)
    try:
        made = proof_of(program, dtype)
    except (NotProven, FormatError):
        return
    meant, network = Interpreter(program), progtf.compile(program, dtype)
    for each in texts:
        due = said(meant, each)
        if due == "InputError" or said(network, each) == due:
            continue
        given = meant.read([each])[0]
        assert broken(meant, given, made.held), each
