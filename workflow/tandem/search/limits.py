"""What the system allows a process to hold."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from tandem.errors import TandemError

_CGROUPS = Path("/sys/fs/cgroup")


def check_limits(memory_bytes: int) -> None:
    """Refuse a bound on resident memory that the system would not let the process reach.

    Raises:
        TandemError: naming the limit that is in the way.
    """
    address_space = resource.getrlimit(resource.RLIMIT_AS)[0]
    if address_space != resource.RLIM_INFINITY:
        pages, resident = resident_pages()
        # what is mapped but not resident counts as well
        spare = address_space - (pages - resident) * os.sysconf("SC_PAGE_SIZE")
        _refuse(memory_bytes, spare, "ulimit -v")
    for limit in _cgroup_limits():
        _refuse(memory_bytes, limit, "its cgroup")


def resident_pages() -> tuple[int, int]:
    """Return the pages that are mapped and those resident; 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return 0, 0
    mapped, resident = statm.read_text(encoding="ascii").split()[:2]
    return int(mapped), int(resident)


def _cgroup_limits() -> list[int]:
    """Return the limits, in bytes, of the groups that this process is in."""
    own = Path("/proc/self/cgroup")
    lines = own.read_text(encoding="utf-8").split("\n") if own.exists() else []
    groups = [_CGROUPS / line[3:].lstrip("/") for line in lines if line.startswith("0::")]
    files = [above / "memory.max" for group in groups for above in (group, *group.parents)]
    found = [file.read_text(encoding="ascii").strip() for file in files if file.is_file()]
    return [int(limit) for limit in found if limit != "max"]


def _refuse(memory_bytes: int, limit: int, whose: str) -> None:
    if memory_bytes > limit:
        raise TandemError(
            f"memory_bytes (--memory) is {memory_bytes >> 20:,} MiB, and {whose} leaves this "
            f"process {max(0, limit) >> 20:,} MiB: lower --memory, or raise that limit"
        )
