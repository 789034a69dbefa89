"""The likelihood of an autoencoder and what its vectors say, where both are known."""

import math

import numpy as np
import pytest
import torch

from tandem.encoders.encoder import ENCODERS
from tandem.errors import TandemError
from tandem.generation.networks import Gaussian
from tandem.generation.saving import Generator
from tandem.objectives.kinds.generative import Generative
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.ragged import from_rows
from tandem.segmentation.segmenter import Segmenter
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, train_encoder
from wieting2020.methods.likelihood import (
    UNITS,
    _losses,
    _posterior,
    _texts,
    divergences,
    importance_weighted,
    likelihood,
    mutual_information,
)  # fmt: skip

TYPES = 12


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(1)


def gaussian(means, variances):
    mean = torch.tensor(means, dtype=torch.float32).reshape(len(means), -1)
    return Gaussian(mean, torch.tensor(variances).reshape(mean.shape).float().log())


def integral(density):
    """Integrate a function of one variable."""
    places = np.linspace(-30, 30, 200_001)
    return np.trapezoid(density(places), places)


def normal(z, mean, variance):
    return np.exp(-((z - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


def test_mutual_information_is_the_integral():
    means, variances = np.array([-2.0, 0.3, 1.0, 4.0]), np.array([0.5, 0.2, 1.5, 0.9])
    each = np.stack([means, variances], 1)

    def of_all(z):
        return np.mean([normal(z, *how) for how in each], 0)

    def of_one(z, how):
        own = normal(z, *how)
        return own * np.log((own + 1e-300) / (of_all(z) + 1e-300))

    exact = np.array([integral(lambda z, how=how: of_one(z, how)) for how in each])
    estimated = mutual_information(gaussian(means, variances), 8000).numpy()
    assert estimated == pytest.approx(exact, abs=0.02)
    # E[KL(q(z|x) || p(z))] - KL(q(z) || p(z))
    whole = integral(
        lambda z: of_all(z) * (np.log(of_all(z) + 1e-300) + (z**2 + np.log(2 * np.pi)) / 2)
    )
    divergence = divergences(gaussian(means, variances)).numpy()
    assert exact.mean() == pytest.approx(divergence.mean() - whole, abs=1e-3)


def test_mutual_information_of_a_linear_gaussian_is_that_of_its_channel():
    """A mean drawn from N(0, s) and read with noise v has 0.5 log(1 + s/v) nats of it."""
    signal, noise = 0.8, 0.2
    means = signal**0.5 * np.random.default_rng(1).standard_normal(1500)
    information = mutual_information(gaussian(means, np.full(1500, noise)), 3).mean()
    assert float(information) == pytest.approx(0.5 * math.log(1 + signal / noise), abs=0.05)


@pytest.mark.parametrize("apart", [0.0, 0.3, 1.0, 3.0, 100.0])
def test_mutual_information_is_between_nothing_and_its_bounds(apart):
    count, width = 64, 8
    means = apart * np.random.default_rng(1).standard_normal((count, width))
    posterior = gaussian(means, np.full((count, width), 0.5))
    information = float(mutual_information(posterior, 50).mean())
    noise = 1e-9 if apart == 0 else 0.02
    most = min(float(divergences(posterior).mean()), math.log(count) + 1e-9)
    assert -noise <= information <= most
    if apart == 100:
        assert information == pytest.approx(math.log(count))


def linear(x, slope, noise):
    """Return log p(x | z), x of N(slope z, noise), as a function of z."""

    def log_probability(z):
        return -0.5 * ((x - slope * z[:, 0]) ** 2 / noise + math.log(2 * math.pi * noise))

    return log_probability


def test_importance_weighting_is_exact_in_a_linear_gaussian_model():
    x, slope, noise = torch.tensor([-1.0, 0.2, 2.5]), 1.5, 0.7
    variance = slope**2 + noise
    exact = -0.5 * (x**2 / variance + math.log(2 * math.pi * variance))
    true = gaussian((slope * x / variance).tolist(), [noise / variance] * 3)
    # under the true posterior every weight is p(x)
    one = importance_weighted(true, linear(x, slope, noise), 1)
    assert one.numpy() == pytest.approx(exact.numpy(), abs=1e-5)
    wide = gaussian([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])
    many = importance_weighted(wide, linear(x, slope, noise), 5000)
    assert many.numpy() == pytest.approx(exact.numpy(), abs=0.05)


def test_the_bound_tightens_with_the_draws():
    times, slope, noise = 4000, 1.5, 0.3
    x = torch.full((times,), 1.2)
    off = gaussian([0.3] * times, [0.5] * times)
    means = [
        float(importance_weighted(off, linear(x, slope, noise), draws).mean())
        for draws in (1, 4, 32)
    ]
    variance = slope**2 + noise
    exact = -0.5 * (1.2**2 / variance + math.log(2 * math.pi * variance))
    assert means[0] < means[1] < means[2] < exact + 0.01
    assert means[2] == pytest.approx(exact, abs=0.05)


def text(count, seed=1):
    """Sentences that count: which of three types they repeat, and how often."""
    rng = np.random.default_rng(seed)
    return from_rows([[int(rng.integers(3)) * 4] * int(rng.integers(1, 5)) for _ in range(count)])


def trained(folder, latent, **settings):
    """Train a small autoencoder with LSTMs."""
    body = {"kind": "lstm", "dimension": 8, "hidden": 8}
    kind = ENCODERS.parse({"kind": "posterior", "body": body, "latent": latent})
    objective = Generative(**{
        "reconstructs": "first", "translates": "none", "language_variables": False,
        "decoder": "lstm", "places": ["hidden", "logit"], "dimension": 8, "tokens": 120,
        "dropout": 0.0, "annealing": 100,
    } | settings)  # fmt: skip
    recipe = Recipe(epochs=8, learning_rate=0.03, dropout=0.0)
    segmenter = Segmenter(Words(), [f"w{n}" for n in range(TYPES)], {"en": None, "fr": None})
    pairs = Pairs(text(200), text(200), False, languages=("en", "fr"))
    run = Run(kind, objective, recipe, 1)
    encoder, _ = train_encoder(run, segmenter, [pairs], None, show=False, held_out=pairs)
    encoder.save(folder)
    return Generator(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("models") / "vae", 1)


class Even(Gaussian):
    """A Gaussian of one dimension, whose draws are its quantiles, one after the other."""

    quantiles = iter(())

    def draw(self):
        return self.mean + (0.5 * self.log_variance).exp() * next(self.quantiles)


def test_the_likelihood_is_the_integral_over_vectors(model, monkeypatch):
    every = from_rows([[4 * which] * times for which in range(3) for times in range(1, 5)])
    parts, places = _texts(model, every), torch.linspace(-7, 7, 281)

    @torch.no_grad()
    def log_probability(vectors):
        return -_losses(model, parts, vectors)

    written = torch.stack([log_probability(z.expand(len(every), 1)) for z in places]).double()
    prior = -0.5 * (places.double() ** 2 + math.log(2 * math.pi))
    step = float(places[1] - places[0])
    exact = (torch.logsumexp(written + prior.unsqueeze(1), 0) + math.log(step)).numpy()
    shares = torch.linspace(0.5 / 200, 1 - 0.5 / 200, 200)
    monkeypatch.setattr(Even, "quantiles", iter(torch.distributions.Normal(0, 1).icdf(shares)))
    wide = Even(*gaussian([0.0] * len(every), [4.0] * len(every)))
    estimated = importance_weighted(wide, log_probability, 200).numpy()
    assert estimated == pytest.approx(exact, abs=0.02)
    # by its own posterior, with draws; and these are nearly all sentences that it has seen
    items = likelihood(model, every, 100, 1)
    assert -items["negative_log_likelihood"].mean() == pytest.approx(exact.mean(), abs=0.2)
    assert 0.3 < np.exp(exact).sum() < 1


def test_items_are_of_each_sentence_and_follow_the_seed(model):
    sentences = text(30, seed=3)
    items = likelihood(model, sentences, 5, 1)
    assert set(items) == {*UNITS, "tokens"} and {v.shape for v in items.values()} == {(30,)}
    assert items["tokens"].tolist() == [length + 1 for length in sentences.lengths()]
    again, other = (likelihood(model, sentences, 5, seed) for seed in (1, 2))
    for name in UNITS:
        assert np.array_equal(items[name], again[name])
    assert not np.array_equal(items["information"], other["information"])
    with torch.no_grad():
        posterior = _posterior(model, sentences)
    means = model.encoder.encode_ids(sentences)
    assert posterior.mean.numpy() == pytest.approx(means, abs=1e-5)
    assert items["divergence"] == pytest.approx(divergences(posterior).numpy())


def test_only_an_autoencoder_with_a_prior_has_a_likelihood(tmp_path):
    plain = trained(tmp_path / "ae", 2, prior=False)
    with pytest.raises(TandemError, match="that of a variational autoencoder"):
        likelihood(plain, text(3), 2, 1)
