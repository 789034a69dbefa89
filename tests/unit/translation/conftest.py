"""A recurrent translator that is trained once."""

import pytest
from rnn_example import BITEXT, CONFIG

from tandem.translation.rnn_training import train_rnn
from tandem.translation.translator import load_translator


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rnn") / "cs-en"
    train_rnn(BITEXT, BITEXT, CONFIG, path)
    return path


@pytest.fixture(scope="package")
def translator(folder):
    return load_translator(folder)
