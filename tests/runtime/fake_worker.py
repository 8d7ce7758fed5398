"""Stands for onnxruntime_worker.py in tests: the same messages, without ONNX Runtime. Models double their input."""

import json
import struct
import sys

SIZES = {"f32": 4, "i64": 8, "u8": 1}


def send(line, payload=b""):
    sys.stdout.buffer.write(json.dumps(line).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def main():
    mode = sys.argv[1]
    if mode == "not-installed":
        return send({"error": "No module named 'onnxruntime'"})
    if mode == "garbage":
        return print("Hello")
    send({"version": "1.2.3", "python": "/fake/python"})
    port = {"name": "x", "type": "f32", "shape": [-1, 3]}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        tensors = []
        for tensor in request.get("tensors", []):
            size = SIZES[tensor["type"]]
            for dim in tensor["shape"]:
                size *= dim
            tensors.append(sys.stdin.buffer.read(size))
        if request["do"] == "load" and "missing" in request["path"]:
            send({"error": "NoSuchFile: load failed"})
        elif request["do"] == "load":
            send({"number": 0, "inputs": [port], "outputs": [{**port, "name": "y"}]})
        elif request["do"] == "run" and mode == "crash":
            sys.exit(3)
        elif request["do"] == "run":
            count = len(tensors[0]) // 4
            values = struct.unpack(f"{count}f", tensors[0])
            send(
                {"tensors": [{"type": "f32", "shape": request["tensors"][0]["shape"]}]},
                struct.pack(f"{count}f", *(2 * x for x in values)),
            )
        elif request["do"] == "time":
            runs = min(request["runs"], 3)
            send(
                {
                    "wall_ms": [2.0] * runs,
                    "cpu_ms": [4.0] * runs,
                    "total_cpu_ms": 4.0 * runs,
                }
            )
        else:
            send({})


main()
