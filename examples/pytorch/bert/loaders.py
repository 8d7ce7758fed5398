"""Shared by both scripts: command line options, model loading, the calibration loader and tensor data sets."""

import argparse
import pathlib

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
    """Returns the keyword arguments of the module for a batch."""
    return next(iter(Bert_DataLoader([batch], model_type)))[0]


def to_tensors(samples, max_length: int) -> TensorDataset:
    """Converts samples ((ids, mask, segments), label) to tensors.

    Returns input_ids, attention_mask and token_type_ids [n,max_length] and labels [n].
    """
    rows = [[], [], [], []]
    for (ids, mask, segments), label in samples:
        for column, values in zip(rows, (ids, mask, segments)):
            padded = np.zeros(max_length, np.int64)
            padded[: len(values)] = values
            column.append(padded)
        rows[3].append(np.asarray(label))
    return TensorDataset(*(torch.from_numpy(np.stack(column)) for column in rows))


def make_parser(description: str, max_seq_length: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model_name_or_path",
        required=True,
        help="folder of a Hugging Face model, or of an int8 model that tuning wrote",
    )
    parser.add_argument(
        "--model_type",
        default="bert",
        choices=["bert", "distilbert", "roberta", "xlm", "xlnet"],
    )
    parser.add_argument(
        "--vocab_file", help="default: vocab.txt in the folder of the model"
    )
    parser.add_argument("--max_seq_length", type=int, default=max_seq_length)
    parser.add_argument("--per_gpu_eval_batch_size", type=int, default=8)
    parser.add_argument("--do_ilit_tune", action="store_true")
    parser.add_argument("--do_eval", action="store_true")
    parser.add_argument("--output_dir", default="int8")
    return parser


def read_model(path: str, auto_class: str):
    """Loads a Hugging Face model as the given Auto class, or an int8 model that tuning wrote."""
    folder = pathlib.Path(path)
    if (folder / "model.xml").exists():
        import lpot

        return lpot.load(folder)
    import transformers

    return getattr(transformers, auto_class).from_pretrained(folder).eval()
