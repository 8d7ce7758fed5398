"""Tokens of texts by the `tokenizers` wheel, the reference that ours is compared with.

    python tokenize_texts.py VOCAB lower|keep TEXTS OUTPUT

TEXTS holds a JSON string a line; OUTPUT gets a line of ids for each.
"""

import json
import sys

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers


def main() -> None:
    vocabulary, case, texts, output = sys.argv[1:]
    tokenizer = Tokenizer(
        models.WordPiece.from_file(
            vocabulary, unk_token="[UNK]", max_input_chars_per_word=100
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=case == "lower")
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    with open(texts, encoding="utf-8") as lines:
        encoded = tokenizer.encode_batch([json.loads(line) for line in lines])
    with open(output, "w") as file:
        file.writelines(" ".join(map(str, each.ids)) + "\n" for each in encoded)


if __name__ == "__main__":
    main()
