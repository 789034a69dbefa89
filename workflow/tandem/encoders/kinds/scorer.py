"""A number for a text: what a cross-encoder gives of two sentences that it reads as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import model_validator

from tandem.encoders.encoder import ENCODERS, Encoder, Tokens
from tandem.registry import Named
from tandem.segmentation.segmentation import Segmentation

if TYPE_CHECKING:
    from torch import Tensor, nn

    from tandem.encoders.encoder import Floats


class Scorer(Encoder):
    """An encoder whose vector is mapped to one number, the logit of a label.

    It reads both sentences of a pair one after the other, with the marks of either
    (`segmentation.ragged.joined`), so that every token sees those of the other sentence, and
    nothing can be computed of a sentence beforehand.
    """

    body: Annotated[Encoder, Named(ENCODERS, inner=True)]
    """The encoder whose vector is mapped."""

    @model_validator(mode="before")
    @classmethod
    def _as_wide_as_body(cls, values: Any) -> Any:  # noqa: ANN401  (whatever a file holds)
        """Take the width of token embeddings from the body."""
        body = values.get("body") if isinstance(values, dict) else None
        if body is not None:
            values["dimension"] = ENCODERS.check(body).dimension
        return values

    @property
    def width(self) -> int:
        """One number."""
        return 1

    @property
    def fixed_shapes(self) -> bool:  # type: ignore[override]  # of the body, not of the class
        """Whether a step on a GPU can be recorded."""
        return self.body.fixed_shapes

    @property
    def bfloat16_on(self) -> frozenset[str]:  # type: ignore[override]
        """Types of devices on which bfloat16 makes its training faster."""
        return self.body.bfloat16_on

    @property
    def memory_mb(self) -> int:  # type: ignore[override]
        """Megabytes of memory that its training takes, at most."""
        return self.body.memory_mb

    def reads(self, segmentation: Segmentation) -> bool:
        """Whether it can read a segmentation's ids: words cannot be joined."""
        return self.body.reads(segmentation) and not segmentation.grouped

    def started(self, start: Encoder) -> Encoder:
        """Return it over the encoder to start from, where nothing is said of its body."""
        if start.kind == self.kind:
            return start
        body = self.body.started(start)
        return self.model_copy(update={"body": body, "dimension": body.dimension})

    def taken_over(self, kind: Encoder, weights: Mapping[str, Floats]) -> dict[str, Floats] | None:
        """Return the weights of its body, where training starts from that."""
        if kind == self.body:
            return {f"weights.body.{name.removeprefix('weights.')}": array
                    for name, array in weights.items()}  # fmt: skip
        return super().taken_over(kind, weights)

    def weights(self) -> nn.Module:
        """Return the body's parameters and the map, drawn by PyTorch."""
        from torch import nn

        return nn.ModuleDict({
            "body": self.body.weights(), "score": nn.Linear(self.body.width, 1),
        })  # fmt: skip

    def embedding_layer(self, weights: nn.Module) -> Iterable[nn.Parameter]:
        """Return those of the body."""
        return self.body.embedding_layer(cast("nn.ModuleDict", weights)["body"])

    def layers_of(self, weights: nn.Module) -> Sequence[nn.Module]:
        """Return those of the body."""
        return self.body.layers_of(cast("nn.ModuleDict", weights)["body"])

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the numbers, (sentences, 1)."""
        import torch

        modules = cast("nn.ModuleDict", weights)
        vectors = self.body.compose(modules["body"], tokens).float()
        # autocast would round the number that the loss is of to eight bits
        with torch.autocast(vectors.device.type, enabled=False):
            return modules["score"](vectors)

    def _composition(self) -> Any:  # noqa: ANN401
        """Return its composition, drawn: the body may have buffers that are not saved."""
        from tandem.encoders.composition import Composition

        return Composition(self)
