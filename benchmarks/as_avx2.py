#!/usr/bin/env python3
"""Runs a command on an emulated AVX2 CPU: AVX-512 and VNNI are hidden from it.

    benchmarks/as_avx2.py .venv-peers/bin/python benchmarks/peers

ONEDNN_MAX_CPU_ISA limits the kernels of oneDNN, but not ONNX Runtime and the fp32 matrix products of OpenVINO, which
use MLAS. This script finds the CPUID instructions of these libraries with objdump, once. libcpuid_mask.so then
intercepts them in the command and its child processes, and hides AVX-512 and VNNI. ONEDNN_MAX_CPU_ISA is also set, so
that lpot detects the class of the CPU.
"""

import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("LPOT_BUILD", ROOT / "build")).resolve()
SITES = "LPOT_CPUID_SITES"  # the variable that libcpuid_mask.so reads
LIBRARIES = (
    "openvino/libs/libopenvino.so*",
    "openvino/libs/libopenvino_intel_cpu_plugin.so",
    "onnxruntime/capi/onnxruntime_pybind11_state*.so",
    "torch/lib/libtorch_cpu.so",
    "torch/lib/libc10.so",
)


def libraries() -> set[pathlib.Path]:
    found = set()
    for packages in ROOT.glob(".venv*/lib/python3*/site-packages"):
        for pattern in LIBRARIES:
            found |= {file.resolve() for file in packages.glob(pattern)}
    return found


def write_atomically(path: pathlib.Path, text: str) -> None:
    """Replaces a file atomically, so that readers see the old or the new content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    half.write_text(text)
    half.replace(path)


def addresses_of(library: pathlib.Path) -> list[str]:
    """Returns the addresses of the CPUID instructions, cached in the build folder until the library changes."""
    stat = library.stat()
    cached = BUILD / "as_avx2" / f"{library.name}-{stat.st_size}-{stat.st_mtime_ns}"
    if not cached.exists():
        code = subprocess.Popen(
            ["objdump", "-d", "--no-show-raw-insn", str(library)],
            stdout=subprocess.PIPE,
            text=True,
        )
        lines = (re.match(r"\s*([0-9a-f]+):\s+cpuid", line) for line in code.stdout)
        found = [line[1] for line in lines if line]
        if code.wait() != 0:
            sys.exit(f"objdump failed on {library}")
        write_atomically(cached, "\n".join(found))
    return cached.read_text().split()


def is_emulated() -> bool:
    """Whether this process runs on the emulated CPU."""
    return SITES in os.environ


@functools.cache
def environment() -> dict[str, str]:
    """Returns the environment variables that emulate the CPU for a command and its child processes."""
    mask = BUILD / "lib/libcpuid_mask.so"
    if not mask.exists():
        sys.exit(
            f"{mask} not found. Build it with make bench-tune or make bench-peers."
        )
    files = sorted(libraries())
    if not files:
        sys.exit(
            f"no runtime found in {ROOT}/.venv*. Install one with make bench-peers."
        )
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(addresses_of, files))
    sites = BUILD / "as_avx2/sites"
    lines = [
        f"{address} {file}\n"
        for file, addresses in zip(files, found)
        for address in addresses
    ]
    write_atomically(sites, "".join(lines))
    return {
        "LD_AUDIT": str(mask),
        SITES: str(sites),
        "ONEDNN_MAX_CPU_ISA": "AVX2",
    }


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    os.execvpe(sys.argv[1], sys.argv[1:], {**os.environ, **environment()})


if __name__ == "__main__":
    main()
