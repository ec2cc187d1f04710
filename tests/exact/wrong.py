"""Programs made wrong on purpose; each answers wrongly somewhere, and is refused."""

SHARPNESS_TOO_LOW = """\
model:
  length: 64
semes: noun adjective red seen found
lexicon:
  red: +adjective +red
  dog: +noun
  unknown: 0
layer:
  head colour:
    query: noun>wanted
    key: adjective>wanted
    else: 0
    sharpness: 4
    value: red>seen
  feedforward:
    found: seen & noun
classify:
  RED: found
  otherwise: NO
"""

LADDER_TOO_SHORT = """\
model:
  length: 60
semes: noun red seen
clocks: /6 /60.02
lexicon:
  red: +red
  dog: +noun
  unknown: 0
layer:
  head before:
    at: -1
    value: red>seen
"""

PAST_BFLOAT16 = """\
model:
  kind: dense
semes:
  total: 0..1000
  large
layer:
  feedforward:
    large: total >= 777
"""

KEYS_THAT_TIE = """\
semes: noun adjective big
  size: 0..9
lexicon:
  tall:  +adjective +9size
  tiny:  +adjective +2size
  dog:   +noun
  unknown: 0
layer:
  head size:
    query: noun>wanted
    key: adjective>wanted
    else: 0
    value: size>size
    role: noun>size
layer:
  feedforward:
    big: size >= 6
"""

LEAK_GROWS = """\
model:
  length: 8
semes: noun adjective red seen found
lexicon:
  red: +adjective +red
  dog: +noun
  unknown: 0
layer:
  head colour:
    query: noun>wanted
    key: adjective>wanted
    else: 0
    sharpness: 10
    value: red>seen
  feedforward:
    found: seen & noun
classify:
  RED: found
  otherwise: NO
"""
