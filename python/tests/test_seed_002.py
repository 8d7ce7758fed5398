"""Seed 002: a TensorFlow BERT graph with its own record pipeline, with the code of the document. Real model and data."""

import collections
import gzip
import json
import types

import numpy as np
import pytest
import seeds
import six
import tensorflow as tf

import lpot
from lpot.adaptor.tf_utils.util import iterator_sess_run
from lpot.data.squad import FeatureWriter, parse_label_file, read_squad
from lpot.data.transforms.transform import SquadV1PostTransform
from lpot.metric.metric import SquadF1

LENGTH, BATCH, QUESTIONS = 256, 8, 12
RawResult = collections.namedtuple(
    "RawResult", ["unique_id", "start_logits", "end_logits"]
)


class Dataset:
    """One sample: the file name and the batch size."""

    def __init__(self, file_name, batch_size):
        self._inputs = (file_name, batch_size)

    def __getitem__(self, index):
        return self._inputs, 0

    def __len__(self):
        return 1


def collate_fn(batch):
    elem = batch[0]
    if isinstance(elem, tuple):
        return [collate_fn(samples) for samples in zip(*batch)]
    return elem if isinstance(elem, str) else list(batch)


@pytest.fixture
def task(data, in_own_folder):
    """Files, examples, features and records of some questions of an article that the model was not trained on."""
    articles = json.loads(
        gzip.open(data / "squad-v1.1" / "dev-v1.1.json.gz", "rt").read()
    )["data"]
    (article,) = [article for article in articles if article["title"] == "Normans"]
    count = 0
    for paragraph in article["paragraphs"]:
        paragraph["qas"] = paragraph["qas"][: max(0, QUESTIONS - count)]
        count += len(paragraph["qas"])
    article["paragraphs"] = [
        paragraph for paragraph in article["paragraphs"] if paragraph["qas"]
    ]
    label_file = in_own_folder / "dev.json"
    label_file.write_text(json.dumps({"version": "1.1", "data": [article]}))
    vocab_file = data / "bert-vocab" / "vocab.txt"
    examples, features = read_squad(label_file, vocab_file, max_seq_length=LENGTH)
    writer = FeatureWriter(in_own_folder / "eval.tf_record")
    for feature in features:
        writer.process_feature(feature)
    writer.close()
    # With few questions the score is coarse, and a goal of 1% can take long. Only the number of trials is changed.
    text = seeds.snippet("002", "name: bert").replace(
        "max_trials: 100", "max_trials: 3"
    )
    (in_own_folder / "bert.yaml").write_text(text)
    graph = tf.Graph()
    graph_def = tf.compat.v1.GraphDef()
    graph_def.ParseFromString(
        (data / "minilm-squad-pb" / "minilm_squad_frozen.pb").read_bytes()
    )
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    flags = types.SimpleNamespace(
        predict_batch_size=BATCH, label_file=str(label_file), n_best_size=20, max_answer_length=30, do_lower_case=True,
        output_model=str(in_own_folder / "int8.pb"),
    )  # fmt: skip
    names = dict(
        tf=tf, np=np, six=six, FLAGS=flags, eval_writer=writer, RawResult=RawResult, parse_label_file=parse_label_file,
        SquadV1PostTransform=SquadV1PostTransform, SquadF1=SquadF1, eval_examples=examples, eval_features=features,
        graph=graph, Dataset=Dataset, collate_fn=collate_fn,
    )  # fmt: skip
    names["eval_func"] = seeds.run(seeds.snippet("002", "def eval_func"), **names)[
        "eval_func"
    ]
    names["vocab_file"] = vocab_file
    return names


def outputs_of(graph, task):
    with tf.compat.v1.Session(graph=graph) as session:
        tensors = [
            graph.get_tensor_by_name(name)
            for name in ("IteratorGetNext:3", "unstack:0", "unstack:1")
        ]
        feed = {"input_file:0": task["eval_writer"].filename, "batch_size:0": BATCH}
        return iterator_sess_run(
            session, graph.get_operation_by_name("MakeIterator"), feed, tensors
        )


def test_code_of_the_document_tunes_the_graph(task):
    space = seeds.run(seeds.snippet("002", "write_graph"), **task)
    q_model, result = space["q_model"], space["q_model"].result
    assert result["baseline"]["accuracy"] == pytest.approx(
        task["eval_func"](task["graph"])
    )
    assert result["best"]["accuracy"] == pytest.approx(task["eval_func"](q_model))
    assert result["baseline"]["accuracy"] > 40

    written = tf.compat.v1.GraphDef()
    written.ParseFromString(open(task["FLAGS"].output_model, "rb").read())
    nodes = {node.name: node for node in written.node}
    before = {node.name: node.op for node in task["graph"].as_graph_def().node}
    gone = [name for name in before if name not in nodes]
    assert gone and {before[name] for name in gone} == {
        "Const"
    }  # weights that became int8
    assert nodes["MatMul"].input[1] == "Const"  # fp32 by configuration
    int8 = [
        node
        for node in written.node
        if node.op == "Const" and node.attr["dtype"].type == tf.int8.as_datatype_enum
    ]
    assert len(int8) >= 30
    assert written.ByteSize() < 0.4 * task["graph"].as_graph_def().ByteSize()

    # The IR is the same model. The outputs differ slightly, because int8 kernels round differently.
    program = lpot._core.Program(q_model.ir)
    assert program.inputs == [f"IteratorGetNext:{number}" for number in range(4)]
    features = task["eval_features"]
    names = ("input_ids", "input_mask", "segment_ids")
    inputs = [
        np.array([getattr(feature, name) for feature in features]) for name in names
    ]
    inputs.append(np.array([[feature.unique_id] for feature in features]))
    of_ir = dict(zip(program.outputs, program.infer(inputs)))["unstack:0"]
    of_graph, of_fp32 = outputs_of(q_model, task)[1], outputs_of(task["graph"], task)[1]
    noise = np.abs(of_fp32 - of_graph).mean()
    assert noise > 0 and np.abs(of_ir - of_graph).mean() < 0.75 * noise


def test_quantizes_once_without_eval_func(task):
    lines = seeds.snippet("002", "write_graph")
    tuned = "q_model = quantizer(graph, q_dataloader=dataloader, eval_func=eval_func)"
    lines = "\n".join(
        line for line in lines.splitlines() if line.strip() != tuned
    ).replace("# q_model", "q_model")
    assert "eval_func" not in lines
    q_model = seeds.run(lines, **task)["q_model"]
    assert q_model.result == {}
    fp32, int8 = task["eval_func"](task["graph"]), task["eval_func"](q_model)
    assert abs(fp32 - int8) < 15
    q_model.save("saved")
    again = lpot.load("saved")
    assert np.array_equal(outputs_of(again, task)[1], outputs_of(q_model, task)[1])


def test_both_constructors_of_the_transform_give_the_same_answers(task):
    results = outputs_of(task["graph"], task)
    from_files = SquadV1PostTransform(
        label_file=task["FLAGS"].label_file,
        vocab_file=task["vocab_file"],
        max_seq_length=LENGTH,
    )
    from_features = SquadV1PostTransform(
        task["eval_examples"], task["eval_features"], 20, 30, True
    )
    label = parse_label_file(task["FLAGS"].label_file)
    raw = [RawResult(*parts) for parts in zip(*results)]
    answers, same_label = from_files((results, label))
    assert answers == from_features((raw, label))[0]
    assert same_label is label and len(answers) == QUESTIONS
    metric = SquadF1()
    metric.update(answers, label)
    assert metric.result() > 40
    # The C++ library cuts answers at byte positions, which does not change F1.
    windows = lpot._core.SquadWindows(
        task["FLAGS"].label_file, str(task["vocab_file"]), max_seq_length=LENGTH
    )
    best = {}
    for unique_id, start, end in zip(*results):
        number = int(unique_id) - windows.first_id
        text, score = windows.answer(number, start, end)
        question = windows.question_id(number)
        if question not in best or score > best[question][0]:
            best[question] = (score, text)
    other = SquadF1()
    other.update({question: text for question, (_, text) in best.items()}, label)
    assert other.result() == pytest.approx(metric.result(), abs=2)


def test_import_paths_of_lpot_1_6_work():
    from lpot.experimental.data.transforms.transform import (
        SquadV1PostTransform as later,
    )
    from lpot.experimental.metric.metric import SquadF1 as later_metric

    assert later is SquadV1PostTransform and later_metric is SquadF1
