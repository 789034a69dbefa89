"""Settings with an objective for each encoder, and encoders that are parts of others' models."""

import pytest
from one_study import plans

from tandem.registry import ConfigurationError

BODY = {"kind": "averaging", "dimension": 16}
WRITER = {
    "label": "W", "segmentation": "words", "architecture": {"kind": "posterior", "body": BODY}
}  # fmt: skip
PART = WRITER | {"part": "bgt/languages/en"}


def study(objective=None, setting=None, recipes=None, segmentations=None, **encoders):
    """Return values that add a setting with an objective for each of its encoders."""
    entries = {"bgt": WRITER, "english": PART} | encoders
    objectives = {"sp": "margin", "bgt": "writing", "english": "writing"}
    both = {
        "label": "B", "corpus": "en-cs", "pairs": 100, "selection": "last",
        "encoders": dict.fromkeys(["sp", *entries], "quick"), "objective": objective or objectives,
    }  # fmt: skip
    own = {
        "encoders": entries,
        "recipes": recipes or {},
        "segmentations": segmentations or {},
        "objectives": {"writing": {"kind": "generative"}},
        "settings": {"both": both | (setting or {})},
    }
    return {"studies": {"first": own}}


def test_each_encoder_has_its_objective(workspace):
    plan = plans(**study())["results/first"]
    kinds = {name: plan.run(f"{name}.both")["objective"]["kind"] for name in ("sp", "bgt")}
    assert kinds == {"sp": "margin", "bgt": "generative"}
    files = {path.name for path in plan.training_files("bgt.both")}
    assert {"posterior.py", "averaging.py", "generative.py", "learner.py"} <= files


def test_a_part_is_taken_from_the_model_of_the_same_seed(workspace):
    plan = plans(**study())["results/first"]
    assert plan.start_model("english.both", 2) == ["results/first/models/bgt.both/seed2"]
    assert plan.part("english.both") == "languages/en"
    assert plan.part("bgt.both") is None
    assert [plan.computed(f"{name}.both") for name in ("bgt", "english")] == [True, False]
    # it reads the same text, and no other is segmented for it
    assert plan.segmented("english.both", 2) == plan.segmented("bgt.both", 2)


def test_a_setting_may_train_fewer_seeds(workspace):
    plan = plans(**study(setting={"seeds": 1}))["results/first"]
    assert plan.seeds("bgt.both") == [1]
    assert plan.seeds("sp.cs") == [1, 2]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (study(objective={"sp": "margin", "bgt": "writing"}),
         "settings.both.objective: none for english"),
        (study(objective={"sp": "margin", "bgt": "writng", "english": "writing"}),
         "settings.both.objective.bgt: no objectives entry 'writng' (did you mean 'writing'?)"),
        (study(objective="writing"),
         "settings.both.encoders.sp: an encoder of kind averaging has no posterior"),
        (study(english=PART | {"part": "lstm/languages/en"}),
         "settings.both.encoders.english: a part of lstm, which is not trained in this setting"),
        (study(english=PART | {"part": "bgt"}), "encoders.english.part: 'bgt' does not match"),
        (study(english=PART | {"architecture": {"kind": "posterior", "latent": 3, "body": BODY}}),
         "encoders.english: give the architecture and segmentation of bgt"),
        (study(bgt=WRITER | {"seeds": 1}),
         "encoders.english.seeds: bgt, which it is a part of, has fewer"),
        (study(setting={"encoders": {"bgt": "pairs"}}, recipes={"pairs": {"batch": 64}}),
         "settings.both.encoders.bgt: the objective generative does not read batch of a recipe"),
        (study(bgt=WRITER | {"segmentation": "three"},
               segmentations={"three": {"kind": "trigrams"}}),
         "settings.both.encoders.bgt: the objective generative writes the tokens that the encoder "
         "reads, and character trigrams in a row are no text"),
        (study(setting={"trained": False}), "a part of bgt, which is not trained in this setting"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(workspace, values, said):
    with pytest.raises(ConfigurationError) as refused:
        plans(**values)
    assert said in str(refused.value)
