"""Columns are listed where they are marked, all of them and no others."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.bits import marked_columns


@pytest.mark.parametrize("size", [1, 7, 63, 64, 65, 128, 300, 768])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.04, 0.5, 1.0])
def test_marked_columns_are_listed(size: int, share: float) -> None:
    marks = (np.random.default_rng(size).random(size) < share).astype(np.uint8)
    columns = np.full(size + 64, 99, np.uint32)
    found = marked_columns(marks, 1000, columns)
    assert sorted(columns[:found].tolist()) == (1000 + np.flatnonzero(marks)).tolist()
