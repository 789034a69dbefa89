"""Figures 3 and 4, Tables 2 and 3: models, of which some may not have begun to learn."""

from __future__ import annotations

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material
from tandem.reporting.tables.comparison import Comparison, Marked
from wieting2020.methods import standing
from wieting2020.methods.standing import Floor


class Models(Comparison):
    """A comparison that marks what is below its encoder untrained, or has not begun to learn."""

    untrained: Floor | None = None
    """The models' encoder untrained: what is below it, or has not begun to learn, is marked."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all models, of each task in its settings, and what they learned."""
        folders = super().inputs(plan)
        learned = (name for names in self.experiments(plan) for name in names)
        for key, paths in standing.inputs(plan, learned, self.untrained).items():
            folders[key] = list(dict.fromkeys([*folders.get(key, []), *paths]))
        return folders

    def marked(self, material: Material) -> Marked:
        """Mark models by how they stand."""
        names = dict.fromkeys(sum(self.experiments(material.plan), []))
        stands = standing.standings(material, names, self.untrained)
        marks = {name: entry.mark for name, entry in stands.items()}
        return Marked(marks, standing.NOTE if stands else "", standing.withheld(stands))

    def further_rows(self, material: Material) -> list[list[str]]:
        """Return what the most frequent label would score, for each column that has one."""
        least = self._chance(material)
        return [["Most frequent label", "", *least]] if any(least) else []

    def _chance(self, material: Material) -> list[str]:
        """Return what the most frequent label would score, for each column that has one."""
        shares: dict[tuple[str, str], float] = {}
        for names in self.experiments(material.plan):
            for figure, name in zip(self.columns, names, strict=True):
                for details in material.scores.details(name, figure.task)[:1]:
                    for entry in details.get("sets", []):
                        shares.setdefault((figure.task, entry["set"]), entry["chance_x100"])
        keys = [(figure.task, figure.unit) for figure in self.columns]
        return [f"{shares[key]:.1f}" if key in shares else "" for key in keys]
