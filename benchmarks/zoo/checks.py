"""The checks of the page: which models are slower than NNCF or fp32, or less exact than NNCF."""

import math
import pathlib
import re
import statistics

from models import Model

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED_ERROR = 1.1  # times the error of NNCF
WANTED_MEAN = 1.15  # times the speed of NNCF


def short(text: str, length: int = 160) -> str:
    text = " ".join(text.split()).replace("|", "\\|").replace(str(ROOT), "")
    text = re.sub(r"\S*/build\S*/zoo/(packages|exports)/", "", text)
    return text if len(text) <= length else text[: length - 3] + "..."


def number(value: float | None, form: str = ".2g") -> str:
    return "" if value is None else format(value, form)


class Row:
    """What the page shows of one model in one precision."""

    def __init__(self, model: Model, result: dict, precision: str) -> None:
        self.model, self.result, self.precision = model, result, precision
        self.speed = result["speed"].get(precision, {})
        evaluated = result["evaluated"]
        self.lpot = evaluated.get(f"lpot-{precision}", {})
        self.nncf = evaluated.get(f"nncf-{precision}", {})
        self.fp32 = evaluated.get("fp32" if precision == "f32" else "fp32-default", {})
        self.tool = result["tools"][f"lpot-{precision}"]

    def ratio(self, other: str, batch: int) -> dict | None:
        """Speed of lpot's model against another one."""
        found = self.speed.get(str(batch), {})
        return found.get(other) if found.get("first") == "lpot" else None

    def speedup(self, name: str, batch: int) -> float | None:
        """Speed of lpot's or NNCF's model against fp32 in the same precision."""
        found = self.speed.get(str(batch), {})
        if name not in found or "fp32" not in found:
            return None
        return found["fp32"]["ratio"] / found[name]["ratio"]

    def is_slower(self, other: str, batch: int) -> bool | None:
        ratio = self.ratio(other, batch)
        return ratio["high"] < 1 if ratio else None

    def is_less_exact(self) -> bool | None:
        if "error" not in self.lpot or "error" not in self.nncf:
            return None
        return self.lpot["error"] > ALLOWED_ERROR * self.nncf["error"]

    def findings(self) -> list[str]:
        found = []
        for other, name in (("nncf", "NNCF"), ("fp32", "fp32")):
            batches = [str(b) for b in (1, 8) if self.is_slower(other, b)]
            if batches:
                found.append(f"slower than {name} (batch {', '.join(batches)})")
        if self.is_less_exact():
            found.append("larger error than NNCF")
        if self.tool.get("int8_ops") == 0:
            found.append(f"lpot kept {self.tool['precision']}")
        elif self.precision != "f32" and self.tool.get("precision") == "f32":
            found.append("lpot chose f32")
        found += [
            f"{name} not run: {short(part['failed'])}"
            for name, part in (("lpot", self.lpot), ("NNCF", self.nncf))
            if "failed" in part
        ]
        return found


def geometric_mean(values: list[float]) -> float | None:
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def failing(rows: list[Row], verdicts: list[bool | None]) -> str:
    """How many models fail, of how many that have a verdict, and which."""
    count = sum(verdict is not None for verdict in verdicts)
    names = [r.model.name for r, verdict in zip(rows, verdicts, strict=True) if verdict]
    return f"{len(names)} of {count}" + (f": {', '.join(names)}" if names else "")


def mean_ratio(rows: list[Row], other: str, batch: int) -> str:
    ratios = [ratio["ratio"] for r in rows if (ratio := r.ratio(other, batch))]
    return number(geometric_mean(ratios), ".3f")


def check_rows(by_precision: dict[str, list[Row]]) -> list[list[str]]:
    """One row per check, one column per precision."""
    every = by_precision.values()
    speeds, means = [], []
    for other, name in (("nncf", "NNCF"), ("fp32", "fp32")):
        for batch in (1, 8):
            slower = [failing(rows, [r.is_slower(other, batch) for r in rows]) for rows in every]  # fmt: skip
            speeds.append([f"models slower than {name} beyond the spread, batch {batch}", *slower])  # fmt: skip
            goal = f" (goal: at least {WANTED_MEAN})" if other == "nncf" else ""
            ratios = [mean_ratio(rows, other, batch) for rows in every]
            means.append([f"geometric mean of speed / {name}, batch {batch}{goal}", *ratios])  # fmt: skip
    errors = [failing(rows, [r.is_less_exact() for r in rows]) for rows in every]
    title = "models with an error more than a tenth larger than NNCF's"
    return [*speeds, [title, *errors], *means]
