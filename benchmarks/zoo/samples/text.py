"""Sentences as tokens, characters and files."""

import csv
import pathlib

import numpy as np

from .base import Context, Sample, Samples, split


def tokenizer_of(context: Context, length: int):
    import tokenizers

    tokenizer = tokenizers.BertWordPieceTokenizer(
        str(context.require("bert-vocab/vocab.txt")), lowercase=True
    )
    tokenizer.enable_truncation(length)
    tokenizer.enable_padding(length=length)
    return tokenizer


def token_rows(encoded: list) -> Sample:
    return {
        "input_ids": np.array([e.ids for e in encoded], np.int64),
        "attention_mask": np.array([e.attention_mask for e in encoded], np.int64),
        "token_type_ids": np.array([e.type_ids for e in encoded], np.int64),
    }


def rows_of(path: pathlib.Path) -> list[dict]:
    with open(path, encoding="utf-8-sig") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def sentence_pairs(context: Context) -> Samples:
    """MRPC: calibration from the training part, labelled held-out pairs from the development part."""
    tokenizer = tokenizer_of(context, 128)
    parts = []
    for part, count in (("train", 64), ("dev", 200)):
        rows = rows_of(context.require(f"glue-mrpc/{part}.tsv"))[:count]
        encoded = tokenizer.encode_batch(
            [(r["#1 String"], r["#2 String"]) for r in rows]
        )
        parts.append((token_rows(encoded), np.array([int(r["Quality"]) for r in rows])))
    return Samples(parts[0][0], parts[1][0], parts[1][1])


def sentences(context: Context) -> Samples:
    """STS-B: both sentences of a pair follow each other; the label is the similarity of the pair."""
    tokenizer = tokenizer_of(context, 64)
    parts = []
    for part, count in (("train", 32), ("dev", 150)):
        rows = [
            r
            for r in rows_of(context.require(f"glue-sts-b/{part}.tsv"))
            if r.get("score")
        ]
        rows = rows[:: max(1, len(rows) // count)][:count]
        texts = [r[key] for r in rows for key in ("sentence1", "sentence2")]
        parts.append(
            (
                token_rows(tokenizer.encode_batch(texts)),
                np.array([float(r["score"]) for r in rows]),
            )
        )
    return Samples(parts[0][0], parts[1][0], parts[1][1])


def sparse_sentences(context: Context) -> Samples:
    """Universal Sentence Encoder Lite: 30 tokens of some sentences as a sparse matrix."""
    tokens = 30

    def read(part: str, count: int) -> Sample:
        lines = (
            context.require(f"use-lite-frozen-pb/sts-b-{part}-tokens.tsv")
            .read_text()
            .splitlines()[1:]
        )
        texts = [
            [int(t) for t in text.split()]
            for line in lines
            for text in line.split("\t")[2:4]
        ]
        stream = [(i, token) for i, text in enumerate(texts) for token in text]
        indices, values = [], []
        for start in range(0, count * tokens, tokens):
            part_of = stream[start : start + tokens]
            places, seen = [], {}
            for sentence, _ in part_of:
                row = seen.setdefault(sentence, [len(seen), 0])
                places.append(tuple(row))
                row[1] += 1
            indices.append(places)
            values.append([token for _, token in part_of])
        return {
            "indices": np.array(indices, np.int64),
            "values": np.array(values, np.int64),
        }

    return Samples(read("train-500", 64), read("dev", 100))


def thai_windows(context: Context) -> Samples:
    """Windows of character numbers and character classes, random in the range of the vocabulary."""
    random = np.random.default_rng(8)
    rows = {
        "input_1": random.integers(1, 177, (264, 21)).astype(np.float32),
        "input_2": random.integers(1, 11, (264, 21)).astype(np.float32),
    }
    return split(rows, (64, 200))


def files(context: Context, name: str) -> Samples:
    """The first and the last 1,024 bytes of files of installed Python packages, which are pinned by hash."""
    packages = pathlib.Path(np.__file__).parents[1]
    by_suffix: dict[str, list] = {}
    for path in sorted(packages.glob("*/**/*.*")):
        if path.suffix != ".pyc" and path.is_file() and path.stat().st_size > 64:
            by_suffix.setdefault(path.suffix, []).append(path)
    chosen: list[pathlib.Path] = []
    while len(chosen) < 264 and any(by_suffix.values()):
        chosen += [of_suffix.pop(0) for of_suffix in by_suffix.values() if of_suffix]
    rows = np.full((264, 2048), 256, np.int32)
    for row, path in zip(rows, chosen[:264], strict=True):
        content = np.frombuffer(path.read_bytes(), np.uint8)
        first, last = content[:1024], content[-1024:]
        row[: len(first)] = first
        row[2048 - len(last) :] = last
    order = np.random.default_rng(9).permutation(len(rows))
    return split({name: rows[order]}, (64, 200))
