"""What a folder of sentence-transformers says of its vectors, read as data: nothing is executed.

Such a folder has modules.json, the list of the modules that text passes through, and in one folder
for each their settings. Those that a model of Tandem can be: Transformer and Pooling, after its cls
perhaps a Dense layer as wide with tanh, which is BERT's pooler, and Normalize, which changes no
cosine; or StaticEmbedding, an average.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, TypeAdapter

from tandem.errors import InputError
from tandem.files import saved

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LIST = "modules.json"
POOLINGS: Mapping[str, Literal["mean", "first"]] = {"mean": "mean", "cls": "first"}
"""What `Pretrained` calls the ways to pool of that library that it has."""
_LEGACY = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""Earlier versions had a flag for each way to pool."""
_REMEDY = (
    "Tandem reads Transformer and Pooling (mean or cls), after cls a Dense layer as wide with "
    "tanh, and Normalize; or StaticEmbedding. Choose another model"
)


class _Module(BaseModel):
    """An entry of the list: the name of a class, and the folder of its settings."""

    type: str
    path: str = ""

    @property
    def kind(self) -> str:
        return self.type.rpartition(".")[2]


class _Transformer(BaseModel):
    max_seq_length: int | None = None
    do_lower_case: bool = False


class _Dense(BaseModel):
    in_features: int
    out_features: int
    bias: bool = True
    activation_function: str = ""
    use_residual: bool = False


class _Prompts(BaseModel):
    prompts: dict[str, str] = {}
    default_prompt_name: str | None = None


class Modules(NamedTuple):
    """How text becomes vectors.

    Attributes:
        folder: that of the architecture with its tokeniser, or of the averaged table.
        pooling: see `Pretrained`; None: embeddings are averaged.
        prefix: what stands before every sentence.
        lower: whether text is lower-cased first.
        longest: most tokens that are read; None: as many as the tokeniser says.
        pooler: weights that are the pooler's, by their names in that layer.
    """

    folder: str
    pooling: Literal["mean", "first", "pooler"] | None
    prefix: str = ""
    lower: bool = False
    longest: int | None = None
    pooler: Mapping[str, NDArray[np.float32]] = {}

    def prepare(self, tokenizer: Tokenizer) -> None:
        """Let a tokeniser put the prefix before a text, and lower its case, where that is said."""
        from tokenizers import normalizers

        parts: list[Any] = [normalizers.Prepend(self.prefix)] if self.prefix else []
        parts += [normalizers.Lowercase()] if self.lower else []
        if parts:
            last = [tokenizer.normalizer] if tokenizer.normalizer else []
            tokenizer.normalizer = normalizers.Sequence(parts + last)


def read_modules(folder: Path) -> Modules:
    """Return what the modules of a folder do.

    Raises:
        InputError: one of them is nothing that a model of Tandem does, or cannot be read.
    """
    place = folder / LIST
    modules = saved.read(place, TypeAdapter(list[_Module]).validate_python)
    kinds = [module.kind for module in modules]
    paths = [folder / module.path for module in modules]
    if not all(path.resolve().is_relative_to(folder.resolve()) for path in paths):
        raise InputError(place, None, "a module is outside its folder", saved.REMEDY)
    plain = kinds[:-1] if kinds[-1:] == ["Normalize"] else kinds
    prefix = _prefix(folder)
    if plain == ["StaticEmbedding"]:
        return Modules(str(paths[0]), None, prefix)
    if plain not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Dense"]):
        raise InputError(place, None, f"its modules are {', '.join(kinds) or 'none'}", _REMEDY)
    pooling = _pooling(paths[1] / "config.json", prefix)
    settings = _Transformer()
    for name in sorted(paths[0].glob("sentence_*_config.json")):  # sentence_bert_config.json
        settings = saved.read(name, _Transformer.model_validate)
    about = prefix, settings.do_lower_case, settings.max_seq_length
    if len(plain) == 2:
        return Modules(str(paths[0]), pooling, *about)
    return Modules(str(paths[0]), "pooler", *about, _pooler(paths[2], pooling))


def _pooling(path: Path, prefix: str) -> Literal["mean", "first"]:
    """Return the one way in which a Pooling pools."""
    settings = saved.read(path, TypeAdapter(dict[str, Any]).validate_python)
    modes = settings.get("pooling_mode") or [
        name for key, name in _LEGACY.items() if settings.get(key)
    ]
    modes = [modes] if isinstance(modes, str) else list(modes) or ["mean"]
    if len(modes) > 1 or modes[0] not in POOLINGS:
        raise InputError(path, None, f"the pooling is {' and '.join(map(str, modes))}", _REMEDY)
    if prefix and not settings.get("include_prompt", True):
        raise InputError(path, None, f"the prompt {prefix!r} is not pooled", _REMEDY)
    return POOLINGS[modes[0]]


def _pooler(folder: Path, pooling: str) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a Dense layer that does what BERT's pooler does."""
    path = folder / "config.json"
    dense = saved.read(path, _Dense.model_validate)
    square = dense.bias and dense.in_features == dense.out_features and not dense.use_residual
    activation = dense.activation_function.rpartition(".")[2]
    if pooling != "first" or not square or activation != "Tanh":
        problem = f"a layer of {dense.in_features} to {dense.out_features} numbers"
        problem += f" with {activation or 'no activation'} after the pooling {pooling}"
        raise InputError(path, None, problem, _REMEDY)
    width, kind = dense.out_features, np.dtype(np.float32)
    shapes = {"linear.weight": ((width, width), kind), "linear.bias": ((width,), kind)}
    arrays = saved.read_arrays(folder / "model.safetensors", lambda: shapes)
    return {name.replace("linear", "dense"): array for name, array in arrays.items()}


def _prefix(folder: Path) -> str:
    """Return the prompt that stands before every sentence, if there is one."""
    path = folder / "config_sentence_transformers.json"
    if not path.is_file():
        return ""
    settings = saved.read(path, _Prompts.model_validate)
    if settings.default_prompt_name is None:
        return ""
    if settings.default_prompt_name not in settings.prompts:
        problem = f"no prompt is called {settings.default_prompt_name}"
        raise InputError(path, None, problem, "Mend the file, or fetch it again")
    return settings.prompts[settings.default_prompt_name]
