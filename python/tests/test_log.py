"""The messages of the logger `lpot`."""

import logging
from types import SimpleNamespace

from lpot import log


def test_logs_both_latencies_of_a_trial_with_the_speedup(caplog):
    caplog.set_level(logging.INFO, "lpot")
    trial = SimpleNamespace(
        number=3,
        error="",
        accuracy=0.91,
        fp32_latency_ms=0.21,
        latency_ms=0.105,
        speedup=2.0,
        speedup_spread=(1.9, 2.1),
        plan=SimpleNamespace(fallback=["conv"]),
    )
    log.report_trial(trial, is_best=True)
    assert caplog.messages == [
        "trial 3: accuracy 0.9100, fp32 0.210 ms, int8 0.105 ms, 2.00 x (1.90-2.10), 1 ops not in int8, the best so far"
    ]
