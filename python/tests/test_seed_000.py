"""Seed 000: BlendCNN, with the code of the document."""

import types

import pytest
import seeds
import torch
from models import BlendCNN, Config
from torch.utils.data import DataLoader, TensorDataset

import lpot

LENGTH = 24


@pytest.fixture
def task(in_own_folder):
    """Trains a small BlendCNN on sequences that are classified by the number of occurrences of token 7."""
    torch.manual_seed(0)
    ids = torch.randint(8, 50, (192, LENGTH))
    labels = torch.arange(192) % 2
    ids[labels == 1, :6] = 7
    data = TensorDataset(ids, torch.zeros_like(ids), torch.ones_like(ids), labels)
    model = BlendCNN(
        Config(vocab_size=50, dim=16, layers=2, max_len=LENGTH, dropout=0.0)
    )
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(8):
        for *inputs, label in DataLoader(data, batch_size=32):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(*inputs), label).backward()
            optimizer.step()
    (in_own_folder / "blendcnn.yaml").write_text(seeds.snippet("000", "name: blendcnn"))
    return model.eval(), data


def accuracy(model, batches) -> float:
    right = [
        (model(*inputs).argmax(1) == labels).float().mean().item()
        for *inputs, labels in batches
    ]
    return sum(right) / len(right)


def test_code_of_the_document_tunes_blendcnn(task):
    from data import Bert_DataLoader

    model, data = task
    data_iter = DataLoader(data, batch_size=16)
    with torch.no_grad():
        space = seeds.run(
            seeds.snippet("000", "from lpot.experimental import Quantization"),
            Bert_DataLoader=Bert_DataLoader,
            data_iter=data_iter,
            args=types.SimpleNamespace(batch_size=16, lpot_yaml="blendcnn.yaml"),
            model=model,
            eval_func=lambda module: accuracy(module, data_iter),
        )
        q_model = space["q_model"]
        fp32 = accuracy(model, data_iter)
        assert fp32 > 0.9
        assert accuracy(q_model, data_iter) >= 0.99 * fp32
        assert q_model.result["goal_met"]
        q_model.eval().save("int8")
        *inputs, _ = next(iter(data_iter))
        assert torch.equal(lpot.load("int8")(*inputs), q_model(*inputs))
        # The mask is also an input of the int8 model.
        masked = [*inputs[:2], inputs[2].clone()]
        masked[2][:, LENGTH - 4 :] = 0
        wanted = model(*masked)
        error = (q_model(*masked) - wanted).abs().mean()
        # Calibration had no masked text, so values outside its ranges are clipped.
        assert error < 0.5 * (q_model(*inputs) - wanted).abs().mean()
