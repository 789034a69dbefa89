"""What the system allows a process to hold."""

from __future__ import annotations

import os
import re
import resource
import sys
from pathlib import Path

from tandem.errors import TandemError, whole

DEFAULT_BYTES = 2 << 30


def memory_bound(asked: int | None, apart: int = 0) -> int:
    """Return a bound on resident memory: as asked for, or 2 GiB more than what is held already.

    The latter is less where the system allows less.

    The bound is on what the process holds, all of it, unless PyTorch works on CUDA in this process.
    Then it is on what is added from now on: the driver, its libraries and pinned pages, 1.5 to 4
    GiB, cannot be told from the rest of what is there already, and no setting makes them less.

    Args:
        asked: bytes; None: a program that asks for nothing may hold much before it searches.
        apart: resident bytes that the bound is not on, those that were there before where
            `cuda_works`; what the system allows must hold them too.

    Raises:
        TandemError: it is no number, or more than the address space or the process's group allows.
    """
    asked = None if asked is None else whole(asked, "memory_bytes")
    mapped, resident = memory_used()
    limits = _limits(mapped, resident)
    if asked is None:
        asked = DEFAULT_BYTES + max(0, resident - apart)
    elif asked > (most := min(limits, default=asked)):
        raise TandemError(
            f"memory_bytes (--memory) is {asked >> 20:,} MiB, and its cgroup or ulimit -v leaves "
            f"this process {most >> 20:,} MiB: lower --memory, or raise that limit"
        )
    return min([asked, *(limit - apart for limit in limits)])


def default_bound() -> int:
    """Return the bound of a command that is asked for none: 2 GiB, or what the system allows."""
    return min([DEFAULT_BYTES, *_limits(*memory_used())])


def _limits(mapped: int, resident: int) -> list[int]:
    """Return what the system lets a process hold that has so many bytes mapped and resident."""
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    limits = _group_limits()
    if address_space != resource.RLIM_INFINITY:
        limits.append(max(0, address_space - mapped + resident))
    return limits


def cuda_works() -> bool:
    """Whether PyTorch works on CUDA in this process; PyTorch is not loaded to tell."""
    torch = sys.modules.get("torch")
    return bool(torch and torch.cuda.is_initialized())


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
