"""The commands by name: each is imported when somebody asks for it."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from progtf.texts import given

MARKUP = "markdown"
ABOUT = "about"
"""The function of a module that says what its group of commands is for."""


class Place(NamedTuple):
    """Where a command is: a module beside this one, and the function in it.

    ``settings``: how it reads its line; None for a group, the module's ``app``.
    """

    module: str
    function: str
    settings: dict[str, Any] | None


def _place(module: str, function: str = "", **settings: Any) -> Place:
    return Place(module, function or module, settings)


COMMANDS = {
    "run": _place("run", context_settings={"ignore_unknown_options": True}),  # `-3` is a text
    "test": _place("examples", "test"),
    "check": _place("checking", "check"),
    "fmt": _place("formatting", "fmt"),
    "compile": _place("build", "compile_"),
    "decompile": _place("build", "decompile"),
    "diff": _place("build", "diff"),
    "eval": _place("evaluate"),
    "pairs": _place("pairs"),
    "patch": _place("patch"),
    "circuit": _place("circuit"),
    "train": _place("train"),
    "adopt": _place("adopt"),
    "solve": _place("solve"),
    "answer": _place("answer"),
    "roles": _place("roles"),
    "probe": _place("probe"),
    "hadamard": _place("hadamard"),
    "export": _place("pages", "export"),
    "notebook": _place("pages", "notebook"),
    "lsp": _place("editors", "lsp"),
    "data": Place("data", ABOUT, None),
    "cache": Place("outcome", ABOUT, None),
}


class Command(TyperCommand):
    """A command; texts come to it in normal form, paths as they are."""

    def invoke(self, ctx: Any) -> Any:
        """Calls the function with what was given."""
        ctx.params = {name: _as_given(value) for name, value in ctx.params.items()}
        return super().invoke(ctx)


def _as_given(value: Any) -> Any:
    if isinstance(value, str):
        return given(value)
    return [*map(_as_given, value)] if isinstance(value, list) else value


class Commands(TyperGroup):
    """A group that imports the command that is called, and to list them none of them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]
        self.listed = False

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; while they are listed, what is said of it."""
        del ctx
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        return TyperCommand(cmd_name, help=_said(place)) if self.listed else _made(cmd_name, place)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help of the whole group."""
        self.listed = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self.listed = False


def _made(name: str, place: Place) -> Any:
    module = import_module(f"progtf.cli.{place.module}")
    if place.settings is None:
        app = module.app
    else:
        app = typer.Typer(add_completion=False, rich_markup_mode=MARKUP)
        app.command(name, cls=Command, **place.settings)(getattr(module, place.function))
    return typer.main.get_command(app)


def _said(place: Place) -> str:
    """What the function says that it does, read off its text."""
    found = find_spec(f"progtf.cli.{place.module}")
    assert found is not None
    assert found.origin is not None
    for node in ast.parse(Path(found.origin).read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name == place.function:
            return ast.get_docstring(node) or ""
    raise AttributeError(f"{place.module} has no function {place.function}")
