"""Search strategies in Python. A strategy returns the next plan to try; the C++ library runs the tuning loop.

@strategy_registry("first_and_last")
class FirstAndLast(Strategy):
    def next(self, space, trials, goal):
        if not trials:
            return space.plan()                                         # int8 wherever possible
        if len(trials) == 1:
            return space.plan(fallback=[space.ops[0], space.ops[-1]])   # first and last op in fp32
        return None                                                     # nothing left to try
"""

from typing import Any

from .registry import STRATEGIES, registrar

__all__ = ["STRATEGIES", "Strategy", "strategy_registry"]

strategy_registry = registrar(STRATEGIES)


class Strategy:
    """Base class of strategies. next() must be deterministic, so that a study can be resumed."""

    def next(self, space: Any, trials: Any, goal: Any) -> Any:
        """Returns a new plan, created with space.plan(), or None to end the search."""
        raise NotImplementedError
