"""Remove the locks of a killed run, once none of its processes can be alive.

Snakemake's locks are files and outlive it. The operating system's locks (flock) end with the process
that holds them. So every run, and each of its jobs (scripts/_adapter.py), holds a shared flock on
`.snakemake/alive`; a new run that can lock this file alone knows that all earlier ones are dead. Two
kinds of locks are left for the user to remove: those of another machine, because flock may not reach
across a network file system, and those of a run that submitted jobs to a cluster.
"""

import contextlib
import fcntl
import pathlib
from platform import node

from snakemake.logging import logger


def why_locks_stay(folder, alive, mine):
    """Return why the locks must not be removed, with what the user can do; or None."""
    try:
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return f"another run, or a job of one, is alive: wait, or end it by `fuser -k {alive.name}`"
    marks = (mark for mark in folder.glob("incomplete/**/*") if mark.is_file())
    submitted = any('"external_jobid": "' in mark.read_text("utf-8") for mark in marks)
    if submitted or [*folder.glob("locks/*.host")] != [mine]:
        return "a run on another machine or a cluster: if it has ended, run `snakemake --unlock`"
    return None


def remove_stale_locks(folder, alive):
    """Remove the locks of dead runs, and record which machine the next locks are from."""
    mine = folder / f"locks/{node()}.host"
    locks = [*folder.glob("locks/*.lock")]
    if locks and (why := why_locks_stay(folder, alive, mine)):
        logger.warning(f"Locked by {why}.")
    elif locks:
        for lock in locks:
            lock.unlink()
        logger.warning("The last run was killed: removed its locks and continue it.")
    if not locks or [*folder.glob("locks/*.host")]:  # else the locks' machine is unknown
        mine.parent.mkdir(exist_ok=True)
        mine.touch()


def hold_alive(folder):
    """Return the open file whose lock shows other runs that this process is alive."""
    folder.mkdir(exist_ok=True)
    alive = open(folder / "alive", "a+")  # NFS shares a lock of what is open to read alone
    if workflow.is_main_process:
        remove_stale_locks(folder, alive)
    fcntl.flock(alive, fcntl.LOCK_SH)
    return alive


with contextlib.suppress(OSError):  # a file system without flock: Snakemake's locks stay
    ALIVE = hold_alive(pathlib.Path(".snakemake"))
