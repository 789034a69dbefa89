"""A small bitext and a model of it, for commands that are stopped or find no room."""

import time

import numpy as np
import pytest
from stopped_runs import finish, train


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A bitext, and a model that was trained on it without a stop."""
    home = tmp_path_factory.mktemp("stopped")
    words = np.random.default_rng(1).integers(0, 40, (1500, 4)).tolist()
    for side in ("en", "de"):
        (home / side).write_text("".join(" ".join(f"{side}{w}" for w in r) + "\n" for r in words))
    begun = time.monotonic()
    done = finish(train(home, "whole"))
    assert done[0] == 0, done[1]
    (home / "seconds").write_text(str(time.monotonic() - begun))
    return home
