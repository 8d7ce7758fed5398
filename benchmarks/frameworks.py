"""Compares int8 models of lpot with the quantization of PyTorch and torchao, in one table.

    .venv-python/bin/python benchmarks/frameworks.py --data DATA

Models: BlendCNN, which is trained here on MRPC, and MiniLM, whose ONNX weights are loaded into a
BertForSequenceClassification. The table has the accuracy on the MRPC dev set and the time of a batch. Variants are
timed alternately:

- PyTorch fp32
- PyTorch dynamic int8
- torchao int8 weights with dynamic activations, if torchao is installed
- OpenVINO fp32 through the bridge of lpot
- lpot int8
"""

import argparse
import copy
import pathlib
import statistics
import sys
import time
import warnings

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [
    str(ROOT / "examples" / "pytorch" / name) for name in ("blendcnn", "bert")
]
warnings.filterwarnings("ignore")

import classify  # noqa: E402
import data as mrpc  # noqa: E402
import from_onnx  # noqa: E402
from models import BlendCNN, Config  # noqa: E402

import lpot  # noqa: E402
from lpot.bridges.pytorch import QuantizedModule, TorchBridge  # noqa: E402
from lpot.experimental import Quantization  # noqa: E402

CONF = """
model: {{name: {name}, framework: pytorch}}
tuning: {{strategy: {{name: auto}}, accuracy_criterion: {{relative: 0.01}}, workspace: {{path: {workspace}}}}}
"""


def blendcnn(tensors, epochs: int):
    model = BlendCNN(Config())
    classify.train(
        model,
        tensors("train"),
        {"seed": 3431, "epochs": epochs, "batch_size": 32, "lr": 0.0005},
    )
    return model


class Minilm(torch.nn.Module):
    """The MiniLM classifier with the input order of BlendCNN, so that both models share the same code."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, segment_ids, input_mask):
        return self.bert(
            input_ids=input_ids, token_type_ids=segment_ids, attention_mask=input_mask
        ).logits


def dynamic_int8(model):
    return torch.ao.quantization.quantize_dynamic(
        copy.deepcopy(model), {torch.nn.Linear}, dtype=torch.qint8
    )


def torchao_int8(model):
    from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_

    model = copy.deepcopy(model)
    quantize_(model, Int8DynamicActivationInt8WeightConfig())
    return model


def openvino_fp32(model, example, folder):
    from lpot import _core

    bridge = TorchBridge(model, example)
    quantized = QuantizedModule.__new__(QuantizedModule)
    torch.nn.Module.__init__(quantized)
    quantized._folder = type(
        "Folder", (), {"info": bridge.info(None), "path": bridge.path.parent}
    )()
    quantized._program, quantized._bridge = _core.Program(bridge.path), bridge
    quantized._inputs = {
        name: number for number, name in enumerate(bridge.info(None)["inputs"])
    }
    quantized.training = False
    return quantized


def lpot_int8(name, model, batches, folder):
    conf = folder / f"{name}.yaml"
    conf.write_text(CONF.format(name=name, workspace=folder / name))
    quantizer = Quantization(conf)
    quantizer.model = model
    quantizer.calib_dataloader = [
        (tuple(inputs), labels) for *inputs, labels in batches
    ]
    quantizer.eval_func = lambda module: classify.accuracy(module, batches)
    return quantizer()


@torch.no_grad()
def interleaved_times_ms(variants: dict, inputs, seconds: float) -> dict:
    """Returns the median milliseconds of a batch. Each variant runs once per round."""
    times = {name: [] for name in variants}
    for model in variants.values():
        for _ in range(3):
            model(*inputs)
    start = time.perf_counter()
    while time.perf_counter() - start < seconds or len(next(iter(times.values()))) < 10:
        for name, model in variants.items():
            before = time.perf_counter()
            model(*inputs)
            times[name].append(time.perf_counter() - before)
    return {name: statistics.median(of) * 1000 for name, of in times.items()}


def measure(name, model, tensors, args, folder) -> None:
    batches = list(mrpc.loader(tensors("dev"), 32))
    *inputs, _ = batches[0]
    variants = {"PyTorch fp32": model, "PyTorch dynamic int8": dynamic_int8(model)}
    try:
        variants["torchao int8"] = torchao_int8(model)
        with torch.no_grad():
            variants["torchao int8"](*inputs)
    except (
        Exception
    ) as error:  # torchao is not installed or does not support the module
        print(
            f"torchao skipped: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        )
        variants.pop("torchao int8", None)
    variants["OpenVINO fp32"] = openvino_fp32(model, tuple(inputs), folder)
    variants["lpot int8"] = lpot_int8(name, model, batches, folder)
    scores = {
        variant: classify.accuracy(of, batches) for variant, of in variants.items()
    }
    one = interleaved_times_ms(
        variants, [tensor[:1] for tensor in inputs], args.seconds
    )
    many = interleaved_times_ms(variants, inputs, args.seconds)
    print(
        f"\n| {name} | accuracy | batch 1, ms | | batch 32, ms | |\n|---|---|---|---|---|---|"
    )
    for variant in variants:
        faster = [times["PyTorch fp32"] / times[variant] for times in (one, many)]
        print(
            f"| {variant} | {scores[variant]:.4f} | {one[variant]:.2f} | {faster[0]:.2f} x | {many[variant]:.1f} | {faster[1]:.2f} x |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=pathlib.Path, default=ROOT / ".." / "shared" / "data"
    )
    parser.add_argument(
        "--models",
        nargs="*",
        default=["blendcnn", "minilm"],
        choices=["blendcnn", "minilm"],
    )
    parser.add_argument(
        "--epochs", type=int, default=3, help="epochs for training BlendCNN"
    )
    parser.add_argument(
        "--module", help="a trained BlendCNN (model_final.pt); skips training"
    )
    parser.add_argument(
        "--seconds", type=float, default=5, help="duration of each timing"
    )
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build-frameworks")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    cache: dict = {}

    def tensors(part):
        if part not in cache:
            cache[part] = mrpc.load(
                args.data / "glue-mrpc",
                args.data / "bert-vocab" / "vocab.txt",
                part,
                128,
            )
        return cache[part]

    print(
        f"lpot {lpot.__version__}, torch {torch.__version__}, {torch.get_num_threads()} threads"
    )
    if "blendcnn" in args.models:
        model = (
            classify.read_module(args.module, Config())
            if args.module
            else blendcnn(tensors, args.epochs)
        )
        measure("BlendCNN", model, tensors, args, args.work)
    if "minilm" in args.models:
        module = from_onnx.read(args.data / "minilm-mrpc-onnx" / "minilm_mrpc.onnx")
        measure("MiniLM", Minilm(module).eval(), tensors, args, args.work)


if __name__ == "__main__":
    main()
