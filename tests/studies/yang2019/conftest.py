"""An encoder that knows words and their translations, and text that is searched with it."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.table import TABLES
from tandem.tasks.task import TASKS

HOME = Path(__file__).parents[3] / "workflow/studies/yang2019"


class Words:
    """The sum of vectors drawn by the words of a sentence; a German word is an English one + x."""

    def encode(self, sentences, language=None, batch_size=1024):
        return np.array([sum(map(self._vector, text.split())) for text in sentences], np.float32)

    def _vector(self, word):
        digest = hashlib.md5(word.removesuffix("x").encode()).digest()
        return np.random.default_rng(list(digest)).normal(size=48)


@pytest.fixture(autouse=True)
def registered():
    """Make the study's own kinds known."""
    for registry in (TASKS, TABLES, CLAIM_TESTS):
        registry.add_study(HOME)


@pytest.fixture(scope="session")
def encoder():
    return Words()


@pytest.fixture(scope="session")
def searched(tmp_path_factory):
    """Documents of ten sentences, none twice."""
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{n}" for n in rng.integers(400, size=7)) for _ in range(300)]
    rows = [f"doc{n // 10}\t{text}\t{text.replace(' ', 'x ')}x\n" for n, text in enumerate(texts)]
    path = tmp_path_factory.mktemp("searched") / "de.tsv"
    path.write_text("".join(rows), encoding="utf-8")
    return path
