"""Locks of runs that were killed: taken away once nothing of those runs can be alive.

Snakemake's locks are files, which outlive it; the kernel's end with their process. So every run, and
each of its jobs (scripts/_adapter.py), shares the kernel's lock on one file, and a run that gets it
alone knows that those before it are dead. Two kinds of lock are left to the user all the same: those
of another machine, which the kernel's may not reach, and of runs whose jobs a scheduler may still have.
"""

import contextlib
import fcntl
from pathlib import Path
from platform import node

from snakemake.logging import logger


def why_locks_stay(folder, alive, mine):
    """Return why locks must not be removed, and what can be done; or None."""
    try:
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return f"another run, or a job of one, is alive: wait, or end it by `fuser -k {alive.name}`"
    marks = (mark for mark in folder.glob("incomplete/**/*") if mark.is_file())
    submitted = any('"external_jobid": "' in mark.read_text("utf-8") for mark in marks)
    if submitted or [*folder.glob("locks/*.host")] != [mine]:
        return "a run on another machine or a cluster: if it has ended, `snakemake --unlock`"
    return None


def remove_stale_locks(folder, alive):
    """Remove the locks of dead runs, and note beside them which machine the next ones are of."""
    mine = folder / f"locks/{node()}.host"
    locks = [*folder.glob("locks/*.lock")]
    if locks and (why := why_locks_stay(folder, alive, mine)):
        logger.warning(f"Locked by {why}.")
    elif locks:
        for lock in locks:
            lock.unlink()
        logger.warning("The last run was killed: its locks are removed, and it goes on.")
    if not locks or [*folder.glob("locks/*.host")]:  # else they are of who knows whom
        mine.parent.mkdir(exist_ok=True)
        mine.touch()


def stay_alive(folder):
    """Return the file whose lock tells other runs that this process is there."""
    folder.mkdir(exist_ok=True)
    alive = open(folder / "alive", "a")
    if workflow.is_main_process:
        remove_stale_locks(folder, alive)
    fcntl.flock(alive, fcntl.LOCK_SH)
    return alive


with contextlib.suppress(OSError):  # a file system without such locks: Snakemake's stay
    ALIVE = stay_alive(Path(".snakemake"))
