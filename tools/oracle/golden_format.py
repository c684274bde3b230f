"""The binary fixture of logits sketches: little-endian, no padding. README.md has the table.

tests/golden/golden_file.h reads the same layout in C++.
"""

import struct

import numpy as np

from statistic import Sketch

MAGIC = b"TROUPEL1"


def write_sketches(path, vocab, head, tail, prompts):
    """`prompts`: a list of (token ids, [Sketch for each of them])."""
    if vocab > 1 << 16:
        raise ValueError(f"vocabulary of {vocab}: ids are stored in 16 bits")
    with open(path, "wb") as file:
        positions = sum(len(ids) for ids, _ in prompts)
        file.write(MAGIC + struct.pack("<5I", vocab, len(prompts), positions, head, tail))
        for ids, _ in prompts:
            file.write(struct.pack("<I", len(ids)) + np.asarray(ids, "<u2").tobytes())
        for _, sketches in prompts:
            for sketched in sketches:
                file.write(struct.pack("<2d", sketched.logsumexp, sketched.rest_mass))
                for ids, logits in (
                    (sketched.head_ids, sketched.head_logits),
                    (sketched.tail_ids, sketched.tail_logits),
                ):
                    file.write(ids.astype("<u2").tobytes() + logits.astype("<f4").tobytes())
                file.write(sketched.sweep_logits.astype("<f4").tobytes())


class _Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, kind, count):
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values


def read_sketches(path):
    """(vocab, [(token ids, [Sketch])]), as write_sketches took them."""
    with open(path, "rb") as file:
        cursor = _Cursor(file.read())
    if cursor.take("S8", 1)[0] != MAGIC:
        raise ValueError(f"{path}: not a logits fixture (expected to begin with {MAGIC!r})")
    vocab, count, positions, head, tail = (int(x) for x in cursor.take("<u4", 5))
    prompts, position = [], 0
    for _ in range(count):
        prompts.append((cursor.take("<u2", int(cursor.take("<u4", 1)[0])).tolist(), []))
    for ids, sketches in prompts:
        for _ in ids:
            logsumexp, rest_mass = cursor.take("<f8", 2)
            fields = []
            for size in (head, tail):
                fields += [cursor.take("<u2", size).astype(np.int64), cursor.take("<f4", size)]
            fields.append(cursor.take("<f4", len(range(position, vocab, positions))))
            sketches.append(Sketch(float(logsumexp), float(rest_mass), *fields))
            position += 1
    if cursor.at != len(cursor.data):
        raise ValueError(f"{path}: {len(cursor.data) - cursor.at} bytes too many")
    return vocab, prompts
