"""``std/slots.seme``: words come out in the order of their slots, list after list."""

import random

import pytest

import progtf

WALK = """
use "std/slots.seme"

model:
  kind: seq2seq
  length: 20 -> 18

let order = [c, a, b]

semes:
  BEGIN fills[order] opens is["a".."c"]
  count: 0..1 step 1/64
  unit: 0..1 step 1/64
  list[1..4]
  mean[order]: 0..1 step 1/64
  filled[order]
  before: 0..1 step 1/64
  part: 0..1 step 1/64
  start: 0..17
  number: 0..3
  from.start: 0..17
  at[0..17]
  share: 0..1 step 1/1024
  step[0..17]
  say["a".."c"]

lexicon:
  for x in "abc":
    "{x}": +fills["{x}"] +is[x]
  "/":   +opens
  <bos>: +BEGIN +opens
  <eos>: 0

encoder:
  layer lists:
    head count:
      look: upto
      value: opens>count, BEGIN>unit
    feedforward:
      for k in 1..4:
        list[k]: count - {k}unit = 0
  layer fill:
    use filled_slots(order, [fills], list, mean, filled)
    use list_starts([fills], opens, BEGIN, before, part, start, 17)
  layer number:
    head start:
      look: upto
      nearest: opens
      value: start>from.start
    use slots_before(order, fills, filled, number)
    feedforward:
      for k in 0..17:
        at[k]: any fills & from.start + number = {k}

decoder:
  layer time:
    use steps(BEGIN, share, step, 17)
  layer fetch:
    head word:
      from: encoder
      match: step ~ at
      value: is>say

output:
  for x in "abc":
    "{x}": say[x]
  <eos>: 0.5
"""


@pytest.fixture(scope="module")
def walk():
    return progtf.compile(progtf.parse_program(WALK))


def test_words_come_out_in_the_order_of_their_slots(walk):
    choice = random.Random(5)
    lists = [
        [choice.sample("abc", choice.randint(0, 3)) for _ in range(choice.randint(1, 4))]
        for _ in range(60)
    ]
    lists = [some for some in lists if any(some)]
    texts = [" / ".join(" ".join(words) for words in some) for some in lists]
    due = [" ".join(w for words in some for w in sorted(words, key="cab".index)) for some in lists]
    assert walk.run(texts) == due
