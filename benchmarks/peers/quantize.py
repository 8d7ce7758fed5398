"""Quantizes one network with one of the other tools, in a separate process: `quantize.py TOOL FOLDER OUTPUT`.

Prints the seconds from reading the model to saving the int8 model as JSON. The caller measures the memory.
"""

import json
import pathlib
import sys
import time
import urllib.parse

import numpy as np
from avx2_limit import as_avx2
from networks import Batch, Network


def calibration_samples(network: Network, folder: pathlib.Path) -> list[Batch]:
    # Names of inputs may contain a slash, so the names of the files are quoted.
    files = sorted((folder / "calibration").glob("*.npy"))
    rows = {urllib.parse.unquote(p.stem): np.load(p) for p in files}
    count = len(next(iter(rows.values())))
    if network.whole_samples:
        return [{k: v[i] for k, v in rows.items()} for i in range(count)]
    return [{k: v[i : i + 1] for k, v in rows.items()} for i in range(count)]


def read_openvino(network: Network):
    """The fp32 model in OpenVINO, cut as the network specifies."""
    import openvino as ov
    import openvino.frontend

    if not network.cut:
        return ov.Core().read_model(network.model)
    frontend = ov.frontend.FrontEndManager().load_by_framework("tf")
    graph = frontend.load(network.model)
    places = [graph.get_place_by_tensor_name(name + ":0") for name in network.cut]
    graph.extract_subgraph(places, graph.get_outputs())
    for place, shape in zip(places, network.cut.values(), strict=True):
        graph.set_partial_shape(place, ov.PartialShape(shape))
        graph.set_element_type(place, ov.Type.f32)
    return frontend.convert(graph)


def by_name(model, batch: Batch) -> Batch:
    """The batch by the names of the model's inputs. Names of graph tensors may end in ':0'."""
    named = {}
    for name, value in batch.items():
        port = next(p for p in model.inputs if p.names & {name, name + ":0"})
        named[port.any_name] = value
    return named


def nncf_model(
    network: Network, folder: pathlib.Path, output: pathlib.Path, preset: str
) -> float:
    import nncf
    import openvino as ov

    samples = calibration_samples(network, folder)
    start = time.monotonic()
    model = read_openvino(network)
    options = {"subset_size": len(samples)}
    if network.transformer:
        options["model_type"] = nncf.ModelType.TRANSFORMER
    if preset:
        options["preset"] = nncf.QuantizationPreset(preset)
    dataset = nncf.Dataset([by_name(model, s) for s in samples])
    quantized = nncf.quantize(model, dataset, **options)
    ov.save_model(quantized, output / "model.xml", compress_to_fp16=False)
    return time.monotonic() - start


def has_vnni() -> bool:
    return (
        not as_avx2.is_emulated()
        and "vnni" in pathlib.Path("/proc/cpuinfo").read_text()
    )


def onnxruntime_model(
    network: Network,
    folder: pathlib.Path,
    output: pathlib.Path,
    static: bool,
    only_kernels: bool = False,
    percentile: float = 0,
) -> float:
    import onnx
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(quantization.CalibrationDataReader):
        def __init__(self) -> None:
            self.samples = iter(calibration_samples(network, folder))

        def get_next(self) -> Batch | None:
            return next(self.samples, None)

    start = time.monotonic()
    target = str(output / "model.onnx")
    prepared = str(output / "prepared.onnx")
    source, original = onnx.load(network.model), network.model
    large = source.ByteSize() > 1 << 30
    if source.opset_import[0].version < 13:  # scales per channel need it
        original = str(output / "prepared.onnx.13")
        source = onnx.version_converter.convert_version(source, 13)
        onnx.save(source, original, save_as_external_data=large)

    def prepare(skip_symbolic_shape: bool) -> None:
        quant_pre_process(
            original,
            prepared,
            save_as_external_data=large,
            skip_symbolic_shape=skip_symbolic_shape,
        )

    try:
        prepare(skip_symbolic_shape=network.transformer)
    except Exception:  # symbolic shape inference fails on some graphs
        prepare(skip_symbolic_shape=True)
    common = {
        "per_channel": True,
        "reduce_range": not has_vnni(),
        "use_external_data_format": large,
    }
    if network.transformer:
        common["op_types_to_quantize"] = ["MatMul", "Gemm"]
    if static:
        # Signed activations, the library's default, are slower than fp32 on x86.
        unsigned = quantization.QuantType.QUInt8
        if only_kernels:
            common["op_types_to_quantize"] = ["Conv", "MatMul", "Gemm"]
        if percentile:
            common["calibrate_method"] = quantization.CalibrationMethod.Percentile
            common["extra_options"] = {"CalibPercentile": percentile}
        quantization.quantize_static(
            prepared, target, Reader(), activation_type=unsigned, **common
        )
    else:  # integer convolutions accept only unsigned weights
        kind = (
            quantization.QuantType.QInt8
            if network.transformer
            else quantization.QuantType.QUInt8
        )
        quantization.quantize_dynamic(prepared, target, weight_type=kind, **common)
    seconds = time.monotonic() - start
    for file in output.glob("prepared.onnx*"):
        file.unlink()
    return seconds


TOOLS = {
    "nncf": lambda *a: nncf_model(*a, preset=""),
    "nncf-performance": lambda *a: nncf_model(*a, preset="performance"),
    "ort-static": lambda *a: onnxruntime_model(*a, static=True),
    "ort-static-kernels": lambda *a: onnxruntime_model(
        *a, static=True, only_kernels=True
    ),
    "ort-static-percentile": lambda *a: onnxruntime_model(
        *a, static=True, percentile=99.999
    ),
    "ort-dynamic": lambda *a: onnxruntime_model(*a, static=False),
}


def main() -> None:
    tool, folder, output = (
        sys.argv[1],
        pathlib.Path(sys.argv[2]),
        pathlib.Path(sys.argv[3]),
    )
    network = Network(**json.loads((folder / "network.json").read_text()))
    print(json.dumps({"seconds": TOOLS[tool](network, folder, output)}))


if __name__ == "__main__":
    main()
