"""Conversion of NumPy arrays to tensors of the C++ library."""

import numpy as np
import pytest

from lpot import _core
from lpot.collect import as_array


@pytest.mark.parametrize("order", ["<", ">", "="])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i2", "i4", "i8", "u2", "u8"])
def test_byte_orders(order, kind):
    x = np.arange(6).reshape(2, 3).astype(order + kind)
    labels = np.array([3, 4]).astype(order + kind)
    data = _core.CollectedData([])
    data.add([as_array(x)], as_array(labels), 2)
    (row,), label = data[1]
    np.testing.assert_array_equal(row, [3, 4, 5])
    assert row.dtype == np.dtype(kind) and label == 4
