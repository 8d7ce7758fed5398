"""lpot.metric under the name that LPOT 1.2 gave it."""

from ...metric import METRICS, BaseMetric, metric_registry

__all__ = ["METRICS", "BaseMetric", "metric_registry"]
