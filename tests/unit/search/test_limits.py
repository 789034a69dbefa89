"""What counts as memory of a search where CUDA works in the process."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from tandem.errors import TandemError
from tandem.search import limits


def torch_with(initialized: bool) -> SimpleNamespace:
    return SimpleNamespace(cuda=SimpleNamespace(is_initialized=lambda: initialized))


def test_cuda_works_once_pytorch_has_begun_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for torch, works in ((None, False), (torch_with(False), False), (torch_with(True), True)):
        monkeypatch.setitem(sys.modules, "torch", torch)
        assert limits.cuda_works() is works


def test_what_is_apart_is_not_bound_but_allowed_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_group_limits", lambda: [3 << 30])
    monkeypatch.setattr(limits, "memory_used", lambda: (0, 1 << 29))
    assert limits.memory_bound(None) == (2 << 30) + (1 << 29)  # beside what is held already
    assert limits.memory_bound(None, 1 << 29) == limits.default_bound() == 2 << 30
    assert limits.memory_bound(None, 2 << 30) == 1 << 30
    assert limits.memory_bound(1 << 29, 2 << 30) == 1 << 29
    with pytest.raises(TandemError, match="lower --memory"):
        limits.memory_bound(4 << 30, 2 << 30)
    monkeypatch.setattr(limits, "_group_limits", list)
    assert limits.memory_bound(None, 4 << 30) == 2 << 30
