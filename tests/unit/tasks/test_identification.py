"""Paraphrases are told by a threshold from other pairs, in each class and direction."""

import numpy as np
import pytest

from tandem.corpora.families import row_groups
from tandem.corpora.labelled import Row
from tandem.errors import TandemError
from tandem.tasks.task import TASKS

GROUPS = {"trained": ["en"], "zero-shot": ["de", "fr"]}
DIRECTIONS = ("en-de", "en-fr", "de-en", "de-fr", "fr-en", "fr-de")


class Angles:
    """Gives a sentence, `<language> <angle>`, the unit vector of that angle."""

    languages = ("en", "de", "fr")

    def encode(self, sentences, language=None, batch_size=1024):
        assert all(text.startswith(f"{language} ") for text in sentences)
        angles = np.array([float(text.split()[1]) for text in sentences])
        return np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)


def write(folder, count=12, shift=0.0):
    """Write splits in which paraphrases are 0.1 apart, and others 0.5; in French 0.3 and 0.2."""
    for split in ("valid", "test"):
        lines = []
        for code in Angles.languages:
            for n in range(count):
                if split == "test" and code == "fr" and n == 5:
                    continue  # not translated
                label = n % 3 == 0
                apart = (0.3 if label else 0.2) if code == "fr" else (0.1 if label else 0.5)
                first = 0.01 * n
                lines.append(
                    f"{n}\t{code}\t{int(label)}\t{code} {first}\t{code} {first + apart + shift}\n"
                )
        (folder / f"{split}.tsv").write_text("".join(lines))
    return folder


@pytest.fixture
def task():
    return TASKS.parse({"kind": "identification", "corpus": "pairs", "groups": GROUPS,
                        "classes": ["intra", "translation", "paraphrase"]})  # fmt: skip


@pytest.fixture
def items(task, tmp_path):
    return task.score(Angles(), {"pairs": write(tmp_path)})


def test_directions_and_means(task, items):
    units = task.units(items)
    intra = [f"intra.{code}" for code in Angles.languages]
    across = [f"{kind}.{d}" for kind in ("translation", "paraphrase") for d in DIRECTIONS]
    assert units[:3] == intra and set(across) < set(units)
    assert task.estimate(items, "intra.en") == task.estimate(items, "intra.de") == 100
    # what is labelled 0 is nearer in French: the best threshold takes everything for different
    assert task.estimate(items, "intra.fr") == pytest.approx(100 * 7 / 11)
    mean = np.mean([100, 100, 100 * 7 / 11])
    assert task.estimate(items, "intra.mean") == pytest.approx(mean)
    assert task.estimate(items, "intra.trained") == 100
    assert task.estimate(items, "intra.zero-shot") == pytest.approx((100 + 100 * 7 / 11) / 2)
    assert "translation.trained" not in units and "translation.zero-shot" in units
    assert task.count(items, "intra.mean") == 11  # rows 0 and 10 share a sentence
    assert task.count(items, "paraphrase.en-fr") == 10


def test_translations_are_the_first_sentences_of_both(task, items):
    """Of a row labelled 1 both are equal here, so that they are told in any direction."""
    for direction in ("en-de", "de-en", "en-fr", "fr-en"):
        assert task.estimate(items, f"translation.{direction}") == 100
    # the second French sentence of a paraphrase is further than that of others
    assert task.estimate(items, "paraphrase.en-fr") < 100


def test_details_have_the_other_figures(task, items):
    english = task.details(items)["directions"]["intra.en"]
    assert english["auc_x100"] == english["average_precision_x100"] == english["f1_x100"] == 100
    assert english["equal_error_x100"] == 0 and english["pairs"] == 12
    assert np.cos(0.5) < english["threshold"] < np.cos(0.1)
    french = task.details(items)["directions"]["intra.fr"]
    assert french["auc_x100"] == 0 and french["positive_x100"] == pytest.approx(100 * 4 / 11, 1e-3)


def test_the_threshold_is_that_of_the_validation_split(task, tmp_path):
    folder = write(tmp_path)
    lines = (folder / "test.tsv").read_text()
    (tmp_path / "other").mkdir()
    moved = write(tmp_path / "other", shift=1.0)
    (moved / "valid.tsv").write_text((folder / "valid.tsv").read_text())
    items = task.score(Angles(), {"pairs": moved})
    # all test pairs are far apart: nothing is taken for a paraphrase
    assert task.estimate(items, "intra.en") == pytest.approx(100 * 8 / 12)
    assert lines != (moved / "test.tsv").read_text()


def test_draws_are_paired(task, items):
    draws = task.draws([items, items], "intra.mean", 50, 1)
    assert draws.shape == (2, 50) and np.array_equal(draws[0], draws[1])
    assert draws.std() > 0
    fewer = {key: value for key, value in items.items() if "fr" not in key}
    with pytest.raises(TandemError, match="judged different"):
        task.draws([items, fewer], "intra.mean", 50, 1)


def test_rows_are_resampled_in_all_directions_together(task):
    """Languages that tell the same rows right say no more than one of them, in any order."""
    rows, random = np.arange(200), np.random.default_rng(1)
    right, order = random.random(200) < 0.7, random.permutation(200)[:190]
    items = {"intra.en": right, "intra.en__groups": rows}
    items |= {"intra.de": right[order], "intra.de__groups": rows[order]}
    alone, mean = (task.draws([items], f"intra.{name}", 4000, 1) for name in ("en", "mean"))
    assert mean.std() == pytest.approx(alone.std(), rel=0.05)
    items["intra.de"] = random.random(190) < 0.7  # and others as much as two of them
    assert task.draws([items], "intra.mean", 4000, 1).std() < 0.85 * alone.std()


def test_rows_that_share_a_sentence_are_resampled_together(task, tmp_path):
    """What an encoder makes of a sentence goes into the answers about all of its pairs."""
    right = np.repeat(np.random.default_rng(1).random(100) < 0.7, 4)
    apart, together = ({"intra.en": right, "intra.en__groups": groups}
                       for groups in (np.arange(400), np.repeat(np.arange(100), 4)))  # fmt: skip
    spread = [task.draws([some], "intra.en", 4000, 1).std() for some in (apart, together)]
    assert spread[1] == pytest.approx(2 * spread[0], rel=0.1)
    assert task.count(together, "intra.en") == 100

    def row(name, language, first, second):
        return Row(name, language, 1, first, second)

    english = [row("1", "en", "a", "b"), row("2", "en", "c", "B"), row("3", "en", "d", "e")]
    german = [row("1", "de", "x", "y"), row("3", "de", "z", "x"), row("4", "de", "a", "v")]
    groups = row_groups({"en": {r.identifier: r for r in english},
                         "de": {r.identifier: r for r in german}})  # fmt: skip
    assert groups["1"] == groups["2"] == groups["3"] != groups["4"]


def test_the_mean_of_classes_is_that_of_their_means(task, items):
    means = [task.estimate(items, f"{kind}.mean") for kind in task.classes]
    assert task.units(items)[-1] == "mean"
    assert task.estimate(items, "mean") == pytest.approx(np.mean(means))
    assert task.count(items, "mean") == task.count(items, "intra.mean")  # the same rows
    assert task.draws([items], "mean", 500, 1).mean() == pytest.approx(np.mean(means), abs=2)


def test_languages_that_are_not_known_are_left_out(task, tmp_path):
    class English(Angles):
        languages = ("en",)

    items = task.score(English(), {"pairs": write(tmp_path)})
    assert [unit for unit in task.units(items) if "." in unit] == [
        "intra.en", "intra.mean", "intra.trained",
    ]  # fmt: skip

    class Czech(Angles):
        languages = ("cs",)

    class WithoutFrench(Angles):
        languages = ("en", "de")

    # the mean of a group's languages is not that of some of them
    items = task.score(WithoutFrench(), {"pairs": tmp_path})
    assert "intra.trained" in task.units(items) and "intra.zero-shot" not in task.units(items)
    with pytest.raises(TandemError, match="no pairs in a language of the encoder"):
        task.score(Czech(), {"pairs": tmp_path})
