"""Compares the model that a strategy returns with the fastest one of a long search: `make bench-regret`.

Regret is the speed of the reference model, divided by the speed of the returned model. The reference ("oracle") is the
fastest model that meets the goal among at least 200 plans (oracle.cpp).

- Models are selected on one half of the evaluation data. The other half gives the change of the accuracy, with a 95%
  confidence interval of the difference, sample by sample.
- Both models run alternately in one process, in two processes. If the interval of the ratio contains 1, the regret is 1.
- Results are stored in BUILD/regret, those of the emulated AVX2 CPU (as_avx2.py) in BUILD/regret-avx2. A second run
  measures only what is missing. A result belongs to the program `lpot`, the model and the configuration; with another
  one, it is measured again.
- The first int8 model of a strategy does not depend on the goal. If it meets a goal, the cells of all looser goals are
  the same, and they are not measured again.

    regret.py --networks mobilenet-v2,resnet20 --goals 0.001,0.01 --strategies auto    a part of the table
    regret.py --again auto            measures the cells of `auto` again
    regret.py --keep                  uses cells of other versions of lpot; with --again auto, only `auto` is new
    regret.py --keep-oracle           uses the reference models that another version of lpot found
    regret.py --peers                 also runs NNCF's accuracy control, 10 minutes per cell at most
    regret.py --table --write         only prints the table, and writes it to benchmarks/regret.md
"""

import argparse
import collections
import os
import pathlib
import re
import statistics
import sys
import textwrap

from regret_measure import FOLDERS, GOALS, NNCF, Benchmark, NotMeasured, cpu_class
from regret_networks import NETWORKS, ROOT, Network, Networks

STRATEGIES = ("auto", "basic", "bayesian")
HEAD = (
    "network", "goal", "fp32", "needed", "strategy", "accuracy", "change on the other half", "int8 ops", "speed-up",
    "regret", "evaluations", "time",
)  # fmt: skip


def scale(network: Network) -> float:
    return 1 if network.name == "squad" else 100  # SquadF1 is a percentage already


def regret_text(speed: dict) -> str:
    measured = speed["measured"]
    if speed["same_model"]:
        return "1 (same model)"
    return f"{speed['regret']:.2f} ({measured['low']:.2f}-{measured['high']:.2f})"


class Table:
    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.rows: list[list[str]] = []
        self.cells: dict[str, list[dict]] = collections.defaultdict(list)
        self.plans: dict[str, int] = {}

    def add(
        self, network: Network, goal: float, oracle: dict, cells: list[dict]
    ) -> None:
        factor = scale(network)
        best = oracle["goals"][str(goal)]
        head = [
            network.title,
            f"{100 * goal:g}%",
            f"{factor * oracle['fp32']:.2f}",
            f"{factor * oracle['fp32'] * (1 - goal):.2f}",
        ]
        oracle_cell = {**best, "goal": goal}
        rows = [
            [
                *head,
                "oracle",
                f"{factor * best['accuracy']:.2f}",
                self.change_text(network, oracle_cell),
                f"{best['int8_ops']}/{best['ops']}",
                f"{best['measured']['ratio']:.2f} x",
                "",
                f"{oracle['tried'] + 1}",
                "",
            ]
        ]
        with_speeds = [self.with_speed(network, oracle, cell) for cell in cells]
        rows += [self.row(network, cell) for cell in with_speeds]
        self.rows += rows
        self.plans[network.title] = oracle["tried"]
        for cell in with_speeds:
            self.cells[cell["strategy"]].append(cell)

    def with_speed(self, network: Network, oracle: dict, cell: dict) -> dict:
        if "error" in cell:
            return cell
        return {**cell, **self.benchmark.regret(network, cell, oracle)}

    def row(self, network: Network, cell: dict) -> list[str]:
        strategy = cell["strategy"]
        if "error" in cell:
            return ["", "", "", "", strategy, cell["error"], *[""] * 6]
        met = cell["goal_met"]
        return [
            *[""] * 4,
            strategy,
            f"{scale(network) * cell['accuracy']:.2f}{'' if met else ' (missed)'}",
            self.change_text(network, cell),
            f"{cell['int8_ops']}/{cell['ops']}" if "int8_ops" in cell else "",
            f"{cell['speedup']:.2f} x",
            regret_text(cell) if met else "-",
            f"{cell['evaluations']:.1f}",
            f"{cell['seconds']:.0f} s",
        ]

    def change_text(self, network: Network, cell: dict) -> str:
        factor = scale(network)
        change = self.benchmark.change(network, cell)
        return f"{factor * change['mean']:+.2f} ({factor * change['low']:+.2f} to {factor * change['high']:+.2f})"

    def contention(self) -> str:
        """How much of the CPU other programs used during the comparisons of speed. Older results do not have it."""
        compared = [c["measured"] for cells in self.cells.values() for c in cells if "measured" in c]  # fmt: skip
        known = [m["contention"] for m in compared if "contention" in m]
        if not known:
            return "The load of the machine was not recorded."
        return (
            f"While models were timed, other programs used {100 * statistics.median(known):.0f}% of the CPU "
            f"(the median of the {len(known)} of {len(compared)} cells for which it was recorded)."
        )

    def text(self) -> str:
        lines = [row_text(HEAD), "|" + "---|" * len(HEAD)]
        lines += [row_text(row) for row in self.rows]
        lines += ["", *self.summary()]
        return "\n".join(lines) + "\n"

    def summary(self) -> list[str]:
        head = (
            "strategy", "cells", "goal missed", "no result", "median regret", "worst regret",
            "median evaluations", "median time",
        )  # fmt: skip
        lines = [row_text(head), "|" + "---|" * len(head)]
        for strategy, cells in self.cells.items():
            done = [c for c in cells if "error" not in c]
            met = [c["regret"] for c in done if c["goal_met"]]
            lines.append(
                row_text(
                    [
                        strategy,
                        str(len(cells)),
                        str(len(done) - len(met)),
                        str(len(cells) - len(done)),
                        f"{statistics.median(met):.2f}" if met else "",
                        f"{max(met):.2f}" if met else "",
                        f"{statistics.median(c['evaluations'] for c in done):.1f}"
                        if done
                        else "",
                        f"{statistics.median(c['seconds'] for c in done):.0f} s"
                        if done
                        else "",
                    ]
                )
            )
        if len({len(cells) for cells in self.cells.values()}) > 1:
            lines += ["", "The strategies have different numbers of cells, so these rows are not comparable."]  # fmt: skip
        return lines


def row_text(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


INTRODUCTION = (
    "`make bench-regret` measured these tables on {cpu}, with {version} and OpenVINO {openvino}. "
    "[README.md](README.md#regret) explains the method and the columns. Accuracies are in percent. "
    "If strategies return the same model for several goals, the cells share one comparison of speed. "
    "Other programs make the times of tunings longer."
)
TITLES = {
    "own": "The CPU as it is",
    "AVX2": "Limited to AVX2 (`benchmarks/as_avx2.py`)",
}


def wrapped(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def introduction(benchmark: Benchmark) -> str:
    text = INTRODUCTION.format(
        cpu=cpu_name(), version=benchmark.version, openvino=benchmark.openvino
    )
    return f"# Regret\n\n{wrapped(text)}\n"


def section(of_class: str, table: Table) -> str:
    plans = "; ".join(f"{title}: {count}" for title, count in table.plans.items())
    text = f"Plans of the reference search: {plans}. {table.contention()}"
    return f"\n## {TITLES[of_class]}\n\n{wrapped(text)}\n\n{table.text()}"


def cpu_name() -> str:
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores of {found.group(1) if found else 'an unknown CPU'}"


def words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--networks", type=words, default=list(NETWORKS))
    parser.add_argument("--goals", type=words, default=[str(g) for g in GOALS])
    parser.add_argument("--strategies", type=words, default=list(STRATEGIES))
    parser.add_argument("--plans", type=int, default=240, help="of the reference")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--again", type=words, default=[], metavar="STRATEGIES")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--keep-oracle", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.write and not options.table:
        parser.error("--write goes with --table")
    if unknown := set(options.networks) - set(NETWORKS):
        parser.error(f"unknown networks: {', '.join(sorted(unknown))}")
    if unknown := {float(g) for g in options.goals} - set(GOALS):
        parser.error(f"goals are {GOALS}, not {sorted(unknown)}")
    if options.plans < 200:
        parser.error("--plans: the reference needs at least 200 plans")
    if options.peers:
        options.strategies.append(NNCF)
    if "LPOT_TEST_DATA" not in os.environ:
        parser.error("set LPOT_TEST_DATA to the folder with the data sets")
    return options


def measure(benchmark: Benchmark, networks: Networks) -> Table:
    options = benchmark.options
    table = Table(benchmark)
    for name in options.networks:
        if options.table and not (benchmark.work / f"oracle/{name}/oracle.json").exists():  # fmt: skip
            continue
        network = networks.get(name)
        oracle = benchmark.oracle(network)
        for goal in map(float, options.goals):
            cells = []
            for strategy in options.strategies:
                path = benchmark.work / f"cells/{name}/{strategy}-{goal}.json"
                if options.table and not path.exists():
                    continue
                cells.append(benchmark.cell(network, goal, strategy))
            if options.table and not cells:
                continue
            try:
                table.add(network, goal, oracle, cells)
            except NotMeasured as missing:
                print(f"left out: {name}, {goal}: {missing}", file=sys.stderr)
                continue
            for row in table.rows[-1 - len(cells) :]:
                print(row_text(row), file=sys.stderr, flush=True)
    return table


def main() -> None:
    options = parse_options()
    data = pathlib.Path(os.environ["LPOT_TEST_DATA"]).resolve()
    # Both classes read the same data.
    networks = Networks(data, pathlib.Path(options.build).resolve() / "regret/data")
    if options.table:
        options.keep = options.keep_oracle = True
        classes = list(FOLDERS)
    else:
        classes = [cpu_class()]
    benchmarks = [Benchmark(options, of_class) for of_class in classes]
    tables = [measure(benchmark, networks) for benchmark in benchmarks]
    sections = [
        section(c, table)
        for c, table in zip(classes, tables, strict=True)
        if table.rows
    ]
    print("".join(sections))
    if options.write:
        path = ROOT / "benchmarks/regret.md"
        path.write_text(introduction(benchmarks[0]) + "".join(sections))


if __name__ == "__main__":
    main()
