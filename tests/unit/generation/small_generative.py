"""Small generative models, and text that they learn in seconds."""

from dataclasses import replace

from small_runs import TYPES, bitext

from tandem.encoders.encoder import ENCODERS
from tandem.objectives.kinds.generative import Generative
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of

BODY = {
    "kind": "transformer", "pooling": "mean", "dimension": 32, "hidden": 32, "heads": 2,
    "filter": 32, "layers": 1,
}  # fmt: skip
LSTM = {"kind": "lstm", "dimension": 32, "hidden": 16}
AVERAGING = {"kind": "averaging", "dimension": 32}
MODELS = {
    "english-ae": {
        "reconstructs": "first", "translates": "none", "language_variables": False, "prior": False
    },
    "english-vae": {"reconstructs": "first", "translates": "none", "language_variables": False},
    "english-trans": {
        "reconstructs": "none", "translates": "second", "language_variables": False, "prior": False
    },
    "bilingual-trans": {
        "reconstructs": "none", "translates": "both", "language_variables": False, "prior": False
    },
    "bgt-without-language": {"language_variables": False},
    "bgt-without-prior": {"prior": False},
    "bgt": {},
}  # fmt: skip
"""The settings of the seven models (wieting2020, section 4.1)."""


def posterior(body=BODY, latent=24):
    return ENCODERS.parse({"kind": "posterior", "body": body, "latent": latent})


def generative(**settings):
    small = {
        "dimension": 32, "heads": 2, "filter": 32, "tokens": 120, "annealing": 1000, "dropout": 0.1
    }  # fmt: skip
    return Generative(**small | settings)


def run(model="bgt", body=BODY, seed=1, recipe=None, **settings):
    values = {"epochs": 3, "learning_rate": 0.005, "dropout": 0.1, "warmup": 5} | (recipe or {})
    objective = generative(**MODELS[model] | settings)
    return Run(posterior(body), objective, Recipe(**values), seed)


def text(count=150):
    return replace(bitext(count), languages=("en", "fr"))


def course(described, count=150, device="cpu"):
    return course_of(described, TYPES, [text(count)], device)
