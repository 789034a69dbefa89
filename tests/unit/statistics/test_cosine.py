"""The cosine of vectors, pair by pair."""

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.statistics.cosine import cosine_similarity


def test_cosine_of_a_zero_vector_is_zero_and_of_nan_refused():
    zero, one = np.zeros((1, 2), np.float32), np.ones((1, 2), np.float32)
    assert cosine_similarity(zero, one) == [0.0]
    with pytest.raises(TandemError, match="pair 2: training diverged"):
        cosine_similarity(np.array([[1.0, 0], [np.nan, 0]]), np.ones((2, 2)))
