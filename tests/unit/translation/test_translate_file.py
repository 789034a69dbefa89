"""Files through a translator: alignment, scores, and nothing half-written."""

import pytest

from tandem.errors import InputError, TandemError
from tandem.filtering.filter import parse_filters
from tandem.translation.translate_files import join_translations, translate_file
from tandem.translation.translator import Translation


class Upper:
    """Translates to capitals; drops or adds lines when told to."""

    def __init__(self, change=0):
        self.change = change

    def translate(self, sentences):
        done = [Translation(s.upper(), -0.5 * len(s), len(s)) for s in sentences]
        yield from done[: len(done) + min(self.change, 0)]
        yield from done[: max(self.change, 0)]


@pytest.fixture
def paths(tmp_path):
    source = tmp_path / "in.cs"
    source.write_text("ahoj\n\nsv\u011bte\u2028dnes\n", encoding="utf-8")
    return source, tmp_path / "out.en", tmp_path / "out.tsv"


def test_lines_and_scores_stay_aligned(paths):
    source, text, scores = paths
    assert translate_file(Upper(), source, text, scores, (0, 3)) == 3
    assert text.read_text(encoding="utf-8") == "AHOJ\n\nSV\u011aTE DNES\n"
    assert scores.read_text() == (
        "log_probability\ttokens\n-2.000000\t4\n-0.000000\t0\n-5.000000\t10\n"
    )


@pytest.mark.parametrize(
    ("lines", "expected"), [((0, 1), "AHOJ\n"), ((1, 3), "\nSV\u011aTE DNES\n"), ((2, 2), "")]
)
def test_some_lines_are_translated_alone(paths, lines, expected):
    source, text, scores = paths
    done = translate_file(Upper(), source, text, scores, lines)
    assert done == lines[1] - lines[0] == len(scores.read_text().splitlines()) - 1
    assert text.read_text(encoding="utf-8") == expected


def test_lines_that_the_file_does_not_have_are_an_error(paths):
    source, text, scores = paths
    with pytest.raises(TandemError, match="3 lines became 2 translations"):
        translate_file(Upper(), source, text, scores, (1, 4))
    assert not text.exists()


@pytest.mark.parametrize("change", [-1, 1])
def test_a_wrong_number_of_lines_is_an_error_and_leaves_no_file(paths, change):
    source, text, scores = paths
    with pytest.raises(TandemError, match=f"3 lines became {3 + change} translations"):
        translate_file(Upper(change), source, text, scores, (0, 3))
    assert sorted(source.parent.iterdir()) == [source]


def test_a_damaged_source_is_refused(paths):
    source, text, scores = paths
    source.write_bytes(b"good\nb\xffd\n")
    with pytest.raises(InputError, match="line 2: invalid UTF-8"):
        translate_file(Upper(), source, text, scores, (0, 2))
    assert not text.exists()


@pytest.fixture
def shards(tmp_path):
    """An English text, and its back-translation in two shards with scores."""
    (tmp_path / "train.en").write_text("a dog\nA cat\na cow\na hen\na pig\n")
    for name, lines in (("0", ["the dog", "a  CAT"]), ("1", ["", "a hen!", "the pig"])):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
        rows = ["log_probability\ttokens", *(f"-{len(line)}.0\t{len(line)}" for line in lines)]
        (tmp_path / f"{name}.tsv").write_text("".join(f"{row}\n" for row in rows))
    return [tmp_path / "0", tmp_path / "1"]


def joined(tmp_path, shards, **cleaning):
    out = tmp_path / "out"
    out.mkdir()
    sides = out / "train.en", out / "train.en-bt"
    counts = join_translations(tmp_path, shards, sides, parse_filters(cleaning))
    scores = (out / "train.en-bt.scores.tsv").read_text().split("\n")
    return counts, *(side.read_text().split("\n")[:-1] for side in sides), scores[:-1]


def test_what_a_translator_gave_back_is_no_pair(tmp_path, shards):
    counts, text, made, scores = joined(tmp_path, shards, identical={})
    assert counts == {"kept": 3, "identical": 1, "empty": 1}
    assert text == ["a dog", "a hen", "a pig"]
    assert made == ["the dog", "a hen!", "the pig"]
    assert scores == ["log_probability\ttokens", "-7.0\t7", "-6.0\t6", "-7.0\t7"]


def test_without_filters_only_empty_translations_go(tmp_path, shards):
    counts, text, made, _ = joined(tmp_path, shards)
    assert counts == {"kept": 4, "empty": 1}
    assert (text[1], made[1]) == ("A cat", "a  CAT")
