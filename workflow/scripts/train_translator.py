"""Train a translator, or make one of a released model."""

from pathlib import Path

from _adapter import logged
from tandem.translation.fitting import read_bitext
from tandem.translation.marian import adopt_marian
from tandem.translation.marian_training import MarianConfig, train_marian
from tandem.translation.rnn import RnnConfig
from tandem.translation.rnn_training import train_rnn

SPLITS = ("train", "valid")
TRAINED = {"rnn": (RnnConfig, train_rnn), "marian": (MarianConfig, train_marian)}
RELEASED = ("beam", "prefix", "revision")

with logged(snakemake.log[0]) as log:
    settings = dict(snakemake.params.translator)
    kind, corpus, source, target = (settings.pop(k) for k in ("kind", "bitext", "from", "to"))
    scratch = Path(snakemake.params.scratch)
    if kind == "released":
        adopt_marian(settings["model"], scratch, **{name: settings[name] for name in RELEASED})
    else:
        bitexts = (read_bitext(snakemake.input.bitext, s, source, target) for s in SPLITS)
        configuration, fit = TRAINED[kind]
        fit(*bitexts, configuration(**settings), scratch)
    scratch.rename(snakemake.output.folder)
