"""Corrections by hand."""

import numpy as np

from tandem.statistics.corrections import holm


def test_holm_by_hand():
    # Sorted .01 .02 .04 times 3 2 1: .03 .04 .04; the cap and the running maximum below
    np.testing.assert_allclose(holm([0.04, 0.01, 0.02]), [0.04, 0.03, 0.04])
    np.testing.assert_allclose(holm([0.03, 0.03, 0.9]), [0.09, 0.09, 0.9])
    np.testing.assert_allclose(holm([0.6, 0.7]), [1.0, 1.0])
