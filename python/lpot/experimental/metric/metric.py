"""lpot.metric.metric under the name that LPOT 1.2 gave it."""

from ...metric.metric import METRICS, BaseMetric, SquadF1, metric_registry

__all__ = ["METRICS", "BaseMetric", "SquadF1", "metric_registry"]
