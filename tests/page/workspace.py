"""Workspaces with made-up studies, written as lpot's store lays them out (lpot/store/sqlite_store.cpp)."""

import json
import pathlib
import random
import sqlite3

HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">\u2028&amp;"\''

SCHEMA = """
CREATE TABLE studies (id INTEGER PRIMARY KEY AUTOINCREMENT, model_name TEXT NOT NULL, model_fingerprint TEXT NOT NULL,
  data TEXT NOT NULL, settings TEXT NOT NULL, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE trials (study INTEGER NOT NULL REFERENCES studies(id), number INTEGER NOT NULL, plan TEXT NOT NULL,
  result TEXT, error TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (study, number));
CREATE TABLE measurements (study INTEGER NOT NULL REFERENCES studies(id), key TEXT NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY (study, key));
PRAGMA user_version=1;
"""


def measured(accuracy: float, latency: float, speedup: float, size: int) -> dict:
    return {
        "accuracy": accuracy,
        "metrics": [
            {"name": "topk 1", "value": accuracy},
            {"name": "MSE", "value": 1 - accuracy},
        ],
        "latency_ms": latency,
        "speedup": speedup,
        "size_bytes": size,
        "footprint_bytes": size,
        "samples": 1000,
        "complete": True,
    }


def op_plan(int8: bool, algorithm: str) -> dict:
    if not int8:
        return {"precision": "fp32"}
    scheme = {
        "algorithm": algorithm,
        "granularity": "per_tensor",
        "scheme": "asym",
        "bits": 8,
    }
    return {
        "precision": "int8",
        "activation": scheme,
        "weight": {
            **scheme,
            "granularity": "per_channel",
            "scheme": "sym",
            "algorithm": "minmax",
        },
    }


def probe(number: int, plan: dict, loss: float | None, level: int = 1) -> dict:
    """One probe of the ranking, as `auto` stores it. Without a loss it only has a distance."""
    stored = {
        "plan": json.dumps(plan),
        "distance": 0.25 if loss is None else None,
        "seconds": 0.4,
        "before_trial": 2,
        "level": level,
        "samples": 106 * level if loss is not None else 0,
    }
    if loss is not None:
        stored["loss"] = [loss, 0.004 / level]
        stored["used_samples"] = stored["samples"]
    return {f"probe {number}": stored}


def make_workspace(folder: pathlib.Path, trials: int, ops: int) -> None:
    draw = random.Random(7)
    names = [f"/layer{i // 8}/block{i % 8}/conv{i}/Conv" for i in range(ops)]
    names[1] = HOSTILE
    folder.mkdir(parents=True)
    store = sqlite3.connect(folder / "lpot.db")
    store.executescript(SCHEMA)
    store.execute(
        "INSERT INTO studies (model_name, model_fingerprint, data, settings) VALUES (?, ?, ?, ?)",
        (
            f"network {HOSTILE}",
            "00ff00ff00ff00ff",
            "made up",
            json.dumps({"tuning.strategy": "name=tpe"}),
        ),
    )

    def put(key: str, value: object) -> None:
        store.execute(
            "INSERT INTO measurements VALUES (1, ?, ?)",
            (key, json.dumps(value).encode()),
        )

    goal = {
        "baseline": 0.92,
        "tolerance": 0.01,
        "relative": True,
        "higher_is_better": True,
        "performance_only": False,
    }
    about = {
        "model": f"models/{HOSTILE}.onnx",
        "format": "onnx",
        "metric": "topk 1",
        "objective": 0,
        "goal": goal,
        "command": "lpot tune conf.yaml --model network.onnx",
        "started": "2026-01-01 12:00:00 UTC",
        "machine": {"cpu": "a CPU", "class": "avx2", "cores": 2},
        "versions": {"lpot": "0.1.0", "openvino": "2026.4.1"},
    }
    put("about", about)
    put("baseline", measured(0.92, 9.4, 1.0, 44_000_000))
    put("seconds_before_trials", 8.5)
    put(
        "ops",
        [
            {
                "name": name,
                "type": "Convolution",
                **({"kept": "The configuration keeps it in fp32."} if i == 0 else {}),
            }
            for i, name in enumerate(names)
        ],
    )
    times = {name: draw.lognormvariate(-3.5, 0.9) for name in names}
    put(
        "forms",
        {
            name: {
                "fp32_ms": ms,
                "plain_ms": ms * draw.uniform(0.3, 0.8),
                **({"slower_in_int8": True} if i == 2 else {}),
            }
            for i, (name, ms) in enumerate(times.items())
        },
    )
    noise = [10 ** draw.uniform(-4.5, -2.2) for _ in names]
    diagnosis = []
    for i, name in enumerate(names):
        found = []
        if noise[i] > 0.004:
            found.append(
                {
                    "kind": "noise",
                    "text": "only 20 dB",
                    "yaml": f"quantization: {{op_wise: {{{json.dumps(name)}: {{}}}}}}",
                }
            )
        diagnosis.append(
            {"op": name, "noise": noise[i], "decibels": 20.0, "findings": found}
        )
    put("diagnosis", diagnosis)
    tensors = []
    for k in range(6):
        counts = [
            int(20000 * draw.random() * 2.718 ** (-((i - 30) ** 2) / (40 + 60 * k)))
            for i in range(96)
        ]
        tensors.append(
            {
                "tensor": names[k],
                "op": names[k + 1],
                "algorithm": "kl",
                "range": [-2.0, 3.5 - 0.3 * k],
                "histogram": {"low": -2.2, "high": 4.4, "counts": counts},
            }
        )
    put("tensors", tensors)
    for number in range(1, trials + 1):
        fallen = {0, 2} | {
            draw.randrange(ops) for _ in range(draw.randrange(0, max(2, ops // 3)))
        }
        algorithm = draw.choice(["minmax", "kl", "mse"])
        plan = {
            "recipes": {"smooth_quant": True},
            "ops": {
                name: op_plan(i not in fallen, algorithm)
                for i, name in enumerate(names)
            },
        }
        if number == 1:
            ranked = [(plan, 0.014, 1), (plan, 0.012, 2)]
            for k, other in enumerate(["percentile", "mse", "kl"]):
                recipes = {"smooth_quant": True, "bias_correction": k > 0}
                ops_of = {name: op_plan(True, other) for name in names}
                ranked.append(({"recipes": recipes, "ops": ops_of}, 0.02 + 0.01 * k, 1))
            unquantized = {"ops": {name: op_plan(False, "") for name in names}}
            ranked.append((unquantized, None, 1))
            for k, entry in enumerate(ranked):
                for key, value in probe(k + 1, *entry).items():
                    put(key, value)
        share = len(fallen) / ops
        speedup = 2.6 - 2.4 * share + draw.uniform(-0.1, 0.1)
        loss = abs(draw.gauss(0.0, 0.012)) + 0.02 * (1 - 2 * share)
        accuracy = 0.92 - loss if draw.random() > 0.06 else draw.uniform(0.1, 0.6)
        failed = number % 50 == 25
        result = (
            None
            if failed
            else json.dumps(
                measured(accuracy, 9.4 / speedup, speedup, int(11e6 + 33e6 * share))
            )
        )
        store.execute(
            "INSERT INTO trials VALUES (1, ?, ?, ?, ?, ?)",
            (
                number,
                json.dumps(plan),
                result,
                f"[compile] {HOSTILE}" if failed else "",
                draw.uniform(2, 5),
            ),
        )
    put(
        f"end {trials}",
        {
            "reason": "max_trials is reached",
            "model": "best/model.xml",
            "model_bytes": 11_600_000,
        },
    )
    store.commit()
    store.close()
