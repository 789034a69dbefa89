"""Worker processes: prepared once each, and gone when their parent is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from tandem.processes import worker_pool

PROGRAM = """
import os, time
from tandem.processes import worker_pool

if __name__ == "__main__":
    with worker_pool(1, int) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(600)
"""


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def remember(value):
    os.environ["TANDEM_TEST_SHARED"] = value


def recall(_):
    return os.environ["TANDEM_TEST_SHARED"]


def test_each_process_is_prepared_with_what_is_shared():
    with worker_pool(2, remember, "shared") as pool:
        assert list(pool.map(recall, range(4))) == ["shared"] * 4


def test_workers_end_when_their_parent_is_killed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE) as parent:
        worker = int(parent.stdout.readline())
        assert runs(worker)
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while runs(worker) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not runs(worker)
