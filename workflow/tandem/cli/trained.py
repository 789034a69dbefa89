"""What a training ended with, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tandem.cli import common
from tandem.encoders.measured import name_of, parts


def summary(metadata: dict[str, Any], model: Path, apart: list[str]) -> list[str]:
    """Return what was read, how it trained, how good it is, and what to do next.

    Lines of one of several pairs of languages begin with it. `apart` says where lines of text do
    not belong together.
    """
    from tandem.own_bitext.alignment import doubts

    texts, qualities = parts(metadata, "text"), parts(metadata, "quality")
    lines: dict[str, list[str]] = {"read": [], "measured": [], "doubts": []}
    for name, text in texts.items():
        quality = qualities[name]
        for what, some in (
            ("read", _read(text, quality)),
            ("measured", _measured(quality)),
            ("doubts", doubts(quality, _main_pairs(text["splits"]))),
        ):
            lines[what] += [f"{name}: {line}" if name else line for line in some]
    epoch = f"kept epoch {metadata['epoch']} of {_epochs(metadata)}"
    first, quality = next(iter(qualities.items()))
    least = " --at-least auto" if "cosine" in quality["thresholds"] else ""
    languages = first or name_of(metadata["languages"])
    ending = [f"next: tandem score {model} FILES --languages {languages}{least} --out kept.tsv"]
    if lines["doubts"]:
        mend = "next: put the text right, and train again (--overwrite)"
        ending = [*lines["doubts"], *apart, mend]
    return [*lines["read"], epoch, *lines["measured"], *ending]


def _main_pairs(splits: dict[str, int]) -> int:
    """Return how many pairs were trained on, without those of text beside one's own."""
    return splits["train"] - splits.get("also_train", 0)


def _read(text: dict[str, Any], quality: dict[str, Any]) -> list[str]:
    """Return what was read in two languages, beside it too, and what was held out."""
    return [
        _cleaned(text["cleaning"]),
        *_beside(text),
        f"held out: {text['splits']['valid']:,} pairs to stop on, "
        f"{quality['calibrated_on_pairs']:,} to calibrate on, "
        f"{quality['retrieval']['pairs']:,} to report on",
        *_overlapping(text["splits"], quality),
    ]


def _cleaned(cleaning: dict[str, Any]) -> str:
    """Return how many pairs were read and kept, in words, and why others were not."""
    removed = {reason: n for reason, n in cleaning["removed"].items() if n}
    why = ", ".join(f"{n:,} {reason}" for reason, n in removed.items())
    words = f"read {cleaning['read']:,} pairs, kept {cleaning['kept']:,}"
    return words + (f" (left out: {why})" if why else "")


def _beside(text: dict[str, Any]) -> list[str]:
    """Return what was read of --also and --dictionaries; none if nothing was."""
    if "also" not in text["cleaning"]:
        return []
    splits = text["splits"]
    words = f"beside them {_cleaned(text['cleaning']['also'])}, trained on "
    words += f"{splits['also_train']:,}"
    if splits["also_overlapping"]:
        words += f" ({splits['also_overlapping']:,} have a text that is held out)"
    return [words]


def _overlapping(splits: dict[str, int], quality: dict[str, Any]) -> list[str]:
    """Return how many pairs serve for nothing, since others hold their text out; none if none do.

    With these, those held out and those trained on are all that were kept.
    """
    measured = quality["calibrated_on_pairs"] + quality["retrieval"]["pairs"]
    reasons = {
        "that share a text with held-out ones": splits["dropped_overlapping"],
        "held out, that share a text with those to calibrate on": splits["test"] - measured,
    }
    counts = [f"{count:,} {reason}" for reason, count in reasons.items() if count]
    return [f"left out: pairs {' and '.join(counts)}"] if counts else []


def _measured(quality: dict[str, Any]) -> list[str]:
    """Return how many sentences find their translation, and what thresholds keep."""
    retrieval, least = quality["retrieval"], quality["thresholds"]
    lines = [
        f"P@1 of {retrieval['pairs']:,} test pairs: {retrieval['p_at_1_x100']:.1f} "
        f"(95% interval {retrieval['low']:.1f} to {retrieval['high']:.1f})"
    ]
    if "cosine" in least:
        filtering = quality["filtering"]
        lines.append(
            f"score: 95% of true pairs have a cosine of {least['cosine']:.3f} or more; of test "
            f"pairs {filtering['true_kept_x100']:.1f}%, of wrong ones "
            f"{filtering['wrong_kept_x100']:.1f}%"
        )
    if "ratio" in least:
        mining = quality["mining"]
        lines.append(
            f"mine: 95% of true pairs have a margin of {least['ratio']:.3f} or more; where half "
            f"of the sentences have a translation, among {mining['targets']:,}: precision "
            f"{mining['precision_x100']:.1f}, recall {mining['recall_x100']:.1f}"
        )
    else:
        lines.append(common.NO_THRESHOLD)
    return lines


def _epochs(metadata: dict[str, Any]) -> int:
    """Return the number of epochs after which training ended by itself."""
    recipe = metadata["recipe"]
    return min(recipe["epochs"], metadata["epoch"] + (recipe["patience"] or recipe["epochs"]))
