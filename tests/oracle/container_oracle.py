#!/usr/bin/env python3
"""Compares `thermocline inspect --json` with what the package `gguf` reads from the same files.

PowerInfer's own container differs from GGUF in its first four bytes only, as long as no tensor holds
integers, so those files are given to the package with the bytes `GGUF` in front.

Usage: container_oracle.py THERMOCLINE DATA_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import gguf
import numpy

SHOWN = 8  # elements of an array that inspect lists


def read(path):
    content = pathlib.Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy.gguf"
        copy.write_bytes(b"GGUF" + content[4:])
        return gguf.GGUFReader(copy)


def differences(ours, reader):
    theirs = {name: field for name, field in reader.fields.items() if not name.startswith("GGUF.")}
    listed = {pair["key"]: pair["value"] for pair in ours["keys"]}
    if set(listed) != set(theirs):
        yield f"keys {sorted(set(listed) ^ set(theirs))}"
    for name, value in listed.items():
        expected = theirs[name].contents()
        if isinstance(value, dict):
            if value["count"] != len(expected) or value["first"] != expected[:SHOWN]:
                yield f"array {name}: {value['first']} of {value['count']}"
        elif value != expected:
            yield f"key {name}: {value!r} rather than {expected!r}"
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    if [tensor["name"] for tensor in ours["tensors"]] != [tensor.name for tensor in reader.tensors]:
        yield "the tensors' names or their order"
        return
    for tensor in ours["tensors"]:
        other = tensors[tensor["name"]]
        if tensor["type"].upper() != other.tensor_type.name:
            yield f"{tensor['name']}: type {tensor['type']} rather than {other.tensor_type.name}"
        if tensor["dims"] != [int(n) for n in numpy.asarray(other.shape)]:
            yield f"{tensor['name']}: dims {tensor['dims']} rather than {other.shape}"
        if tensor["bytes"] != int(other.n_bytes):
            yield f"{tensor['name']}: {tensor['bytes']} bytes rather than {other.n_bytes}"
        if tensor["offset"] != int(other.data_offset):
            yield f"{tensor['name']}: at {tensor['offset']} rather than {other.data_offset}"


def main():
    program, data = sys.argv[1:3]
    files = sorted(pathlib.Path(data).rglob("*.gguf"))
    failures = 0
    for path in files:
        ours = json.loads(subprocess.run([program, "inspect", str(path), "--json"], stdout=subprocess.PIPE,
                                         check=True, timeout=60).stdout)
        found = list(differences(ours, read(path)))
        failures += len(found)
        print(f"{path.name}: {len(ours['keys'])} keys, {len(ours['tensors'])} tensors, "
              f"{len(found)} differences", *found, sep="\n  ")
    if not files:
        print("no files to compare")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
