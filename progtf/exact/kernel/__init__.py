"""A small checker of proofs: what a network promises, derived with the standard library alone."""
