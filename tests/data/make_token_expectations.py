"""Writes tests/data/expected/tokens.txt: texts and their tokens from the `tokenizers` package.

    python tests/data/make_token_expectations.py     (needs tokenizers 0.23.3)

The vocabulary is tests/data/text/vocab.txt. A text is one line of JSON. The next two lines are its pieces with
lower-casing and without.
"""

import json
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

TEXTS = [
    "Unaffable!",
    "The PLAYERS were playing, played; re-playing.",
    "  tabs\tand\nlines\r\nand\u00a0wide\u3000spaces\u2028 ",
    "Café naïve RÉSUMÉ \u0130stanbul ångström Ệ",
    "e\u0301 stands apart, so does n\u0303",
    "漢字とかな mixed漢with字letters",
    "control\u0000s \u200bzero\u200dwidth\u00ad soft\u0007 \ufeff",
    "$5.99 + 1% = #1 ~ ^caret^ `tick` |bar| <tag> ¿qué? «so» “quotes” — dash…",
    "한국어 ΑΣΣΟΣ ΜΆΘΟΣ МОСКВА Ёж",
    "unknownzzz xyzzy 😀 play😀ing",
    "a" * 100,
    "a" * 101,
    "",
    "   ",
    "[CLS] [SEP] [UNK]",
    "\ufffd broken \ufffdplay",
    "ﬁne Ⅷ ½ ² ㎞",
    "don't o'clock it's",
]


def tokenizer(vocabulary: Path, lower: bool) -> Tokenizer:
    made = Tokenizer(
        models.WordPiece.from_file(
            str(vocabulary), unk_token="[UNK]", max_input_chars_per_word=100
        )
    )
    made.normalizer = normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def main() -> None:
    here = Path(__file__).parent
    both = [tokenizer(here / "text/vocab.txt", lower) for lower in (True, False)]
    lines = []
    for text in TEXTS:
        lines.append(json.dumps(text))
        lines += [" ".join(one.encode(text).tokens) for one in both]
    (here / "expected/tokens.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
