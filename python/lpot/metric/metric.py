"""Metric classes under the import path of LPOT."""

import collections.abc
from typing import Any

from .. import _core
from ..errors import DataError
from . import METRICS, BaseMetric, metric_registry

__all__ = ["METRICS", "BaseMetric", "SquadF1", "metric_registry"]


class SquadF1(BaseMetric):
    """F1 score on SQuAD v1.1, from 0 to 100.

    update(preds, labels) takes {question id: answer} and the articles of dev-v1.1.json or {question id: answers}.
    Unanswered questions count as 0.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._score = _core.SquadScore()

    def update(self, preds: Any, labels: Any, sample_weight: Any = None) -> None:
        for question, answers in _expected(labels):
            if question in preds:
                self._score.count(preds[question], answers)
            else:
                self._score.count_unanswered()

    def result(self) -> float:
        return self._score.f1()


def _expected(labels: Any) -> collections.abc.Iterator[Any]:
    if isinstance(labels, collections.abc.Mapping) and "data" not in labels:
        yield from ((question, list(answers)) for question, answers in labels.items())
        return
    articles = labels["data"] if isinstance(labels, collections.abc.Mapping) else labels
    try:
        for article in articles:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    yield (
                        question["id"],
                        [answer["text"] for answer in question["answers"]],
                    )
    except (TypeError, KeyError) as error:
        raise DataError(
            f"[SquadF1] cannot read the labels: {error!r}; expected SQuAD articles or {{question id: answers}}"
        ) from error
