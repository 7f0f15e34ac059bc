"""Memory for rows, and what is done to rows everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.kernels.rows import (
    CACHE_LINE,
    copy,
    fill,
    gather,
    merge,
    read_only,
    rows,
    scatter,
    scatter_value,
)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
def test_rows_begin_with_a_cache_line_and_hold_what_is_put_there(dtype: type) -> None:
    table = rows((3, 128), dtype)
    assert all(row.ctypes.data % CACHE_LINE == 0 for row in table) and not table.any()
    fill(table[1], 100)
    copy(table[1], table[2, :64])
    assert table.sum(axis=1).tolist() == [0, 12_800, 6_400]


def test_nobody_writes_through_a_view_that_is_read_only() -> None:
    row = rows(4, np.uint8)
    view = read_only(row)
    row[0] = 7
    assert view[0] == 7
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1


def test_answers_go_where_they_were_asked_for() -> None:
    asked = np.array([1, 0, 1, 0], np.uint8)
    answers = np.array([3, 200, 5, 9], np.uint8)
    merged = np.array([255, 255, 1, 1], np.uint8)
    assert merge(asked, answers, merged) == 5
    assert merged.tolist() == [3, 255, 5, 1]
    assert merge(0 * asked, answers, merged) == 0


def test_listed_elements_are_copied_together_and_back() -> None:
    row = np.arange(8, dtype=np.uint64)
    listed, together = np.array([6, 1, 3], np.uint32), np.zeros(2, np.uint64)
    gather(row, listed, together)
    assert together.tolist() == [6, 1]
    scatter(together + np.uint64(10), listed, row)
    scatter_value(np.uint64(9), listed[2:], row)
    assert row.tolist() == [0, 11, 2, 9, 4, 5, 16, 7]
