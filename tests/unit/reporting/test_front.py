"""The report's first page: claims by verdict, and pictures."""

import csv

from tandem.reporting.front import count, front_page

COLUMNS = ["claim", "statement", "paper", "statistic", "ci_low", "ci_high", "verdict", "scale"]
PNG = bytes.fromhex("89504e470d0a1a0a")


def write(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerows([COLUMNS, *rows])
    return path


def test_claims_are_counted_and_listed_by_verdict(tmp_path):
    one = write(
        tmp_path / "claims.csv",
        ["a.b", "x < y & more", "first", "1.234", "-0.5", "2", "supported", "tiny"],
        ["a.c", "a joint one", "first", "", "", "", "undecided", "tiny"],
        ["b.a", "z", "second", "3", "", "", "supported", "tiny"],
    )
    write(tmp_path / "more/claims.csv", ["b.a", "z", "second", "3", "", "", "supported", "tiny"])
    (tmp_path / "figure.png").write_bytes(PNG)
    page = front_page("Study", one, [("figure", tmp_path / "figure.png")])
    assert "<h2>Study: what was found</h2>" in page
    assert "<p>3 claims, tested on the scores of this run (scale: tiny).</p>" in page
    assert "<tr><td>first</td><td>1</td><td>0</td><td>1</td><td>0</td><td>0</td></tr>" in page
    assert "<summary>supported (2)</summary>" in page and "contradicted (" not in page
    assert "<li>x &lt; y &amp; more: 1.23 [-0.50, 2.00]</li><li>z: 3.00</li>" in page
    assert "<li>a joint one</li>" in page
    assert "<h3>figure</h3>" in page and "data:image/png;base64,iVBORw0KGgo=" in page
    assert count(tmp_path) == 4


def test_before_any_claim_there_are_none(tmp_path):
    assert count(tmp_path / "results") == 0


def test_a_study_without_claims_opens_on_its_table_and_figure(tmp_path):
    claims = write(tmp_path / "claims.csv")
    text = "# Scores\n\n| encoder | STS |\n| --- | ---: |\n| My <own> encoder | **61.2** [60, 62] |"
    (tmp_path / "scores.md").write_text(text, encoding="utf-8")
    (tmp_path / "scores.png").write_bytes(PNG)
    figures = [("scores", tmp_path / "scores.png")]
    page = front_page("Study", claims, figures, [tmp_path / "scores.md"])
    rows = "<tr><td>encoder</td><td>STS</td></tr><tr><td>My &lt;own&gt; encoder</td>"
    rows += "<td><b>61.2</b> [60, 62]</td></tr>"
    assert f"<h3>Scores</h3><table>{rows}</table>" in page
    assert "claims" not in page and "scale" not in page
    assert "data:image/png;base64,iVBORw0KGgo=" in page


def test_tables_of_sections_stay_apart_and_cells_keep_their_bars(tmp_path):
    claims = write(tmp_path / "claims.csv")
    text = "# A\n\n| x | y |\n| --- | --- |\n| 1 |  |\n\n## B\n\n| z |\n| --- |\n| \\|w\\| |\n"
    (tmp_path / "t.md").write_text(text, encoding="utf-8")
    page = front_page("Study", claims, [], [tmp_path / "t.md"])
    first = "<tr><td>x</td><td>y</td></tr><tr><td>1</td><td></td></tr>"
    second = "<tr><td>z</td></tr><tr><td>\\|w\\|</td></tr>"
    assert f"<h3>A</h3><table>{first}</table><h3>B</h3><table>{second}</table>" in page
