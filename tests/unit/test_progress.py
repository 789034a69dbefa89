"""Progress: a bar on a terminal, lines elsewhere, nothing if that is asked for."""

import sys
import time

import pytest

from tandem import progress
from tandem.progress import progress_bar, silence


@pytest.fixture(autouse=True)
def shown():
    """Another test may have silenced this process by `--quiet`."""
    silence(False)


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.05)


def draw():
    for _ in progress_bar(range(6), desc="work", unit=" pairs"):
        time.sleep(0.03)


def test_elsewhere_it_is_a_line_now_and_then(often, capsys):
    draw()
    said = capsys.readouterr().err
    lines = said.split("\n")[:-1]
    assert 2 <= len(lines) <= 7  # on a busy machine, after every item
    assert all(line.startswith("work: ") and "pairs/s" in line for line in lines)
    assert "\r" not in said


def test_what_is_soon_over_is_not_mentioned(capsys):
    for _ in progress_bar(range(1000)):
        pass
    assert capsys.readouterr().err == ""


def test_on_a_terminal_it_is_a_bar(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    draw()
    said = capsys.readouterr().err
    assert "\r" in said
    assert "100%|" in said


def test_it_can_be_silenced(often, capsys):
    silence(True)
    try:
        draw()
    finally:
        silence(False)
    assert capsys.readouterr().err == ""
