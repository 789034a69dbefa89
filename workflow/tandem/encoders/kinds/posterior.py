"""The mean of a Gaussian over latent vectors: the inference networks of wieting2020, section 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import PositiveInt, model_validator

from tandem.encoders.encoder import ENCODERS, Encoder, Tokens
from tandem.registry import Named
from tandem.segmentation.segmentation import Segmentation

if TYPE_CHECKING:
    from torch import Tensor, nn


class Posterior(Encoder):
    """An encoder whose vector is mapped to the mean and the variance of a Gaussian.

    Wieting et al. (2020), section 3: q(z | sentence) is Gaussian with independent dimensions. Its
    mean is the sentence vector; objectives that draw z read the variance too. The maps have no bias
    (as in the authors' released code), so that a sentence without tokens has the zero vector.
    """

    body: Annotated[Encoder, Named(ENCODERS, inner=True)]
    """The encoder whose vector, a mean over the sentence, is mapped."""
    latent: PositiveInt = 1024
    """Width of z, and so of the sentence vector."""

    @model_validator(mode="before")
    @classmethod
    def _as_wide_as_body(cls, values: Any) -> Any:  # noqa: ANN401  (whatever a file holds)
        """Take the width of token embeddings from the body."""
        body = values.get("body") if isinstance(values, dict) else None
        if body is None:
            return values
        width = ENCODERS.check(body).dimension
        if values.setdefault("dimension", width) != width:
            raise ValueError(f"leave dimension out: it is the body's, {width}")
        return values

    @property
    def width(self) -> int:
        """Width of the sentence vector."""
        return self.latent

    @property
    def fixed_shapes(self) -> bool:  # type: ignore[override]  # of the body, not of the class
        """Whether a step on a GPU can be recorded."""
        return self.body.fixed_shapes

    @property
    def bfloat16_on(self) -> frozenset[str]:  # type: ignore[override]
        """Types of devices on which bfloat16 makes its training faster."""
        return self.body.bfloat16_on

    @property
    def words(self) -> bool:
        """Whether tokens come in words."""
        return self.body.words

    def reads(self, segmentation: Segmentation) -> bool:
        """Whether it can read a segmentation's ids."""
        return self.body.reads(segmentation)

    def weights(self) -> nn.Module:
        """Return the body's parameters and both maps, drawn by PyTorch."""
        from torch import nn

        return nn.ModuleDict({
            "body": self.body.weights(),
            "mean": nn.Linear(self.body.width, self.latent, bias=False),
            "log_variance": nn.Linear(self.body.width, self.latent, bias=False),
        })  # fmt: skip

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the means, (sentences, latent)."""
        modules = cast("nn.ModuleDict", weights)
        return modules["mean"](self.body.compose(modules["body"], tokens))

    def gaussian(self, weights: nn.Module, tokens: Tokens) -> tuple[Tensor, Tensor]:
        """Return the means and the logarithms of the variances, each (sentences, latent)."""
        modules = cast("nn.ModuleDict", weights)
        vectors = self.body.compose(modules["body"], tokens)
        # where products are bfloat16, what is drawn and its divergence are not
        exact = modules["mean"].weight.dtype
        return modules["mean"](vectors).to(exact), modules["log_variance"](vectors).to(exact)
