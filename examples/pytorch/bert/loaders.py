"""The calibration loader that both scripts use, and batches of tensors from lpot's own readers."""

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


class Bert_DataLoader(DataLoader):
    def __init__(self, loader=None, model_type=None, device="cpu"):
        self.loader = loader
        self.model_type = model_type
        self.device = device

    def __iter__(self):
        for batch in self.loader:
            batch = tuple(t.to(self.device) for t in batch)
            outputs = {
                "input_ids": batch[0],
                "attention_mask": batch[1],
                "labels": batch[3],
            }
            if self.model_type != "distilbert":
                # XLM, DistilBERT and RoBERTa don't use segment_ids
                outputs["token_type_ids"] = (
                    batch[2] if self.model_type in ["bert", "xlnet"] else None
                )
            yield outputs, outputs["labels"]


def inputs_of(batch, model_type: str) -> dict:
    """What the module is called with."""
    return next(iter(Bert_DataLoader([batch], model_type)))[0]


def to_tensors(samples, max_length: int) -> TensorDataset:
    """input_ids, attention_mask, token_type_ids [n,max_length] and labels [n] of samples ((ids, mask, segments), label)."""
    rows = [[], [], [], []]
    for (ids, mask, segments), label in samples:
        for column, values in zip(rows, (ids, mask, segments)):
            filled = np.zeros(max_length, np.int64)
            filled[: len(values)] = values
            column.append(filled)
        rows[3].append(np.asarray(label))
    return TensorDataset(*(torch.from_numpy(np.stack(column)) for column in rows))
