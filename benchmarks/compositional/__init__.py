"""SCAN and COGS: what is written, and what is learned beside it or from scratch."""
