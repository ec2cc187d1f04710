"""Ranges of numbers on the command line."""

MOST = 2**31 - 1
"""The largest whole number of an option that has no reason for another."""
