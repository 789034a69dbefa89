"""What the system allows a process to hold."""

from __future__ import annotations

import os
import re
import resource
from pathlib import Path

from tandem.errors import TandemError

DEFAULT_BYTES = 2 << 30


def memory_bound(asked: int | None) -> int:
    """Return a bound on resident memory: as asked for, else 2 GiB or what is allowed, if less.

    TandemError where more is asked for than the address space or the process's group allows.
    """
    mapped, resident = memory_used()
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    limits = _group_limits()
    if address_space != resource.RLIM_INFINITY:
        limits.append(max(0, address_space - mapped + resident))
    if asked is None:
        return min([DEFAULT_BYTES, *limits])
    if asked > (most := min(limits, default=asked)):
        raise TandemError(
            f"memory_bytes (--memory) is {asked >> 20:,} MiB, and its cgroup or ulimit -v leaves "
            f"this process {most >> 20:,} MiB: lower --memory, or raise that limit"
        )
    return asked


def memory_used() -> tuple[int, int]:
    """Return the bytes that are mapped and those resident; 0 where the system does not tell."""
    statm, page = Path("/proc/self/statm"), os.sysconf("SC_PAGE_SIZE")
    mapped, resident = statm.read_text().split()[:2] if statm.exists() else (0, 0)
    return int(mapped) * page, int(resident) * page


def _group_limits(root: Path = Path("/sys/fs/cgroup")) -> list[int]:
    """Return the limits of the groups that this process is in."""
    groups = Path("/proc/self/cgroup")
    group = re.search("^0::/(.*)$", groups.read_text() if groups.exists() else "", re.MULTILINE)
    folder = root / group[1] if group else root
    files = [above / "memory.max" for above in (folder, *folder.parents)]
    limits = [file.read_text() for file in files if file.exists()]
    return [int(limit) for limit in limits if limit != "max\n"]
