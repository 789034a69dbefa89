"""Classes that derive from another, found in source files that are not imported."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path


def kind_class(module: str, base: type, roots: Sequence[Path]) -> str | None:
    """Return the last public class of a module that derives from `base`, or None.

    Bases are followed from module to module, by import, as far as the files stand under `roots`,
    the folders that hold packages.
    """
    sought = f"{base.__module__}.{base.__qualname__}"
    for name in reversed(_read(module, roots)[0]):
        dotted = f"{module}.{name}"
        if not name.startswith("_") and dotted != sought and _derives(dotted, sought, roots):
            return name
    return None


def _derives(candidate: str, sought: str, roots: Sequence[Path]) -> bool:
    """Whether a class, by its dotted name, is the one that is sought, or a base of it is."""
    waiting, seen = [candidate], set[str]()
    while waiting:
        if (current := waiting.pop()) == sought:
            return True
        if current not in seen:
            seen.add(current)
            module, _, name = current.rpartition(".")
            waiting += _read(module, roots)[1].get(name, [])
    return False


def _read(module: str, roots: Sequence[Path]) -> tuple[list[str], dict[str, list[str]]]:
    """Read the file of a module, as `_parsed` does; one without a file counts as empty."""
    stems = [root.joinpath(*module.split(".")) for root in roots]
    files = [file for stem in stems for file in (stem / "__init__.py", stem.with_suffix(".py"))]
    path = next((file for file in files if file.is_file()), None)
    return _parsed(path, module) if path else ([], {})


@cache
def _parsed(path: Path, module: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the classes of a module, and what names stand for: their source, or their bases."""
    tree = ast.parse(path.read_bytes(), str(path))
    place = [*module.split("."), *["__init__"] * (path.name == "__init__.py")]
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {alias.asname: alias.name for alias in node.names if alias.asname}
            imports |= {(top := a.name.partition(".")[0]): top for a in node.names if not a.asname}
        elif isinstance(node, ast.ImportFrom):
            above = [*place[: -node.level or 0], *filter(None, [node.module])]
            imports |= {a.asname or a.name: ".".join([*above, a.name]) for a in node.names}

    def dotted(base: ast.expr) -> str:
        if isinstance(base, ast.Subscript):  # a generic class, with what fills it
            base = base.value
        first, *rest = ast.unparse(base).split(".")
        return ".".join([imports.get(first, f"{module}.{first}"), *rest])

    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    bases = {node.name: [dotted(base) for base in node.bases] for node in classes}
    return list(bases), {name: [source] for name, source in imports.items()} | bases
