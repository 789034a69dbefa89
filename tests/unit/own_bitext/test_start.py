"""What `tandem train` starts from where no model is named: `small`, or nothing."""

from itertools import product

import pytest

from tandem import SentenceEncoder, train
from tandem.cli import main
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.named import SHIPPED
from tandem.errors import TandemError
from tandem.own_bitext import recipes
from tandem.own_bitext.asked import Asked

WHO = {"a sheep": "ein Schaf", "the dog": "der Hund", "my sister": "meine Schwester"}
WHAT = {"sees": "sieht", "hears": "hört", "looks for": "sucht", "forgets": "vergisst"}
WHOM = {"the house": "das Haus", "a book": "ein Buch", "the child": "das Kind", "snow": "Schnee"}
TEXT = [
    tuple(" ".join(words) for words in zip(*phrases, strict=True))
    for phrases in product(WHO.items(), WHAT.items(), WHOM.items())
]
QUICK = {"epochs": 2, "held_out": 10}


@pytest.fixture(scope="module")
def small():
    return SentenceEncoder.load(SHIPPED / "small")


def test_few_pairs_of_known_languages_start_from_small(small, tmp_path, capsys):
    (tmp_path / "en").write_text("".join(f"{left}\n" for left, _ in TEXT))
    (tmp_path / "de").write_text("".join(f"{right}\n" for _, right in TEXT))
    files = [str(tmp_path / side) for side in ("en", "de")]
    command = ["train", *files, "--languages", "en", "de", "--epochs", "2", "--held-out", "10"]
    assert main([*command, "--out", str(tmp_path / "usual")]) == 0
    assert "starting from small" in capsys.readouterr().err
    assert main([*command, "--from", "none", "--out", str(tmp_path / "nothing")]) == 0
    assert "starting from small" not in capsys.readouterr().err
    usual, nothing = (SentenceEncoder.load(tmp_path / name) for name in ("usual", "nothing"))
    assert usual.metadata["start"]["sha256"] == small.digest()
    assert usual.kind == small.kind and usual.segmenter.vocabulary == small.segmenter.vocabulary
    assert "start" not in nothing.metadata and nothing.dimension == 300
    assert usual.metadata["start"]["training"]["name"].startswith("Tandem small")
    notice = (SHIPPED / "small/NOTICE.md").read_bytes()
    assert (tmp_path / "usual/NOTICE.md").read_bytes() == notice
    assert not (tmp_path / "nothing/NOTICE.md").exists()
    first, other = (float((tmp_path / name / "history.csv").read_text().split()[1].split(",")[2])
                    for name in ("usual", "nothing"))  # fmt: skip
    assert first > other + 30  # before the first epoch


@pytest.mark.parametrize(
    ("languages", "asked"),
    [
        (("en", "nds"), {}),
        (("en", "de"), {"encoder": Averaging(dimension=8)}),
        (("en", "de"), {"size": 60}),
        (("en", "de"), {"start": None}),
    ],
    ids=["a language that it does not know", "another encoder", "other pieces", "nothing"],
)
def test_what_does_not_fit_small_starts_from_nothing(languages, asked, tmp_path):
    encoder = train(TEXT, languages, tmp_path / "model", **QUICK, **asked)
    assert "start" not in encoder.metadata


@pytest.mark.parametrize(
    ("languages", "said"),
    [
        (("en-US", "DE"), "does not know en-US or DE, but en for en-US and de for DE. With"),
        (("en-US", "nds"), "starting from nothing: small does not know en-US or nds"),
    ],
)
def test_why_it_does_not_start_from_small_is_told(languages, said, tmp_path, capsys):
    (tmp_path / "text").write_text("".join(f"{left}\t{right}\n" for left, right in TEXT))
    command = ["train", str(tmp_path / "text"), "--epochs", "1", "--held-out", "10"]
    command += ["--languages", *languages, "--out", str(tmp_path / "model")]
    assert main(command) == 0
    err = capsys.readouterr().err
    assert said in err and err.count("does not know") == 1
    assert main([*command, "--from", "none", "--overwrite"]) == 0
    assert "starting from" not in capsys.readouterr().err


def test_many_pairs_start_from_nothing(small):
    asked = Asked((("en", "de"),))
    assert asked.started(recipes.STARTED).trained.digest() == small.digest()
    assert asked.started(recipes.STARTED + 1).trained is None
    assert Asked((("en", "de"),), start=small).started(10**9).trained is small


@pytest.mark.parametrize(
    ("asked", "message"),
    [({"start": "small"}, "SentenceEncoder.load"), ({"also_per_pair": 0}, "1 or")],
)
def test_what_makes_no_sense_is_refused_before_any_work(asked, message, tmp_path):
    with pytest.raises(TandemError, match=message):
        train(TEXT, ("en", "de"), tmp_path / "model", **asked)
    assert not list(tmp_path.iterdir())


def test_work_goes_on_with_the_start_by_its_name(small, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("tandem.own_bitext.build.training.save_trained", stop)
        with pytest.raises(KeyboardInterrupt):
            train(TEXT, ("en", "de"), tmp_path / "model", **QUICK)
    with pytest.raises(TandemError, match="start"):
        train(TEXT, ("en", "de"), tmp_path / "model", start=None, resume=True, **QUICK)
    train(TEXT, ("en", "de"), tmp_path / "model", start=small, resume=True, **QUICK)
    train(TEXT, ("en", "de"), tmp_path / "whole", **QUICK)
    one, whole = ((tmp_path / name / "encoder.json").read_bytes() for name in ("model", "whole"))
    assert one == whole
