"""What the system allows a process to hold."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from tandem.errors import TandemError


def check_limits(memory_bytes: int) -> None:
    """Refuse a bound on resident memory that the system would not let this process reach.

    Raises:
        TandemError: naming the limit that is in the way.
    """
    limits = {"its cgroup": min(_cgroup_limits(), default=memory_bytes)}
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if address_space != resource.RLIM_INFINITY:
        mapped, resident = memory_used()
        limits["ulimit -v"] = max(0, address_space - mapped + resident)
    for whose, limit in limits.items():
        if memory_bytes > limit:
            raise TandemError(
                f"memory_bytes (--memory) is {memory_bytes >> 20:,} MiB, and {whose} leaves this "
                f"process {limit >> 20:,} MiB: lower --memory, or raise that limit"
            )


def memory_used() -> tuple[int, int]:
    """Return the bytes that are mapped and those resident; 0 where the system does not tell."""
    pages = _words(Path("/proc/self/statm")) or ["0", "0"]
    mapped, resident = (int(count) * os.sysconf("SC_PAGE_SIZE") for count in pages[:2])
    return mapped, resident


def _cgroup_limits(root: Path = Path("/sys/fs/cgroup")) -> list[int]:
    """Return the limits of the groups that this process is in."""
    own = [word[3:] for word in _words(Path("/proc/self/cgroup")) if word.startswith("0::")]
    groups = [root / name.lstrip("/") for name in own]
    files = [above / "memory.max" for group in groups for above in (group, *group.parents)]
    found = [word for file in files for word in _words(file) if word != "max"]
    return list(map(int, found))


def _words(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split() if path.exists() else []
