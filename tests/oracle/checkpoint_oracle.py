#!/usr/bin/env python3
"""Compares `thermocline inspect --json` with what the packages `torch` and `safetensors` wrote.

Each object is saved in PyTorch's ZIP container, in the older stream and, where the format can hold it,
as safetensors. The tensors must be found with their types, shapes and strides, and their bytes in the
file must be the tensors' values.

Usage: checkpoint_oracle.py THERMOCLINE DATA_DIR
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import safetensors.torch
import torch

TYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
    "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool,
}


def raw(tensor):
    """The tensor's elements in order, each as its bytes."""
    values = tensor.detach().contiguous()
    return values.reshape(-1).view(torch.uint8).numpy().tobytes() if values.numel() else b""


def stored(content, entry):
    """The same from the file, by the place and strides that inspect tells."""
    size = torch.empty(0, dtype=TYPES[entry["type"]]).element_size()
    shape = entry["shape"]
    if 0 in shape:
        return b""
    strides = entry.get("strides")
    if strides is None:
        return content[entry["offset"]:entry["offset"] + entry["bytes"]]
    view = numpy.lib.stride_tricks.as_strided(
        numpy.frombuffer(content, dtype=numpy.uint8)[entry["offset"]:], shape=[*shape, size],
        strides=[*(size * step for step in strides), 1])
    return view.tobytes()


def objects():
    generator = torch.Generator().manual_seed(1)
    network = torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3, bias=False))
    yield "state_dict", network.state_dict()
    yield "parameters", dict(network.named_parameters())
    for name, dtype in TYPES.items():
        values = torch.randn(4, 6, generator=generator) * 50
        yield f"single_{name}", (values > 0) if dtype == torch.bool else values.to(dtype)
    base = torch.arange(120.0).reshape(10, 12)
    yield "views", {
        "whole": base, "rows": base[3:7], "columns": base[:, 2:5], "transposed": base.t(), "one": base[4, 4],
        "every_second": base[::2], "empty": torch.empty(0, 7), "scalar": torch.tensor(7),
    }
    yield "others", {"weight": torch.ones(3), "epoch": 3, "big": 2**40, "rate": 0.5, "note": "한국어", "none": None,
                     "flag": True, "list": [1, 2], "tuple": (1, "a"), "nested": {"a": 1}}
    yield "ordered", collections.OrderedDict((f"layer.{i}.weight", torch.full((i + 1, 2), float(i))) for i in range(300))
    yield "nothing", {}


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return {"": value}
    return {name: each for name, each in value.items() if isinstance(each, torch.Tensor)}


def differences(program, path, value):
    run = subprocess.run([program, "inspect", str(path), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=60)
    if run.returncode != 0:
        yield run.stderr.decode()
        return
    ours = json.loads(run.stdout)
    content = path.read_bytes()
    wanted = tensors_of(value)
    listed = {entry["name"]: entry for entry in ours["tensors"]}
    if set(listed) != set(wanted):
        yield f"tensors {sorted(set(listed) ^ set(wanted))}"
    for name, entry in listed.items():
        if TYPES[entry["type"]] != wanted[name].dtype or entry["shape"] != list(wanted[name].shape):
            yield f"{name}: {entry['type']} {entry['shape']}"
        elif stored(content, entry) != raw(wanted[name]):
            yield f"{name}: other values"
    if isinstance(value, dict) and path.suffix != ".safetensors":
        keys = {pair["key"]: pair["value"] for pair in ours["keys"]}
        if set(keys) != set(value) - set(wanted):
            yield f"keys {sorted(keys)}"
        for name in ("epoch", "big", "note"):
            if name in value and keys[name] != str(value[name]):
                yield f"key {name}: {keys[name]}"


def main():
    program = sys.argv[1]
    failures = files = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, value in objects():
            saved = []
            for suffix, zipped in ((".zip.pt", True), (".stream.pt", False)):
                saved.append(pathlib.Path(folder) / (name + suffix))
                torch.save(value, saved[-1], _use_new_zipfile_serialization=zipped)
            saved.append(pathlib.Path(folder) / (name + ".safetensors"))
            safetensors.torch.save_file({key or "only": each.detach().clone().contiguous()
                                         for key, each in tensors_of(value).items()}, saved[-1], {"format": "pt"})
            for path in saved:
                expected = value
                if path.suffix == ".safetensors":
                    expected = {key or "only": each for key, each in tensors_of(value).items()}
                found = list(differences(program, path, expected))
                files += 1
                failures += len(found)
                print(f"{path.name}: {len(found)} differences", *found, sep="\n  ")
    print(f"{files} files, {failures} differences")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
