"""What tests of readers share: a corpus of one format, and what it gives or refuses."""

import zipfile

import pytest

from tandem.corpora.register import Dataset
from tandem.errors import InputError


def corpus(reader, languages=("en", "cs"), codes=(), **options):
    kind = {"reader": {"kind": reader, **options}} if reader else {}
    place = "{language}" if reader in ("lines", "po") else "-"
    base = {"name": "mine", "kind": "local", "path": place, "licence": "own"}
    return Dataset(**base, languages=languages, codes=dict(codes), **kind)


def read(path, reader, source="en", target="cs", languages=("en", "cs"), **options):
    return list(corpus(reader, languages, **options).pairs(path, source, target))


def make_zip(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def refused(*words):
    pattern = ".*".join(words)
    return pytest.raises(InputError, match=f"(?s){pattern}")
