"""What the oracle scripts read from a GGUF file: metadata, dequantized tensors, and who the file is."""

import hashlib
from pathlib import Path

import gguf
import numpy as np


class GgufModel:
    """One GGUF file, mapped; tensors are dequantized on request."""

    def __init__(self, path):
        self.path = Path(path)
        self._reader = gguf.GGUFReader(self.path)
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}

    def get(self, key, default=None):
        """The metadata value of `key`; `{arch}` in the key stands for the architecture's name."""
        field = self._reader.fields.get(key.replace("{arch}", self.architecture))
        return default if field is None else field.contents()

    @property
    def architecture(self):
        return self._reader.fields["general.architecture"].contents()

    def has_tensor(self, name):
        return name in self._tensors

    def tensor(self, name, dtype=np.float32):
        """The tensor as rows: [outputs, inputs] for a matrix. Dequantized in float32, then cast."""
        tensor = self._tensors[name]
        shape = [int(extent) for extent in reversed(tensor.shape)]
        return gguf.dequantize(tensor.data, tensor.tensor_type).reshape(shape).astype(dtype)

    def identity(self):
        """File name, size and SHA-256: what a fixture says it was made from."""
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
        return {
            "file": self.path.name,
            "bytes": self.path.stat().st_size,
            "sha256": digest.hexdigest(),
        }
