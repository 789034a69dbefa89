"""The rows of a table that a batch uses."""

import numpy as np

from tandem.kernels.sums import number_types


def test_types_are_numbered_as_they_first_occur():
    scratch = np.full(10, -1)
    types, places = number_types(np.array([7, 3, 7, 9, 3], np.int32), scratch)
    assert types.tolist() == [7, 3, 9]
    assert places.tolist() == [0, 1, 0, 2, 1]
    assert (scratch == -1).all()  # as it was
