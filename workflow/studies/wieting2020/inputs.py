"""What this study's rules read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from wieting2020.methods.transfer import MANNERS

if TYPE_CHECKING:
    from pathlib import Path

    from tandem.studies.plan import Plan
    from wieting2020.tables.architectures import Architectures
    from wieting2020.tables.likelihood import LikelihoodTable
    from wieting2020.tables.style_examples import StyleExamples
    from wieting2020.tables.styles import StyleTransfer
    from wieting2020.tables.text import Text


class Inputs:
    """Inputs and parameters of the study's rules.

    Attributes:
        text: what is made of held-out text.
        gathered: the bitexts whose held-out pairs are gathered.
        styles: the folder of the versions of a text.
        probing: the files of the probing sets, and what each is made from, `probed`.
        restyled: the experiments whose models restyle, in which `manners`, with so large a `beam`.
        autoencoders: the experiments whose likelihood is measured.
        measured: how it is: sentences, draws, seed.
        timed: the tables whose models are timed, by name.
    """

    def __init__(self, plan: Plan) -> None:
        tables = plan.study.tables
        self.plan = plan
        self.text = cast("Text", tables["text"])
        self.gathered = {probe.bitext for probe in self.text.probes.values()}
        self.styles = plan.path("styles")
        self.probing = self.text.inputs(plan)["probing"]
        self.probed = [
            self.styles if probe.kind == "version" else plan.path("held-out", f"{probe.bitext}.tsv")
            for probe in self.text.probes.values()
        ]
        transfer = cast("StyleTransfer", tables["styles"])
        examples = cast("StyleExamples", tables["table4"])
        self.restyled = [*transfer.experiments(plan), examples.experiment]
        self.beam, self.manners = transfer.beam, MANNERS
        likelihood = cast("LikelihoodTable", tables["likelihood"])
        self.autoencoders = likelihood.experiments(plan)
        self.measured = likelihood.model_dump(include={"sentences", "draws", "seed"})
        self.timed = {
            name: cast("Architectures", table)
            for name, table in tables.items()
            if table.kind == "architectures"
        }

    def timed_experiments(self, table: str) -> list[str]:
        """Return the experiments that a table times."""
        return self.timed[table].experiments(self.plan)

    def timed_text(self, table: str) -> list[str]:
        """Return the segmented text of each of them."""
        plan = self.plan
        names = self.timed_experiments(table)
        return [plan.segmented(name, plan.seeds(name)[0]) for name in names]

    def timed_sides(self, table: str) -> dict[str, list[str]]:
        """Return the languages of the text of each of them."""
        plan = self.plan
        names = self.timed_experiments(table)
        return {name: plan.sides(plan.setting(name).corpus) for name in names}

    def timed_files(self, table: str) -> list[Path]:
        """Return the files of the kinds that a table times."""
        files = map(self.plan.training_files, self.timed_experiments(table))
        return sorted({path for paths in files for path in paths})

    def text_of(self, experiment: str) -> str:
        """Return the corpus that an experiment is trained on."""
        return self.plan.path("corpora", self.plan.setting(experiment).corpus)
