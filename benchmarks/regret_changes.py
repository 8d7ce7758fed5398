"""Changes of accuracy between two models on the same samples, with 95% intervals. Used by regret_measure.py."""

import math
import random
import statistics


def paired_change(fp32: list, returned: list) -> dict:
    if isinstance(fp32[0], list):
        return correlation_change(fp32, returned)
    count = len(fp32)
    differences = [b - a for a, b in zip(fp32, returned, strict=True)]
    mean = statistics.fmean(differences)
    if set(fp32) | set(returned) <= {0.0, 1.0}:
        # Wald's interval with half a sample more in each cell of the 2 x 2 table (Agresti and Min, 2005): it does not
        # collapse if no sample changes.
        gains, losses = differences.count(1) + 0.5, differences.count(-1) + 0.5
        total = count + 2
        centre = (gains - losses) / total
        spread = (
            1.96
            * math.sqrt(gains + losses - (gains - losses) ** 2 / total)
            / total
        )  # fmt: skip
        return interval(fp32, mean, centre - spread, centre + spread)
    error = statistics.stdev(differences) / math.sqrt(count)
    return interval(fp32, mean, mean - 1.96 * error, mean + 1.96 * error)


def interval(fp32: list[float], mean: float, low: float, high: float) -> dict:
    return {"fp32": statistics.fmean(fp32), "mean": mean, "low": low, "high": high}


def correlation_change(fp32: list, returned: list) -> dict:
    """A correlation is not a mean over samples: the interval is a bootstrap over pairs of sentences."""

    def pearson(pairs: list) -> float:
        return statistics.correlation([p[0] for p in pairs], [p[1] for p in pairs])

    draws = random.Random(7)
    changes = []
    for _ in range(1000):
        chosen = draws.choices(range(len(fp32)), k=len(fp32))
        changes.append(
            pearson([returned[i] for i in chosen]) - pearson([fp32[i] for i in chosen])
        )
    changes.sort()
    before = pearson(fp32)
    return {
        "fp32": before,
        "mean": pearson(returned) - before,
        "low": changes[25],
        "high": changes[974],
    }
