"""PyTorch modules of the networks: BlendCNN, and BERT with the weights of an ONNX file or random ones."""

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn


class BlendCnn(nn.Module):
    """Eight convolutions of width 5 over an embedding. A classifier reads the maximum of each of their channels."""

    def __init__(
        self, words: int, length: int = 128, width: int = 768, channels: int = 100
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(length, width)
        self.segments = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(channels if i else width, channels, 5, padding=2)
            for i in range(8)
        )
        self.hidden = nn.Linear(8 * channels, 200)
        self.classifier = nn.Linear(200, 2)

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        embedded = (
            self.words(input_ids)
            + self.positions.weight
            + self.segments(token_type_ids)
        )
        x = self.norm(embedded).transpose(1, 2)
        greatest = []
        for convolution in self.convolutions:
            x = convolution(x).relu()
            greatest.append(x.amax(dim=2))
        return self.classifier(self.hidden(torch.cat(greatest, dim=1)).relu())


def train(module: nn.Module, inputs: list[np.ndarray], labels: np.ndarray) -> None:
    """Trains for one pass with fixed random embeddings, so that weights and activations are those of a trained network."""
    for part in module.modules():
        if isinstance(part, nn.Embedding):
            part.requires_grad_(False)
    optimizer = torch.optim.Adam(
        [p for p in module.parameters() if p.requires_grad], lr=3e-4
    )
    order = np.random.default_rng(1).permutation(len(labels))
    for start in range(0, len(order), 32):
        rows = order[start : start + 32]
        logits = module(*(torch.from_numpy(x[rows]) for x in inputs))
        loss = nn.functional.cross_entropy(logits, torch.from_numpy(labels[rows]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.self = nn.ModuleDict(
            {x: nn.Linear(width, width) for x in ("query", "key", "value")}
        )
        self.output = nn.ModuleDict(
            {
                "dense": nn.Linear(width, width),
                "LayerNorm": nn.LayerNorm(width, eps=1e-12),
            }
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        query, key, value = (
            self.self[y](x)
            .view(batch, length, self.heads, width // self.heads)
            .transpose(1, 2)
            for y in ("query", "key", "value")
        )
        scores = query @ key.transpose(2, 3) / (width // self.heads) ** 0.5 + mask
        mixed = (
            (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, width)
        )
        return self.output["LayerNorm"](self.output["dense"](mixed) + x)


class Layer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, 4 * width)})
        self.output = nn.ModuleDict(
            {
                "dense": nn.Linear(4 * width, width),
                "LayerNorm": nn.LayerNorm(width, eps=1e-12),
            }
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.attention(x, mask)
        inner = nn.functional.gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](self.output["dense"](inner) + x)


class Bert(nn.Module):
    """BERT with a classifier for the pooled first token, or for every token (logits for start and end of an answer)."""

    def __init__(
        self, layers: int, width: int, heads: int, every_token: bool = False
    ) -> None:
        super().__init__()
        self.every_token = every_token
        embeddings = {
            "word_embeddings": nn.Embedding(30522, width),
            "position_embeddings": nn.Embedding(512, width),
            "token_type_embeddings": nn.Embedding(2, width),
            "LayerNorm": nn.LayerNorm(width, eps=1e-12),
        }
        parts = {
            "embeddings": nn.ModuleDict(embeddings),
            "encoder": nn.ModuleDict(
                {"layer": nn.ModuleList(Layer(width, heads) for _ in range(layers))}
            ),
        }
        if not every_token:
            parts["pooler"] = nn.ModuleDict({"dense": nn.Linear(width, width)})
        self.bert = nn.ModuleDict(parts)
        self.classifier = nn.Linear(width, 2)

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
        mask = (1.0 - attention_mask[:, None, None, :].float()) * -10000.0
        for layer in self.bert["encoder"]["layer"]:
            x = layer(x, mask)
        if not self.every_token:
            x = self.bert["pooler"]["dense"](x[:, 0]).tanh()
        return self.classifier(x)


def bert_large() -> Bert:
    """Random weights with the usual initialization. Those of attention are larger, so that its scores differ."""
    torch.manual_seed(3)
    module = Bert(layers=24, width=1024, heads=16, every_token=True).eval()
    for name, parameter in module.named_parameters():
        if "LayerNorm" not in name:
            nn.init.normal_(
                parameter, std=0.06 if "query" in name or "key" in name else 0.02
            )
    return module


def minilm(path: str) -> Bert:
    """The module of an ONNX file whose nodes have the names of the parts of a BERT classifier."""
    graph = onnx.load(path).graph
    tensors = {t.name: t for t in graph.initializer}
    products = {n.name: n for n in graph.node if n.op_type == "MatMul"}
    module = Bert(layers=6, width=384, heads=12)
    state = {}
    for name in module.state_dict():
        if name in tensors:
            value = numpy_helper.to_array(tensors[name])
        else:  # the exporter transposed and renamed the weights of linear layers
            node = "/" + name.removesuffix(".weight").replace(".", "/").replace(
                "layer/", "layer."
            )
            weight = next(i for i in products[node + "/MatMul"].input if i in tensors)
            value = numpy_helper.to_array(tensors[weight]).T
        state[name] = torch.from_numpy(value.copy())
    module.load_state_dict(state)
    return module.eval()


def export(module: nn.Module, inputs: dict[str, np.ndarray], path: str) -> None:
    """Writes an ONNX file with a dynamic batch."""
    torch.onnx.export(
        module.eval(),
        tuple(torch.from_numpy(x) for x in inputs.values()),
        path,
        input_names=list(inputs),
        output_names=["logits"],
        dynamic_axes={name: {0: "batch"} for name in [*inputs, "logits"]},
        opset_version=17,
        dynamo=False,
    )
