"""From sentence pairs to a model folder: clean, hold out, segment, train, calibrate, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, overload

from tandem.encoders.measured import Languages, name_of
from tandem.encoders.model import SentenceEncoder, is_unfinished
from tandem.errors import TandemError
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_json
from tandem.files.outputs import check
from tandem.files.unfinished import workspace
from tandem.own_bitext import recipes
from tandem.own_bitext.asked import Asked, plain, start_in_words
from tandem.own_bitext.division import ORIGINS, beside, divide, losses, main_training, pairs_in
from tandem.own_bitext.inputs import Source, apart, described, refuse_same_text, written
from tandem.own_bitext.quality import CROWD, examples, quality
from tandem.own_bitext.selection import selection
from tandem.own_bitext.stopping import put_in_place, stopping
from tandem.own_bitext.vocabulary import segment, unknown
from tandem.segmentation.segmenter import Segmenter
from tandem.text import Pair
from tandem.training import run as training
from tandem.training.history import Epoch
from tandem.training.pairs import load_pairs
from tandem.training.run import Run
from tandem.version import __version__

Texts = Iterable[Pair] | Mapping[Languages, Iterable[Pair]]


@overload
def train(
    bitext: Iterable[Pair],
    languages: Sequence[str],
    out: str | Path,
    *,
    also: Iterable[Pair] = (),
    overwrite: bool = False,
    resume: bool = False,
    after_epoch: Callable[[Epoch], object] = lambda epoch: None,
    **asked: Any,  # noqa: ANN401
) -> SentenceEncoder: ...


@overload
def train(
    bitext: Mapping[Languages, Iterable[Pair]],
    *,
    out: str | Path,
    also: Mapping[Languages, Iterable[Pair]] = ...,
    overwrite: bool = False,
    resume: bool = False,
    after_epoch: Callable[[Epoch], object] = lambda epoch: None,
    **asked: Any,  # noqa: ANN401
) -> SentenceEncoder: ...


def train(
    bitext: Texts,
    languages: Sequence[str] = (),
    out: str | Path = "",
    *,
    also: Texts = (),
    overwrite: bool = False,
    resume: bool = False,
    after_epoch: Callable[[Epoch], object] = lambda epoch: None,
    **asked: Any,  # noqa: ANN401
) -> SentenceEncoder:
    """Train an encoder on sentence pairs and write it as a model folder.

    Pairs are cleaned, and repetitions removed. Three sets of pairs without a text in common with
    the training pairs are held out: to stop on, to calibrate thresholds on, and to report on. The
    recipe follows from the amount of text; few pairs start from `small`. What was measured is in
    the encoder's `metadata["quality"]`. More languages are learned with one vocabulary where the
    text is by pairs of them: `train({("en", "de"): pairs, ("en", "fr"): others}, out="model")`.

    A training that was stopped goes on where it was when it is called again with the same pairs
    and settings, and ends with the same bytes. Ctrl-C writes the best epoch so far. With others,
    `overwrite` without `resume` begins anew; what was stopped stays until the model is complete.

    Args:
        bitext: pairs (first, second), such as those of `read_bitext`; or such pairs by languages.
        languages: codes of the two sides, such as ("en", "de"), unless the text is by languages.
        out: the model folder to write.
        also: more pairs, trained on and never held out, of which `also_per_pair` are drawn for each
            of `bitext`; by languages where the text is.
        overwrite: `out` may be an earlier model, which is replaced.
        resume: `out` may be the best epoch of this training, from when it was stopped.
        after_epoch: called with each epoch: its number, loss and P@1 x 100 on held-out pairs; of a
            generative objective minus the loss on these.
        asked: fields of `Asked`, such as `start` or `seed`; settings of its recipe, such as
            `epochs` or `threads`, and of its segmentation, such as `size`, may stand by themselves.

    Returns:
        The encoder after the epoch that is best on held-out pairs.

    Raises:
        TandemError: too few pairs are left, settings contradict each other, or `out` is not free.
        KeyboardInterrupt: it was stopped.
    """
    bitexts = _by_languages(bitext, languages)
    if not str(out):
        raise TandemError("say which folder to write: out=...")
    how, place = Asked(apart(bitexts), **_settings(asked)), Path(out)
    free = partial(check, place, [], folder=True)
    read = partial(written, bitexts, also=_beside(also, languages, bitexts))
    return build(how, read, place, free, overwrite, resume, after_epoch=after_epoch)


def _settings(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of `Asked`; TandemError names what is none of its settings."""
    settings = recipes.grouped(asked)
    if unknown := settings.keys() - {entry.name for entry in fields(Asked)} | {"pairs"} & {*asked}:
        problem = f"no setting of a training is called {' or '.join(sorted(unknown))}"
        raise TandemError(f"{problem}. See `Asked`, `Recipe` and `Segmentation`")
    return settings


def _beside(
    also: Texts, languages: Sequence[str], bitexts: Iterable[Languages]
) -> dict[Languages, Iterable[Pair]]:
    """Return text that is only trained on by its languages, which `bitexts` must have, too."""
    more = _by_languages(also, languages) if also else {}
    for sides in more:
        if set(sides) not in map(set, bitexts):
            problem = f"also: {name_of(sides)} has no text to hold out"
            raise TandemError(f"{problem}. Give it in the first argument")
    return more


def _by_languages(bitext: Texts, languages: Sequence[str]) -> dict[Languages, Iterable[Pair]]:
    """Return the text by the languages of its sides; TandemError where these are unclear."""
    if isinstance(bitext, Mapping) == bool(languages) or not (languages or bitext):
        raise TandemError(
            'say which languages the text is in: train(pairs, ("en", "de"), ...), or '
            'train({("en", "de"): pairs, ("en", "fr"): others}, ...)'
        )
    texts: dict[Languages, Iterable[Pair]] = {}
    for sides, pairs in bitext.items() if isinstance(bitext, Mapping) else [(languages, bitext)]:
        codes = list(sides) if isinstance(sides, Sequence) and not isinstance(sides, str) else []
        if len(codes) != 2 or not all(isinstance(code, str) for code in codes):
            raise TandemError(f'{sides!r} is not two languages. Give such as ("en", "de")')
        texts[codes[0], codes[1]] = pairs
    return texts


def build(
    how: Asked,
    read: Callable[[Path], list[Source]],
    place: Path,
    free: Callable[[bool], None],
    overwrite: bool,
    resume: bool,
    tell: Callable[[str], object] = lambda line: None,
    after_epoch: Callable[[Epoch], object] = lambda epoch: None,
) -> SentenceEncoder:
    """Train as `train` does, into the folder `place`.

    Args:
        read: returns the corpora and their languages; inputs that must be copied go into the folder
            it receives.
        free: refuses, before the work and after it, a place that is not free; its argument tells
            whether an earlier output may be there.
        overwrite: an earlier model is replaced, and work of other settings may begin.
        resume: the best epoch of this training is replaced.
        tell: called with messages on the way.
        after_epoch: called with each epoch.
    """
    free(overwrite or resume)
    with workspace(place) as space:
        sources = read(space.folder)
        refuse_same_text(sources)
        beside, precious = overwrite and not resume, "text" if resume else "checkpoint"
        settled = partial(_settled, how)
        goes_on = space.begin(_description(how, sources), beside, precious, settled)
        again = overwrite or (resume and goes_on and is_unfinished(place))
        free(again)
        text, ids, checkpoint, model = space.parts("text", "ids", "checkpoint", "model")
        if not text.exists():
            divide(how, sources, text)
        main_pairs = _pairs(text.parent, "own")
        usual, how = how.start == "auto", how.started(main_pairs)
        for line in start_in_words(how, main_pairs) if usual else ():
            tell(line)
        if not ids.exists():
            with atomic_folder(ids) as temporary:
                learned = how.trained.segmenter if how.trained else None
                segment(text, how.pairs, how.segmentation, learned, temporary)
        encoder = _train(how, text, ids, checkpoint, model, tell, after_epoch)
        put_in_place(model, place, encoder, free, again)
    return encoder


def _description(how: Asked, sources: Sequence[Source]) -> dict[str, Any]:
    """Return all that decides what becomes of some text, as plain values."""
    return {"version": __version__, **described(sources), **how.description()}


def _settled(how: Asked, description: Mapping[str, Any], work: Path) -> Mapping[str, Any]:
    """Return a description with the settings that follow from the text of some work, if it has."""
    pairs = _pairs(work, "train")
    if not pairs or description["version"] != __version__:
        return description
    return how.settled(description, pairs, _pairs(work, "own"))


def _pairs(work: Path, which: str) -> int:
    """Return how many pairs the text of some work has, to train on or one's own; 0 if none."""
    return sum(read_json(path).get(which, 0) for path in work.glob("text/*/splits.json"))


def _train(
    how: Asked,
    text: Path,
    ids: Path,
    checkpoint: Path,
    model: Path,
    tell: Callable[[str], object],
    after_epoch: Callable[[Epoch], object],
) -> SentenceEncoder:
    """Train on all pairs, measure how good the encoder is, and write the model."""
    names = [name_of(languages) for languages in how.pairs]
    parts = [
        {split: load_pairs(ids / name, split, languages) for split in ("train", "valid")}
        for name, languages in zip(names, how.pairs, strict=True)
    ]
    sizes = [len(part["train"].left) for part in parts]
    objective, recipe = recipes.followed(sum(sizes), how.kind, how.objective, **how.recipe)
    segmenter = Segmenter.load(ids)
    settings = recipes.in_words(len(segmenter), objective, recipe)
    tell(f"training on {sum(sizes):,} pairs{_listed(names, sizes)}: {settings}")
    for name, part in zip(names, parts, strict=True):
        for line in (*losses(text / name), *unknown(**part, beside=beside(text / name))):
            tell(line if len(parts) == 1 else f"{name}: {line}")
        if len(parts) > 1 and part["train"].longest < 2:
            problem = f"{name}: fewer than two pairs have a token that is known on both sides"
            raise TandemError(f"{problem}. Give more text of this pair, or leave it out")
    run = Run(how.kind, objective, recipe, how.seed)
    chosen_by = selection(objective, ids, how.pairs, [part["valid"] for part in parts])
    with stopping() as stop:
        encoder, history = training.train_encoder(
            run, segmenter, [part["train"] for part in parts], chosen_by.select, checkpoint,
            how.device, start=how.trained, stopped=stop, after_epoch=after_epoch,
            held_out=chosen_by.held_out,
        )  # fmt: skip
    origin = _origin(how, text, encoder, tell)
    training.save_trained(model, encoder, history, origin, score=chosen_by.score)
    return encoder


def _listed(names: Sequence[str], sizes: Sequence[int]) -> str:
    """Return how many pairs there are of each pair of languages, in words; nothing of one."""
    parts = (f"{size:,} of {name}" for name, size in zip(names, sizes, strict=True))
    return f" ({', '.join(parts)})" if len(names) > 1 else ""


def _origin(
    how: Asked, text: Path, encoder: SentenceEncoder, tell: Callable[[str], object]
) -> dict[str, Any]:
    """Return what the metadata say of the text and of the encoder's quality; show examples."""
    texts, qualities = {}, {}
    for languages in how.pairs:
        name = name_of(languages)
        folder = text / name
        texts[name] = {part: read_json(folder / f"{part}.json") for part in ("cleaning", "splits")}
        for part in (cleaning := texts[name]["cleaning"], cleaning.get("also", {})):
            part.pop("examples", None)  # a model does not hold its text
        if "unfinished" in encoder.metadata:
            continue
        tested = list(pairs_in(folder, "test", languages))
        crowd = list(islice(main_training(folder, languages), CROWD))
        qualities[name] = quality(encoder, tested, crowd, languages)
        for line in examples(encoder, tested, languages):
            tell(line if len(how.pairs) == 1 else f"{name}: {line}")
    parts = {"text": texts, "quality": qualities} if qualities else {"text": texts}
    if len(how.pairs) == 1:
        parts = {key: part for key, values in parts.items() for part in values.values()}
    # what was begun by an earlier version has none
    origins = read_json(text / ORIGINS) if (text / ORIGINS).exists() else {}
    return {"languages": plain(how.pairs), **parts, **origins}
