"""Averages of embeddings as sentence-transformers keeps them: a StaticEmbedding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained.modules import Modules
from tandem.encoders.pretrained.tokenizers import NAME, segmenter_of
from tandem.errors import InputError
from tandem.files.saved import REMEDY
from tandem.segmentation.kinds.tokenizer import load

_TABLE = "embedding.weight"
_ANY = 1 << 30
"""Most tokens of a sentence: an average has no positions that could run out."""


def load_static(modules: Modules, about: dict[str, Any], device: str = "cpu") -> SentenceEncoder:
    """Return the averaging encoder of a folder with model.safetensors and tokenizer.json.

    InputError where the table is none, or has fewer rows than there are tokens.
    """
    path = Path(modules.folder) / "model.safetensors"
    tokenizer = load(Path(modules.folder) / NAME)
    tokenizer.post_processor = None  # that class averages without the marks around a text
    modules.prepare(tokenizer)
    segmenter = segmenter_of(tokenizer, _ANY)
    try:
        with safe_open(path, "np") as file:
            table = file.get_tensor(_TABLE).astype(np.float32)
    except (OSError, SafetensorError, TypeError, ValueError) as error:
        raise InputError(path, None, f"it has no {_TABLE} ({error})", REMEDY) from error
    if table.ndim != 2 or len(table) < len(segmenter) or not np.isfinite(table).all():
        problem = f"{_TABLE} is {table.shape}, not a finite row for each of {len(segmenter):,}"
        raise InputError(path, None, f"{problem} tokens", REMEDY)
    # by its name: an import would make every job that can load a model depend on that kind
    kind = ENCODERS.parse({"kind": "averaging", "dimension": table.shape[1]})
    return SentenceEncoder(segmenter, kind, table[: len(segmenter)], {}, about, device)
