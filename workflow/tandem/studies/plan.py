"""Where a study's results are written, and what each is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tandem.registry import ConfigurationError, not_among
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.studies.corpus_plan import CorpusPlan
from tandem.studies.named_run import NamedRun
from tandem.studies.study import Trainable
from tandem.training.recipe import Recipe
from tandem.training.setting import Setting

UNSEEDED = 0
"""Stands for the seed of a pretrained baseline."""
DRAWN = {"pairs", "sources", "languages", "temperature", "weights"}
"""Keys of a setting that decide which pairs of a collection are drawn, and how often."""


class Plan(CorpusPlan):
    """A study with the places of all its results, and what each is made from."""

    # ---- Experiments: <encoder>.<setting>

    def experiments(self, encoders: Iterable[str], settings: Iterable[str]) -> list[str]:
        """Return the experiments of encoders in settings.

        Raises:
            ConfigurationError: there is no such setting, or it does not train such an encoder.
        """
        names = list(product(encoders, settings))
        for encoder, setting in names:
            if setting not in self.study.settings:
                raise ConfigurationError(f"no setting {not_among(setting, self.study.settings)}")
            available = [*self.study.settings[setting].encoders, *self.study.pretrained]
            if encoder not in available:
                problem = f"settings.{setting}.encoders has no {not_among(encoder, available)}"
                raise ConfigurationError(problem)
        return list(map(".".join, names))

    def encoder(self, experiment: str) -> Trainable:
        """Return the encoder of an experiment."""
        return self.study.encoders[experiment.split(".")[0]]

    def setting(self, experiment: str) -> Setting:
        """Return the setting of an experiment."""
        return self.study.settings[experiment.split(".")[1]]

    def recipe(self, experiment: str) -> Recipe:
        """Return how an experiment is trained."""
        return self.study.recipes[self.setting(experiment).encoders[experiment.split(".")[0]]]

    def _named_run(self, experiment: str) -> NamedRun:
        encoder, setting = experiment.split(".")[0], self.setting(experiment)
        recipe = setting.encoders[encoder]
        return NamedRun(encoder=encoder, objective=setting.objective_of(encoder), recipe=recipe)

    def run(self, experiment: str) -> dict[str, Any]:
        """Return what is trained and how, except the seed, as plain values."""
        run = self._named_run(experiment).run(self.study)
        return {**run, "trained": self.setting(experiment).trained}

    def training_files(self, experiment: str) -> list[Path]:
        """Return the files of the kinds that an experiment's training, and its encoder, need."""
        segmentation, setting = self.encoder(experiment).segmentation, experiment.split(".")[1]
        started = self.segmentation_files(segmentation, setting)
        return [*self._named_run(experiment).files(self.study), *started]

    def segmentation_files(self, segmentation: str, setting: str | None) -> list[Path]:
        """Return the files of the kinds that may segment the text of a setting, or of none.

        A model that training goes back to may have a segmentation of any kind, which is taken over;
        a pretrained one has a tokenizer.
        """
        kinds = [self.study.segmentations[segmentation].kind]
        if setting and self.saved_start(setting):
            kinds = [*SEGMENTATIONS.modules()]
        if setting and self.study.settings[setting].start_pretrained:
            kinds = ["tokenizer"]
        return [*map(SEGMENTATIONS.path, kinds)]

    def epochs(self, experiment: str) -> int:
        """Return the passes over its text that train an experiment; 0 for one that is not."""
        if self.pretrained(experiment) or not self.setting(experiment).trained:
            return 0
        return self.recipe(experiment).epochs

    def fewer_epochs(self, experiment: str) -> bool:
        """Whether an experiment is trained for fewer passes than the paper's.

        Its scores do not say what the paper's encoder would score: tables mark it, and a claim that
        involves it is not comparable.
        """
        return 0 < self.epochs(experiment) < (self.study.epochs or 0)

    def corpus(self, experiment: str, seed: int | str) -> str:
        """Return the corpus that a seed trains an experiment on."""
        corpora = self.setting(experiment).corpora
        return corpora[self.study.seeds.index(int(seed)) if len(corpora) > 1 else 0]

    def single_translator(self, experiment: str) -> str | None:
        """Return the translator whose text alone trains an experiment, if it could be another.

        Of a translator that others have released there is no other seed.
        """
        corpora = self.setting(experiment).corpora if self.epochs(experiment) else ()
        return self.trained_translator(corpora[0]) if len(corpora) == 1 else None

    def segmented(self, experiment: str, seed: int | str) -> str:
        """Return the folder of the segmented sample that a seed trains an experiment on."""
        setting, name = self.setting(experiment), experiment.split(".")[1]
        # settings that draw the same sample share it
        if setting.corpus in {*self.study.collections, *self.study.labelled}:
            drawn = self._same_draw(name)
        else:
            drawn = f"of-{self._same_draw(name)}" if setting.start else str(setting.pairs)
        if setting.pairs is None and not setting.start_experiment:  # every seed draws all
            seed = self.seeds(experiment)[0]
        corpus, segmentation = self.corpus(experiment, seed), self.encoder(experiment).segmentation
        return self.path("vocab", corpus, f"{drawn}-seed{seed}", segmentation)

    def _same_draw(self, name: str) -> str:
        """Return the first setting that draws the same pairs as this one, and starts as it does."""
        keys, settings = DRAWN | {"corpus", "start"}, self.study.settings.items()
        drawn = {other: setting.model_dump(include=keys) for other, setting in settings}
        return next(other for other, values in drawn.items() if values == drawn[name])

    def model(self, experiment: str, seed: int) -> str:
        """Return the folder of a trained encoder."""
        return self.path("models", experiment, f"seed{seed}")

    def text_of(self, experiment: str) -> list[str]:
        """Return the registered corpora that an experiment learns from, its start included."""
        setting = self.setting(experiment)
        before = self.text_of(setting.start_experiment) if setting.start_experiment else []
        read = [
            name
            for corpus in setting.corpora
            for name in self.sources(corpus)
            if name not in self.held_out_whole(corpus)
        ]
        return list(dict.fromkeys([*read, *before]))

    def saved_start(self, setting: str) -> str | None:
        """Return the folder of the model that training goes back to, by way of experiments too."""
        entry = self.study.settings[setting]
        if start := entry.start_experiment:
            return self.saved_start(start.split(".")[1])
        if name := entry.start_pretrained:
            return self.path("pretrained", name)
        return entry.start_folder

    def start_model(self, experiment: str, seed: int | str) -> list[str]:
        """Return the folder of the encoder that training starts from, or that an encoder is in."""
        if (whole := self.whole(experiment)) != experiment:
            return [self.model(whole, int(seed))]
        if self.token_vectors(experiment):
            return [self.path("starts", experiment, f"seed{seed}")]
        return self._of_start(self.setting(experiment), seed, self.model)

    def token_vectors(self, experiment: str) -> list[str]:
        """Return the pretrained models whose vectors of tokens training starts from."""
        if self.setting(experiment).start:
            return []
        return [self.study.pretrained[n].model for n in self.encoder(experiment).vectors]

    def part(self, experiment: str) -> str | None:
        """Return the folder within another model that an encoder is in; None: it has its own."""
        part = self.encoder(experiment).part
        return part.split("/", 1)[1] if part else None

    def whole(self, experiment: str) -> str:
        """Return the experiment that an encoder is trained in: its own, unless it is a part."""
        part = None if self.pretrained(experiment) else self.encoder(experiment).part
        return f"{part.split('/')[0]}.{experiment.split('.')[1]}" if part else experiment

    def computed(self, experiment: str) -> bool:
        """Whether an encoder is trained, and neither drawn nor taken from another model."""
        return self.setting(experiment).trained and self.part(experiment) is None

    def start_segmented(self, setting: str | None, seed: int | str) -> list[str]:
        """Return the folder with the segmenter that a setting takes over, if there is one."""
        return self._of_start(self.study.settings[setting], seed, self.segmented) if setting else []

    def _of_start(
        self, setting: Setting, seed: int | str, place: Callable[[str, int], str]
    ) -> list[str]:
        if start := setting.start_experiment:
            seeds = self.seeds(start)  # the same seed, or else the first
            return [place(start, int(seed) if int(seed) in seeds else seeds[0])]
        if name := setting.start_pretrained:
            return [self.path("pretrained", name)]
        return [setting.start_folder] if setting.start_folder else []

    def models(self, experiments: Iterable[str], seeds: Sequence[int] | None = None) -> list[str]:
        """Return the folders of the encoders that are trained here, for all seeds or for some."""
        names = [name for name in experiments if not self.pretrained(name)]
        return [self.model(name, seed) for name in names for seed in seeds or self.seeds(name)]

    def pretrained(self, experiment: str) -> str | None:
        """Return the model of a pretrained baseline; None for an encoder that is trained here."""
        baseline = self.study.pretrained.get(experiment.split(".")[0])
        return baseline.model if baseline else None

    def seeds(self, experiment: str) -> list[int]:
        """Return the seeds of an experiment; a pretrained baseline has none."""
        if self.pretrained(experiment):
            return [UNSEEDED]
        counts = [self.encoder(experiment).seeds, self.setting(experiment).seeds]
        return self.study.seeds[: min((n for n in counts if n is not None), default=None)]

    def scores(self, experiments: Iterable[str], task: str) -> list[str]:
        """Return the folders of scores of experiments on a task: a file for each seed.

        Raises:
            ConfigurationError: there is no such task.
        """
        if task not in self.study.tasks:
            raise ConfigurationError(f"no task {not_among(task, self.study.tasks)}")
        return [self.path("scores", name, task) for name in dict.fromkeys(experiments)]

    def described(self, experiment: str) -> dict[str, Any]:
        """Describe an experiment for tables."""
        name, setting = experiment.split(".")
        labelled = self.study.pretrained.get(name) or self.study.encoders[name]
        described = {"name": experiment, "encoder": labelled.label, "setting": setting}
        if name in self.study.pretrained:
            return described
        encoder, entry = self.study.encoders[name], self.study.settings[setting]
        # both sides of back-translated text are in the language of its first side
        sides = 2 if entry.corpus in self.study.backtranslations else 1
        pairs = entry.pairs if entry.trained else 0  # None: all of a collection
        return described | {
            "pairs": pairs,
            "english_sentences": None if pairs is None else sides * pairs,
            "dimension": encoder.architecture.dimension,
            "vocabulary": self.study.segmentations[encoder.segmentation].size,
        }

    def selection(self, experiment: str) -> list[str]:
        """Return the STS task, or the collection, that chooses the epoch, where one does."""
        setting = self.setting(experiment)
        if setting.selection == "similarity":
            return [self.path("corpora", "selection.tsv")]
        held_out = setting.selection == "retrieval" and setting.corpus in self.study.collections
        return [self.path("corpora", setting.corpus)] if held_out else []

    # ---- Tables

    def paper(self) -> list[str]:
        """Return the files that hold what the paper says: its claims and its figures."""
        files = (self.home / name for name in ("claims.yaml", "published.yaml"))
        return [str(file) for file in files if file.is_file()]

    def dump(self, table: str) -> dict[str, Any]:
        """Return the study with one of its tables and those that it refers to, as plain values."""
        every = self.study.tables
        kept = {name: every[name] for name in (table, *every[table].others()) if name in every}
        return self.study.model_copy(update={"tables": kept}).model_dump(mode="json")

    def all_scores(self, experiment: str) -> list[str]:
        """Return the scores of an experiment that some table reads."""
        start = self.path("scores", experiment) + "/"
        tables = self.study.tables.values()
        read = (path for table in tables for files in table.inputs(self).values() for path in files)
        return sorted({path for path in read if path.startswith(start)})

    # ---- Exports and targets

    @property
    def exported(self) -> list[str]:
        """The experiments that are also written for sentence-transformers."""
        return [
            f"{encoder}.{name}"
            for name in self.study.export.settings
            for encoder in self.study.settings[name].encoders
            if self.study.encoders[encoder].architecture.exportable
        ]

    @property
    def targets(self) -> list[str]:
        """All results of the study: tables, figures, claims, front page, exported models."""
        tables = [f"{name}.{ending}" for name in self.study.tables for ending in ("csv", "md")]
        drawn = [f"{name}.{ending}" for name in self.figures for ending in ("png", "pdf", "svg")]
        exported = [f"export/{name}" for name in self.exported]
        exported += ["model"] if self.study.export.model else []
        findings = ["claims.csv", "front.html"]
        return [*map(self.path, [*tables, *drawn, *exported, *findings]), *self.bleu]

    @property
    def figures(self) -> dict[str, str]:
        """The figures, as paths without ending, each with the table that draws it."""
        tables = self.study.tables.items()
        return {figure: name for name, table in tables for figure in table.figures(name)}
