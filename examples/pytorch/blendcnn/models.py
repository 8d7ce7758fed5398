"""BlendCNN: word embeddings, a stack of convolutions, and a classifier on the means of all layers.

A plain module, without quantization stubs and manual fusion.
"""

import dataclasses
import json

import torch
from torch import nn


@dataclasses.dataclass
class Config:
    vocab_size: int = 30522
    dim: int = 128
    layers: int = 5
    kernel_size: int = 5
    max_len: int = 128
    labels: int = 2
    dropout: float = 0.1

    @classmethod
    def from_json(cls, path):
        with open(path) as file:
            return cls(**json.load(file))


class Embeddings(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.token = nn.Embedding(config.vocab_size, config.dim)
        self.position = nn.Embedding(config.max_len, config.dim)
        self.segment = nn.Embedding(2, config.dim)
        self.norm = nn.LayerNorm(config.dim)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, input_ids, segment_ids):
        positions = torch.arange(input_ids.size(1), device=input_ids.device)
        return self.dropout(
            self.norm(
                self.token(input_ids)
                + self.position(positions)
                + self.segment(segment_ids)
            )
        )


class BlendCNN(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.embeddings = Embeddings(config)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(
                config.dim,
                config.dim,
                config.kernel_size,
                padding=config.kernel_size // 2,
            )
            for _ in range(config.layers)
        )
        self.hidden = nn.Linear(config.dim * (config.layers + 1), config.dim)
        self.dropout = nn.Dropout(config.dropout)
        self.classifier = nn.Linear(config.dim, config.labels)

    def forward(self, input_ids, segment_ids, input_mask):
        mask = input_mask.unsqueeze(1).float()
        hidden = self.embeddings(input_ids, segment_ids).transpose(1, 2) * mask
        count = mask.sum(2)
        means = [hidden.sum(2) / count]
        for convolution in self.convolutions:
            hidden = torch.relu(convolution(hidden)) * mask
            means.append(hidden.sum(2) / count)
        return self.classifier(
            self.dropout(torch.relu(self.hidden(torch.cat(means, 1))))
        )
