"""When compiling has to be announced, and what for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from analyzer.kernels import compilation
from analyzer.kernels.compilation import (
    JIT_DISABLED,
    cache_directory,
    is_cold,
    kernel,
    program_state,
)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_each_module_is_cold_until_its_own_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "_directory", tmp_path)
    for name in ("games.tidal.game", "games.tidal.hand", "games.plain.game"):
        module = ModuleType(name)
        module.__file__ = str(Path(*name.split(".")).with_suffix(".py"))
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["games.tidal.game"].play = kernel(_in("games.tidal.hand"))  # type: ignore[attr-defined]
    for name in ("games.tidal.game", "games.plain.game"):
        sys.modules[name].shared = kernel(_in("analyzer.kernels.bits"))  # type: ignore[attr-defined]
    for folder in ("tidal_0123", "plain_4567"):
        (tmp_path / folder).mkdir()
    for other in ("plain_4567/hand.play-1", "tidal_0123/game.play-1", "tidal_0123/other.play-1"):
        (tmp_path / f"{other}.py311.nbi").touch()
    assert is_cold("games.tidal.game")
    (tmp_path / "tidal_0123" / "hand.play-1.py311.nbi").touch()
    assert not is_cold("games.tidal.game")
    assert not is_cold("games.plain.game")


def _in(module: str) -> Callable[[int], int]:
    """A function of its own that says it is of this module."""

    def same(x: int) -> int:
        return x

    same.__module__ = module
    return same


def test_a_folder_for_want_of_a_better_one_goes_with_the_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    leaving = []
    monkeypatch.setattr("atexit.register", lambda *call, **options: leaving.append((call, options)))
    folder = cache_directory()
    assert folder.parent == tmp_path and folder.is_dir()
    for (function, *arguments), options in leaving:
        function(*arguments, **options)
    assert not folder.exists()


def test_the_folder_is_of_one_state_of_the_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also where somebody has chosen it; workers are handed the very same one."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = cache_directory()
    assert folder == tmp_path / program_state()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    assert cache_directory() == folder


@pytest.mark.parametrize(
    "module", ["kernels/narrow.py", "contracts.py", "games/switch16/course.py"]
)
def test_an_edit_of_whatever_goes_into_kernels_is_another_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str
) -> None:
    source = Path(compilation.__file__).parent.parent
    shutil.copytree(source, tmp_path / "analyzer", ignore=shutil.ignore_patterns("__pycache__"))
    copy = tmp_path / "analyzer" / "kernels" / "compilation.py"
    monkeypatch.setattr(compilation, "__file__", str(copy))
    assert program_state.__wrapped__() == program_state()
    with (tmp_path / "analyzer" / module).open("a") as stream:
        stream.write("# edited\n")
    assert program_state.__wrapped__() != program_state()


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_a_kernel_of_another_package_is_compiled_anew_when_that_has_changed(
    tmp_path: Path,
) -> None:
    """Its machine code may hold constants of a neighbor."""
    package = tmp_path / "tidal"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "inner" / "__init__.py").touch()
    (package / "inner" / "turn.py").write_text(
        "from analyzer.kernels.compilation import kernel\nfrom tidal.state import LEVEL\n"
        "@kernel\ndef play(x):\n    return x + LEVEL\n"
    )
    code = "from tidal.inner.turn import play\nprint(play(1), sum(play.stats.cache_hits.values()))"
    path = os.pathsep.join([str(tmp_path), str(Path(compilation.__file__).parents[2])])
    env = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    told = []
    for level in (1, 1, 2):
        (package / "state.py").write_text(f"LEVEL = {level}\n")
        run = subprocess.run(
            [sys.executable, "-B", "-c", code], env=env, capture_output=True, text=True, check=True
        )
        told.append(run.stdout.split())
    assert told == [["2", "0"], ["2", "1"], ["3", "0"]]


def test_unused_folders_make_room_for_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: tmp_path)
    old = time.time() - 31 * 24 * 3600
    for name in ("0123456789ab", "ba9876543210", "somebody's"):
        (tmp_path / name / "games").mkdir(parents=True)
        (tmp_path / name / "games" / "tidal.play-1.py311.nbi").touch()
    for name in ("0123456789ab", "somebody's"):
        os.utime(tmp_path / name, (old, old))
    new = cache_directory()
    assert new.parent == tmp_path
    assert {path.name for path in tmp_path.iterdir()} == {"ba9876543210", "somebody's", new.name}
    os.utime(new, (old, old))
    assert cache_directory().stat().st_mtime > old  # used, and so not removed


def test_kernels_are_compiled_for_the_same_processor_whatever_is_imported_first() -> None:
    seen = set()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    for first in (
        "numba",
        "analyzer.kernels.bits",
        "analyzer.games.switch16",
        "analyzer.kernels.compilation",
    ):
        program = (
            f"import {first}, analyzer.kernels.compilation, numba, os; "
            "print(numba.config.CPU_FEATURES == os.environ.get('NUMBA_CPU_FEATURES'), "
            "numba.config.CACHE_DIR == os.environ['NUMBA_CACHE_DIR'])"
        )
        told = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=clean
        )
        seen.add(told.stdout.strip())
    assert seen == {"True True"}
