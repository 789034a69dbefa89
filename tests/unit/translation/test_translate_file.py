"""Files through a translator: alignment, scores, and nothing half-written."""

import pytest

from tandem.errors import InputError, TandemError
from tandem.translation.translate_files import translate_file
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
