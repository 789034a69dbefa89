"""Sentence and document retrieval, on text where the answers can be seen."""

import numpy as np
import pytest

from tandem.errors import InputError, TandemError
from yang2019.methods import ranks, texts, vectors
from yang2019.tasks.translation_search import TranslationSearch


def translated(text):
    return " ".join(f"{word}x" for word in text.split())


def write_text(path, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_each_sentence_finds_its_translation(encoder, searched):
    items = TranslationSearch().score(encoder, {"searched": searched})
    assert (items["forward"] == 1).all() and (items["backward"] == 1).all()
    assert items["positive"] == pytest.approx(np.ones(300), abs=1e-5)
    assert (items["negative"] < 0.95).all()


def test_a_wrong_translation_is_a_miss_and_a_later_place_counts_for_larger_n(encoder, tmp_path):
    rows = [("d", f"a{n} b{n}", translated(f"a{n} b{n}")) for n in range(20)]
    rows[0] = ("d", "a0 b0", "c0x d0x")  # its translation has none of its words
    rows[1] = ("d", "a1 b1", "a1x e1x e2x")  # nearer to what follows
    rows.append(("d", "a1 e1 e3", "a1x e1x"))
    task = TranslationSearch(counts=[1, 5])
    items = task.score(encoder, {"searched": write_text(tmp_path / "de.tsv", rows)})
    assert items["forward"][2:20].tolist() == [1] * 18
    assert items["forward"][0] != 1 and np.isnan(items["negative"][0])
    assert items["forward"][1] in (2, 3)
    assert task.estimate(items, "forward.5") > task.estimate(items, "forward.1")


def test_sentences_spelt_alike_are_one_and_have_all_their_translations(encoder, tmp_path):
    rows = [("d", "a b", "ax bx"), ("d", "a b", "ax bx cx"), ("d", "q r", "qx rx"),
            ("e", "a b", "ax bx"), ("e", "s t", "qx rx")]  # fmt: skip
    path = write_text(tmp_path / "de.tsv", rows)
    text = texts.read(path)
    assert text.english == ["a b", "q r", "s t"]
    assert text.other == ["ax bx", "ax bx cx", "qx rx"]
    assert text.pairs.tolist() == [[0, 0], [0, 1], [1, 2], [2, 2]]
    items = TranslationSearch(counts=[1, 3]).score(encoder, {"searched": path})
    assert items["forward"].tolist()[:2] == [1, 1]
    assert items["backward"].tolist() == [1, 1, 1]
    # the other translation of "a b" is no negative of it
    assert items["negative"][0] < 0.7


def test_bootstrap_pairs_systems_and_refuses_other_texts():
    good, bad = np.array([1, 1, 1, 0, 2], np.int16), np.array([0, 0, 1, 0, 2], np.int16)
    groups = {"forward__groups": np.arange(5)}
    systems = [{"forward": good} | groups, {"forward": bad} | groups]
    drawn = ranks.draws(systems, "forward.1", 200, 7)
    assert drawn.shape == (2, 200)
    assert (drawn[0] >= drawn[1]).all()
    assert drawn[0].mean() == pytest.approx(60, abs=5)
    assert (ranks.draws(systems[:1], "forward.1", 200, 7)[0] == drawn[0]).all()
    with pytest.raises(TandemError, match="different texts"):
        ranks.draws([systems[0], systems[1] | {"forward__groups": np.ones(5)}], "forward.1", 10, 1)


def test_a_resample_has_the_same_groups_in_both_directions():
    random = np.random.default_rng(3)
    others = random.permutation(40)
    # two sentences more have a translation of another
    pairs = np.stack([np.arange(42), [*others, *others[:2]]], axis=1)
    groups = dict(zip(("forward", "backward"), ranks.linked(pairs, 42), strict=True))
    assert [len(numbers) for numbers in groups.values()] == [42, 40]
    assert (groups["forward"][pairs[:, 0]] == groups["backward"][pairs[:, 1]]).all()
    right = random.integers(2, size=40).astype(np.int16)  # of all sentences of a group, or none
    items = {way: right[numbers] for way, numbers in groups.items()}
    items |= {f"{way}__groups": numbers for way, numbers in groups.items()}
    drawn = [ranks.draws([items], f"{way}.1", 500, 7)[0] for way in groups]
    assert np.corrcoef(*drawn)[0, 1] > 0.95
    assert [TranslationSearch().count(items, f"{way}.1") for way in groups] == [40, 40]


def test_ranks_count_from_one_and_nobody_is_never_right():
    listed = np.array([[2, 0], [-1, -1], [1, 3]])
    hits = ranks.right(listed, np.array([[0, 0], [1, 3], [2, 1]]), 4)
    assert hits.tolist() == [[False, True], [False, False], [True, False]]
    assert ranks.ranks(hits).tolist() == [2, 0, 1]


def test_documents_are_the_means_of_their_lines(encoder, searched):
    task = TranslationSearch(documents=True, counts=[1])
    items = task.score(encoder, {"searched": searched})
    assert len(items["forward"]) == task.count(items, "forward.1") == 30
    assert task.estimate(items, "forward.1") == task.estimate(items, "backward.1") == 100
    rows = np.array([[1.0, 0.0], [3.0, 2.0], [0.0, 4.0]])
    found = vectors.means(rows, np.array([[0, 0], [1, 2], [0, 1], [0, 1]]), 2)
    assert found == pytest.approx(np.array([[7 / 3, 4 / 3], [0, 4]]))


def test_cosines_of_rows():
    one = np.array([[1.0, 0.0], [0.0, 0.0], [3.0, 4.0]])
    found = vectors.cosines(one, one, np.array([0, 0, 1]), np.array([0, 2, 2]))
    assert found == pytest.approx([1, 0.6, 0])


@pytest.mark.parametrize(("line", "said"), [("d\tone\n", "2 columns"), ("", "it is empty")])
def test_text_that_is_none_is_refused(tmp_path, line, said):
    path = tmp_path / "de.tsv"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        texts.read(path)


def test_only_held_out_pairs_are_searched():
    placed = [("1.1", "One.", "Eins."), ("1.2", "Two.", "Zwei."), ("1.2", " ", "Drei.")]
    assert list(texts.lines(placed, None)) == ["1.1\tOne.\tEins.", "1.2\tTwo.\tZwei."]
    assert list(texts.lines(placed, {("Two.", "Zwei.")})) == ["1.2\tTwo.\tZwei."]
