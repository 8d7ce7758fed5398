"""Saving and loading quantized models."""

import json
import os
import pathlib
import shutil

import numpy as np
import pytest
from conftest import ROOT

import lpot

MODEL = ROOT / "examples" / "quickstart" / "fashion_cnn.onnx"
PLAIN = {"quantization": {"recipes": {"kernel_variants": "plain"}}}


def pictures(seed=0):
    return np.random.default_rng(seed).normal(0, 1, (32, 1, 28, 28)).astype(np.float32)


def quantized(model=MODEL, seed=0, **options):
    return lpot.quantize(str(model), pictures(seed), config=PLAIN, **options)


def first_output(model):
    return next(iter(model.run(pictures(5)).values()))


@pytest.fixture
def source(in_own_folder) -> pathlib.Path:
    """An fp32 model with the name of a saved model, in the working folder."""
    return pathlib.Path(shutil.copy(MODEL, in_own_folder / "model.onnx"))


@pytest.mark.parametrize("run", ["tune", "quantize"])
def test_output_folder_of_the_source_model_is_refused(source, run):
    with pytest.raises(lpot.ConfigError, match=r"model.onnx: .*source model.*choose"):
        getattr(lpot, run)("model.onnx", pictures(), output=".", config=PLAIN)
    assert source.read_bytes() == MODEL.read_bytes()
    assert not pathlib.Path("lpot_workspace").exists()


def test_save_into_the_folder_of_the_source_model_is_refused(source, monkeypatch):
    q_model = quantized("model.onnx", output="int8")
    loaded = lpot.load("int8")
    monkeypatch.chdir("int8")
    for model in (q_model, loaded):
        with pytest.raises(lpot.ConfigError, match="model.onnx: .*source model"):
            model.save("..")
    assert source.read_bytes() == MODEL.read_bytes()
    assert not source.with_name("model.xml").exists()


def test_a_loaded_model_can_be_saved_where_it_is(monkeypatch):
    quantized(output="int8").save("copy")
    expected = first_output(lpot.load("int8"))
    q_model = lpot.load("int8")
    q_model.save("int8")
    monkeypatch.chdir("copy")
    lpot.load(".").save(".")
    for model in (q_model, lpot.load("../int8"), lpot.load(".")):
        np.testing.assert_array_equal(first_output(model), expected)


def test_a_relative_source_path_does_not_name_a_quantized_model(source, monkeypatch):
    quantized("model.onnx").save("int8")
    monkeypatch.chdir("int8")
    lpot.load(".").save(".")  # deploy.yaml names the source model.onnx


def test_saving_does_not_change_loaded_models():
    quantized(output="int8")
    old = lpot.load("int8")
    expected = first_output(old)
    files = {file.name: file.read_bytes() for file in old._folder.path.iterdir()}
    quantized(seed=3).save("int8")
    assert files == {
        file.name: file.read_bytes() for file in old._folder.path.iterdir()
    }
    np.testing.assert_array_equal(first_output(old), expected)
    assert (pathlib.Path("int8/model.bin")).read_bytes() != files["model.bin"]


def test_only_files_of_the_model_are_saved(in_own_folder):
    (in_own_folder / "out").mkdir()
    notes = in_own_folder / "out" / "notes.txt"
    notes.write_text("mine")
    q_model = quantized(output="out")
    for model in (q_model, lpot.load("out")):
        names = sorted(file.name for file in model.ir.parent.iterdir())
        assert names == ["deploy.yaml", "model.bin", "model.onnx", "model.xml", "python.json"]  # fmt: skip
    q_model.save("out")
    assert notes.read_text() == "mine"
    assert sorted(os.listdir("out")) == sorted([*names, "notes.txt"])


def test_files_of_an_earlier_model_do_not_stay():
    quantized().save("int8")
    saved = pathlib.Path("int8")
    (saved / "model.pb").write_text("of a graph that was saved here before")
    info = json.loads((saved / "python.json").read_text())
    (saved / "python.json").write_text(json.dumps({**info, "framework": "tensorflow"}))
    quantized().save("int8")
    assert lpot.load("int8").framework() == "onnx"
    assert not (saved / "model.pb").exists()


def test_paths_that_are_not_utf8():
    output = os.fsdecode(b"out\xff")
    result = lpot.tune(str(MODEL), pictures(), output=output, max_loss=0.9, max_trials=1, config=PLAIN)  # fmt: skip
    assert (pathlib.Path(output) / "result.json").exists()
    expected = first_output(result.model)
    np.testing.assert_array_equal(first_output(lpot.load(output)), expected)
    with pytest.raises(lpot.ModelError, match="none\ufffd.onnx"):
        lpot.tune(os.fsdecode(b"none\xff.onnx"), pictures())
