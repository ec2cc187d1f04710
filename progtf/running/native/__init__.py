"""The interpreter in C: the same answers, sooner; what it leaves aside numpy answers."""

from progtf.running.native.engine import Engine, Told, engine_of

__all__ = ["Engine", "Told", "engine_of"]
