"""Writes TensorFlow graphs, and runs graphs that contain their own input pipeline."""

import pathlib
from typing import Any

from ...frameworks import require

tf: Any = require("tensorflow")


def write_graph(out_graph_def: Any, out_graph_file: Any) -> None:
    """Writes a GraphDef or tf.Graph to a .pb file."""
    from ...bridges.tensorflow import write_graph_def

    graph_def = (
        out_graph_def.as_graph_def()
        if isinstance(out_graph_def, tf.Graph)
        else out_graph_def
    )
    write_graph_def(graph_def, pathlib.Path(out_graph_file))


def iterator_sess_run(
    sess: Any,
    iter_op: Any,
    feed_dict: Any,
    output_tensor: Any,
    iteration: int = -1,
) -> Any:
    """Initializes the graph's iterator and evaluates `output_tensor` for each batch.

    Returns the concatenated results of all batches: one array per output, in the structure of `output_tensor`.
    `iteration` is the maximum number of batches; -1 means all.
    """
    import numpy as np

    sess.run(iter_op, feed_dict)
    batches: list[Any] = []
    while iteration == -1 or len(batches) < iteration:
        try:
            batches.append(sess.run(output_tensor))
        except tf.errors.OutOfRangeError:
            break
    if not batches:
        return []
    if isinstance(output_tensor, dict):
        return {
            key: np.concatenate([batch[key] for batch in batches])
            for key in output_tensor
        }
    if isinstance(output_tensor, (list, tuple)):
        return [np.concatenate(parts) for parts in zip(*batches)]
    return np.concatenate(batches)
