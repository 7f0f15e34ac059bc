"""Where machine code is kept, when it is out of date, and when compiling has to be announced."""

from __future__ import annotations

import errno
import importlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import llvmlite.binding
import pytest

from analyzer import plugins
from analyzer.errors import AnalyzerWarning
from analyzer.kernels import compilation, sources
from analyzer.kernels.compilation import (
    JIT_DISABLED,
    cache_directory,
    is_cold,
    kept_like_kernels,
    worker_environment,
)
from analyzer.kernels.sources import program_state
from analyzer.plugins import load_file
from tests.test_architecture import MODULES

compiled_only = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")


def python(*arguments: str, **more: str) -> str:
    """What a fresh interpreter prints, which has no settings of Numba's but these."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    return subprocess.run(
        [sys.executable, *arguments],
        env={**clean, "PYTHONPATH": os.pathsep.join(sys.path), **more},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def forget() -> None:
    """Let the modules of the tests be loaded anew."""
    for name in [name for name in sys.modules if name.startswith("tide_")]:
        del sys.modules[name]


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to import from, with a folder for kernels of its own."""
    monkeypatch.setattr(compilation, "_directories", [tmp_path / "kept"])
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    forget()


KERNEL = "from analyzer.kernels.compilation import kernel\n@kernel\n"


@compiled_only
@pytest.mark.parametrize("game", ["tide_whole", "tide_split.game", "tide_alone"])
def test_a_game_is_cold_until_a_kernel_of_its_package_is_compiled(
    packages: Path, game: str
) -> None:
    """Wherever in the package the game and its kernels are, and whatever else is compiled."""
    borrowed = "from tide_other import shared\n"
    write(
        packages,
        {
            "tide_other.py": KERNEL + "def shared(x):\n    return x\n",
            "tide_whole/__init__.py": borrowed + KERNEL + "def play(x):\n    return x\n",
            "tide_split/__init__.py": "",
            "tide_split/game.py": borrowed + "from tide_split.parts.deal import play\n",
            "tide_split/parts/__init__.py": "",
            "tide_split/parts/deal.py": KERNEL + "def play(x):\n    return x\n",
            "tide_alone.py": borrowed + KERNEL + "def play(x):\n    return x\n",
        },
    )
    module = importlib.import_module(game)
    assert is_cold(game)
    module.shared(1)
    assert is_cold(game)
    module.play(1)
    assert not is_cold(game)
    forget()
    importlib.import_module(game)
    assert not is_cold(game)


def test_a_game_without_kernels_is_never_cold(packages: Path) -> None:
    write(packages, {"tide_plain.py": "from analyzer.kernels.bits import nth_card\n"})
    importlib.import_module("tide_plain")
    assert not is_cold("tide_plain")


def test_a_folder_for_want_of_a_better_one_goes_with_the_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    leaving = []
    monkeypatch.setattr("atexit.register", lambda *call, **options: leaving.append((call, options)))
    folder = cache_directory()
    assert folder.parent.parent == tmp_path and folder.is_dir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    assert cache_directory() == folder  # in a worker
    for (function, *arguments), options in leaving:
        function(*arguments, **options)
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_the_folder_is_of_one_state_of_the_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also where somebody has chosen it; workers are handed the very same one."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = cache_directory()
    assert folder == tmp_path / program_state()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    assert cache_directory() == folder


def test_workers_find_what_this_process_has_compiled() -> None:
    code = (
        "from analyzer.kernels.compilation import worker_environment; print(worker_environment())"
    )
    assert python("-c", code, **worker_environment()) == str(worker_environment())


def test_whatever_kernels_of_the_program_are_made_of_counts() -> None:
    """What modules have loaded by the time they define kernels, no more than these could use."""
    defines = re.compile(r"^@(row_|part_)?kernel$", re.MULTILINE)
    ours = [module for module in MODULES if module.startswith("analyzer.")]
    having = [module for module in ours if defines.search(MODULES[module].read_text())]
    code = f"import sys, {', '.join(having)}; print(*sys.modules)"
    loaded = set(python("-c", code).split()) & MODULES.keys()
    assert {"analyzer.engine.tally", "analyzer.games.switch16.exact.chain"} <= loaded
    root = MODULES["analyzer"].parent
    assert {MODULES[module] for module in loaded} <= set(sources._program_files(root))


@pytest.mark.parametrize(
    "module",
    [
        "kernels/narrow.py",
        "contracts.py",
        "engine/tally.py",
        "games/switch16/exact/policies.py",
    ],
)
def test_an_edit_of_whatever_goes_into_kernels_is_another_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str
) -> None:
    source, copy = MODULES["analyzer"].parent, tmp_path / "analyzer"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "__file__", str(copy / "kernels" / "sources.py"))
    assert program_state.__wrapped__() == program_state()
    with (copy / module).open("a") as stream:
        stream.write("# edited\n")
    assert program_state.__wrapped__() != program_state()


DECORATORS = {
    "kernel": KERNEL,
    "njit": "from numba import njit\n@njit(cache=True)\n",
    "njit at once": "from numba import njit\n@njit('int64(int64)', cache=True)\n",
}
LEVEL = "LEVEL = 1\n"
ENDS = (".py", "/__init__.py")
PLAY = "def play(x):\n    return x + LEVEL\n"
# What is loaded, all files, and the one of them that is edited.
LAYOUTS = {
    "a module of its package": (
        "tide_p.a",
        {"tide_p/__init__.py": "", "tide_p/a.py": "from .b import LEVEL\n", "tide_p/b.py": LEVEL},
        "tide_p/b.py",
    ),
    "a module deep in its package": (
        "tide_q",
        {
            "tide_q/__init__.py": "from tide_q.b import LEVEL\n",
            "tide_q/b.py": "from tide_q.c.d import LEVEL\n",
            "tide_q/c/d.py": LEVEL,
        },
        "tide_q/c/d.py",
    ),
    "a file beside it": (
        "tide_r",
        {"tide_r.py": "import os, tide_s as s\nLEVEL = s.LEVEL\n", "tide_s.py": LEVEL},
        "tide_s.py",
    ),
    "another package, through a third one": (
        "tide_t.a",
        {
            "tide_t/a.py": "from tide_u.b import LEVEL\n",
            "tide_u/b.py": "from tide_v import LEVEL\n",
            "tide_v/__init__.py": LEVEL,
        },
        "tide_v/__init__.py",
    ),
}


def loaded(name: str) -> ModuleType:
    """A plugin as a new process loads it."""
    forget()
    importlib.invalidate_caches()
    sources._read.cache_clear()
    sources._state_of_sources.cache_clear()
    with kept_like_kernels(name):
        return importlib.import_module(name)


@compiled_only
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("decorator", DECORATORS)
def test_an_edit_of_what_a_kernel_is_made_of_compiles_it_anew(
    packages: Path, decorator: str, layout: str
) -> None:
    name, files, edited = LAYOUTS[layout]
    write(packages, files)
    file = next(f for f in files if f in (f"{name.replace('.', '/')}{end}" for end in ENDS))
    with (packages / file).open("a") as stream:
        stream.write(DECORATORS[decorator] + PLAY)
    assert loaded(name).play(1) == 2
    again = loaded(name).play
    assert again(1) == 2 and again.stats.cache_hits
    write(packages, {edited: "LEVEL = 100\n"})
    assert loaded(name).play(1) == 101


@compiled_only
def test_what_a_file_held_before_makes_room_after_a_day(packages: Path) -> None:
    def kept() -> set[Path]:
        return set((packages / "kept").rglob("tide_z.*"))

    former: set[Path] = set()
    for level, age in ((1, 0), (20, 25), (300, 0)):
        write(packages, {"tide_z.py": f"LEVEL = {level}\n{KERNEL}{PLAY}"})
        loaded("tide_z").play(1)
        assert bool(kept() & former) == (level == 20)
        former = kept()
        for path in former:
            os.utime(path, (path.stat().st_mtime - age * 3600,) * 2)


@compiled_only
def test_functions_loaded_before_their_plugin_are_kept_like_kernels(packages: Path) -> None:
    write(packages, {"tide_w/__init__.py": "", "tide_w/a.py": DECORATORS["njit"] + "def f(): 1\n"})
    function = importlib.import_module("tide_w.a").f
    assert Path(function.stats.cache_path) == packages / "tide_w" / "__pycache__"
    with kept_like_kernels("tide_w"):
        pass
    assert (packages / "kept") in Path(function.stats.cache_path).parents


@compiled_only
def test_plugins_are_kept_like_kernels_however_they_are_loaded(packages: Path) -> None:
    write(packages, {"tide_y.py": DECORATORS["njit at once"] + "def f(x):\n    return x\n"})
    for module in (
        plugins._load(EntryPoint("tide", "tide_y", "analyzer.strategies")),
        load_file(str(packages / "tide_y.py")),
    ):
        assert (packages / "kept") in Path(module.f.stats.cache_path).parents
        assert not is_cold(module.__name__)


@compiled_only
def test_a_class_that_is_gone_does_no_harm(packages: Path) -> None:
    """Numba keeps for which types machine code is, and looks for all of them."""
    file = packages / "tide_file.py"
    plugin = KERNEL + "def f(x):\n    return x.n\n" + "from typing import NamedTuple\n"
    for name in ("First", "Second"):
        file.write_text(f"{plugin}class {name}(NamedTuple):\n    n: int\nvalue = {name}(3)\n")
        module = load_file(str(file))
        assert module.f(module.value) == 3
        assert module.f.stats.cache_misses
    # And where the kernel itself is none of the plugin's.
    write(packages, {"tide_x.py": plugin})
    for name in ("First", "Second"):
        file.write_text(f"from typing import NamedTuple\nclass {name}(NamedTuple):\n    n: int\n")
        module = load_file(str(file))
        value = vars(module)[name](3)
        assert loaded("tide_x").f(value) == 3
        del sys.modules[module.__name__]


def test_other_functions_of_numba_are_left_alone(tmp_path: Path) -> None:
    """Where they are kept, the environment, and settings made in the program."""
    write(tmp_path, {"own.py": DECORATORS["njit"] + "def f():\n    return 1\n"})
    code = (
        "import os, numba\n"
        "numba.config.DEBUG_CACHE = 0\n"
        "numba.config.CACHE_DIR = ''\n"
        "numba.config.THREADING_LAYER = 'workqueue'\n"
        "before = dict(os.environ)\n"
        "import analyzer.api\n"
        "analyzer.api.find_game('switch16')\n"
        "import own\n"
        "own.f()\n"
        "print(dict(os.environ) == before, numba.config.CACHE_DIR, numba.config.THREADING_LAYER)\n"
        "print(own.f.stats.cache_path)"
    )
    told = python("-c", code, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    assert told.splitlines() == ["True  workqueue", str(tmp_path / "__pycache__")]


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


@compiled_only
def test_kernels_are_compiled_for_the_same_processor_whatever_is_imported_first() -> None:
    seen = set()
    for first in ("numba", "analyzer.kernels.bits", "analyzer.games.switch16", "analyzer.api"):
        seen.add(
            python(
                "-c",
                f"import {first}\n"
                "from analyzer.kernels.compilation import worker_environment as environment\n"
                "print(environment()['NUMBA_CPU_FEATURES'])",
            )
        )
    (features,) = seen
    wide = llvmlite.binding.get_host_cpu_features().get("avx512vpopcntdq", False)
    assert features.endswith(",-prefer-256-bit") == wide


@pytest.mark.parametrize(
    "line",
    ["import os as o, tide_z", "import os; import tide_z", "import os, \\\n  tide_z as z",
     "if True: from tide_z import (\n    x)", "def f():\n    import tide_z.deep"],
)  # fmt: skip
def test_imports_are_found_however_they_are_written(tmp_path: Path, line: str) -> None:
    file = tmp_path / "own.py"
    file.write_text(line + "\n")
    assert "tide_z" in sources._read("own", file)[1]


def test_what_is_no_python_imports_nothing(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("text = 'import tide_z'\nfrom . import tide_z\n")
    assert sources._read("own", file)[1] == ()
    (tmp_path / "other.py").write_text("import (\n")
    assert sources._read("other", tmp_path / "other.py")[1] == ()


KEPT = {
    "tide_kept.py": KERNEL + "def twice(x):\n    return 2 * x\n",
}


def kept_files(packages: Path) -> list[Path]:
    return sorted((packages / "kept").rglob("tide_kept*.nb[ic]"))


@compiled_only
@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", ["emptied", "halved", "zeroed", "flipped"])
def test_damaged_machine_code_is_compiled_again(packages: Path, kind: str, damage: str) -> None:
    write(packages, KEPT)
    assert importlib.import_module("tide_kept").twice(4) == 8
    file = next(file for file in kept_files(packages) if file.suffix == kind)
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes(
        {
            "emptied": b"",
            "halved": whole[:middle],
            "zeroed": bytes(len(whole)),
            "flipped": whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :],
        }[damage]
    )
    forget()
    with pytest.warns(AnalyzerWarning, match="were damaged; they are compiled again"):
        assert importlib.import_module("tide_kept").twice(4) == 8
    forget()
    again = importlib.import_module("tide_kept")
    assert again.twice(4) == 8  # and nothing is said any more
    assert sum(again.twice.stats.cache_hits.values()) == 1


@compiled_only
def test_a_full_disk_is_left_for_a_temporary_folder(
    packages: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With what was kept so far, since workers look in one folder only."""
    write(packages, {**KEPT, "tide_full.py": KERNEL + "def thrice(x):\n    return 3 * x\n"})
    importlib.import_module("tide_kept").twice(4)
    (tmp_path / "else").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "else"))
    monkeypatch.setattr("atexit.register", lambda *call, **options: None)
    first = str(packages / "kept")
    opened = compilation._CheckedFile._open_for_write

    def full(self: object, path: str) -> object:
        if path.startswith(first):
            raise OSError(errno.ENOSPC, "No space left on device")
        return opened(self, path)

    monkeypatch.setattr(compilation._CheckedFile, "_open_for_write", full)
    with pytest.warns(AnalyzerWarning, match="cannot be kept in .*No space left on device"):
        assert importlib.import_module("tide_full").thrice(4) == 12
    folder = compilation._directories[-1]
    assert folder.parent.parent == tmp_path / "else"
    names = {file.name.partition(".")[0] for file in folder.rglob("*.nbc")}
    assert names == {"tide_kept", "tide_full"}
    assert worker_environment()["NUMBA_CACHE_DIR"] == str(folder)
