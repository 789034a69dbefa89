"""Points of Figure 1 and Table 5: means over seeds, joined with what was measured."""

import numpy as np
import pandas as pd
import pytest

from tandem.errors import TandemError
from wieting2019.methods.distance import DISTANCES
from wieting2019.methods.points import COLUMNS, OVERLAPS, language_points
from wieting2019.methods.register import Language, Register

FIELDS = ("code", "name", "iso639_3", "uriel", "script", "script_group", "family", "branch")
REGISTER = Register(
    [
        Language(**dict(zip(FIELDS, values, strict=True)))
        for values in (
            ("cs", "Czech", "ces", "ces", "Latn", "Latin", "Indo-European", "Slavic"),
            ("ru", "Russian", "rus", "rus", "Cyrl", "Cyrillic", "Indo-European", "Slavic"),
        )
    ],
    "languages.yaml",
)


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two languages; Czech with two seeds, and with the marker too."""
    runs = pd.DataFrame(
        [
            ("verses", False, "ru", 1, 60.0, 57.0, 0.1, 0.4),
            ("verses", False, "cs", 1, 60.0, 55.0, 0.5, 0.8),
            ("verses", False, "cs", 2, 64.0, 57.0, 0.5, 0.8),
            ("verses", True, "cs", 1, 58.0, 55.0, 0.5, 0.8),
        ],
        columns=["panel", "marked", "language", "seed", "score", "random", *OVERLAPS],
    )
    distances = pd.DataFrame(
        {"language": ["ru", "cs"], **{name: [0.3, 0.2] for name in DISTANCES}, "observed": 0.5}
    )
    return runs, distances


def test_points_by_hand() -> None:
    points = language_points(*frames(), REGISTER)
    assert list(points.columns) == list(COLUMNS)
    keys = points[["marked", "language"]].itertuples(index=False)
    assert [tuple(key) for key in keys] == [(False, "cs"), (False, "ru"), (True, "cs")]
    czech, russian, marked = (row for _, row in points.iterrows())
    assert (czech["seeds"], czech["score"], czech["random"]) == (2, 62.0, 56.0)
    assert czech["gain"] == 6.0  # (60 - 55 + 64 - 57) / 2
    assert czech["score_sd"] == pytest.approx(np.sqrt(8))
    assert czech["gain_sd"] == pytest.approx(np.sqrt(2))
    assert (czech["sharing"], marked["sharing"]) == (2.0, 2.0)  # 60 - 58, of the one seed
    assert np.isnan(russian["sharing"])
    assert np.isnan(russian["score_sd"]) and russian["script_group"] == "Cyrillic"
    assert (marked["gain"], marked["overlap_types"], marked["featural"]) == (3.0, 0.5, 0.2)


def test_a_run_that_stands_twice_is_refused() -> None:
    runs, distances = frames()
    runs = pd.concat([runs, runs.iloc[[1]]])
    with pytest.raises(TandemError, match=r"two runs of cs \(panel verses, seed 1\)"):
        language_points(runs, distances, REGISTER)
