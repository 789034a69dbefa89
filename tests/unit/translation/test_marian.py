"""Released Marian models: converted and decoded; CTranslate2's scores against the original's."""

import json
import shutil

import pytest
import sentencepiece as spm
import torch
import transformers
from transformers import MarianMTModel, MarianTokenizer

from tandem.errors import InputError, TandemError
from tandem.files import saved
from tandem.translation.rnn_training import train_pieces
from tandem.translation.translator import EMPTY, TRANSLATORS, load_translator

COLOURS = {"rudy": "red", "modry": "blue", "bily": "white", "zeleny": "green"}
THINGS = {"dum": "house", "stul": "table", "strom": "tree"}
PAIRS = {f"{c} {t}": f"{COLOURS[c]} {THINGS[t]}" for c in COLOURS for t in THINGS}
POSITIONS = 24


def released(model, **changes):
    """Return settings that name a model."""
    values = {"kind": "released", "bitext": "en-cs", "source": "cs", "target": "en", "beam": 3}
    return TRANSLATORS.parse(values | {"model": str(model)} | changes)


def drawn_model(pieces):
    torch.manual_seed(2)
    return MarianMTModel(
        transformers.MarianConfig(
            vocab_size=pieces, d_model=32, encoder_layers=1, decoder_layers=1,
            encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=64,
            decoder_ffn_dim=64, max_position_embeddings=POSITIONS, activation_function="relu",
            dropout=0.0, scale_embedding=True, pad_token_id=pieces - 1, eos_token_id=0,
            decoder_start_token_id=pieces - 1, bos_token_id=None, forced_eos_token_id=None,
        )
    )  # fmt: skip


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A Marian model of the form in which they are released, trained on the pairs."""
    folder = tmp_path_factory.mktemp("marian") / "opus-mt-cs-en"
    folder.mkdir()
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(train_pieces([*PAIRS, *PAIRS.values()], 60))
    processor = spm.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    texts = [processor.id_to_piece(i) for i in range(4, len(processor))]
    vocabulary = ["</s>", "<unk>", *texts, ">>eng<<", "<pad>"]
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    (folder / "vocab.json").write_text(json.dumps(ids))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "MarianTokenizer"}')
    model, tokenizer = drawn_model(len(ids)), MarianTokenizer.from_pretrained(folder)
    batch = tokenizer([*PAIRS], text_target=[*PAIRS.values()], padding=True, return_tensors="pt")
    batch["labels"][batch["labels"] == tokenizer.pad_token_id] = -100
    start = model.get_input_embeddings().weight.data[tokenizer.pad_token_id]
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(150):
        start.zero_()  # padding starts the decoder, and in released models from zeros
        optimiser.zero_grad()
        model(**batch).loss.backward()
        optimiser.step()
    start.zero_()
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(original):
    path = original.parent / "cs-en"
    released(original).train("unused", path)
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


def test_learned_its_pairs_in_order_with_empty_lines(translator):
    results = list(translator.translate(iter(["", *PAIRS, " "])))
    assert results[0] == results[-1] == EMPTY
    right = sum(r.text == t for r, t in zip(results[1:-1], PAIRS.values(), strict=True))
    assert right >= 11


def test_a_beam_of_one_writes_what_the_original_writes_greedily(original, tmp_path):
    released(original, beam=1).train("unused", tmp_path / "greedy")
    translator = load_translator(tmp_path / "greedy")
    model = MarianMTModel.from_pretrained(original).eval()
    tokenizer = translator.tokenizer
    for line in [*PAIRS, "rudy", "strom strom strom bily"]:
        (result,) = translator.translate([line])
        inputs = tokenizer([line], return_tensors="pt")
        bound = min(2 * (inputs.input_ids.shape[1] - 1) + 10, POSITIONS)
        ids = model.generate(
            **inputs, num_beams=1, do_sample=False, max_new_tokens=bound,
            suppress_tokens=[tokenizer.pad_token_id, tokenizer.unk_token_id],
        )[0, 1:]  # fmt: skip
        assert result.tokens == len(ids)
        assert result.text == tokenizer.decode(ids, skip_special_tokens=True)


def test_scores_and_tokens_equal_those_of_the_original(folder, translator):
    for sentence in ("modry dum", "rudy", "strom strom strom bily"):
        (result,) = translator.translate([sentence])
        (source,) = translator._cut([sentence])
        hypothesis = translator.model.translate_batch(
            [[*source, "</s>"]], beam_size=3, return_end_token=True, disable_unk=True,
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


def test_a_language_token_stands_before_each_sentence(original, tmp_path, translator):
    released(original, prefix=">>eng<<").train("unused", tmp_path / "prefixed")
    prefixed = load_translator(tmp_path / "prefixed")
    assert prefixed._cut(["modry", ""]) == [[">>eng<<", *translator._cut(["modry"])[0]], []]
    assert len(prefixed._cut(["dum " * 200])[0]) == 23
    assert next(prefixed.translate(["modry"])) != next(translator.translate(["modry"]))


def test_a_folder_says_what_it_was_made_of(folder):
    assert json.loads((folder / "translator.json").read_text()) == {
        "kind": "released", "bitext": "en-cs", "source": "cs", "target": "en", "threads": 1,
        "model": "opus-mt-cs-en", "revision": None, "prefix": None, "beam": 3,
    }  # fmt: skip


def test_a_start_that_is_not_zero_is_warned_of(original, tmp_path, caplog):
    released(original).train("unused", tmp_path / "zero")
    assert "start token" not in caplog.text
    model = MarianMTModel.from_pretrained(original)
    model.get_input_embeddings().weight.data[-1] = 1.0
    shutil.copytree(original, tmp_path / "moved")
    model.save_pretrained(tmp_path / "moved")
    released(tmp_path / "moved").train("unused", tmp_path / "other")
    assert "start token's embedding is not zero" in caplog.text


def test_what_is_no_model_is_refused(original, folder, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TandemError, match="no Marian model"):
        released(tmp_path / "empty").train("unused", tmp_path / "out")
    with pytest.raises(TandemError, match="no language token '>>ces<<'"):
        released(original, prefix=">>ces<<").train("unused", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "empty" / "translator.json").write_text('{"kind": "released"}')
    saved.seal(tmp_path / "empty")
    with pytest.raises(InputError, match="translator.json: .*model: not given"):
        load_translator(tmp_path / "empty")
    shutil.copy(folder / "translator.json", tmp_path / "empty")
    saved.seal(tmp_path / "empty")
    with pytest.raises(TandemError, match="does not load"):
        load_translator(tmp_path / "empty")


def test_the_device_is_the_one_that_is_asked_for(folder, translator):
    on_cpu = load_translator(folder, device="cpu")
    assert on_cpu.model.device == "cpu"
    assert [*on_cpu.translate(PAIRS)] == [*translator.translate(PAIRS)]
    for device in ("quantum", "cuda:99", "cuda:x"):
        with pytest.raises(TandemError, match=f"does not load on {device}"):
            load_translator(folder, device=device)
