"""Scorers read both sentences of a pair as one text, in either order."""

import numpy as np
import pytest
import torch
from small_pretrained import SENTENCES, save_folder, tokenizer
from small_runs import bitext
from transformers import AutoModel

from tandem.cli import main
from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained import load_pretrained
from tandem.errors import TandemError
from tandem.objectives.kinds.additive_margin_scale import AdditiveMarginScale
from tandem.objectives.kinds.logistic import Logistic
from tandem.objectives.kinds.scaled_cosine import ScaledCosine
from tandem.segmentation.ragged import from_rows, joined
from tandem.tasks.selection import scored
from tandem.tasks.task import TASKS
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of, train_encoder

SCORER = {"kind": "scorer", "body": {"kind": "pretrained"}}
RECIPE = Recipe(epochs=12, batch=8, dropout=0.0, learning_rate=0.01, frozen="embeddings")


@pytest.fixture
def start(tmp_path):
    save_folder(tmp_path / "hub", "bert")
    return load_pretrained(str(tmp_path / "hub"))


def labelled(encoder, count=40):
    """Pairs that say the same where the second sentence is the first one."""
    random = np.random.default_rng(1)
    words = ["a", "sheep", "sleep", "the", "car", "is", "red"]
    texts = [" ".join(random.choice(words, 4)) for _ in range(count)]
    labels = random.integers(2, size=count).astype(np.int8)
    other = [text if label else " ".join(random.choice(words, 4))
             for text, label in zip(texts, labels, strict=True)]  # fmt: skip
    encode = encoder.segmenter.encoder("en")
    return Pairs(encode(texts), encode(other), True, labels=labels)


def test_rows_are_joined():
    first, second = from_rows([[1, 2], [], [3]]), from_rows([[4], [5, 6], []])
    both = joined(first, second)
    assert [both.row(n).tolist() for n in range(3)] == [[1, 2, 4], [5, 6], [3]]


def test_the_number_is_a_map_of_what_the_library_makes_of_both(start, tmp_path):
    kind = ENCODERS.parse(SCORER).started(start.kind)
    _, composition = initialise(kind, len(start.segmenter), 1)
    drawn = {name: value.numpy() for name, value in composition.state_dict().items()}
    composition.load(drawn | kind.taken_over(start.kind, start.weights))
    scorer = as_encoder(start.segmenter, torch.from_numpy(start.table), composition)
    scorer.save(tmp_path / "model")
    scorer = SentenceEncoder.load(tmp_path / "model")
    encode = start.segmenter.encoder("en")
    rows = joined(encode(SENTENCES), encode(SENTENCES[::-1]))
    model = AutoModel.from_pretrained(tmp_path / "hub").eval()
    ids = [tokenizer().encode(text).ids for text in SENTENCES]
    for number, (first, second) in enumerate(zip(ids, ids[::-1], strict=True)):
        with torch.no_grad():
            mean = model(torch.tensor([first + second])).last_hidden_state.mean(1)
        weight, bias = (scorer.weights[f"weights.score.{part}"] for part in ("weight", "bias"))
        expected = mean.numpy() @ weight.T + bias
        np.testing.assert_allclose(scorer.encode_ids(rows)[number], expected[0], atol=1e-5)


def test_it_learns_what_is_the_same(start, tmp_path):
    pairs = labelled(start)
    run = Run(ENCODERS.parse(SCORER), Logistic(), RECIPE, 1)
    scorer, history = train_encoder(run, start.segmenter, [pairs], None, show=False, start=start)
    assert history[-1].loss < history[1].loss - 0.1
    scores = scored(scorer.encode_ids, pairs.left, pairs.right)
    assert scores[pairs.labels == 1].mean() > scores[pairs.labels == 0].mean()
    # whatever the order
    turned = scored(scorer.encode_ids, pairs.right, pairs.left)
    np.testing.assert_allclose(scores, turned, atol=1e-6)
    table = start.table
    assert np.array_equal(scorer.table, table)


def test_pairs_are_told_by_it(start, tmp_path):
    run = Run(ENCODERS.parse(SCORER), Logistic(), RECIPE, 1)
    scorer, _ = train_encoder(
        run, start.segmenter, [labelled(start)], None, show=False, start=start
    )
    for split in ("valid", "test"):
        lines = [f"{n}\ten\t{n % 2}\ta {'the ' * (n % 3)}car\ta {'the ' * (n % 5)}car\n"
                 for n in range(20)]  # fmt: skip
        (tmp_path / f"{split}.tsv").write_text("".join(lines))
    task = TASKS.parse({"kind": "identification", "corpus": "pairs"})
    items = task.score(scorer, {"pairs": tmp_path})
    encode = scorer.segmenter.encoder("en")
    sides = [encode([f"a {'the ' * (n % size)}car" for n in range(20)]) for size in (3, 5)]
    scores = scored(scorer.encode_ids, *sides)
    threshold = task.details(items)["directions"]["intra.en"]["threshold"]
    expected = (scores >= threshold) == (np.arange(20) % 2 == 1)
    assert items["intra.en"].tolist() == expected.tolist()


def test_a_cross_encoder_is_refused_where_vectors_are_asked_for(start, tmp_path, capsys):
    kind = ENCODERS.parse(SCORER).started(start.kind)
    table, composition = initialise(kind, len(start.segmenter), 1)
    as_encoder(start.segmenter, table, composition).save(tmp_path / "model")
    with pytest.raises(TandemError, match="is a cross-encoder"):
        SentenceEncoder.load(tmp_path / "model").encode("a sheep", "en")
    (tmp_path / "pairs.tsv").write_text("a car\ta sheep\t1\nthe car\ta car\t0\n")
    model, pairs, two = f"{tmp_path}/model", f"{tmp_path}/pairs.tsv", ["--languages", "en", "en"]
    training = ["--from", model, "--labelled", *two, "--out", f"{tmp_path}/tuned"]
    for command in (
        ["encode", model, pairs, "--language", "en", "--out", f"{tmp_path}/vectors.npy"],
        ["score", model, pairs, *two],
        ["mine", model, pairs, pairs, *two],
        ["identify", model, pairs, *two, "--at-least", "0.5"],
        ["evaluate", model, pairs, "--labelled", *two],
        ["negatives", model, pairs, *two],
        ["train", pairs, *training],
    ):
        assert main(command) == 1
        assert "this model is a cross-encoder (kind scorer)" in capsys.readouterr().err
    assert not (tmp_path / "vectors.npy").exists() and not (tmp_path / "tuned").exists()


@pytest.mark.parametrize("objective", [ScaledCosine(), AdditiveMarginScale()])
def test_what_compares_vectors_trains_no_scorer(start, objective):
    scorer = ENCODERS.parse(SCORER).started(start.kind)
    with pytest.raises(TandemError, match="compares vectors, and a scorer gives a number"):
        course_of(Run(scorer, objective, RECIPE, 1), 18, [labelled(start)], start=start)


def test_objective_and_encoder_belong_together(start):
    with pytest.raises(TandemError, match="trains a scorer, and pretrained gives vectors"):
        course_of(Run(start.kind, Logistic(), RECIPE, 1), 18, [labelled(start)], start=start)
    scorer = ENCODERS.parse({"kind": "scorer", "body": {"kind": "averaging", "dimension": 8}})
    with pytest.raises(TandemError, match="learns from labels, and there are none"):
        recipe = Recipe(epochs=1, batch=8, dropout=0.0)
        course_of(Run(scorer, Logistic(), recipe, 1), 100, [bitext()]).run(None, show=False)
