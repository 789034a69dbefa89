"""Models by name: where the folder of a built model is."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tandem.errors import TandemError
from tandem.files.io import read_yaml
from tandem.files.outputs import same
from tandem.machine import place
from tandem.provenance import ROOT

if TYPE_CHECKING:
    from tandem.encoders.model import SentenceEncoder
    from tandem.filtering.filter import Encode

PACKAGED = {"e5": ("Linux", "x86_64")}
"""Pretrained encoders that packages carry, with the system and the processor these are for; see
`pretrained.load_pretrained`."""
SHIPPED = ROOT / "tandem/models"
"""The folder of the models that Tandem brings along."""
MODELS = "TANDEM_MODELS"
"""The environment variable with the folder of a user's models."""


def find_model(model: str | Path) -> Path:
    """Return the folder of a model: this path, or where a model of this name was built.

    A plain name that is no path is looked for as `results/<name>/model` here, as `<name>` in the
    folder that TANDEM_MODELS names, as `results/<name>/model` in Tandem's own checkout, and among
    the models that Tandem brings along. Names of pretrained encoders that packages carry stay as
    they are.

    Raises:
        TandemError: the name is empty or no text, or nothing has it; the message lists the places.
    """
    if isinstance(model, os.PathLike):
        return Path(model)
    if not isinstance(model, str):
        raise TandemError(f"{model!r} is no model. Give its folder, or a name such as small")
    if not model:
        raise TandemError("the model's name is empty. Give a folder, or a name such as small")
    path = Path(model)
    if path.exists() or not re.fullmatch(r"\w[\w.-]*", model):
        return path
    built, checkout = Path("results", model, "model"), ROOT.parent
    places = [built]
    if models := os.environ.get(MODELS):
        places.append(Path(models, model))
    if (checkout / "Snakefile").is_file() and not same(checkout, "."):
        places.append(checkout / built)
    places.append(SHIPPED / model)
    if folder := next(filter(Path.is_dir, places), None):
        return folder
    if model in PACKAGED:
        return path
    study = checkout / "workflow/studies" / model / "study.yaml"
    remedy = f"Give a model folder, or set {MODELS} to the folder that holds {model}"
    remedy += "; small comes with the package"
    if study.is_file() and "model" in (read_yaml(study).get("export") or {}):
        remedy += f". To build it, in {checkout}: snakemake --cores all {built}"
    looked = ", ".join(map(str, [path, *places[:-1]]))
    raise TandemError(f"there is no model {model} (looked for {looked}). {remedy}")


def load_model(model: Path, device: str = "cpu") -> SentenceEncoder:
    """Load what `find_model` returned: a model folder, or a pretrained encoder.

    The latter is one of PACKAGED, or a folder that the library transformers loads, or
    sentence-transformers, whose modules say how its states become a vector.

    Raises:
        TandemError: it is neither.
    """
    from tandem.encoders.model import SentenceEncoder

    listed = any((model / name).is_file() for name in ("config.json", "modules.json"))
    of_library = listed and not (model / "encoder.json").is_file()
    if of_library or (str(model) in PACKAGED and not model.exists()):
        from tandem.encoders.pretrained import load_pretrained

        return load_pretrained(str(model), device=device)
    return SentenceEncoder.of_folder(model, device)


def open_encoder(model: str, languages: Sequence[str], device: str = "cpu") -> Encode:
    """Load a model by its folder or name; return its function that encodes sentences on a device.

    Raises:
        TandemError: there is no such model, or it does not know one of the languages.
    """
    encoder = load_model(find_model(model), place(device))
    encoder.check(languages)
    return encoder.encode
