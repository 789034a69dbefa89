"""Train a translator, or make one of a released model."""

from pathlib import Path

from _adapter import logged
from tandem.io import read_lines
from tandem.translation.fitting import Bitext
from tandem.translation.marian import adopt_marian
from tandem.translation.marian_training import MarianConfig, train_marian
from tandem.translation.rnn import RnnConfig
from tandem.translation.rnn_training import train_rnn

TRAINED = {"rnn": (RnnConfig, train_rnn), "marian": (MarianConfig, train_marian)}

with logged(snakemake.log[0]) as log:
    settings = dict(snakemake.params.translator)
    kind, corpus, source, target = (settings.pop(k) for k in ("kind", "bitext", "from", "to"))
    scratch = Path(snakemake.params.scratch)
    if kind == "released":
        kept = {name: settings[name] for name in ("beam", "prefix", "revision")}
        adopt_marian(settings["model"], scratch, **kept)
    else:
        sides = Path(snakemake.input.bitext)
        train, valid = (
            Bitext(*(list(read_lines(sides / f"{split}.{side}")) for side in (source, target)))
            for split in ("train", "valid")
        )
        configuration, fit = TRAINED[kind]
        fit(train, valid, configuration(**settings), scratch)
    scratch.rename(snakemake.output.folder)
