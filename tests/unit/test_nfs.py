"""Locks hold on NFS, which locks for one process alone only what is open to write."""

import errno
import fcntl
import os
import runpy
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from tandem.corpora.fetch import _alone
from tandem.errors import TandemError
from tandem.files.atomic import atomic_folder, atomic_path, lock
from tandem.files.saved import seal

WORKFLOW = Path("workflow").resolve()


@pytest.fixture
def nfs(monkeypatch):
    """Let locks be those of NFS: exclusive ones of what is open to write, and none of folders."""
    flock = fcntl.flock

    def of_nfs(handle, how):
        mode = fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE
        wanted = os.O_WRONLY if how & fcntl.LOCK_EX else os.O_RDONLY
        if mode not in (wanted, os.O_RDWR):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", of_nfs)


def test_what_another_call_writes_on_nfs_stays(tmp_path, nfs):
    with atomic_path(tmp_path / "t") as first, atomic_folder(tmp_path / "f") as folder:
        first.write_text("first")
        with atomic_path(tmp_path / "t") as second:
            second.write_text("second")
        with atomic_folder(tmp_path / "f") as other:
            (other / "second").touch()
            seal(other)
        assert first.exists() and folder.exists()
        seal(folder)
    left = tmp_path / ".t.12345678.tandem"
    left.write_text("of a call that was killed")
    with lock(tmp_path / "t") as held:
        assert held
        with pytest.raises(TandemError, match="in use by another call"), lock(tmp_path / "t"):
            pass
    with atomic_path(tmp_path / "t") as last:
        last.write_text("last")
    assert not left.exists() and (tmp_path / "t").read_text() == "last"


def test_one_fetch_at_a_time_is_in_a_folder_on_nfs(tmp_path, nfs):
    inside = []

    def fetch(_):
        with _alone(tmp_path):
            inside.append(1)
            time.sleep(0.01)
            most = len(inside)
            inside.pop()
            return most

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(fetch, range(12))) == {1}
    assert list(tmp_path.iterdir()) == []


def test_a_run_and_its_jobs_are_alive_on_nfs(tmp_path, nfs, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    rules = WORKFLOW / "rules/locks.smk"
    run = {"workflow": SimpleNamespace(is_main_process=True)}
    exec(compile(rules.read_text("utf-8"), rules, "exec"), run)
    job = runpy.run_path(str(WORKFLOW / "scripts/_adapter.py"))
    with open(".snakemake/alive", "a+") as other:
        for process in (run, job):
            with pytest.raises(BlockingIOError):
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            process["ALIVE"].close()
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
