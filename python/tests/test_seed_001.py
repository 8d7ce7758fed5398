"""Seed 001: ilit.Tuner on Hugging Face models, with the loader, configuration and code of the document."""

import logging
import types

import pytest
import seeds
import torch
import transformers
from loaders import to_tensors
from torch.utils.data import DataLoader, SequentialSampler, TensorDataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    RobertaConfig,
    RobertaForSequenceClassification,
    XLMConfig,
    XLMForSequenceClassification,
    XLNetConfig,
    XLNetForSequenceClassification,
)

from lpot.data import make_dataset

transformers.logging.set_verbosity_error()
WORDS, LENGTH = 40, 12

MODULES = {
    "bert": lambda: BertForSequenceClassification(
        BertConfig(
            vocab_size=WORDS,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=48,
        )
    ),
    "distilbert": lambda: DistilBertForSequenceClassification(
        DistilBertConfig(vocab_size=WORDS, dim=32, n_layers=2, n_heads=2, hidden_dim=48)
    ),
    "roberta": lambda: RobertaForSequenceClassification(
        RobertaConfig(
            vocab_size=WORDS,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=48,
        )
    ),
    "xlm": lambda: XLMForSequenceClassification(
        XLMConfig(vocab_size=WORDS, emb_dim=32, n_layers=2, n_heads=2)
    ),
    "xlnet": lambda: XLNetForSequenceClassification(
        XLNetConfig(vocab_size=WORDS, d_model=32, n_layer=2, n_head=2, d_inner=48)
    ),
}


def make_data() -> TensorDataset:
    torch.manual_seed(0)
    ids = torch.randint(5, WORDS, (192, LENGTH))
    mask = torch.ones_like(ids)
    mask[::3, LENGTH - 4 :] = 0
    return TensorDataset(ids, mask, torch.zeros_like(ids), torch.arange(192) % 2)


def most_confident(model, model_type, data) -> TensorDataset:
    """Returns the third of the samples with the most confident predictions. One changed prediction would miss the 1% goal."""
    with torch.no_grad():
        batches = DataLoader(data, batch_size=16)
        logits = torch.cat(
            [model(**inputs_of(batch, model_type)).logits for batch in batches]
        )
    places = (logits[:, 0] - logits[:, 1]).abs().argsort(descending=True)
    return TensorDataset(*data[places[: len(data) // 3]])


def inputs_of(batch, model_type) -> dict:
    inputs = {"input_ids": batch[0], "attention_mask": batch[1], "labels": batch[3]}
    if model_type != "distilbert":
        inputs["token_type_ids"] = batch[2] if model_type in ["bert", "xlnet"] else None
    return inputs


def evaluate(args, model, tokenizer, prefix=""):
    """Evaluates as run_glue.py does: the module is called with labels and returns loss and logits."""
    right, losses = 0, []
    for batch in DataLoader(args.data, batch_size=16):
        with torch.no_grad():
            tmp_eval_loss, logits = model(**inputs_of(batch, args.model_type))[:2]
        losses.append(tmp_eval_loss.mean().item())
        right += int((logits.argmax(1) == args.answers[: len(batch[3])]).sum())
        args.answers = args.answers.roll(-len(batch[3]))
    args.losses.append(losses)
    return {"acc": right / len(args.data)}, None


def run_lines(model, model_type, data):
    """Runs the code of the document. Returns the result of tuner.tune and the arguments."""
    # The labels are the predictions of the fp32 module, so its accuracy is 1.
    with torch.no_grad():
        batches = DataLoader(data, batch_size=16)
        answers = torch.cat(
            [
                model(**inputs_of(batch, model_type)).logits.argmax(1)
                for batch in batches
            ]
        )
    args = types.SimpleNamespace(
        do_ilit_tune=True, model_type=model_type, device="cpu", per_gpu_eval_batch_size=8, n_gpu=0, data=data,
        answers=answers, losses=[],
    )  # fmt: skip
    with open("conf.yaml", "w") as file:
        file.write(seeds.snippet("001", "- name: pytorch"))
    loader = seeds.run(
        seeds.snippet("001", "class Bert_DataLoader"), DataLoader=DataLoader
    )["Bert_DataLoader"]
    import ilit

    returned = []
    original = ilit.Tuner.tune
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            ilit.Tuner, "tune", lambda *a, **k: returned.append(original(*a, **k))
        )
        with pytest.raises(SystemExit) as left:
            seeds.run(
                seeds.snippet("001", "ilit.Tuner"),
                args=args,
                evaluate=evaluate,
                logger=logging.getLogger("seed"),
                tokenizer=None,
                model=model,
                load_and_cache_examples=lambda *a, **k: data,
                SequentialSampler=SequentialSampler,
                DataLoader=DataLoader,
                Bert_DataLoader=loader,
            )
    assert left.value.code == 0
    return returned[0], args


@pytest.mark.parametrize("model_type", MODULES)
def test_tunes_hugging_face_models(model_type):
    torch.manual_seed(3)
    model = MODULES[model_type]().eval()
    data = most_confident(model, model_type, make_data())
    q_model, args = run_lines(model, model_type, data)
    assert q_model.result["baseline"]["accuracy"] == 1.0
    # losses[0] is of the fp32 module, losses[1] of the int8 model with the same labels.
    # A model that stays in fp32, because int8 is slower on this CPU, is not evaluated again.
    if len(args.losses) > 1:
        assert args.losses[0] == pytest.approx(args.losses[1], abs=0.05)
    else:
        assert q_model.result["best"]["accuracy"] == 1.0
    batch = next(iter(DataLoader(data, batch_size=16)))
    inputs = inputs_of(batch, model_type)
    inputs.pop("labels")
    with torch.no_grad():
        expected, got = model(**inputs), q_model(**inputs)
    assert type(got) is type(expected)
    assert got.loss is None
    assert torch.allclose(got.logits, expected.logits, atol=0.1)
    # Ops that are slower in int8 stay in fp32. In models this small, that can be all of them.
    assert q_model.state["ops"]


def test_metrics_is_an_alias_of_metric_in_ilit_configurations(in_own_folder):
    import ilit

    for key in ("metric", "metrics"):
        text = seeds.snippet("001", "- name: pytorch").replace(
            "timeout: 0", f"timeout: 0\n    {key}:\n      - topk: 1"
        )
        text += "quantization: {recipes: {forms: plain}}\n"
        (in_own_folder / "conf.yaml").write_text(text)
        torch.manual_seed(3)
        model = MODULES["bert"]().eval()
        data = most_confident(model, "bert", make_data())
        loader = [
            (inputs_of(batch, "bert"), batch[3])
            for batch in DataLoader(data, batch_size=16)
        ]
        q_model = ilit.Tuner("conf.yaml").tune(model, loader, eval_dataloader=loader)
        with torch.no_grad():
            right = sum(
                int((model(**i).logits.argmax(1) == label).sum()) for i, label in loader
            )
        assert q_model.result["baseline"]["metrics"] == {
            "topk 1": pytest.approx(right / 64)
        }
        assert "int8" in {op["precision"] for op in q_model.state["ops"].values()}


def test_tunes_the_real_minilm(data):
    import from_onnx

    model = from_onnx.read(data / "minilm-mrpc-onnx" / "minilm_mrpc.onnx")
    pairs = make_dataset(
        "GLUE",
        data_dir=data / "glue-mrpc",
        model_name_or_path=data / "bert-vocab" / "vocab.txt",
        max_seq_length=64,
    )
    tensors = to_tensors((pairs[index] for index in range(96)), 64)
    with torch.no_grad():
        logits = torch.cat(
            [
                model(**inputs_of(batch, "bert")).logits
                for batch in DataLoader(tensors, batch_size=16)
            ]
        )
    assert (
        logits.argmax(1) == tensors.tensors[3]
    ).float().mean() > 0.7  # the weights are the trained ones
    tensors = most_confident(model, "bert", tensors)
    q_model, args = run_lines(model, "bert", tensors)
    with torch.no_grad():
        inputs = {
            key: value
            for key, value in inputs_of(tensors[:16], "bert").items()
            if key != "labels"
        }
        got, expected = q_model(**inputs).logits, model(**inputs).logits
    assert (got - expected).abs().mean() < 0.1 * expected.abs().mean()
    assert args.losses[0] == pytest.approx(args.losses[1], abs=0.1)
