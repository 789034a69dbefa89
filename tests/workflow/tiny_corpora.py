"""Corpora for the tiny scale: English with invented languages, STS tasks, a URIEL of our own.

python tests/workflow/tiny_corpora.py FOLDER     write them into a folder (make tiny: .tiny)
"""

import gzip
import io
import json
import random
import sqlite3
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import yaml

NOUNS = "cat dog lamp door river house window garden teacher sailor bridge candle".split()
VERBS = "sees likes opens paints follows finds".split()
ADJECTIVES = "old green quiet bright heavy small".split()
ENDINGS = {"cs": "ka", "es": "os"}
"""Each invented language turns an English word around and adds its ending."""

PAIRS = 500
PAIRS_A_TASK = 24
TASKS = {
    "2012test": ["MSRpar", "MSRvid"],
    "2013": ["headlines"],
    "2014": ["images", "deft-news"],
    "2015": ["headlines"],
    "2016": ["answer-answer"],
    "2017": ["track5.en-en"],
}

# language: first letter of its alphabet, ending of its words, strings that its catalogue has
LANGUAGES = {
    "cs": ("a", "ka", 90), "de": ("a", "en", 80), "fr": ("a", "e", 100), "el": ("\u03b1", "", 70),
    "ru": ("\u0430", "", 85), "eu": ("a", "tza", 75), "sw": ("a", "ji", 40),
    "tr": ("a", "lar", 78), "uk": ("\u0430", "y", 74),
}  # fmt: skip
STRINGS = 100
VERSES = {"en": "e", "de": "d", "ru": "r"}
VERSIONS = {"es": ("s", "el"), "ar": ("a", "al"), "tr": ("t", "bir"), "ja": ("j", "no")}
"""Languages that have one version of the verses, each with its letter and its article."""
PARAPHRASES = ("en", "de", "fr")
"""Languages of the labelled pairs: words of the last two are those of LANGUAGES."""
URIEL = ["eng", "ces", "deu", "fra", "ell", "rus", "eus", "tur", "ukr"]

REGISTER = {
    "datasets": {
        "tiny-catalogue": {
            "kind": "local",
            "path": "data/catalogue.zip",
            "licence": "none",
            "languages": ["en", *LANGUAGES],
            "reader": {
                "kind": "catalogue",
                "members": r"(?P<component>[^/]+)/(?P<language>[^/]+)\.json",
            },
        },
        "tiny-verses": {
            "kind": "local",
            "path": "data/verses.zip",
            "licence": "none",
            "languages": [*VERSES],
            "reader": {
                "kind": "verses", "member": "bible.db", "translations": VERSES, "blank": "none",
            },
        },
        "tiny-books": {
            "kind": "local", "path": "data/books.zip", "licence": "none", "languages": [*VERSES],
            "reader": {
                "kind": "verses", "member": "bible.db", "translations": VERSES, "blank": "none",
            },
        },
        "tiny-chapters": {
            "kind": "local", "path": "data/books.zip", "licence": "none", "languages": [*VERSES],
            "reader": {
                "kind": "verses", "by": "chapter", "member": "bible.db", "translations": VERSES,
                "blank": "none",
            },
        },
        "tiny-versions": {
            "kind": "local", "path": "data/versions.zip", "licence": "none",
            "languages": ["en", "fr", *VERSIONS],
            "reader": {
                "kind": "verses", "member": "bible.db", "blank": "none",
                "translations": {
                    "en": ["e", "k"], "fr": ["f", "g"],
                    **{code: letter for code, (letter, _) in VERSIONS.items()},
                },
            },
        },
        "tiny-english-verses": {
            "kind": "local", "path": "data/versions.zip", "licence": "none",
            "languages": ["en", "en-kjv"],
            "reader": {
                "kind": "verses", "by": "verse", "member": "bible.db", "blank": "none",
                "translations": {"en": "e", "en-kjv": "k"},
            },
        },
        "tiny-uriel": {
            "kind": "local", "path": "data/uriel.whl", "licence": "none", "languages": [],
        },
        "tiny-bitext": {
            "kind": "local",
            "path": "data/tiny.{language}",
            "licence": "none",
            "languages": ["en", "cs", "es"],
            "reader": {"kind": "lines"},
        },
        "tiny-sts": {
            "kind": "local",
            "path": "data/sts.zip",
            "licence": "none",
            "languages": ["en"],
        },
        **{
            name: {"kind": "local", "path": path, "licence": "none", "languages": ["en"]}
            for name, path in (
                ("tiny-sick", "data/SICK.txt"), ("tiny-tweets", "data/absent.data"),
                ("tiny-senteval", "data/tree_depth.txt"),
            )
        },
        "tiny-paws": {
            "kind": "local", "path": "data/paws.tar.gz", "licence": "none",
            "languages": [*PARAPHRASES], "reader": {"kind": "pawsx"},
        },
        # nothing listens on port 9 of this machine: refused at once
        **{
            f"tiny-unreachable-{part}": {
                "kind": "http",
                "url": f"http://127.0.0.1:9/{part}.zip",
                "version": "1",
                "sha256": None,
                "bytes": None,
                "licence": "none",
                "languages": ["en"],
            }
            for part in ("input", "gold")
        },
        # no index has it, and not every machine has the client
        "tiny-unreachable-package": {
            "kind": "deb",
            "requirement": "tandem-absent=1.0",
            "file": "tandem-absent_1.0_all.deb",
            "sha256": "0" * 64,
            "licence": "none",
            "languages": ["en", "de"],
            "reader": {"kind": "dictd", "headwords": "de"},
        },
    }
}


def write(folder: Path) -> None:
    """Write data/ and datasets.yaml into a folder; the same bytes every time."""
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    english = sorted({_sentence(rng) for _ in range(2 * PAIRS)})[:PAIRS]
    rng.shuffle(english)
    for language in ("en", *ENDINGS):
        lines = [_translated(line, language) + "\n" for line in english]
        (data / f"tiny.{language}").write_text("".join(lines), encoding="utf-8")
    with zipfile.ZipFile(data / "sts.zip", "w") as archive:
        rows = list(_sts_rows(rng))
        for number, split in enumerate(("train", "dev", "test")):
            text = "".join(row + "\n" for row in rows[number::3])
            archive.writestr(zipfile.ZipInfo(f"sts-{split}.csv"), text)
    _write_sick(data / "SICK.txt", rows[:30])
    _write_probing(data / "tree_depth.txt")
    _write_catalogue(data / "catalogue.zip", rng)
    _write_verses(data / "verses.zip", english[:60], 10, 10)
    _write_verses(data / "books.zip", english[:400], 20, 5)
    _write_versions(data / "versions.zip", 400, 20, 5)
    _write_uriel(data / "uriel.whl")
    _write_paraphrases(data / "paws.tar.gz", english)
    _write_encoder(data / "encoder", english)
    (folder / "datasets.yaml").write_text(yaml.safe_dump(REGISTER), encoding="utf-8")


def _translated(line, language):
    if language == "en":
        return line
    return " ".join(word[::-1] + ENDINGS[language] for word in line.split())


def _sentence(rng):
    return (
        f"the {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {rng.choice(VERBS)} "
        f"the {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}"
    )


def _write_sick(path, rows):
    """Write rows of the STS Benchmark as SICK has them."""
    lines = ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tSemEval_set"]
    for number, (score, first, second) in enumerate(row.split("\t")[4:] for row in rows):
        lines.append(f"{number}\t{first}\t{second}\t{score}\tTEST")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _sts_rows(rng):
    """Yield rows of the STS Benchmark: a sentence, the same with some words changed, a score."""
    for year, tasks in TASKS.items():
        for task in tasks:
            for number in range(PAIRS_A_TASK):
                first, other = _sentence(rng).split(), _sentence(rng).split()
                changed = set(rng.sample(range(len(first)), number % 6))
                second = [other[i] if i in changed else word for i, word in enumerate(first)]
                score = f"{5 - len(changed):.3f}"
                cells = ["main", task, year, f"{number:04}", score]
                yield "\t".join([*cells, " ".join(first), " ".join(second)])


def _translate(sentence, language):
    """Return a sentence's words spelt backwards, in the language's letters, with its ending."""
    first, ending, _ = LANGUAGES[language]
    shift = ord(first) - ord("a")
    words = ("".join(chr(ord(c) + shift) for c in word[::-1]) for word in sentence.split())
    return " ".join(word + ending for word in words)


def _write_catalogue(path, rng):
    """Write a catalogue of ten components; each language has another share of its strings."""
    strings = sorted({_sentence(rng) for _ in range(2 * STRINGS)})[:STRINGS]
    rng.shuffle(strings)
    with zipfile.ZipFile(path, "w") as archive:
        for component, own in ((c, strings[n::10]) for n, c in enumerate("abcdefghij")):
            texts = {"en": {str(n): text for n, text in enumerate(own)}}
            for language, (_, _, count) in LANGUAGES.items():
                kept = list(texts["en"].items())[: count // 10]
                texts[language] = {key: _translate(text, language) for key, text in kept}
            for language, content in texts.items():
                member = zipfile.ZipInfo(f"{component}/{language}.json")
                archive.writestr(member, json.dumps(content))


def _write_probing(path):
    """Write sentences with a label of each, as SentEval's files of probing tasks have them."""
    rng, lines = random.Random(3), []
    for mark, count in (("tr", 60), ("va", 20), ("te", 20)):
        for _ in range(count):
            parts = [_sentence(rng) for _ in range(rng.randint(1, 2))]
            lines.append(f"{mark}\t{len(parts) + 4}\t{' and '.join(parts)}\n")
    path.write_text("".join(lines), encoding="utf-8")


def _write_verses(path, english, book, chapter):
    """Write the same verses in every language; so many are in each book, and in each chapter."""
    texts = {
        letter: [text if language == "en" else _translate(text, language) for text in english]
        for language, letter in VERSES.items()
    }
    _write_bible(path, texts, book, chapter)


def _write_versions(path, count, book, chapter):
    """Write verses with punctuation and articles: two versions in English, two in French."""
    rng, texts = random.Random(2), {letter: [] for letter in "ekfg"}
    texts |= {letter: [] for letter, _ in VERSIONS.values()}
    for _ in range(count):
        parts = [_sentence(rng) for _ in range(rng.randint(1, 3))]
        ends = [rng.choice([",", ";", ", and", " and"]) for _ in parts[1:]] + [rng.choice(".!?")]
        english = " ".join(part + end for part, end in zip(parts, ends, strict=True))
        texts["e"].append(english)
        texts["k"].append("lo, " + english.replace("s the", "eth the"))
        words = [word if word == "the" else word[::-1] for word in english.split()]
        french = " ".join(words).replace("the", "le")
        texts["f"].append(french)
        texts["g"].append("or " + french)
        for letter, article in VERSIONS.values():
            texts[letter].append(" ".join(words).replace("the", article))
    _write_bible(path, texts, book, chapter)


def _write_bible(path, texts, book, chapter):
    """Write the verses of each translation, by its letter, as an SQLite table in a zip."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE bible (bbName, bNumber, cNumber, vNumber, vText)")
    for letter, verses in texts.items():
        for number, verse in enumerate(verses):
            place = number // book + 1, number % book // chapter + 1, number % chapter
            connection.execute("INSERT INTO bible VALUES (?, ?, ?, ?, ?)", (letter, *place, verse))
    connection.commit()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("bible.db"), connection.serialize())
    connection.close()


def _write_paraphrases(path, english):
    """Write labelled pairs as PAWS-X has them: two words are swapped, or one is a synonym."""
    files, size = {}, len(english) // 3
    for code in PARAPHRASES:
        for number, name in enumerate(("train", "dev_2k", "test_2k")):
            lines = ["id\tsentence1\tsentence2\tlabel", ""]
            for row, text in enumerate(english[number * size : (number + 1) * size]):
                words, label = text.split(), row % 2
                other = [*words[1:], words[0]] if label else [words[-1], *words[1:-1], words[0]]
                spoken = "en" if code == "en" else "cs"
                pair = [_translated(" ".join(text), spoken) for text in (words, other)]
                lines.append("\t".join([str(row + 1), *pair, str(label)]))
            if name != "train" or code == "en":
                files[f"x-final/{code}/{name}.tsv"] = "\n".join(lines) + "\n"
    with open(path, "wb") as out, gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed:
        with tarfile.open(mode="w", fileobj=packed) as archive:
            for name, text in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))


def _write_encoder(folder, english):
    """Save a small encoder, drawn by a seed, as the library transformers keeps them."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    texts = (_translated(line, code) for code in ("en", "cs") for line in english)
    words = sorted({word for text in texts for word in text.split()})
    marks = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    ids = {piece: number for number, piece in enumerate([*marks.values(), *words])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks).save_pretrained(folder)
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
             "intermediate_size": 16, "max_position_embeddings": 64}  # fmt: skip
    BertModel(BertConfig(vocab_size=len(ids), **sizes)).save_pretrained(folder)


def _write_uriel(path):
    """Write lang2vec's four arrays for our languages, with random features."""
    random_ = np.random.default_rng(1)
    typology = [f"{prefix}_{n}" for prefix in ("S", "P", "INV") for n in range(8)]
    family = [f"F_{n}" for n in range(5)]
    columns = {
        "family_features": family, "geocoord_features": ["GC_1", "GC_2", "GC_3"],
        "feature_predictions": typology, "feature_averages": typology,
    }  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        for name, feats in columns.items():
            data = random_.integers(0, 2, (len(URIEL), len(feats), 1)).astype(np.float32)
            data[:, ::4] = 1  # no language is without features
            content = io.BytesIO()
            np.savez(content, langs=np.array(URIEL), feats=np.array(feats), data=data)
            archive.writestr(zipfile.ZipInfo(f"lang2vec/data/{name}.npz"), content.getvalue())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
