"""A pretrained encoder of the library `transformers`, pooled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import PositiveInt, model_validator

from tandem.encoders.encoder import Encoder, Tokens
from tandem.errors import TandemError
from tandem.machine import on_host, send
from tandem.segmentation.segmentation import Segmentation

if TYPE_CHECKING:
    from torch import Tensor, nn

    from tandem.encoders.composition import Composition

AT_ONCE = 1024
"""Tokens of sentences of like lengths that are composed together: what suits a cache."""
ON_GPU = 1 << 16
"""The same on a GPU: so many that it has more to do than the host takes to tell it."""


class Pretrained(Encoder):
    """States of a pretrained encoder, such as BERT, and their pool.

    Its token embeddings are the table; what `transformers` builds by its configuration is the rest.
    No dropout but that of token embeddings. Models of this kind are made in `encoders.pretrained`.
    """

    exportable: ClassVar[bool] = True
    memory_mb: ClassVar[int] = 8000
    bfloat16_on: ClassVar[frozenset[str]] = frozenset({"cpu", "cuda"})

    config: dict[str, Any] = {}
    """Configuration of the library, with its `model_type`; empty: all that is set here is that of
    the encoder that training starts from."""
    pooling: Literal["mean", "first", "pooler"] = "mean"
    """The vector of a sentence: the mean of all states, the first one, or what the architecture
    itself makes of the first."""
    output: PositiveInt = 300
    """Width of the sentence vector."""
    longest: PositiveInt = 512
    """Tokens that are read; those beyond are left out."""

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        if self.config and not isinstance(self.config.get("model_type"), str):
            raise ValueError("config has no model_type, which names an architecture")
        return self

    def reads(self, segmentation: Segmentation) -> bool:
        """Whether it can read a segmentation's ids: those of its own tokeniser."""
        return segmentation.kind == "tokenizer"

    def started(self, start: Encoder) -> Encoder:
        """Return the encoder to start from, where nothing is said of this one."""
        return self if self.config else start

    @property
    def width(self) -> int:
        """Width of the sentence vector."""
        return self.output

    def weights(self) -> nn.Module:
        """Return the architecture without its token embeddings, drawn by its library."""
        from torch import nn
        from transformers import AutoConfig, AutoModel

        if not self.config:
            raise TandemError(
                "a pretrained encoder is not drawn. Name what training starts from, in `start` or "
                "by --from, or give its `config`"
            )
        # token embeddings are drawn to be thrown away: as few as the padding's number allows
        few = {"vocab_size": 1 + (self.config.get("pad_token_id") or 0)}
        config = AutoConfig.for_model(**self.config | few)
        for name in config.to_dict():
            if name.endswith(("dropout", "_dropout_prob", "_pdrop")):
                setattr(config, name, 0.0)
        model = AutoModel.from_config(config, attn_implementation="sdpa", trust_remote_code=False)
        model.set_input_embeddings(nn.Module())
        if self.pooling != "pooler" and hasattr(model, "pooler"):
            model.pooler = None
        return model

    def embedding_layer(self, weights: nn.Module) -> Iterable[nn.Parameter]:
        """Return positions, kinds of token and their norm, as BERT and its like have them."""
        layer = getattr(weights, "embeddings", None)
        return () if layer is None else layer.parameters()

    def layers_of(self, weights: nn.Module) -> Sequence[nn.Module]:
        """Return the layers: what the library keeps in a list that is as long as it says."""
        from torch import nn

        count = getattr(weights.config, "num_hidden_layers", None)
        lists = ([*part] for part in weights.modules() if isinstance(part, nn.ModuleList))
        return next((layers for layers in lists if len(layers) == count), ())

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, output)."""
        import torch

        from tandem.encoders.rows import blocks

        table, ids, offsets, dropout, _ = tokens
        bounds = offsets.cpu()  # a GPU is waited for here alone, and by what the library looks at
        lengths = (bounds[1:] - bounds[:-1]).clamp(max=self.longest)
        out = table.new_zeros(len(lengths), self.width)
        rows = list(blocks(lengths, AT_ONCE if on_host(table) else ON_GPU))
        if not rows:
            return out
        vectors = []
        for sentences in rows:
            sizes = lengths[sentences]
            steps = torch.arange(int(sizes.max()))
            inside = steps < sizes[:, None]
            places = torch.where(inside, bounds[sentences][:, None] + steps, 0)
            filled = bool(inside.all())
            inside, places = send(inside, table.device), send(places, table.device)
            embedded = table[ids[places]]
            if dropout is not None:
                embedded = embedded * dropout.factors(table.shape[1])[places]
            vectors.append(self._pooled(weights, embedded, inside, filled))
        order = send(torch.cat(rows), table.device)
        return out.index_copy(0, order, torch.cat(vectors).to(out))

    def _pooled(self, model: nn.Module, embedded: Tensor, inside: Tensor, filled: bool) -> Tensor:
        """Return the vectors of padded sentences: (n, steps, dimension), (n, steps) bool.

        `filled`: no sentence is padded.
        """
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        mask = None if filled else inside.long()
        # of short sentences, the gradient of a CPU's fused attention takes several times as long
        plain = on_host(embedded) and torch.is_grad_enabled()
        with sdpa_kernel(SDPBackend.MATH) if plain else nullcontext():
            states = model(inputs_embeds=embedded, attention_mask=mask)
        if self.pooling == "pooler":
            return states.pooler_output
        if self.pooling == "first":
            return states.last_hidden_state[:, 0]
        held = states.last_hidden_state * inside[:, :, None]
        return held.sum(1) / inside.sum(1, keepdim=True)

    def _composition(self) -> Composition:
        """Return its composition, drawn: buffers that are not saved need their values."""
        from tandem.encoders.composition import Composition

        return Composition(self)
