"""A side cut into shards."""

import gzip
import lzma

import numpy as np
import pytest

from tandem.errors import InputError
from tandem.mining import sentences
from tandem.mining.sentences import Sentences, cut, shard_lines
from tandem.mining.settings import Columns
from tandem.search.candidates import candidates
from tandem.text.spelling import key

MEMORY = 1 << 13


def some_lines(count):
    words = np.random.default_rng(3).integers(900, size=count)
    return [f"{' ' * (n % 3)}Word {w}\tx" if n % 5 else f"WORD {w} x" for n, w in enumerate(words)]


@pytest.fixture
def cut_lines(tmp_path, monkeypatch):
    """Lines, and the side that was cut from them out of two files, in small pieces."""
    monkeypatch.setattr(sentences, "BATCH", 64)
    monkeypatch.setattr(sentences, "_CHUNK", 50)
    lines = some_lines(2000)
    names = [str(tmp_path / "a.txt"), str(tmp_path / "b.xz")]
    (tmp_path / "a.txt").write_text("".join(f"{line}\n" for line in lines[:700]))
    (tmp_path / "b.xz").write_bytes(lzma.compress("".join(f"{x}\n" for x in lines[700:]).encode()))
    (tmp_path / "side").mkdir()
    cut(names, None, tmp_path / "side", 100, MEMORY)
    return lines, Sentences(tmp_path / "side")


def test_its_sentences_are_those_that_tandem_mine_searches(cut_lines):
    lines, side = cut_lines
    expected = candidates(np.fromiter(map(key, lines), np.uint64))
    assert np.array_equal(side.places.places, expected.places)
    assert np.array_equal(side.places.starts, expected.starts)
    assert len(side) == len(expected) and side.lines == 2000
    shards = [p.read_text().split("\n")[:-1] for p in sorted(
        side.folder.glob("shard*.txt"), key=lambda path: int(path.stem[5:]))]  # fmt: skip
    assert sum(shards, []) == [lines[place] for place in expected.firsts]
    assert [len(shard) for shard in shards] == side.shards
    assert set(side.shards[:-1]) == {128}  # 100, and the rest of a batch


def test_lines_come_back_with_their_file_and_number(cut_lines):
    lines, side = cut_lines
    assert [side.record(place) for place in (0, 699, 700)] == [[lines[n]] for n in (0, 699, 700)]
    wheres = [side.where(place) for place in (0, 699, 700, 1999)]
    assert [(name[-5:], n) for name, n in wheres] == [
        ("a.txt", 1), ("a.txt", 700), ("/b.xz", 1), ("/b.xz", 1300),
    ]  # fmt: skip
    assert side.texts(np.array([3, 1])) == [lines[side.places.firsts[n]] for n in (3, 1)]


def test_columns_are_a_sentence_and_its_labels(tmp_path):
    (tmp_path / "a.tsv").write_text("7\tdoc\ta sheep\n8\tdoc\tA  sheep\n9\tother\ta cow\n")
    columns = Columns(text=3, id=1, document=2)
    side = cut([str(tmp_path / "a.tsv")], columns, tmp_path, 10, MEMORY)
    assert side["labels"] == ["id", "document"] and side["shards"] == [2]
    assert Sentences(tmp_path).record(1) == ["A  sheep", "8", "doc"]
    assert (tmp_path / "shard0.txt").read_text() == "a sheep\na cow\n"


def test_files_that_cannot_be_mined_are_named(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("a\tb\nc\n")
    with pytest.raises(InputError, match=r"a\.tsv, line 2: the line has 1 columns and not 2\."):
        cut([str(path)], Columns(text=2), tmp_path, 10, MEMORY)
    path.write_text("a\td\nb\t \n")
    with pytest.raises(InputError, match=r"a\.tsv, line 2: the line names no document\. Name one"):
        cut([str(path)], Columns(text=1, document=2), tmp_path, 10, MEMORY)
    path.write_text("")
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(b""))
    for empty in (path, packed):
        with pytest.raises(InputError, match=rf"{empty.name}: it is empty\. Give some"):
            cut([str(empty)], None, tmp_path, 10, MEMORY)


def test_a_shard_of_another_length_is_refused():
    assert list(shard_lines("s", 2, ["a", "b"])) == ["a", "b"]
    with pytest.raises(InputError, match="it has 3 lines and not 2"):
        list(shard_lines("s", 2, ["a", "b", "c"]))
