"""Pretrained encoders as the modules of sentence-transformers that do the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tandem.encoders.kinds.pretrained import Pretrained
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained.silence import silence
from tandem.errors import TandemError
from tandem.segmentation.kinds.tokenizer import load
from tandem.segmentation.segmentation import ANY

POOLING = {"mean": "mean", "first": "cls", "pooler": "cls"}
"""What that library calls ways to pool; what a pooler does with the first state is a Dense."""
_POOLER = "pooler.dense."


def modules_of(encoder: SentenceEncoder, kind: Pretrained, folder: Path) -> list[Any]:
    """Return the modules of an encoder; its architecture is written into a folder on the way.

    Raises:
        TandemError: that library has no such pooling.
    """
    import torch
    from sentence_transformers.sentence_transformer import modules
    from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

    weights = {name.removeprefix("weights."): torch.from_numpy(array)
               for name, array in encoder.weights.items()}  # fmt: skip
    layers = [_dense(weights, kind.width)] if kind.pooling == "pooler" else []
    config = AutoConfig.for_model(**kind.config | {"vocab_size": len(encoder.table)})
    model = AutoModel.from_config(config, trust_remote_code=False)
    embeddings: Any = model.get_input_embeddings()
    embeddings.weight.data = torch.from_numpy(encoder.table)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    # a pooler that is not used is written all the same: without it who loads the folder is warned
    unused = {name for name in missing if name.startswith("pooler.")}
    assert not unexpected and all("word_embeddings" in n for n in {*missing} - unused), missing
    for name, parameter in model.named_parameters():
        if name in unused:
            parameter.data.zero_()
    vocabulary = encoder.segmenter.vocabulary
    pad = int(kind.config.get("pad_token_id") or 0)
    path = encoder.segmenter.models[ANY]
    assert path is not None
    with silence():
        model.save_pretrained(folder)
        PreTrainedTokenizerFast(
            tokenizer_object=load(path), pad_token=vocabulary[pad], model_max_length=kind.longest
        ).save_pretrained(folder)
        transformer = modules.Transformer(str(folder), max_seq_length=kind.longest)
    pooling = modules.Pooling(kind.width, pooling_mode=POOLING[kind.pooling])
    return [transformer, pooling, *layers]


def _dense(weights: dict[str, Any], width: int) -> Any:  # noqa: ANN401  (of that library)
    """Return BERT's pooler as a module; TandemError where an architecture has another one."""
    from sentence_transformers.sentence_transformer import modules

    names = sorted(name for name in weights if name.startswith("pooler."))
    if names != [f"{_POOLER}bias", f"{_POOLER}weight"]:
        raise TandemError(
            f"a pooler of {', '.join(names)} cannot be exported: sentence-transformers has only "
            "one layer with tanh. Export an encoder whose pooling is mean or first"
        )
    bias, weight = (weights[name] for name in names)
    return modules.Dense(width, width, init_weight=weight, init_bias=bias)
