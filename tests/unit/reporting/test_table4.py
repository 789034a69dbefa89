import pytest
from tandem.reporting.table4 import markdown, table4

TIMED = {
    "sentences": 5000,
    "sentencepiece": 4000.0,
    "speeds": [
        {"name": "lstm.en-cs", "device": "cpu", "threads": 2, "first": 90.0,
         "passes": {"128": [100.0, 90.0, 110.0], "1024": [80.0] * 3}, "tokenisation": 0.05},
        {"name": "sp.en-cs", "device": "cpu", "threads": 2, "first": 900.0,
         "passes": {"128": [2000.0, 1900.0, 2100.0], "1024": [3000.0, 2000.0, 4000.0]},
         "tokenisation": 0.9},
        {"name": "muse", "device": "cuda", "threads": 2, "first": 500.0,
         "passes": {"128": [500.0] * 3, "1024": [600.0] * 3}, "tokenisation": None},
    ],
}  # fmt: skip
LABELS = {"lstm.en-cs": "LSTM", "sp.en-cs": "SP", "muse": "USE"}


def test_a_row_names_its_best_batch_and_its_share_of_the_limit():
    table = table4(TIMED, LABELS).set_index("encoder")
    assert table.loc["SP", "best_batch"] == 1024
    shares = ["batch_128_sentencepiece_share", "batch_1024_sentencepiece_share"]
    assert table.loc["SP", shares].to_list() == [0.5, 0.75]
    assert table.loc["LSTM", "best_per_s"] == 100.0
    assert table.loc["USE", ["tokenisation_share", *shares]].isna().all()


def test_markdown_is_fastest_first_and_relative_to_the_slowest():
    lines = markdown(table4(TIMED, LABELS), TIMED).split("\n")
    rows = [line for line in lines if line.startswith(("| SP", "| LSTM", "| USE"))]
    assert rows[0] == "| SP | cpu | 900 | 2,000 | 3,000 | 3,000 (1024) | 30.0 | 90% | 50% / 75% |"
    assert rows[1].startswith("| USE | cuda")
    assert rows[2].endswith("| 1.0 | 5% | 2% / 2% |")
    assert "SentencePiece alone encodes 4,000 a second" in "\n".join(lines)


def test_without_a_model_of_sentencepiece_there_is_no_limit():
    table = table4(TIMED | {"sentencepiece": None}, LABELS)
    assert table["batch_1024_sentencepiece_share"].isna().all()
    assert "SentencePiece alone" not in markdown(table, TIMED | {"sentencepiece": None})
    assert table["best_per_s"].max() == pytest.approx(3000)
