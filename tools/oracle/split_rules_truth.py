#!/usr/bin/env python3
"""Compares the split rules of the bpe tokenizer with the `tokenizers` package. Run by hand, set up
as tokenizer_truth.py says:

    /tmp/truth/bin/python tools/oracle/split_rules_truth.py build/release/bin/tokenizer_bpe_bench

The expressions stand here as the models' tokenizer files have them, for the regular-expression
engine of that package; the program has its own spelling of them for PCRE2.
"""
import argparse
import struct
import subprocess
import sys

from tokenizers import Regex
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence, Split

from tokenizer_truth import make_strings

WORD_ENDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
TAIL = r"\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
NOT_HAN = r"&&[^\p{Han}]]"
HEAD = r"[^\r\n\p{L}\p{N}]?"
HAN_UPPER, HAN_LOWER = UPPER[:-1] + NOT_HAN, LOWER[:-1] + NOT_HAN
CJK = "[一-龥ࠀ-一가-\ud7ff]+"
BLOOM = " ?[^(\\s|.,!?…。，、।۔،)]+"
WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
SYMBOLS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"


CASED = ("[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕ"
         "ἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\u1f7dᾀ-ᾴᾶ-ᾼ\u1fbeῂ-ῄῆ-ῌῐ-\u1fd3ῖ-\u1fdbῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\u2126ℨ\u212a-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤ"
         "Ⳬ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]")


def splits(*expressions):
    return [Split(Regex(e), "isolated") for e in expressions]


def gpt2():
    return ByteLevel(add_prefix_space=False, use_regex=True)


RULES = {
    "gpt-2": [gpt2()],
    "smollm": [Digits(individual_digits=True), gpt2()],
    "llama-bpe": splits(rf"{WORD_ENDS}|{WORDS}|\p{{N}}{{1,3}}|{SYMBOLS}|{TAIL}"),
    "qwen2": splits(rf"{WORD_ENDS}|{WORDS}|\p{{N}}|{SYMBOLS}|{TAIL}"),
    "qwen35": splits(rf"{WORD_ENDS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}|"
                     rf" ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{TAIL}"),
    "gpt-4o": splits(rf"{HEAD}{UPPER}*{LOWER}+{WORD_ENDS}?|{HEAD}{UPPER}+{LOWER}*{WORD_ENDS}?|"
                     rf"\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{TAIL}"),
    "tekken": splits(rf"{HEAD}{UPPER}*{LOWER}+|{HEAD}{UPPER}+{LOWER}*|\p{{N}}|"
                     rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{TAIL}"),
    "kimi-k2": splits(rf"[\p{{Han}}]+|{HEAD}{HAN_UPPER}*{HAN_LOWER}+{WORD_ENDS}?|"
                      rf"{HEAD}{HAN_UPPER}+{HAN_LOWER}*{WORD_ENDS}?|\p{{N}}{{1,3}}|{SYMBOLS}|{TAIL}"),
    "deepseek-v3": splits(r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+",
                          "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"
                          "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|" + TAIL),
    "deepseek-coder": splits("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK) + [Digits(True)],
    "deepseek-llm": splits("[\r\n]", rf"\s?{CASED}+", r"\s?[!-/:-~！-／：-～‘-‟\u3000-。]+", r"\s+$",
                           CJK, r"\p{N}+"),
    "falcon": splits(r"[\p{P}\$\+<=>\^~\|`]+") + [gpt2()] + splits("[0-9][0-9][0-9]"),
    "bloom": splits(BLOOM),
    "viking": splits(BLOOM) + [Digits(True)],
    "bailingmoe": splits(r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}|"
                         r" ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"),
    "seed-coder": splits(rf"{WORD_ENDS}|{WORDS}|\p{{N}}{{1}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{TAIL}"),
    "minicpm5": splits(r"\p{N}{1,3}", rf"{WORD_ENDS}|{WORDS}|\p{{N}}+|{SYMBOLS}|{TAIL}"),
}


def reference(stages, text):
    return [len(text[a:b].encode()) for _, (a, b) in Sequence(stages).pre_tokenize_str(text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("driver")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    strings = make_strings(options.count, ["<|im_end|>"], options.seed)
    data = b"".join(struct.pack("<I", len(s)) + s for s in (t.encode() for t in strings))
    failures = 0
    for rule, stages in RULES.items():
        done = subprocess.run([options.driver, "--split", rule], input=data, stdout=subprocess.PIPE,
                              check=True)
        found = [[int(n) for n in line.split()] for line in done.stdout.decode().split("\n")[:-1]]
        wrong = [(s, e, f) for s, e, f in zip(strings, (reference(stages, s) for s in strings), found)
                 if e != f]
        print(f"{rule:15} {len(strings)} strings, {len(wrong)} differ", flush=True)
        for text, want, got in sorted(wrong, key=lambda w: len(w[0]))[:5]:
            print(f"    {text!r}\n      expected {want}\n      found    {got}")
        failures += len(wrong)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
