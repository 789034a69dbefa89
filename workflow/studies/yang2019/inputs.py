"""What this study's rules read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tandem.translation.translator import TRANSLATORS
from yang2019.methods import comparable, texts
from yang2019.methods.mined import ORIGINS

if TYPE_CHECKING:
    from tandem.studies.plan import Plan
    from yang2019.tables.mined_pairs import MinedPairs
    from yang2019.tables.retrieval import Retrieval
    from yang2019.tables.translation import TranslationTable


class Inputs:
    """Inputs and parameters of the study's rules, by the language beside English.

    Attributes:
        searched: what is searched, by language; `searched_file` is its place.
        comparable: the mining tasks, by language; `comparable_folder` is their place.
        mined: how text is mined, and the translators trained on it.
        miners: the experiment whose encoder mines, by language.
        origins: where the pairs of a translator's text come from.
    """

    def __init__(self, plan: Plan) -> None:
        tables = plan.study.tables
        self.plan = plan
        self.searched = cast("Retrieval", tables["table1"]).texts
        self.searched_file = texts.path_of(plan, "{language}")
        self.comparable = cast("MinedPairs", tables["table5"]).tasks
        self.comparable_folder = comparable.path_of(plan, "{language}")
        self.mined = cast("TranslationTable", tables["table3"]).mined
        self.miners = self.mined.by_language(plan)
        self.origins = ORIGINS

    def within(self, language: str) -> list[str]:
        """Return the collection whose held-out pairs alone are searched, if there is one."""
        collection = self.searched[language].within
        return [self.plan.path("corpora", collection)] if collection else []

    def published(self, language: str) -> tuple[str, ...]:
        """Return the corpora of a published task; none for a task that is hidden in the text."""
        return self.comparable[language].published or ()

    def hidden_in(self, language: str) -> list[str]:
        """Return the text that a task is hidden in; none for a published task."""
        return [] if self.published(language) else [texts.path_of(self.plan, language)]

    def miner(self, language: str) -> list[str]:
        """Return the encoder that mines, trained with the first seed."""
        experiment = self.miners[language]
        return self.plan.models([experiment], self.plan.seeds(experiment)[:1])

    def miner_kinds(self, language: str) -> list[Path]:
        """Return the files of the kinds that this encoder needs."""
        return self.plan.training_files(self.miners[language])

    def miner_text(self, language: str) -> str:
        """Return the corpus whose splits choose thresholds and give translators their test text."""
        return self.plan.path("corpora", self.plan.setting(self.miners[language]).corpus)

    def translator(self, language: str, seed: int) -> dict[str, Any]:
        """Return the translator from English into a language, with a seed, as plain values."""
        sides = {"source": "en", "target": language, "seed": seed}
        return {**TRANSLATORS.dump(self.mined.translator), **sides}

    def translator_kind(self) -> Path:
        """Return the file of that translator's kind."""
        return TRANSLATORS.path(self.mined.translator.kind)
