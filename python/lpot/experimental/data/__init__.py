"""lpot.data under the name that LPOT 1.2 gave it."""

from ...data import *  # noqa: F403
from ...data import __all__  # noqa: F401
