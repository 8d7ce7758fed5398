#!/usr/bin/env python3
"""Runs a command on a CPU that seems to have AVX2 and nothing above it, whatever it asks.

    benchmarks/as_avx2.py .venv-peers/bin/python benchmarks/peers

ONEDNN_MAX_CPU_ISA holds oneDNN's kernels back; ONNX Runtime and the fp32 products of OpenVINO (both MLAS) do not ask it.
Here the CPUID instructions of these libraries are looked up (objdump, once) and answered without AVX-512 and VNNI by
libcpuid_mask.so, in the command and all it starts. ONEDNN_MAX_CPU_ISA is set as well, so that lpot knows its class.
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


def write_whole(path: pathlib.Path, text: str) -> None:
    """Whoever reads it meanwhile, or after a run that was killed, sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    half.write_text(text)
    half.replace(path)


def addresses_of(library: pathlib.Path) -> list[str]:
    """Of its CPUID instructions, kept below the build folder until the library changes."""
    stat = library.stat()
    kept = BUILD / "as_avx2" / f"{library.name}-{stat.st_size}-{stat.st_mtime_ns}"
    if not kept.exists():
        code = subprocess.Popen(
            ["objdump", "-d", "--no-show-raw-insn", str(library)],
            stdout=subprocess.PIPE,
            text=True,
        )
        lines = (re.match(r"\s*([0-9a-f]+):\s+cpuid", line) for line in code.stdout)
        found = [line[1] for line in lines if line]
        if code.wait() != 0:
            sys.exit(f"objdump failed on {library}")
        write_whole(kept, "\n".join(found))
    return kept.read_text().split()


def is_held() -> bool:
    """Whether this process is one of those."""
    return SITES in os.environ


@functools.cache
def environment() -> dict[str, str]:
    """What a command and all it starts need to see such a CPU."""
    mask = BUILD / "lib/libcpuid_mask.so"
    if not mask.exists():
        sys.exit(f"{mask} is missing: make bench-tune and make bench-peers build it")
    files = sorted(libraries())
    if not files:
        sys.exit(f"no runtime is installed below {ROOT}/.venv*: make bench-peers")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(addresses_of, files))
    sites = BUILD / "as_avx2/sites"
    lines = [
        f"{address} {file}\n"
        for file, addresses in zip(files, found)
        for address in addresses
    ]
    write_whole(sites, "".join(lines))
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
