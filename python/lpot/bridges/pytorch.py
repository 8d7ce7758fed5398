"""PyTorch bridge: converts a torch.nn.Module to an int8 model with the same call interface."""

import collections.abc
import contextlib
import inspect
import json
import pathlib
import re
import tempfile
from typing import Any

from .. import _core, interruptible
from ..collect import LABELS, as_array, without_labels
from ..errors import DataError, ModelError
from ..frameworks import require
from ..saved import Folder, Quantized, infer, load_program, write_info
from .structure import flatten, rebuild

torch: Any = require("torch")


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor) or type(value).__module__ == "numpy"


def _arguments(inputs: Any) -> Any:
    """Converts one input of a loader to (positional arguments, keyword arguments)."""
    if isinstance(inputs, collections.abc.Mapping):
        return (), dict(inputs)
    if isinstance(inputs, (tuple, list)):
        return tuple(inputs), {}
    return (inputs,), {}


def _signature(module: Any) -> dict[str, Any]:
    """Returns the parameter names of forward() in order, and the name of its *args parameter."""
    parameters = list(inspect.signature(module.forward).parameters.values())
    plain = [
        p.name
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    rest = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]
    return {"parameters": plain, "rest": rest[0] if rest else None}


def _by_name(signature: dict[str, Any], args: Any, kwargs: Any) -> dict[str, Any]:
    names = signature["parameters"]
    if len(args) > len(names) and signature["rest"] is None:
        raise DataError(
            f"[module] got {len(args)} inputs; forward() accepts {len(names)}: {', '.join(names)}"
        )
    named = dict(zip(names, args))
    if len(args) > len(names):
        named[signature["rest"]] = tuple(args[len(names) :])
    return {
        name: value for name, value in {**named, **kwargs}.items() if value is not None
    }


def _leaf_names(structure: dict[str, Any], prefix: str = "") -> dict[int, str]:
    """Returns a name for each tensor of a structure: the parameter name followed by the path to the tensor."""
    if "tensor" in structure:
        return {structure["tensor"]: prefix}
    items = structure.get("dict") or structure.get("fields") or {}
    if "tuple" in structure or "list" in structure:
        items = dict(enumerate(structure.get("tuple") or structure.get("list") or ()))
    names: dict[int, str] = {}
    for key, item in items.items():
        names.update(_leaf_names(item, f"{prefix}.{key}" if prefix else str(key)))
    return names


class _FlatModule(torch.nn.Module):
    """Wraps a module so that inputs and outputs are flat lists of tensors, as tracing requires."""

    def __init__(
        self, module: Any, structure: dict[str, Any], rest: str | None
    ) -> None:
        super().__init__()
        self.module = module
        self.structure = structure
        self.rest = rest
        self.outputs = None

    def forward(self, *tensors: Any) -> Any:
        interruptible.raise_if_cancelled()
        named = rebuild(self.structure, tensors)
        rest = named.pop(self.rest, ()) if self.rest else ()
        outputs: list[Any] = []
        answer = self.module(*named.values(), *rest) if rest else self.module(**named)
        self.outputs = flatten(answer, _is_tensor, outputs)
        return tuple(outputs)


class QuantizedModule(Quantized, torch.nn.Module):
    """An int8 model with the call interface of the original module: same arguments, same structure of outputs."""

    def __init__(self, folder: Folder, result: dict[str, Any] | None = None) -> None:
        torch.nn.Module.__init__(self)
        self._folder = folder
        self.result = result or {}
        self._program = load_program(self.ir)
        self._inputs = {
            name: number for number, name in enumerate(folder.info["inputs"])
        }
        self.training = False

    @property
    def model(self) -> Any:
        return self

    def train(self, mode: bool = True) -> Any:
        return self  # inference only

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        info = self._folder.info
        labels = {
            name: kwargs.pop(name) for name in LABELS if kwargs.get(name) is not None
        }
        wants_tuple = kwargs.pop("return_dict", None) is False
        named = _by_name(info["signature"], args, kwargs)
        tensors: list[Any] = []
        names = _leaf_names(flatten(named, _is_tensor, tensors))
        given = {name: tensors[number] for number, name in names.items()}
        arrays = []
        program = self._loaded_program()
        for name in program.inputs:
            if name not in given:
                raise DataError(
                    f"[module] input '{name}' is missing; the module was quantized with {', '.join(self._inputs)}"
                )
            arrays.append(as_array(given[name]))
        unknown = [name for name in given if name not in self._inputs]
        if unknown:
            raise DataError(
                f"[module] unexpected input '{unknown[0]}'; the module was quantized with {', '.join(self._inputs)}"
            )
        outputs = rebuild(
            info["outputs"],
            [torch.from_numpy(array) for array in infer(program, arrays)],
        )
        if labels:
            outputs = _with_loss(outputs, labels, info)
        if wants_tuple and isinstance(outputs, collections.abc.Mapping):
            outputs = tuple(value for value in outputs.values() if value is not None)
        return outputs


def _with_loss(outputs: Any, labels: dict[str, Any], info: dict[str, Any]) -> Any:
    """Adds the loss as the first output, as Hugging Face models do when called with labels."""
    named = outputs if isinstance(outputs, collections.abc.Mapping) else None
    if named is not None and "start_logits" in named and "start_positions" in labels:
        loss = _span_loss(named, labels)
    else:
        logits = (
            named["logits"]
            if named is not None and "logits" in named
            else _first(outputs)
        )
        given = labels.get("labels", labels.get("label"))
        if given is None:
            return outputs
        loss = _loss(logits, torch.as_tensor(given), info)
    if named is None:
        rest = outputs if isinstance(outputs, tuple) else (outputs,)
        return (loss, *rest)
    return (
        type(outputs)(**{**outputs, "loss": loss})
        if type(outputs) is not dict
        else {"loss": loss, **outputs}
    )


def _first(outputs: Any) -> Any:
    return outputs[0] if isinstance(outputs, (tuple, list)) else outputs


def _span_loss(outputs: Any, labels: Any) -> Any:
    losses = []
    for part in ("start", "end"):
        logits = outputs[f"{part}_logits"]
        # Positions outside the sequence are ignored, as in Hugging Face models.
        places = (
            torch.as_tensor(labels[f"{part}_positions"])
            .reshape(-1)
            .clamp(0, logits.shape[1])
        )
        losses.append(
            torch.nn.functional.cross_entropy(
                logits, places, ignore_index=logits.shape[1]
            )
        )
    return sum(losses) / 2


def _loss(logits: Any, labels: Any, info: dict[str, Any]) -> Any:
    functional = torch.nn.functional
    classes = logits.shape[-1]
    problem = info.get("problem_type") or (
        "regression"
        if classes == 1
        else "single_label_classification"
        if not labels.is_floating_point()
        else "multi_label_classification"
    )
    if problem == "regression":
        return functional.mse_loss(logits.squeeze(), labels.squeeze().to(logits.dtype))
    if problem == "multi_label_classification":
        return functional.binary_cross_entropy_with_logits(
            logits, labels.to(logits.dtype)
        )
    if info.get("shifts"):  # causal language model: the label is the next token
        logits, labels = logits[..., :-1, :], labels[..., 1:]
    return functional.cross_entropy(logits.reshape(-1, classes), labels.reshape(-1))


class TorchBridge:
    framework = "pytorch"

    def __init__(self, module: Any, example: Any) -> None:
        self.module = module
        self._temporary = tempfile.TemporaryDirectory(prefix="lpot-")
        self.path = pathlib.Path(self._temporary.name) / f"{type(module).__name__}.xml"
        self._signature = _signature(module)
        self._convert(without_labels(example))

    def _convert(self, example: Any) -> None:
        openvino = _openvino()
        args, kwargs = _arguments(example)
        tensors: list[Any] = []
        structure = flatten(
            _by_name(self._signature, args, kwargs), _is_tensor, tensors
        )
        if not tensors:
            raise DataError(
                "[torch] the first input of the loader contains no tensor; expected at least one"
            )
        tensors = [torch.as_tensor(tensor) for tensor in tensors]
        self._names = [name for _, name in sorted(_leaf_names(structure).items())]
        flat = _FlatModule(self.module, structure, self._signature["rest"])
        was_training = self.module.training
        flat.eval()
        try:
            with torch.no_grad(), _without_cache(self.module):
                # An error of the module itself is raised here, with its own message, and not during tracing.
                flat(*tensors)
                model = openvino.convert_model(flat, example_input=tuple(tensors))
        except Exception as error:
            raise ModelError(
                f"[torch] cannot trace {type(self.module).__name__} with the first input of the loader "
                f"({', '.join(f'{n} {list(t.shape)}' for n, t in zip(self._names, tensors))}): {_reason(error)}; "
                "expected a forward() that returns tensors and whose control flow does not depend on tensor values. "
                "Change forward(), or export the module to ONNX and use the file."
            ) from error
        finally:
            self.module.train(was_training)
        self._outputs = flat.outputs
        self._name_inputs(openvino, model, tensors)
        _name_nodes(model, type(self.module).__name__)
        interruptible.raise_if_cancelled()
        openvino.save_model(model, self.path, compress_to_fp16=False)
        self._used = load_program(self.path).inputs

    def _name_inputs(self, openvino: Any, model: Any, tensors: Any) -> None:
        shapes = {}
        for port, name, tensor in zip(model.inputs, self._names, tensors):
            port.get_tensor().set_names({name})
            port.get_node().set_friendly_name(name)
            shape = openvino.PartialShape([-1] * tensor.dim())
            # Quantization needs static channels (images) and features (rows). Token sequences have any length.
            if tensor.is_floating_point() and tensor.dim() in (2, 4, 5):
                shape[1] = tensor.shape[1]
            shapes[port] = shape
        model.reshape(shapes)
        for number, port in enumerate(model.outputs):
            if not port.get_names():
                port.get_tensor().set_names({f"output_{number}"})

    def to_model_inputs(self, inputs: Any) -> tuple[list[str], list[Any]]:
        args, kwargs = _arguments(inputs)
        tensors: list[Any] = []
        names = _leaf_names(
            flatten(_by_name(self._signature, args, kwargs), _is_tensor, tensors)
        )
        given = {name: tensors[number] for number, name in names.items()}
        missing = [name for name in self._used if name not in given]
        if missing:
            raise DataError(
                f"[torch] a batch of the loader has the inputs {', '.join(given)}; "
                f"expected also '{missing[0]}', which the first batch has"
            )
        return list(self._used), [as_array(given[name]) for name in self._used]

    def record_dataset(self, inputs: Any) -> Any:
        return None

    def adapt_config(self, config: _core.Config) -> _core.Config:
        return config

    def record_inputs(self, function: Any) -> Any:
        """Runs a q_func and returns the inputs that it calls the module with, as calibration data."""
        calls = []
        hook = self.module.register_forward_pre_hook(
            lambda _module, args, kwargs: calls.append(
                without_labels(_by_name(self._signature, args, kwargs))
            ),
            with_kwargs=True,
        )
        try:
            with torch.no_grad():
                function(self.module)
        finally:
            hook.remove()
        return [(inputs, None) for inputs in calls]

    def fp32(self) -> Any:
        return self.module

    def candidate(self, candidate: _core.Candidate) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            candidate.save(pathlib.Path(folder) / "model.xml")
            return QuantizedModule(Folder(folder, self.info(None)))

    def on_saved(
        self, candidate: _core.Candidate, plan: _core.Plan | None, folder: Any
    ) -> None:
        write_info(folder, self.info(plan))

    def info(self, plan: _core.Plan | None) -> dict[str, Any]:
        config = getattr(self.module, "config", None)
        name = type(self.module).__name__
        return {
            "framework": self.framework,
            "state": json.loads(plan.to_json()) if plan else {},
            "signature": self._signature,
            "inputs": self._names,
            "outputs": self._outputs,
            "problem_type": getattr(config, "problem_type", None),
            "shifts": "CausalLM" in name or "LMHead" in name,
        }

    def result(self, folder: Any, plan: _core.Plan | None, result: Any) -> Any:
        return QuantizedModule(Folder(folder, self.info(plan)), result)


def _name_nodes(model: Any, name: str) -> None:
    """Gives nodes reproducible names, which resuming a study requires. The converter numbers its nodes per process."""
    model.set_friendly_name(name)
    for number, node in enumerate(model.get_ordered_ops()):
        if re.fullmatch(r"[A-Za-z]+_\d+", node.get_friendly_name()):
            node.set_friendly_name(f"{node.get_type_name()}_{number}")


@contextlib.contextmanager
def _without_cache(module: Any) -> collections.abc.Iterator[Any]:
    """Disables the key-value cache of Hugging Face models, so that it is not traced as an output."""
    config: Any = getattr(module, "config", None)
    uses_cache = getattr(config, "use_cache", False) is True
    if uses_cache:
        config.use_cache = False
    join = torch.cat

    # An empty cache is an empty 1-D tensor. torch.cat ignores it, but OpenVINO does not.
    def join_filled(tensors: Any, dim: int = 0, **options: Any) -> Any:
        filled = [tensor for tensor in tensors if tensor.dim() != 1 or tensor.numel()]
        return join(filled or tensors, dim, **options)

    torch.cat = join_filled
    try:
        yield
    finally:
        torch.cat = join
        if uses_cache:
            config.use_cache = True


def _openvino() -> Any:
    import openvino

    return openvino


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reasons = (
        [line for line in lines if "Conversion is failed for" in line]
        or lines
        or ["no message"]
    )
    return f"{type(error).__name__}: {reasons[0].lstrip('- ')}"
