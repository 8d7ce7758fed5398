"""Tunes a BERT graph to int8 on SQuAD v1.1, or measures its accuracy or latency.

    python tune_squad.py --input_model model/bert.pb --label_file data/dev-v1.1.json --vocab_file data/vocab.txt \
        --output_model int8.pb --mode tune
    python tune_squad.py --input_model int8.pb ... --mode accuracy | benchmark
"""

import argparse
import collections
import json
import os
import pathlib
import tempfile

import numpy as np
import six
import tensorflow as tf

from lpot.data.squad import FeatureWriter, parse_label_file, read_squad
from lpot.data.transforms.transform import SquadV1PostTransform
from lpot.metric.metric import SquadF1

RawResult = collections.namedtuple(
    "RawResult", ["unique_id", "start_logits", "end_logits"]
)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--input_model",
        required=True,
        help="frozen graph with the placeholders input_file and batch_size",
    )
    parser.add_argument("--label_file", required=True, help="dev-v1.1.json")
    parser.add_argument("--vocab_file", required=True, help="vocab.txt")
    parser.add_argument(
        "--output_model", default="int8.pb", help="output file of --mode tune"
    )
    parser.add_argument(
        "--mode", choices=["tune", "accuracy", "benchmark"], default="tune"
    )
    parser.add_argument(
        "--articles", nargs="*", help="titles of the articles to use (default: all)"
    )
    parser.add_argument(
        "--max_questions",
        type=int,
        default=0,
        help="maximum number of questions; 0 means all",
    )
    parser.add_argument("--max_seq_length", type=int, default=384)
    parser.add_argument("--doc_stride", type=int, default=128)
    parser.add_argument("--predict_batch_size", type=int, default=8)
    parser.add_argument("--n_best_size", type=int, default=20)
    parser.add_argument("--max_answer_length", type=int, default=30)
    parser.add_argument(
        "--do_lower_case", default=True, type=lambda word: word.lower() != "false"
    )
    parser.add_argument(
        "--iteration", type=int, default=50, help="number of batches in benchmark mode"
    )
    parser.add_argument(
        "--config", default=str(pathlib.Path(__file__).parent / "bert.yaml")
    )
    return parser.parse_args()


def chosen_labels(FLAGS, folder) -> str:
    """Writes a label file with the selected articles and questions."""
    articles = parse_label_file(FLAGS.label_file)
    if FLAGS.articles:
        articles = [
            article for article in articles if article["title"] in FLAGS.articles
        ]
    left = FLAGS.max_questions or 10**9
    for article in articles:
        for paragraph in article["paragraphs"]:
            paragraph["qas"] = paragraph["qas"][: max(0, left)]
            left -= len(paragraph["qas"])
        article["paragraphs"] = [
            paragraph for paragraph in article["paragraphs"] if paragraph["qas"]
        ]
    path = os.path.join(folder, "labels.json")
    with open(path, "w") as file:
        json.dump(
            {
                "version": "1.1",
                "data": [article for article in articles if article["paragraphs"]],
            },
            file,
        )
    return path


class Dataset:
    """One sample for the input pipeline of the graph: the file name and the batch size."""

    def __init__(self, file_name, batch_size):
        self.inputs = (file_name, batch_size)

    def __getitem__(self, index):
        return self.inputs, 0

    def __len__(self):
        return 1


def collate_fn(batch):
    elem = batch[0]
    if isinstance(elem, tuple):
        return [collate_fn(samples) for samples in zip(*batch)]
    return elem if isinstance(elem, str) else list(batch)


def read_graph(path):
    graph_def = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return graph


def main() -> None:
    FLAGS = parse()
    with tempfile.TemporaryDirectory() as folder:
        FLAGS.label_file = chosen_labels(FLAGS, folder)
        eval_examples, eval_features = read_squad(
            FLAGS.label_file,
            FLAGS.vocab_file,
            FLAGS.do_lower_case,
            FLAGS.max_seq_length,
            FLAGS.doc_stride,
        )
        eval_writer = FeatureWriter(os.path.join(folder, "eval.tf_record"))
        for feature in eval_features:
            eval_writer.process_feature(feature)
        eval_writer.close()
        graph = read_graph(FLAGS.input_model)

        def eval_func(graph, iteration=-1):
            print("gonna eval the model....")
            iter_op = graph.get_operation_by_name("MakeIterator")
            feed_dict = {
                "input_file:0": eval_writer.filename,
                "batch_size:0": FLAGS.predict_batch_size,
            }
            all_results = []
            output_tensor = {
                "unique_ids": graph.get_tensor_by_name("IteratorGetNext:3"),
                "start_logits": graph.get_tensor_by_name("unstack:0"),
                "end_logits": graph.get_tensor_by_name("unstack:1"),
            }
            sess = tf.compat.v1.Session(graph=graph)
            sess.run(iter_op, feed_dict)

            def result_producer(results):
                num_examples = results["unique_ids"].shape[0]
                for i in range(num_examples):
                    yield {key: value[i] for key, value in six.iteritems(results)}

            import time

            time_list = []
            idx = 0
            while idx < iteration or iteration == -1:
                try:
                    time_start = time.time()
                    results = sess.run(output_tensor)
                    time_list.append(time.time() - time_start)
                    for result in result_producer(results):
                        all_results.append(
                            RawResult(
                                unique_id=int(result["unique_ids"].flat[0]),
                                start_logits=[
                                    float(x) for x in result["start_logits"].flat
                                ],
                                end_logits=[
                                    float(x) for x in result["end_logits"].flat
                                ],
                            )
                        )
                    idx += 1
                except tf.errors.OutOfRangeError:
                    print("run out of data, exit....")
                    break
            warmup = min(5, len(time_list) - 1)
            print(
                "Latency is {}".format(
                    np.array(time_list[warmup:]).mean() / FLAGS.predict_batch_size
                )
            )
            print("Batch size is {}".format(FLAGS.predict_batch_size))
            # only calculate accuracy when running out all predictions
            if iteration == -1:
                label = parse_label_file(FLAGS.label_file)
                squad_transform = SquadV1PostTransform(
                    eval_examples,
                    eval_features,
                    FLAGS.n_best_size,
                    FLAGS.max_answer_length,
                    FLAGS.do_lower_case,
                )
                preds, label = squad_transform((all_results, label))
                f1 = SquadF1()
                f1.update(preds, label)
                print("accuracy is F1: {}".format(f1.result()))
                return f1.result()

        if FLAGS.mode == "tune":
            from lpot.quantization import Quantization

            quantizer = Quantization(FLAGS.config)
            dataset = Dataset(eval_writer.filename, FLAGS.predict_batch_size)
            dataloader = quantizer.dataloader(dataset, collate_fn=collate_fn)
            q_model = quantizer(graph, q_dataloader=dataloader, eval_func=eval_func)
            from lpot.adaptor.tf_utils.util import write_graph

            write_graph(q_model.as_graph_def(), FLAGS.output_model)
            ir = pathlib.Path(FLAGS.output_model).with_suffix("")
            q_model.save(ir)
            print(
                f"saved: {FLAGS.output_model} for TensorFlow, {ir}/model.xml for OpenVINO"
            )
        else:
            eval_func(graph, -1 if FLAGS.mode == "accuracy" else FLAGS.iteration)


if __name__ == "__main__":
    main()
