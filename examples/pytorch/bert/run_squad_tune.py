"""Tunes a Hugging Face question answering model to int8 on SQuAD v1.1.

python run_squad_tune.py --predict_file dev-v1.1.json --model_name_or_path bert_squad --do_ilit_tune --output_dir int8
"""

import argparse
import pathlib

import torch
from loaders import Bert_DataLoader, make_parser, read_model
from torch.utils.data import DataLoader, TensorDataset

from lpot.data.squad import parse_label_file, read_squad
from lpot.data.transforms.transform import SquadV1PostTransform
from lpot.metric.metric import SquadF1


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, max_seq_length=384)
    parser.add_argument("--predict_file", required=True, help="dev-v1.1.json")
    parser.add_argument("--doc_stride", type=int, default=128)
    return parser.parse_args()


def main() -> None:
    args = parse()
    vocab = args.vocab_file or str(pathlib.Path(args.model_name_or_path) / "vocab.txt")
    examples, features = read_squad(
        args.predict_file,
        vocab,
        max_seq_length=args.max_seq_length,
        doc_stride=args.doc_stride,
    )
    columns = [
        [getattr(feature, name) for feature in features]
        for name in ("input_ids", "input_mask", "segment_ids")
    ]
    data = TensorDataset(
        *(torch.tensor(column) for column in columns),
        torch.tensor([feature.unique_id for feature in features]),
    )
    loader = Bert_DataLoader(
        DataLoader(data, batch_size=args.per_gpu_eval_batch_size), args.model_type
    )

    def evaluate(model) -> float:
        results = ([], [], [])
        for inputs, unique_ids in loader:
            inputs = {
                name: value
                for name, value in inputs.items()
                if name != "labels" and value is not None
            }
            with torch.no_grad():
                outputs = model(**inputs)
            for column, values in zip(
                results, (unique_ids, outputs.start_logits, outputs.end_logits)
            ):
                column.extend(values.tolist())
        answers, label = SquadV1PostTransform(examples, features)(
            (results, parse_label_file(args.predict_file))
        )
        metric = SquadF1()
        metric.update(answers, label)
        return metric.result()

    model = read_model(args.model_name_or_path, "AutoModelForQuestionAnswering")
    if args.do_eval:
        print(f"F1 {evaluate(model):.4f}")
    if args.do_ilit_tune:
        import ilit

        tuner = ilit.Tuner("./conf.yaml")
        q_model = tuner.tune(model, loader, eval_func=evaluate)
        q_model.save(args.output_dir)
        pathlib.Path(args.output_dir, "vocab.txt").write_bytes(
            pathlib.Path(vocab).read_bytes()
        )
        print(f"saved in {args.output_dir}")


if __name__ == "__main__":
    main()
