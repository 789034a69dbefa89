"""Training the recurrent translator: teacher forcing against a softmax over drawn pieces.

A run that was stopped resumes from its checkpoint, and ends with the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from itertools import compress
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import sentencepiece as spm
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from tandem.errors import TandemError
from tandem.files import saved
from tandem.files.atomic import remove
from tandem.files.io import read_lines, write_lines
from tandem.machine import learns_on_host, place
from tandem.segmentation.pieces import train_unigram
from tandem.training.checkpoint import load_optimizer, optimizer_tensors
from tandem.training.course import Advance, Course, Learner, Parameters, State
from tandem.training.history import history_lines
from tandem.translation.batching import END, PAD, START, UNKNOWN, Ids, group_by_length, make_batch
from tandem.translation.kinds.rnn import Rnn
from tandem.translation.network import AttentionNetwork, torch_threads
from tandem.translation.translator import SETTINGS_FILE

Row = TypeVar("Row")

BETAS = 0.9, 0.98
"""Decay of Adam's moments."""


class Aligned(NamedTuple, Generic[Row]):
    """What to translate and what it should become, pair by pair: texts or ids."""

    sources: list[Row]
    targets: list[Row]


def read_split(folder: str | Path, split: str, source: str, target: str) -> Aligned[str]:
    """Read one split of a corpus folder, to be translated from `source` to `target`."""
    paths = (Path(folder) / f"{split}.{side}" for side in (source, target))
    return Aligned(*(list(read_lines(path)) for path in paths))


def keep_short(pairs: Aligned[str], max_words: int) -> Aligned[str]:
    """Keep the pairs with 1 to `max_words` words (by white space) on each side."""
    if len(pairs.sources) != len(pairs.targets):
        raise TandemError(
            f"{len(pairs.sources)} source lines and {len(pairs.targets)} target lines: the sides "
            "of a bitext must align line by line"
        )
    fits = [
        all(1 <= len(text.split()) <= max_words for text in pair)
        for pair in zip(*pairs, strict=True)
    ]
    return Aligned(*(list(compress(side, fits)) for side in pairs))


def train_pieces(lines: Iterable[str], size: int) -> bytes:
    """Train the pieces of both languages, in one thread: sums depend on the number of threads."""
    kept = [line for line in lines if line.strip()]
    ids = {"pad_id": PAD, "unk_id": UNKNOWN, "bos_id": START, "eos_id": END}
    return train_unigram(kept, size, coverage=0.9995, threads=1, **ids)


def train_rnn(
    train: Aligned[str],
    validation: Aligned[str],
    settings: Rnn,
    folder: str | Path,
    device: str = "auto",
) -> None:
    """Train on the pairs of at most `settings.max_words` words a side, and save into a folder.

    Writes model.safetensors (float32), sp.model, translator.json and history.csv (epoch, loss,
    validation loss; nats per target token). `folder`/checkpoint holds what a stopped run goes on
    from; the finished run removes it.

    `device` is where it is trained: cpu, cuda, or auto, CUDA if there is one.

    Raises TandemError on sides of unequal length, when no pair is short enough, or when nothing
    can be computed on the device.
    """
    folder, device = Path(folder), place(device)
    train, validation = (keep_short(pairs, settings.max_words) for pairs in (train, validation))
    if not train.sources:
        raise TandemError(
            f"no training pair has at most {settings.max_words} words on both sides: raise "
            "max_words"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with torch_threads(settings.threads):
        model = train_pieces([*train.sources, *train.targets], settings.pieces)
        pieces = spm.SentencePieceProcessor(model_proto=model)
        pairs, held_out = (
            Aligned(*(pieces.encode(side, num_threads=1) for side in texts))
            for texts in (train, validation)
        )
        course = train_network(
            settings, len(pieces), pairs, held_out, folder / "checkpoint", device
        )
    weights = {name: value.cpu().contiguous() for name, value in course.best.items()}
    save_file(weights, folder / "model.safetensors")
    (folder / "sp.model").write_bytes(model)
    settings.save_settings(folder)
    history = history_lines(course.progress.history, "validation_loss", decimals=6)
    write_lines(folder / "history.csv", history)
    saved.seal(folder, ["model.safetensors", "sp.model", SETTINGS_FILE, "history.csv"])
    remove(folder / "checkpoint")


def train_network(
    settings: Rnn,
    pieces: int,
    train: Aligned[Ids],
    validation: Aligned[Ids],
    checkpoint: Path,
    device: str = "cpu",
) -> Course:
    """Train a network on pairs as ids, going on from `checkpoint`; return the finished course."""
    text = hashlib.sha256(json.dumps([train, validation]).encode()).hexdigest()
    identity = {"settings": settings.model_dump(mode="json"), "pieces": pieces, "text": text}
    if learns_on_host(device):
        learner = RnnLearner(settings, pieces, train, validation)
    else:
        from tandem.translation.gpu_training import GpuRnnLearner

        learner = GpuRnnLearner(settings, pieces, train, validation, device)
        identity["device"] = learner.network.device.type  # which draws other random numbers
    course = Course(learner, identity, settings.epochs, selects=False)
    validate = (lambda parameters: learner.validation_loss()) if validation.sources else None
    course.run(validate, checkpoint, title="translator")
    return course


def learning_rate(settings: Rnn, progress: float) -> float:
    """Rate at a share `progress` (0 to 1) of training: up over `warmup`, then down to 0, linear."""
    rise = progress / settings.warmup if settings.warmup else 1.0
    fall = (1.0 - progress) / (1.0 - settings.warmup)
    return settings.learning_rate * min(rise, fall)


def refuse_infinite(norm: float) -> None:
    """Refuse a norm of gradients that is infinite or not a number."""
    if not math.isfinite(norm):
        raise TandemError(
            "a gradient of the translator is infinite or not a number: lower learning_rate"
        )


class RnnLearner(Learner):
    """Learns to translate by teacher forcing."""

    def __init__(
        self,
        settings: Rnn,
        pieces: int,
        train: Aligned[Ids],
        validation: Aligned[Ids],
        device: str = "cpu",
    ) -> None:
        """Draw the weights of a network over so many pieces, which are the same on every device."""
        self.settings, self.train, self.validation = settings, train, validation
        self.network = AttentionNetwork(pieces, settings.dimension, settings.dropout)
        self.network.initialise(torch.Generator().manual_seed(settings.seed))
        self.network.to(device)
        self._groups: list[list[int]] = []
        self._epoch = self._step = 0
        self._make_optimiser()

    def _make_optimiser(self) -> None:
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), lr=self.settings.learning_rate, betas=BETAS, fused=True
        )
        self._generator = torch.Generator(self.network.device)

    def begin(self, epoch: int) -> int:
        """Group the pairs into batches; every random draw comes from (seed, epoch)."""
        self._epoch = epoch
        seed = self.settings.seed, epoch
        self._groups = group_by_length(*self.train, self.settings.batch_tokens, seed)
        if self._step == 0:
            digest = hashlib.sha256(f"{seed[0]},{seed[1]}".encode()).digest()
            self._generator.manual_seed(int.from_bytes(digest[:8], "big") >> 1)
        return len(self.train.sources)

    def advance(self) -> Advance | None:
        """Take one step of Adam on a batch."""
        if self._step == len(self._groups):
            self._step = 0
            return None
        group, self._step = self._groups[self._step], self._step + 1
        loss, tokens = self._update(group, self._rate(self._step))
        return Advance(len(group), loss * tokens, tokens)

    def _rate(self, step: int) -> float:
        """Return the learning rate of a step of the epoch, counted from 1."""
        share = (self._epoch + step / (len(self._groups) + 1)) / self.settings.epochs
        return learning_rate(self.settings, share)

    def encoder(self) -> Parameters:
        """Return the network's parameters."""
        return self.network.state_dict()

    def state(self) -> State:
        """Return parameters, moments and the state of the random numbers."""
        tensors = {f"network.{k}": v for k, v in self.network.state_dict().items()}
        tensors |= {f"moments.{k}": v for k, v in optimizer_tensors(self.optimiser).items()}
        return State(tensors | {"random": self._generator.get_state()}, {"step": self._step})

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        self.network.load_state_dict(state.part("network."))
        load_optimizer(self.optimiser, state.part("moments."))
        self._generator.set_state(state.tensors["random"])
        self._step = state.place["step"]

    def _update(self, group: list[int], rate: float) -> tuple[float, int]:
        """Take one step of Adam on the pairs at `group`; return the loss per token and tokens."""
        output, labels = forced_output(self.network, self.train, group, self._generator)
        count = self.settings.sampled_pieces
        loss = sampled_loss(self.network, output, labels, count, self._generator)
        for parameters in self.optimiser.param_groups:
            parameters["lr"] = rate
        self.optimiser.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        refuse_infinite(float(norm))
        self.optimiser.step()
        return loss.item(), len(labels)

    @torch.inference_mode()
    def validation_loss(self) -> float:
        """Return the cross-entropy of the validation pairs, nats per token."""
        total = tokens = 0.0
        for group in group_by_length(*self.validation, self.settings.batch_tokens, None):
            output, labels = forced_output(self.network, self.validation, group, None)
            scores = self.network.logits(output)
            total += nn.functional.cross_entropy(scores, labels, reduction="sum").item()
            tokens += len(labels)
        return total / tokens


def forced_output(
    network: AttentionNetwork,
    pairs: Aligned[Ids],
    places: Sequence[int],
    generator: torch.Generator | None,
) -> tuple[Tensor, Tensor]:
    """Decoder output (tokens, dimension) and labels (tokens,) of some pairs, without padding."""
    batch = make_batch(*([side[place] for place in places] for side in pairs))
    memory = network.encode(batch.source, batch.lengths, generator)
    output, _ = network.decode(memory, batch.inputs, memory.initial, generator)
    words = batch.labels != PAD
    return output[words], batch.labels[words]


def sampled_loss(
    network: AttentionNetwork, output: Tensor, labels: Tensor, count: int, draw: torch.Generator
) -> Tensor:
    """Cross-entropy (nats per token) with part of the vocabulary drawn to stand for its rest.

    Complementary sum sampling (Botev, Zheng and Barber 2017): the normaliser is the exact sum over
    the pieces that occur in the batch plus a sum over `count` others drawn uniformly, scaled up to
    all others. The output layer is the largest product of a step, and this makes it several times
    smaller. When `count` reaches all the others this is the full cross-entropy.

    output: (tokens, dimension); labels: (tokens,).
    """
    present = torch.unique(labels)
    absent = torch.ones(network.embedding.num_embeddings, dtype=torch.bool)
    absent[present] = False
    others = absent.nonzero()[:, 0]
    chosen = others[torch.randperm(len(others), generator=draw)[:count]]
    pieces = torch.cat([present, chosen])
    weight = torch.zeros(len(pieces))
    if len(chosen):
        weight[len(present) :] = math.log(len(others) / len(chosen))
    scores = nn.functional.linear(output, network.embedding(pieces), network.bias[pieces] + weight)
    return nn.functional.cross_entropy(scores, torch.searchsorted(present, labels))
