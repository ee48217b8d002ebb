#!/usr/bin/env python3
"""Compares `thermocline tokenize` and `detokenize` with the tokenizers that made the vocabularies.

Byte-level BPE is checked against the package `tokenizers`, SentencePiece-BPE against the package
`sentencepiece`, both loaded from the vocabulary in the GGUF file itself (read by the package `gguf`).
The texts are random, from a fixed seed that is printed and may be given as the last argument.

Usage: tokenizer_oracle.py THERMOCLINE DATA_DIR [SEED]
"""
import random
import subprocess
import sys

import gguf
import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

TEXTS = 250

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJ klmnop",
    "0123456789",
    " ",
    "  \t\n\r",
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "안녕하세요한국어문장",
    "你好世界这是中文",
    "こんにちはカタカナ漢字",
    "приветмир",
    "éèüßñøΩλ",
    "مرحباעברית",
    "😀🎉👩‍👩‍👧🇰🇷",
    "٣४五²½",
    "«»…—“”€₩¥£",
    "\u00a0\u2003\u3000\u200b",
    "e\u0301n\u0303",
    "\x01\x1f\x7f",
]
WORDS = ["the", " the", " and", "Hello", " world", "'s", "'ll", " I'm", "don't", " 2024", "1234567", "...", " --", "\n\n",
         " neuron", "ing", " of"]


def random_text(rng):
    """A text of up to 40 runs, each of one script."""
    parts = []
    for _ in range(rng.randint(1, 40)):
        if rng.random() < 0.4:
            parts.append(rng.choice(WORDS))
        else:
            alphabet = rng.choice(ALPHABETS)
            parts.append("".join(rng.choice(alphabet) for _ in range(rng.randint(1, 8))))
    return "".join(parts)


def field(reader, name):
    return reader.get_field(name).contents()


def byte_level(reader, falcon):
    """The BPE of `tokenizers` with a GGUF file's vocabulary and merges."""
    vocabulary = {token: index for index, token in enumerate(field(reader, "tokenizer.ggml.tokens"))}
    merges = [tuple(merge.split(" ")) for merge in field(reader, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=True))
    gpt_2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    if falcon:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Punctuation(behavior="contiguous"),
            gpt_2,
            pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), behavior="isolated"),
        ])
    else:
        tokenizer.pre_tokenizer = gpt_2
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def sentencepiece_bpe(reader):
    """The sentencepiece processor with a GGUF file's pieces, scores and types."""
    proto = sentencepiece_model_pb2.ModelProto()
    pieces = zip(field(reader, "tokenizer.ggml.tokens"), field(reader, "tokenizer.ggml.scores"),
                 field(reader, "tokenizer.ggml.token_type"))
    for text, score, kind in pieces:
        proto.pieces.add(piece=text, score=score, type=kind)
    trainer = proto.trainer_spec
    trainer.model_type = sentencepiece_model_pb2.TrainerSpec.BPE
    trainer.vocab_size = len(proto.pieces)
    trainer.byte_fallback = True
    normalizer = proto.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = True
    normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = True
    processor = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
    return lambda text: processor.encode(text)


def run(program, command, vocabulary, data):
    return subprocess.run([program, command, vocabulary], input=data, stdout=subprocess.PIPE, check=True,
                          timeout=60).stdout


def main():
    program, data = sys.argv[1], sys.argv[2]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20240917
    rng = random.Random(seed)
    failures = 0
    for name in ("llama-spm", "gpt-2", "falcon"):
        path = f"{data}/tokenizer/{name}.vocab.gguf"
        reader = gguf.GGUFReader(path)
        encode = sentencepiece_bpe(reader) if name == "llama-spm" else byte_level(reader, name == "falcon")
        wrong = 0
        for _ in range(TEXTS):
            text = random_text(rng)
            expected = encode(text)
            line = run(program, "tokenize", path, text.encode())
            if [int(word) for word in line.split()] != expected:
                wrong += 1
                print(f"{name}: {text!r}\n  ours   {line.decode().strip()}\n  oracle {expected}")
                continue
            if name != "llama-spm":
                continue  # Byte-level vocabularies tidy the spaces before punctuation when decoding.
            back = run(program, "detokenize", path, line).decode()
            if back.rstrip("\n") != text.rstrip("\n"):
                wrong += 1
                print(f"{name}: {text!r} came back as {back!r}")
        print(f"{name}: {TEXTS - wrong} of {TEXTS} texts equal (seed {seed})")
        failures += wrong
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
