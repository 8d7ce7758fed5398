"""lpot.data under the import path of LPOT 1.2."""

from ...data import *  # noqa: F403
from ...data import __all__  # noqa: F401
