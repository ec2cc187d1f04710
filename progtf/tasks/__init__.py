"""Tasks with parts of their own: what is read, solved and judged otherwise than as texts."""
