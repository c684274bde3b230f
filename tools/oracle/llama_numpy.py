"""A Llama forward pass in plain numpy from a GGUF file: the second oracle, independent of torch.

    llama_numpy.py MODEL.gguf OUT.npy --ids 1,2,3 [--dtype float64]

GGUF stores the query and key rows so that a rotary pair is two neighbouring rows; transformers undoes
that order and rotates halves. That the two agree therefore checks the order as well as the arithmetic.
"""

import argparse
import json

import numpy as np

from gguf_model import GgufModel


def rms_norm(x, weight, epsilon):
    """x [tokens, hidden]; weight [hidden]."""
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + epsilon) * weight


def rotate_pairs(x, positions, base):
    """x [tokens, heads, head_dim]: rotates (x[2i], x[2i+1]) by position * base^(-2i / head_dim)."""
    half = x.shape[-1] // 2
    frequency = base ** (-np.arange(half, dtype=np.float64) / half)
    angle = positions[:, None] * frequency[None, :]
    cos, sin = (f(angle).astype(x.dtype)[:, None, :] for f in (np.cos, np.sin))
    even, odd = x[..., 0::2], x[..., 1::2]
    out = np.empty_like(x)
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


def causal_attention(q, k, v):
    """q [tokens, heads, dim]; k, v [tokens, kv_heads, dim] -> [tokens, heads, dim]."""
    tokens, heads, dim = q.shape
    group = heads // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = np.einsum("thd,shd->hts", q, k) / np.sqrt(np.asarray(dim, q.dtype))
    scores = np.where(np.tri(tokens, dtype=bool)[None], scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.einsum("hts,shd->thd", weights, v)


class LlamaNumpy:
    """`LlamaNumpy(GgufModel(path), np.float64).logits(ids)`; holds every weight in the dtype."""

    def __init__(self, model, dtype=np.float32):
        if model.architecture != "llama":
            raise ValueError(f"architecture {model.architecture!r}: only llama is written here")
        if model.get("{arch}.rope.scaling.type", "none") != "none" or model.has_tensor("rope_freqs.weight"):
            raise ValueError("rope scaling is not written here")
        self.heads = model.get("{arch}.attention.head_count")
        self.kv_heads = model.get("{arch}.attention.head_count_kv", self.heads)
        self.layers = model.get("{arch}.block_count")
        self.epsilon = dtype(model.get("{arch}.attention.layer_norm_rms_epsilon"))
        self.rope_base = model.get("{arch}.rope.freq_base", 10000.0)
        self._model, self._dtype, self._weights = model, dtype, {}

    def _weight(self, name):
        if name not in self._weights:
            self._weights[name] = self._model.tensor(name + ".weight", self._dtype)
        return self._weights[name]

    def _attention(self, x, layer):
        tokens = x.shape[0]
        split = lambda name, heads: (x @ self._weight(f"{layer}.{name}").T).reshape(tokens, heads, -1)
        positions = np.arange(tokens, dtype=np.float64)
        q = rotate_pairs(split("attn_q", self.heads), positions, self.rope_base)
        k = rotate_pairs(split("attn_k", self.kv_heads), positions, self.rope_base)
        out = causal_attention(q, k, split("attn_v", self.kv_heads))
        return out.reshape(tokens, -1) @ self._weight(f"{layer}.attn_output").T

    def _mlp(self, x, layer):
        gate, up = (x @ self._weight(f"{layer}.{name}").T for name in ("ffn_gate", "ffn_up"))
        return (gate / (1 + np.exp(-gate)) * up) @ self._weight(f"{layer}.ffn_down").T

    def logits(self, ids):
        """[tokens, vocab] in the dtype, for a sequence that starts at position 0."""
        x = self._weight("token_embd")[np.asarray(ids)]
        for index in range(self.layers):
            layer = f"blk.{index}"
            x = x + self._attention(rms_norm(x, self._weight(f"{layer}.attn_norm"), self.epsilon), layer)
            x = x + self._mlp(rms_norm(x, self._weight(f"{layer}.ffn_norm"), self.epsilon), layer)
        tied = not self._model.has_tensor("output.weight")
        head = self._weight("token_embd" if tied else "output")
        return rms_norm(x, self._weight("output_norm"), self.epsilon) @ head.T


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("out", help="float32 .npy [tokens, vocab]")
    parser.add_argument("--ids", required=True, help="JSON array or comma-separated token ids")
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    args = parser.parse_args()
    ids = json.loads(f"[{args.ids.strip('[]')}]")
    llama = LlamaNumpy(GgufModel(args.model), np.dtype(args.dtype).type)
    np.save(args.out, llama.logits(ids).astype(np.float32))


if __name__ == "__main__":
    main()
