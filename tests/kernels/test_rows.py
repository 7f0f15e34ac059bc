"""Memory for rows, and what is done to rows everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.kernels.rows import CACHE_LINE, copy, fill, merge, read_only, rows


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
