"""The encoder and the objective that `tandem train` is asked for, by name and KEY=VALUE."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, get_origin

from tandem.cli import argument
from tandem.encoders.encoder import ENCODERS, Encoder
from tandem.errors import TandemError, shown
from tandem.files.io import parse_yaml
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.own_bitext.recipes import small
from tandem.registry import ConfigurationError, K, Named, Registry
from tandem.segmentation.segmentation import SEGMENTATIONS

_WITHOUT_MEAN = ("posterior", "scorer")
"""Kinds whose vector is no mean over the sentence, whatever their settings."""


def setting(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; the value is YAML. argparse.ArgumentTypeError if it is not."""
    key, sign, value = text.partition("=")
    if not (key and sign):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not KEY=VALUE")
    try:
        return key, parse_yaml(argument.text(value), key, "Mend the value")
    except TandemError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def encoder_of(arguments: Mapping[str, Any], usual: str) -> Encoder | None:
    """Return the encoder that is asked for, of the usual kind if of no other; None: none is.

    Raises:
        ConfigurationError: a setting does not fit the encoder.
    """
    settings = {"dimension": arguments["dimension"]} if "dimension" in arguments else {}
    chosen = dict(arguments.get("encoder_setting", ()))
    if any(chosen.get(key, value) != value for key, value in settings.items()):
        raise ConfigurationError("--dimension and --encoder-setting dimension=...: give one")
    settings |= chosen
    if arguments["objective"] == "generative" and not arguments["model"]:
        usual = "posterior"
    elif "encoder" not in arguments and not settings:
        return None
    kind, segmentation = arguments.get("encoder", usual), arguments.get("segmentation")
    if kind == "posterior":
        settings = _small_posterior(settings)
    if segmentation and "grouped" in ENCODERS.kind(kind).model_fields:
        settings = {"grouped": SEGMENTATIONS.kind(segmentation).grouped} | settings
    return _parsed(ENCODERS, kind, settings)


def objective_of(options: argparse.Namespace) -> Objective | None:
    """Return the objective that is asked for; None: the margin loss with its defaults.

    Raises:
        ConfigurationError: a setting does not fit the objective.
    """
    settings = dict(vars(options).get("objective_setting", ()))
    if options.objective is None and not settings:
        return None
    kind = options.objective or "margin"
    return _parsed(OBJECTIVES, kind, small(kind, vars(options).get("dimension")) | settings)


def _small_posterior(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a posterior with those of a small one for what they leave out.

    That holds inside its body too, so that one setting of it can be changed alone.
    """
    usual = small("posterior", settings.get("dimension"))
    chosen = {key: value for key, value in settings.items() if key != "dimension"}
    body = chosen.get("body", usual["body"])
    if not isinstance(body, Mapping):  # refused later, with what it should be
        return usual | chosen
    if body.get("kind") in _WITHOUT_MEAN or body.get("pooling", "mean") != "mean":
        raise ConfigurationError(
            "body: the vector of a posterior's body is a mean over the sentence. Leave out its "
            "pooling, or give another kind"
        )
    alike = body.get("kind", usual["body"]["kind"]) == usual["body"]["kind"]
    rest = usual["body"] if alike else {"dimension": usual["body"]["dimension"]}
    return usual | chosen | {"body": {**rest, **body}}


def _parsed(registry: Registry[K], kind: str, settings: Mapping[str, Any]) -> K:
    """Return a kind with these settings, of which lists may be A,B."""
    fields = registry.kind(kind).model_fields
    values: dict[str, Any] = {"kind": kind}
    for key, value in settings.items():
        field = fields.get(key)
        values[key] = value
        if field and get_origin(field.annotation) is tuple and not isinstance(value, list):
            if not isinstance(value, str):
                raise ConfigurationError(f"{key}: {value} is no list. Write {key}=A,B")
            values[key] = [part.strip() for part in value.split(",")]
        inner = field and any(isinstance(note, Named) for note in field.metadata)
        if inner and not (isinstance(value, Mapping) and "kind" in value):
            raise ConfigurationError(
                f"{key}: {value} is no kind with its settings. Write "
                f"'{key}={{kind: transformer, layers: 2}}'"
            )
    return registry.parse(values)
