"""Experiments: what writing a part of a network does for training the rest."""
