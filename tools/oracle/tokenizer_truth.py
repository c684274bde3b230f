#!/usr/bin/env python3
"""Compares the bpe tokenizer with the `tokenizers` package on hostile strings. Run by hand.

    python3 -m venv /tmp/truth && /tmp/truth/bin/pip install tokenizers gguf
    cmake --build build/release --target tokenizer_bpe_bench
    /tmp/truth/bin/python tools/oracle/tokenizer_truth.py build/release/bin/tokenizer_bpe_bench \
        --count 100000 smollm=path/to/tokenizer.json llama-bpe=another/tokenizer.json ...

Each argument is SPLIT_RULE=TOKENIZER_JSON (`llama` for a SentencePiece vocabulary). The vocabulary
is written to a GGUF file without tensors, as converters do it, so that the program's own reading of
files is part of what is compared. Every string is tokenized twice: once with control tokens
recognised (a trusted text) and once without (a user's text).

`--fixture FILE --strings N` writes strings and their reference ids of the last vocabulary as JSON.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata

import gguf
from tokenizers import Tokenizer, normalizers

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


def tokens_of(spec):
    """Texts and types by id."""
    texts = {i: t for t, i in spec["model"]["vocab"].items()}
    types = dict.fromkeys(texts, NORMAL)
    for added in spec["added_tokens"]:
        texts[added["id"]] = added["content"]
        types[added["id"]] = CONTROL if added["special"] else USER_DEFINED
    size = max(texts) + 1
    for i in range(size):
        if i not in texts:
            texts[i], types[i] = f"[PAD{i}]", UNUSED
    return [texts[i] for i in range(size)], [types[i] for i in range(size)]


def scores_of(spec, texts):
    """tokenizer.json keeps merges in the order of the scores of what they make."""
    pairs = (m.split(" ") if isinstance(m, str) else m for m in spec["model"]["merges"])
    first = {}
    for rank, pair in enumerate(pairs):
        first.setdefault("".join(pair), rank)
    return [-float(first.get(text, len(spec["model"]["merges"]))) for text in texts]


def write_gguf(path, rule, spec):
    texts, types = tokens_of(spec)
    writer = gguf.GGUFWriter(path, "llama")
    sentencepiece = rule == "llama"
    writer.add_tokenizer_model("llama" if sentencepiece else "gpt2")
    if sentencepiece:
        for i, text in enumerate(texts):
            if len(text) == 6 and text.startswith("<0x"):
                types[i] = BYTE
        unknown = texts.index(spec["model"]["unk_token"])
        types[unknown] = UNKNOWN
        writer.add_unk_token_id(unknown)
        writer.add_token_scores(scores_of(spec, texts))
        writer.add_add_space_prefix(any(n.get("type") == "Prepend" for n in
                                        (spec["normalizer"] or {}).get("normalizers", [])))
    else:
        writer.add_tokenizer_pre(rule)
        merges = spec["model"]["merges"]
        writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
    writer.add_token_list(texts)
    writer.add_token_types(types)
    writer.add_add_bos_token(False)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def assigned(rng):
    """A random character that this Python knows, so that two Unicode versions cannot differ."""
    ranges = [(0x20, 0x7F), (0x80, 0x250), (0x250, 0x3000), (0x3000, 0xD800), (0xE000, 0x10000),
              (0x10000, 0x20000), (0x20000, 0x33480), (0xE0000, 0xE01F0)]
    while True:
        c = chr(rng.randrange(*rng.choice(ranges)))
        if unicodedata.category(c) not in ("Cn", "Cs"):
            return c


def make_strings(count, specials, seed):
    rng = random.Random(seed)
    words = ("the don't I'LL we've He'd THEY'RE it's 's 'S 'ſ naïve Größe façade x2 3D 1,234.56 ½ Ⅷ ² ४२ "
             "日本語 東京タワー 한국어 தமிழ் हिन्दी العربية עברית ไทย русский Ελληνικά 👩‍👩‍👧 🇩🇪 e\u0301 \u1e9b\u0323 "
             "camelCase HTTPServer snake_case kebab-case a.b.c https://x.y/z?q=1 () {} [] <> => != "
             "/* */ // ## ``` \\n %s $x @y &amp; … — « » “ ” ' \" ﬁ İ ı ß ẞ Ǆ ǅ ǆ 々 〇 ㍿ ﷺ ꙮ").split()
    spaces = [" ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\n\n", " \n", "\n ", "\u00a0", "\u3000",
              "\u2003", "\u2028", "\u0085", "\u180e", "\u200b", "\ufeff", "\x0b", "\x0c", "▁", ""]
    marks = "\u0300\u0301\u0323\u0316\u0327\u3099\u093c\u20d0\ufe0f\u200d"
    sources = [
        lambda: rng.choice(words), lambda: rng.choice(words), lambda: rng.choice(spaces),
        lambda: rng.choice(spaces), lambda: assigned(rng), lambda: chr(rng.randrange(0x80)),
        lambda: rng.choice(marks) * rng.randrange(1, 4), lambda: str(rng.randrange(10 ** rng.randrange(1, 12))),
        lambda: rng.choice("aA \n!0é世") * rng.randrange(1, 70), lambda: rng.choice(specials),
        lambda: (lambda s: s[: rng.randrange(len(s) + 1)])(rng.choice(specials)),
        lambda: "".join(rng.choice("abcdefghijklmnopqrstuvwxyzABCXYZ'") for _ in range(rng.randrange(1, 14))),
        lambda: unicodedata.normalize(rng.choice(["NFC", "NFD"]), rng.choice(words)),
    ]
    strings = ["", " ", "a", "\n", "x  y", "x   y", "trailing  ", "½ 1/2 ٣ Ⅷ", "\u0301", "a\u0301\u0323"]
    while len(strings) < count:
        strings.append("".join(rng.choice(sources)() for _ in range(rng.randrange(1, 9))))
    return strings


def ids_of(driver, model, strings, trusted):
    data = b"".join(struct.pack("<I", len(s)) + s for s in (t.encode() for t in strings))
    command = [driver, model, "--ids"] + (["--trusted"] if trusted else [])
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True)
    lines = done.stdout.decode().split("\n")[:-1]
    assert len(lines) == len(strings), f"{len(lines)} answers to {len(strings)} strings"
    return [[int(i) for i in line.split()] for line in lines]


def reference_is_older(reference, text):
    """Whether the reference normalises by a Unicode version from before some of the characters."""
    normalizer = reference.normalizer
    return (isinstance(normalizer, normalizers.NFC) and
            normalizer.normalize_str(text) != unicodedata.normalize("NFC", text))


def compare(driver, rule, path, count, seed):
    with open(path, encoding="utf-8") as file:
        spec = json.load(file)
    reference = Tokenizer.from_file(path)
    specials = [a["content"] for a in spec["added_tokens"]]
    specials = specials[:40] + specials[-20:] if len(specials) > 60 else specials
    strings = make_strings(count, specials, seed)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "vocabulary.gguf")
        write_gguf(model, rule, spec)
        for trusted in (True, False):
            reference.encode_special_tokens = not trusted
            expected = [e.ids for e in reference.encode_batch(strings, add_special_tokens=False)]
            found = ids_of(driver, model, strings, trusted)
            wrong = [(s, e, f) for s, e, f in zip(strings, expected, found) if e != f]
            older = [w for w in wrong if reference_is_older(reference, w[0])]
            wrong = [w for w in wrong if w not in older]
            print(f"{rule:12} {'trusted' if trusted else 'user':8} {len(strings)} strings, "
                  f"{len(wrong)} differ, {len(older)} by the reference's older Unicode tables "
                  f"({path})", flush=True)
            for text, want, got in sorted(wrong, key=lambda w: len(w[0]))[:8]:
                print(f"    {text!r}\n      expected {want}\n      found    {got}")
            failures += len(wrong)
    return failures, reference, specials


def write_fixture(options, reference, specials):
    """One line for each string: the ids of a user's text and, where they differ, of a trusted one."""
    strings = make_strings(options.strings, specials, options.seed + 1)
    ids = {}
    for trusted in (False, True):
        reference.encode_special_tokens = not trusted
        ids[trusted] = [reference.encode(s, add_special_tokens=False).ids for s in strings]
    with open(options.fixture, "w", encoding="utf-8") as file:
        lines = []
        for text, user, trusted in zip(strings, ids[False], ids[True]):
            case = {"text": text, "ids": user}
            if trusted != user:
                case["trusted_ids"] = trusted
            lines.append(json.dumps(case, ensure_ascii=True))
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("driver")
    parser.add_argument("vocabularies", nargs="+", metavar="RULE=TOKENIZER_JSON")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fixture")
    parser.add_argument("--strings", type=int, default=400)
    options = parser.parse_args()
    failures = 0
    for argument in options.vocabularies:
        rule, path = argument.split("=", 1)
        found, reference, specials = compare(options.driver, rule, path, options.count, options.seed)
        failures += found
    if options.fixture:
        write_fixture(options, reference, specials)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
