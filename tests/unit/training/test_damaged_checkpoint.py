"""Checkpoints that were damaged: told on stderr, never taken up, never in the way."""

import random
import shutil

import numpy as np
import pytest
import torch

from tandem.encoders.kinds.lstm import Lstm
from tandem.errors import TandemError
from tandem.files import saved
from tandem.objectives.kinds.margin import Margin
from tandem.segmentation import ragged
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of

FILES = ("progress.json", "state.safetensors", saved.SEAL)


def trainer(vocabulary=50):
    draw = np.random.default_rng(1)
    sides = [ragged.from_rows(draw.integers(0, 50, (40, 4)).tolist()) for _ in range(2)]
    recipe = Recipe(epochs=2, batch=8)
    run = Run(Lstm(dimension=8, hidden=4), Margin(megabatch=2, anneal=0), recipe, 3)
    return course_of(run, vocabulary, [Pairs(*sides, False)])


def trained(folder):
    run = trainer()
    run.run(lambda *_: 1.0, folder, checkpoint_seconds=-1, show=False)
    return run.best["embedding"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "checkpoint"
    return folder, trained(folder)


def flipped(path, draw):
    damaged = bytearray(path.read_bytes())
    bit = draw.randrange(8 * len(damaged))
    damaged[bit // 8] ^= 1 << bit % 8
    path.write_bytes(damaged)


@pytest.mark.parametrize("name", FILES)
def test_every_flipped_bit_and_every_cut_is_found(whole, tmp_path, name, capsys):
    draw, folder = random.Random(11), shutil.copytree(whole[0], tmp_path / "c")
    content, again = (folder / name).read_bytes(), trainer()
    cuts = [content[: draw.randrange(len(content))] for _ in range(50)]
    for damage in range(250):
        (folder / name).write_bytes(cuts[damage] if damage < len(cuts) else content)
        if damage >= len(cuts):
            flipped(folder / name, draw)
        assert not again.resume(folder)
        assert "damaged or missing: the run starts afresh" in capsys.readouterr().err
    assert again.learner.step == 0
    (folder / name).write_bytes(content)
    assert again.resume(folder)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["a bit", "cut", "gone"])
def test_a_run_beside_a_damaged_checkpoint_ends_with_the_same_bytes(whole, tmp_path, name, damage):
    folder, path = shutil.copytree(whole[0], tmp_path / "c"), tmp_path / "c" / name
    if damage == "a bit":
        flipped(path, random.Random(1))
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-40])
    else:
        path.unlink()
    assert torch.equal(trained(folder), whole[1])
    assert trainer().resume(folder)


def test_ids_beyond_the_vocabulary_are_refused_before_training():
    with pytest.raises(TandemError, match="in a vocabulary of 49"):
        trainer(vocabulary=49)
