"""How close the committed statistic is to the full KL, and how close the two oracles are to each other.

    check_statistic.py MODEL.gguf FIXTURE.logits.bin

Rounds the inputs of every linear layer as a quantised executor would, and prints for each rounding the
full KL, the KL by sketch (mean and p99), the lower bound, and top-1. Some minutes on one core.
"""

import argparse

import numpy as np
import torch

from gguf_model import GgufModel
from golden_format import read_sketches
from llama_numpy import LlamaNumpy
from reference import ReferenceModel
from statistic import full_kl, sketched_kl


def round_to_int8(x, group):
    """Symmetric int8 by groups along the last axis, and back; a width the group does not divide is one group."""
    group = group if x.shape[-1] % group == 0 else x.shape[-1]
    y = x.reshape(*x.shape[:-1], -1, group)
    scale = y.abs().amax(-1, keepdim=True) / 127
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    return (torch.clamp(torch.round(y / scale), -127, 127) * scale).reshape(x.shape)


def round_to_two_int8(x, group):
    first = round_to_int8(x, group)
    return first + round_to_int8(x - first, group)


ROUNDINGS = {
    "bf16": lambda x: x.to(torch.bfloat16).float(),
    "int8, groups of 32": lambda x: round_to_int8(x, 32),
    "two int8, groups of 32": lambda x: round_to_two_int8(x, 32),
    "noise of 1e-5": lambda x: x * (1 + 1e-5 * torch.randn_like(x)),
}


class Rounded:
    """The reference model with the inputs of its linear layers passed through `rounding`."""

    def __init__(self, reference, rounding):
        self._reference, self._rounding = reference, rounding

    def logits(self, ids):
        hook = lambda layer, args: (self._rounding(args[0]),)
        linear = [m for m in self._reference.module.modules() if isinstance(m, torch.nn.Linear)]
        handles = [layer.register_forward_pre_hook(hook) for layer in linear]
        try:
            return self._reference.logits(ids)
        finally:
            for handle in handles:
                handle.remove()


def report(name, tested, oracle_rows, prompts):
    full, estimate, bound, top = [], [], [], []
    for (ids, sketches), oracle in zip(prompts, oracle_rows):
        rows = np.asarray(tested(ids))
        full.extend(full_kl(oracle, rows))
        top.extend(oracle.argmax(-1) == rows.argmax(-1))
        for sketched, row in zip(sketches, rows):
            both = sketched_kl(sketched, row)
            estimate.append(both[0])
            bound.append(both[1])
    full, estimate, bound = (np.asarray(x) for x in (full, estimate, bound))
    print(
        f"{name:30s} full {full.mean():.3e} p99 {np.percentile(full, 99):.2e} max {full.max():.2e}"
        f" | sketch {estimate.mean():.3e} ({estimate.mean() / full.mean() - 1:+.2%}) p99 {np.percentile(estimate, 99):.2e}"
        f" | bound {bound.mean():.3e} ({bound.mean() / full.mean() - 1:+.2%}), above full by"
        f" {np.max(bound - full):.1e} | top-1 {np.mean(top):.4f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("fixture")
    args = parser.parse_args()
    torch.manual_seed(1)
    _, prompts = read_sketches(args.fixture)
    reference = ReferenceModel(args.model)
    oracle = [reference.logits(ids) for ids, _ in prompts]
    for dtype in (np.float32, np.float64):
        report(f"numpy {dtype.__name__}", LlamaNumpy(GgufModel(args.model), dtype).logits, oracle, prompts)
    for name, rounding in ROUNDINGS.items():
        report(name, Rounded(reference, rounding).logits, oracle, prompts)


if __name__ == "__main__":
    main()
