"""Transforms of samples and predictions."""

from .transform import BaseTransform, SquadV1PostTransform

__all__ = ["BaseTransform", "SquadV1PostTransform"]
