"""The package as a library: light to import, and a few lines from bitext to mined pairs."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tandem
from tandem.cli import COMMANDS, main
from tandem.encoders.kinds.averaging import Averaging
from tandem.errors import TandemError

HEAVY = {"torch", "numba", "numpy", "faiss", "scipy", "pandas", "sentencepiece", "pydantic", "yaml"}
LANGUAGES = ("en", "de")


def python(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120,
        env={"PYTHONPATH": str(Path(tandem.__file__).parents[1]), "PATH": ""},
    )  # fmt: skip


@pytest.mark.parametrize(
    "code",
    [
        "import tandem; dir(tandem)",
        "from tandem.cli import main; main(['--help'])",
        "from tandem.cli import main; main(['tarin'])",
    ],
    ids=["import", "help", "a mistake"],
)
def test_nothing_heavy_is_loaded_to_import_or_to_help(code):
    watched = f"lambda: print(sorted({HEAVY} & {{*sys.modules}}))"
    done = python(f"import atexit, sys\natexit.register({watched})\n{code}")
    assert done.stdout.split("\n")[-2] == "[]", done.stderr


def test_names_are_those_that_are_promised():
    assert set(tandem.__all__) <= set(dir(tandem))
    assert all(callable(getattr(tandem, name)) for name in tandem.__all__)
    with pytest.raises(AttributeError, match="no attribute 'embed'"):
        _ = tandem.embed


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""
TRAINERS = {"torch", "numba", "faiss", "scipy", "pandas", "tokenizers", "backports"}


@pytest.fixture(scope="module")
def bitext():
    """Pairs of made-up words: `en7` is translated as `de7`."""
    draw = np.random.default_rng(1)
    texts = [[f"{w}" for w in draw.choice(60, 5, replace=False)] for _ in range(900)]
    return [tuple(" ".join(side + w for w in text) for side in LANGUAGES) for text in texts]


@pytest.fixture(scope="module")
def trained(bitext, tmp_path_factory):
    folder = tmp_path_factory.mktemp("library") / "model"
    words = {"kind": "words", "size": 200}
    tandem.train(iter(bitext), LANGUAGES, folder, segmentation=words)
    return folder


def test_a_few_lines_train_and_mine(trained, bitext):
    encoder = tandem.SentenceEncoder.load(trained)
    quality = encoder.metadata["quality"]
    assert quality["retrieval"]["p_at_1_x100"] > 95
    english, german = map(list, zip(*bitext[:200], strict=True))
    found = tandem.mine(encoder, english[:120], german[60:], LANGUAGES)
    right = [pair for pair in found if (pair.first, pair.second) in set(bitext)]
    assert len(right) >= 55
    assert found == sorted(found, reverse=True, key=lambda pair: pair.score)
    assert found[-1].score >= quality["thresholds"]["ratio"]
    everything = tandem.mine(encoder, english[:120], german[60:], LANGUAGES, at_least=-9)
    assert len(everything) > len(found)
    with pytest.raises(TandemError, match="one of the texts is empty"):
        tandem.mine(encoder, [], german, LANGUAGES)


def test_what_is_trained_is_reported(trained, bitext):
    metadata = tandem.SentenceEncoder.load(trained).metadata
    cleaning, splits = metadata["text"]["cleaning"], metadata["text"]["splits"]
    assert cleaning["read"] == len(bitext)
    assert (splits["valid"], splits["test"]) == (45, 90)  # a twentieth for each of three
    assert metadata["quality"]["calibrated_on_pairs"] == 45
    recipe = metadata["recipe"]
    assert (recipe["learning_rate"], recipe["dropout"]) == (0.128, 0.7)  # for so few pairs


def test_settings_of_a_recipe_stand_by_themselves_and_epochs_are_told(bitext, tmp_path):
    told = []
    encoder = tandem.train(
        bitext, LANGUAGES, tmp_path / "model", epochs=2, patience=0, segmentation={"kind": "words"},
        size=50, encoder=Averaging(dimension=8), seed=3, threads=1, after_epoch=told.append,
    )  # fmt: skip
    assert encoder.metadata["recipe"]["epochs"] == 2
    assert (encoder.metadata["seed"], encoder.table.shape) == (3, (50, 8))
    assert [epoch.epoch for epoch in told] == [1, 2]
    assert told[1].validation > told[0].validation > 0 and told[0].loss > told[1].loss > 0
    inside = {"recipe": {"epochs": 2, "patience": 0}, "segmentation": {"kind": "words", "size": 50}}
    again = tandem.train(
        bitext, LANGUAGES, tmp_path / "again", encoder=Averaging(dimension=8), seed=3, **inside
    )
    assert again.digest() == encoder.digest()
    with pytest.raises(TandemError, match="no setting of a training is called epoch or seeds"):
        tandem.train(bitext, LANGUAGES, tmp_path / "other", epoch=2, seeds=3)


def test_training_refuses_before_it_reads(trained, tmp_path):
    def pairs():
        pytest.fail("it reads")
        yield

    start = tandem.SentenceEncoder.load(trained)
    for options, message in (
        ({"recipe": {"epochs": 0}}, "epochs"),
        ({"held_out": 0}, "valid"),
        ({"start": start, "languages": ("en", "fr")}, "'fr'; this one knows"),
        ({"start": start, "size": 50}, "size: the model that training starts from decides that"),
        ({"start": start, "segmentation": {"kind": "words"}}, "segmentation: the model that"),
        ({"start": start, "encoder": Averaging(dimension=8)}, "its dimension\\): the model that"),
    ):
        languages = options.pop("languages", LANGUAGES)
        with pytest.raises(TandemError, match=message):
            tandem.train(pairs(), languages, tmp_path / "model", **options)
    with pytest.raises(TandemError, match="is there already"):
        tandem.train(pairs(), LANGUAGES, trained)
    with pytest.raises(TandemError, match="no pair to train on"):
        tandem.train([], LANGUAGES, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_encoding_needs_the_core_alone(trained, tmp_path):
    (tmp_path / "a.en").write_text("en1 en2\nen3\n")
    code = WITHOUT.format(names=TRAINERS) + "from tandem.cli import main; sys.exit(main())"
    out = tmp_path / "vectors.npy"
    files = [str(trained), str(tmp_path / "a.en"), "--language", "en", "--out", str(out)]
    done = python(code, "encode", *files)
    assert done.returncode == 0, done.stderr
    whole = tandem.SentenceEncoder.load(trained).encode(["en1 en2", "en3"], "en")
    assert np.array_equal(np.load(out), whole)


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["mine", "{model}", "a", "a", "--languages", "en", "de"], "[mine]"),
        (["train", "a", "a", "--languages", "en", "de", "--out", "new"], "[train]"),
        (["export", "{model}", "new"], "[export]"),
    ],
)
def test_what_needs_more_says_what_to_install(arguments, extra, trained, tmp_path):
    (tmp_path / "a").write_text("en1\n" * 40)
    code = WITHOUT.format(names=TRAINERS) + f"import os; os.chdir({str(tmp_path)!r})\n"
    words = [word.format(model=trained) for word in arguments]
    done = python(code + "from tandem.cli import main; sys.exit(main())", *words)
    assert (done.returncode, f"pip install '.{extra}' in a clone" in done.stderr) == (1, True)
    assert done.stderr.splitlines()[-1].startswith(f"tandem {arguments[0]}: ")


def test_help_needs_no_more_than_the_core():
    code = WITHOUT.format(names=TRAINERS) + "from tandem.cli import main; sys.exit(main())"
    for command in ("encode", "export", "filter", "mine", "retrieve", "score"):
        done = python(code, command, "--help")
        assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def files(bitext, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side, name in enumerate(LANGUAGES):
        text = "".join(f"{pair[side]}\n" for pair in bitext[:300])
        (tmp_path / f"a.{name}").write_text(text)
    wrong = bitext[1:300] + bitext[:1]
    lines = (f"{pair[0]}\t{other[1]}\n" for pair, other in zip(bitext, wrong, strict=False))
    (tmp_path / "wrong.tsv").write_text("".join(lines))


def test_what_is_done_is_told_as_json(trained, files, capsys):
    languages = ["--languages", "en", "de"]
    assert main(["score", str(trained), "a.en", "a.de", "wrong.tsv", *languages, "--at-least",
                 "auto", "--out", "kept.tsv", "--json", "done.json"]) == 0  # fmt: skip
    done = json.loads(Path("done.json").read_text())
    assert done["read"] == 600
    assert 280 <= done["kept"] <= 330
    assert len(Path("kept.tsv").read_text().splitlines()) == done["kept"]
    said = f"{done['kept']} of 600 pairs kept, from a score of {done['at_least']:.3f} on\n"
    assert capsys.readouterr().err.endswith(said)
    assert main(["mine", str(trained), "a.en", "a.de", *languages, "--at-least", "auto",
                 "--out", "mined.tsv", "--json", "-"]) == 0  # fmt: skip
    printed = capsys.readouterr()
    done = json.loads(printed.out)
    assert printed.err.startswith(f"{done['pairs']} pairs found in 300 and 300 sentences, from a")
    assert done["sentences"] == [300, 300]
    assert len(Path("mined.tsv").read_text().splitlines()) == done["pairs"]
    # what was kept is bitext again
    assert main(["similarity", str(trained), "kept.tsv", *languages]) == 0


def test_evaluate_gives_a_table_and_json(trained, files, capsys):
    command = ["evaluate", str(trained), "a.en", "a.de", "--languages", "en", "de"]
    sts = "5\ten1 en2\ten1 en2\n0\ten1 en2\ten7 en9\n3\ten1 en2\ten1 en9\n"
    Path("sts.tsv").write_text(sts * 9)
    languages = [["--sts", "sts.tsv", "en", second] for second in ("en", "de")]
    assert main([*command, *languages[0], *languages[1], "--json", "scores.json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["of", "metric", "score", "95%", "interval", "items"]
    scores = json.loads(Path("scores.json").read_text())
    assert scores["bitext"]["retrieval"]["p_at_1_x100"] > 95
    assert scores["sts"].keys() == {"sts.tsv en en", "sts.tsv en de"}
    for name, figures in scores["sts"].items():
        assert figures["pairs"] == 27
        shown = f"{figures['pearson_x100']['estimate']:.1f}"
        assert any(line.startswith(f"{name}  ") and shown in line for line in lines)
    assert main(command[:2]) == 1
    assert "give test pairs with --languages" in capsys.readouterr().err


def test_quiet_says_nothing(trained, files, capfd):
    languages = ["--languages", "en", "de"]
    train = ["train", "a.en", "a.de", *languages, "--out", "new", "--epochs", "2"]
    assert main([*train, "--segmentation", "words", "--dimension", "8", "--quiet"]) == 0
    assert main(["compress", "new", "small", "--quiet"]) == 0
    assert main(["encode", "new", "a.en", "--language", "en", "--out", "a.npy", "--quiet"]) == 0
    for command in ("similarity", "score", "mine", "retrieve"):
        files = ["a.en", "a.de", *languages, "--out", f"{command}.tsv"]
        assert main([command, "new", *files, "--quiet"]) == 0
    Path("rules.yaml").write_text("ratio: {maximum: 3}")
    assert main(["filter", "rules.yaml", "wrong.tsv", *languages, "--out", "f", "--quiet"]) == 0
    assert capfd.readouterr() == ("", "")


def test_every_command_says_what_it_does():
    assert all(summary[0].isupper() and summary[-1] == "." for _, summary in COMMANDS.values())


def test_every_public_name_is_there_with_its_meaning_and_in_the_pages():
    page = (Path(tandem.__file__).parents[2] / "docs" / "api" / "index.md").read_text("utf-8")
    for name in tandem.__all__:
        assert getattr(tandem, name).__doc__
        assert f"::: tandem.{name}\n" in page or name == "SentenceEncoder"
    assert (Path(tandem.__file__).parent / "py.typed").exists()
