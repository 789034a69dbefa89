"""Encoders as folders that sentence-transformers loads with its own classes alone.

An averaging encoder is a `StaticEmbedding`: a tokeniser and a table; a text's vector is the mean of
its tokens' rows. A pretrained one is a `Transformer` of the library transformers and its `Pooling`.
`SentenceTransformer(folder).encode(sentences)` gives the encoder's own vectors.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tandem.corpora.origins import write_notice
from tandem.encoders.kinds.pretrained import Pretrained
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision, pack
from tandem.errors import TandemError, install
from tandem.exporting.card import INSTALL, Card, markdown_table, model_card, with_corpora
from tandem.files import saved
from tandem.files.atomic import atomic_folder
from tandem.files.outputs import check
from tandem.text.values import one_of, text_pairs

_USAGE = """```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("path/to/this/folder{folder}")
vectors = model.encode(sentences)
```

{folders}{faster}"""
_FASTER = """

The library model2vec reads it too: `StaticModel.from_pretrained(folder).encode(sentences,
max_length=None)`. Where speed counts: Tandem's own folder, of which this is an export, gives the
same vectors eight times as fast on one core, without PyTorch ({install})."""


def export_sentence_transformers(
    encoder: SentenceEncoder,
    folder: str | Path,
    card: Card,
    precision: Precision = Precision.FLOAT32,
    overwrite: bool = True,
) -> dict[str, Path]:
    """Write an encoder for sentence-transformers, whole or not at all.

    The vectors of the written model are the encoder's own, tokenisation included. Languages that
    have vocabularies of their own (`separate` or `marked` segmentations) each get a folder inside
    `folder`, since one tokeniser cannot serve both. Returns the folder to load for each language.

    With float16, table and vectors are float16, also in memory: a vector is the mean of the rounded
    embeddings, to within 2^-10 of each number.

    Raises:
        TandemError: the library has nothing like the encoder, or no such precision, or the folder
            may not be replaced (`replace_folder`).
    """
    if precision is Precision.INT8:
        raise TandemError("sentence-transformers has no averaging of int8: choose float16")
    if not encoder.kind.exportable:
        raise TandemError(
            f"an encoder of kind {encoder.kind.kind!r} has no counterpart among the classes of "
            "sentence-transformers: export an averaging encoder, or a pretrained one"
        )
    if isinstance(encoder.kind, Pretrained) and precision is not Precision.FLOAT32:
        raise TandemError("a pretrained encoder is exported in float32. Leave --precision out")
    groups = encoder.segmenter.groups
    names = {
        language: "-".join(group) if len(groups) > 1 else ""
        for group in groups
        for language in group
    }
    with atomic_folder(folder, overwrite) as temporary:
        for group in groups:
            _write(encoder, group[0], temporary / names[group[0]], precision)
        usage = _usage(names, faster=not isinstance(encoder.kind, Pretrained))
        text = model_card(encoder, card, usage, "sentence-transformers", precision)
        (temporary / "README.md").write_text(text, encoding="utf-8", newline="\n")
        write_notice(temporary, with_corpora(encoder.metadata, card))
        saved.seal(temporary)
    return {language: Path(folder) / name for language, name in names.items()}


def export(
    encoder: SentenceEncoder,
    folder: str | Path,
    *,
    name: str | None = None,
    licence: str = "other",
    corpora: Sequence[tuple[str, str]] = (),
    precision: Precision | str = Precision.FLOAT32,
    overwrite: bool = False,
) -> dict[str, Path]:
    """Write an encoder as a folder that sentence-transformers loads by itself.

    Returns the folder to load for each language; see `export_sentence_transformers`.

    Args:
        encoder: an averaging or a pretrained one.
        folder: where to.
        name: of the model, in its card; None: the folder's.
        licence: of the model, as hubs name it.
        corpora: names and licences of what it was trained on, for its card.
        precision: float32 or float16.
        overwrite: `folder` may be an earlier export, which is replaced.

    Raises:
        TandemError: the library has nothing like the encoder, or `folder` is not free.
    """
    place = Path(folder)
    check(place, [], overwrite, folder=True)
    card = Card(name or place.name, [*text_pairs(corpora, "corpora")], licence=licence)
    numbers = one_of(Precision, precision, "precision")
    return export_sentence_transformers(encoder, place, card, numbers, overwrite)


def _write(encoder: SentenceEncoder, language: str, folder: Path, precision: Precision) -> None:
    """Write the model of a language, and of all that are segmented like it."""
    try:  # slow to import
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    except ImportError as error:
        raise TandemError(f"exporting needs sentence-transformers: {install('export')}") from error
    with tempfile.TemporaryDirectory(prefix="tandem-") as place:
        if isinstance(encoder.kind, Pretrained):
            from tandem.exporting.pretrained import modules_of

            modules = modules_of(encoder, encoder.kind, Path(place))
        else:
            tokenizer, rows = encoder.segmenter.stock_tokenizer(language)
            table = pack(encoder.table[np.array(rows)], precision)["embedding"]
            modules = [StaticEmbedding(tokenizer, embedding_weights=table)]
        model = SentenceTransformer(modules=modules, device="cpu", similarity_fn_name="cosine")
        model.save(str(folder), create_model_card=False)


def _usage(folders: Mapping[str, str], faster: bool) -> str:
    """Say how to load each language's folder inside the export ("" for its top)."""
    places = sorted(folders.items())
    rows = ((name, f"`./{place}`") for name, place in places)
    last = f"/{places[-1][1]}" if places[-1][1] else ""
    table = markdown_table(("language", "folder"), rows)
    more = _FASTER.format(install=INSTALL) if faster else ""
    return _USAGE.format(folder=last, folders=table, faster=more)
