"""The faults there are, and how each is drawn: what strikes, and at which call, moment or byte."""

import random
from dataclasses import dataclass, field


@dataclass
class Reference:
    """The undisturbed study."""

    trials: list
    pairs: set  # of every best model that it saves on the way
    onnx: set
    best: tuple
    counts: dict  # of calls
    seconds: float
    peak_kb: int  # address space
    start_kb: int  # of a program that does nothing


@dataclass
class Plan:
    """One disturbed start."""

    environment: dict = field(default_factory=dict)
    kill_after: float | None = None
    limit_kb: int | None = None  # address space from the start
    squeeze_after: float | None = (
        None  # from then on no more address space than there is
    )
    cut: str | None = None  # a file of the workspace, afterwards
    cut_at: float = 0  # as a share of its size


def at_call(kind: str, what: str, lasts: bool = False):
    def plan(draw: random.Random, reference: Reference) -> Plan:
        total = (
            sum(reference.counts.values()) if kind == "any" else reference.counts[kind]
        )
        environment = {
            "FAULT_CALL": kind,
            "FAULT_DO": what,
            "FAULT_AT": str(draw.randint(1, total)),
        }
        if lasts:
            environment["FAULT_LASTS"] = "1"
        if kind == "write" and draw.random() < 0.3:
            environment["FAULT_SHARE"] = str(draw.randint(1, 99))
        return Plan(environment)

    return plan


def kill_later(draw: random.Random, reference: Reference) -> Plan:
    return Plan(kill_after=draw.uniform(0, reference.seconds))


def cut_store(draw: random.Random, reference: Reference) -> Plan:
    plan = at_call("any", draw.choice(["KILL", "CUT", "AFTER"]))(draw, reference)
    plan.cut = draw.choice(["lpot.db", "lpot.db-wal"])
    plan.cut_at = draw.random()
    return plan


def cut_ended_store(draw: random.Random, reference: Reference) -> Plan:
    return Plan(cut="lpot.db", cut_at=draw.random())


def little_memory(draw: random.Random, reference: Reference) -> Plan:
    return Plan(limit_kb=draw.randint(reference.start_kb, reference.peak_kb))


def squeeze_memory(draw: random.Random, reference: Reference) -> Plan:
    return Plan(squeeze_after=draw.uniform(0, reference.seconds))


KINDS = {
    "kill at a call": at_call("any", "KILL"),
    "kill in a write": at_call("write", "CUT"),
    "kill after a call": at_call("any", "AFTER"),
    "kill later": kill_later,
    "disk full": at_call("write", "ENOSPC", lasts=True),
    "disk full for a moment": at_call("write", "ENOSPC"),
    "quota exceeded": at_call("write", "EDQUOT", lasts=True),
    "write fails": at_call("write", "EIO"),
    "sync fails": at_call("sync", "EIO"),
    "syncs fail": at_call("sync", "EIO", lasts=True),
    "rename fails": at_call("rename", "EIO"),
    "remove fails": at_call("remove", "EIO"),
    "truncate fails": at_call("truncate", "EIO"),
    "create fails": at_call("create", "ENOSPC"),
    "read-only from then on": at_call("any", "EROFS", lasts=True),
    "cut store": cut_store,
    "cut store of an ended study": cut_ended_store,
    "little memory": little_memory,
    "memory taken away": squeeze_memory,
}
