"""Alignment and uniformity of an encoder: its sentences, means, draws."""

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.statistics.uniformity import nearness
from tandem.tasks.task import TASKS

SIZE = 60


class Drawn:
    """Gives a sentence, `<language> <number> <other number>`, a point that the first decides."""

    def __init__(self, languages=None):
        if languages:
            self.languages = languages

    def encode(self, sentences, language=None, batch_size=1024):
        assert all(text.startswith(f"{language} ") for text in sentences)
        assert len({*sentences}) == len(sentences)
        seeds = [[int(n) for n in text.split()[1:]] for text in sentences]
        points = [np.random.default_rng(seed[0]).standard_normal(5) for seed in seeds]
        return np.stack([point + 0.1 * seed[1] for point, seed in zip(points, seeds, strict=True)])


@pytest.fixture
def folder(tmp_path):
    lines = [
        f"{n}\t{code}\t{n % 2}\t{code} {n} 0\t{code} {n if n % 2 else n + 100} 1\n"
        for code in ("en", "de")
        for n in range(SIZE)
    ]
    (tmp_path / "test.tsv").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def task():
    return TASKS.parse({"kind": "uniformity", "corpus": "pairs"})


def test_figures(task, folder):
    items = task.score(Drawn(), {"pairs": folder})
    assert task.units(items) == [
        "alignment.en", "uniformity.en", "alignment.de", "uniformity.de", "alignment.mean",
        "uniformity.mean",
    ]  # fmt: skip
    assert len(items["alignment.en"]) == SIZE // 2 and len(items["uniformity.en"]) == 2 * SIZE
    mean = 100 * np.mean([items["alignment.en"].mean(), items["alignment.de"].mean()])
    assert task.estimate(items, "alignment.mean") == pytest.approx(mean)
    # points in all directions: between one spot, 0, and what 5 dimensions allow
    assert -400 < task.estimate(items, "uniformity.en") < -100
    # of a language 2 * SIZE sentences, of rows that share none
    assert task.count(items, "uniformity.mean") == SIZE


def test_some_languages(folder):
    some = TASKS.parse({"kind": "uniformity", "corpus": "pairs", "languages": ["de"]})
    items = some.score(Drawn(), {"pairs": folder})
    assert some.units(items)[:-2] == ["alignment.de", "uniformity.de"]
    with pytest.raises(TandemError, match="no pairs in a language of the encoder"):
        some.score(Drawn(["en"]), {"pairs": folder})


def test_draws_spread_as_new_samples_do(task):
    """The bootstrap of uniformity has the spread of the figure over samples of sentences."""

    def items(seed):
        points = np.random.default_rng(seed).standard_normal((80, 4)) + [1.0, 0, 0, 0]
        return {"uniformity.en": nearness(points), "uniformity.en__groups": np.arange(80)}

    figures = [task.estimate(items(seed), "uniformity.en") for seed in range(300)]
    draws = [task.draws([items(seed)], "uniformity.en", 400, 1).std() for seed in range(40)]
    assert np.mean(draws) == pytest.approx(np.std(figures), rel=0.2)


def test_draws_are_paired(task, folder):
    items = task.score(Drawn(), {"pairs": folder})
    for unit in task.units(items):
        draws = task.draws([items, items], unit, 50, 1)
        assert draws.shape == (2, 50) and np.array_equal(*draws) and draws.std() > 0
        assert draws.mean() == pytest.approx(task.estimate(items, unit), rel=0.1)
    other = {name: part for name, part in items.items() if "de" not in name}
    with pytest.raises(TandemError, match="read different languages"):
        task.draws([items, other], "alignment.mean", 50, 1)
    fewer = {name: part[1:] for name, part in items.items()}
    with pytest.raises(TandemError, match="judged different items"):
        task.draws([items, fewer], "alignment.en", 50, 1)


def test_languages_are_drawn_together(task):
    """Of equal figures in two languages, in another order, the mean is as uncertain as one."""
    values, groups = np.random.default_rng(1).random(200), np.arange(200) // 2
    turned = np.arange(200)[::-1]
    items = {"alignment.en": values, "alignment.en__groups": groups,
             "alignment.de": values[turned], "alignment.de__groups": groups[turned]}  # fmt: skip
    draws = {unit: task.draws([items], unit, 500, 1) for unit in ("alignment.en", "alignment.mean")}
    np.testing.assert_allclose(*draws.values())


def test_a_cross_encoder_has_no_vectors(task, folder, monkeypatch):
    monkeypatch.setattr("tandem.tasks.kinds.uniformity.is_scorer", lambda encoder: True)
    with pytest.raises(TandemError, match="a cross-encoder has no vectors"):
        task.score(Drawn(), {"pairs": folder})
