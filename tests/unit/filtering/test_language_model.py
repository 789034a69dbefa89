"""N-gram models: probabilities, ARPA files, and the filter that reads them."""

import gzip
import math

import numpy as np
import pytest

from tandem.errors import InputError, TandemError
from tandem.filtering.filter import parse_filters
from tandem.filtering.ngram_model import BEGIN, END, UNKNOWN, load, train


def sentences(count, seed=1):
    """Text of a chain of words, so that contexts tell something."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        word, found = int(random.integers(12)), []
        for _ in range(int(random.integers(0, 9))):
            found.append(f"w{word}")
            word = (word * 5 + int(random.integers(4))) % 12
        yield found


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_probabilities_after_any_context_add_up_to_one(order):
    model = train(sentences(300), order)
    vocabulary = [gram[0] for gram in model.logs if len(gram) == 1 and gram != (BEGIN,)]
    assert UNKNOWN in vocabulary and END in vocabulary
    contexts = {gram[:-1] for gram in model.logs if gram != (BEGIN,)}
    for context in sorted(contexts | {("w1", "never")[: order - 1]}):
        total = sum(10 ** model._log(context[1 - order :] if order > 1 else (), word)
                    for word in vocabulary)  # fmt: skip
        assert total == pytest.approx(1)


def test_a_bigram_model_is_what_the_formulas_say():
    # bigrams: <s> a 3, a b 2, b </s> 3, a </s> 1, <s> b 1; each word follows so many others:
    # a 1 (<s>), b 2 (a, <s>), </s> 2 (b, a). Too few for discounts of their own: 0.5, 1, 1.5.
    model = train([["a", "b"], ["b"], ["a", "b"], ["a"]], 2)
    unigram = {"a": 1, "b": 2, END: 2, UNKNOWN: 0}
    freed = (0.5 + 1 + 1) / 5
    taken = {0: 0.0, 1: 0.5, 2: 1.0}
    below = {w: (c - taken[c]) / 5 + freed / 4 for w, c in unigram.items()}
    for word, probability in below.items():
        assert 10 ** model.logs[word,] == pytest.approx(probability)
    after_a = (2 - 1) / 3 + (1 + 0.5) / 3 * below["b"]  # a b 2, a </s> 1
    assert 10 ** model.logs["a", "b"] == pytest.approx(after_a)
    assert 10 ** model.backoffs["a",] == pytest.approx((1 + 0.5) / 3)


def test_likelier_text_costs_less_and_words_unknown_have_a_cost():
    model = train(sentences(2000))
    held_out = [text for text in sentences(200, seed=2) if len(text) > 2]
    random = np.random.default_rng(3)
    shuffled = [list(random.permutation(text)) for text in held_out]
    costs = [np.mean([model.cost(text) for text in texts]) for texts in (held_out, shuffled)]
    assert costs[0] < costs[1] - 0.2
    assert model.cost(["w1"]) < model.cost(["never"]) < 20
    assert model.cost([]) > 0


def test_an_arpa_file_holds_the_model(tmp_path):
    model = train(sentences(300))
    model.save(tmp_path / "a.arpa")
    again = load(tmp_path / "a.arpa")
    assert again.order == 3 and again.logs.keys() == model.logs.keys()
    for text in sentences(20, seed=2):
        assert again.log10(text) == pytest.approx(model.log10(text), abs=1e-5)
    again.save(tmp_path / "b.arpa")
    assert (tmp_path / "b.arpa").read_bytes() == (tmp_path / "a.arpa").read_bytes()


def test_what_is_no_model_is_refused(tmp_path):
    train(sentences(10)).save(tmp_path / "a.arpa")
    text = (tmp_path / "a.arpa").read_text()
    for wrong, said in (
        (text[: text.index("\\3-grams:")], "not the whole"),
        (text.replace("\\2-grams:\n", "\\2-grams:\nnone of it\n"), "line .*no 2-gram"),
        ("some text\n", "no ARPA file"),
    ):
        (tmp_path / "b.arpa").write_text(wrong)
        with pytest.raises(InputError, match=said):
            load(tmp_path / "b.arpa")
    with pytest.raises(TandemError, match="needs sentences"):
        train([])


def test_the_filter_gives_the_cost_of_one_side(tmp_path):
    model = train([["the", "cat", "sat", "."], ["a", "dog", "ran", "."]] * 3)
    model.save(tmp_path / "plain.arpa")
    with gzip.open(tmp_path / "a.arpa.gz", "wb") as out:
        out.write((tmp_path / "plain.arpa").read_bytes())
    settings = {"kind": "language-model", "model": str(tmp_path / "a.arpa.gz"), "maximum": 2}
    kind = parse_filters({"fluent": settings}, files=True)["fluent"]
    scores = kind.scorer(("de", "en"), open_encoder=pytest.fail)
    (likely,), (odd,) = scores([("x", "The cat sat."), ("x", "Sat cat zzz.")])
    assert likely < odd and kind.sides == ("right",)
    assert kind.within((likely,)) and not kind.within((odd,))
    assert likely == pytest.approx(model.cost(["the", "cat", "sat", "."]), abs=1e-5)
    assert math.isfinite(odd)
