"""Readers against hostile files: an error of Tandem's or a result, nothing else.

The table holds inputs made by hand; the fuzz test changes valid ones by chance, with a seed.
"""

import random

import pytest
from hostile_files import HOSTILE, hostile
from kinds_of_files import EVIL, VALID, stray


@pytest.mark.parametrize("kind", VALID)
def test_the_valid_file_is_read(tmp_path, kind):
    read, data = VALID[kind]
    assert read(tmp_path, data)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_give_an_error_or_a_result(tmp_path, kind):
    read = VALID[kind][0]
    cases = list(hostile(kind))
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    found = {}
    for number, (name, data) in enumerate(cases):
        if said := stray(folder / str(number), read, data):
            found[name] = said
    outside = [p for p in (*tmp_path.rglob("*.tsv"), EVIL) if p.parent.name != "sts" and p.exists()]
    assert not found and not outside, f"{len(found)} of {len(cases)}: {found} {outside}"


ROUNDS = {"verses": 300, "verses db": 600, "sts": 500, "sts csv": 300, "sts.tar": 500}


def mutated(random_, data):
    """Return data after one to three changes by chance."""
    changed = bytearray(data)
    for _ in range(random_.randint(1, 3)):
        size = max(len(changed), 1)
        begin = random_.randrange(size)
        end = min(begin + random_.choice((1, 2, 8, 64)), size)
        change = random_.randrange(7)
        if change == 0:
            for place in range(begin, min(end, len(changed))):
                changed[place] ^= 1 << random_.randrange(8)
        elif change == 1:
            del changed[begin:]
        elif change == 2:
            changed[begin:begin] = random_.randbytes(end - begin)
        elif change == 3:
            changed[begin:begin] = changed[begin:end] * random_.choice((1, 3, 100))
        elif change == 4:
            other = random_.randrange(size)
            changed[begin:end], changed[other : other + 8] = (
                changed[other : other + 8], changed[begin:end]
            )  # fmt: skip
        elif change == 5:
            del changed[begin:end]
        else:
            odd = (b"\xff" * 8, b"\0" * 8, b"\x80", b"-1", b"99999999999", b"\n", b"\t", b'"', b"{")
            value = random_.choice(odd)
            changed[begin : begin + len(value)] = value
    return bytes(changed)


@pytest.mark.parametrize("kind", VALID)
def test_fuzz(tmp_path, kind):
    read, data = VALID[kind]
    random_, rounds = random.Random(f"tandem {kind}"), ROUNDS.get(kind, 1000)
    found = {}
    for number in range(rounds):
        if said := stray(tmp_path / str(number), read, mutated(random_, data)):
            found[number] = said
    assert not found, f"{len(found)} of {rounds}: {found}"
