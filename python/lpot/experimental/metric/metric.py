"""lpot.metric.metric under the import path of LPOT 1.2."""

from ...metric.metric import METRICS, BaseMetric, SquadF1, metric_registry

__all__ = ["METRICS", "BaseMetric", "SquadF1", "metric_registry"]
