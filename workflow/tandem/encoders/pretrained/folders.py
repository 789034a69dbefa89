"""Pretrained encoders as the library `transformers` keeps them, in a folder or on a hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tandem.encoders.kinds.pretrained import Pretrained
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained.modules import LIST, Modules, read_modules
from tandem.encoders.pretrained.silence import silence
from tandem.encoders.pretrained.static import load_static
from tandem.encoders.pretrained.tokenizers import segmenter_of
from tandem.errors import InputError, TandemError

if TYPE_CHECKING:
    from transformers import PreTrainedModel
    from transformers.tokenization_utils_base import PreTrainedTokenizerBase

LONGEST = 512
"""Most tokens of a sentence that are read."""
_ABOUT_FILES = ("transformers_version", "_name_or_path", "architectures", "torch_dtype", "dtype",
                "auto_map", "gradient_checkpointing", "use_cache")  # fmt: skip
"""Keys of a configuration that say nothing of the architecture."""
_SHOWN = 5
"""Most names of weights in a message."""


def load_folder(
    name: str,
    pooling: Literal["mean", "first", "pooler"] | None = None,
    prefix: str = "",
    device: str = "cpu",
) -> SentenceEncoder:
    """Return the encoder of a folder, or of a name on a hub: weights in safetensors alone.

    Args:
        name: the folder, with config.json, model.safetensors and tokenizer.json; or the name.
        pooling: how its states become a vector; see `Pretrained`. None: as the modules of
            sentence-transformers say, where the folder lists these, else the mean.
        prefix: what stands before every sentence, such as "query: "; empty: what they say.
        device: where it computes.

    Raises:
        TandemError: there is no such encoder, or the library cannot load it.
        InputError: the folder lacks weights that vectors depend on, or lists modules that no model
            of Tandem has.
    """
    listed = pooling is None and (Path(name) / LIST).is_file()
    modules = read_modules(Path(name)) if listed else Modules(name, pooling or "mean")
    if prefix:
        modules = modules._replace(prefix=prefix)
    about = {"pretrained": {"name": Path(name).name}}
    if modules.pooling is None:
        return load_static(modules, about, device)
    loaded = _loaded(modules.folder)
    if modules.longest is None:
        longest = loaded.tokenizer.model_max_length if listed else LONGEST
        modules = modules._replace(longest=longest)
    return _converted(loaded, modules, about, device)


class _Loaded(NamedTuple):
    """What the library loads.

    Attributes:
        model: the architecture with its weights.
        drawn: names of weights that its file lacks, or has in other shapes: they were drawn.
        tokenizer: with its settings.
    """

    model: PreTrainedModel
    drawn: set[str]
    tokenizer: PreTrainedTokenizerBase


def _loaded(name: str) -> _Loaded:
    from transformers import AutoModel, AutoTokenizer

    try:
        with silence():
            # weights of other shapes are refused with their names, by us
            model, info = AutoModel.from_pretrained(
                name, use_safetensors=True, trust_remote_code=False, dtype="float32",
                output_loading_info=True, ignore_mismatched_sizes=True,
            )  # fmt: skip
            tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=False)
            tokenizer.backend_tokenizer  # noqa: B018  (one in Python alone has none)
    except Exception as error:  # any error at all: the folder may hold anything
        message = (str(error).strip() or type(error).__name__).split("\n")[0]
        raise TandemError(
            f"{name}: no pretrained encoder that transformers loads ({message}). Give a folder "
            "with config.json, model.safetensors and tokenizer.json, or the name of a model"
        ) from error
    others = (key for key, *_ in info["mismatched_keys"])
    return _Loaded(model, {*info["missing_keys"], *others}, tokenizer)


def _converted(
    loaded: _Loaded, modules: Modules, about: dict[str, Any], device: str
) -> SentenceEncoder:
    """Return the encoder; InputError where a weight that it needs was drawn."""
    model = loaded.model
    embeddings: Any = model.get_input_embeddings()
    table = embeddings.weight.detach().numpy()
    config = {k: v for k, v in model.config.to_diff_dict().items() if k not in _ABOUT_FILES}
    config["model_type"] = model.config.model_type
    longest = min(model.config.max_position_embeddings - _unused(config), LONGEST)
    kind = Pretrained(
        config=config,
        dimension=table.shape[1],
        output=model.config.hidden_size,
        pooling=modules.pooling,
        longest=min(longest, modules.longest or longest),
    )
    shapes = kind.weight_shapes()
    pooler = {f"weights.pooler.{name}": array for name, array in modules.pooler.items()}
    fits = all(shapes.get(key) == array.shape for key, array in pooler.items())
    if modules.pooling == "pooler" and not (fits and any(".pooler." in key for key in shapes)):
        raise TandemError(f"{modules.folder} has no pooler. Give another pooling")
    tokens = [name for name, value in model.named_parameters() if value is embeddings.weight]
    needed = [*tokens, *(key.removeprefix("weights.") for key in shapes if key not in pooler)]
    _refuse_drawn(modules.folder, sorted(loaded.drawn.intersection(needed)))
    weights = {f"weights.{k}": v.detach().numpy() for k, v in model.state_dict().items()} | pooler
    tokenizer = loaded.tokenizer.backend_tokenizer
    modules.prepare(tokenizer)
    segmenter = segmenter_of(tokenizer, kind.longest)
    return SentenceEncoder(
        segmenter, kind, table[: len(segmenter)], {k: weights[k] for k in shapes}, about, device
    )


def _refuse_drawn(folder: str, names: Sequence[str]) -> None:
    """Refuse weights that the library drew at random since no file has them: InputError."""
    if names:
        more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        problem = f"it lacks {', '.join(names[:_SHOWN])}{more}, or has them in another shape"
        remedy = "Fetch the model again, or give another pooling where the pooler is lacking"
        raise InputError(f"{folder}/model.safetensors", None, problem, remedy)


def _unused(config: dict[str, Any]) -> int:
    """Return how many positions are never read: RoBERTa's begin after the padding's number."""
    roberta = config["model_type"] in ("roberta", "xlm-roberta", "camembert")
    return 1 + config.get("pad_token_id", 1) if roberta else 0
