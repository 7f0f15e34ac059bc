"""When compiling has to be announced."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from analyzer import compilation
from analyzer.compilation import JIT_DISABLED, is_cold, kernel


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_each_module_is_cold_until_its_own_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "_directory", tmp_path)
    for name in ("games.tidal", "games.plain"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["games.tidal"].play = kernel(lambda x: x)  # type: ignore[attr-defined]
    (tmp_path / "games_0123").mkdir()
    (tmp_path / "games_0123" / "other.play-1.py311.nbi").touch()
    assert is_cold("games.tidal")
    (tmp_path / "games_0123" / "tidal.play-1.py311.nbi").touch()
    assert not is_cold("games.tidal")
    assert not is_cold("games.plain")
