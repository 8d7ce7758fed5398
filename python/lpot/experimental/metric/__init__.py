"""lpot.metric under the import path of LPOT 1.2."""

from ...metric import METRICS, BaseMetric, metric_registry

__all__ = ["METRICS", "BaseMetric", "metric_registry"]
