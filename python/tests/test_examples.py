"""Runs the example scripts with the command lines of their READMEs, on a part of the real data."""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.fixture
def example(in_own_folder, monkeypatch):
    """Copies the folder of an example and changes to the copy, so that scripts do not write to the source tree."""

    def enter(name: str) -> pathlib.Path:
        folder = in_own_folder / "example"
        shutil.copytree(ROOT / "examples" / name, folder)
        monkeypatch.chdir(folder)
        return folder

    return enter


def run(command: str) -> str:
    """Runs a command line, which must succeed, and returns its output. `python` is the interpreter of the tests."""
    environment = {
        **os.environ,
        "PYTHON": sys.executable,
        "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", command], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_python_example_prints_what_its_readme_shows(example):
    folder = example("python")
    (command, expected) = re.search(
        r"```sh\n(.*?)```.*```text\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL
    ).groups()  # fmt: skip
    printed = run(command).splitlines()
    # The number of trials, and which model is faster, depend on the machine.
    accuracy = printed[1].split()
    assert accuracy[0] == "Accuracy" and float(accuracy[2]) >= 0.99 * float(accuracy[1])
    labels = [line.split(":")[0].split("  ")[0] for line in expected.splitlines()]
    found = [line.split(":")[0].split("  ")[0] for line in printed]
    fixed = [label for label in labels if label and not label[0].isdigit()]
    assert [label for label in found if label in fixed][: len(fixed)] == fixed
    assert expected.splitlines()[-2] in printed  # the predictions
    assert (folder / "int8" / "model.xml").exists()


def first_lines(source: pathlib.Path, target: pathlib.Path, count: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = source.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    target.write_text("".join(lines[: count + 1]))


def test_blendcnn_trains_tunes_and_benchmarks(example, data):
    folder = example("pytorch/blendcnn")
    for part, count in (("train", 160), ("dev", 64)):
        first_lines(
            data / "glue-mrpc" / f"{part}.tsv", folder / "MRPC" / f"{part}.tsv", count
        )
    vocab = folder / "models" / "uncased_L-12_H-768_A-12" / "vocab.txt"
    vocab.parent.mkdir(parents=True)
    shutil.copy(data / "bert-vocab" / "vocab.txt", vocab)
    assert "epoch 3" in run(
        "python classify.py --model_config config/blendcnn/mrpc/train.json"
    )
    assert (folder / "models" / "model_final.pt").exists()

    models, int8 = folder / "models", folder / "elsewhere" / "int8"
    run(
        f"./run_tuning.sh --input_model={models}/ --dataset_location={folder}/MRPC/ --output_model={int8}/"
    )
    assert (int8 / "model.xml").exists()
    speed = "Batch size = 32\nLatency: "
    # Without --input_model, the script uses the model that tuning saved last.
    assert speed in run(
        "./run_benchmark.sh --int8=true --mode=benchmark --batch_size=32"
    )
    assert speed in run(
        f"./run_benchmark.sh --int8=False --mode=benchmark --batch_size=32 --input_model={models}"
    )
    of_int8 = run("./run_benchmark.sh --int8=True --mode=accuracy --batch_size=32")
    assert of_int8 == run(
        f"./run_benchmark.sh --int8=true --mode=accuracy --batch_size=32 --input_model={int8}"
    )
    of_fp32 = run("./run_benchmark.sh --int8=false --mode=accuracy --batch_size=32")
    accuracy = [float(text.split()[1]) for text in (of_int8, of_fp32)]
    assert accuracy[0] >= 0.99 * accuracy[1] > 0.5


def test_bert_meets_the_accuracy_goal(example, data):
    import from_onnx

    folder = example("pytorch/bert")
    from_onnx.read(data / "minilm-mrpc-onnx" / "minilm_mrpc.onnx").save_pretrained(
        folder / "models" / "mrpc"
    )
    shutil.copy(data / "bert-vocab" / "vocab.txt", folder / "models" / "mrpc")
    first_lines(data / "glue-mrpc" / "dev.tsv", folder / "MRPC" / "dev.tsv", 200)
    common = "python run_glue_tune.py --task_name mrpc --data_dir MRPC"
    run(
        f"{common} --model_name_or_path models/mrpc --do_ilit_tune --output_dir int8/mrpc"
    )
    fp32, int8 = (
        f1_of(run(f"{common} --model_name_or_path {model} --do_eval"))
        for model in ("models/mrpc", "int8/mrpc")
    )
    assert "relative: 0.01" in (folder / "conf.yaml").read_text()
    assert int8 >= 0.99 * fp32 > 0.8


def f1_of(output: str) -> float:
    return float(output.split("f1 ")[1].split(",")[0])


def test_bert_run_all_tunes_all_tasks_with_data(example, data):
    import from_onnx
    from transformers import BertForQuestionAnswering

    folder = example("pytorch/bert")
    vocab = data / "bert-vocab" / "vocab.txt"
    module = from_onnx.read(data / "minilm-mrpc-onnx" / "minilm_mrpc.onnx")
    first_lines(
        data / "glue-mrpc" / "dev.tsv", folder / "glue_data" / "MRPC" / "dev.tsv", 48
    )
    squad = folder / "glue_data" / "SQuAD" / "dev-v1.1.json"
    squad.parent.mkdir()
    # The network has a random head, so any part of the paragraph counts as correct and the goal is loose.
    questions = some_questions(data, 4)
    (paragraph,) = questions["data"][0]["paragraphs"]
    for question in paragraph["qas"]:
        question["answers"] = [{"text": paragraph["context"], "answer_start": 0}]
    squad.write_text(json.dumps(questions))
    conf = folder / "conf.yaml"
    conf.write_text(conf.read_text().replace("relative: 0.01", "relative: 0.99"))
    answers = BertForQuestionAnswering(module.config).eval()
    answers.bert.load_state_dict(module.bert.state_dict(), strict=False)
    for name, model in (("mrpc", module), ("squad", answers)):
        model.save_pretrained(folder / "models" / name)
        shutil.copy(vocab, folder / "models" / name / "vocab.txt")
    output = run("./run_all.sh")
    assert "== mrpc\n" in output and "== squad\n" in output
    assert "== cola: left out, needs ./glue_data/CoLA/dev.tsv" in output
    common = "python run_glue_tune.py --task_name mrpc --data_dir glue_data/MRPC"
    scores = [
        run(f"{common} --model_name_or_path {model} --do_eval")
        for model in ("models/mrpc", "int8/mrpc")
    ]
    fp32, int8 = (f1_of(text) for text in scores)
    assert int8 >= 0.9 * fp32 > 0.5
    assert run(
        "python run_squad_tune.py --predict_file glue_data/SQuAD/dev-v1.1.json --model_name_or_path int8/squad --do_eval"
    ).startswith("F1 ")


def some_questions(data, count: int) -> dict:
    """Returns the first questions of an article that the model was not trained on."""
    text = gzip.open(data / "squad-v1.1" / "dev-v1.1.json.gz", "rt").read()
    (article,) = [
        article for article in json.loads(text)["data"] if article["title"] == "Normans"
    ]
    paragraph = article["paragraphs"][0]
    paragraph["qas"] = paragraph["qas"][:count]
    return {"version": "1.1", "data": [{**article, "paragraphs": [paragraph]}]}


def test_tensorflow_bert_tunes_and_benchmarks(example, data):
    folder = example("tensorflow/nlp/bert")
    squad = data / "squad-v1.1" / "dev-v1.1.json.gz"
    vocab = data / "bert-vocab" / "vocab.txt"
    run(f"bash prepare_dataset.sh --output_dir=./data --squad={squad} --vocab={vocab}")
    frozen = data / "minilm-squad-pb" / "minilm_squad_frozen.pb"
    assert "model: ./model/bert.pb" in run(
        f"bash prepare_model.sh --output_dir=./model --frozen={frozen}"
    )
    common = (
        "--label_file data/dev-v1.1.json --vocab_file data/vocab.txt --max_seq_length 256 "
        "--articles Normans --max_questions 10"
    )
    output = run(
        f"python tune_squad.py --input_model model/bert.pb --output_model int8.pb {common}"
    )
    assert "saved: int8.pb for TensorFlow, int8/model.xml for OpenVINO" in output
    assert (folder / "int8" / "model.xml").exists()
    assert (folder / "int8.pb").stat().st_size < 0.5 * frozen.stat().st_size
    output = run(f"python tune_squad.py --input_model int8.pb {common} --mode accuracy")
    assert float(output.split("accuracy is F1: ")[1].split()[0]) > 40
    output = run(
        f"python tune_squad.py --input_model int8.pb {common} --mode benchmark --iteration 3"
    )
    assert "Latency is " in output and "accuracy" not in output


def tensorflow_name(name: str) -> str:
    """Converts the name of a Hugging Face weight to the name in Google's checkpoints."""
    if name.startswith("qa_outputs."):
        return "cls/squad/output_" + name.split(".")[1].replace("weight", "weights")
    name = name.replace("layer.", "layer_").replace(".", "/")
    if name.endswith("_embeddings/weight"):
        return name.removesuffix("/weight")
    last = (
        {"weight": "gamma", "bias": "beta"}
        if "LayerNorm" in name
        else {"weight": "kernel", "bias": "bias"}
    )
    scope, _, kind = name.rpartition("/")
    return f"{scope}/{last[kind]}"


def test_freeze_script_freezes_a_bert_checkpoint(example, data, in_own_folder):
    import numpy as np
    import tensorflow as tf
    import torch
    from transformers import BertConfig, BertForQuestionAnswering

    from lpot.adaptor.tf_utils.util import iterator_sess_run
    from lpot.data.squad import FeatureWriter, read_squad

    folder = example("tensorflow/nlp/bert")
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}  # fmt: skip
    torch.manual_seed(0)
    module = BertForQuestionAnswering(
        BertConfig(vocab_size=30522, hidden_act="gelu_new", **sizes)
    ).eval()
    variables = {}
    for name, value in module.state_dict().items():
        if not name.endswith("position_ids"):
            # Larger weights, so that the outputs are far from constant.
            array = value.numpy() * np.float32(5)
            value.copy_(torch.from_numpy(array))
            is_kernel = tensorflow_name(name).endswith("/kernel")
            variables[tensorflow_name(name)] = array.T if is_kernel else array
    (folder / "model").mkdir()
    tf.raw_ops.SaveV2(
        prefix="model/model.ckpt", tensor_names=list(variables), shape_and_slices=[""] * len(variables),
        tensors=list(variables.values()),
    )  # fmt: skip
    (folder / "model" / "bert_config.json").write_text(json.dumps(sizes))
    run(
        "python freeze.py --bert_config model/bert_config.json --max_seq_length 96 --output model/bert.pb"
    )

    labels = in_own_folder / "labels.json"
    labels.write_text(json.dumps(some_questions(data, 3)))
    _, features = read_squad(
        labels, data / "bert-vocab" / "vocab.txt", max_seq_length=96, doc_stride=24
    )
    writer = FeatureWriter(in_own_folder / "eval.tf_record")
    for feature in features:
        writer.process_feature(feature)
    writer.close()
    graph_def = tf.compat.v1.GraphDef()
    graph_def.ParseFromString((folder / "model" / "bert.pb").read_bytes())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    with tf.compat.v1.Session(graph=graph) as session:
        unique_ids, start, end = iterator_sess_run(
            session,
            graph.get_operation_by_name("MakeIterator"),
            {"input_file:0": writer.filename, "batch_size:0": 4},
            [graph.get_tensor_by_name(name) for name in ("IteratorGetNext:3", "unstack:0", "unstack:1")],
        )  # fmt: skip
    assert unique_ids.tolist() == [feature.unique_id for feature in features]
    columns = {
        name: torch.tensor([getattr(feature, own) for feature in features])
        for name, own in (
            ("input_ids", "input_ids"),
            ("attention_mask", "input_mask"),
            ("token_type_ids", "segment_ids"),
        )
    }
    with torch.no_grad():
        expected = module(**columns)
    assert (
        np.abs(start - expected.start_logits.numpy()).max() < 1e-3 * np.abs(start).max()
    )
    assert np.abs(end - expected.end_logits.numpy()).max() < 1e-3 * np.abs(end).max()
