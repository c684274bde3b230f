"""Exact figures: full KL, top-1 agreement and perplexity of stored logits against the oracle.

    compare_logits.py MODEL.gguf NAME=FILE.npy ...     NAME: a prompt of prompts.py, or "perplexity"
    compare_logits.py MODEL.gguf --ids IDS.json FILE.npy

FILE.npy is what `troupe score --ids --logits FILE.npy` writes: float32 [tokens, vocab].
`--print-ids NAME` prints the JSON array to feed it. `--oracle numpy` compares with llama_numpy.py in float64.
"""

import argparse
import json

import numpy as np

from gguf_model import GgufModel
from llama_numpy import LlamaNumpy
from prompts import texts_of
from reference import ReferenceModel, log_softmax, reference_tokenizer
from statistic import full_kl


def token_nll(logits, ids):
    """float64 [tokens - 1]: minus the log-probability of each token after the first."""
    return -log_softmax(logits[:-1])[np.arange(len(ids) - 1), ids[1:]]


class Comparison:
    """Gathers positions over several prompts; `line()` is the summary."""

    def __init__(self):
        self._kl, self._same, self._nll = [], [], ([], [])

    def add(self, ids, oracle, tested):
        if oracle.shape != tested.shape:
            raise ValueError(f"shape {tested.shape}: the oracle has {oracle.shape}")
        self._kl.extend(full_kl(oracle, tested))
        self._same.extend(oracle.argmax(-1) == tested.argmax(-1))
        for store, logits in zip(self._nll, (oracle, tested)):
            store.extend(token_nll(logits, ids))

    def line(self):
        kl, (oracle, tested) = np.asarray(self._kl), (np.exp(np.mean(nll)) for nll in self._nll)
        return (
            f"positions {len(kl)}  KL mean {kl.mean():.3e} p99 {np.percentile(kl, 99):.3e} max {kl.max():.3e}"
            f"  top-1 {np.mean(self._same):.4%}  perplexity {tested:.5f} (oracle {oracle:.5f})"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("pairs", nargs="*", metavar="NAME=FILE.npy")
    parser.add_argument("--ids", help="JSON file with the ids; then one FILE.npy without a name")
    parser.add_argument("--print-ids", metavar="NAME")
    parser.add_argument("--oracle", choices=("transformers", "numpy"), default="transformers")
    args = parser.parse_intermixed_args()
    model = GgufModel(args.model)
    texts = texts_of(model)
    encode = reference_tokenizer(model).encode_special
    prefix = [model.get("tokenizer.ggml.bos_token_id")] if model.get("tokenizer.ggml.add_bos_token") else []
    if args.print_ids:
        print(json.dumps(prefix + encode(texts[args.print_ids])))
        return
    oracle = ReferenceModel(args.model) if args.oracle == "transformers" else LlamaNumpy(model, np.float64)
    total = Comparison()
    for pair in args.pairs:
        name, _, file = pair.rpartition("=")
        ids = json.load(open(args.ids)) if args.ids else prefix + encode(texts[name])
        reference, tested, one = oracle.logits(ids), np.load(file), Comparison()
        for comparison in (one, total):
            comparison.add(ids, reference, tested)
        print(f"{name or file}: {one.line()}")
    print(f"all: {total.line()}")


if __name__ == "__main__":
    main()
