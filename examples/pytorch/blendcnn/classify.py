"""Trains BlendCNN on MRPC, tunes it to int8, and measures accuracy and latency.

python classify.py --model_config config/blendcnn/mrpc/train.json                          # models/model_final.pt
python classify.py --model_config config/blendcnn/mrpc/eval.json --tune --output_model int8
python classify.py --model_config config/blendcnn/mrpc/eval.json --int8 --input_model int8 --mode accuracy
"""

import argparse
import json
import pathlib
import statistics
import time

import torch
from data import Bert_DataLoader, load, loader
from models import BlendCNN, Config

# Contains the folder of the int8 model that was saved last.
LAST_SAVED = pathlib.Path("lpot_workspace", "last_saved.txt")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model_config",
        required=True,
        help="JSON file with the mode (train or eval), data and settings",
    )
    parser.add_argument(
        "--dataset_location",
        help="folder with train.tsv and dev.tsv (default: data_dir of the JSON file)",
    )
    parser.add_argument("--vocab", help="vocab.txt (default: vocab of the JSON file)")
    parser.add_argument(
        "--input_model",
        help="model_final.pt or its folder; with --int8, the folder of the int8 model",
    )
    parser.add_argument(
        "--output_model", default="int8", help="output folder of --tune"
    )
    parser.add_argument("--tune", action="store_true")
    parser.add_argument(
        "--int8",
        action="store_true",
        help="measure the int8 model instead of the fp32 module",
    )
    parser.add_argument(
        "--mode", choices=["benchmark", "accuracy"], help="what to measure"
    )
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--lpot_yaml", default="blendcnn.yaml")
    return parser.parse_args()


def train(model, data, settings: dict) -> None:
    torch.manual_seed(settings["seed"])
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=settings["lr"], weight_decay=0.01
    )
    model.train()
    for epoch in range(settings["epochs"]):
        total = 0.0
        for *inputs, labels in loader(data, settings["batch_size"], shuffle=True):
            loss = torch.nn.functional.cross_entropy(model(*inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
        print(f"epoch {epoch + 1}: loss {total / len(data):.4f}")
    model.eval()


@torch.no_grad()
def accuracy(model, batches) -> float:
    right = count = 0
    for *inputs, labels in batches:
        right += int((model(*inputs).argmax(1) == labels).sum())
        count += len(labels)
    return right / count


@torch.no_grad()
def latency_ms(model, batches) -> float:
    """Returns the median milliseconds per sample, measured over at least two seconds."""
    *inputs, labels = next(iter(batches))
    times = []
    for _ in range(5):
        model(*inputs)
    while len(times) < 20 or sum(times) < 2:
        start = time.perf_counter()
        model(*inputs)
        times.append(time.perf_counter() - start)
    return statistics.median(times) / len(labels) * 1000


def read_module(path, config: Config) -> BlendCNN:
    path = pathlib.Path(path)
    model = BlendCNN(config)
    model.load_state_dict(
        torch.load(
            path / "model_final.pt" if path.is_dir() else path, weights_only=True
        )
    )
    return model.eval()


def main() -> None:
    args = parse()
    settings = json.loads(pathlib.Path(args.model_config).read_text())
    config = Config.from_json(settings["model_config"])
    folder = args.dataset_location or settings["data_dir"]
    vocab = args.vocab or settings["vocab"]

    if settings["mode"] == "train":
        model = BlendCNN(config)
        train(model, load(folder, vocab, "train", config.max_len), settings)
        pathlib.Path(settings["save_dir"]).mkdir(parents=True, exist_ok=True)
        torch.save(
            model.state_dict(), pathlib.Path(settings["save_dir"]) / "model_final.pt"
        )
        print(
            f"accuracy {accuracy(model, loader(load(folder, vocab, 'dev', config.max_len), args.batch_size)):.4f}"
        )
        return

    data_iter = loader(load(folder, vocab, "dev", config.max_len), args.batch_size)
    if args.tune:
        model = read_module(args.input_model or settings["save_dir"], config)

        def eval_func(model):
            return accuracy(model, data_iter)

        from lpot.experimental import Quantization

        dataloader = Bert_DataLoader(loader=data_iter, batch_size=args.batch_size)
        quantizer = Quantization(args.lpot_yaml)
        quantizer.model = model
        quantizer.calib_dataloader = dataloader
        quantizer.eval_func = eval_func
        q_model = quantizer()
        q_model.save(args.output_model)
        LAST_SAVED.parent.mkdir(exist_ok=True)
        LAST_SAVED.write_text(str(pathlib.Path(args.output_model).resolve()))
        print(f"saved in {args.output_model}")
        return

    if args.int8:
        import lpot

        last = LAST_SAVED.read_text() if LAST_SAVED.exists() else args.output_model
        model = lpot.load(args.input_model or last)
    else:
        model = read_module(args.input_model or settings["save_dir"], config)
    if args.mode == "accuracy":
        print(f"Accuracy: {accuracy(model, data_iter):.4f}")
    else:
        milliseconds = latency_ms(model, data_iter)
        print(f"Batch size = {args.batch_size}")
        print(f"Latency: {milliseconds:.3f} ms")
        print(f"Throughput: {1000 / milliseconds:.1f} samples/sec")


if __name__ == "__main__":
    main()
