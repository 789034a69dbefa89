"""Training that starts from the encoder of another experiment: what can be, and its text."""

import pytest
from one_study import changed, plans

from tandem.registry import ConfigurationError
from tandem.segmentation.segmentation import SEGMENTATIONS

JOINT = {
    "label": "L", "corpus": "all", "objective": "margin", "pairs": None, "selection": "last",
    "encoders": {"sp": "quick"},
}  # fmt: skip


def started(**settings):
    """Return values with a collection, and settings of it beside the study's own."""
    entries = {"wide": {"label": "W", "segmentation": "words", "seeds": 1,
                        "architecture": {"kind": "averaging", "dimension": 16}}}  # fmt: skip
    made = {name: JOINT | values for name, values in settings.items()}
    own = {"collections": {"all": {"sources": ["films"]}}, "encoders": entries, "settings": made}
    return {"studies": {"first": own}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (started(more={"start": "sp.joit"}, joint={}),
         "settings.more.start: no experiment 'sp.joit' (did you mean 'sp.joint'?)"),
        (started(more={"start": "joint"}, joint={}), "settings.more.start: no pretrained 'joint'"),
        (started(more={"start": "wide.joint"}, joint={}),
         "settings.more.start: no experiment 'wide.joint'"),
        (started(more={"start": "sp.none"}),
         "settings.more.start: none is not trained; leave start out, or train it"),
        (started(more={"start": "sp.joint", "trained": False}, joint={}),
         "settings.more.start: more is not trained; leave start out, or train it"),
        (started(more={"start": "lstm.cs"}),
         "settings.more.start: lstm has another architecture than sp; they must be the same"),
        (started(more={"start": "sp.more"}),
         "settings.more.start: more starts from more; begin with one that has no start"),
        (started(more={"start": "sp.joint"}, joint={"start": "sp.more"}),
         "settings.more.start: more starts from joint starts from more; begin with"),
        (started(more={"start": "sp.joint"}, joint={"start": "sp.joint"}),
         "settings.more.start: more starts from joint starts from joint; begin with"),
        (changed("settings", "de", "start", to="sp.se"),
         "settings.de.start: no experiment 'sp.se' (did you mean 'sp.en'?)"),
    ],
)  # fmt: skip
def test_a_start_that_cannot_be_is_named(workspace, change, said):
    with pytest.raises(ConfigurationError) as refused:
        plans(**change)
    assert f"\n  {said}" in str(refused.value)


def test_tokens_may_start_from_the_vectors_of_pretrained_encoders(workspace):
    change = started(joint={"pairs": 50}, more={"start": "sp.joint"}, idle={"trained": False})
    sp = {"encoders": {"sp": {"vectors": ["muse", "other"], "seeds": 2}}}
    other = {"other": {"label": "Other", "model": "folder"}}
    change["studies"]["first"]["encoders"] |= sp["encoders"]
    with pytest.raises(ConfigurationError, match=r"encoders.sp.vectors: no pretrained entry 'oth"):
        plans(**change)
    change["studies"]["first"]["pretrained"] = other
    plan = plans(**change)["results/first"]
    assert plan.token_vectors("sp.joint") == plan.token_vectors("sp.idle") == ["muse", "folder"]
    assert plan.start_model("sp.joint", 2) == ["results/first/starts/sp.joint/seed2"]
    assert plan.start_model("sp.idle", 1) == ["results/first/starts/sp.idle/seed1"]
    # the encoder that a setting starts from has vectors already
    assert plan.token_vectors("sp.more") == []
    assert plan.start_model("sp.more", 2) == ["results/first/models/sp.joint/seed2"]
    assert plan.start_segmented("joint", 2) == []
    assert plan.token_vectors("lstm.cs") == []
    change["studies"]["first"]["encoders"]["sp"]["part"] = "wide/languages/en"
    with pytest.raises(ConfigurationError, match="encoders.sp.vectors: its tokens have vectors al"):
        plans(**change)


def test_a_start_of_another_segmentation_is_refused(workspace):
    change = started(more={"start": "wide.joint"}, joint={"encoders": {"wide": "quick"}})
    assert plans(**change)
    study = change["studies"]["first"]
    study["segmentations"] = {"few": {"kind": "words", "size": 50}}
    study["encoders"]["wide"]["segmentation"] = "few"
    with pytest.raises(ConfigurationError, match="wide has another segmentation than sp; they mus"):
        plans(**change)


def test_training_starts_from_the_same_seed_or_from_the_first(workspace):
    settings = {"joint": {"encoders": {"sp": "quick", "wide": "quick"}, "pairs": 50}}
    settings |= {"more": {"start": "sp.joint"}, "few": {"start": "wide.joint"}}
    plan = plans(**started(**settings))["results/first"]
    assert plan.start_model("sp.joint", 2) == plan.start_segmented("joint", 2) == []
    assert plan.start_model("sp.more", "2") == ["results/first/models/sp.joint/seed2"]
    assert plan.start_segmented("more", "2") == ["results/first/vocab/all/joint-seed2/words"]
    assert plan.start_model("sp.few", 2) == ["results/first/models/wide.joint/seed1"]
    assert plan.start_segmented("few", 2) == ["results/first/vocab/all/joint-seed1/words"]


def test_seeds_share_text_of_which_all_is_drawn(workspace):
    joint, some = "results/first/vocab/all/joint-seed1/words", {"joint": {"pairs": 50}}
    plan = plans(**started(joint={}, more={"start": "sp.joint"}))["results/first"]
    assert plan.segmented("sp.joint", 2) == plan.segmented("sp.joint", 1) == joint
    assert plan.start_segmented("more", 2) == [joint]
    plan = plans(**started(**some, more={"start": "sp.joint"}))["results/first"]
    assert plan.segmented("sp.joint", 2) != plan.segmented("sp.joint", 1) == joint
    # the vocabulary is that of the start, which has one for each seed
    assert plan.segmented("sp.more", 2) != plan.segmented("sp.more", 1)


def test_the_text_behind_a_start_is_text_behind_what_starts_from_it(workspace):
    plan = plans(**started(more={"start": "sp.cs"}, most={"start": "sp.more"}))["results/first"]
    assert plan.text_of("sp.cs") == ["films", "verses"]
    assert plan.text_of("sp.most") == ["films", "verses"]
    assert plan.text_of("sp.de") == ["films"]


def test_a_saved_model_is_a_start_too(workspace):
    plan = plans(**started(more={"start": "my/model"}))["results/first"]
    assert plan.start_model("sp.more", 2) == plan.start_segmented("more", 2) == ["my/model"]
    assert (plan.text_of("sp.more"), plan.saved_start("more")) == (["films"], "my/model")


def test_a_bitext_is_segmented_as_its_start_is(workspace):
    change = changed("settings", "de", "start", to="sp.cs")
    plan = plans(**change)["results/first"]
    folder = plan.segmented("sp.de", 2)
    assert folder == "results/first/vocab/en-de/of-de-seed2/words"
    assert plan.samples == {"of-de": "de"}
    assert plan.start_segmented("de", 2) == [plan.segmented("sp.cs", 2)]
    size = plan.study.settings["de"].pairs
    assert plan.sample_size("of-de") == plan.sample_size(str(size)) == size


def test_a_setting_may_be_called_by_digits(workspace):
    started_too = {"label": "L", "corpus": "en-cs", "encoders": {"sp": "quick"}, "pairs": 100,
                   "objective": "margin", "start": "sp.cs"}  # fmt: skip
    plan = plans(**changed("settings", "2017", to=started_too))["results/first"]
    assert plan.segmented("sp.2017", 1) == "results/first/vocab/en-cs/of-2017-seed1/words"
    assert plan.start_segmented(plan.samples["of-2017"], 1) == [plan.segmented("sp.cs", 1)]
    # a sample of so many pairs is no setting's
    assert "2017" not in plan.samples
    assert (plan.sample_size("of-2017"), plan.sample_size("2017")) == (100, 2017)


def test_any_segmentation_may_be_that_of_a_saved_model_at_the_end_of_the_starts(workspace):
    chain = {"most": {"start": "sp.more"}, "more": {"start": "my/model"}, "joint": {}}
    plan = plans(**started(**chain))["results/first"]
    every = {SEGMENTATIONS.path(kind) for kind in SEGMENTATIONS.modules()}
    for name in ("more", "most"):
        assert plan.saved_start(name) == "my/model"
        assert every == {*plan.segmentation_files("words", name)}
        assert every < {*plan.training_files(f"sp.{name}")}
    assert plan.saved_start("joint") is None
    for name in ("joint", None):
        assert plan.segmentation_files("words", name) == [SEGMENTATIONS.path("words")]
    assert not {SEGMENTATIONS.path("trigrams")} & {*plan.training_files("sp.joint")}


def labelled(**setting):
    """Return values with labelled pairs, and a setting that starts from a pretrained encoder."""
    tuned = {"label": "T", "corpus": "told", "objective": "label", "pairs": None, "start": "muse",
             "selection": "labels", "encoders": {"tuned": "quick"}}  # fmt: skip
    own = {
        "labelled": {"told": {"source": "films", "languages": ["en"], "tested": ["en", "de"]}},
        "segmentations": {"own": {"kind": "tokenizer"}},
        "encoders": {"tuned": {"label": "T", "segmentation": "own",
                               "architecture": {"kind": "pretrained"}}},
        "objectives": {"label": {"kind": "scaled-cosine"}},
        "settings": {"tuned": tuned | setting},
    }  # fmt: skip
    return {"studies": {"first": own}}


def test_held_out_pairs_of_a_collection_choose_an_epoch_but_have_no_loss(workspace):
    plan = plans(**started(joint={"selection": "retrieval"}))["results/first"]
    assert plan.selection("sp.joint") == ["results/first/corpora/all"]
    with pytest.raises(ConfigurationError, match="joint.selection: loss is for bitexts"):
        plans(**started(joint={"selection": "loss"}))


def test_training_may_start_from_a_pretrained_encoder(workspace):
    plan = plans(**labelled())["results/first"]
    assert plan.start_model("tuned.tuned", 2) == ["results/first/pretrained/muse"]
    assert plan.start_segmented("tuned", 2) == ["results/first/pretrained/muse"]
    # every seed reads the same text
    vocabulary = "results/first/vocab/told/tuned-seed1/own"
    assert plan.segmented("tuned.tuned", 1) == plan.segmented("tuned.tuned", 2) == vocabulary
    assert plan.sides("told") == [] and plan.sources("told") == ["films"]
    assert plan.segmentation_files("own", "tuned") == [SEGMENTATIONS.path("tokenizer")]


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (labelled(start="mus"), "no pretrained 'mus' (did you mean 'muse'?)"),
        (labelled(pairs=5), "settings.tuned.pairs: labelled.told.pairs says it; give null"),
        (labelled(selection="retrieval"), "retrieval is for bitexts; similarity or last"),
        (labelled(corpus="en-cs", pairs=50), "labels is for labelled pairs; give another"),
    ],
)  # fmt: skip
def test_what_labelled_pairs_do_not_have_is_said(workspace, values, fault):
    with pytest.raises(ConfigurationError) as error:
        plans(**values)
    assert fault in str(error.value)
