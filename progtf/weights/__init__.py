"""The weights of a network by name: the one form between programs and networks. No torch."""
