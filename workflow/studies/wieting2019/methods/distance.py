"""How far a language is from English: distances between URIEL's feature vectors.

The vectors are those of Littell et al. (2017), "URIEL and lang2vec", as the lang2vec wheel ships
them. Each distance is theirs: 1 - cosine of two languages' vectors,

    genetic        membership of the families and subfamilies of Glottolog
    geographic     great-circle distances to 299 fixed points on the Earth
    syntactic      word order and the like (WALS, SSWL, Ethnologue)
    phonological   phonological properties (WALS, Ethnologue)
    inventory      which kinds of sound occur (PHOIBLE)
    featural       all five, concatenated

The three typological blocks are URIEL's k-nearest-neighbour predictions, which keep the observed
features and fill the others, so that every pair of languages is compared on the same features. Rank
correlations are the same with the angle between the vectors, which URIEL+ reports, since the angle
grows with 1 - cosine.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from tandem.errors import InputError, TandemError
from wieting2019.methods.register import Language

ENGLISH = "eng"
"""URIEL's entry for English."""

BLOCKS = ("genetic", "geographic", "syntactic", "phonological", "inventory")
"""The groups of features by which URIEL describes a language."""

DISTANCES = ("featural", *BLOCKS)
"""The distances; the first joins the features of all others."""

_FOLDER = "lang2vec/data/"
_PREFIXES = {"syntactic": "S_", "phonological": "P_", "inventory": "INV_"}


def english_distances(wheel: str | Path, languages: Iterable[Language]) -> pd.DataFrame:
    """Return distances of languages from English, in [0, 1], by the vectors in lang2vec's wheel.

    The wheel is read as a zip archive: nothing in it is installed or run. An isolate shares
    no family with English or any other language, so its genetic distance is 1.

    Returns:
        One row for each language: `language` (corpus code), the columns of DISTANCES, and
        `observed`, the share of its typological features (syntactic, phonological, inventory) that
        some source attests; the others are predicted.

    Raises:
        InputError: when the wheel lacks an array or URIEL lacks a language.
        TandemError: naming the language, when one of its vectors is missing or empty.
    """
    languages = list(languages)
    codes = [ENGLISH, *(language.uriel for language in languages)]
    vectors = {
        "genetic": _read_array(wheel, "family_features.npz", codes)[0],
        "geographic": _read_array(wheel, "geocoord_features.npz", codes)[0],
    }
    typology, names = _read_array(wheel, "feature_predictions.npz", codes)
    sources, _ = _read_array(wheel, "feature_averages.npz", codes)
    for block, prefix in _PREFIXES.items():
        vectors[block] = typology[:, np.char.startswith(names, prefix)]
    vectors["featural"] = np.concatenate([vectors[block] for block in BLOCKS], axis=1)
    columns: dict[str, object] = {"language": [language.code for language in languages]}
    for name in DISTANCES:
        english, *others = vectors[name]
        for vector, language in zip(others, languages, strict=True):
            alone = name == "genetic" and language.isolate
            if (vector < 0).any() or not (vector.any() or alone):
                raise TandemError(
                    f"URIEL has no {name} features of {language.name} (entry {language.uriel!r}): "
                    "name another entry, such as its macrolanguage, as `uriel` in the register, "
                    "or take the language out of the configuration"
                )
        distance = cdist([english], others, metric="cosine")[0]
        # the cosine is undefined for the empty vector of an isolate alone
        columns[name] = np.clip(np.nan_to_num(distance, nan=1.0), 0.0, 1.0)
    columns["observed"] = np.mean(sources[1:] >= 0, axis=1)
    return pd.DataFrame(columns)


def _read_array(
    wheel: str | Path, member: str, codes: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return the rows (languages, features) of some languages, and the features' names."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            content = io.BytesIO(archive.read(_FOLDER + member))
        with np.load(content, allow_pickle=False) as arrays:
            places = {code: row for row, code in enumerate(arrays["langs"].tolist())}
            if absent := [code for code in codes if code not in places]:
                raise InputError(
                    wheel,
                    None,
                    f"URIEL has no language {', '.join(absent)} in {member}",
                    "Name URIEL's own ISO 639-3 code as `uriel` in the register of languages",
                )
            rows = [places[code] for code in codes]
            return arrays["data"][rows, :, 0].astype(np.float64), arrays["feats"]
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(
            wheel, None, f"no usable {_FOLDER}{member} ({error})", "Fetch lang2vec 1.1.2 again"
        ) from error
