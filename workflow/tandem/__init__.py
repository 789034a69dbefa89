"""Tandem: paraphrastic sentence embeddings from parallel text.

    from tandem import SentenceEncoder, mine, read_bitext, train

These are loaded when they are first used: importing the package alone takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tandem.version import __version__ as __version__

if TYPE_CHECKING:
    from tandem.corpora.files import read_bitext
    from tandem.encoders.model import SentenceEncoder
    from tandem.exporting.sentence_transformers import export
    from tandem.machine import limit_threads
    from tandem.own_bitext.build import train
    from tandem.own_bitext.mined import mine
    from tandem.own_bitext.scored import calibrate, filter, retrieve, score, similarity

__all__ = [
    "SentenceEncoder", "calibrate", "export", "filter", "limit_threads", "mine", "read_bitext",
    "retrieve", "score", "similarity", "train",
]  # fmt: skip

_PLACES = {
    "SentenceEncoder": "tandem.encoders.model",
    "calibrate": "tandem.own_bitext.scored",
    "export": "tandem.exporting.sentence_transformers",
    "filter": "tandem.own_bitext.scored",
    "limit_threads": "tandem.machine",
    "mine": "tandem.own_bitext.mined",
    "read_bitext": "tandem.corpora.files",
    "retrieve": "tandem.own_bitext.scored",
    "score": "tandem.own_bitext.scored",
    "similarity": "tandem.own_bitext.scored",
    "train": "tandem.own_bitext.build",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Return one of the names above.

    Raises:
        AttributeError: it is none of them.
        ImportError: what it needs is not installed; the message says how to install it.
    """
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tandem.errors import saying_what_to_install

    with saying_what_to_install():
        return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
