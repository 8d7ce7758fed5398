"""Evaluates a sentence encoder on STS-B: the similarity of two sentences is the cosine of their embeddings.

    similarity.py pearson TOKENS.tsv MODEL PRECISION       prints Pearson's correlation with the scores of the file
    similarity.py pairs TOKENS.tsv MODEL PRECISION         prints [similarity, score] of every pair as JSON
    similarity.py calibration TOKENS.tsv FOLDER            writes 300 inputs of 30 tokens: indices.npy, values.npy

The model is Universal Sentence Encoder Lite. Its inputs are a sparse matrix of tokens: `indices` are (sentence,
position), `values` are tokens.
"""

import json
import pathlib
import sys

import numpy as np

SENTENCES = 50  # per inference
TOKENS = 30  # per calibration sample
SAMPLES = 300


def read(path: str) -> tuple[list[list[int]], list[float]]:
    """All sentences, two per line, and the score of each line."""
    lines = pathlib.Path(path).read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    sentences = [[int(t) for t in text.split()] for row in rows for text in row[2:4]]
    return sentences, [float(row[1]) for row in rows]


def sparse(sentences: list[list[int]]) -> dict[str, np.ndarray]:
    places = [(i, j) for i, tokens in enumerate(sentences) for j in range(len(tokens))]
    return {
        "indices": np.array(places, np.int64),
        "values": np.array(sum(sentences, []), np.int64),
    }


def similarities(sentences: list[list[int]], model: str, precision: str) -> list[float]:
    import openvino as ov

    core = ov.Core()
    compiled = core.compile_model(
        core.read_model(model), "CPU", {"INFERENCE_PRECISION_HINT": precision}
    )
    by_input = {}
    for port in compiled.inputs:
        by_input["indices" if len(port.partial_shape) == 2 else "values"] = port
    found = []
    for start in range(0, len(sentences), SENTENCES):
        inputs = sparse(sentences[start : start + SENTENCES])
        rows = compiled({by_input[name]: values for name, values in inputs.items()})[0]
        first, second = rows[0::2], rows[1::2]
        lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
        found += ((first * second).sum(axis=1) / lengths).tolist()
    return found


def write_calibration(sentences: list[list[int]], folder: pathlib.Path) -> None:
    stream = [(i, token) for i, tokens in enumerate(sentences) for token in tokens]
    samples = []
    for start in range(0, SAMPLES * TOKENS, TOKENS):
        groups: dict[int, list[int]] = {}
        for sentence, token in stream[start : start + TOKENS]:
            groups.setdefault(sentence, []).append(token)
        samples.append(sparse(list(groups.values())))
    for name in ("indices", "values"):
        np.save(folder / f"{name}.npy", np.stack([s[name] for s in samples]))


def main() -> None:
    verb, tokens = sys.argv[1:3]
    sentences, scores = read(tokens)
    if verb == "calibration":
        write_calibration(sentences, pathlib.Path(sys.argv[3]))
        return
    found = similarities(sentences, *sys.argv[3:5])
    if verb == "pairs":
        print(json.dumps([list(pair) for pair in zip(found, scores, strict=True)]))
    else:
        print(np.corrcoef(found, scores)[0, 1])


if __name__ == "__main__":
    main()
