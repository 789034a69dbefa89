"""What the tests of several rooms share."""

import pytest

from tandem.segmentation import ragged


@pytest.fixture
def validation(tmp_path):
    """Return a function that writes a segmented validation split and returns its folder."""

    def write(**sides):
        for side, rows in sides.items():
            ragged.save_stream(tmp_path / f"valid.{side}", [ragged.from_rows(rows)], 3)
        return tmp_path

    return write
