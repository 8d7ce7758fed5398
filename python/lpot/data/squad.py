"""SQuAD v1.1 in the format of BERT's run_squad.py: examples, features (windows of tokens) and TensorFlow records."""

import dataclasses
import json
import pathlib
from typing import Any

from .. import _core


@dataclasses.dataclass
class SquadExample:
    qas_id: str
    question_text: str
    doc_tokens: list[Any]  # words of the paragraph, split at white space
    answers: list[Any]


@dataclasses.dataclass
class InputFeatures:
    unique_id: int
    example_index: int
    doc_span_index: int
    tokens: list[Any]
    token_to_orig_map: dict[
        int, int
    ]  # token index in the window -> word index in the paragraph
    token_is_max_context: dict[int, bool]
    input_ids: list[Any]  # padded to max_seq_length, like the next two
    input_mask: list[Any]
    segment_ids: list[Any]


def read_squad(
    label_file: Any,
    vocab_file: Any,
    do_lower_case: bool = True,
    max_seq_length: int = 384,
    doc_stride: int = 128,
    max_query_length: int = 64,
) -> Any:
    """Reads a file such as dev-v1.1.json and returns (examples, features)."""
    windows = _core.SquadWindows(
        str(label_file),
        str(vocab_file),
        do_lower_case,
        max_seq_length,
        doc_stride,
        max_query_length,
    )
    examples, words_at = [], []
    for qas_id, question, context, answers in windows.questions():
        examples.append(SquadExample(qas_id, question, context.split(), answers))
        words_at.append(_words_at(context))
    features: list[Any] = []
    for number in range(len(windows)):
        features.append(_feature(windows, number, words_at, features))
    return examples, features


def _words_at(context: str) -> list[Any]:
    """Returns the word index of each byte of the paragraph. White space belongs to the word before it."""
    numbers, word, in_word = [], -1, False
    for letter in context:
        is_space = letter.isspace()
        word += not is_space and not in_word
        in_word = not is_space
        numbers.extend([max(word, 0)] * len(letter.encode()))
    return numbers


def _feature(
    windows: Any,
    number: int,
    words_at: list[Any],
    before: list[Any],
) -> InputFeatures:
    found = windows.feature(number)
    first, question, length = (
        found["before"],
        found["question"],
        len(found["input_ids"]),
    )
    places = range(first, first + len(found["bytes"]))
    fill = [0] * (windows.max_seq_length - length)
    same = before and before[-1].example_index == question
    return InputFeatures(
        unique_id=windows.first_id + number,
        example_index=question,
        doc_span_index=before[-1].doc_span_index + 1 if same else 0,
        tokens=found["tokens"],
        token_to_orig_map={
            place: words_at[question][begin]
            for place, (begin, _) in zip(places, found["bytes"])
        },
        token_is_max_context=dict(zip(places, found["most_context"])),
        input_ids=found["input_ids"] + fill,
        input_mask=[1] * length + fill,
        segment_ids=[0] * first + [1] * (length - first) + fill,
    )


class FeatureWriter:
    """Writes features to the TensorFlow record file `filename`, which the input pipeline of a graph reads."""

    def __init__(self, filename: Any) -> None:
        self.filename = str(filename)
        self._writer = _core.RecordWriter(self.filename)

    def process_feature(self, feature: InputFeatures) -> None:
        self._writer.add(
            {
                "unique_ids": [feature.unique_id],
                "input_ids": feature.input_ids,
                "input_mask": feature.input_mask,
                "segment_ids": feature.segment_ids,
            }
        )

    def close(self) -> None:
        self._writer.finish()


def parse_label_file(label_file: Any) -> list[Any]:
    """Returns the articles of a file such as dev-v1.1.json. They are the labels of SquadF1."""
    return list(json.loads(pathlib.Path(label_file).read_text())["data"])
