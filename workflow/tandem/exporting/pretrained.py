"""Pretrained encoders as the modules of sentence-transformers that do the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tandem.encoders.kinds.pretrained import Pretrained
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.segmentation.kinds.tokenizer import load
from tandem.segmentation.segmentation import ANY

POOLING = {"mean": "mean", "first": "cls"}
"""What that library calls ways to pool."""


def modules_of(encoder: SentenceEncoder, kind: Pretrained, folder: Path) -> list[Any]:
    """Return the modules of an encoder; its architecture is written into a folder on the way.

    Raises:
        TandemError: that library has no such pooling.
    """
    import torch
    from sentence_transformers.sentence_transformer import modules
    from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

    if kind.pooling not in POOLING:
        names = ", ".join(POOLING)
        raise TandemError(f"pooling {kind.pooling} cannot be exported. It can for: {names}")
    config = AutoConfig.for_model(**kind.config | {"vocab_size": len(encoder.table)})
    model = AutoModel.from_config(config, trust_remote_code=False)
    if hasattr(model, "pooler"):
        model.pooler = None
    weights = {name.removeprefix("weights."): torch.from_numpy(array)
               for name, array in encoder.weights.items()}  # fmt: skip
    embeddings: Any = model.get_input_embeddings()
    embeddings.weight.data = torch.from_numpy(encoder.table)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert not unexpected and all("word_embeddings" in name for name in missing), missing
    model.save_pretrained(folder)
    vocabulary = encoder.segmenter.vocabulary
    pad = int(kind.config.get("pad_token_id") or 0)
    path = encoder.segmenter.models[ANY]
    assert path is not None
    PreTrainedTokenizerFast(
        tokenizer_object=load(path), pad_token=vocabulary[pad], model_max_length=kind.longest
    ).save_pretrained(folder)
    transformer = modules.Transformer(str(folder), max_seq_length=kind.longest)
    return [transformer, modules.Pooling(kind.width, pooling_mode=POOLING[kind.pooling])]
