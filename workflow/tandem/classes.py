"""Classes that derive from another, found in source files that are not imported."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple


class ClassName(NamedTuple):
    """A class by the dotted name of its module and its own name."""

    module: str
    name: str


def kind_class(module: str, base: type, roots: Sequence[Path]) -> str | None:
    """Return the last public class of a module that derives from `base`, or None.

    Bases are followed from module to module, by import, as far as the files stand under `roots`,
    the folders that hold packages.
    """
    sought = ClassName(base.__module__, base.__qualname__)
    names = [
        node.name
        for node in _Module.read(module, tuple(roots)).classes.values()
        if not node.name.startswith("_")
        and ClassName(module, node.name) != sought
        and _derives(ClassName(module, node.name), sought, tuple(roots))
    ]
    return names[-1] if names else None


def _derives(candidate: ClassName, sought: ClassName, roots: tuple[Path, ...]) -> bool:
    """Whether a class is the one that is sought, or a base of it is."""
    waiting, seen = [candidate], set[ClassName]()
    while waiting:
        if (current := waiting.pop()) == sought:
            return True
        if current not in seen:
            seen.add(current)
            waiting += _Module.read(current.module, roots).bases(current.name)
    return False


class _Module(NamedTuple):
    """What the syntax tree of a module says of classes.

    Attributes:
        name: dotted.
        classes: those at its top level, by name.
        imports: the dotted name of what each imported name stands for.
    """

    name: str
    classes: dict[str, ast.ClassDef]
    imports: dict[str, str]

    @classmethod
    def read(cls, name: str, roots: tuple[Path, ...]) -> _Module:
        """Read the file of a module; one without a file under the roots counts as empty."""
        stems = [root.joinpath(*name.split(".")) for root in roots]
        files = [file for stem in stems for file in (stem / "__init__.py", stem.with_suffix(".py"))]
        path = next((file for file in files if file.is_file()), None)
        if path is None:
            return cls(name, {}, {})
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        return cls(name, *_parsed(path, package, path.stat().st_mtime_ns))

    def bases(self, name: str) -> list[ClassName]:
        """Return the bases of one of its classes, or where an imported one is from."""
        if name not in self.classes:
            return [_split(self.imports[name])] if name in self.imports else []
        return [self._resolved(base) for base in self.classes[name].bases]

    def _resolved(self, base: ast.expr) -> ClassName:
        """Return the class that an expression such as `Table` or `table.Table` stands for."""
        if isinstance(base, ast.Subscript):  # a generic class, with what fills it
            base = base.value
        first, _, rest = ast.unparse(base).partition(".")
        if first not in self.imports:
            return ClassName(self.name, first)
        return _split(".".join(filter(None, (self.imports[first], rest))))


def _split(dotted: str) -> ClassName:
    module, _, name = dotted.rpartition(".")
    return ClassName(module, name)


@cache
def _parsed(
    path: Path, package: str, modified_ns: int
) -> tuple[dict[str, ast.ClassDef], dict[str, str]]:
    """Return the classes and the imports of a file; `modified_ns` marks one that is edited."""
    tree = ast.parse(path.read_bytes(), str(path))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {alias.asname: alias.name for alias in node.names if alias.asname}
            imports |= {(top := a.name.partition(".")[0]): top for a in node.names if not a.asname}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = [*(above if node.level else []), *filter(None, [node.module])]
            imports |= {a.asname or a.name: ".".join([*base, a.name]) for a in node.names}
    return classes, imports
