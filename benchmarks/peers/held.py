"""Whether rivals are held to AVX2: benchmarks/as_avx2.py, for the scripts of this folder."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import as_avx2  # noqa: E402, F401
