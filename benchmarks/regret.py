"""Compares the model that a strategy returns with the fastest one of a long search: `make bench-regret`.

Regret is the speed of the reference model, divided by the speed of the returned model. The reference ("oracle") is the
fastest model that meets the goal among at least 200 plans (oracle.cpp).

- Models are selected on one half of the evaluation data. The other half gives the change of the accuracy, with a 95%
  confidence interval of the difference, sample by sample.
- Both models run alternately in one process, in two processes. If the interval of the ratio contains 1, the regret is 1.
- Results are stored in BUILD/regret, those of the emulated AVX2 CPU (as_avx2.py) in BUILD/regret-avx2. A second run
  measures only what is missing. If the program `lpot`, the model or the configuration changes, a result is measured
  again.
- The fastest plans of a reference search are stored in regret_references/, so that another machine only builds and
  times them. regret_results.json has the rows of the page.
- The first int8 model of a strategy does not depend on the goal. If it meets a goal, the cells of all looser goals are
  the same, and they are not measured again. If NNCF's accuracy control reaches its time limit, so do tighter goals.

    regret.py --networks mobilenet-v2,resnet20 --goals 0.001,0.01 --strategies auto    a part of the table
    regret.py --again auto            measures the cells of `auto` again
    regret.py --keep                  uses cells of other versions of lpot; with --again auto, only `auto` is new
    regret.py --keep-oracle           uses the reference models that another version of lpot found
    regret.py --peers                 also runs NNCF's accuracy control, 10 minutes per cell at most
    regret.py --search-again          searches for reference models, also if regret_references/ has their plans
    regret.py --table --write         only prints the table; adds it to regret_results.json and writes regret.md
"""

import argparse
import os
import pathlib
import re
import sys

from regret_measure import FOLDERS, NNCF, Benchmark, NotMeasured, cpu_class
from regret_networks import NETWORKS, ROOT, Network, Networks
from regret_reference import GOALS, References
from regret_table import Entry, PublishedResults, Row, Table, wrapped

STRATEGIES = ("auto", "basic", "bayesian")
PAGE = ROOT / "benchmarks/regret.md"
RESULTS = ROOT / "benchmarks/regret_results.json"


def scale(network: Network) -> float:
    return 1 if network.name == "squad" else 100  # SquadF1 is a percentage already


def regret_text(speed: dict) -> str:
    measured = speed["measured"]
    if speed["same_model"]:
        return "1 (same model)"
    return f"{speed['regret']:.2f} ({measured['low']:.2f}-{measured['high']:.2f})"


class Rows:
    """Converts measurements to rows of the table."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark

    def entry(
        self, network: Network, goal: float, oracle: dict, cells: list[dict]
    ) -> Entry:
        factor = scale(network)
        rows = {"oracle": self.reference(network, goal, oracle)}
        for cell in cells:
            rows[cell["strategy"]] = self.row(network, oracle, cell)
        return Entry(
            network=network.title,
            fp32=f"{factor * oracle['fp32']:.2f}",
            needed=f"{factor * oracle['fp32'] * (1 - goal):.2f}",
            plans=oracle["tried"],
            rows=rows,
        )

    def reference(self, network: Network, goal: float, oracle: dict) -> Row:
        best = oracle["goals"][str(goal)]
        return Row(
            [
                f"{scale(network) * best['accuracy']:.2f}",
                self.change_text(network, {**best, "goal": goal}),
                f"{best['int8_ops']}/{best['ops']}",
                f"{best['measured']['ratio']:.2f} x",
                "",
                f"{oracle['tried'] + 1}",
                "",
            ]
        )

    def row(self, network: Network, oracle: dict, cell: dict) -> Row:
        if "error" in cell:
            return Row([cell["error"], *[""] * 6], has_result=False)
        speed = self.benchmark.regret(network, cell, oracle)
        met = cell["goal_met"]
        return Row(
            [
                f"{scale(network) * cell['accuracy']:.2f}{'' if met else ' (missed)'}",
                self.change_text(network, cell),
                f"{cell['int8_ops']}/{cell['ops']}" if "int8_ops" in cell else "",
                f"{speed['speedup']:.2f} x",
                regret_text(speed) if met else "-",
                f"{cell['evaluations']:.1f}",
                f"{cell['seconds']:.0f} s",
            ],
            goal_met=met,
            regret=speed["regret"],
            evaluations=cell["evaluations"],
            seconds=cell["seconds"],
            contention=speed["measured"].get("contention"),
        )

    def change_text(self, network: Network, cell: dict) -> str:
        factor = scale(network)
        change = self.benchmark.change(network, cell)
        return f"{factor * change['mean']:+.2f} ({factor * change['low']:+.2f} to {factor * change['high']:+.2f})"


INTRODUCTION = (
    'Regret is the speed of the fastest model of a long reference search ("oracle") divided by the speed of the model '
    "that a strategy returns. `make bench-regret` measured these tables on {cpu}, with {version} and "
    "OpenVINO {openvino}. [README.md](README.md#regret) explains the method and the columns. Accuracies are in percent. "
    "Rows with the same model share one comparison of speed. Other programs were running, so tuning times are longer "
    "than on an idle machine."
)


def introduction(benchmark: Benchmark) -> str:
    text = INTRODUCTION.format(
        cpu=cpu_name(), version=benchmark.version, openvino=benchmark.openvino
    )
    return f"# Regret\n\n{wrapped(text)}\n"


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
    parser.add_argument("--search-again", action="store_true")
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


def most_informative_first(goals: list[float]) -> list[float]:
    """If the tightest goal is met at once, or the loosest one takes too long, the other cells are copies."""
    tightest, *others = sorted(goals)
    return [tightest, *reversed(others)]


def measure(
    benchmark: Benchmark, networks: Networks, results: PublishedResults
) -> None:
    options = benchmark.options
    rows = Rows(benchmark)
    for name in options.networks:
        if options.table and not (benchmark.work / f"oracle/{name}/oracle.json").exists():  # fmt: skip
            continue
        network = networks.get(name)
        oracle = References(benchmark).get(network)
        if NNCF in options.strategies and not options.table:
            for goal in most_informative_first([float(g) for g in options.goals]):
                benchmark.cell(network, goal, NNCF)
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
                entry = rows.entry(network, goal, oracle, cells)
            except NotMeasured as missing:
                print(f"left out: {name}, {goal}: {missing}", file=sys.stderr)
                continue
            results.add(benchmark.of_class, name, str(goal), entry)
            print("\n".join(Table([(str(goal), entry)]).lines()), file=sys.stderr, flush=True)  # fmt: skip


def main() -> None:
    options = parse_options()
    data = pathlib.Path(os.environ["LPOT_TEST_DATA"]).resolve()
    # Both classes read the same data.
    networks = Networks(data, pathlib.Path(options.build).resolve() / "regret/data")
    results = PublishedResults(RESULTS)
    if options.table:
        options.keep = options.keep_oracle = True
        classes = list(FOLDERS)
    else:
        classes = [cpu_class()]
    benchmarks = [Benchmark(options, of_class, data) for of_class in classes]
    for benchmark in benchmarks:
        measure(benchmark, networks, results)
    tables = {c: Table(results.of_class(c)) for c in FOLDERS}
    sections = [table.section(c) for c, table in tables.items() if table.entries]
    print("".join(sections))
    if options.write:
        results.write()
        PAGE.write_text(introduction(benchmarks[0]) + "".join(sections))


if __name__ == "__main__":
    main()
