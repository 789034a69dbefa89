"""What this study's rules read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tandem.studies.plan import Plan
    from wieting2020.tables.text import Text


class Inputs:
    """Inputs and parameters of the study's rules.

    Attributes:
        text: what is made of held-out text.
        gathered: the bitexts whose held-out pairs are gathered.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.text = cast("Text", plan.study.tables["text"])
        self.gathered = {probe.bitext for probe in self.text.probes.values()}
        self.styles = plan.path("styles")

    def probed(self, name: str) -> str:
        """Return the file or folder that a probing set is made from."""
        probe = self.text.probes[name]
        if probe.kind == "version":
            return self.styles
        return self.plan.path("held-out", f"{probe.bitext}.tsv")
