#!/usr/bin/env python3
"""Compares lpot with NNCF, ONNX Runtime and PyTorch: accuracy, speed, time to quantize and memory.

    .venv-peers/bin/python benchmarks/peers                              everything (make bench-peers)
    .venv-peers/bin/python benchmarks/peers --networks resnet20 --reuse  only lpot quantizes again; the models of the other tools are reused
    benchmarks/as_avx2.py ...                                            the same, limited to AVX2 instructions

LPOT_TEST_DATA is the folder with models and data sets. Without it, only the quick start network is measured. Models,
inputs and results are stored below build/peers. The tables of all runs are printed and written to benchmarks/peers.md.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

import report
from avx2_limit import as_avx2
from networks import NETWORKS, ROOT, Network

HERE = pathlib.Path(__file__).resolve().parent
RUNTIMES = ("openvino", "onnxruntime", "torch")


def run_child(
    command: list[str], given: str = "", env: dict | None = None
) -> tuple[str, float, float]:
    """Returns the output, seconds and peak memory in MB of a command. Raises an error with its last error line."""
    start = time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=open("errors.log", "w+"),
        env=env,
        text=True,
    )
    process.stdin.write(given)
    process.stdin.close()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if code != 0:
        lines = pathlib.Path("errors.log").read_text().strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"exit code {code}")
    return output, time.monotonic() - start, usage.ru_maxrss / 1024


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.lpot = (pathlib.Path(options.build) / "bin/lpot").resolve()
        self.held = "AVX2" if as_avx2.is_emulated() else ""
        self.has_bf16 = default_precision() == "bf16"
        self.work = pathlib.Path(options.build).resolve() / "peers"
        self.results = self.work / f"class-{self.held or 'own'}"
        self.results.mkdir(parents=True, exist_ok=True)
        self.env = os.environ | {
            "OMP_NUM_THREADS": "2",
            "PYTHONWARNINGS": "ignore",
            "LPOT_FORM_MEMORY": "off",  # every quantization measures again
        }
        os.chdir(self.results)

    def prepare(self, name: str) -> Network:
        """Uses a separate process: the peak memory of a process includes the memory of its parent when it starts."""
        file = self.work / name / "network.json"
        if not file.exists():
            run_child([sys.executable, str(HERE / "networks.py"), name, str(self.work)])
        return Network(**json.loads(file.read_text()))

    def measure(self, network: Network) -> None:
        folder = self.work / network.name
        made = self.results / network.name
        rows = {}
        for tool in self.tools(network):
            rows[tool] = self.row(tool, network, folder, made / tool)
            say(f"  {tool}: {rows[tool].get('failed') or seconds_of(rows[tool])}")
        self.evaluate(network, rows, folder, made)
        others = Others()
        self.time(network, rows, folder)
        result = {
            "title": network.title,
            "score": network.score,
            "samples": network.samples,
            "batch_sizes": network.batch_sizes,
            "held": self.held,
            "others": others.share(),
            "quick": self.options.quick,
            "machine": report.machine(),
            "rows": rows,
        }
        (self.results / f"{network.name}.json").write_text(json.dumps(result, indent=1))
        print("\n" + report.table(result), flush=True)

    def tools(self, network: Network) -> list[str]:
        """The rows of a network: the selected tools that can read it, each after the fp32 model of its runtime."""
        runtimes = {"openvino"}
        if network.model.endswith(".onnx"):
            runtimes.add("onnxruntime")
        if network.module:
            runtimes.add("torch")
        # Without a transformer, NNCF's default is this preset.
        left_out = set() if network.transformer else {"nncf-performance"}
        if not self.has_bf16:
            left_out |= set(report.BF16)
        asked = [
            tool
            for tool, (_, runtime) in report.TOOLS.items()
            if runtime in runtimes
            and tool not in left_out
            and (not self.options.tools or tool in self.options.tools)
        ]
        wanted = {report.TOOLS[tool][1] for tool in asked}
        return [
            tool
            for tool, (_, runtime) in report.TOOLS.items()
            if tool in asked or (tool.endswith("fp32") and runtime in wanted)
        ]

    def row(
        self, tool: str, network: Network, folder: pathlib.Path, output: pathlib.Path
    ) -> dict:
        """Quantizes the model with a tool. With --reuse, models of other tools are reused."""
        kept = output / "row.json"
        if self.options.reuse and not tool.startswith("lpot") and kept.exists():
            row = json.loads(kept.read_text())
            if "failed" not in row:
                return row
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir(parents=True)
        row = {}
        try:
            if tool.startswith("lpot"):
                precision = "bf16" if tool in report.BF16 else "f32"
                command = self.lpot_command(network, folder, output, precision)
                _, row["seconds"], row["memory"] = run_child(command, env=self.env)
            elif report.BF16.get(tool, tool) != tool:
                pass  # the model of another row
            elif tool.endswith("fp32"):
                row["bytes"] = pathlib.Path(network.model).stat().st_size
            elif tool != "torch-dynamic":  # quantized when it is run
                command = [
                    sys.executable,
                    str(HERE / "quantize.py"),
                    tool,
                    str(folder),
                    str(output),
                ]
                printed, _, row["memory"] = run_child(command, env=self.env)
                row["seconds"] = json.loads(printed.splitlines()[-1])["seconds"]
            # The model that is measured. lpot also writes it as ONNX to the same folder.
            files = [f for f in output.rglob("model*") if f.suffix in (".xml", ".bin")]
            files = files or [f for f in output.rglob("model*") if f.is_file()]
            row |= {"bytes": sum(f.stat().st_size for f in files)} if files else {}
        except RuntimeError as error:
            row["failed"] = str(error)
        kept.write_text(json.dumps(row))
        return row

    def lpot_command(
        self,
        network: Network,
        folder: pathlib.Path,
        output: pathlib.Path,
        precision: str,
    ) -> list[str]:
        arrays = {p.stem: str(p) for p in (folder / "calibration").glob("*.npy")}
        loader = {
            "batch_size": 1,  # as the other tools get them
            "dataset": {"npy": {"inputs": arrays}},
        }
        model = {"name": network.name}
        if network.cut:
            model |= {"inputs": ",".join(network.cut), "input_shapes": network.cut}
        config = {
            "model": model,
            "quantization": {
                "precision": precision,
                "calibration": {"sampling_size": network.samples, "dataloader": loader},
            },
            "tuning": {"workspace": {"path": str(output / "workspace")}},
        }
        file = output / "config.yaml"
        file.write_text(json.dumps(config, indent=1))
        return [
            str(self.lpot),
            "quantize",
            str(file),
            "--model",
            network.model,
            "--output",
            str(output),
        ]

    def job(self, runtime: str, rows: dict, made: pathlib.Path, **more) -> dict:
        """Runs measure.py with the models of one runtime and returns the results by tool."""
        models = {}
        for tool, row in rows.items():
            if report.TOOLS[tool][1] != runtime or "failed" in row:
                continue
            source = report.BF16.get(tool, tool)
            file = made / source / (
                "model.xml" if runtime == "openvino" else "model.onnx"
            )  # fmt: skip
            models["fp32" if tool.endswith("fp32") else tool] = (
                None if source.endswith("fp32") else str(file)
            )
        if not models:
            return {}
        job = {
            "runtime": runtime,
            "folder": str(self.work / made.name),
            "models": models,
            "precisions": {t: "bf16" for t in models if t in report.BF16},
        } | more
        try:
            printed, _, _ = run_child(
                [sys.executable, str(HERE / "measure.py")], json.dumps(job), self.env
            )
        except RuntimeError as error:
            return {
                tool: {"failed": str(error)}
                for tool in rows
                if report.TOOLS[tool][1] == runtime and "failed" not in rows[tool]
            }
        results = json.loads(printed[printed.index("{") :])
        base = next(
            t for t in rows if t.endswith("fp32") and report.TOOLS[t][1] == runtime
        )
        return {
            base if tool == "fp32" else tool: value for tool, value in results.items()
        }

    def evaluate(
        self, network: Network, rows: dict, folder: pathlib.Path, made: pathlib.Path
    ) -> None:
        for runtime in RUNTIMES:
            mine = {t: r for t, r in rows.items() if report.TOOLS[t][1] == runtime}
            fresh = {
                t: r for t, r in mine.items() if "score" not in r or t.endswith("fp32")
            }
            if all("score" in r for r in fresh.values()):
                continue
            for tool, values in self.job(runtime, fresh, made, evaluate=True).items():
                rows[tool] |= values
                (made / tool / "row.json").write_text(json.dumps(rows[tool]))
                say(
                    f"  {tool}: {network.score} {values.get('score')}, {values.get('failed') or ''}"
                )

    def time(self, network: Network, rows: dict, folder: pathlib.Path) -> None:
        """Runtimes alternate, each in a separate process. The ratio is the median of the ratios of all rounds."""
        made = self.results / network.name
        for batch in network.batch_sizes:
            turns = []
            for _ in range(self.options.turns):
                turn = {}
                for runtime in RUNTIMES:
                    turn |= self.job(
                        runtime, rows, made, batch=batch, seconds=self.options.seconds
                    )
                turns.append(turn)
            for tool, row in rows.items():
                if tool in turns[0]:
                    row.setdefault("batches", {})[str(batch)] = summary(tool, turns)


def summary(tool: str, turns: list[dict]) -> dict:
    """Medians of all rounds: milliseconds, and ratios to fp32 in the same process."""
    if failed := [t[tool] for t in turns if "failed" in t[tool]]:
        return failed[0]
    found = {"ms": statistics.median(t[tool]["ms"] for t in turns)}
    runtime = report.TOOLS[tool][1]
    base = next(
        t for t in turns[0] if t.endswith("fp32") and report.TOOLS[t][1] == runtime
    )
    if base != tool:
        for kind, ratio in (("ms", "ratio"), ("fastest", "fastest_ratio")):
            ratios = [t[base][kind] / t[tool][kind] for t in turns]
            found[ratio] = statistics.median(ratios)
    if runtime == "openvino" and all("ms" in t.get("bf16", {}) for t in turns):
        ratios = [t["bf16"]["ms"] / t[tool]["ms"] for t in turns]
        found |= {"ratio": found.get("ratio", 1.0), "default_ratio": statistics.median(ratios)}
    return found


def default_precision() -> str:
    """The precision that OpenVINO uses on this CPU unless the program sets one."""
    import openvino as ov

    return ov.Core().get_property("CPU", "INFERENCE_PRECISION_HINT").to_string()


class Others:
    """The share of the CPU that programs other than the children of this process use."""

    def __init__(self) -> None:
        self.start = self.now()

    def now(self) -> tuple[float, float, float]:
        fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        ticks = [int(x) / os.sysconf("SC_CLK_TCK") for x in fields]
        own = resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(ticks), sum(ticks) - ticks[3] - ticks[4], own.ru_utime + own.ru_stime

    def share(self) -> float:
        total, busy, own = (b - a for a, b in zip(self.start, self.now(), strict=True))
        return max(0.0, (busy - own) / total) if total else 0.0


def seconds_of(row: dict) -> str:
    return (
        f"{row['seconds']:.1f} s, {row.get('memory', 0):.0f} MB"
        if "seconds" in row
        else "there"
    )


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--build", default="build", help="folder with bin/lpot; its peers/ is worked in"
    )
    parser.add_argument(
        "--networks", default="", help=f"of {', '.join(NETWORKS)}; all unless given"
    )
    parser.add_argument(
        "--tools",
        default="",
        help=f"rows, of {', '.join(report.TOOLS)}; all unless given",
    )
    parser.add_argument(
        "--reuse",
        action="store_true",
        help="reuse the models of the other tools, quantize with lpot only",
    )
    parser.add_argument(
        "--quick", action="store_true", help="short timings, without bert-large"
    )
    parser.add_argument(
        "--report", action="store_true", help="measure nothing, write the tables again"
    )
    options = parser.parse_args()
    options.tools = [x for x in options.tools.split(",") if x]
    options.seconds, options.turns = (1.0, 1) if options.quick else (3.0, 3)
    names = [x for x in options.networks.split(",") if x] or list(NETWORKS)
    if unknown := set(names) - set(NETWORKS) | set(options.tools) - set(report.TOOLS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if options.quick and not options.networks:
        names.remove("bert-large")
    target = ROOT / "benchmarks/peers.md"
    bench = Bench(options)
    for name in [] if options.report else names:
        say(name)
        try:
            bench.measure(bench.prepare(name))
        except RuntimeError as error:
            say(f"  left out: {error}")
    versions = [
        f"{p} {importlib.metadata.version(p)}"
        for p in ("openvino", "nncf", "onnxruntime", "torch")
    ]
    facts = {"threads": 2, "versions": ", ".join(versions).replace("+cpu", "")}
    report.write(bench.work, list(NETWORKS), target, facts)


if __name__ == "__main__":
    main()
