"""A few thousand random and mutated texts; ``python -m benchmarks.fuzz_notation`` times 20,000."""

from benchmarks.fuzz_notation import run


def test_no_text_ends_in_a_traceback():
    outcome = run(2500, seed=20)
    assert outcome.texts == 2500
    assert outcome.programs > 0
