"""Reads the sentence pairs of MRPC as tensors. lpot does the tokenization."""

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from lpot.data import make_dataset


def _padded(values, length: int):
    row = np.zeros(length, np.int64)
    row[: len(values)] = values
    return row


def load(folder, vocab, part: str, max_len: int) -> TensorDataset:
    """Reads train.tsv or dev.tsv: input_ids, segment_ids, input_mask [n,max_len] and labels [n]."""
    pairs = make_dataset(
        "GLUE",
        data_dir=folder,
        model_name_or_path=vocab,
        task="mrpc",
        max_seq_length=max_len,
        evaluate=part == "dev",
    )
    columns = [[], [], [], []]
    for index in range(len(pairs)):
        (ids, mask, segments), label = pairs[index]
        for column, values in zip(columns, (ids, segments, mask)):
            column.append(_padded(values, max_len))
        columns[3].append(int(label))
    return TensorDataset(*(torch.from_numpy(np.array(column)) for column in columns))


def loader(data: TensorDataset, batch_size: int, shuffle: bool = False) -> DataLoader:
    return DataLoader(data, batch_size=batch_size, shuffle=shuffle)


class Bert_DataLoader(DataLoader):
    """Yields (inputs, label) for calibration."""

    def __init__(self, loader=None, model_type=None, device="cpu", batch_size=1):
        self.loader = loader
        self.device = device

    def __iter__(self):
        for batch in self.loader:
            batch = tuple(tensor.to(self.device) for tensor in batch)
            yield batch[:3], batch[3]
