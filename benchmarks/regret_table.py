"""The tables of regret.py and benchmarks/regret_results.json, which keeps their rows.

The search for the reference models takes hours, so not everything is measured on one machine. `regret.py --table
--write` adds the measured rows to the file and writes the page from the whole file. A row that was measured again
replaces the older one.

    results = PublishedResults(path)
    results.add("AVX2", "resnet20", "0.01", entry)
    table = Table(results.of_class("AVX2"))
    print(table.text())
"""

import dataclasses
import json
import pathlib
import statistics
import textwrap

from regret_networks import NETWORKS
from stored_results import read_json

HEAD = (
    "network", "goal", "fp32", "needed", "strategy", "accuracy", "change on the other half", "int8 ops", "speed-up",
    "regret", "evaluations", "time",
)  # fmt: skip
SUMMARY_HEAD = (
    "strategy", "cells", "goal missed", "no result", "median regret", "worst regret", "median evaluations",
    "median time",
)  # fmt: skip
TITLES = {
    "own": "All instruction sets of the CPU",
    "AVX2": "Limited to AVX2 (`benchmarks/as_avx2.py`)",
}


@dataclasses.dataclass
class Row:
    """A strategy on a network with a goal; the reference has no numbers."""

    cells: list[str]  # the columns of HEAD from "accuracy" on
    has_result: bool = True
    goal_met: bool = True
    regret: float | None = None
    evaluations: float | None = None
    seconds: float | None = None
    contention: float | None = (
        None  # share of the CPU that other programs used while the models were timed
    )


@dataclasses.dataclass
class Entry:
    """A network with a goal."""

    network: str  # title
    fp32: str
    needed: str
    plans: int  # of the reference search
    rows: dict[str, Row]  # by strategy, "oracle" is the first


def as_entry(value: dict) -> Entry:
    rows = {strategy: Row(**row) for strategy, row in value["rows"].items()}
    return Entry(**{**value, "rows": rows})


class PublishedResults:
    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.classes: dict[str, dict[str, dict[str, Entry]]] = {}
        for of_class, networks in (read_json(path) or {}).items():
            for name, goals in networks.items():
                for goal, entry in goals.items():
                    self.add(of_class, name, goal, as_entry(entry))

    def add(self, of_class: str, network: str, goal: str, entry: Entry) -> None:
        """Rows of other strategies stay, unless they were compared with another reference search."""
        goals = self.classes.setdefault(of_class, {}).setdefault(network, {})
        known = goals.get(goal)
        if known and known.plans == entry.plans and known.fp32 == entry.fp32:
            entry = dataclasses.replace(entry, rows={**known.rows, **entry.rows})
        goals[goal] = entry

    def of_class(self, of_class: str) -> list[tuple[str, Entry]]:
        """(goal, entry) in the order of the networks and goals."""
        networks = self.classes.get(of_class, {})
        return [
            (goal, networks[name][goal])
            for name in NETWORKS
            for goal in sorted(networks.get(name, {}), key=float)
        ]

    def write(self) -> None:
        """One line per row, so that a change of a row is a change of a line."""
        text = "{"
        for of_class, networks in self.classes.items():
            text += f"\n{json.dumps(of_class)}: {{"
            for name, goals in networks.items():
                text += f"\n {json.dumps(name)}: {{"
                lines = []
                for goal in sorted(goals, key=float):
                    value = dataclasses.asdict(goals[goal])
                    rows = value.pop("rows")
                    head = json.dumps(value)[:-1]
                    of_rows = ",\n".join(
                        f"   {json.dumps(strategy)}: {json.dumps(row)}"
                        for strategy, row in rows.items()
                    )
                    lines.append(f'\n  "{goal}": {head}, "rows": {{\n{of_rows}}}}}')
                text += ",".join(lines) + "},"
            text = text.rstrip(",") + "},"
        text = text.rstrip(",") + "}\n"
        json.loads(text)
        self.path.write_text(text)


def row_text(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


def wrapped(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


class Table:
    def __init__(self, entries: list[tuple[str, Entry]]) -> None:
        self.entries = entries

    def lines(self) -> list[str]:
        result = []
        for goal, entry in self.entries:
            head = [entry.network, f"{100 * float(goal):g}%", entry.fp32, entry.needed]
            for strategy, row in entry.rows.items():
                result.append(row_text([*head, strategy, *row.cells]))
                head = [""] * 4
        return result

    def strategies(self) -> dict[str, list[Row]]:
        result: dict[str, list[Row]] = {}
        for _, entry in self.entries:
            for strategy, row in entry.rows.items():
                if strategy != "oracle":
                    result.setdefault(strategy, []).append(row)
        return result

    def contention(self) -> str:
        compared = [
            row.contention
            for rows in self.strategies().values()
            for row in rows
            if row.regret is not None
        ]
        known = [share for share in compared if share is not None]
        if not known:
            return "The load of the machine was not recorded."
        return (
            f"While models were timed, other programs used {100 * statistics.median(known):.0f}% of the CPU "
            f"(the median of the {len(known)} of {len(compared)} cells for which it was recorded)."
        )

    def summary(self) -> list[str]:
        lines = [row_text(SUMMARY_HEAD), "|" + "---|" * len(SUMMARY_HEAD)]
        strategies = self.strategies()
        lines += [summary_line(name, rows) for name, rows in strategies.items()]
        if len({len(rows) for rows in strategies.values()}) > 1:
            lines += ["", "The strategies have different numbers of cells, so these rows are not comparable."]  # fmt: skip
        return lines

    def text(self) -> str:
        lines = [row_text(HEAD), "|" + "---|" * len(HEAD), *self.lines()]
        return "\n".join([*lines, "", *self.summary()]) + "\n"

    def section(self, of_class: str) -> str:
        plans = {entry.network: entry.plans for _, entry in self.entries}
        counts = "; ".join(f"{title}: {count}" for title, count in plans.items())
        text = f"Plans of the reference search: {counts}. {self.contention()}"
        return f"\n## {TITLES[of_class]}\n\n{wrapped(text)}\n\n{self.text()}"


def summary_line(strategy: str, rows: list[Row]) -> str:
    done = [row for row in rows if row.has_result]
    met = [row.regret for row in done if row.goal_met and row.regret is not None]
    evaluations = [row.evaluations for row in done if row.evaluations is not None]
    seconds = [row.seconds for row in done if row.seconds is not None]
    return row_text(
        [
            strategy,
            str(len(rows)),
            str(len(done) - len(met)),
            str(len(rows) - len(done)),
            f"{statistics.median(met):.2f}" if met else "",
            f"{max(met):.2f}" if met else "",
            f"{statistics.median(evaluations):.1f}" if evaluations else "",
            f"{statistics.median(seconds):.0f} s" if seconds else "",
        ]
    )
