"""Score files of batches as tables, and the note on a panel."""

from pathlib import Path

import pandas as pd
import pytest

from tandem.errors import TandemError
from tandem.files.io import write_json
from wieting2019.methods.points import panel_note, read_scores

PANEL = {
    "languages": ["cs", "de"],
    "pairs": 1000,
    "english_sentences": 1200,
    "english_sentences_in_all_languages": 800,
    "share_in_another_language": 0.8,
}


def entry(code: str, *randoms: float) -> dict:
    """A language with a plain run for each seed from 1."""
    return {
        "language": code,
        "overlap": {"types": 0.2, "tokens": 0.4, "english_types": 10, "shared_types": 2},
        "runs": [
            {"marked": False, "seed": n, "score": 60.0 + n, "random": start, "epoch": 3}
            for n, start in enumerate(randoms, start=1)
        ],
    }


def test_reads_runs_and_overlaps(tmp_path: Path) -> None:
    files = []
    for number, languages in enumerate([[entry("cs", 55.0, 56.0)], [entry("de", 55.0, 56.0)], []]):
        files.append(tmp_path / f"batch{number}.json")
        write_json(files[-1], {"panel": "verses", "code": "x", "languages": languages})
    runs = read_scores(files)
    columns = ["panel", "language", "seed", "overlap_types", "overlap_tokens", "random"]
    assert runs[columns].to_numpy().tolist() == [
        ["verses", "cs", 1, 0.2, 0.4, 55.0],
        ["verses", "cs", 2, 0.2, 0.4, 56.0],
        ["verses", "de", 1, 0.2, 0.4, 55.0],
        ["verses", "de", 2, 0.2, 0.4, 56.0],
    ]
    with pytest.raises(TandemError, match="no batch holds a language"):
        read_scores(files[2:])


def test_the_note_says_whether_the_start_is_shared() -> None:
    runs = pd.DataFrame({"seed": [1, 1, 2, 2], "random": [55.0, 55.0, 56.0, 56.0]})
    note = panel_note(PANEL, runs)
    assert "2 languages with 1,000 pairs each, on 1,200 English sentences, 800 of them" in note
    assert "share 80%" in note
    assert "55.00 (seed 1), 56.00 (seed 2): the same for every language" in note
    apart = panel_note(PANEL, runs.assign(random=[55.0, 55.5, 56.0, 56.0]))
    assert "55.00 to 55.50 (seed 1), 56.00 (seed 2): by language" in apart
