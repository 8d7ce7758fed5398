"""SquadV1PostTransform: converts start and end logits to answers."""

import collections
import heapq
import os
import unicodedata
from typing import Any

from .. import BaseTransform
from ..squad import read_squad

__all__ = ["BaseTransform", "SquadV1PostTransform"]

Result = collections.namedtuple("Result", ["unique_id", "start_logits", "end_logits"])


class SquadV1PostTransform(BaseTransform):
    """Maps (results, label) to ({question id: answer}, label).

    There are two constructors:

    - SquadV1PostTransform(eval_examples, eval_features, n_best_size, max_answer_length, do_lower_case), with the
      examples and features of BERT's run_squad.py.
    - SquadV1PostTransform(label_file, vocab_file, n_best_size=20, max_seq_length=384, max_query_length=64,
      max_answer_length=30, do_lower_case=True, doc_stride=128), which reads these files.

    `results` is a list of objects with unique_id, start_logits and end_logits, or three arrays of these.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        with_files = "label_file" in kwargs or (
            args and isinstance(args[0], (str, os.PathLike))
        )
        (self._from_files if with_files else self._from_features)(*args, **kwargs)
        self._by_id = {feature.unique_id: feature for feature in self._features}

    def _from_features(
        self,
        eval_examples: Any,
        eval_features: Any,
        n_best_size: int = 20,
        max_answer_length: int = 30,
        do_lower_case: bool = True,
    ) -> None:
        self._examples, self._features = eval_examples, eval_features
        self._n_best_size, self._max_answer_length, self._lower = (
            n_best_size,
            max_answer_length,
            do_lower_case,
        )

    def _from_files(
        self,
        label_file: Any,
        vocab_file: Any,
        n_best_size: int = 20,
        max_seq_length: int = 384,
        max_query_length: int = 64,
        max_answer_length: int = 30,
        do_lower_case: bool = True,
        doc_stride: int = 128,
    ) -> None:
        examples, features = read_squad(
            label_file,
            vocab_file,
            do_lower_case,
            max_seq_length,
            doc_stride,
            max_query_length,
        )
        self._from_features(
            examples, features, n_best_size, max_answer_length, do_lower_case
        )

    def __call__(self, sample: Any) -> Any:
        results, label = sample
        best: dict[str, Any] = {}  # by question: (score, text)
        for result in _one_by_one(results):
            feature = self._by_id.get(int(result.unique_id))
            if feature is None:
                continue
            example = self._examples[feature.example_index]
            found = self._answer(feature, example, result)
            if example.qas_id not in best or found[0] > best[example.qas_id][0]:
                best[example.qas_id] = found
        return {question: text for question, (_, text) in best.items()}, label

    def _answer(self, feature: Any, example: Any, result: Any) -> Any:
        """Returns (score, text) of the best span in a window. The text is empty if no span is valid."""
        starts = _most_likely(result.start_logits, self._n_best_size)
        ends = _most_likely(result.end_logits, self._n_best_size)
        best = (float("-inf"), None, None)
        for start in starts:
            if (
                start not in feature.token_to_orig_map
                or not feature.token_is_max_context.get(start, False)
            ):
                continue
            for end in ends:
                if (
                    end not in feature.token_to_orig_map
                    or not start <= end < start + self._max_answer_length
                ):
                    continue
                score = float(result.start_logits[start]) + float(
                    result.end_logits[end]
                )
                if score > best[0]:
                    best = (score, start, end)
        score, start, end = best
        return (
            score,
            "" if start is None else self._text(feature, example, start, end),
        )

    def _text(self, feature: Any, example: Any, start: int, end: int) -> str:
        first, last = feature.token_to_orig_map[start], feature.token_to_orig_map[end]
        words = " ".join(example.doc_tokens[first : last + 1])
        pieces = (
            " ".join(feature.tokens[start : end + 1])
            .replace(" ##", "")
            .replace("##", "")
        )
        return _part_of(words, pieces, self._lower)


def _one_by_one(results: Any) -> Any:
    """Converts the arrays (unique_ids, start_logits, end_logits) to one result per window."""
    if len(results) == 3 and not hasattr(results[0], "unique_id"):
        return [Result(*parts) for parts in zip(*results)]
    return results


def _most_likely(logits: Any, count: int) -> Any:
    return heapq.nlargest(count, range(len(logits)), key=lambda place: logits[place])


def _part_of(words: str, pieces: str, lower: bool) -> str:
    """Returns the part of `words` that the tokens cover. Tokens may be parts of words and lower-cased."""
    letters, places = [], []
    for place, letter in enumerate(words):
        plain = unicodedata.normalize("NFD", letter.lower()) if lower else letter
        for one in plain:
            if not one.isspace() and not (lower and unicodedata.category(one) == "Mn"):
                letters.append(one)
                places.append(place)
    wanted = "".join(pieces.split())
    at = "".join(letters).find(wanted)
    return (
        words[places[at] : places[at + len(wanted) - 1] + 1]
        if wanted and at >= 0
        else words
    )
