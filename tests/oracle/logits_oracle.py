#!/usr/bin/env python3
"""Compares `thermocline logits` with the original model code in the package `transformers`.

The small checkpoints in the test data are what the models in PowerInfer's format were converted from, so
both must give the same logits. The converter's checkpoints hold norms rounded to 16 bits; where the model
has them in 32 bits, these are put in.

Usage: logits_oracle.py THERMOCLINE DATA_DIR
"""
import pathlib
import subprocess
import sys
import tempfile

import gguf
import numpy
import torch
import transformers

LARGEST_DIFFERENCE = 1e-4  # of logits up to 30 in size
MODELS = {"llama-small": "tiny-llama-small", "opt": "tiny-opt", "falcon": "tiny-falcon"}


def reference(folder):
    options = {}
    if folder.name == "falcon":  # its head isn't the embedding, which the configuration doesn't say
        options["tie_word_embeddings"] = False
    return transformers.AutoModelForCausalLM.from_pretrained(folder, torch_dtype=torch.float32, **options).eval()


def norms(path):
    """The llama model's norms by their names in the checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy.gguf"
        copy.write_bytes(b"GGUF" + path.read_bytes()[4:])
        tensors = {tensor.name: numpy.array(tensor.data) for tensor in gguf.GGUFReader(copy).tensors}
    names = {"output_norm.weight": "model.norm.weight"}
    for layer in range(8):
        names[f"blk.{layer}.attn_norm.weight"] = f"model.layers.{layer}.input_layernorm.weight"
        names[f"blk.{layer}.ffn_norm.weight"] = f"model.layers.{layer}.post_attention_layernorm.weight"
    return {names[name]: torch.from_numpy(values) for name, values in tensors.items() if name in names}


def main():
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    generator = torch.Generator().manual_seed(1)
    failures = 0
    for name, file in MODELS.items():
        path = data / "golden" / name / (file + ".powerinfer.gguf")
        model = reference(data / "checkpoints" / name)
        if name == "llama-small":
            model.load_state_dict(norms(path), strict=False)
        ids = torch.randint(3, model.config.vocab_size, (100,), generator=generator).tolist()
        with torch.no_grad():
            wanted = model(torch.tensor([ids])).logits[0].numpy()
        for mode in ("exact", "dense"):
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "logits.f32"
                subprocess.run([program, "logits", str(path), "--ids", " ".join(map(str, ids)), "--out", str(out),
                                "--precision", "f32", "--mode", mode], check=True, timeout=60)
                given = numpy.fromfile(out, dtype="<f4").reshape(wanted.shape)
            difference = float(numpy.abs(given - wanted).max())
            failures += not difference <= LARGEST_DIFFERENCE
            print(f"{name}, {mode}: largest difference {difference:.2e}, largest logit {numpy.abs(wanted).max():.1f}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
