"""Models on the command line: found by name, and compressed."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest
import torch

from tandem.cli import main
from tandem.encoders import named
from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.named import find_model
from tandem.errors import TandemError
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn

LINES = ["the cat sat", "a dog ran", "rain fell"]
LANGUAGES = ["--languages", "en", "en"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A model folder."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "segmenter").mkdir()
    segmenter = learn(Words(), {"en": lambda: LINES}, folder / "segmenter")
    kind = Averaging(dimension=64)
    as_encoder(segmenter, *initialise(kind, len(segmenter), 1)).save(folder / "model")
    return folder / "model"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory, a folder of models, and a checkout of Tandem with studies."""
    for name in ("work", "models", "checkout/results"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "checkout/Snakefile").touch()
    for name, export in (("many", "{model: sp.all}"), ("other", "{settings: [all]}")):
        study = tmp_path / "checkout/workflow/studies" / name / "study.yaml"
        study.parent.mkdir(parents=True)
        study.write_text(f"title: A study\nexport: {export}\n")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(named, "ROOT", tmp_path / "checkout/workflow")
    return tmp_path


def test_a_name_is_looked_for_here_then_among_the_models_then_in_the_checkout(here):
    places = [
        here / "checkout/results/many/model",
        here / "models/many",
        here / "work/results/many/model",
        here / "work/many",
    ]
    for place in places:
        place.mkdir(parents=True)
        assert find_model("many").resolve() == place


def test_a_path_is_never_looked_for_elsewhere(here):
    (here / "models/many").mkdir()
    (here / "models/.hidden").mkdir()
    for path in ("./many", "a/many", "many/", "..", ".", ".hidden", "/many"):
        assert os.path.normpath(find_model(path)) == os.path.normpath(path)
    (here / "work/many").write_text("a file of that name")
    assert find_model("many").is_file()


def test_what_is_found_nowhere_says_where_it_was_looked_for(here, monkeypatch):
    checkout = here / "checkout"
    with pytest.raises(TandemError) as caught:
        find_model("many")
    assert str(caught.value) == (
        f"there is no model many (looked for many, results/many/model, {here}/models/many, "
        f"{checkout}/results/many/model). Give a model folder, or set TANDEM_MODELS to the folder "
        "that holds many; small comes with the package. "
        f"To build it, in {checkout}: snakemake --cores all results/many/model"
    )
    for name in ("other", "unheard"):  # a study without a model; no study
        with pytest.raises(TandemError, match=f"no model {name}") as caught:
            find_model(name)
        assert "snakemake" not in str(caught.value)
    monkeypatch.delenv("TANDEM_MODELS")
    (checkout / "Snakefile").unlink()  # an installed package has no checkout
    with pytest.raises(TandemError, match=r"looked for other, results/other/model\)"):
        find_model("other")


def test_every_command_takes_a_name(here, built, capsys):
    shutil.copytree(built, here / "work/results/many/model")
    (here / "work/a.en").write_text("\n".join(LINES) + "\n")
    for command in (
        ["encode", "many", "a.en", "--out", "a.npy"],
        ["similarity", "many", "a.en", "a.en", *LANGUAGES],
        ["score", "many", "a.en", "a.en", *LANGUAGES],
        ["mine", "many", "a.en", "a.en", *LANGUAGES, "--k", "2"],
        ["compress", "many", "small"],
        ["export", "many", "exported"],
    ):
        assert main(command) == 0, capsys.readouterr().err
    np.testing.assert_array_equal(np.load("a.npy"), SentenceEncoder.load(built).encode(LINES))
    assert main(["compress", "many", "results/many/model", "--overwrite"]) == 1
    assert "lies in an input" in capsys.readouterr().err


def test_training_starts_from_a_name(here, built, capsys):
    shutil.copytree(built, here / "models/many")
    for side in ("en", "de"):
        (here / f"work/a.{side}").write_text("".join(f"{side} {n}\n" for n in range(30)))
    command = ["train", "a.en", "a.de", "--languages", "en", "de", "--out", "mine"]
    assert main([*command, "--from", "many"]) == 1
    assert "no segmentation for language 'de'; this one knows en" in capsys.readouterr().err
    assert main([*command, "--from", "unheard"]) == 1
    assert "tandem train: there is no model unheard" in capsys.readouterr().err


def test_fewer_dimensions_are_no_cause_that_is_hidden(here, built, capsys):
    encoder = SentenceEncoder.load(built)
    encoder.metadata["quality"] = {"thresholds": {"cosine": 0.5}}
    encoder.save("calibrated")
    (here / "work/a.tsv").write_text("rain fell\train fell\n")
    for out, options in (("small", []), ("narrow", ["--dimensions", "8"])):
        assert main(["compress", "calibrated", out, *options]) == 0
        left_out = "its calibrated thresholds are left out, since fewer dimensions change"
        assert (left_out in capsys.readouterr().err) is bool(options)
        score = ["score", out, "a.tsv", *LANGUAGES, "--at-least", "auto"]
        assert main(score) == bool(options)
    err = capsys.readouterr().err
    assert "compress --dimensions changed its cosines, and none was measured since" in err
    assert main(["compress", str(built), "none", "--dimensions", "8"]) == 0
    assert "thresholds" not in capsys.readouterr().err  # it had none


@pytest.mark.parametrize(
    ("options", "least"),
    [(["--precision", "float32"], 1.0), (["--precision", "float16"], 1 - 1e-6), ([], 0.999)],
)
def test_a_compressed_model_is_used_like_the_whole_one(here, built, options, least, capsys):
    out = here / "small"
    assert main(["compress", str(built), str(out), *options]) == 0
    assert " MB before, " in capsys.readouterr().err
    before, after = (SentenceEncoder.load(place).encode(LINES) for place in (built, out))
    cosines = torch.cosine_similarity(*map(torch.from_numpy, (before, after))).numpy()
    assert cosines.min() >= least - 1e-6
    same = (out / "model.safetensors").read_bytes() == (built / "model.safetensors").read_bytes()
    assert same == ("float32" in options)


def test_fewer_dimensions_are_fewer_numbers(here, built, capsys):
    command = ["compress", str(built), "small", "--dimensions", "8", "--precision", "int8"]
    assert main(command) == 0
    assert SentenceEncoder.load("small").encode(LINES).shape == (3, 8)
    assert main(command) == 1
    assert "is there already" in capsys.readouterr().err
    assert main([*command, "--overwrite"]) == 0
    assert main(["compress", str(built), "wide", "--dimensions", "65"]) == 1
    assert "not from 1 to 64" in capsys.readouterr().err
    assert not (here / "work/wide").exists()


def test_an_empty_name_is_wrong_usage(here, capsys):
    """As that of a variable that is not set."""
    for command in (
        ["encode", "", "a.en"],
        ["score", "", "a.en", "a.en", *LANGUAGES],
        ["compress", "", "out"],
        ["export", " ", "out"],
        ["train", "a.en", "a.en", *LANGUAGES, "--from", "", "--out", "out"],
    ):
        with pytest.raises(SystemExit) as error:
            main(command)
        assert error.value.code == 2
        assert "it is empty. Give a model's folder, or a name" in capsys.readouterr().err
    with pytest.raises(TandemError, match="the model's name is empty"):
        find_model("")


@pytest.mark.parametrize("command", ["compress", "export"])
def test_what_came_into_an_output_meanwhile_stays(here, built, capsys, monkeypatch, command):
    def written_meanwhile(*_):
        (here / "work/out").mkdir(exist_ok=True)
        (here / "work/out/thesis.txt").write_text("mine")

    monkeypatch.setattr("tandem.corpora.origins.write_notice", written_meanwhile)
    monkeypatch.setattr("tandem.encoders.model.write_notice", written_meanwhile)
    monkeypatch.setattr("tandem.exporting.sentence_transformers.write_notice", written_meanwhile)
    for more in ([], ["--overwrite"]):
        assert main([command, str(built), "out", *more]) == 1
        assert (here / "work/out/thesis.txt").read_text() == "mine"
        assert "out is there already" in (said := capsys.readouterr().err) or "thesis" in said
        shutil.rmtree("out")


def test_what_cannot_be_written_is_wrong_usage(built, capsys):
    for command in (
        ["compress", str(built), "out", "--precision", "int4"],
        ["compress", str(built), "out", "--dimensions", "0"],
        ["export", str(built), "out", "--precision", "int8"],
    ):
        with pytest.raises(SystemExit) as error:
            main(command)
        assert error.value.code == 2
