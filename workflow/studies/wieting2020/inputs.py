"""What this study's rules read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tandem.studies.plan import Plan
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
        restyled: the experiments whose models restyle, with so large a `beam`.
        autoencoders: the experiments whose likelihood is measured.
        measured: how it is: sentences, draws, seed.
    """

    def __init__(self, plan: Plan) -> None:
        tables = plan.study.tables
        self.plan = plan
        self.text = cast("Text", tables["text"])
        self.gathered = {probe.bitext for probe in self.text.probes.values()}
        self.styles = plan.path("styles")
        transfer = cast("StyleTransfer", tables["styles"])
        examples = cast("StyleExamples", tables["table4"])
        self.restyled = [*transfer.experiments(plan), examples.experiment]
        self.beam = transfer.beam
        likelihood = cast("LikelihoodTable", tables["likelihood"])
        self.autoencoders = likelihood.experiments(plan)
        self.measured = likelihood.model_dump(include={"sentences", "draws", "seed"})

    def probed(self, name: str) -> str:
        """Return the file or folder that a probing set is made from."""
        probe = self.text.probes[name]
        if probe.kind == "version":
            return self.styles
        return self.plan.path("held-out", f"{probe.bitext}.tsv")

    def text_of(self, experiment: str) -> str:
        """Return the corpus that an experiment is trained on."""
        return self.plan.path("corpora", self.plan.setting(experiment).corpus)
