"""How far a few values travel through the package, and how often they come back to a file.

python scripts/journeys.py [--list] [--from FILE:FUNCTION:PARAMETER]

A journey begins at a parameter of a function and follows, in the code as it is written, the calls
that pass the traveller on. Nothing is run: every branch is walked, one after the other.

- The traveller is the parameter and what is made of it: its attributes and items, what a loop over
  it gives, what is assigned from it, what a call gives back into which it went whole (not only an
  attribute of it), and an object that holds it, as ``self`` after ``self.run = run``. Numbers,
  comparisons and the names of a tuple that is assigned are not followed.
- A call passes it on as an argument, or as the object whose method is called. The function is found
  by the file's names and imports; a method by the module or class before the dot, or by the class
  of the name before it: that of ``x: Class``, of ``x = Class(...)``, or ``self``'s; then in its
  bases. To make an object is to enter its ``__init__``. Other calls are not followed.
- Depth first: a call is entered where it stands. A function is followed once, by the parameters by
  which it is entered first; later calls only step in.

A stay is one or more entries into a file in a row, and each stay in a file after the first is a
return: stays = files + returns. To come back out of a call is no entry.
"""

import argparse
import ast
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
STARTS = {
    "a text to its answer": "progtf/cli/run.py:_runner:file",  # the file that makes what answers
    "a program through check": "progtf/exact/checked.py:check:program",
    "a run of training": "progtf/training/setup.py:set_up:run",  # up to its first step
}
"""Where journeys begin, as FILE:FUNCTION:PARAMETER: to be changed when files move."""
NUMBERS = {"bool", "float", "int", "None"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.comprehension
Place = tuple[str, str]
"""A file and a name in it, as ``Class.method``; a module itself has the name ``""``."""


class Code:
    """The files of a package: what they define, and what they import from each other."""

    def __init__(self, root: Path, package: str) -> None:
        paths = sorted((root / package).rglob("*.py"))
        self.texts = {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8") for p in paths}
        self.nodes: dict[Place, ast.stmt] = {}
        self.imports: dict[Place, tuple[str, str]] = {}
        for file, tree in ((file, ast.parse(text)) for file, text in self.texts.items()):
            self._define(file, "", tree.body)
            for node in (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)):
                for name in node.names:
                    self.imports[file, name.asname or name.name] = (node.module or "", name.name)

    def _define(self, file: str, owner: str, body: Iterable[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, Function | ast.ClassDef):
                self.nodes[file, owner + node.name] = node
                if isinstance(node, ast.ClassDef):
                    self._define(file, f"{owner}{node.name}.", node.body)

    def _module(self, dotted: str) -> str | None:
        path = dotted.replace(".", "/")
        return next((f for f in (f"{path}.py", f"{path}/__init__.py") if f in self.texts), None)

    def find(self, file: str, name: str) -> Place | None:
        """What a name of a file means: a function, a class or a module of the package."""
        if (file, name) in self.nodes:
            return file, name
        module, there = self.imports.get((file, name), ("", ""))
        if whole := self._module(f"{module}.{there}"):
            return whole, ""
        origin = self._module(module)
        return self.find(origin, there) if origin and (origin, there) != (file, name) else None

    def member(self, holder: Place, name: str) -> Place | None:
        """A name of a module, or a method of a class or of its bases."""
        file, owner = holder
        if not owner:
            return self.find(file, name)
        if (file, f"{owner}.{name}") in self.nodes:
            return file, f"{owner}.{name}"
        bases = [b.id for b in getattr(self.nodes[holder], "bases", ()) if isinstance(b, ast.Name)]
        found = [base for name in bases if (base := self.find(file, name))]
        return next((method for base in found if (method := self.member(base, name))), None)

    def parameters(self, place: Place) -> list[ast.arg]:
        """The parameters of a function, ``self`` among them; none of anything else."""
        node = self.nodes.get(place)
        if not isinstance(node, Function):
            return []
        return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


class Journey:
    """The stays of a traveller: of each, the function by which it enters the file."""

    def __init__(self, code: Code, start: str) -> None:
        before, _, parameter = start.rpartition(":")
        file, _, function = before.partition(":")
        if parameter not in [p.arg for p in code.parameters((file, function))]:
            raise SystemExit(f"{start}: there is no FILE with such a FUNCTION and PARAMETER")
        self.code, self.stays, self.followed = code, list[Place](), set[Place]()
        self.enter((file, function), {parameter})

    def enter(self, place: Place, carried: set[str]) -> None:
        """Steps into a function by some of its parameters; the first time, follows it."""
        if not self.stays or self.stays[-1][0] != place[0]:
            self.stays.append(place)
        if place not in self.followed:
            self.followed.add(place)
            _Body(self, place, carried)

    def __str__(self) -> str:
        stays, files = len(self.stays), len({file for file, _ in self.stays})
        return f"{stays} stays, {files} files, {stays - files} returns"


class _Body:
    """A function's body, walked in the order in which it computes."""

    def __init__(self, journey: Journey, place: Place, carried: set[str]) -> None:
        self.journey, self.code, self.file = journey, journey.code, place[0]
        self.mine = set(carried)  # what carries the traveller: names, and attributes as `self.run`
        self.types: dict[str, Place | None] = {}
        for parameter in self.code.parameters(place):
            self.types[parameter.arg] = self._type(parameter.annotation)
            if parameter.arg in ("self", "cls"):
                self.types[parameter.arg] = self.file, place[1].rpartition(".")[0]
        for statement in getattr(self.code.nodes[place], "body", ()):
            self._walk(statement)

    def _walk(self, node: ast.AST) -> None:
        value, targets = _assigned(node)
        if value is not None:  # before what is done with it
            self._walk(value)
            self._assign(targets, value, None if isinstance(node, Loop) else self._type(value))
        rest = [child for child in ast.iter_child_nodes(node) if child is not value]
        for child in sorted(rest, key=lambda child: not isinstance(child, ast.comprehension)):
            self._walk(child)
        if isinstance(node, ast.Call):
            self._call(node)

    def _assign(self, targets: list[ast.expr], value: ast.expr, kind: Place | None) -> None:
        for target in targets:
            if isinstance(target, ast.Name):
                self.types[target.id] = kind
            if self._carries(value):
                self.mine |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
                self.mine.add(ast.unparse(target))

    def _carries(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in self.mine:
            return True
        parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
        if isinstance(node, ast.Call):
            given = [*node.args, *(word.value for word in node.keywords)]
            given += [node.func.value] if isinstance(node.func, ast.Attribute) else []
            whole = [e for e in given if not isinstance(e, ast.Attribute)]
            parts = [*whole, *(e for e in given if ast.unparse(e) in self.mine)]
        return not isinstance(node, ast.Compare) and any(map(self._carries, parts))

    def _type(self, node: ast.AST | None) -> Place | None:
        """The class of a value or annotation, as far as it is known; a class or module itself."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.code.find(self.file, node.value)
        if isinstance(node, ast.Name):
            known = node.id in self.types
            return self.types[node.id] if known else self.code.find(self.file, node.id)
        made = self._called(node.func) if isinstance(node, ast.Call) else None
        return made if made and isinstance(self.code.nodes.get(made), ast.ClassDef) else None

    def _called(self, node: ast.expr) -> Place | None:
        if isinstance(node, ast.Attribute):
            holder = self._type(node.value)
            return self.code.member(holder, node.attr) if holder else None
        return self._type(node) if isinstance(node, ast.Name) else None

    def _call(self, call: ast.Call) -> None:
        place = self._called(call.func)
        own = call.func.value if isinstance(call.func, ast.Attribute) else None
        if place and isinstance(self.code.nodes.get(place), ast.ClassDef):
            place, own = self.code.member(place, "__init__"), None
        parameters = self.code.parameters(place) if place else []
        own = [own] if parameters and parameters[0].arg in ("self", "cls") else []
        given = dict(zip((p.arg for p in parameters), [*own, *call.args], strict=False))
        given |= {word.arg: word.value for word in call.keywords}
        passed = {p.arg: given.get(p.arg) for p in parameters if not _is_number(p)}
        carried = {name for name, value in passed.items() if value and self._carries(value)}
        if place and carried:
            self.journey.enter(place, carried)


def _assigned(node: ast.AST) -> tuple[ast.expr | None, list[ast.expr]]:
    """The value of an assignment, a loop or a ``with``, and what it is assigned to."""
    if isinstance(node, Loop):
        return node.iter, [node.target]
    if isinstance(node, ast.withitem):
        return node.context_expr, [node.optional_vars] if node.optional_vars else []
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return node.value, [t for t in targets if not isinstance(t, ast.Tuple)]
    return None, []


def _is_number(parameter: ast.arg) -> bool:
    return parameter.annotation is not None and (
        set(ast.unparse(parameter.annotation).split(" | ")) <= NUMBERS
    )


def main() -> None:
    """Prints a line for each journey, and the length of the package."""
    parser = argparse.ArgumentParser(description="How values travel through the package.")
    parser.add_argument("--from", dest="start", metavar="FILE:FUNCTION:PARAMETER")
    parser.add_argument("--list", action="store_true", help="print every stay, in order")
    asked = parser.parse_args()
    starts = {asked.start: asked.start} if asked.start else STARTS
    package = next(iter(starts.values())).partition("/")[0]
    code = Code(ROOT, package)
    for name, start in starts.items():
        journey = Journey(code, start)
        print(f"{name}: {journey}")
        for number, (file, function) in enumerate(journey.stays if asked.list else (), start=1):
            print(f"{number:5} {file}: {function}")
    lines = sum(text.count("\n") for text in code.texts.values())
    print(f"{package}/: {lines:,} lines of Python")


if __name__ == "__main__":
    main()
