"""Imports benchmarks/as_avx2.py, which limits other tools to AVX2 instructions, for the scripts of this folder."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import as_avx2  # noqa: E402, F401
