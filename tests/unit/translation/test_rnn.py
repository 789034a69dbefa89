"""The recurrent translator: learns, decodes what it scores, and repeats itself to the byte."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sentencepiece as spm
import torch
from rnn_example import BITEXT, CONFIG, NONE, PAIRS, SHORT, kill, save_always, settings

from tandem.errors import TandemError
from tandem.translation import rnn_training
from tandem.translation.batching import END, PAD, START, UNKNOWN, make_batch
from tandem.translation.decoding import Output, bound, choose, decode_greedily
from tandem.translation.network import AttentionNetwork
from tandem.translation.quality import bleu
from tandem.translation.rnn_training import (
    Aligned,
    RnnLearner,
    keep_short,
    learning_rate,
    read_split,
    train_network,
    train_pieces,
    train_rnn,
)
from tandem.translation.translator import EMPTY

FILES = ("model.safetensors", "sp.model", "translator.json", "history.csv")


def contents(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def test_learns_twenty_pairs(translator):
    texts = [result.text for result in translator.translate(BITEXT.sources)]
    assert bleu(texts, BITEXT.targets)["bleu"] > 90


def test_log_probability_is_the_sum_of_teacher_forcing(translator):
    source = translator.pieces.encode([*BITEXT.sources[:3], "modry klic", "xyz dum dum"])
    for row, output in zip(source, decode_greedily(translator.network, source), strict=True):
        batch = make_batch([row], [output.ids])
        memory = translator.network.encode(batch.source, batch.lengths)
        states, _ = translator.network.decode(memory, batch.inputs, memory.initial)
        logits = translator.network.logits(states)[0].detach()
        logits[:, [PAD, UNKNOWN, START]] = float("-inf")
        gains = logits.log_softmax(1).gather(1, batch.labels[0][:, None])[: output.tokens]
        assert output.log_probability == pytest.approx(gains.sum().item(), abs=1e-4)
        assert output.tokens == len(output.ids) + 1
        # greedy: at every step the piece taken is the best one
        assert torch.equal(logits.argmax(1), batch.labels[0])


def test_a_batch_decodes_as_its_rows_do_alone(translator):
    rows = translator.pieces.encode([*BITEXT.sources, "dum", "dum strom klic stul dum strom bily"])
    for row, output in zip(rows, decode_greedily(translator.network, rows), strict=True):
        (alone,) = decode_greedily(translator.network, [row])
        assert alone.ids == output.ids and alone.tokens == output.tokens
        assert alone.log_probability == pytest.approx(output.log_probability, abs=1e-4)


def test_output_is_bounded_and_then_has_no_end():
    network = AttentionNetwork(30, 32, 0.0)
    network.initialise(torch.Generator().manual_seed(5))
    with torch.no_grad():
        network.bias[END] = -1e9
    short, long = decode_greedily(network, [[5], [5, 6, 7, 8]])
    assert [short.tokens, long.tokens] == [bound(1), bound(4)] == [12, 18]
    assert len(short.ids) == short.tokens


def test_pieces_without_text_are_never_chosen():
    logits = torch.full((1, 8), -1.0)
    logits[0, [PAD, UNKNOWN, START]] = 50.0
    logits[0, 6] = 1.0
    piece, gain = choose(logits)
    assert piece.tolist() == [6]
    # of the five allowed one has score 1 and four -1
    expected = 1.0 - torch.logsumexp(torch.tensor([1.0, -1, -1, -1, -1]), 0)
    assert gain.item() == pytest.approx(expected.item())


def test_empty_and_long_lines_keep_their_place(translator):
    lines = ["", "vidim rudy dum dnes", "  ", "dum " * 100, "", "\u4e2d\u6587"]
    results = list(translator.translate(iter(lines)))
    assert len(results) == 6
    assert results[0] == results[2] == results[4] == EMPTY
    assert results[1].text == "i see the red house today" and results[1].log_probability < 0
    assert all("\n" not in result.text for result in results)
    assert list(translator.translate([])) == []


def test_same_seed_same_bytes_another_seed_others(tmp_path):
    runs = {}
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        config = settings(epochs=3, seed=seed)
        train_rnn(BITEXT, BITEXT, config, tmp_path / name)
        runs[name] = contents(tmp_path / name)
    assert runs["a"] == runs["b"]
    assert runs["a"]["model.safetensors"] != runs["c"]["model.safetensors"]
    assert runs["a"]["history.csv"].startswith(b"epoch,loss,validation_loss\n1,")
    assert not (tmp_path / "a" / "checkpoint").exists()


def watched_updates(monkeypatch):
    """Return the list of the learning rates of all updates from now on."""
    rates, update = [], RnnLearner._update
    monkeypatch.setattr(RnnLearner, "_update", lambda *a: rates.append(a[-1]) or update(*a))
    return rates


@pytest.mark.parametrize("checkpoints", [1, 3, 5])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path, monkeypatch, checkpoints):
    train_rnn(BITEXT, BITEXT, SHORT, tmp_path / "whole")
    save_always(monkeypatch)
    arguments = BITEXT, BITEXT, SHORT, tmp_path / "killed"
    kill(monkeypatch, checkpoints, lambda: train_rnn(*arguments))
    assert not (tmp_path / "killed" / "model.safetensors").exists()
    updates = watched_updates(monkeypatch)
    train_rnn(BITEXT, BITEXT, SHORT, tmp_path / "killed")
    killed = len(updates)
    assert contents(tmp_path / "whole") == contents(tmp_path / "killed")
    train_rnn(BITEXT, BITEXT, SHORT, tmp_path / "again")
    assert len(updates) - killed == killed + checkpoints  # none twice


def test_a_checkpoint_of_other_text_is_not_gone_on_from(tmp_path, monkeypatch, caplog):
    pairs, place = Aligned([[5, 6]], [[7, 8]]), tmp_path / "checkpoint"
    with monkeypatch.context() as patch:
        save_always(patch)
        whole = train_network(SHORT, 60, pairs, pairs, place)
    updates = watched_updates(monkeypatch)
    again = train_network(SHORT, 60, pairs, pairs, place)
    # the last checkpoint is that of the last update
    assert again.progress == whole.progress and updates == []
    assert "beginning anew" not in caplog.text
    other = Aligned([[5, 9]], [[7, 8]])
    for run, text in ((SHORT, other), (settings(epochs=3, clip=2.0), pairs)):
        caplog.clear()
        updates.clear()
        train_network(run, 60, text, pairs, place)
        assert "beginning anew" in caplog.text and len(updates) == run.epochs


def test_gradients_are_clipped(monkeypatch):
    config = settings(clip=1e-3, epochs=1)
    pairs = Aligned([[5, 6]], [[7, 8]])
    learner = RnnLearner(config, 60, pairs, pairs)
    norms = []

    def look():
        gradients = [p.grad.norm() for p in learner.network.parameters()]
        norms.append(torch.stack(gradients).norm().item())

    monkeypatch.setattr(learner.optimiser, "step", look)
    learner.begin(0)
    learner.advance()
    assert norms == [pytest.approx(1e-3, rel=1e-3)]


def test_training_leaves_the_global_generator_and_threads_alone(tmp_path):
    torch.manual_seed(11)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    config = settings(epochs=1)
    train_rnn(BITEXT, NONE, config, tmp_path / "a")
    assert torch.equal(before, torch.get_rng_state()) and threads == torch.get_num_threads()
    assert (tmp_path / "a" / "history.csv").read_text().endswith(",\n")


def test_learning_rate_rises_then_falls():
    config = settings(learning_rate=0.1, warmup=0.2)
    rates = [learning_rate(config, share) for share in (0.1, 0.2, 0.6, 1.0)]
    assert rates == pytest.approx([0.05, 0.1, 0.05, 0.0])
    assert learning_rate(settings(learning_rate=0.1, warmup=0.0), 0.5) == pytest.approx(0.05)


def test_only_short_pairs_are_kept():
    pairs = Aligned(["a b", "a b c", "a", ""], ["x", "y", "x y z", "x"])
    assert keep_short(pairs, 2) == Aligned(["a b"], ["x"])
    with pytest.raises(TandemError, match="2 source lines and 1 target lines"):
        keep_short(Aligned(["a", "b"], ["a"]), 2)
    with pytest.raises(TandemError, match="raise max_words"):
        train_rnn(Aligned(["a b c"], ["x"]), NONE, settings(max_words=2), "unused")


def test_pieces_are_the_same_bytes_and_end_with_the_text():
    lines = [*BITEXT.sources, "", *BITEXT.targets]
    assert train_pieces(lines, 60) == train_pieces(lines, 60)
    processor = spm.SentencePieceProcessor(model_proto=train_pieces(lines, 60))
    assert [processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id()] == [
        PAD, UNKNOWN, START, END]  # fmt: skip
    with pytest.raises(TandemError, match="could not learn 60 pieces"):
        train_pieces(["", " "], 60)


@pytest.mark.parametrize(
    "change", [{"dimension": 33}, {"epochs": 0}, {"dropout": 1.0}, {"warmup": 1.0}, {"clip": -1}]
)
def test_useless_settings_are_refused(change):
    with pytest.raises(TandemError, match=next(iter(change))):
        settings(**change)


def test_output_is_a_tuple_of_ids_score_and_tokens(translator):
    (output,) = decode_greedily(translator.network, translator.pieces.encode(["modry klic"]))
    assert isinstance(output, Output) and all(i >= 4 for i in output.ids)


def test_the_history_header_names_the_columns(folder):
    lines = (folder / "history.csv").read_text().split("\n")
    assert lines[0] == "epoch,loss,validation_loss" and len(lines) == CONFIG.epochs + 2
    first, last = (float(line.split(",")[2]) for line in (lines[1], lines[-2]))
    assert last < 0.2 * first


def test_the_kind_trains_on_a_bitext_folder_in_its_direction(tmp_path):
    corpus = tmp_path / "en-cs"
    corpus.mkdir()
    for split, pairs in {"train": PAIRS, "valid": PAIRS[:5]}.items():
        for side, language in enumerate(("cs", "en")):
            lines = "".join(f"{pair[side]}\n" for pair in pairs)
            (corpus / f"{split}.{language}").write_text(lines)
    assert read_split(corpus, "train", "cs", "en") == BITEXT
    SHORT.train(corpus, tmp_path / "by-kind")
    validation = Aligned(BITEXT.sources[:5], BITEXT.targets[:5])
    train_rnn(BITEXT, validation, SHORT, tmp_path / "by-hand")
    assert contents(tmp_path / "by-kind") == contents(tmp_path / "by-hand")


def test_reading_the_kinds_loads_nothing_slow():
    program = (
        "import sys; from tandem.translation.translator import TRANSLATORS\n"
        "for name in TRANSLATORS.modules(): TRANSLATORS.kind(name)\n"
        "slow = {'torch', 'transformers', 'ctranslate2', 'sentencepiece', 'numpy', 'tqdm'}\n"
        "print(*slow & {*sys.modules})"
    )
    folder = str(Path(rnn_training.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": folder},
    )  # fmt: skip
    assert done.stdout.split() == []
