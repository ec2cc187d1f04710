"""Training: written weights stay as they are, the rest learns."""
