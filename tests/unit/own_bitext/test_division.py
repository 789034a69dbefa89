"""What one pair of languages holds out, none trains on."""

from itertools import combinations

import numpy as np
import pytest

from tandem.corpora.files import Corpus, corpora
from tandem.corpora.split import Elsewhere, split_pairs
from tandem.corpora.tables import Columns
from tandem.errors import TandemError
from tandem.files.io import read_json, write_lines
from tandem.own_bitext.asked import Asked
from tandem.own_bitext.division import divide, losses, main_training, pairs_in
from tandem.own_bitext.inputs import Source

SPLITS = ("train", "valid", "test")


def divided(folder, texts, **asked):
    """The texts of each split by languages, from pairs by languages."""
    sources = []
    for languages, pairs in texts.items():
        path = folder / "-".join(languages)
        write_lines(path, ("\t".join(pair) for pair in pairs))
        sources += [Source(languages, corpus) for corpus in corpora([path])]
    divide(Asked(tuple(texts), **asked), sources, folder / "text")
    return {
        languages: {
            split: list(pairs_in(folder / "text" / " ".join(languages), split, languages))
            for split in SPLITS
        }
        for languages in texts
    }


def aligned(languages, numbers):
    return [tuple(f"{side} {n}" for side in languages) for n in numbers]


def numbers(parts, *names):
    """The numbers of the sentences in some splits."""
    return {int(pair[0].split()[1]) for part in parts for name in names for pair in part[name]}


def apart(splits):
    """Whether no text of a split is in another one, in any pair of languages."""
    texts = {
        split: {text for parts in splits.values() for pair in parts[split] for text in pair}
        for split in SPLITS
    }
    return all(texts[a].isdisjoint(texts[b]) for a, b in combinations(SPLITS, 2))


@pytest.mark.parametrize("last", [range(400), range(300, 700)])
def test_texts_that_are_held_out_are_so_in_all_languages(tmp_path, last):
    sides = [("en", "de"), ("en", "fr"), ("fr", "de")]
    texts = dict(zip(sides, (range(400), range(400), last), strict=True))
    splits = divided(tmp_path, {pair: aligned(pair, texts[pair]) for pair in sides})
    assert apart(splits)
    for pair, parts in splits.items():
        assert (len(parts["valid"]), len(parts["test"])) == (20, 40)
        counts = read_json(tmp_path / "text" / " ".join(pair) / "splits.json")
        assert counts["train"] == len(parts["train"])
        left_out = len(texts[pair]) - sum(map(len, parts.values()))
        assert counts["dropped_overlapping"] == left_out
    # of the same sentences the same ones are held out, and no more is lost
    held = numbers(splits.values(), "valid", "test")
    for pair, parts in splits.items():
        assert numbers([parts], "train") == {*texts[pair]} - held
    shared = numbers([splits["en", "de"]], "valid", "test") & {*last}
    assert len(held) == 60 + 60 - len(shared)


def test_texts_apart_are_divided_as_if_each_were_alone(tmp_path):
    texts = {("en", "de"): range(400), ("fr", "it"): range(300)}
    texts = {pair: aligned(pair, numbers) for pair, numbers in texts.items()}
    together = divided(tmp_path, texts)
    for number, (pair, rows) in enumerate(texts.items()):
        (tmp_path / str(number)).mkdir()
        assert divided(tmp_path / str(number), {pair: rows}) == {pair: together[pair]}


def test_a_text_that_others_hold_out_as_a_whole_is_refused(tmp_path):
    # every pair of the second has an English sentence of the first, and there are few of these
    first = [(f"en {n % 8}", f"de {n}") for n in range(300)]
    first += aligned(("en", "de"), range(1000, 1600))
    second = [(f"en {n % 8}", f"fr {n}") for n in range(300)]
    with pytest.raises(TandemError, match=r"^en fr: .* pairs are too few"):
        divided(tmp_path, {("en", "de"): first, ("en", "fr"): second})
    assert not (tmp_path / "text").exists()


def keys(*numbers):
    return np.array(numbers, np.uint64)


def test_pairs_that_other_corpora_hold_out_are_taken_first_or_left_out():
    left, right = np.arange(100, dtype=np.uint64), np.arange(100, 200, dtype=np.uint64)
    # 7's sides are in the test and in the validation split elsewhere
    elsewhere = Elsewhere(keys(3, 105, 7, 999), keys(107, 20, 130))
    splits = split_pairs(left, right, 2, 4, 1, None, elsewhere)
    assert set(splits.test[:2]) == {3, 5} and len(splits.test) == 4
    assert set(splits.valid) == {20, 30}
    assert splits.overlapping == 1 and 7 not in splits.train and len(splits.train) == 93
    # more than a split has room for are in none
    few = split_pairs(left, right, 2, 1, 1, None, elsewhere)
    assert set(few.test) < {3, 5} and len(few.train) == 95
    assert {3, 5, 7, 20, 30}.isdisjoint(few.train)
    # a text that many pairs have is taken once, and trained on nowhere
    left[:60], common = 3, Elsewhere(keys(3, 70), keys())
    once = split_pairs(left, right, 2, 4, 1, None, common)
    assert sum(place < 60 for place in once.test) == 1 and 70 in once.test
    assert len(once.train) == 100 - 60 - 1 - 2 - 2 and min(once.train) >= 60
    left = np.arange(100, dtype=np.uint64)
    alone = split_pairs(left, right, 2, 4, 1, None)
    order = np.random.default_rng(1).permutation(100)
    assert [*alone.test, *alone.valid, *alone.train] == order.tolist()


def test_a_language_of_fewer_characters_keeps_its_text(tmp_path):
    """Of Chinese, whose sentences have a third of the characters, hardly any would be left."""
    chinese = [(f"the number {n} is written here", f"数{n}在此") for n in range(1000, 1400)]
    odd = [(f"the number {n} is written here", f"{n} " * 40) for n in range(20)]
    divided(tmp_path, {("en", "zh"): chinese + odd})
    cleaning = read_json(tmp_path / "text/en zh/cleaning.json")
    assert cleaning["removed"]["ratio"] == 20 and cleaning["kept"] == 400
    assert "examples" not in cleaning and not list(losses(tmp_path / "text/en zh"))


def test_a_filter_that_removes_much_shows_what(tmp_path):
    same = [(f"menu {n} {'x' * 70}",) * 2 for n in range(150)]
    divided(tmp_path, {("en", "de"): aligned(("en", "de"), range(400)) + same})
    warned = list(losses(tmp_path / "text/en de"))
    assert warned[0] == "warning: the filter identical left out 150 of 550 pairs, such as:"
    assert len(warned) == 4 and warned[1].startswith("  menu 0 xxx") and "... / menu" in warned[1]
    assert len(warned[1]) < 140


@pytest.mark.parametrize(("most", "drawn"), [(4, 900), (2, 800)])
def test_what_is_only_trained_on_is_drawn_from_all_of_it(most, drawn, tmp_path):
    sides, sources = ("en", "de"), []
    texts = {"own": range(400), "one": range(2000, 2300), "two": range(3000, 3600)}
    for name, lines in texts.items():
        write_lines(tmp_path / name, ("\t".join(pair) for pair in aligned(sides, lines)))
        sources += [Source(sides, c, aside=name != "own") for c in corpora([tmp_path / name])]
    divide(Asked((sides,), also_per_pair=most), sources, tmp_path / "text")
    counts = read_json(tmp_path / "text/en de/splits.json")
    assert (counts["own"], counts["also_read"], counts["also"]) == (400, 900, drawn)
    text = {"train": list(pairs_in(tmp_path / "text/en de", "train", sides))}
    taken = {n for n in numbers([text], "train") if n >= 2000}
    assert len(taken) == drawn and (drawn == 900 or len(taken & {*range(2000, 2300)}) < 300)
    said = list(losses(tmp_path / "text/en de"))
    assert said == [] if drawn == 900 else "of 900 pairs beside your 400, 800 are drawn" in said[0]


def test_what_is_only_trained_on_has_no_text_that_another_pair_holds_out(tmp_path):
    sides = [("en", "de"), ("en", "fr")]
    sources = []
    for languages, aside, lines in (
        (sides[0], False, range(400)), (sides[0], True, range(2000, 2800)),
        (sides[1], False, range(2000, 2400)),
    ):  # fmt: skip
        path = tmp_path / f"{'-'.join(languages)}-{aside}"
        write_lines(path, ("\t".join(pair) for pair in aligned(languages, lines)))
        sources += [Source(languages, corpus, aside) for corpus in corpora([path])]
    divide(Asked(tuple(sides)), sources, tmp_path / "text")
    texts = {
        pair: {
            split: list(pairs_in(tmp_path / "text" / " ".join(pair), split, pair))
            for split in SPLITS
        }
        for pair in sides
    }
    assert apart(texts)
    held = numbers(texts.values(), "valid", "test")
    assert held and max(held) < 2400
    assert numbers([texts[sides[0]]], "train") > {*range(2400, 2800)}


def source_of(path, pairs, languages=("en", "de"), aside=False, name=None):
    """A file of pairs, perhaps only trained on, perhaps under another name."""
    write_lines(path, ("\t".join(pair) for pair in pairs))
    corpus = Corpus(name or path.name, (str(path),), "columns", Columns(header=False))
    return Source(languages, corpus, aside)


def records(folder, name="en de"):
    return (read_json(folder / name / f"{part}.json") for part in ("cleaning", "splits"))


def test_text_and_text_beside_it_are_counted_apart(tmp_path):
    sides = ("en", "de")
    same = [(f"menu {n}",) * 2 for n in range(150)]
    main = aligned(sides, range(400)) + same
    beside = [*aligned(sides, [*range(1000, 2000), *range(1000, 1100)]), *same[:50]]
    sources = [source_of(tmp_path / "my", main), source_of(tmp_path / "more", beside, aside=True)]
    divide(Asked((sides,)), sources, tmp_path / "text")
    cleaning, splits = records(tmp_path / "text")
    also = cleaning.pop("also")
    assert (cleaning["read"], cleaning["kept"]) == (550, 400)
    assert (also["read"], also["kept"], also["removed"]["duplicate"]) == (1150, 1000, 100)
    assert (cleaning["sources"], also["sources"]) == ({"my": 550}, {"more": 1150})
    assert (splits["train"], splits["also_train"]) == (400 - 60 + 1000, 1000)
    assert (splits["dropped_overlapping"], splits["also_overlapping"]) == (0, 0)
    warned = list(losses(tmp_path / "text/en de"))
    assert warned[0] == "warning: the filter identical left out 150 of 550 pairs, such as:"
    trained = {*main_training(tmp_path / "text/en de", sides)}
    assert len(trained) == 340 and trained < {*main}


def test_text_beside_is_also_warned_of(tmp_path):
    same = [(f"menu {n}",) * 2 for n in range(150)]
    main, beside = aligned(("en", "de"), range(400)), aligned(("en", "de"), range(1000, 1100))
    sources = [source_of(tmp_path / "my", main)]
    sources += [source_of(tmp_path / "more", beside + same, aside=True)]
    divide(Asked((("en", "de"),)), sources, tmp_path / "text")
    warned = list(losses(tmp_path / "text/en de"))
    assert warned[0].endswith("identical left out 150 of 250 pairs beside yours, such as:")


def test_files_of_one_name_lose_nothing(tmp_path):
    sides = ("en", "de")
    texts = {"a": (range(400), False), "b": (range(1000, 1050), True), "c": (range(9, 400), True)}
    sources = [
        source_of(tmp_path / path, aligned(sides, lines), aside=aside, name="ding")
        for path, (lines, aside) in texts.items()
    ]
    divide(Asked((sides,)), sources, tmp_path / "text")
    cleaning, splits = records(tmp_path / "text")
    assert cleaning["sources"] == {"ding": 400} and splits["own"] == 400
    assert cleaning["also"]["sources"] == {"ding": 50, "ding (2)": 391}
    assert splits["also_train"] == 50 and cleaning["also"]["removed"]["duplicate"] == 391


def bare(splits, *names):
    """The words of the texts in some splits, without marks and case."""
    pairs = (pair for name in names for pair in splits[name])
    return {text.strip(" .!?").casefold() for pair in pairs for text in pair}


def split_texts(folder, languages):
    return {split: list(pairs_in(folder, split, languages)) for split in SPLITS}


def test_no_other_marks_make_a_held_out_sentence_one_that_is_trained_on(tmp_path):
    sides = ("en", "de")
    main = [tuple(f"{text}." for text in pair) for pair in aligned(sides, range(400))]
    beside = [tuple(f"{text.upper()} !" for text in pair) for pair in aligned(sides, range(400))]
    sources = [source_of(tmp_path / "s", main), source_of(tmp_path / "v", beside, aside=True)]
    divide(Asked((sides,)), sources, tmp_path / "text")
    splits = split_texts(tmp_path / "text/en de", sides)
    assert bare(splits, "train").isdisjoint(bare(splits, "valid", "test"))
    _, counts = records(tmp_path / "text")
    assert (counts["also_train"], counts["also_overlapping"]) == (340, 60)


def test_no_other_marks_make_it_one_that_other_languages_train_on(tmp_path):
    texts = {}
    for sides, mark, lines in ((("en", "de"), ".", range(400)), (("en", "fr"), " !", range(600))):
        texts[sides] = [tuple(f"{t}{mark}" for t in pair) for pair in aligned(sides, lines)]
    # en de is divided first: what en fr holds out it leaves out, with text beside it
    sources = [source_of(tmp_path / p[1], rows, p) for p, rows in texts.items()]
    more = [tuple(f"{t}?" for t in pair) for pair in aligned(("en", "de"), range(300, 600))]
    sources.append(source_of(tmp_path / "more", more, aside=True))
    divide(Asked(tuple(texts)), sources, tmp_path / "text")
    splits = [split_texts(tmp_path / "text" / " ".join(sides), sides) for sides in texts]
    held = set().union(*(bare(part, "valid", "test") for part in splits))
    assert held.isdisjoint(set().union(*(bare(part, "train") for part in splits)))
    cleaning, counts = records(tmp_path / "text")
    assert counts["train"] == len(splits[0]["train"])
    trained = list(main_training(tmp_path / "text/en de", ("en", "de")))
    assert len(trained) == counts["train"] - counts["also_train"]
    assert all(first.endswith(".") for first, _ in trained)
    lost = counts["dropped_overlapping"] + counts["also_overlapping"]
    kept = cleaning["kept"] + cleaning["also"]["kept"]
    assert kept == lost + counts["train"] + counts["valid"] + counts["test"]


def test_the_usual_ratio_is_that_of_all_text(tmp_path):
    """Ten thousand titles come first, whose sides are of one length."""
    titles = [(f"title {n:05}", f"name {n:06}") for n in range(10_000)]
    words = [(f"a sentence of the number {n:05} " * 2, f"{n:05} satz 数") for n in range(30_000)]
    sources = [source_of(tmp_path / "a", titles), source_of(tmp_path / "b", words)]
    divide(Asked((("en", "de"),)), sources, tmp_path / "text")
    cleaning, splits = records(tmp_path / "text")
    assert cleaning["removed"]["ratio"] == 10_000  # the few, not the many
    assert splits["own"] == 40_000
