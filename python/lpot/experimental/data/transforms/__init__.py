"""lpot.data.transforms under the import path of LPOT 1.2."""

from ....data.transforms import BaseTransform, SquadV1PostTransform

__all__ = ["BaseTransform", "SquadV1PostTransform"]
