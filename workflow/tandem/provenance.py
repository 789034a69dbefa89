"""Which library code a script depends on, as one digest: so an edit re-runs what it affects."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "tandem"
ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds the package."""
# By pattern: every dry run waits for this, and the syntax trees take five times as long.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|.+)|import[ \t]+(.+))",
    re.MULTILINE,
)


def source_digest(*scripts: str | Path, root: str | Path = ROOT) -> str:
    """Return a digest of the scripts and of every module of the package that they import.

    Imports are read from the text, so nothing is executed: direct and indirect ones, those inside
    functions, and the packages on the way to a module (Python runs them too).

    Args:
        scripts: Python files.
        root: the folder that holds the package.

    Returns:
        16 hexadecimal digits of a SHA-256 over the sources.
    """
    root = Path(root)
    digest = hashlib.sha256()
    sources = {Path(script).name: Path(script) for script in scripts}
    sources |= {str(p.relative_to(root)): p for p in source_files(*scripts, root=root)}
    for name, path in sorted(sources.items()):
        digest.update(f"{name}\0{len(_read(path))}\0".encode())
        digest.update(_read(path))
    return digest.hexdigest()[:16]


def source_files(*scripts: str | Path, root: str | Path = ROOT) -> list[Path]:
    """Return the files of the package that the scripts import, directly or not, sorted."""
    found: set[Path] = set()
    waiting = [Path(script) for script in scripts]
    while waiting:
        for path in _imports(waiting.pop(), Path(root)):
            if path not in found:
                found.add(path)
                waiting.append(path)
    return sorted(found)


@functools.cache
def _read(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def _imports(path: Path, root: Path) -> frozenset[Path]:
    """Return the package files that one file's import statements name."""
    source = _read(path).decode("utf-8")
    return frozenset(
        file for name in _imported_names(source, path, root) for file in _files(name, root)
    )


def _imported_names(source: str, path: Path, root: Path) -> Iterator[str]:
    """Yield dotted names; the last part may be a module or something defined in one.

    A word of an alias, a comment or a docstring may be among them: a file too many at worst.
    """
    for level, base, names, modules in _IMPORT.findall(source):
        if modules:
            yield from re.findall(r"[\w.]+", modules)
            continue
        package = path.relative_to(root).parts[: -len(level)] if level else ()
        for name in re.findall(r"\w+", names):
            yield ".".join((*package, *filter(None, [base]), name))


@functools.cache
def _files(name: str, root: Path) -> frozenset[Path]:
    """Return the files that importing a dotted name runs, within the package."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return frozenset()
    files = set()
    for count in range(1, len(parts) + 1):
        stem = root.joinpath(*parts[:count])
        files |= {f for f in (stem / "__init__.py", stem.with_suffix(".py")) if f.is_file()}
    return frozenset(files)
