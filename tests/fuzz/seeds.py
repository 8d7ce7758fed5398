"""Writes the seed corpora of the fuzz targets: tests/fuzz/seeds.py FOLDER writes FOLDER/TARGET/NAME.

Small well-formed inputs, from test data and generated here. The first one or two bytes of some targets choose a
layout (targets/*.cpp).
"""

import gzip
import json
import pathlib
import sqlite3
import struct
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value % 128 + 128])
        value >>= 7
    return out + bytes([value])


def block(field, content):
    return varint(field * 8 + 2) + varint(len(content)) + content


def number(field, value):
    return varint(field * 8) + varint(value)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def record(content):
    def masked(data):
        crc = crc32c(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    length = struct.pack("<Q", len(content))
    return length + masked(length) + content + masked(content)


def example(**features):
    entries = b""
    for name, values in features.items():
        name = name.replace("__", "/")
        if isinstance(values[0], bytes):
            values = block(1, b"".join(block(1, value) for value in values))
        elif isinstance(values[0], float):
            values = block(2, block(1, struct.pack(f"<{len(values)}f", *values)))
        else:
            values = block(3, block(1, b"".join(varint(value) for value in values)))
        entries += block(1, block(1, name.encode()) + block(2, values))
    return block(1, entries)


def npy(descr, shape, data, version=1):
    header = (
        f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    )
    header += b" " * (-(len(header) + 11) % 16) + b"\n"
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + struct.pack("<H" if version == 1 else "<I", len(header))
        + header
        + data
    )


def idx(shape, data):
    return struct.pack(f">{len(shape) + 1}I", 0x0800 + len(shape), *shape) + data


def mnist(images, labels):
    return struct.pack(">H", len(images)) + images + labels


def wav(encoding, channels, bits, data):
    block = channels * bits // 8
    form = struct.pack("<HHIIHH", encoding, channels, 22050, 22050 * block, block, bits)
    if encoding == 0xFFFE:
        form += struct.pack("<HHIH14x", 22, bits, 4, 1)
    chunks = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    chunks += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunks)) + chunks


def squad():
    answers = [{"answer_start": 4, "text": "red fox"}]
    question = {"id": "q1", "question": "Who jumps?", "answers": answers}
    paragraph = {
        "context": "The red fox jumps over the lazy dog, as foxes do every day.",
        "qas": [question],
    }
    return {"version": "1.1", "data": [{"title": "Foxes", "paragraphs": [paragraph]}]}


def coco():
    return {
        "images": [{"id": 7, "file_name": "a.jpg", "height": 10, "width": 20}],
        "annotations": [
            {
                "id": 1,
                "image_id": 7,
                "bbox": [1, 2, 3.5, 4],
                "category_id": 3,
                "iscrowd": 0,
                "area": 9.5,
                "segmentation": [[1, 2]],
            }
        ],
        "categories": [{"id": 3, "name": "car"}],
    }


def plan():
    scheme = {"algorithm": "minmax", "granularity": "per_tensor", "scheme": "asym"}
    op = {
        "precision": "int8",
        "activation": scheme,
        "weight": {**scheme, "granularity": "per_channel", "scheme": "sym"},
    }
    return {
        "ops": {"conv1": op, "fc": {"precision": "fp32"}},
        "recipes": {
            "smooth_quant": True,
            "smooth_quant_alpha": 0.5,
            "run_time_groups": 32,
        },
        "sampling_size": 100,
    }


def measured():
    return {
        "accuracy": 0.9,
        "metrics": [{"name": "topk", "value": 0.9}],
        "latency_ms": 1.5,
        "speedup": 1.7,
        "size_bytes": 1000,
        "footprint_bytes": 2000,
        "samples": 100,
        "complete": True,
    }


def cbor(value):
    def head(major, count):
        return (
            bytes([major << 5 | count])
            if count < 24
            else bytes([major << 5 | 25]) + struct.pack(">H", count)
        )

    if value is None:
        return b"\xf6"
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value)) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(
        cbor(key) + cbor(item) for key, item in value.items()
    )


def notes():
    scores = [[1.0, 0.25], None, [0.0, -0.5]]
    outputs = [[11, [1, 2], struct.pack("<2f", 0.5, 1.5)], [1, [3], b"abc"]]
    return cbor(
        {
            "baseline": scores,
            "first": scores,
            "batch_size": 32,
            "streams": 2,
            "baseline_labels": [outputs, outputs],
        }
    )


def statistics():
    def text(value):
        return struct.pack("<Q", len(value)) + value

    channel = struct.pack("<ffddQ", -1.0, 2.0, 3.0, 14.0, 10)
    histogram = (
        struct.pack("<qQBQ", 1, 0, 1, 2)
        + struct.pack("<IQ", 5, 7)
        + struct.pack("<IQ", 9, 3)
    )
    tensor = struct.pack("<Q", 1) + channel + histogram
    return text(b"lpot-statistics-2") + struct.pack("<Q", 1) + text(b"conv1:0") + tensor


def store():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lpot.db"
        database = sqlite3.connect(path)
        database.executescript(
            """
            PRAGMA page_size=512;
            CREATE TABLE studies (
              id INTEGER PRIMARY KEY AUTOINCREMENT, model_name TEXT NOT NULL, model_fingerprint TEXT NOT NULL,
              data TEXT NOT NULL, settings TEXT NOT NULL, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
            CREATE TABLE trials (
              study INTEGER NOT NULL REFERENCES studies(id), number INTEGER NOT NULL, plan TEXT NOT NULL,
              result TEXT, error TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (study, number));
            CREATE TABLE measurements (
              study INTEGER NOT NULL REFERENCES studies(id), key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (study, key));
            PRAGMA user_version=1;
            """
        )
        database.execute(
            "INSERT INTO studies (model_name, model_fingerprint, data, settings) VALUES ('net', '1', 'd', '{}')"
        )
        database.execute(
            "INSERT INTO trials VALUES (1, 1, ?, ?, '', 2.5)",
            (json.dumps(plan()), json.dumps(measured())),
        )
        database.execute(
            "INSERT INTO measurements VALUES (1, 'baseline', ?)",
            (json.dumps(measured()),),
        )
        database.execute(
            "INSERT INTO measurements VALUES (1, 'statistics', ?)", (statistics(),)
        )
        database.commit()
        database.close()
        return path.read_bytes()


def tensorflow_graph():
    def node(name, op, inputs=(), attributes=()):
        fields = (
            block(1, name) + block(2, op) + b"".join(block(3, one) for one in inputs)
        )
        return block(
            1,
            fields
            + b"".join(
                block(5, block(1, key) + block(2, value)) for key, value in attributes
            ),
        )

    shape = block(7, block(2, number(1, 1)) + block(2, number(1, 49)))
    return (
        node(b"wav", b"Placeholder", (), [(b"dtype", number(6, 1)), (b"shape", shape)])
        + node(
            b"Mfcc",
            b"Mfcc",
            [b"wav", b"^wav"],
            [(b"num", number(3, 2)), (b"T", block(1, number(6, 1)))],
        )
        + node(
            b"out",
            b"Relu",
            [b"Mfcc:0"],
            [(b"output_types", block(1, block(6, b"\x01\x03")))],
        )
    )


def onnx_graph():
    node = block(1, b"x") + block(2, b"y") + block(3, b"conv1") + block(4, b"Conv")
    relu = block(1, b"y") + block(2, b"z") + block(3, b"relu1") + block(4, b"Relu")
    graph = (
        block(1, node) + block(1, relu) + block(2, b"net") + block(12, block(1, b"z"))
    )
    return number(1, 8) + block(7, graph)


def seeds():
    images = ROOT / "tests/data/images"
    jpeg, png = (images / "grey.jpg").read_bytes(), (images / "grey.png").read_bytes()
    for path in sorted((ROOT / "tests/cases").glob("*.yaml")):
        yield "config", path.stem, path.read_bytes()
    for kind in ("jpg", "png"):
        for path in sorted(images.glob(f"*.{kind}")):
            yield {"jpg": "jpeg"}.get(kind, kind), path.stem, path.read_bytes()
    vocabulary = (ROOT / "tests/data/text/vocab.txt").read_bytes()
    yield "vocabulary", "whole", vocabulary
    yield (
        "vocabulary",
        "small",
        b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n##s\nfox\n\xc3\xa9\n\xe4\xb8\xad\n",
    )
    yield "vocabulary", "compressed", gzip.compress(vocabulary, mtime=0)
    yield (
        "tokenizer",
        "words",
        "Unaffable! The caf\u00e9's \u4e2d\u6587 \u0130stanbul na\u00efve\u200b \ufffd \U0001f600 e\u0301".encode(),
    )
    yield "tokenizer", "cut", b"\xe4\xb8 \xf0\x9f \xff\xfe a\x00b"
    line = {
        0: b"sentence\tlabel\nthe fox\t1\n",
        1: b"Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t2\t3\tThe fox.\tA fox.\n",
        2: b"gj04\t1\t\tThe fox jumps.\n",
        3: b"index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n0\ta\tb\tc\t1\td\te\tA fox.\tA dog.\t3.5\n",
        4: b"index\tquestion\tsentence\tlabel\n0\tWho?\tThe fox.\tentailment\n",
    }
    for task in range(10):
        for layout, text in line.items():
            yield "tsv", f"task{task}-{layout}", bytes([task, 0]) + text
    yield "squad", "one", json.dumps(squad()).encode()
    yield "squad", "compressed", gzip.compress(json.dumps(squad()).encode(), mtime=0)
    yield "coco", "one", json.dumps(coco()).encode()
    bert = example(
        input_ids=[101, 7, 102], input_mask=[1, 1, 1], scale=[0.5], label_ids=[1]
    )
    picture = example(image__encoded=[png], image__class__label=[3])
    boxes = {
        f"image__object__bbox__{side}": [0.25]
        for side in ("ymin", "xmin", "ymax", "xmax")
    }
    objects = example(
        image__encoded=[jpeg],
        **boxes,
        image__object__class__label=[3],
        image__height=[8],
        image__width=[8],
    )
    named = example(
        image__encoded=[jpeg],
        **boxes,
        image__object__class__text=[b"car"],
        image__object__area=[4.0],
    )
    segmented = example(image__encoded=[png], image__segmentation__class__encoded=[png])
    for name, which, content in (
        ("bert", 0, bert),
        ("picture", 1, picture),
        ("objects", 2, objects),
        ("named", 2, named),
        ("segmented", 3, segmented),
    ):
        yield "records", name, bytes([which, 0]) + content
        yield "records", name + "-file", bytes([which, 1]) + record(content) * 2
    yield "npy", "floats", npy("<f4", "(2, 3)", struct.pack("<6f", *range(6)))
    yield "npy", "bytes", npy("|u1", "(4,)", b"abcd", version=2)
    yield "npy", "longs", npy("<i8", "(1, 2, 1)", struct.pack("<2q", 1, 2))
    yield "npy", "halves", npy("<f2", "(2, 1)", struct.pack("<2e", 0.5, 1.5))
    pixels, labels = idx((2, 3, 4), bytes(range(24))), idx((2,), b"\x01\x09")
    yield "idx", "two", mnist(pixels, labels)
    yield (
        "idx",
        "compressed",
        mnist(gzip.compress(pixels, mtime=0), gzip.compress(labels, mtime=0)),
    )
    plane = bytes(range(256)) * 12
    yield "cifar", "ten", b"\x00" + b"\x03" + plane
    yield "cifar", "hundred", b"\x01" + b"\x03\x45" + plane
    yield "image_list", "two", b"a.jpg 1\n a.jpg\t-2\r\n\n"
    yield "wav", "pcm16", b"\x00" + wav(1, 2, 16, struct.pack("<8h", *range(8)))
    yield "wav", "float", b"\x01" + wav(3, 1, 32, struct.pack("<500f", *range(500)))
    yield "wav", "pcm24", b"\x02" + wav(1, 1, 24, bytes(range(255)))
    yield "wav", "extensible", b"\x00" + wav(0xFFFE, 1, 8, bytes(range(9)))
    yield "store", "one", store()
    yield "stored_values", "plan", b"\x00" + json.dumps(plan()).encode()
    yield "stored_values", "measured", b"\x01" + json.dumps(measured()).encode()
    probe = {
        "plan": json.dumps(plan()),
        "distance": 0.1,
        "seconds": 1.5,
        "before_trial": 2,
    }
    yield "stored_values", "probe", b"\x02" + json.dumps(probe).encode()
    kernel_variants = {
        "conv1": {
            "fp32_ms": 1.5,
            "plain_ms": 1,
            "convolution_ms": 0.5,
            "form": "convolution",
            "slower_in_int8": True,
        }
    }
    yield (
        "stored_values",
        "kernel_variants",
        b"\x03" + json.dumps(kernel_variants).encode(),
    )
    yield "stored_values", "notes", b"\x04" + notes()
    yield "stored_values", "statistics", b"\x05" + statistics()
    yield "graph", "onnx", b"\x00" + onnx_graph()
    yield "graph", "tensorflow", b"\x01" + tensorflow_graph()


def main():
    folder = pathlib.Path(sys.argv[1])
    for target, name, content in seeds():
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / name).write_bytes(content)


if __name__ == "__main__":
    main()
