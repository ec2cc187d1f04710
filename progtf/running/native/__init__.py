"""The interpreter in C: the same answers, sooner; what it leaves aside numpy answers."""
