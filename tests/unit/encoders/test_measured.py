import pytest

from tandem.encoders.measured import qualities, quality_in, with_quality

OF_TWO = {"languages": ["en", "de"], "quality": {"thresholds": {"cosine": 0.4}}}
OF_MORE = {
    "languages": [["en", "de"], ["en", "fr"]],
    "quality": {"en de": {"thresholds": {"cosine": 0.4}}, "en fr": {"thresholds": {"cosine": 0.5}}},
}


@pytest.mark.parametrize("metadata", [OF_TWO, OF_MORE])
def test_what_was_measured_is_of_its_languages_in_either_order(metadata):
    assert quality_in(metadata, ("en", "de"))["thresholds"]["cosine"] == 0.4
    assert quality_in(metadata, ("de", "en"))["thresholds"]["cosine"] == 0.4
    assert quality_in(metadata, ("de", "fr")) == {}


def test_of_unknown_languages_it_is_of_all():
    unknown = {"quality": OF_TWO["quality"]}
    assert quality_in(unknown, ("ja", "tr")) == OF_TWO["quality"]
    hostile = {"languages": 7, "quality": {"languages": "en", "thresholds": {}}}
    assert quality_in(hostile, ("ja", "tr")) == hostile["quality"]


def test_a_calibration_in_other_languages_leaves_that_of_training():
    measured = {"languages": ["en", "en"], "thresholds": {"cosine": 0.9}}
    both = OF_TWO | {"quality": with_quality(OF_TWO, ("en", "en"), measured)}
    assert quality_in(both, ("en", "en")) == measured
    assert quality_in(both, ("en", "de")) == OF_TWO["quality"]
    anew = {"languages": ["de", "en"], "thresholds": {"cosine": 0.3}}
    both["quality"] = with_quality(both, ("de", "en"), anew)
    assert list(qualities(both)) == ["en en", "de en"]
    assert quality_in(both, ("en", "de")) == anew


def test_a_calibration_in_the_same_languages_takes_its_place():
    measured = {"languages": ["de", "en"], "thresholds": {"cosine": 0.9}}
    assert with_quality(OF_TWO, ("de", "en"), measured) == measured
    of_none = with_quality({}, ("de", "en"), measured)
    assert of_none == measured
    assert quality_in({"quality": of_none}, ("en", "fr")) == {}
