"""Tunes a Hugging Face sequence classifier to int8 on a GLUE task.

    python run_glue_tune.py --task_name mrpc --data_dir MRPC --model_name_or_path bert_mrpc --do_ilit_tune --output_dir int8
    python run_glue_tune.py --task_name mrpc --data_dir MRPC --model_name_or_path int8 --do_eval

The model folder contains config.json and the weights, as written by save_pretrained, and vocab.txt.
"""

import argparse
import logging
import pathlib

import numpy as np
import torch
from loaders import (
    Bert_DataLoader,
    inputs_of,
    make_parser,
    read_model,
    to_tensors,
)
from torch.utils.data import DataLoader, SequentialSampler

from lpot.data import make_dataset

logger = logging.getLogger(__name__)


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, max_seq_length=128)
    parser.add_argument("--task_name", required=True, type=str.lower)
    parser.add_argument("--data_dir", required=True, help="folder with dev.tsv")
    args = parser.parse_args()
    args.device, args.n_gpu = "cpu", 0
    return args


def load_and_cache_examples(args, tokenizer, evaluate=True, output_examples=False):
    """Reads the sentences of the task. `tokenizer` is the vocabulary file; lpot does the tokenization."""
    data = make_dataset(
        "GLUE",
        data_dir=args.data_dir,
        model_name_or_path=tokenizer,
        task=args.task_name,
        max_seq_length=args.max_seq_length,
        evaluate=evaluate,
    )
    return to_tensors((data[index] for index in range(len(data))), args.max_seq_length)


def scores(task: str, logits, labels) -> dict:
    """Returns the GLUE metrics: Matthews or Spearman correlation, or accuracy (with F1 for mrpc and qqp)."""
    if task == "sts-b":
        ranks = [np.argsort(np.argsort(values)) for values in (logits[:, 0], labels)]
        return {"spearmanr": float(np.corrcoef(*ranks)[0, 1])}
    answers = logits.argmax(1)
    if task == "cola":
        return {
            "mcc": float(np.corrcoef(answers, labels)[0, 1])
            if answers.std() > 0
            else 0.0
        }
    result = {"acc": float((answers == labels).mean())}
    if task in ("mrpc", "qqp"):
        right = int(((answers == 1) & (labels == 1)).sum())
        result["f1"] = (
            2 * right / max(1, int((answers == 1).sum() + (labels == 1).sum()))
        )
    return result


def evaluate(args, model, tokenizer, prefix=""):
    data = load_and_cache_examples(args, tokenizer)
    logits, labels, losses = [], [], []
    for batch in DataLoader(data, batch_size=args.per_gpu_eval_batch_size):
        with torch.no_grad():
            loss, of_batch = model(**inputs_of(batch, args.model_type))[:2]
        losses.append(loss.item())
        logits.append(of_batch.numpy())
        labels.append(batch[3].numpy())
    result = scores(args.task_name, np.concatenate(logits), np.concatenate(labels))
    return result, float(np.mean(losses))


def main() -> None:
    args = parse()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    tokenizer = args.vocab_file or str(
        pathlib.Path(args.model_name_or_path) / "vocab.txt"
    )
    model = read_model(args.model_name_or_path, "AutoModelForSequenceClassification")
    if args.do_eval:
        result, loss = evaluate(args, model, tokenizer)
        print(
            ", ".join(f"{key} {value:.4f}" for key, value in result.items())
            + f", loss {loss:.4f}"
        )
    if args.do_ilit_tune:

        def eval_func_for_ilit(model):
            result, _ = evaluate(args, model, tokenizer)
            bert_task_acc_keys = ["best_f1", "f1", "mcc", "spearmanr", "acc"]
            for key in bert_task_acc_keys:
                if key in result.keys():
                    logger.info("Finally Eval {}:{}".format(key, result[key]))
                    acc = result[key]
                    break
            return acc

        dataset = load_and_cache_examples(
            args, tokenizer, evaluate=True, output_examples=False
        )
        args.eval_batch_size = args.per_gpu_eval_batch_size * max(1, args.n_gpu)
        eval_sampler = SequentialSampler(dataset)
        eval_dataloader = DataLoader(
            dataset, sampler=eval_sampler, batch_size=args.eval_batch_size
        )
        test_dataloader = Bert_DataLoader(eval_dataloader, args.model_type, args.device)
        import ilit

        tuner = ilit.Tuner("./conf.yaml")
        q_model = tuner.tune(model, test_dataloader, eval_func=eval_func_for_ilit)
        q_model.save(args.output_dir)
        pathlib.Path(args.output_dir, "vocab.txt").write_bytes(
            pathlib.Path(tokenizer).read_bytes()
        )
        print(f"saved in {args.output_dir}")


if __name__ == "__main__":
    main()
