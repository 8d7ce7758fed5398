"""Strategies in Python: they name the plan to try next; the loop around is the library's.

@strategy_registry("first_and_last")
class FirstAndLast(Strategy):
    def next(self, space, trials, goal):
        if not trials:
            return space.plan()                                         # all that can be in int8
        if len(trials) == 1:
            return space.plan(fallback=[space.ops[0], space.ops[-1]])   # these in fp32
        return None                                                     # nothing left to try
"""

from .registry import STRATEGIES, registrar

__all__ = ["STRATEGIES", "Strategy", "strategy_registry"]

strategy_registry = registrar(STRATEGIES)


class Strategy:
    """To derive from. The same space and trials must give the same answer, so that a study can be resumed."""

    def next(self, space, trials, goal):
        """A plan that space.plan() made and no trial has had, or None."""
        raise NotImplementedError
