"""A collection as ids: samples, temperature, keys and passes."""

from pathlib import Path

import numpy as np
import pytest

from tandem.corpora.collection import Part, build_collection, read_parts
from tandem.corpora.settings import Collection
from tandem.errors import TandemError
from tandem.files.io import read_json, write_json
from tandem.segmentation import ragged
from tandem.segmentation.collection import Balance, Drawn, balanced, draw, segment_collection
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.kinds.words import Words
from tandem.training.pairs import load_collection

WORDS = "cat dog lamp door river house window garden teacher sailor".split()


def text(count, ending):
    """Sentences of three words, with their word-by-word translations."""
    random = np.random.default_rng(1)
    drawn = [random.choice(WORDS, 3) for _ in range(count)]
    return [
        (str(n % 20), f"{' '.join(words)} {n}", " ".join(f"{w}{ending}" for w in words) + f" {n}")
        for n, words in enumerate(drawn)
    ]


@pytest.fixture
def folder(tmp_path):
    """A large and a small language, and a second English."""
    settings = Collection(sources=("a",), valid=0.1, test=0.1, cleaning={})
    languages = [("de", text(400, "en")), ("fr", text(100, "e")), ("en-old", text(60, "eth"))]
    build_collection({"a": lambda: languages}, settings, tmp_path / "c")
    return tmp_path / "c"


def test_temperature_evens_out_the_shares():
    assert balanced([100, 300], 1).tolist() == [1, 1]
    passes = balanced([100, 300], 5)
    shares = passes * [100, 300]
    assert shares.sum() == pytest.approx(400)
    assert shares[1] / shares[0] == pytest.approx(3 ** (1 / 5))
    even = balanced([100, 300], 1e9)
    assert even.tolist() == pytest.approx([2, 2 / 3])


def test_a_small_sample_is_part_of_a_larger_one(folder):
    parts = list(read_parts(folder))
    small, large, everything = (draw(folder, parts, size, 1) for size in (50, 200, None))
    assert sum(int(each.rows.sum()) for each in small) == 50
    for one, other, every in zip(small, large, everything, strict=True):
        assert not (one.rows & ~other.rows).any()
        assert every.rows.all()
    other = draw(folder, parts, 50, 2)
    assert any((a.rows != b.rows).any() for a, b in zip(small, other, strict=True))
    with pytest.raises(TandemError, match="training pairs of these parts, not 9,999"):
        draw(folder, parts, 9999, 1)
    with pytest.raises(TandemError, match="has 0 training pairs of these parts, not 1"):
        draw(folder, [], None, 1)


def test_training_gets_the_pairs_of_two_languages_and_of_one(folder, tmp_path):
    drawn = draw(folder, read_parts(folder), None, 1)
    out = tmp_path / "ids"
    out.mkdir()
    segmenter = segment_collection(drawn, Words(), 10**6, Balance(2), out)
    assert segmenter.languages == ["de", "en", "en-old", "fr"]
    bilingual, monolingual = load_collection(out)
    assert (bilingual.monolingual, monolingual.monolingual) == (False, True)
    sizes = {each.part: int(each.rows.sum()) for each in drawn}
    assert len(bilingual.left) == sum(n for part, n in sizes.items() if not part.monolingual)
    # a pair of either kind has the key of its English text
    assert set(monolingual.keys.tolist()) <= set(bilingual.keys.tolist())
    assert len(bilingual.passes) == len(bilingual.keys) == len(bilingual.right)
    assert bilingual.passes.min() < 1 < bilingual.passes.max()
    described = read_json(out / "parts.json")
    assert described["temperature"] == 2
    assert {Part(p["source"], p["left"], p["right"]): p["pairs"]
            for p in described["parts"]} == sizes  # fmt: skip


def test_each_source_can_be_a_text_of_its_own(folder, tmp_path):
    drawn = draw(folder, read_parts(folder), None, 1)
    out = tmp_path / "ids"
    out.mkdir()
    segment_collection(drawn, Words(), 10**6, Balance(2), out)
    bilingual, monolingual = load_collection(out)
    assert [len(text.left) for text in load_collection(out, "source")] == [
        len(bilingual.left), len(monolingual.left)]  # fmt: skip
    described = read_json(out / "parts.json")
    described["parts"][0]["source"] = "another"
    write_json(out / "parts.json", described)
    german, french, old = load_collection(out, "source")
    assert (german.monolingual, french.monolingual, old.monolingual) == (False, False, True)
    assert len(german.left) > len(french.left) > 0
    for whole, parts in ((bilingual, [german, french]), (monolingual, [old])):
        for side in ("left", "right"):
            joined = ragged.concatenate([getattr(part, side) for part in parts])
            assert (joined.ids == getattr(whole, side).ids).all()
            assert (joined.offsets == getattr(whole, side).offsets).all()
        for of_each in ("keys", "passes"):
            joined = np.concatenate([getattr(part, of_each) for part in parts])
            assert (joined == getattr(whole, of_each)).all()


def test_a_segmenter_that_is_known_is_used_and_copied_whole(folder, tmp_path):
    segmentation, found = Sentencepiece(size=60), []
    drawn = draw(folder, read_parts(folder), None, 1)
    few = draw(folder, read_parts(folder), 40, 1)
    for name, pairs, known in (("start", drawn, None), ("own", few, None), ("more", few, True)):
        (tmp_path / name).mkdir()
        segmenter = found[0] if known else None
        found.append(
            segment_collection(pairs, segmentation, 10**6, Balance(), tmp_path / name, segmenter)
        )
        assert not (tmp_path / name / "drawn").exists()
    start, own, more = (
        {path.name: path.read_bytes() for path in (tmp_path / name / "segmenter").iterdir()}
        for name in ("start", "own", "more")
    )
    assert more == start != own
    encode = found[0].encoder("de")
    ids = ragged.load_sides(tmp_path / "more", "bilingual", ("left", "right"))[1]
    part = next(each for each in few if each.part.right == "de")
    lines = part.part.path(folder, "train").read_text(encoding="utf-8").splitlines()
    text_ = [line.split("\t")[2] for line, kept in zip(lines, part.rows, strict=True) if kept]
    assert encode(text_).ids.tolist() == ids.ids[: len(encode(text_).ids)].tolist()
    only = [each for each in drawn if each.part.right == "de"]
    (tmp_path / "german").mkdir()
    german = segment_collection(only, segmentation, 10**6, Balance(), tmp_path / "german")
    (tmp_path / "none").mkdir()
    with pytest.raises(TandemError, match="no segmentation for language"):
        segment_collection(drawn, segmentation, 10**6, Balance(), tmp_path / "none", german)


def test_the_vocabulary_is_learned_from_so_many_pairs(folder, tmp_path):
    drawn = draw(folder, read_parts(folder), None, 1)
    found = []
    for name, pairs in (("few", 20), ("all", 10**6)):
        (tmp_path / name).mkdir()
        segmentation = Words()
        found.append(
            len(segment_collection(drawn, segmentation, pairs, Balance(), tmp_path / name))
        )
    assert found[0] < found[1] / 2


def test_corpora_are_drawn_as_often_as_their_weights_say():
    def sample(source, pairs):
        return Drawn(Part(source, "en", "de"), np.ones(pairs, bool), Path("unread"))

    drawn = [sample("verses", 10), sample("freedict-a", 40), sample("wordnet", 30)]
    assert Balance().passes(drawn) == pytest.approx([1, 1, 1])
    weights = {"freedict-*": 0.5, "*net": 2}
    assert Balance(1, weights).passes(drawn) == pytest.approx([1, 0.5, 2])
    evened = Balance(2).passes(drawn)
    assert Balance(2, weights).passes(drawn) == pytest.approx(np.multiply(evened, [1, 0.5, 2]))
