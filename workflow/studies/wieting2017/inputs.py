"""What this study's rules read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tandem.encoders.encoder import ENCODERS
from tandem.objectives.kinds.margin import Margin
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.tasks.task import TASKS

if TYPE_CHECKING:
    from tandem.studies.plan import Plan
    from tandem.studies.study import Trainable
    from tandem.translation.translator import Translator
    from wieting2017.tables.datasets import Datasets


class Inputs:
    """Inputs and parameters of the study's rules, by text and by the encoder that is compared.

    Attributes:
        experiment: the filtering experiments.
        words: the segmentation of all texts.
        scoring_files: the files that the scores of pairs depend on, besides what is imported.
        texts_of_people: the folders of the compared texts that are not translated.
        english_sides: the bitexts that the others are translated from, with their English sides.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.experiment = cast("Datasets", plan.study.tables["datasets"]).experiment
        self.words = plan.study.segmentations["words"]
        files = SEGMENTATIONS.path(self.words.kind), Margin.learner_file()
        self.scoring_files = [*files, *_of_model(self.experiment.cosine)]
        compared = self.experiment.compared
        self.texts_of_people = [
            plan.path("texts", name)
            for name, text in compared.items()
            if text.collection or text.bitext
        ]
        translated = [text.backtranslation for text in compared.values() if text.backtranslation]
        self.english_sides = {
            plan.path("corpora", plan.study.backtranslations[name].bitext): plan.sides(name)[0]
            for name in translated
        }

    def source(self, text: str) -> str:
        """Return the folder that a text is gathered from."""
        entry = self.experiment.texts[text]
        if entry.of:
            return self.plan.path("texts", entry.of)
        corpus = entry.backtranslation or entry.bitext or entry.collection
        return self.plan.path("corpora", cast("str", corpus))

    def translator(self, text: str) -> Translator | None:
        """Return the translator of a text, if it has one."""
        name, study = self.experiment.texts[text].backtranslation, self.plan.study
        return study.translators[study.backtranslations[name].translator] if name else None

    def translator_text(self, text: str) -> list[str]:
        """Return the bitext that a text's translator was trained on, if the study trained it."""
        translator = self.translator(text)
        if translator is None or translator.kind == "released":
            return []
        return [self.plan.path("corpora", translator.bitext)]

    def gathering(self, text: str) -> str:
        """Return how a text is gathered."""
        entry = self.experiment.texts[text]
        kind = "parallel" if entry.bitext else "versions"
        return entry.control or ("back-translated" if entry.backtranslation else kind)

    def sides(self, text: str) -> list[str] | None:
        """Return the two sides of what a text is gathered from, where it has two."""
        entry = self.experiment.texts[text]
        corpus = entry.backtranslation or entry.bitext
        return self.plan.sides(corpus) if corpus else None

    def words_start(self) -> list[str]:
        """Return the file of word vectors that training starts from, whose words are learned."""
        return [file for file in [self.experiment.start] if file and not Path(file).is_dir()]

    def encoder(self, compared: str) -> Trainable:
        """Return the encoder that an entry of the comparison names."""
        return self.plan.study.encoders[self.experiment.encoders[compared].encoder]

    def start(self, compared: str) -> list[str]:
        """Return what training starts from: a file or an encoder, or nothing."""
        if self.experiment.baseline:
            dimension = self.encoder(compared).architecture.dimension
            return [self.plan.path("starts", f"{dimension}.bin")]
        return [self.experiment.start] if self.experiment.start else []

    def scores(self, text: str, compared: str) -> str:
        """Return the file of the scores of an encoder on every condition of a text."""
        return self.plan.path("scores/conditions", f"{text}.{compared}.json")

    def seeds(self, compared: str) -> list[int]:
        """Return the seeds that an encoder is trained with."""
        return self.plan.study.seeds[: self.encoder(compared).seeds]

    def threads(self, compared: str) -> int:
        """Return how many processor threads its trainings take."""
        return self.plan.study.recipes[self.experiment.encoders[compared].recipe].threads

    def tasks(self) -> dict[str, dict[str, Any]]:
        """Return what encoders are scored on, as plain values."""
        names = {"development": self.experiment.development, "test": self.experiment.test}
        names |= {name: name for name in self.experiment.further}
        return {key: TASKS.dump(self.plan.study.tasks[name]) for key, name in names.items()}

    def kinds(self, compared: str) -> list[Path]:
        """Return the files of the kinds that the scores of conditions depend on."""
        tasks = [TASKS.path(task["kind"]) for task in self.tasks().values()]
        encoder = self.experiment.encoders[compared].files(self.plan.study)
        return [*encoder, *tasks, *_of_model(self.experiment.start)]


def _of_model(model: str | None) -> list[Path]:
    """Return the files of the kinds that a saved model may be of, which are all; none for None."""
    registries = (ENCODERS, SEGMENTATIONS) if model else ()
    return [registry.path(kind) for registry in registries for kind in registry.modules()]
