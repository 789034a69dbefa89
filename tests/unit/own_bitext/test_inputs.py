"""Text that can be read once is copied, and messages name what was copied."""

import io
import os
import sys
import threading

import pytest

from tandem.corpora.files import corpora, is_file
from tandem.corpora.tables import Columns
from tandem.errors import InputError, TandemError
from tandem.own_bitext.inputs import Source, described, files_in, written

LANGUAGES = ("en", "de")


def only(read, folder):
    """The corpus that can be read again, of one that perhaps cannot."""
    (copied,) = (s.corpus for s in files_in([Source(LANGUAGES, c) for c in read], folder))
    return copied


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        (b"", (), "stdin: the file is empty"),
        (b"cat\nKatze\n", (), "stdin: text of one column"),
        (b"cat\tKatze\n\xff\xff\n", (), "stdin, line 2: "),
        (b'{"en": "cat", "de": "Katze"}\n{\n', (), "stdin, line 2: "),
        (b"cat\tKatze\n", ("1", "7"), "stdin, line 1: "),
        (b"<tmx></tmx>", (), "stdin: TMX cannot be read from a pipe"),
    ],
)
def test_messages_name_stdin_and_not_its_copy(tmp_path, monkeypatch, text, columns, message):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text))))
    copied = only(corpora(["-"], Columns(columns)), tmp_path)
    assert copied.files == (str(tmp_path / "input-1"),)
    with pytest.raises(InputError) as caught:
        list(copied.pairs(LANGUAGES))
    assert str(caught.value).startswith(message)
    assert "input-1" not in str(caught.value)


def test_messages_name_a_pipe_and_the_file_beside_it(tmp_path):
    pipe, file = tmp_path / "pipe", tmp_path / "my.de"
    os.mkfifo(pipe)
    file.write_text("Katze\n")
    writer = threading.Thread(target=pipe.write_text, args=("cat\ndog\n",))
    writer.start()
    assert not is_file(str(pipe)) and is_file(str(file)) and not is_file("-")
    copied = only(corpora([pipe, file]), tmp_path)
    writer.join()
    assert copied.files == (str(tmp_path / "input-1"), str(file))
    with pytest.raises(InputError, match=rf"^{pipe}, line 2: no counterpart in {file}"):
        list(copied.pairs(LANGUAGES))


def test_columns_are_described_where_they_were_chosen(tmp_path):
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text("0.5\tcat\tKatze\n")
    files = [str(tmp_path / name) for name in ("a.tsv", "b.tsv")]
    plain, chosen = (
        described([Source(LANGUAGES, corpus) for corpus in corpora(files, columns)])
        for columns in (Columns(), Columns(("2", "3"), header=False))
    )
    assert (plain["columns"], plain["header"]) == (None, None)
    assert (chosen["columns"], chosen["header"]) == (["2,3", "2,3"], [False, False])


@pytest.mark.parametrize("unfit", ["a\0", "\ud800a"])
def test_a_pair_that_no_file_can_hold_is_named(tmp_path, unfit):
    pairs = {LANGUAGES: [("cat", "Katze"), (unfit, "Katze")]}
    with pytest.raises(TandemError, match=r"^pairs\[1\] is .*, with a NUL character or half a"):
        written(pairs, tmp_path)
