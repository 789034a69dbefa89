"""Faults of a study in which each value is right by itself, but contradicts another."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

from tandem.encoders.encoder import Encoder
from tandem.errors import TandemError
from tandem.objectives.objective import Objective
from tandem.registry import not_among
from tandem.segmentation.segmentation import Segmentation
from tandem.studies.study import Study
from tandem.training.recipe import Recipe
from tandem.training.setting import Setting

RESERVED = {"sts", "downloads"}
"""Folders beside those of the corpora."""

REFERENCES = {
    "mining": {"bitext": "bitexts"},
    "translators": {"bitext": "bitexts"},
    "backtranslations": {"bitext": "bitexts", "translator": "translators"},
    "encoders": {"segmentation": "segmentations", "vectors": "pretrained"},
    "settings": {"corpus": "corpora"},
    "tasks": {"corpus": "corpora"},
}
"""By section: the keys of its entries that name an entry of another section, or several, and that
section."""


def cross_faults(study: Study, datasets: Collection[str]) -> Iterator[str]:
    """Yield what is inconsistent between keys: names that do not exist, and impossible sizes.

    `datasets` are the names of the registered corpora.
    """
    corpora = [*study.bitexts, *study.backtranslations, *study.collections, *study.labelled]
    pairs = [*combinations(("bitexts", "backtranslations", "collections", "labelled"), 2)]
    for first, second in (*pairs, ("encoders", "pretrained")):
        for name in getattr(study, second):
            if name in getattr(study, first):
                yield f"{second}.{name}: {first} has this name too"
    for name in RESERVED.intersection(corpora):
        yield f"no corpus can be named {name}: its folder holds something else"
    yield from _table_faults(study)
    for place, name, section in _references(study):
        entries = corpora if section == "corpora" else getattr(study, section)
        if name not in entries:
            yield f"{place}: no {section} entry {not_among(name, entries)}"
    for place, source in _sources(study):
        if source not in datasets:
            yield f"{place}: no register lists {not_among(source, datasets)}"
    yield from _encoder_faults(study)
    yield from _objective_faults(study)
    yield from _language_faults(study)
    yield from _size_faults(study)
    yield from _turn_faults(study)
    for name in study.settings:
        yield from (f"settings.{name}.start: {fault}" for fault in _start_faults(study, name))
    yield from _whole_faults(study)
    yield from _collection_faults(study)
    yield from _export_faults(study)


def _table_faults(study: Study) -> Iterator[str]:
    """Yield the tables whose file would be another's."""
    if "claims" in study.tables:
        yield "tables.claims: claims.csv holds the claims of all tables. Give it another name"


def _references(study: Study) -> Iterator[tuple[str, str, str]]:
    """Yield (place, name, section): the name used at a place, and where it must be defined."""
    for section, keys in REFERENCES.items():
        for name, entry in getattr(study, section).items():
            for key, other in keys.items():
                if named := getattr(entry, key, None):  # not every kind of task has one
                    every = (named,) if isinstance(named, str) else named
                    yield from ((f"{section}.{name}.{key}", target, other) for target in every)
    for name, setting in study.settings.items():
        objectives = setting.objective
        if isinstance(objectives, str):
            yield f"settings.{name}.objective", objectives, "objectives"
        else:
            for encoder, objective in objectives.items():
                yield f"settings.{name}.objective", encoder, "encoders"
                yield f"settings.{name}.objective.{encoder}", objective, "objectives"
        for encoder, recipe in setting.encoders.items():
            yield f"settings.{name}.encoders", encoder, "encoders"
            yield f"settings.{name}.encoders.{encoder}", recipe, "recipes"
    for name in study.export.settings:
        yield "export.settings", name, "settings"


def _sources(study: Study) -> Iterator[tuple[str, str]]:
    """Yield (place, name) of the registered corpora that the study names."""
    for section in ("bitexts", "collections"):
        for name, corpus in getattr(study, section).items():
            yield from ((f"{section}.{name}.sources", source) for source in corpus.sources)
    for name, entry in study.labelled.items():
        yield f"labelled.{name}.source", entry.source
    for name, task in study.mining.items():
        yield from ((f"mining.{name}", source) for source in task.published())
    for name, table in study.tables.items():
        yield from ((f"tables.{name}", source) for source in table.sources())
    for name, scored in study.tasks.items():
        yield from ((f"tasks.{name}", source) for source in scored.optional())
    if study.sts is not None:
        yield from ((f"sts.{key}", source) for key, source in study.sts.archives().items())


def _encoder_faults(study: Study) -> Iterator[str]:
    """Yield the encoders that cannot read what their segmentation gives."""
    for name, entry in study.encoders.items():
        segmentation = study.segmentations.get(entry.segmentation)
        if segmentation and not entry.architecture.reads(segmentation):
            kind = entry.architecture.kind
            yield f"encoders.{name}: {kind} with these settings does not read {segmentation.kind}"
        if entry.vectors and (entry.part or entry.architecture.kind == "pretrained"):
            yield f"encoders.{name}.vectors: its tokens have vectors already; leave it out"


def _objective_faults(study: Study) -> Iterator[str]:
    """Yield what encoders of settings lack: an objective that can train them, or their whole."""
    for name, setting in study.settings.items():
        for encoder in setting.encoders:
            place = f"settings.{name}.encoders.{encoder}"
            if not isinstance(setting.objective, str) and encoder not in setting.objective:
                yield f"settings.{name}.objective: none for {encoder}"
                continue
            entry = study.encoders.get(encoder)
            objective = study.objectives.get(setting.objective_of(encoder))
            if entry is None or objective is None:
                continue  # `_references` says so
            if entry.part is None:
                recipe = study.recipes.get(setting.encoders[encoder], Recipe())
                segmentation = study.segmentations.get(entry.segmentation)
                refused = _refusals(objective, entry.architecture, recipe, segmentation)
                yield from (f"{place}: {fault}" for fault in refused)
                continue
            whole = entry.part.split("/")[0]
            other = study.encoders.get(whole)
            if whole not in setting.encoders or other is None or not setting.trained:
                yield f"{place}: a part of {whole}, which is not trained in this setting"
            elif (other.architecture, other.segmentation) != (
                entry.architecture, entry.segmentation
            ):  # fmt: skip
                yield f"encoders.{encoder}: give the architecture and segmentation of {whole}"
            elif (other.seeds or len(study.seeds)) < (entry.seeds or len(study.seeds)):
                yield f"encoders.{encoder}.seeds: {whole}, which it is a part of, has fewer"


def _refusals(
    objective: Objective, encoder: Encoder, recipe: Recipe, segmentation: Segmentation | None
) -> Iterator[str]:
    """Yield why an objective cannot train an encoder of a segmentation by a recipe."""
    try:
        objective.check(encoder, segmentation=segmentation)
        recipe.check(objective, encoder)
    except TandemError as error:
        yield str(error)


def _language_faults(study: Study) -> Iterator[str]:
    """Yield the entries that name languages which their bitext does not have."""
    needed = [(f"translators.{name}", translator.bitext, {translator.source, translator.target})
              for name, translator in study.translators.items()]  # fmt: skip
    needed += [(f"backtranslations.{name}", backtranslation.bitext, {chosen.source, chosen.target})
               for name, backtranslation in study.backtranslations.items()
               if (chosen := study.translators.get(backtranslation.translator))]  # fmt: skip
    needed += [(f"mining.{name}", task.bitext, {"en", task.language})
               for name, task in study.mining.items()]  # fmt: skip
    for place, bitext, languages in needed:
        if bitext in study.bitexts and languages != set(study.bitexts[bitext].languages):
            yield f"{place}: {bitext} is not of {' and '.join(sorted(languages))}"


def _size_faults(study: Study) -> Iterator[str]:
    hidden = [task.bitext for task in study.mining.values()]
    for name, task in study.mining.items():
        if hidden.count(task.bitext) > 1:
            yield f"mining.{name}: {task.bitext} has another mining task; give it one"
    for name, setting in study.settings.items():
        for backtranslation in filter(None, map(study.backtranslations.get, setting.corpora)):
            if 0 < (most := backtranslation.pairs or 0) < (setting.pairs or 0):
                yield f"settings.{name}.pairs: {setting.pairs}, but only {most} are translated"
        if setting.selection == "similarity" and study.sts is None:
            yield f"settings.{name}.selection: similarity needs the section sts"


def _turn_faults(study: Study) -> Iterator[str]:
    """Yield corpora that cannot take turns, and settings with more seeds than corpora.

    Two seeds that read one translator's text would not be independent of each other.
    """
    for name, setting in study.settings.items():
        if not setting.turns:
            continue
        texts = study.backtranslations
        for corpus in (corpus for corpus in setting.corpora if corpus not in texts):
            yield f"settings.{name}.turns: no back-translation {not_among(corpus, texts)}"
        if len({texts[corpus].bitext for corpus in setting.corpora if corpus in texts}) > 1:
            yield f"settings.{name}.turns: back-translations of several bitexts"
        counts = [study.encoders[e].seeds for e in setting.encoders if e in study.encoders]
        most = max((count or len(study.seeds) for count in counts), default=0)
        if min(most, setting.seeds or most) > (several := len(setting.corpora)):
            yield f"settings.{name}.seeds: more than the corpora that take turns; give {several}"


def _collection_faults(study: Study) -> Iterator[str]:
    """Yield values that are for collections in the settings of bitexts, and the reverse."""
    for name, setting in study.settings.items():
        chosen = setting.selection
        labelled = setting.corpus in study.labelled
        if (chosen == "labels") > labelled:
            yield f"settings.{name}.selection: labels is for labelled pairs; give another"
        if setting.corpus in study.collections and chosen == "loss":
            yield f"settings.{name}.selection: loss is for bitexts; similarity, retrieval or last"
        if labelled and chosen in ("retrieval", "loss"):
            yield f"settings.{name}.selection: {chosen} is for bitexts; similarity or last"
        if setting.corpus in study.collections:
            continue
        if labelled and setting.pairs is not None:
            yield f"settings.{name}.pairs: labelled.{setting.corpus}.pairs says it; give null"
        if not labelled and setting.pairs is None:
            yield f"settings.{name}.pairs: null is for collections; give a number"
        for key in ("sources", "languages", "temperature", "weights", "pools"):
            if getattr(setting, key) != Setting.model_fields[key].default:
                yield f"settings.{name}.{key}: {setting.corpus} is no collection; leave it out"


def _whole_faults(study: Study) -> Iterator[str]:
    for name, collection in study.collections.items():
        for split, sources in collection.whole.items():
            for source in sources:
                if source not in collection.sources:
                    absent = not_among(source, collection.sources)
                    yield f"collections.{name}.whole.{split}: no source {absent}"


def _export_faults(study: Study) -> Iterator[str]:
    for name in study.export.settings:
        if name in study.settings and not study.settings[name].trained:
            yield f"export.settings: {name} trains nothing that could be exported"
    exportable = [
        f"{encoder}.{name}"
        for name, setting in study.settings.items()
        for encoder in setting.encoders
        if setting.trained and encoder in study.encoders
        if study.encoders[encoder].architecture.exportable
    ]
    if study.export.model not in (None, *exportable):
        yield f"export.model: no exportable encoder {not_among(study.export.model, exportable)}"


def _start_faults(study: Study, name: str) -> Iterator[str]:
    """Yield why the training of a setting cannot start from what it names."""
    setting, start = study.settings[name], study.settings[name].start_experiment
    if setting.start is not None and not setting.trained:
        yield f"{name} is not trained; leave start out, or train it"
    if setting.start_pretrained and setting.start_pretrained not in study.pretrained:
        yield f"no pretrained {not_among(setting.start_pretrained, study.pretrained)}"
    if start is None:
        return
    settings = study.settings.items()
    experiments = [f"{encoder}.{other}" for other, entry in settings for encoder in entry.encoders]
    if start not in experiments:
        yield f"no experiment {not_among(start, experiments)}"
        return
    encoder, other = start.split(".")
    if not study.settings[other].trained:
        yield f"{other} is not trained; leave start out, or train it"
    for beginner in setting.encoders:
        yield from _differences(study, beginner, encoder)
    if circle := _circle(study, name, other):
        yield f"{' starts from '.join(circle)}; begin with one that has no start"


def _differences(study: Study, encoder: str, start: str) -> Iterator[str]:
    """Yield the differences between an encoder and its start that must not be."""
    if not {encoder, start} <= study.encoders.keys():
        return
    for key in ("architecture", "segmentation"):
        if getattr(study.encoders[encoder], key) != getattr(study.encoders[start], key):
            yield f"{start} has another {key} than {encoder}; they must be the same"


def _circle(study: Study, name: str, other: str) -> list[str]:
    """Return the settings that start from each other in a circle, if `name` leads into one."""
    passed = [name]
    while (following := study.settings.get(other)) and other not in passed:
        passed.append(other)
        other = (following.start_experiment or "").partition(".")[2]
    return [*passed, other] if other in passed else []
