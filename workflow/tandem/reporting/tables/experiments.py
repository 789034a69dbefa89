"""A table of experiments: a row for each, a column for each figure of its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Names, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Experiments(Table):
    """Every figure of some tasks for some experiments, with 95% intervals."""

    title: str
    """Heading of the table."""
    encoders: Names
    """Encoders; each is a row in every setting."""
    settings: Names
    """What they are trained on."""
    tasks: Names
    """What they are scored on."""
    baselines: list[str] = []
    """Pretrained baselines, further rows."""
    notes: str = ""
    """Shown under the table."""

    def experiments(self, plan: Outline) -> list[str]:
        """Name the experiments, and the baselines in the first setting; any would do for these."""
        trained = plan.experiments(self.encoders, self.settings)
        return trained + plan.experiments(self.baselines, self.settings[:1])

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the scores of all experiments on all tasks."""
        names = self.experiments(plan)
        return {f"scores.{task}": plan.scores(names, task) for task in self.tasks}

    def build(self, material: Material) -> Report:
        """Make a row for each experiment, with its corpus and seeds."""
        import pandas as pd

        from tandem.reporting.writer import beside, columns, grid, page, quantity

        names = self.experiments(material.plan)
        units = dict.fromkeys(
            (task, unit) for name in names for task in self.tasks
            for unit in material.scores.units(name, task)
        )  # fmt: skip
        cells = [[material.scores.cell(name, *unit) for unit in units] for name in names]
        rows = []
        for name, row in zip(names, cells, strict=True):
            description = material.plan.described(name)
            line = {key: description.get(key) for key in ("name", "encoder", "setting", "pairs")}
            if name.split(".")[0] in self.baselines:
                line["setting"] = "pretrained"
            line["seed_count"] = max((len(cell.seeds) for cell in row if cell), default=0)
            for (task, unit), cell in zip(units, row, strict=True):
                line |= columns(f"{task}.{unit}", material.scores.metric(task), cell)
            rows.append(line)
        frame = pd.DataFrame(rows).rename(columns={"name": "experiment"})
        heads = [[str(row["encoder"]), str(row["setting"]), quantity(row["pairs"])] for row in rows]
        headings = ["Encoder", "Setting", "Pairs", *(f"{task}, {unit}" for task, unit in units)]
        intervals = "Means over seeds; in brackets, the 95% interval over items and seeds. "
        legend = intervals + "Best of each column in bold."
        text = page(f"# {self.title}", grid(headings, beside(heads, cells)), legend, self.notes)
        return Report(frame, text)

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Name the series as the rows of the Markdown table are: encoder and setting."""
        names = frame[["encoder", "setting"]].apply(", ".join, axis=1)
        return super().plot(figure, frame.assign(experiment=names), material)
