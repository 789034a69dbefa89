import pytest

from tandem.errors import TandemError
from tandem.tasks.speed_run import sample_lines


def test_draws_lines_without_replacement_in_their_order(tmp_path):
    path = tmp_path / "text"
    path.write_text("".join(f"{n:03}\n" for n in range(200)), encoding="utf-8")
    drawn = sample_lines(path, 50, seed=1)
    assert drawn == sorted(set(drawn)) and len(drawn) == 50
    assert drawn == sample_lines(path, 50, seed=1) != sample_lines(path, 50, seed=2)
    assert len(sample_lines(path, 500, seed=1)) == 200


def test_refuses_an_empty_text(tmp_path):
    (tmp_path / "text").write_text("", encoding="utf-8")
    with pytest.raises(TandemError, match="empty"):
        sample_lines(tmp_path / "text", 5, seed=1)
