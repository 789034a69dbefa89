"""Figure 1: readable labels, what it prints, and the same bytes each time."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from tandem.errors import TandemError
from tandem.reporting.plots import save
from wieting2019.methods.correlations import Draws, correlations
from wieting2019.methods.distance import DISTANCES
from wieting2019.methods.drawing import AXES, LABEL, figure1
from wieting2019.tables.figure1 import Figure1

GROUPS = ("Latin", "Cyrillic", "Arabic, Hebrew", "Brahmic", "East Asian")


def points(languages: int = 46, seeds: int = 3) -> pd.DataFrame:
    """Languages in two dense clusters, as separate alphabets give them."""
    rng = np.random.default_rng(5)
    latin = np.arange(languages) < 0.65 * languages
    spread = rng.uniform(0.2, 1.0, languages) if seeds > 1 else np.nan
    return pd.DataFrame(
        {
            "panel": "verses",
            "marked": False,
            "language": [f"l{number:02}" for number in range(languages - 1)] + ["sr-Latn"],
            "script_group": np.where(
                latin, "Latin", np.array(GROUPS)[1 + np.arange(languages) % 4]
            ),
            "seeds": seeds,
            "score": 60 + 2 * latin + rng.normal(0, 0.8, languages),
            "score_sd": spread,
            "gain": 5 + 2 * latin + rng.normal(0, 0.8, languages),
            "gain_sd": spread,
            "branch": [f"b{number % 12}" for number in range(languages)],
            "overlap_types": np.where(latin, 0.45, 0.15) + rng.normal(0, 0.05, languages),
            "overlap_tokens": rng.random(languages),
        }
        | {name: rng.uniform(0.1, 0.3, languages) for name in DISTANCES}
    )


def table(points: pd.DataFrame) -> pd.DataFrame:
    """What is printed over the panels."""
    return correlations(points, Draws(20, 20, 1), ["gain"], list(AXES))


def drawn(points: pd.DataFrame) -> Figure:
    return figure1(points, table(points), GROUPS)


def misplaced_labels(figure: Figure) -> list[tuple[str, str]]:
    """Labels of a drawn figure that hide something: (label, "frame", "point" or other label)."""
    renderer = figure.canvas.get_renderer()
    found = []
    for axes in figure.axes:
        frame = axes.get_window_extent(renderer)
        points = np.concatenate(
            [
                drawn.get_offset_transform().transform(drawn.get_offsets())
                for drawn in axes.collections
                if isinstance(drawn, PathCollection)
            ]
        )
        placed = {}
        for label in (text for text in axes.texts if text.get_gid() == LABEL):
            name, box = label.get_text(), label.get_window_extent(renderer)
            found += [(name, other) for other, box_ in placed.items() if box.overlaps(box_)]
            if box.count_contains(points):
                found.append((name, "point"))
            if frame.count_contains(box.corners()) < 4:
                found.append((name, "frame"))
            placed[name] = box
    return found


def test_no_label_hides_anything() -> None:
    frame = points()
    figure = drawn(frame)
    assert misplaced_labels(figure) == []
    for axes in figure.axes:
        labels = [text.get_text() for text in axes.texts if text.get_gid() == LABEL]
        assert sorted(labels) == sorted(frame["language"])


def test_the_check_of_labels_finds_what_is_hidden() -> None:
    frame = points(languages=8)
    figure = drawn(frame)
    first, second, third = (t for t in figure.axes[0].texts[:3])
    first.set_position(second.get_position())
    third.set(x=0.9, y=0.999, transform=figure.axes[0].transAxes)
    found = misplaced_labels(figure)
    assert (second.get_text(), first.get_text()) in found
    assert (third.get_text(), "frame") in found
    row = frame.iloc[4]
    second.set(x=row["overlap_types"], y=row["gain"], ha="center", va="center")
    assert (second.get_text(), "point") in misplaced_labels(figure)


def test_the_figure_prints_the_numbers_of_the_table() -> None:
    frame = points()
    printed = table(frame)
    titles = [axes.get_title(loc="left") for axes in drawn(frame).axes]
    for title, predictor in zip(titles, ("overlap_types", "featural"), strict=True):
        rows = printed[(printed["predictor"] == predictor) & (printed["held"] == "")]
        everyone, low = rows.iloc[0], rows[rows["cluster"] == "low"].iloc[0]
        assert f"ρ × 100 = {everyone['rho_x100']:.0f} (95%".replace("-", "−") in title
        assert "n = 46)" in title and f"(n = {low['n']}); high" in title


def test_clusters_and_seeds_are_visible() -> None:
    frame = points(languages=24, seeds=1)
    figure = drawn(frame)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"overlap ≥ 0.3", "overlap < 0.3", "threshold by 2-means"} <= set(legend)
    assert "95% interval over seeds" not in legend  # one seed has no spread
    filled = {
        bool((c.get_facecolor()[0, :3] < 1).any()): len(c.get_offsets())
        for c in figure.axes[0].collections
        if len(c.get_offsets()) > 1
    }
    assert filled[True] == (frame["overlap_types"] >= 0.3).sum()


def test_the_same_points_give_the_same_bytes(tmp_path: Path) -> None:
    frame = points(languages=12)
    suffixes = ("pdf", "svg", "png")
    for name in "ab":
        paths = [tmp_path / f"{name}.{suffix}" for suffix in suffixes]
        save(drawn(frame), paths)
    for suffix in suffixes:
        first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in "ab")
        assert first == second and len(first) > 5000


def test_one_setting_and_few_groups() -> None:
    frame = points(languages=12)
    printed = table(frame)
    with pytest.raises(TandemError, match="shows one setting"):
        figure1(pd.concat([frame, frame.assign(marked=True)]), printed, GROUPS)
    with pytest.raises(TandemError, match="8 groups of scripts"):
        figure1(frame, printed, [f"g{number}" for number in range(8)])


def legend(figure) -> list[str]:
    """Return the entries of a figure's legend."""
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_shows_the_clusters_of_the_data_where_the_papers_threshold_leaves_one_empty() -> None:
    frame = points()
    assert "overlap ≥ 0.3" in legend(drawn(frame))
    low = frame.assign(overlap_types=frame["overlap_types"] / 2)
    printed = table(low)
    threshold = printed[printed["split"] == "data"]["threshold"].iloc[0]
    figure = drawn(low)
    assert f"overlap ≥ {threshold:.2g}" in legend(figure)
    assert "threshold 0.3" not in legend(figure)
    n = (low["overlap_types"] >= threshold).sum()
    assert f"(n = {n})" in figure.axes[0].get_title(loc="left").split("high overlap: ")[1]


def test_a_figure_for_each_panel_and_marker() -> None:
    panels = {
        "a": {"sources": ["x"], "pieces": 60, "encoders": {"marked": True}, "batches": 2},
        "b": {"sources": ["y"], "pieces": 60},
    }
    table = Figure1(panels=panels, uriel="u")
    assert table.figures("figure1") == ["figure1", "figures/figure1-marked", "figures/figure1-b"]
    assert table.sources() == ["u", "x", "y"]
    assert table.codes({"x": ("en", "cs"), "y": ("de",)}) == {"a": ["cs"], "b": ["de"]}
