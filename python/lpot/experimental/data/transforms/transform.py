"""lpot.data.transforms.transform under the name that LPOT 1.2 gave it."""

from ....data.transforms.transform import BaseTransform, SquadV1PostTransform

__all__ = ["BaseTransform", "SquadV1PostTransform"]
