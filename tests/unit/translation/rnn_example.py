"""Twenty pairs that a small recurrent translator learns, and its settings."""

from itertools import count

import pytest

from tandem.training.course import Course
from tandem.translation.rnn_training import Aligned
from tandem.translation.translator import TRANSLATORS

COLOURS = {"rudy": "red", "modry": "blue", "bily": "white", "zeleny": "green", "cerny": "black"}
THINGS = {"dum": "house", "stul": "table", "strom": "tree", "klic": "key"}
PAIRS = [(f"vidim {c} {t} dnes", f"i see the {COLOURS[c]} {THINGS[t]} today")
         for c in COLOURS for t in THINGS]  # fmt: skip
BITEXT = Aligned([source for source, _ in PAIRS], [target for _, target in PAIRS])
NONE = Aligned([], [])
SETTINGS = dict(
    bitext="en-cs", source="cs", target="en", pieces=60, dimension=32, epochs=25, batch_tokens=60,
    sampled_pieces=20, learning_rate=1e-2, dropout=0.1, threads=1, seed=5,
)  # fmt: skip


def settings(**changes):
    return TRANSLATORS.parse({"kind": "rnn"} | SETTINGS | changes)


def save_always(monkeypatch):
    """Let every advance of a training be followed by a checkpoint, as if time flew."""
    monkeypatch.setattr("tandem.training.course.time.monotonic", count(step=100).__next__)


def kill(monkeypatch, checkpoints, train):
    """Train until so many checkpoints are written, and no further."""
    save, saves = Course.save, count(1)

    def save_then_die(course, folder):
        save(course, folder)
        if next(saves) == checkpoints:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Course, "save", save_then_die)
        train()


CONFIG = settings()
SHORT = settings(epochs=3)
