"""A digest of the code that a job depends on, so that an edit re-runs what it affects only."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PACKAGE = "tandem"
ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds the package."""
Roots = tuple[tuple[str, Path], ...]
# Fields that change nothing at run time: load or store follows from the position
_IDLE = frozenset({"ctx", "kind", "type_comment", "type_ignores"})


def source_digest(
    *files: str | Path, packages: Mapping[str, Path], without: Collection[str] = ()
) -> str:
    """Return a digest of what the files do, and every module that they import.

    Comments, docstrings (those under an assignment too), blank lines and line breaks do not count,
    nor what is only for type checkers, inside `if TYPE_CHECKING`. Annotations do: Pydantic reads
    them. Imports are read from the syntax tree, so nothing is executed: direct and indirect ones,
    those inside functions, and the packages that contain a module (Python runs them too). A module
    whose name is only known at run time, as in a registry, is not found: pass its file besides the
    script.

    Positions and empty fields of the syntax tree are left out, so Python versions agree unless one
    of them parses a construct differently.

    Args:
        files: Python files: a script, and the modules of the kinds that it is told to use.
        packages: the folder of each package, besides `tandem`, whose modules are followed.
        without: modules that this job imports but never uses, by their dotted names.

    Returns:
        16 hexadecimal digits of a SHA-256.

    Raises:
        SyntaxError: naming the file and the line.
    """
    roots = tuple((name, root.resolve()) for name, root in {PACKAGE: ROOT, **packages}.items())
    unused = frozenset().union(*(_modules(name, roots) for name in without))
    left_out = {path for path in unused if path.stem != "__init__"}
    every = {Path(file).resolve() for file in files} | imported(files, roots, left_out)
    lines = sorted(filter(None, (_read(path, roots)[0] for path in every)))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def imported(
    files: Iterable[str | Path], roots: Roots, left_out: Collection[Path] = ()
) -> set[Path]:
    """Return the modules of the packages that the files import, directly or not."""
    modules: set[Path] = set()
    waiting, passed = [Path(file).resolve() for file in files], set(left_out)
    while waiting:
        new = _direct(waiting.pop(), roots) - passed
        modules |= new
        passed |= new
        waiting += new
    return modules


@functools.cache
def _direct(path: Path, roots: Roots) -> frozenset[Path]:
    """Return the modules of the packages that a file itself imports."""
    return frozenset().union(*(_modules(name, roots) for name in _read(path, roots)[1]))


@functools.cache
def _modules(name: str, roots: Roots) -> frozenset[Path]:
    """Return the files that importing a dotted name runs, within the packages.

    The last part of the name may be a module or something defined in one.
    """
    parts = name.split(".")
    stems = [
        root.joinpath(*parts[:count])
        for package, root in roots
        if package == parts[0]
        for count in range(1, len(parts) + 1)
    ]
    files = (file for stem in stems for file in (stem / "__init__.py", stem.with_suffix(".py")))
    return frozenset(file for file in files if file.is_file())


@functools.cache
def _read(path: Path, roots: Roots) -> tuple[str, list[str]]:
    """Return a file's name with a digest of what it does, and the dotted names that it imports.

    The name is its path within its package, wherever that stands. It is read once: many scripts
    import it, and every dry run waits for all of them.
    """
    statements: list[ast.Import | ast.ImportFrom] = []
    shape = _shape(ast.parse(path.read_bytes(), str(path)), statements)
    folders = (root for package, root in roots if root / package in path.parents)
    name = path.relative_to(next(folders, path.parent)).as_posix()
    # A module without code, such as most __init__.py, has no line: adding it changes nothing
    digest = hashlib.sha256(repr(shape).encode()).hexdigest()
    line = "" if shape == ["Module"] else f"{name} {digest}"
    return line, [n for node in statements for n in _imported(node, name.split("/"))]


def _shape(node: Any, imports: list[ast.Import | ast.ImportFrom]) -> Any:  # noqa: ANN401
    """Return a syntax tree as nested lists, without what does nothing; add its imports."""
    if isinstance(node, list):
        return [_shape(item, imports) for item in _effective(node)]
    if isinstance(node, ast.Import | ast.ImportFrom):
        imports.append(node)
    if not isinstance(node, ast.AST):
        return node
    shape = [type(node).__name__]
    for name, value in ast.iter_fields(node):
        part = _shape(value, imports)
        if name not in _IDLE and part is not None and part != []:
            shape += (name, part)
    return shape


def _effective(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Leave out statements without effect (docstrings and other constants, `pass`)."""
    for node in nodes:
        test = getattr(node, "test", None)
        named = getattr(test, "attr", getattr(test, "id", ""))
        if isinstance(node, ast.If) and named == "TYPE_CHECKING":
            yield from _effective(node.orelse)
        elif not isinstance(node, ast.Pass) and not (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            yield node


def _imported(node: ast.Import | ast.ImportFrom, path: list[str]) -> Iterator[str]:
    """Yield the dotted names that an import statement of the file `path` asks for."""
    base: list[str] = []
    if isinstance(node, ast.ImportFrom):
        base = [*path[: -node.level or 0], *filter(None, [node.module])]
    for alias in node.names:
        yield ".".join((*base, alias.name))
