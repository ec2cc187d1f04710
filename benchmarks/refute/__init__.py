"""An attack on certificates: programs are written at random, and what `check` promises is tried.

``python -m benchmarks.refute --certificates 20000 --seed 0 --minutes 30 --out DIR`` writes programs
with all constructs, asks for a certificate in every number format, and searches for an input on
which the network and the interpreter differ, or a gap is smaller than promised. What it finds is
written to DIR, made as small as it can be. ``--flaws all`` puts mistakes into the checker, one by
one, and shows that each of them is found within a minute.

```
written ──▶ text ──▶ check ──▶ attack: inputs ──▶ meant (interpreter), got (network) ──▶ differences
```
"""
