"""Runs ONNX models in ONNX Runtime for the program lpot, which starts this file and talks to it through pipes.

A message is a line of JSON, followed by the bytes of the tensors that the line lists ("tensors": type and shape of each).
The first message reports the version. Every request gets one answer; one with "error" says why a request failed.

    load     path, threads              -> number, inputs, outputs
    run      model, tensors             -> tensors
    batch    model, tensors             -> stores a batch for `time`
    time     model, runs, block_ms,     -> wall_ms, cpu_ms of each run; total_cpu_ms
             warm, one_thread
"""

import json
import os
import select
import sys
import threading
import time

TYPES = {
    "bool": "bool", "u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32",
    "u64": "uint64", "i64": "int64", "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip
ONNX_TYPES = {
    "float": "f32", "double": "f64", "float16": "f16", "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16",
    "uint32": "u32", "int32": "i32", "uint64": "u64", "int64": "i64", "bool": "bool",
}  # fmt: skip


class Channel:
    """Standard input and output. Everything else that is printed goes to standard error."""

    def __init__(self):
        self.input = os.fdopen(0, "rb", buffering=1 << 16)
        self.output = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
        os.dup2(2, 1)

    def read(self):
        line = self.input.readline()
        if not line:
            return None
        request = json.loads(line)
        request["tensors"] = [self.read_tensor(x) for x in request.get("tensors", [])]
        return request

    def read_tensor(self, description):
        import numpy

        tensor = numpy.empty(description["shape"], TYPES[description["type"]])
        target = memoryview(tensor.reshape(-1).view("uint8"))
        done = 0
        while done < len(target):
            count = self.input.readinto(target[done:])
            if not count:
                raise EOFError
            done += count
        return tensor

    def write(self, answer, tensors=()):
        import numpy

        names = {name: short for short, name in TYPES.items()}
        arrays = [numpy.ascontiguousarray(x).reshape(x.shape) for x in tensors]
        for array in arrays:
            if str(array.dtype) not in names:
                raise TypeError(f"an output has the type {array.dtype}")
        if arrays:
            answer["tensors"] = [
                {"type": names[str(x.dtype)], "shape": list(x.shape)} for x in arrays
            ]
        self.send(answer)
        for array in arrays:
            self.output.write(array.reshape(-1).view("uint8").data)
        self.output.flush()

    def send(self, answer):
        self.output.write(json.dumps(answer).encode() + b"\n")
        self.output.flush()


def end_with_parent():
    """Ends this process when lpot has ended, also during an inference."""
    poll = select.poll()
    poll.register(0, 0)  # reports only that the other end is closed
    while not poll.poll():
        pass
    os._exit(0)


class Model:
    def __init__(self, path, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        # Threads that spin while they wait would take time from the other models.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
        self.names = [port.name for port in self.session.get_inputs()]
        self.batches = []
        self.turn = 0

    def ports(self):
        return {
            "inputs": [describe(port) for port in self.session.get_inputs()],
            "outputs": [describe(port) for port in self.session.get_outputs()],
        }

    def feed(self, tensors):
        return dict(zip(self.names, tensors))

    def run(self, tensors):
        return self.session.run(None, self.feed(tensors))

    def run_next(self):
        """One inference with the next batch; its seconds."""
        batch = self.batches[self.turn]
        self.turn = (self.turn + 1) % len(self.batches)
        start = time.perf_counter()
        self.session.run(None, batch)
        return time.perf_counter() - start

    def block(self, runs, block_ms, warm, one_thread):
        if warm:
            self.run_next()
        cpu = time.thread_time if one_thread else time.process_time
        wall_ms, cpu_ms = [], []
        start, cpu_start = time.perf_counter(), cpu()
        while True:
            before = cpu()
            wall_ms.append(1000 * self.run_next())
            cpu_ms.append(1000 * (cpu() - before))
            elapsed_ms = 1000 * (time.perf_counter() - start)
            if elapsed_ms >= block_ms or len(wall_ms) >= runs:
                break
        total = 1000 * (cpu() - cpu_start)
        return {"wall_ms": wall_ms, "cpu_ms": cpu_ms, "total_cpu_ms": total}


def describe(port):
    kind = port.type
    kind = kind[len("tensor(") : -1] if kind.startswith("tensor(") else kind
    if kind not in ONNX_TYPES:
        raise TypeError(f"'{port.name}' has the type {port.type}")
    shape = [size if isinstance(size, int) else -1 for size in port.shape]
    return {"name": port.name, "type": ONNX_TYPES[kind], "shape": shape}


def answer(models, request):
    """The answer and the tensors after it."""
    kind = request["do"]
    if kind == "load":
        model = Model(request["path"], request["threads"])
        ports = model.ports()
        models.append(model)
        return {"number": len(models) - 1, **ports}, []
    model = models[request["model"]]
    if kind == "run":
        return {}, model.run(request["tensors"])
    if kind == "batch":
        model.batches.append(model.feed(request["tensors"]))
        return {}, []
    block = model.block(
        request["runs"], request["block_ms"], request["warm"], request["one_thread"]
    )
    return block, []


def main():
    channel = Channel()
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        import numpy  # noqa: F401
        import onnxruntime
    except ImportError as error:
        channel.send({"error": str(error)})
        return
    channel.send({"version": onnxruntime.__version__, "python": sys.executable})
    models = []
    while True:
        try:
            request = channel.read()
            if request is None:
                return
            answered, tensors = answer(models, request)
            del request
            channel.write(answered, tensors)
        except (BrokenPipeError, EOFError):
            return
        except Exception as error:
            channel.send({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
