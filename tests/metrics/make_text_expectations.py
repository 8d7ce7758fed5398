"""Writes tests/metrics/expected/texts.tsv: error rates of jiwer for small texts.

    python -m venv .venv-tables && .venv-tables/bin/pip install jiwer==4.0.0
    .venv-tables/bin/python tests/metrics/make_text_expectations.py

A case is a line "case", number of texts, character error rate, word error rate, and then one line for each text: the
text of the model, tab, the reference.
"""

import pathlib
import random

import jiwer

EXPECTED = pathlib.Path(__file__).parent / "expected"
WORDS = "a the cat sat on mat Größe naïve 東京 駅 über 12.5 km/h don't STOP stop ok, привет мир é e\u0301".split()


def change(text, alphabet, rate, generator):
    result = []
    for character in text:
        roll = generator.random()
        if roll < rate / 3:
            continue
        if roll < 2 * rate / 3:
            character = generator.choice(alphabet)
        result.append(character)
        if generator.random() < rate / 3:
            result.append(generator.choice(alphabet))
    return "".join(result).strip()


def cases(generator):
    yield [("", "one two")]
    yield [("much longer than this", "is")]
    yield [("  padded text ", "padded text"), ("two  spaces", "two spaces")]
    yield [("same", "same"), ("same again", "same again")]
    alphabet = sorted(set("".join(WORDS))) + [" "]
    for count, rate in [
        (1, 0.1),
        (3, 0.05),
        (8, 0.2),
        (20, 0.5),
        (30, 0.9),
        (40, 0.02),
    ]:
        references = [
            " ".join(generator.choices(WORDS, k=generator.randint(1, 9)))
            for _ in range(count)
        ]
        yield [(change(text, alphabet, rate, generator), text) for text in references]


def main():
    lines = []
    for case in cases(random.Random(25)):
        given = [pair[0] for pair in case]
        expected = [pair[1] for pair in case]
        rates = jiwer.cer(expected, given), jiwer.wer(expected, given)
        lines.append("\t".join(["case", str(len(case)), *map(repr, rates)]))
        lines += ["\t".join(pair) for pair in case]
    (EXPECTED / "texts.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
