"""A small archive of the layout that PAWS-X has, with its faults."""

import io
import tarfile

HEAD = "id\tsentence1\tsentence2\tlabel\n"
WORDS = {"en": "sheep house river king word sea hill road".split(),
         "de": "Schaf Haus Fluss König Wort Meer Berg Weg".split(),
         "fr": "mouton maison fleuve roi mot mer mont route".split()}  # fmt: skip


def sentence(language, numbers):
    return " ".join(WORDS[language][n % 8] for n in numbers)


def rows(language, count, first=0):
    """Return rows: a paraphrase changes the last word, what is none changes the first two."""
    lines = []
    for n in range(first, first + count):
        numbers = [n, n // 2, n // 3, n // 5, 3 * n]
        other = [*numbers[:4], n + 1] if n % 2 else [numbers[1], numbers[0] + 1, *numbers[2:]]
        texts = sentence(language, numbers), sentence(language, other)
        lines.append(f"{n + 1}\t{texts[0]}\t{texts[1]}\t{n % 2}\n")
    return lines


def write_archive(
    path, languages=("en", "de", "fr"), counts=(24, 30, 40), trained=("en",), further=()
):
    """Write it; training files have blank lines, and the others rows that are not translated.

    `further`: both sentences and the label of one more training row.
    """
    train, valid, test = counts
    with tarfile.open(path, "w:gz") as archive:
        def add(name, lines):
            content = "".join([HEAD, *lines]).encode()
            member = tarfile.TarInfo(f"x-final/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))

        for code in languages:
            for name, size, first in (("dev_2k", valid, 1000), ("test_2k", test, 2000)):
                lines = rows(code, size, first)
                if code != "en":
                    cells = lines[3].split("\t")
                    lines[3] = "\t".join([cells[0], cells[1], "NS", "0\n"])
                add(f"{code}/{name}.tsv", lines)
            if code in trained:
                lines = rows(code, train)
                quoted = '99\t"A sheep, he said.\tthe other" one\t1\n'
                same = "98\ta b c\ta b c\t0\n"
                name = "train" if code == "en" else "translated_train"
                more = ["\t".join(["97", *further]) + "\n"] if further else []
                add(f"{code}/{name}.tsv", ["\n", *lines, "\n", quoted, same, *more])
    return path
