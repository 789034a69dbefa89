"""URIEL distances: the arithmetic on tiny wheels, and numbers known from lang2vec's own vectors."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tandem.errors import InputError, TandemError
from wieting2019.methods.distance import DISTANCES, english_distances
from wieting2019.methods.register import ISOLATE, Language

FEATURES = ["S_A", "S_B", "P_A", "P_B", "INV_A", "INV_B"]

# URIEL's syntax_knn rows hold 37 ones for English and 42 for French, 32 of them in both, so that
# 1 - cosine = 1 - 32 / sqrt(37 x 42) = 0.1882; here the columns are sorted into runs
ENGLISH_SYNTAX = [1] * 37 + [0] * 66
FRENCH_SYNTAX = [1] * 32 + [0] * 5 + [1] * 10 + [0] * 56


def language(code: str, uriel: str, family: str = "Indo-European") -> Language:
    """Return a language with this URIEL entry."""
    codes = {"code": code, "iso639_3": uriel, "uriel": uriel, "script": "Latn"}
    return Language(**codes, name=code.upper(), script_group="Latin", family=family, branch=family)


def wheel(
    path: Path, langs: list[str], typology: list[list[float]], family: list[list[float]], **names
) -> Path:
    """Write a wheel that holds lang2vec's four arrays; observed features are the even ones."""
    feats = names.get("feats", FEATURES)
    observed = np.array(typology, dtype=float)
    observed[:, 1::2] = -1
    arrays = {
        "family_features": (langs, [f"F_{i}" for i in range(len(family[0]))], family),
        "geocoord_features": (langs[::-1], ["GC_1", "GC_2"], [[0.5, 0.5]] * len(langs)),
        "feature_predictions": (langs, feats, typology),
        "feature_averages": (langs, feats, observed),
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, (codes, columns, data) in arrays.items():
            buffer = io.BytesIO()
            data = np.array(data, dtype=np.float32)[:, :, None]
            np.savez_compressed(
                buffer,
                langs=np.array(codes),
                feats=np.array(columns),
                data=data,
                sources=np.array(["x"]),
            )
            archive.writestr(f"lang2vec/data/{name}.npz", buffer.getvalue())
    return path


def test_distances_by_hand(tmp_path: Path) -> None:
    path = wheel(
        tmp_path / "w.whl",
        ["fra", "eng"],
        [[1, 1, 0, 1, 1, 0], [1, 0, 1, 0, 1, 0]],
        [[1, 1, 1, 1], [1, 0, 0, 0]],
    )
    table = english_distances(path, [language("fr", "fra")])
    row = table.set_index("language").loc["fr"]
    assert list(table.columns) == ["language", *DISTANCES, "observed"]
    assert row["genetic"] == pytest.approx(1 - 1 / 2)  # 1 shared, lengths 2 and 1
    assert row["geographic"] == pytest.approx(0, abs=1e-12)
    assert row["syntactic"] == pytest.approx(1 - 1 / np.sqrt(2))
    assert row["phonological"] == pytest.approx(1)
    assert row["inventory"] == pytest.approx(0, abs=1e-12)
    # joined: dot 1 + 0.5 + 1 + 0 + 1; squared lengths 4 + 0.5 + 2 + 1 + 1 and 1 + 0.5 + 1 + 1 + 1
    assert row["featural"] == pytest.approx(1 - 3.5 / np.sqrt(8.5 * 4.5))
    assert row["observed"] == pytest.approx(0.5)


def test_syntactic_distance_of_french_as_in_lang2vec(tmp_path: Path) -> None:
    feats = [f"S_{i}" for i in range(103)] + ["P_A", "INV_A"]
    path = wheel(
        tmp_path / "w.whl",
        ["eng", "fra"],
        [[*ENGLISH_SYNTAX, 1, 1], [*FRENCH_SYNTAX, 1, 1]],
        [[1], [1]],
        feats=feats,
    )
    table = english_distances(path, [language("fr", "fra")])
    assert round(table["syntactic"][0], 3) == 0.188
    angle = 2 / np.pi * np.arccos(1 - table["syntactic"][0])
    assert round(angle, 3) == 0.397


def test_an_isolate_is_as_far_as_can_be_and_others_need_a_family(tmp_path: Path) -> None:
    path = wheel(tmp_path / "w.whl", ["eng", "eus"], [[1] * 6, [1] * 6], [[1, 1], [0, 0]])
    table = english_distances(path, [language("eu", "eus", ISOLATE)])
    assert table["genetic"].tolist() == [1.0]
    with pytest.raises(TandemError, match=r"no genetic features of EU .*'eus'.*macrolanguage"):
        english_distances(path, [language("eu", "eus")])


def test_missing_values_are_never_compared(tmp_path: Path) -> None:
    path = wheel(tmp_path / "w.whl", ["eng", "ces"], [[1] * 6, [1, 1, -1, 0, 1, 1]], [[1], [1]])
    with pytest.raises(TandemError, match="no featural features of CS"):
        english_distances(path, [language("cs", "ces")])


def test_an_unknown_language_and_a_broken_wheel_are_named(tmp_path: Path) -> None:
    path = wheel(tmp_path / "w.whl", ["eng", "ces"], [[1] * 6] * 2, [[1], [1]])
    with pytest.raises(InputError, match="URIEL has no language qqq in family_features.npz"):
        english_distances(path, [language("cs", "ces"), language("qq", "qqq")])
    path.write_bytes(b"not a wheel")
    with pytest.raises(InputError, match="Fetch lang2vec 1.1.2 again"):
        english_distances(path, [language("cs", "ces")])
