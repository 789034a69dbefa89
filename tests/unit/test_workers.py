"""Processes that share work end with it, however it ends."""

import multiprocessing
import os
import signal
import time

import pytest

from tandem.errors import TandemError
from tandem.workers import worker_pool

LONG_S = 600


def end(process):
    os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_results_come_in_order(start):
    with worker_pool(2, start, "--jobs") as pool:
        assert list(pool.map(abs, range(-4, 1))) == [4, 3, 2, 1, 0]
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("error", [KeyboardInterrupt, TandemError, GeneratorExit])
def test_nobody_waits_for_what_has_begun_when_the_work_is_broken_off(error):
    began = time.monotonic()
    with pytest.raises(error), worker_pool(2, "fork", "--jobs") as pool:
        running = [pool.submit(time.sleep, LONG_S) for _ in range(4)]
        while not running[1].running():
            time.sleep(0.01)
        raise error
    assert time.monotonic() - began < LONG_S / 2
    assert not multiprocessing.active_children()


def test_a_process_that_is_ended_from_outside_is_an_error_with_a_remedy():
    with (
        pytest.raises(TandemError, match=r"one of 2 processes was ended.*Lower --jobs"),
        worker_pool(2, "fork", "--jobs") as pool,
    ):
        waiting = pool.submit(time.sleep, LONG_S)
        pool.submit(os.getpid).result()
        end(next(child.pid for child in multiprocessing.active_children()))
        waiting.result()
