"""The result of tune()."""

import html
import os
import pathlib
import webbrowser
from typing import Any

from .errors import StoreError
from .saved import Quantized


class TuneResult:
    """The best int8 model of a tuning run, with its measurements.

    The result is shown as a table in notebooks. `model` is called in the same way as the original model.

    Example:

        result = lpot.tune(module, batches)
        print(result)                            # fp32 and int8 in one table
        result.accuracy, result.speedup          # of the int8 model
        pandas.DataFrame(result.trials)          # one row per trial
        result.save("int8")                      # lpot.load("int8") reads it
    """

    def __init__(self, model: Quantized):
        self._model = model
        self._result = model.result

    @property
    def model(self) -> Any:
        """The int8 model. A torch module, a Keras model or a graph of another framework is called like the original."""
        return self._model

    @property
    def accuracy(self) -> float:
        """The accuracy of the int8 model: the value of the metric."""
        return float(self._result["best"]["accuracy"])

    @property
    def baseline(self) -> float:
        """The accuracy of the fp32 model."""
        return float(self._result["baseline"]["accuracy"])

    @property
    def speedup(self) -> float:
        """The latency of fp32 divided by the latency of int8, both with batch 1 and measured in the same run."""
        return float(self._result["best"]["speedup"])

    @property
    def speedup_interval(self) -> tuple[float, float]:
        """The 95% confidence interval of the speed-up."""
        best = self._result["best"]
        return float(best["speedup_low"]), float(best["speedup_high"])

    @property
    def goal(self) -> str:
        """The accuracy goal as text, such as "at least 0.9112 (0.9204 less 1% relative)"."""
        return str(self._result["goal"])

    @property
    def goal_met(self) -> bool:
        """Whether the int8 model meets the accuracy goal. If not, it is the most accurate one that was found."""
        return bool(self._result["goal_met"])

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return next(iter(self._result["best"]["metrics"]), "accuracy")

    @property
    def seconds(self) -> float:
        """The duration of the run."""
        return float(self._result["seconds"])

    @property
    def stopped_because(self) -> str:
        """Why the run ended, such as "the goal is met"."""
        return str(self._result["stopped_because"])

    @property
    def workspace(self) -> pathlib.Path:
        """The folder with the report and the history of the run."""
        return pathlib.Path(self._result["workspace"])

    @property
    def trials(self) -> list[dict[str, Any]]:
        """All trials as flat dicts, for pandas.DataFrame(result.trials).

        The keys are trial, accuracy, meets_goal, latency_ms, fp32_latency_ms, speedup, speedup_low, speedup_high,
        ops_not_int8, ranges, recipes, samples, complete, seconds, is_best and error. The measurements of a failed trial
        are None. `complete` is False if the evaluation stopped early; the accuracy is then an estimate.
        """
        best = self._result["best"]["trial"]
        pairs = zip(self._result["history"], self._result["trials"])
        return [_trial_row(point, trial, best) for point, trial in pairs]

    def compare(self) -> dict[str, dict[str, float]]:
        """Returns accuracy, latency and size of both models: {"fp32": {...}, "int8": {...}}."""
        return {
            "fp32": _numbers(self._result["baseline"]),
            "int8": _numbers(self._result["best"]),
        }

    def report(self, open_browser: bool = False) -> pathlib.Path:
        """Returns the path of report.html, a page with all trials and ops. Opens it in the browser if asked to."""
        path = (self.workspace / "report.html").absolute()
        if not path.exists():
            raise StoreError(
                f"[report] {path}: file not found; expected the report in the workspace. Run tune() again."
            )
        if open_browser:
            webbrowser.open(path.as_uri())
        return path

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the int8 model to the folder `path`. lpot.load(path) reads it."""
        self._model.save(path)

    def __repr__(self) -> str:
        rows = [["", "fp32", "int8", ""], *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]
        lines += ["", *self._notes()]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        rows = [
            "".join(f"<td>{html.escape(cell)}</td>" for cell in row)
            for row in self._rows()
        ]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        notes = "<br>".join(html.escape(note) for note in self._notes())
        head = "<tr><th></th><th>fp32</th><th>int8</th><th></th></tr>"
        return (
            f"<table><thead>{head}</thead><tbody>{body}</tbody></table><p>{notes}</p>"
        )

    def summary(self) -> str:
        """Returns the result in one line."""
        return (
            f"{self.metric} {self.baseline:.4f} -> {self.accuracy:.4f}, {_ratio(self.speedup)}; "
            f"goal {'met' if self.goal_met else 'NOT met'}; {_count(len(self.trials))} in {self.seconds:.1f} s"
        )

    def _rows(self) -> list[list[str]]:
        fp32, int8 = self.compare().values()
        low, high = self.speedup_interval
        interval = f" ({low:.2f}-{high:.2f})" if high > 0 else ""
        smaller = fp32["size_bytes"] / int8["size_bytes"] if int8["size_bytes"] else 0
        return [
            [
                self.metric,
                f"{self.baseline:.4f}",
                f"{self.accuracy:.4f}",
                f"{self.accuracy - self.baseline:+.4f}",
            ],
            [
                "latency, batch 1",
                f"{fp32['latency_ms']:.3f} ms",
                f"{int8['latency_ms']:.3f} ms",
                _ratio(self.speedup) + interval,
            ],
            [
                "size",
                _size(fp32["size_bytes"]),
                _size(int8["size_bytes"]),
                f"{smaller:.2f} x smaller",
            ],
        ]

    def _notes(self) -> list[str]:
        return [
            f"goal: {self.goal}: {'met' if self.goal_met else 'NOT met'}",
            f"best: trial {self._result['best']['trial']}: {self._result['best']['ranges']}",
            f"{_count(len(self.trials))} in {self.seconds:.1f} s; stopped because {self.stopped_because}",
            f"report: {self.workspace / 'report.html'}",
        ]


def _trial_row(point: dict[str, Any], trial: Any, best: int) -> dict[str, Any]:
    measured = (
        "accuracy",
        "meets_goal",
        "latency_ms",
        "speedup",
        "speedup_low",
        "speedup_high",
        "samples",
        "complete",
    )
    return {
        "trial": point["trial"],
        **{key: point.get(key) for key in measured},
        "fp32_latency_ms": trial.fp32_latency_ms,
        "ops_not_int8": point["fp32_ops"],
        "ranges": point["ranges"],
        "recipes": ", ".join(point["recipes"]),
        "seconds": trial.seconds,
        "is_best": point["trial"] == best,
        "error": trial.error,
    }


def _numbers(measured: dict[str, Any]) -> dict[str, float]:
    return {key: measured[key] for key in ("accuracy", "latency_ms", "size_bytes")}


def _ratio(speedup: float) -> str:
    if speedup >= 1 or speedup <= 0:
        return f"{speedup:.2f} x faster"
    return f"{1 / speedup:.2f} x slower"


def _size(size_bytes: float) -> str:
    return (
        f"{size_bytes / 1e6:.2f} MB"
        if size_bytes >= 1e6
        else f"{size_bytes / 1e3:.0f} kB"
    )


def _count(trials: int) -> str:
    return f"{trials} trial" if trials == 1 else f"{trials} trials"
