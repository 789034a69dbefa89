"""What is trained beside a semantic encoder, in the folder of its model.

languages/<language>/   the encoder of what is peculiar to a language, a model like any other
decoders/               decoders.safetensors and decoders.json: what writes sentences
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import torch
from pydantic import Field
from safetensors.torch import save_file
from torch import Tensor

from tandem.corpora.register import Code
from tandem.encoders.composition import from_parameters
from tandem.encoders.kinds.posterior import Posterior
from tandem.encoders.model import SentenceEncoder
from tandem.errors import InputError
from tandem.files import saved
from tandem.files.io import write_json
from tandem.generation.networks import Networks, language
from tandem.generation.tables import Tables
from tandem.objectives.kinds.generative import Generative
from tandem.objectives.objective import OBJECTIVES
from tandem.registry import Named, Settings
from tandem.training.course import part_of

if TYPE_CHECKING:
    from tandem.objectives.objective import Objective

DECODERS = "decoders"
_ARRAYS, _SETTINGS = "decoders.safetensors", "decoders.json"


class Description(Settings):
    """What decoders.json holds."""

    objective: Annotated[Generative, Named(OBJECTIVES)]
    languages: Annotated[list[Code], Field(min_length=2, max_length=2)]
    """Of the first and the second side."""


def write(
    folder: Path,
    encoder: SentenceEncoder,
    objective: Objective,
    languages: tuple[str, ...],
    parameters: Mapping[str, Tensor],
) -> None:
    """Write the language encoders and the decoders into the folder of a semantic encoder.

    `parameters` are networks and tables, by their names in `Networks`. What was measured of the
    semantic encoder is not written of the others.
    """
    origin = {key: value for key, value in encoder.metadata.items() if key != "quality"}
    rest = {name: tensor.detach().cpu().contiguous() for name, tensor in parameters.items()}
    for side, code in enumerate(languages):
        prefix = f"encoders.{language(side)}."
        inside = part_of(rest, prefix)
        if not inside:
            continue
        rest = {name: tensor for name, tensor in rest.items() if not name.startswith(prefix)}
        inside["embedding"] = rest.pop(language(side))
        metadata = origin | {"part": f"what is peculiar to {code}"}
        place = folder / "languages" / code
        place.mkdir(parents=True)
        from_parameters(encoder.segmenter, encoder.kind, inside, metadata, "cpu").write(place)
    place = folder / DECODERS
    place.mkdir()
    save_file(rest, place / _ARRAYS)
    stored = {"objective": OBJECTIVES.dump(objective), "languages": list(languages)}
    write_json(place / _SETTINGS, stored)
    saved.seal(place)


class Generator:
    """A model that writes sentences.

    Attributes:
        encoder: of meaning; `languages` those of what is peculiar to a language, by its code.
        networks: with the decoders, in evaluation; `tables` are what they read and score with.
        sides: the languages of both sides.
    """

    def __init__(self, folder: str | Path, device: str = "cpu") -> None:
        """Read a model that was trained with the objective `generative`.

        Raises:
            InputError: the folder holds no such model, or not as it was written.
        """
        folder = Path(folder)
        self.encoder = SentenceEncoder.load(folder, device)
        place = folder / DECODERS
        if not place.is_dir():
            problem = "a model without decoders, which writes no sentences"
            remedy = "Give one that was trained with the objective generative"
            raise InputError(folder, None, problem, remedy)
        saved.check(place, _SETTINGS, _ARRAYS)
        described = saved.read(place / _SETTINGS, Description.model_validate)
        self.objective, self.sides = described.objective, described.languages
        kind = self.encoder.kind
        if not isinstance(kind, Posterior):
            problem = f"an encoder of kind {kind.kind}, which no decoders belong to"
            raise InputError(folder, None, problem, saved.REMEDY)
        with torch.device("meta"):
            self.networks = Networks(kind, self.objective)
        tables = self.networks.table_shapes(len(self.encoder.segmenter))
        shapes: dict[str, tuple[int, ...]] = {n: s for n, s in tables.items() if "." in n}
        states = self.networks.state_dict().items()
        shapes |= {k: tuple(v.shape) for k, v in states if k.startswith("decoders.")}
        arrays = saved.read_arrays(
            place / _ARRAYS, lambda: {k: (v, np.dtype(np.float32)) for k, v in shapes.items()}
        )
        tensors = {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}
        self.tables = Tables({name: tensors.pop(name) for name in tables if "." in name})
        self.networks.load_state_dict(tensors, strict=False, assign=True)
        self.networks.eval()
        present = folder / "languages"
        codes = [code for code in self.sides if (present / code).is_dir()]
        self.languages = {code: SentenceEncoder.load(present / code, device) for code in codes}
