"""Lark's tables of the grammar: made once and kept, since most programs are read sooner."""

import io
import pickle
import sys
from typing import Any

from lark import Lark
from lark import __version__ as lark_version

from progtf.cache import Cache, library
from progtf.content import key_of
from progtf.notation.builders import NodeBuilder
from progtf.notation.grammar import grammar_text

_Lark: Any = Lark  # of which `load` and `save` have no types


def tabled(starts: list[str]) -> Lark:
    """The reader of the grammar, with a NodeBuilder as its transformer.

    Args:
        starts: the rules that a line can be read by.
    """
    kept, key = Cache.of_user(), _key(starts)
    held = kept.read(key)
    if held is not None:
        try:
            return _Lark.load(_Tables(io.BytesIO(held)).load())
        except (pickle.UnpicklingError, EOFError):
            pass  # nobody's
    made, file = _made(starts), io.BytesIO()
    _Lark.save(made, file)
    kept.write(key, file.getvalue())
    return made


def _made(starts: list[str]) -> Lark:
    builder = NodeBuilder()
    return Lark(
        grammar_text(), parser="lalr", start=starts, transformer=builder, maybe_placeholders=True
    )


def _key(starts: list[str]) -> str:
    return key_of("tables", library(), grammar_text(), *starts, lark_version, sys.version)


class _Tables(pickle.Unpickler):
    """Numbers, words and an empty builder: a file that names anything else is not read."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) != (NodeBuilder.__module__, NodeBuilder.__name__):
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of tables")
        return NodeBuilder
