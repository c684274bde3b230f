"""The oracle proper: transformers in float32 on the dequantized file, and tokenizers built from it."""

import os
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import sentencepiece
import torch
from sentencepiece import sentencepiece_model_pb2 as spm
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from tokenizers import AddedToken
from transformers import AutoModelForCausalLM

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6  # tokenizer.ggml.token_type


class ReferenceModel:
    """`logits(ids)`: float32 [tokens, vocab] of transformers, eager attention, one thread."""

    def __init__(self, path):
        torch.set_num_threads(1)
        path = Path(path)
        self.module = AutoModelForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager"
        ).eval()

    def logits(self, ids):
        with torch.no_grad():
            return self.module(torch.tensor([list(ids)])).logits[0].float().numpy()


class ByteLevelReference:
    """Hugging Face's tokenizers, put together from the file's own vocabulary and merges.

    transformers' GGUF converter is not used: it loses the single-digit split of the "smollm"
    pre-tokenizer, which changes the ids of digits outside ASCII.
    """

    def __init__(self, model):
        if model.get("tokenizer.ggml.pre") != "smollm":
            raise ValueError(f"pre-tokenizer {model.get('tokenizer.ggml.pre')!r}: only smollm is written here")
        tokens = model.get("tokenizer.ggml.tokens")
        types = model.get("tokenizer.ggml.token_type")
        merges = [tuple(merge.split(" ")) for merge in model.get("tokenizer.ggml.merges")]
        vocabulary = {token: index for index, token in enumerate(tokens)}
        tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.add_special_tokens(
            [AddedToken(token, normalized=False) for token, kind in zip(tokens, types) if kind == CONTROL]
        )
        self._tokenizer = tokenizer
        self._absent = set(range(256)) - {
            ByteLevelReference._byte(token) for token in tokens if len(token) == 1
        }

    @staticmethod
    def _byte(letter):
        """The byte that a letter of the byte-level alphabet stands for."""
        code = ord(letter)
        if 0x21 <= code <= 0x7E or 0xA1 <= code <= 0xAC or 0xAE <= code <= 0xFF:
            return code
        others = [b for b in range(256) if not (0x21 <= b <= 0x7E or 0xA1 <= b <= 0xAC or 0xAE <= b <= 0xFF)]
        return others[code - 256]

    def encode(self, text):
        """The ids of `text` as content: nothing in it becomes a control token."""
        self._tokenizer.encode_special_tokens = True
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def encode_special(self, text):
        """The ids of `text` as a rendered template: the texts of control tokens become their ids."""
        self._tokenizer.encode_special_tokens = False
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, ids):
        return self._tokenizer.decode(ids, skip_special_tokens=False)

    def absent_bytes(self, text):
        """Bytes of `text` that the vocabulary has no token for; tokenizers leaves them out."""
        return sorted(set(text.encode()) & self._absent)


class SentencePieceReference:
    """Google's sentencepiece library on a model put together from the file's pieces and scores."""

    KINDS = {
        NORMAL: spm.ModelProto.SentencePiece.NORMAL,
        UNKNOWN: spm.ModelProto.SentencePiece.UNKNOWN,
        CONTROL: spm.ModelProto.SentencePiece.CONTROL,
        USER_DEFINED: spm.ModelProto.SentencePiece.USER_DEFINED,
        UNUSED: spm.ModelProto.SentencePiece.UNUSED,
        BYTE: spm.ModelProto.SentencePiece.BYTE,
    }

    def __init__(self, model):
        proto = spm.ModelProto()
        keys = ("tokens", "scores", "token_type")
        for piece, score, kind in zip(*(model.get(f"tokenizer.ggml.{key}") for key in keys)):
            proto.pieces.add(piece=piece, score=score, type=self.KINDS[kind])
        trainer, normalizer = proto.trainer_spec, proto.normalizer_spec
        trainer.model_type, trainer.byte_fallback = spm.TrainerSpec.BPE, True
        trainer.vocab_size = len(proto.pieces)
        trainer.unk_id = model.get("tokenizer.ggml.unknown_token_id")
        trainer.bos_id = model.get("tokenizer.ggml.bos_token_id")
        trainer.eos_id = model.get("tokenizer.ggml.eos_token_id")
        trainer.pad_id = -1
        normalizer.name, normalizer.escape_whitespaces = "identity", True
        normalizer.add_dummy_prefix = model.get("tokenizer.ggml.add_space_prefix", True)
        normalizer.remove_extra_whitespaces = False
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())

    def encode(self, text):
        """The ids of `text` as content, without a beginning-of-sequence token."""
        return self._processor.encode(text)

    encode_special = encode  # sentencepiece never reads a control token from text

    def decode(self, ids):
        return self._processor.decode(ids)

    def absent_bytes(self, text):
        return []


def reference_tokenizer(model):
    """The reference tokenizer for the file's tokenizer.ggml.model."""
    kinds = {"gpt2": ByteLevelReference, "llama": SentencePieceReference}
    return kinds[model.get("tokenizer.ggml.model")](model)


def log_softmax(logits):
    """float64 log-probabilities of float32 logits, row by row."""
    x = np.asarray(logits, np.float64)
    peak = x.max(axis=-1, keepdims=True)
    return x - (peak + np.log(np.exp(x - peak).sum(axis=-1, keepdims=True)))
