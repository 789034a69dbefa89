"""Pretrained encoders as the library `transformers` keeps them, in a folder or on a hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tandem.encoders.kinds.pretrained import Pretrained
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained.tokenizers import segmenter_of
from tandem.errors import TandemError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_ABOUT_FILES = ("transformers_version", "_name_or_path", "architectures", "torch_dtype", "dtype",
                "auto_map", "gradient_checkpointing", "use_cache")  # fmt: skip
"""Keys of a configuration that say nothing of the architecture."""


def load_folder(
    name: str,
    pooling: Literal["mean", "first", "pooler"] = "mean",
    prefix: str = "",
    device: str = "cpu",
) -> SentenceEncoder:
    """Return the encoder of a folder, or of a name on a hub: weights in safetensors alone.

    Args:
        name: the folder, with config.json, model.safetensors and tokenizer.json; or the name.
        pooling: how its states become a vector; see `Pretrained`.
        prefix: what stands before every sentence, such as "query: ".
        device: where it computes.

    Raises:
        TandemError: there is no such encoder, or the library cannot load it.
    """
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    shows = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # of a second
    try:
        model = AutoModel.from_pretrained(
            name, use_safetensors=True, trust_remote_code=False, dtype="float32"
        )
        tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=False).backend_tokenizer
    except Exception as error:  # any error at all: the folder may hold anything
        message = (str(error).strip() or type(error).__name__).split("\n")[0]
        raise TandemError(
            f"{name}: no pretrained encoder that transformers loads ({message}). Give a folder "
            "with config.json, model.safetensors and tokenizer.json, or the name of a model"
        ) from error
    finally:
        if shows:
            logging.enable_progress_bar()
    if prefix:
        from tokenizers import normalizers

        before = [normalizers.Prepend(prefix)]
        after = [tokenizer.normalizer] if tokenizer.normalizer else []
        tokenizer.normalizer = normalizers.Sequence(before + after)
    return _converted(model, tokenizer, pooling, Path(name).name, device)


def _converted(
    model: PreTrainedModel, tokenizer: Any, pooling: Any, name: str, device: str  # noqa: ANN401
) -> SentenceEncoder:
    embeddings: Any = model.get_input_embeddings()
    table = embeddings.weight.detach().numpy()
    config = {k: v for k, v in model.config.to_diff_dict().items() if k not in _ABOUT_FILES}
    config["model_type"] = model.config.model_type
    longest = min(model.config.max_position_embeddings - _unused(config), 512)
    kind = Pretrained(
        config=config,
        dimension=table.shape[1],
        output=model.config.hidden_size,
        pooling=pooling,
        longest=longest,
    )
    shapes = kind.weight_shapes()
    held = {f"weights.{k}": v.detach().numpy() for k, v in model.state_dict().items()}
    if pooling == "pooler" and not any(".pooler." in key for key in shapes):
        raise TandemError(f"{name} has no pooler. Give another pooling")
    segmenter = segmenter_of(tokenizer, longest)
    about = {"pretrained": {"name": name}}
    return SentenceEncoder(
        segmenter, kind, table[: len(segmenter)], {k: held[k] for k in shapes}, about, device
    )


def _unused(config: dict[str, Any]) -> int:
    """Return how many positions are never read: RoBERTa's begin after the padding's number."""
    roberta = config["model_type"] in ("roberta", "xlm-roberta", "camembert")
    return 1 + config.get("pad_token_id", 1) if roberta else 0
