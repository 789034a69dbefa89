"""docs/pages.py: what it includes from elsewhere, and what becomes of links."""

import importlib.util
from pathlib import Path

import pytest
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import get_files
from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("pages", REPOSITORY / "docs/pages.py")
pages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(pages)


@pytest.fixture(scope="module")
def site():
    config = load_config(str(REPOSITORY / "mkdocs.yml"))
    files = get_files(config)
    pages.on_files(files, config)
    return config, files


def rendered(site, text, page="api/index.md"):
    config, files = site
    return pages.on_page_markdown(text, Page(None, files.src_uris[page], config), config, files)


@pytest.mark.parametrize(
    "link, becomes",
    [
        ("../fidelity.md#text", "../fidelity.md#text"),
        ("../../CONTRIBUTING.md#conventions", "../contributing.md#conventions"),
        ("../../README.md#citation", "../index.md#citation"),
        ("../../README.md", "../index.md"),
        ("../../results/README.md", "../files.md"),
        ("../../LICENSE", "https://github.com/tandem-bitext/tandem/blob/main/LICENSE"),
        ("../../tests", "https://github.com/tandem-bitext/tandem/tree/main/tests"),
        ("../../absent.md", "../../absent.md"),
        ("https://example.org/a#b", "https://example.org/a#b"),
        ("#here", "#here"),
    ],
)
def test_links_lead_to_the_page_that_has_the_text_or_to_the_repository(site, link, becomes):
    assert rendered(site, f"See [this]({link}).") == f"See [this]({becomes})."


def test_a_section_is_included_without_its_heading_and_with_its_links(site):
    text = rendered(site, "a\n[README](../README.md#citation)<!-- include -->\nb", "index.md")
    assert text.startswith("a\n\n[CITATION.cff](https://github.com/")
    assert text.endswith("\nb")
    assert "##" not in text


def test_a_heading_in_code_ends_no_section():
    lines = "# One\na\n```\n## Two\n```\nb\n## Three\nc".split("\n")
    assert list(pages.section(lines, "x.md", "one")) == ["a", "```", "## Two", "```", "b"]


def test_a_section_that_is_not_there_is_an_error(site):
    with pytest.raises(PluginError, match="README.md has no section #absent"):
        rendered(site, "[README](../README.md#absent)<!-- include -->", "index.md")


def test_code_stays_and_items_of_inner_lists_are_indented_for_the_site(site):
    text = "- a\n  - b\n\n```\n  [x](../../LICENSE)\n```"
    assert rendered(site, text) == text.replace("  - b", "    - b")


def test_every_study_has_a_page_in_the_sidebar(site):
    config, _ = site
    (listed,) = (part["Studies"] for part in config.nav if "Studies" in part)
    studies = {path.parent.name for path in REPOSITORY.glob("workflow/studies/*/study.yaml")}
    assert {Path(page).stem for page in listed} == studies


def test_the_page_of_a_study_links_to_its_reference_results():
    pages = "".join(path.read_text("utf-8") for path in REPOSITORY.glob("docs/studies/*.md"))
    kept = {path.parent.name for path in REPOSITORY.glob("docs/results/*/README.md")}
    assert kept
    assert not [name for name in kept if f"(../results/{name}/README.md)" not in pages]
