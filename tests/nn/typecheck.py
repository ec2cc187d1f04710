"""Run-time type checks in which a float may be given as an int, as in Python's own typing."""

from beartype import BeartypeConf, beartype

check = beartype(conf=BeartypeConf(is_pep484_tower=True))
