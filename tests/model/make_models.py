"""Creates the small models in tests/model/data. Needs tensorflow-cpu (2.21 was used) and numpy.

    python tests/model/make_models.py

A network with two convolutions, a matrix product, variables, two inputs, two outputs and a dynamic batch, as
SavedModel (data/saved_model) and as data/network.tflite. `expected.txt` contains TensorFlow's output for inputs of 0.5.

data/spectrum.tflite is a matrix product of the real part of a Fourier transform, an operation that OpenVINO does not
support.
"""

import pathlib
import shutil

import numpy as np
import tensorflow as tf

DATA = pathlib.Path(__file__).parent / "data"


class Network(tf.Module):
    def __init__(self):
        super().__init__()
        random = np.random.default_rng(5)

        def variable(*shape):
            return tf.Variable(random.normal(0, 0.3, shape).astype(np.float32))

        self.kernel = variable(3, 3, 2, 4)
        self.bias = variable(4)
        self.gamma, self.beta, self.mean = (
            variable(4),
            tf.Variable(np.ones(4, np.float32)),
            variable(4),
        )
        self.deviation = tf.Variable(random.uniform(0.5, 2, 4).astype(np.float32))
        self.depthwise = tf.Variable(
            random.uniform(-0.1, 0.4, (3, 3, 4, 1)).astype(np.float32)
        )
        self.weights = variable(64, 5)

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 8, 8, 2], tf.float32, name="image"),
            tf.TensorSpec([None, 5], tf.float32, name="offset"),
        ]
    )
    def __call__(self, image, offset):
        x = tf.nn.conv2d(image, self.kernel, 2, "SAME", name="conv") + self.bias
        x = (x - self.mean) / self.deviation * self.gamma + self.beta
        x = tf.nn.relu(x)
        features = tf.nn.depthwise_conv2d(
            x, self.depthwise, [1, 1, 1, 1], "SAME", name="depthwise"
        )
        flat = tf.reshape(tf.nn.relu(features), [-1, 64])
        return {
            "logits": tf.matmul(flat, self.weights, name="dense") + offset,
            "features": flat,
        }


class Spectrum(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(np.ones((9, 2), np.float32))

    @tf.function(input_signature=[tf.TensorSpec([4, 16], tf.float32, name="audio")])
    def __call__(self, audio):
        spectrum = tf.cast(tf.signal.rfft(audio), tf.float32, name="spectrum")
        return {"scores": tf.matmul(spectrum, self.weights)}


def to_tflite(network):
    function = network.__call__.get_concrete_function()
    return tf.lite.TFLiteConverter.from_concrete_functions(
        [function], network
    ).convert()


def main():
    folder = DATA / "saved_model"
    shutil.rmtree(folder, ignore_errors=True)
    network = Network()
    tf.saved_model.save(network, str(folder), signatures=network.__call__)
    shutil.rmtree(folder / "assets", ignore_errors=True)
    (folder / "fingerprint.pb").unlink(missing_ok=True)
    (DATA / "network.tflite").write_bytes(to_tflite(network))
    (DATA / "spectrum.tflite").write_bytes(to_tflite(Spectrum()))
    outputs = network(tf.fill([1, 8, 8, 2], 0.5), tf.fill([1, 5], 0.5))
    (DATA / "expected.txt").write_text(
        " ".join(f"{v:.7g}" for v in outputs["logits"].numpy().ravel()) + "\n"
    )


if __name__ == "__main__":
    main()
