"""The guard of claims between encoders: has each begun to learn, and stopped improving."""

from types import SimpleNamespace

import pytest

from tandem.errors import InputError
from tandem.reporting import learned
from tandem.training.history import Epoch, history_lines

STOPPED = [1.0, 60, 75, 79, 80, 80.2, 80.1, 80.1, 80.2]
RISING = [1.0, 30, 50, 62, 70]


@pytest.mark.parametrize(
    ("curves", "said"),
    [
        ([STOPPED, STOPPED], ""),
        ([RISING], "has not stopped improving (11.6% of what it gained came in the last 25%"),
        ([[1.0, 80]], "has not stopped improving (100.0%"),  # one pass says nothing of a second
        ([STOPPED, [5.0, 4, 5]], "has not begun to learn (best validation score 5.0, untrained 5"),
        ([STOPPED, []], "it has no validation scores"),
        ([STOPPED, [50.0]], "it has no validation scores"),
    ],
)
def test_what_keeps_an_encoder_from_being_compared(curves, said):
    assert learned.shortfall(curves).startswith(said)
    assert bool(learned.shortfall(curves)) == bool(said)


def test_the_last_quarter_counts_beside_the_whole_gain():
    assert learned.late_share([0.0, 50, 80, 90, 100]) == pytest.approx(0.1)
    assert learned.late_share([-20.0, 0, 60, 80, 70]) == 0  # losses with their sign turned, too
    # the mean over seeds decides, since one seed's last epoch may be lucky
    lucky = [0.0, 90, 97, 97, 100]
    assert learned.shortfall([lucky]) and not learned.shortfall([lucky, STOPPED])


def test_what_few_validation_items_change_by_chance_bars_nobody():
    curve = [58.0, 70, 75, 76, 76.6]  # 0.6 of 18.6 points in the last pass
    assert learned.shortfall([curve]).startswith("has not stopped improving (3.2%")
    assert not learned.shortfall([curve], 1.0)
    assert learned.shortfall([curve], 0.5) and learned.shortfall([[60.0, 60, 59]], 9.0)


class Plan:
    def pretrained(self, name):
        return "minilm" if name == "minilm.all" else None

    def setting(self, name):
        return SimpleNamespace(trained=not name.endswith(".untrained"))

    def whole(self, name):
        return name

    def seeds(self, name):
        return [1, 2]

    def models(self, names, seeds):
        return [f"models/{name}/seed{seed}" for name in names for seed in seeds]


def history(path, curve, column="p_at_1_x100"):
    path.parent.mkdir(parents=True)
    epochs = [Epoch(n, n and 0.5, score) for n, score in enumerate(curve)]
    path.write_text("\n".join(history_lines(epochs, f"validation_{column}")) + "\n")


def test_experiments_are_barred_by_the_histories_of_their_models(tmp_path):
    curves = {"sp.fr": STOPPED, "transformer.fr": RISING, "lstm.fr": [None] * 3}
    names = [*curves, "minilm.all", "sp.untrained", "sp.fr"]
    paths = learned.inputs(Plan(), names)["models"]
    assert len(paths) == 6 and paths[0] == "models/sp.fr/seed1"
    for path in paths:
        history(tmp_path / path / "history.csv", curves[path.split("/")[1]])
    files = {"models": [tmp_path / path for path in paths]}
    reasons = learned.barred(SimpleNamespace(plan=Plan(), files=files), names)
    assert set(reasons) == {"transformer.fr", "lstm.fr"}
    assert "transformer.fr: has not stopped improving" in learned.note(reasons)
    assert learned.note({}) == ""


def test_a_history_with_a_gap_is_refused(tmp_path):
    history(tmp_path / "a/history.csv", [1.0, None, 3.0])
    with pytest.raises(InputError, match=r"line 3.*no validation score"):
        learned.validation(tmp_path / "a/history.csv")
