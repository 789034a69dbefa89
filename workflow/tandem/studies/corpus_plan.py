"""Where the results of a study are, and its corpora among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tandem.studies.study import Study


@dataclass(frozen=True)
class CorpusPlan:
    """A study with the places of its results, and those of its corpora.

    Attributes:
        home: the folder that holds its study.yaml.
        fetched: the files of every registered corpus, once it is fetched.
    """

    name: str
    home: Path
    study: Study
    fetched: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The folder of its results."""
        return str(Path("results") / (self.study.folder or self.name))

    def path(self, *parts: str | int) -> str:
        """Return the path of a result."""
        return "/".join([self.root, *map(str, parts)])

    @property
    def optional(self) -> list[str]:
        """The registered corpora that it can do without."""
        of_tasks = [name for task in self.study.tasks.values() for name in task.optional()]
        return [*(self.study.sts.optional() if self.study.sts else []), *of_tasks]

    @property
    def corpora(self) -> list[str]:
        """The corpora that experiments can be trained on."""
        study = self.study
        return [*study.bitexts, *study.backtranslations, *study.collections, *study.labelled]

    def sides(self, corpus: str) -> list[str]:
        """Return the two sides of a corpus, as in its file names: `en`, `cs`; or `en`, `en-bt`.

        A collection has none, nor have labelled pairs.
        """
        if corpus in self.study.collections or corpus in self.study.labelled:
            return []
        if corpus in self.study.bitexts:
            return list(self.study.bitexts[corpus].languages)
        target = self.study.translators[self.study.backtranslations[corpus].translator].target
        return [target, f"{target}-bt"]

    @property
    def samples(self) -> dict[str, str]:
        """The settings with a start, by their sample of a bitext; the others are called by size."""
        return {f"of-{name}": name for name, entry in self.study.settings.items() if entry.start}

    def sample_size(self, sample: str) -> int | None:
        """Return the size of a sample of a bitext."""
        setting = self.samples.get(sample)
        return self.study.settings[setting].pairs if setting else int(sample)

    def sources(self, corpus: str) -> list[str]:
        """Return the registered corpora behind a corpus."""
        if corpus in self.study.collections:
            return list(self.study.collections[corpus].sources)
        if corpus in self.study.labelled:
            return [self.study.labelled[corpus].source]
        if corpus in self.study.backtranslations:
            corpus = self.study.backtranslations[corpus].bitext
        return list(self.study.bitexts[corpus].sources)

    def held_out_whole(self, corpus: str) -> set[str]:
        """Return the registered corpora of a collection that are never trained on."""
        if corpus not in self.study.collections:
            return set()
        whole = self.study.collections[corpus].whole
        return {name for split, names in whole.items() if split != "train" for name in names}

    def mining_of(self, corpus: str) -> str | None:
        """Return the mining task that is hidden in a bitext, if there is one."""
        tasks = self.study.mining.items()
        return next((name for name, task in tasks if task.bitext == corpus), None)

    def held_out(self, corpus: str) -> list[str]:
        """Return the folder of that mining task, if there is one."""
        name = self.mining_of(corpus)
        return [self.path("mining", name)] if name else []

    @property
    def bleu(self) -> list[str]:
        """The measured quality of every translator whose text encoders are trained on."""
        texts = self.study.backtranslations
        corpora = {name for setting in self.study.settings.values() for name in setting.corpora}
        used = {texts[corpus].translator for corpus in corpora if corpus in texts}
        return [self.path("scores", name, "bleu.json") for name in sorted(used)]

    def trained_translator(self, corpus: str) -> str | None:
        """Return the translator of a back-translation, where it is trained here."""
        text = self.study.backtranslations.get(corpus)
        return text.translator if text and self.study.translators[text.translator].trained else None

    def shards(self, name: str) -> list[str]:
        """Return the shards of a back-translation, as paths without ending."""
        count = self.study.backtranslations[name].shards
        shards = [*(f"train.{shard}" for shard in range(count)), "valid.0", "test.0"]
        return [self.path("backtranslations", name, shard) for shard in shards]
