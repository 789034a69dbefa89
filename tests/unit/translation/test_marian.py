"""Marian: trained, converted and decoded; CTranslate2's scores against the original's."""

import json
import shutil

import pytest
import torch
from transformers import MarianMTModel

from tandem.errors import TandemError
from tandem.translation.base import EMPTY, Translator
from tandem.translation.fitting import Bitext, Pairs, Run
from tandem.translation.marian import MarianTranslator, adopt_marian
from tandem.translation.marian_training import MarianConfig, MarianLearner, train_marian
from tandem.translation.padding import make_batch
from tandem.translation.translate_files import load_translator
from tandem.translation.vocabulary import END, PAD, START, UNKNOWN

COLOURS = {"rudy": "red", "modry": "blue", "bily": "white", "zeleny": "green"}
THINGS = {"dum": "house", "stul": "table", "strom": "tree"}
PAIRS = [(f"{c} {t}", f"{COLOURS[c]} {THINGS[t]}") for c in COLOURS for t in THINGS]
BITEXT = Bitext([source for source, _ in PAIRS], [target for _, target in PAIRS])
CONFIG = MarianConfig(
    pieces=60, dimension=32, layers=1, heads=2, feed_forward=64, positions=24, max_words=5,
    epochs=90, batch_tokens=60, learning_rate=1e-2, dropout=0.0, label_smoothing=0.0, beam=3,
    threads=1, seed=2,
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("marian") / "cs-en"
    train_marian(BITEXT, BITEXT, CONFIG, path, progress=False)
    return path


@pytest.fixture(scope="module")
def translator(folder):
    return load_translator(folder)


def original_score(folder, translator, source, target):
    """Sum of log-probabilities that transformers gives to target tokens (the end among them)."""
    model = MarianMTModel.from_pretrained(folder).eval()
    tokenizer = translator.tokenizer
    ids = torch.tensor([tokenizer.convert_tokens_to_ids(target)])
    start = torch.tensor([[tokenizer.pad_token_id]])
    with torch.inference_mode():
        logits = model(
            input_ids=torch.tensor([tokenizer.convert_tokens_to_ids([*source, "</s>"])]),
            decoder_input_ids=torch.cat([start, ids[:, :-1]], dim=1),
        ).logits
    logits = logits.clone()
    logits[..., [tokenizer.pad_token_id, tokenizer.unk_token_id]] = float("-inf")
    return logits.log_softmax(2).gather(2, ids[..., None]).sum().item()


def test_learns_its_pairs_in_order_with_empty_lines(translator):
    lines = ["", *BITEXT.source, " "]
    results = list(translator.translate(iter(lines)))
    assert results[0] == results[-1] == EMPTY
    right = sum(r.text == t for r, t in zip(results[1:-1], BITEXT.target, strict=True))
    assert right >= 11
    assert isinstance(translator, Translator)


def test_scores_and_tokens_equal_those_of_the_original(folder, translator):
    for sentence in ("modry dum", "rudy", "strom strom strom bily"):
        (result,) = translator.translate([sentence])
        (source,) = translator._cut([sentence])
        hypothesis = translator.model.translate_batch(
            [[*source, "</s>"]], beam_size=CONFIG.beam, return_end_token=True, disable_unk=True,
            max_decoding_length=min(2 * len(source) + 10, 24),
        )[0].hypotheses[0]  # fmt: skip
        assert result.tokens == len(hypothesis)
        expected = original_score(folder, translator, source, hypothesis)
        assert result.log_probability == pytest.approx(expected, abs=2e-3)


def test_log_probability_is_a_sum_also_where_the_bound_cuts(folder, translator):
    source = translator._cut(["dum"])[0]
    results = translator.model.translate_batch(
        [[*source, "</s>"]], beam_size=1, return_end_token=True, return_scores=True,
        max_decoding_length=1, disable_unk=True,
    )  # fmt: skip
    (tokens,), (score,) = results[0].hypotheses, results[0].scores
    result = translator._finish(tokens, score)
    assert result.tokens == 1
    expected = original_score(folder, translator, source, tokens)
    assert result.log_probability == pytest.approx(expected, abs=2e-3)


def test_long_lines_are_cut_to_the_positions(translator):
    assert [len(row) for row in translator._cut(["dum " * 200])] == [23]
    (result,) = translator.translate(["dum " * 200])
    assert 0 < result.tokens <= 24


def test_a_language_token_stands_before_each_sentence(folder):
    plain = MarianTranslator.load(folder)
    multilingual = MarianTranslator(plain.model, plain.tokenizer, 1, 24, prefix=">>ces<<")
    assert multilingual._cut(["modry", ""]) == [[">>ces<<", *plain._cut(["modry"])[0]], []]
    assert len(multilingual._cut(["dum " * 200])[0]) == 23


def test_an_original_can_be_adopted_from_a_folder(folder, tmp_path, translator):
    adopt_marian(folder, tmp_path / "adopted", beam=3)
    assert json.loads((tmp_path / "adopted" / "translator.json").read_text()) == {
        "kind": "marian", "beam": 3, "positions": 24, "prefix": None,
        "origin": {"model": "cs-en", "revision": None},
    }  # fmt: skip
    adopted = load_translator(tmp_path / "adopted")
    assert list(adopted.translate(BITEXT.source)) == list(translator.translate(BITEXT.source))


def test_a_start_that_is_not_zero_is_warned_of(folder, tmp_path, caplog):
    adopt_marian(folder, tmp_path / "zero", beam=1)
    assert "start token" not in caplog.text
    model = MarianMTModel.from_pretrained(folder)
    model.get_input_embeddings().weight.data[-1] = 1.0
    shutil.copytree(folder, tmp_path / "moved")
    model.save_pretrained(tmp_path / "moved")
    adopt_marian(tmp_path / "moved", tmp_path / "other", beam=1)
    assert "start token's embedding is not zero" in caplog.text


def test_what_is_no_model_is_refused(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TandemError, match="no Marian model"):
        adopt_marian(tmp_path / "empty", tmp_path / "out", beam=1)
    with pytest.raises(TandemError, match="no language token '>>ces<<'"):
        adopt_marian(folder, tmp_path / "out", beam=1, prefix=">>ces<<")
    assert not (tmp_path / "out").exists()
    (tmp_path / "empty" / "translator.json").write_text('{"kind": "marian"}')
    with pytest.raises(TandemError, match="not of a marian"):
        load_translator(tmp_path / "empty")
    whole = json.loads((folder / "translator.json").read_text())
    (tmp_path / "empty" / "translator.json").write_text(json.dumps(whole))
    with pytest.raises(TandemError, match="does not load"):
        load_translator(tmp_path / "empty")
    with pytest.raises(TandemError, match="raise max_words"):
        train_marian(Bitext(["a b"], ["x y"]), BITEXT, MarianConfig(max_words=1), tmp_path / "x")


def test_the_start_stays_at_zero_through_training(folder):
    table = MarianMTModel.from_pretrained(folder).get_input_embeddings().weight
    assert table[-1].abs().max() == 0.0 and table[:-1].abs().sum(1).min() > 0.0


def test_padding_does_not_change_the_loss():
    learner = MarianLearner(30, CONFIG)
    learner.network.eval()
    pairs = Pairs([[5, 6], [7, 8, 9, 10]], [[11], [12, 13, 14]])
    together, tokens = learner.surprise(pairs)
    alone = [learner.surprise(Pairs([s], [t])) for s, t in zip(*pairs, strict=True)]
    assert tokens == 6
    assert together == pytest.approx(sum(value for value, _ in alone), rel=1e-5)


def test_ids_are_those_of_the_vocabulary_file(folder, translator):
    learner = MarianLearner(60, CONFIG)
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    assert learner.ids[[END, UNKNOWN, PAD, START]].tolist() == [0, 1, 58, 58]
    assert list(vocabulary)[:2] == ["</s>", "<unk>"] and list(vocabulary)[-1] == "<pad>"
    spm = translator.tokenizer.spm_source
    for piece in range(4, len(spm)):
        assert vocabulary[spm.id_to_piece(piece)] == learner.ids[piece]
    assert make_batch([[5]], [[6]]).inputs[0, 0] == START


def test_a_killed_run_resumes_to_the_same_bytes(tmp_path, monkeypatch):
    config = MarianConfig(**{**vars(CONFIG), "epochs": 2, "dropout": 0.1})
    train_marian(BITEXT, BITEXT, config, tmp_path / "whole", progress=False)
    save = Run.save

    def save_then_die(run):
        save(run)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Run, "save", save_then_die)
        train_marian(BITEXT, BITEXT, config, tmp_path / "killed", progress=False)
    assert (tmp_path / "killed" / "checkpoint" / "last.pt").exists()
    train_marian(BITEXT, BITEXT, config, tmp_path / "killed", progress=False)
    names = {p.relative_to(tmp_path / "whole") for p in (tmp_path / "whole").rglob("*.*")}
    assert names == {p.relative_to(tmp_path / "killed") for p in (tmp_path / "killed").rglob("*.*")}
    for name in names:
        whole, resumed = tmp_path / "whole" / name, tmp_path / "killed" / name
        assert whole.read_bytes() == resumed.read_bytes(), name
