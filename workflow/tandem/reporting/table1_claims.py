"""The findings of wieting2019 on Table 1, as claims on our scores."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.reporting.claims import Claim, Finding, difference_claim, exact_verdict, joint_claim
from tandem.reporting.results import Result, Role, Setting
from tandem.statistics.correlation import FloatArray

SP = "SP"
"""Heading of the encoder that the paper's findings single out."""

LARGER = ("TRIGRAM", "LSTM-SP")
"""The encoders that the paper says have more parameters than SP."""

PAPER = "wieting2019"
SECTION = 'section "Back-Translated Text vs. Parallel Text"'


def table1_claims(
    results: Sequence[Result],
    draws: dict[str, FloatArray],
    settings: Sequence[Setting],
    scale: str,
) -> list[Claim]:
    """Test the paper's findings, each for every encoder that has the scores it needs.

    Args:
        results: every experiment of the table.
        draws: bootstrap draws of each experiment's mean, from `results.draw_means`.
        settings: of the table; their roles say which are compared.
        scale: name of the scale.
    """
    by_role = {
        setting.role: {
            result.experiment.encoder: result
            for result in results
            if result.experiment.setting == setting.name
        }
        for setting in settings
    }
    monolingual = by_role.get(Role.BACK_TRANSLATED, {})
    bitext = by_role.get(Role.BITEXT, {})
    equal = by_role.get(Role.BITEXT_EQUAL_ENGLISH, {})
    return [
        *_same_pairs(monolingual, bitext, draws, scale),
        *_equal_english(monolingual, equal, draws, scale),
        *_sp_best("pairs", bitext, draws, scale),
        *_sp_best("english", equal, draws, scale),
        *_fewer_parameters(bitext, scale),
    ]


def _same_pairs(
    monolingual: dict[str, Result],
    bitext: dict[str, Result],
    draws: dict[str, FloatArray],
    scale: str,
) -> list[Claim]:
    """First finding: at equal pairs En-En is better, for all encoders except SP."""
    claims = []
    for encoder in (encoder for encoder in monolingual if encoder in bitext):
        better, worse = monolingual[encoder], bitext[encoder]
        statement = f"{encoder}: En-En text does better than as many pairs of bitext"
        if encoder == SP:
            better, worse = worse, better
            statement = "SP, the exception: as many pairs of bitext do better than En-En text"
        finding = Finding(statement, PAPER, f"{SECTION}, first observation")
        name = f"table1.same-pairs.{encoder.lower()}"
        claims.append(difference_claim(name, finding, better, worse, draws, scale))
    statement = "At equal pairs, En-En text gives higher correlation for all encoders except SP"
    return _with_joint("table1.same-pairs.all", statement, "first observation", claims)


def _equal_english(
    monolingual: dict[str, Result],
    equal: dict[str, Result],
    draws: dict[str, FloatArray],
    scale: str,
) -> list[Claim]:
    """Second half of it: at equal English sentences bitext is at least as good for every one."""
    claims = []
    for encoder in (encoder for encoder in monolingual if encoder in equal):
        statement = f"{encoder}: at equal English sentences, bitext is at least as good as En-En"
        finding = Finding(statement, PAPER, f"{SECTION}, first observation")
        name = f"table1.equal-english.{encoder.lower()}"
        pair = equal[encoder], monolingual[encoder]
        claims.append(difference_claim(name, finding, *pair, draws, scale))
    statement = "At equal English sentences, bitext is at least as good as En-En for every encoder"
    return _with_joint("table1.equal-english.all", statement, "first observation", claims)


def _sp_best(
    part: str, bitext: dict[str, Result], draws: dict[str, FloatArray], scale: str
) -> list[Claim]:
    """Second finding: SP is the best encoder on bitext."""
    claims = []
    where = {"pairs": "equal pairs", "english": "equal English sentences"}[part]
    for encoder in (encoder for encoder in bitext if encoder != SP and SP in bitext):
        statement = f"On bitext ({where} column), SP is better than {encoder}"
        finding = Finding(statement, PAPER, f"{SECTION}, second observation")
        name = f"table1.sp-best-equal-{part}.{encoder.lower()}"
        pair = bitext[SP], bitext[encoder]
        claims.append(difference_claim(name, finding, *pair, draws, scale))
    statement = f"On bitext ({where} column), SP is the best encoder"
    return _with_joint(
        f"table1.sp-best-equal-{part}.all", statement, "second observation", claims
    )


def _fewer_parameters(bitext: dict[str, Result], scale: str) -> list[Claim]:
    """SP has fewer parameters than the larger encoders: counted, so exact."""
    claims = []
    for encoder in (encoder for encoder in LARGER if encoder in bitext and SP in bitext):
        one, other = bitext[SP].experiment, bitext[encoder].experiment
        difference = other.parameters - one.parameters
        claims.append(
            Claim(
                claim=f"table1.fewer-parameters.{encoder.lower()}",
                statement=f"SP has fewer parameters than {encoder}",
                paper=PAPER,
                place=f"{SECTION}, second observation",
                test=f"parameters of {other.name} minus {one.name}; exact",
                statistic=difference,
                ci_low=None,
                ci_high=None,
                unit="parameters",
                published=None,
                verdict=exact_verdict(difference),
                n=None,
                seeds="",
                scale=scale,
            )
        )
    return claims


def _with_joint(name: str, statement: str, place: str, parts: list[Claim]) -> list[Claim]:
    """Add the claim that every part holds, when there are several."""
    if len(parts) < 2:
        return parts
    finding = Finding(statement, PAPER, f"{SECTION}, {place}")
    return [*parts, joint_claim(name, finding, parts)]
