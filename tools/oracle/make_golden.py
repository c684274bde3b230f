"""Writes the committed fixtures of one model.

    make_golden.py MODEL.gguf OUT_DIR [--head 256 --tail 128]

OUT_DIR gets STEM.tokens.json, STEM.logits.bin and STEM.text.json, where STEM is the file's name in
lower case. Deterministic on one machine; another processor may differ in the last bits of a logit.
"""

import argparse
import importlib.metadata
import json
from pathlib import Path

import jinja2
import numpy as np

import prompts
from corpus import hostile_strings
from gguf_model import GgufModel
from golden_format import write_sketches
from reference import ReferenceModel, log_softmax, reference_tokenizer
from statistic import sketch

CONTINUATION_TOKENS = 32
VERSIONED = ("gguf", "numpy", "sentencepiece", "tokenizers", "torch", "transformers")


def header(model):
    versions = {name: importlib.metadata.version(name) for name in VERSIONED}
    return {"model": model.identity(), "made_with": versions}


def write_json(path, head, lists):
    """One element a line, ASCII only: hostile strings survive any editor and differences stay readable."""
    dump = lambda value: json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    parts = [f'"{key}":{dump(value)}' for key, value in head.items()]
    for key, items in lists.items():
        parts.append(f'"{key}":[\n' + ",\n".join(dump(item) for item in items) + "\n]")
    path.write_text("{" + ",\n".join(parts) + "}\n", encoding="ascii")


def token_cases(tokenizer):
    for name, text in hostile_strings():
        case = {"name": name, "text": text, "ids": tokenizer.encode(text)}
        if (special := tokenizer.encode_special(text)) != case["ids"]:
            case["special_ids"] = special
        if absent := tokenizer.absent_bytes(text):
            case["absent_bytes"] = absent
        yield case


def check_template(model):
    """prompts.render must be what the file's own template makes."""
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(model.get("tokenizer.chat_template"))
    for chat in prompts.SMOLLM2.values():
        if isinstance(chat, list):
            messages = [{"role": role, "content": content} for role, content in chat]
            assert template.render(messages=messages, add_generation_prompt=True) == prompts.render(chat)


def continuation(reference, ids, eos):
    """Greedy tokens with, at each step, the runner-up and the margin between the two logits."""
    tokens, second, margin = [], [], []
    while len(tokens) < CONTINUATION_TOKENS and eos not in tokens:
        logits = reference.logits(list(ids) + tokens)[-1]
        best, next_best = np.lexsort((np.arange(len(logits)), -logits))[:2]
        tokens.append(int(best))
        second.append(int(next_best))
        margin.append(round(float(logits[best] - logits[next_best]), 6))
    return {"ids": tokens, "runner_up": second, "margin": margin}


def perplexity(reference, text, ids):
    logp = log_softmax(reference.logits(ids)[:-1])[np.arange(len(ids) - 1), ids[1:]]
    return {
        "text": text,
        "ids": ids,
        "logprobs": [round(float(value), 7) for value in logp],
        "perplexity": float(np.exp(-logp.mean())),
    }


class GoldenMaker:
    def __init__(self, path):
        self.model = GgufModel(path)
        self.tokenizer = reference_tokenizer(self.model)
        self.reference = ReferenceModel(path)
        add_bos = self.model.get("tokenizer.ggml.add_bos_token", False)
        self.prefix = [self.model.get("tokenizer.ggml.bos_token_id")] if add_bos else []
        texts = prompts.texts_of(self.model)
        self.perplexity_text = texts.pop("perplexity")
        self.texts = {name: (text, self.ids(text)) for name, text in texts.items()}

    def ids(self, text):
        return self.prefix + self.tokenizer.encode_special(text)

    def sketches(self, head, tail):
        rng = np.random.default_rng(1)
        positions = sum(len(ids) for _, ids in self.texts.values())
        position, out = 0, []
        for _, ids in self.texts.values():
            rows = self.reference.logits(ids)
            out.append((ids, []))
            for row in rows:
                out[-1][1].append(sketch(row, head, tail, position, positions, rng))
                position += 1
        return rows.shape[1], out

    def continuations(self):
        stories = prompts.is_stories(self.model)
        eos = self.model.get("tokenizer.ggml.eos_token_id")
        for name in prompts.STORIES_CONTINUED if stories else prompts.SMOLLM2_CONTINUED:
            found = continuation(self.reference, self.texts[name][1], eos)
            yield {"prompt": name, **found, "text": self.tokenizer.decode(found["ids"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--head", type=int, default=256)
    parser.add_argument("--tail", type=int, default=128)
    args = parser.parse_args()
    maker = GoldenMaker(args.model)
    if maker.model.get("tokenizer.chat_template"):
        check_template(maker.model)
    head, stem = header(maker.model), Path(args.model).stem.lower()
    write_json(args.out / f"{stem}.tokens.json", head, {"cases": list(token_cases(maker.tokenizer))})
    vocab, sketches = maker.sketches(args.head, args.tail)
    write_sketches(args.out / f"{stem}.logits.bin", vocab, min(args.head, vocab),
                   args.tail if args.head < vocab else 0, sketches)  # fmt: skip
    head["perplexity"] = perplexity(maker.reference, maker.perplexity_text, maker.ids(maker.perplexity_text))
    listed = [{"name": name, "text": text, "ids": ids} for name, (text, ids) in maker.texts.items()]
    write_json(args.out / f"{stem}.text.json", head,
               {"prompts": listed, "continuations": list(maker.continuations())})  # fmt: skip


if __name__ == "__main__":
    main()
