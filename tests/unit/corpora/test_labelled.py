"""Labelled pairs: read with their faults, built, segmented, and read again for training."""

import numpy as np
import pytest
from small_labelled import HEAD, rows, write_archive

from tandem.corpora.families import FAMILY, Keys, implied
from tandem.corpora.labelled import build_labelled, read_scored, read_training
from tandem.corpora.labelled_files import LabelledFiles
from tandem.corpora.readers.pawsx import PawsxReader
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Labelled
from tandem.errors import InputError, TandemError
from tandem.files.io import read_json
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.labelled import segment_labelled
from tandem.segmentation.ragged import concatenate
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.selection import by_labels, scored
from tandem.training.pairs import load_labelled, load_texts

LANGUAGES = ("en", "de", "fr")


@pytest.fixture
def archive(tmp_path):
    return write_archive(tmp_path / "x-final.tar.gz", trained=("en", "de"))


def dataset(path, **changed):
    values = {"name": "paws", "kind": "local", "path": str(path), "licence": "own",
              "languages": list(LANGUAGES), "reader": {"kind": "pawsx"}}  # fmt: skip
    return Dataset(**values | changed)


def build(archive, folder, **settings):
    how = Labelled(source="paws", tested=LANGUAGES, **{"languages": ("en",)} | settings)
    return build_labelled(dataset(archive), str(archive), how, folder)


def test_rows_with_faults_are_read(archive):
    reader = PawsxReader()
    train = [row for row in reader.labelled(str(archive), "en", "train") if row]
    assert len(train) == 24 + 2  # without the blank lines
    assert train[-2].first == '"A sheep, he said.' and train[-2].second == 'the other" one'
    assert train[-1].first == train[-1].second and train[-1].label == 0
    german = list(reader.labelled(str(archive), "de", "test"))
    assert (len(german), german.count(None)) == (40, 1)  # one is not translated
    assert list(reader.labelled(str(archive), "fr", "train")) == []
    pairs = list(reader.pairs(str(archive), "en", "de"))
    assert len(pairs) == 26 and pairs[0] == (train[0].first, "Schaf Schaf Schaf Schaf Schaf")


@pytest.mark.parametrize(
    ("line", "problem"),
    [("1\ta\tb\n", "3 columns, not 4"), ("1\ta\tb\t2\n", "the label '2' is neither 0 nor 1")],
)
def test_other_rows_are_refused(tmp_path, line, problem):
    import io
    import tarfile

    path = tmp_path / "x.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        content = "".join([HEAD, *rows("en", 2), line]).encode()
        member = tarfile.TarInfo("x-final/en/test_2k.tsv")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    with pytest.raises(InputError, match=f"line 4: {problem}"):
        list(PawsxReader().labelled(str(path), "en", "test"))
    with pytest.raises(InputError, match="no en/dev_2k.tsv"):
        list(PawsxReader().labelled(str(path), "en", "valid"))


def test_splits_have_their_rows_and_keys(archive, tmp_path):
    record = build(archive, tmp_path / "pairs", pairs=20, valid=10, test=12)
    assert record == read_json(tmp_path / "pairs/labelled.json")
    assert {code: sum(counts.values()) for code, counts in record["test"].items()} == {
        "en": 12, "de": 12, "fr": 12,
    }  # fmt: skip
    lines = list(read_training(tmp_path / "pairs/train.tsv"))
    assert len(lines) == 20 and {line.left_language for line in lines} == {"en"}
    for line in lines:
        same = line.left_key == line.right_key
        assert same == (line.label == 1) or line.left == line.right or not line.label
    by_text = {}
    for line in lines:
        assert by_text.setdefault(line.left, line.left_key) == line.left_key
    scored = read_scored(tmp_path / "pairs", "test")
    # every language has the same rows, but for what is not translated
    assert len({*scored["en"]} & {*scored["de"]}) >= 11
    assert len(list(read_training(tmp_path / "pairs/selection.tsv"))) == 10


def test_nothing_that_is_scored_is_trained_on(tmp_path):
    """Training rows with a sentence of another split are left out, and counted."""
    path = write_archive(tmp_path / "x.tar.gz", trained=("en",))
    whole = build(path, tmp_path / "before")
    scored = read_scored(tmp_path / "before", "test")["en"]
    taken = next(iter(scored.values()))
    further = [taken.first, "other", "1"]
    path = write_archive(tmp_path / "y.tar.gz", trained=("en",), further=further)
    record = build(path, tmp_path / "after")
    assert whole["train_shared"] == {"en": 0} and record["train_shared"] == {"en": 1}
    assert record["train"] == whole["train"]
    assert record["untranslated"]["test"]["de"] == 1 and not record["untranslated"]["test"]["en"]


def test_a_translation_of_what_is_scored_is_not_trained_on(tmp_path):
    whole = build(write_archive(tmp_path / "x.tar.gz", trained=("en",)), tmp_path / "before")
    taken = next(iter(read_scored(tmp_path / "before", "valid")["en"].values()))
    # in the German file, too, where no scored pair has this sentence
    path = write_archive(tmp_path / "y.tar.gz", trained=("en", "de"),
                         further=[taken.first, "other", "1"])  # fmt: skip
    record = build(path, tmp_path / "after", languages=("en", "de"))
    assert record["train_shared"] == {"en": 1, "de": 1}
    assert record["train"]["de"] == record["train"]["en"] == whole["train"]["en"]


def test_translations_have_one_key_where_nothing_is_trained_across(archive, tmp_path):
    build(archive, tmp_path / "pairs", languages=("en", "de"))
    lines = list(read_training(tmp_path / "pairs/train.tsv"))
    english, german = lines[:26], lines[26:]
    assert [line.left_key for line in english] == [line.left_key for line in german]


def test_across_languages_translations_are_paraphrases(archive, tmp_path):
    build(archive, tmp_path / "pairs", languages=("en", "de"), across=True)
    lines = list(read_training(tmp_path / "pairs/train.tsv"))
    across = [line for line in lines if line.left_language != line.right_language]
    assert len(lines) == 3 * 2 * 26 and len(across) == 2 * 2 * 26
    translated = across[::2]
    assert all(line.label == 1 and line.left_key == line.right_key for line in translated)
    # the key of a sentence is that of its translation
    english = {line.left: line.left_key for line in lines if line.left_language == "en"}
    german = [(x.left, x.right_key) for x in translated if x.left_language == "en"]
    assert all(english[text] == key for text, key in german)


def test_the_same_again_is_the_same(archive, tmp_path):
    for name in ("one", "two"):
        build(archive, tmp_path / name, languages=("en", "de"), across=True, pairs=15)
    for file in ("train.tsv", "selection.tsv", "valid.tsv", "test.tsv", "labelled.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_pairs_that_share_sentences_are_drawn_together(archive, tmp_path):
    first = next(PawsxReader().labelled(str(archive), "en", "train")).first
    path = write_archive(tmp_path / "more.tar.gz", trained=("en", "de"),
                         further=[first, "what else", "0"])  # fmt: skip
    drawn = {}
    for seed in range(8):
        build(path, tmp_path / str(seed), languages=("en", "de"), pairs=13, seed=seed,
              together=True)  # fmt: skip
        lines = list(read_training(tmp_path / str(seed) / "train.tsv"))
        of = {code: [x for x in lines if x.left_language == code] for code in ("en", "de")}
        assert [x.label for x in of["en"]] == [x.label for x in of["de"]] and len(lines) == 26
        drawn[seed] = sum(x.left == first for x in of["en"])
    assert {*drawn.values()} == {0, 2}
    build(path, tmp_path / "all", pairs=27, together=True)
    assert len(list(read_training(tmp_path / "all/train.tsv"))) == 27


def test_what_has_no_labels_is_refused(archive, tmp_path):
    other = dataset(archive, reader={"kind": "csv"})
    how = Labelled(source="paws", languages=("en",), tested=("en",))
    with pytest.raises(TandemError, match="paws has no labels"):
        build_labelled(other, str(archive), how, tmp_path / "pairs")
    with pytest.raises(TandemError, match="no train pairs in fr. Leave it out"):
        build(archive, tmp_path / "pairs", languages=("fr",))
    assert not (tmp_path / "pairs").exists()


def test_labels_imply_those_of_other_pairs(archive, tmp_path):
    def pair(left, right, label):
        return ("en", left), ("en", right), label

    given = [
        pair("a", "b", 1), pair("a", "c", 1), pair("a", "d", 0), pair("d", "e", 1),
        pair("x", "y", 0), pair("x", "Y", 1), pair("x", "z", 1), pair("x", "a", 0),
    ]  # fmt: skip
    # x, y and z contradict each other; d and e differ from all of a, b and c
    assert {(left[1] + right[1], label) for left, right, label in implied(given)} == {
        ("bc", 1), ("ae", 0), ("bd", 0), ("be", 0), ("cd", 0), ("ce", 0),
    }  # fmt: skip
    many = [pair("a", f"{n}", 1) for n in range(FAMILY)]
    assert implied(many) == [] and len(implied(many[:-1])) == 21
    counts = []
    for name in (False, True):
        record = build(archive, tmp_path / str(name), implied=name)
        lines = list(read_training(tmp_path / str(name) / "train.tsv"))
        counts.append(len(lines))
        assert len({frozenset((line.left, line.right)) for line in lines}) == len(lines)
    selections = [(tmp_path / str(name) / "selection.tsv").read_text() for name in (False, True)]
    assert counts[1] - counts[0] == sum(record["implied"].values())
    assert selections[0] == selections[1]


def test_keys_join_by_way_of_others():
    keys = Keys()
    keys.join("en a", "en b")
    keys.join("en c", "en d")
    keys.join("en b", "en c")
    assert keys["en a"] == keys["en d"] != keys["de a"]


def test_ids_keys_and_labels_reach_training(archive, tmp_path):
    build(archive, tmp_path / "pairs", languages=("en", "de"), across=True)
    folder = tmp_path / "ids"
    folder.mkdir()
    segmenter = segment_labelled(tmp_path / "pairs", Words(), folder)
    assert segmenter.languages == ["de", "en"]
    [pairs] = load_texts(folder, [], "mixed")
    lines = list(read_training(tmp_path / "pairs/train.tsv"))
    assert pairs.labels.tolist() == [line.label for line in lines]
    assert pairs.keys.tolist() == [[x.left_key for x in lines], [x.right_key for x in lines]]
    for number, line in enumerate(lines):
        for side in ("left", "right"):
            ids = getattr(pairs, side).row(number).tolist()
            [expected] = [
                segmenter.encoder(getattr(line, f"{side}_language"))([getattr(line, side)])
                .row(0).tolist()
            ]  # fmt: skip
            assert ids == expected
    again = tmp_path / "again"
    again.mkdir()
    loaded = Segmenter.load(folder / "segmenter")
    segment_labelled(tmp_path / "pairs", Words(), again, loaded)
    assert load_labelled(again, "train").checksum == load_labelled(folder, "train").checksum


def rows_of(sentences):
    return np.split(np.asarray(sentences.ids), sentences.offsets[1:-1])


def test_an_epoch_is_selected_by_accuracy(archive, tmp_path):
    build(archive, tmp_path / "pairs")
    folder = tmp_path / "ids"
    folder.mkdir()
    segment_labelled(tmp_path / "pairs", Words(), folder)
    valid = load_labelled(folder, "valid")

    angles, encoded = {}, []
    for right, label in zip(rows_of(valid.right), valid.labels, strict=True):
        angles[tuple(right)] = 1.0 - label

    def perfect(sentences):
        rows = [tuple(row) for row in rows_of(sentences)]
        encoded.append(rows)
        at = np.array([angles.get(row, 0.0) for row in rows])
        return np.stack([np.cos(at), np.sin(at)], 1)

    select = by_labels(folder)
    assert select(perfect) == 100
    twice = [concatenate([side, side]) for side in (valid.left, valid.right)]
    assert np.array_equal(*np.split(scored(perfect, *twice), 2))
    assert len({*encoded[-1]}) == len(encoded[-1]) == 2 * len(valid.left)  # each once
    constant = select(lambda side: np.ones((len(side), 2)))
    assert constant == pytest.approx(100 * max(valid.labels.mean(), 1 - valid.labels.mean()))


@pytest.mark.parametrize(
    "text",
    [
        'id,label,sentence2,sentence1\n7,1,"c ""d"", e",a b\n',
        "a b\tc \"d\", e\t1\n",
        "7\ta b\tc \"d\", e\ttrue\n",
    ],
    ids=["csv", "three columns", "numbered"],
)  # fmt: skip
def test_columns_are_found(tmp_path, text):
    file = tmp_path / ("x.csv" if text.startswith("id,") else "x.tsv")
    file.write_text(text)
    assert list(LabelledFiles([str(file)])) == [("a b", 'c "d", e', 1)]
