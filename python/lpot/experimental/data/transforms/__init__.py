"""lpot.data.transforms under the name that LPOT 1.2 gave it."""

from ....data.transforms import BaseTransform, SquadV1PostTransform

__all__ = ["BaseTransform", "SquadV1PostTransform"]
