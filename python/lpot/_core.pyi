"""Type stubs of the C++ extension. It is internal: programs use the other modules of this package."""

import os
from collections.abc import Callable
from typing import Any

import numpy

__version__: str
_Component = tuple[str, dict[str, Any]]  # name and parameters

class Config:
    name: str
    framework: str
    inputs: list[str]
    outputs: list[str]
    warnings: list[str]
    sampling_size: int
    is_dynamic: bool
    command: str
    calibration_loader: tuple[_Component | None, list[_Component], int] | None
    evaluation_loader: tuple[_Component | None, list[_Component], int] | None
    strategy: _Component
    metrics: list[_Component]
    def without_metrics(self, names: list[str]) -> Config: ...
    def without_rescaling(self) -> Config: ...
    def with_sampling_size(self, size: int) -> Config: ...

class Registered:
    def __init__(self, name: str, parameters: list[tuple[str, str, str]]) -> None: ...

def load_config(
    texts: list[tuple[str, str | None]],  # name, YAML; None: the name is a file
    registry: dict[str, list[Registered]] = ...,
) -> Config: ...

class Dataset:
    input_names: list[str]
    def __len__(self) -> int: ...
    def __getitem__(
        self, index: int
    ) -> tuple[list[numpy.ndarray], numpy.ndarray | None]: ...
    def identity(self) -> str: ...

class CollectedData(Dataset):
    has_uniform_shapes: bool
    def __init__(self, names: list[str]) -> None: ...
    def add(
        self, inputs: list[numpy.ndarray], labels: numpy.ndarray | None, count: int
    ) -> None: ...

def dataset(text: str) -> Dataset: ...
def record_dataset(file: str) -> Dataset: ...

class Metric:
    higher_is_better: bool
    def update(
        self, outputs: list[numpy.ndarray], labels: list[numpy.ndarray]
    ) -> None: ...
    def result(self) -> float: ...
    def fresh(self) -> Metric: ...

class Transform:
    def apply(
        self, inputs: list[numpy.ndarray], label: numpy.ndarray | None, seed: int = 0
    ) -> tuple[list[numpy.ndarray], numpy.ndarray | None]: ...

def metric(text: str) -> Metric: ...
def transform(text: str) -> Transform: ...
def component_names(kind: str) -> list[str]: ...
def parameter_names(kind: str, name: str) -> list[str] | None: ...

class Plan:
    fallback: list[str]
    int8_count: int
    def to_json(self) -> str: ...

class SearchSpace:
    ops: list[str]
    choices: int
    def plan(self, choice: int = 0, fallback: list[str] = ...) -> Plan: ...

class Goal:
    baseline: float
    threshold: float
    def met(self, accuracy: float) -> bool: ...

class Trial:
    number: int
    plan: Plan
    error: str
    seconds: float
    accuracy: float | None
    latency_ms: float | None
    fp32_latency_ms: float | None  # in the same run
    speedup: float | None
    speedup_spread: tuple[float, float] | None

class Candidate:
    is_fp32: bool
    def edits(self) -> dict[str, list[dict[str, Any]]]: ...
    def source_weights(self, op: str) -> numpy.ndarray: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def save_onnx(self, path: str | os.PathLike[str]) -> None: ...

class Job:
    output: str | os.PathLike[str]
    resume: bool
    compares_with_fp32: bool
    calibration: Dataset | None
    evaluation: Dataset | None
    calibration_batch: int
    evaluation_batch: int
    metrics: list[tuple[str, Callable[[], Any]]]
    postprocess: list[Callable[..., Any]]
    evaluate: Callable[[Candidate], float] | None
    strategy: Any
    on_saved: Callable[[Candidate, Plan, os.PathLike[str]], None] | None
    on_log: Callable[[int, str], None] | None
    on_progress: Callable[[str, int, int], None] | None  # stage, done, total
    on_baseline: Callable[[Goal], None] | None
    on_trial: Callable[[Trial, bool], None] | None
    name: str
    def __init__(self, config: Config, model: str | os.PathLike[str]) -> None: ...
    def stop(self) -> None: ...

def tune(job: Job) -> dict[str, Any]: ...
def quantize(job: Job) -> dict[str, Any]: ...
def evaluate(job: Job) -> list[tuple[str, float]]: ...
def first_inputs(config: Config) -> list[numpy.ndarray]: ...
def batches(job: Job, count: int) -> list[list[numpy.ndarray]]: ...

class Program:
    inputs: list[str]
    outputs: list[str]
    def __init__(self, path: str | os.PathLike[str], threads: int = 0) -> None: ...
    def is_compiled(self, inputs: list[numpy.ndarray]) -> bool: ...
    def compile(self, inputs: list[numpy.ndarray]) -> None: ...
    def infer(self, inputs: list[numpy.ndarray]) -> list[numpy.ndarray]: ...

class SquadWindows:
    first_id: int
    max_seq_length: int
    def __init__(
        self,
        label_file: str,
        vocab_file: str,
        do_lower_case: bool = True,
        max_seq_length: int = 384,
        doc_stride: int = 128,
        max_query_length: int = 64,
    ) -> None: ...
    def __len__(self) -> int: ...
    def question_id(self, window: int) -> str: ...
    def feature(self, window: int) -> dict[str, Any]: ...
    def questions(self) -> list[tuple[str, str, str, list[str]]]: ...
    def answer(
        self,
        window: int,
        start: Any,
        end: Any,
        n_best_size: int = 20,
        max_answer_length: int = 30,
    ) -> tuple[str, float]: ...

class RecordWriter:
    def __init__(self, path: str | os.PathLike[str]) -> None: ...
    def add(self, features: dict[str, Any]) -> None: ...
    def finish(self) -> None: ...

class SquadScore:
    def __init__(self) -> None: ...
    def count(self, given: str, expected: list[str]) -> None: ...
    def count_unanswered(self) -> None: ...
    def f1(self) -> float: ...
    def exact_match(self) -> float: ...
