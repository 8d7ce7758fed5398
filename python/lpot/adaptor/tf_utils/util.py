"""Graphs of TensorFlow: written to files, and run where they read their data themselves."""

import pathlib

from ...frameworks import need

tf = need("tensorflow")


def write_graph(out_graph_def, out_graph_file) -> None:
    """Writes a GraphDef (or a tf.Graph) as a frozen graph."""
    from ...bridges.tensorflow import write_graph_def

    graph_def = (
        out_graph_def.as_graph_def()
        if isinstance(out_graph_def, tf.Graph)
        else out_graph_def
    )
    write_graph_def(graph_def, pathlib.Path(out_graph_file))


def iterator_sess_run(sess, iter_op, feed_dict, output_tensor, iteration: int = -1):
    """Starts the graph's iterator and runs `output_tensor` over its data.

    The results of all batches, one array for each output (in the structure of `output_tensor`). `iteration`: batches at
    most; -1: all.
    """
    import numpy as np

    sess.run(iter_op, feed_dict)
    batches = []
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
