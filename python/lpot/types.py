"""Type aliases of this package."""

import collections.abc
import os
from typing import Any, TypeAlias

StrPath: TypeAlias = str | os.PathLike[str]
ConfFiles: TypeAlias = StrPath | collections.abc.Sequence[StrPath]  # YAML files
JsonObject: TypeAlias = dict[str, Any]
