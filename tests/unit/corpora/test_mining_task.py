import pytest

from tandem.corpora.bitext import build_bitext
from tandem.corpora.mining_task import (
    HELD_OUT,
    gold_rows,
    hide_pairs,
    read_part,
    take_published,
    write_task,
)
from tandem.corpora.readers.bucc import MiningTask
from tandem.corpora.settings import Bitext, HiddenPairs
from tandem.errors import InputError
from tandem.files.io import read_lines
from tandem.text.spelling import key

HIDDEN = HiddenPairs(bitext="en-cs", language="cs", section=10, share=0.2, seed=1, sentences=50)


def bitext(count):
    return [(f"sentence number {n}", f"číslo {n} věty") for n in range(count)]


def test_hides_pairs_and_names_the_texts_that_training_must_not_hold(tmp_path):
    pairs = bitext(400)
    counts = hide_pairs(iter(pairs), ("en", "cs"), HIDDEN, tmp_path / "task")
    parts = [read_part(tmp_path / "task", part) for part in ("training", "test")]
    held_out = set()
    for part, task in zip(("training", "test"), parts, strict=True):
        assert counts[f"{part}.cs"] == len(task.source) and counts[f"{part}.en"] == len(task.target)
        assert counts[f"{part}.gold"] == len(task.gold) == 10
        assert 40 < len(task.source) <= 50
        assert all((task.target[right], task.source[left]) in pairs for left, right in task.gold)
        held_out |= {*task.source.values(), *task.target.values()}
    text = (tmp_path / "task" / HELD_OUT).read_text(encoding="utf-8")
    assert text.split("\n")[:-1] == sorted(held_out)


def test_no_sentence_of_a_task_is_in_the_bitext_that_is_trained_on(tmp_path):
    pairs = bitext(400)
    # said again elsewhere, in other letters, and beside another translation
    pairs += [(left.upper(), f"jinak {right}") for left, right in pairs[:100]]
    hide_pairs(iter(pairs), ("en", "cs"), HIDDEN, tmp_path / "task")
    parts = [read_part(tmp_path / "task", part) for part in ("training", "test")]
    texts = {key(t) for p in parts for side in (p.source, p.target) for t in side.values()}
    held_out = {key(text) for text in read_lines(tmp_path / "task" / HELD_OUT)}
    made = Bitext(sources=("x",), languages=("en", "cs"), valid=10, test=10)
    counts = build_bitext({"x": pairs}, made, tmp_path / "bitext", held_out)
    assert counts["train"] > 250  # at least two thirds of the text is left
    for file in (tmp_path / "bitext").glob("t*.??"):
        assert not texts & {key(line) for line in read_lines(file)}


def test_a_small_text_gives_a_third_to_the_task(tmp_path):
    counts = hide_pairs(
        bitext(400), ("en", "cs"), HIDDEN.model_copy(update={"sentences": 6000}), tmp_path / "task"
    )
    sizes = [counts[f"{part}.{side}"] for part in ("training", "test") for side in ("cs", "en")]
    assert len(set(sizes)) == 1
    assert 120 < 2 * sizes[0] <= 400 / 3 + 10  # a pair serves on two sides; the last section
    assert counts[HELD_OUT] >= 2 * 2 * sizes[0] - 20


def test_the_sides_of_the_bitext_may_come_in_either_order(tmp_path):
    hide_pairs(bitext(400), ("en", "cs"), HIDDEN, tmp_path / "one")
    turned = [(right, left) for left, right in bitext(400)]
    hide_pairs(turned, ("cs", "en"), HIDDEN, tmp_path / "two")
    for name in ("test.cs", "test.en", "test.gold", HELD_OUT):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_task_is_read_as_it_was_written(tmp_path):
    task = MiningTask({"cs-1": "a", "cs-2": "b\tc"}, {"en-1": "d"}, [("cs-2", "en-1")])
    write_task(tmp_path / "task", "cs", {"training": task}, ["z", "a"])
    assert read_part(tmp_path / "task", "training") == task
    assert (tmp_path / "task" / HELD_OUT).read_text(encoding="utf-8") == "a\nb\tc\nd\nz\n"


def test_gold_rows_follow_the_order_of_the_files():
    task = MiningTask({"fr-2": "a", "fr-1": "b"}, {"en-9": "c"}, [("fr-1", "en-9")])
    assert gold_rows(task) == [(1, 0)]


def test_a_damaged_line_is_named(tmp_path):
    part = MiningTask({"cs-1": "a"}, {"en-1": "b"}, [])
    write_task(tmp_path, "cs", {"training": part, "test": part}, [])
    (tmp_path / "test.en").write_text("en-1\tb\nen-2\n", encoding="utf-8")
    with pytest.raises(InputError, match="test.en, line 2"):
        read_part(tmp_path, "test")


def test_takes_a_published_task_with_all_its_sentences_held_out(tmp_path, published_part):
    folder = tmp_path / "task"
    counts = take_published({"training": published_part("training", gold=True)}, "fr", folder)
    assert counts == {"training.fr": 2, "training.en": 2, "training.gold": 1, HELD_OUT: 4}
    assert (folder / HELD_OUT).read_text(encoding="utf-8") == "deux\nthree\ntwo\nun\n"


def test_refuses_a_part_whose_gold_is_withheld(tmp_path, published_part):
    with pytest.raises(InputError, match=r"test\.tar\.bz2: 0 members end in \.test\.gold"):
        take_published({"test": published_part("test", gold=False)}, "fr", tmp_path / "task")


@pytest.fixture
def published_part(tmp_path):
    import io
    import tarfile

    from tandem.corpora.register import Dataset

    def make(part, gold):
        files = {"fr": "fr-1\tun\nfr-2\tdeux\n", "en": "en-1\ttwo\nen-2\tthree\n"}
        if gold:
            files["gold"] = "fr-2\ten-1\n"
        path = tmp_path / f"{part}.tar.bz2"
        with tarfile.open(path, "w:bz2") as archive:
            for ending, text in files.items():
                member = tarfile.TarInfo(f"bucc2018/fr-en/fr-en.{part}.{ending}")
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
        fields = {"kind": "local", "path": path.name, "reader": {"kind": "bucc", "part": part}}
        return Dataset(name=f"bucc-{part}", languages=("fr", "en"), **fields), path

    return make


def test_what_holds_no_task_is_refused(tmp_path):
    with pytest.raises(InputError, match="not a mining task"):
        read_part(tmp_path, "test")
