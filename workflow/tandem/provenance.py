"""A digest of the code that a job depends on, so that an edit re-runs what it affects only."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PACKAGE = "tandem"
ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds the package."""
Roots = tuple[tuple[str, Path], ...]
# Fields that change nothing at run time: load or store follows from the position
_IDLE = frozenset({"ctx", "kind", "type_comment", "type_ignores"})


class _Code(NamedTuple):
    """One file. line: its name and a digest of what it does. imports: dotted names."""

    line: str
    imports: tuple[str, ...]


def source_digest(
    *files: str | Path,
    packages: Mapping[str, Path] | None = None,
    without: Collection[str] = (),
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
        packages: other packages whose modules are followed, by name, with the folder that each
            stands in; `tandem` is always one of them.
        without: modules that are imported but never used by this job, by their dotted names; they
            are not followed.

    Returns:
        16 hexadecimal digits of a SHA-256.

    Raises:
        SyntaxError: naming the file and the line.
    """
    roots = _roots(packages)
    unused = frozenset().union(*(_modules(name, roots) for name in without))
    left_out = {path for path in unused if path.stem != "__init__"}
    every = {Path(file).resolve() for file in files} | _imports(files, roots, left_out)
    lines = sorted(filter(None, (_read(path, roots).line for path in every)))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def source_files(*files: str | Path, packages: Mapping[str, Path] | None = None) -> list[Path]:
    """Return the modules of the packages that the files import, directly or not, sorted."""
    return sorted(_imports(files, _roots(packages)))


def _roots(packages: Mapping[str, Path] | None) -> Roots:
    folders = {PACKAGE: ROOT} | dict(packages or {})
    return tuple((name, folder.resolve()) for name, folder in folders.items())


def _imports(
    files: Iterable[str | Path], roots: Roots, left_out: Collection[Path] = ()
) -> set[Path]:
    """Return the files that are imported, in whatever number of steps."""
    found: set[Path] = set()
    waiting = [Path(file).resolve() for file in files]
    while waiting:
        for name in _read(waiting.pop(), roots).imports:
            new = _modules(name, roots) - found - set(left_out)
            found |= new
            waiting += new
    return found


def _name(path: Path, roots: Roots) -> str:
    """Return a file's name, wherever the packages stand: its path within one, or its own name."""
    for package, root in roots:
        if root / package in path.parents:
            return path.relative_to(root).as_posix()
    return path.name


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
def _read(path: Path, roots: Roots) -> _Code:
    """Read a file once: many scripts import it, and every dry run waits for all of them."""
    statements: list[ast.Import | ast.ImportFrom] = []
    shape = _shape(ast.parse(path.read_bytes(), str(path)), statements)
    name = _name(path, roots)
    # A module without code, such as most __init__.py, has no line: adding it changes nothing
    digest = hashlib.sha256(repr(shape).encode()).hexdigest()
    line = "" if shape == ["Module"] else f"{name} {digest}"
    return _Code(line, tuple(n for node in statements for n in _imported(node, name.split("/"))))


def _shape(node: ast.AST, imports: list[ast.Import | ast.ImportFrom]) -> list[object]:
    """Return a syntax tree as nested lists, without what does nothing; add its imports."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        imports.append(node)
    shape: list[object] = [type(node).__name__]
    for name in node._fields:
        value = getattr(node, name, None)
        if name in _IDLE:
            continue
        if isinstance(value, list):
            value = [
                _shape(item, imports) if isinstance(item, ast.AST) else item
                for item in _effective(value)
            ]
        elif isinstance(value, ast.AST):
            value = _shape(value, imports)
        if value is not None and value != []:
            shape += (name, value)
    return shape


def _effective(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Leave out statements without effect (docstrings and other constants, `pass`)."""
    for node in nodes:
        if isinstance(node, ast.If) and _name_of(node.test) == "TYPE_CHECKING":
            yield from _effective(node.orelse)
        elif not isinstance(node, ast.Pass) and not (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            yield node


def _name_of(node: ast.expr) -> str:
    """Return the last part of a dotted name."""
    return getattr(node, "attr", getattr(node, "id", ""))


def _imported(node: ast.Import | ast.ImportFrom, path: list[str]) -> Iterator[str]:
    """Yield the dotted names that an import statement of the file `path` asks for."""
    base: list[str] = []
    if isinstance(node, ast.ImportFrom):
        base = [*(path[: -node.level] if node.level else []), *filter(None, [node.module])]
    for alias in node.names:
        yield ".".join((*base, alias.name))
