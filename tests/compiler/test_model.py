"""Texts in, texts out."""

from pathlib import Path

from progtf.compiler.compile import compile as compiled
from progtf.program.load import analyse

PROGRAM = """
model:
  kind: seq2seq
  tokens: chars
  length: 4 -> 2
semes:
  begin vowel heard
lexicon:
  a: +vowel
  unknown: 0
  <bos>: +begin
decoder:
  layer:
    head:
      from: encoder
      when: begin
      where: vowel
      value: +heard
output:
  Y: 2heard
  N: 2begin - 4heard
  <eos>: 1 - 2begin
"""


def test_what_a_program_only_writes_it_reads_as_unknown() -> None:
    program, found = analyse(PROGRAM, "heard", Path())
    assert program is not None, found
    assert compiled(program).run(["a", "YaN", "YN", "NY"]) == ["Y", "Y", "N", "N"]
