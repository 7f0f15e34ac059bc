"""One decorator for compiled kernels, and the place where their machine code is kept.

Numba notices a change in a kernel's own file, but not in a file whose functions or constants went
into it. The cache folder is therefore named after the version and the text of all modules that a
kernel may be made of, and a kernel of another package is kept with the text of that package: a
stale kernel would be a wrong result that nobody sees.
"""

from __future__ import annotations

import atexit
import glob
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from analyzer.version import __version__

__all__ = [
    "JIT_DISABLED",
    "cache_directory",
    "is_cold",
    "is_compiled",
    "kernel",
    "part_kernel",
    "program_state",
    "row_kernel",
]

KEEP_DAYS = 30
STATE_DIGITS = 12

F = TypeVar("F", bound=Callable[..., object])


@cache
def program_state() -> str:
    """Digest of the version and of all modules whose kernels others may be made of."""
    digest = hashlib.sha256(__version__.encode())
    top = Path(__file__).parent.parent
    for path in sorted([*top.glob("*.py"), *top.glob("kernels/*.py"), *top.glob("games/**/*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:STATE_DIGITS]


def cache_directory() -> Path:
    """Folder of the compiled kernels: per user and per state of the program.

    It lies in ``NUMBA_CACHE_DIR`` if that is set. A folder that cannot be written is replaced by a
    temporary one, which only costs the time to compile again. Folders of other states that nobody
    has used for `KEEP_DAYS` are removed when a new one is made.
    """
    from platformdirs import user_cache_path

    given = os.environ.get("NUMBA_CACHE_DIR")
    parent = Path(given) if given else user_cache_path("analyzer")
    # A worker process is given the folder itself.
    folder = parent if parent.name == program_state() else parent / program_state()
    try:
        if not given and not folder.exists():
            _remove_unused(parent)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)  # used today
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="analyzer-kernels-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _remove_unused(parent: Path) -> None:
    """Remove folders of compiled kernels that no process has used for `KEEP_DAYS`."""
    oldest = time.time() - KEEP_DAYS * 24 * 3600
    for folder in parent.glob("[0-9a-f]" * STATE_DIGITS):
        if folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def _tune_llvm() -> None:
    """Let LLVM use 512-bit vectors where they are worth it, and look at more rows at once.

    It avoids such vectors on all processors because early ones ran slower for them; from those on
    that can count bits in vectors, our integer kernels gain a third. And it gives up on a loop over
    many rows, which might overlap as far as it knows, after 8 comparisons of addresses; ours are
    long enough to pay for a hundred.
    """
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    if features.get("avx512vpopcntdq") and "NUMBA_CPU_FEATURES" not in os.environ:
        os.environ["NUMBA_CPU_FEATURES"] = features.flatten() + ",-prefer-256-bit"
    llvm.set_option("analyzer", "-runtime-memory-check-threshold=128")


_tune_llvm()
_directory = cache_directory()
# Workers inherit the environment, and with it the folder that the parent has filled.
os.environ["NUMBA_CACHE_DIR"] = str(_directory)
os.environ.setdefault(
    "NUMBA_CACHE_LOCATOR_CLASSES",
    f"{__name__}.PackageLocator,UserWideCacheLocator,IPythonCacheLocator,ZipCacheLocator",
)

# Only now: Numba reads the environment when it is imported, and what it reads is set above.
import numba  # noqa: E402
from numba.core import config  # noqa: E402
from numba.core.caching import UserProvidedCacheLocator  # noqa: E402
from numba.core.compiler import Compiler  # noqa: E402

# Another module may have imported it before; then it has to read again. (Numba has no types here.)
config.reload_config()  # type: ignore[no-untyped-call,unused-ignore]

JIT_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
"""Whether kernels stay plain Python (``NUMBA_DISABLE_JIT=1``), for tests and debugging."""

if JIT_DISABLED:
    # Machine integers wrap round by design; plain NumPy scalars would warn each time.
    np.seterr(over="ignore")


class _RowCompiler(Compiler):  # type: ignore[misc,unused-ignore]
    """Tells LLVM that no two arrays among the arguments overlap, as Numba's own loops do."""

    def define_pipelines(self) -> Any:
        self.state.flags.noalias = True
        pipelines: Any = super()
        return pipelines.define_pipelines()


class PackageLocator(UserProvidedCacheLocator):  # type: ignore[misc,unused-ignore]
    """Takes machine code for stale when any module of the kernel's package has changed.

    This is for packages of other people: their kernels may be made of several modules as well, and
    the name of the folder knows only of this program's.
    """

    def get_source_stamp(self) -> Any:
        """What machine code is kept with, and must be found with again."""
        package = _package_of(Path(self._py_file))
        stamp: Any = super()
        return stamp.get_source_stamp() if package is None else _text_of(package)


def _package_of(file: Path) -> Path | None:
    """The outermost package that a module is in; None if that is this program, or there is none."""
    folder = file.parent
    if not (folder / "__init__.py").exists():
        return None
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return None if folder == Path(__file__).parent.parent else folder


@cache
def _text_of(package: Path) -> str:
    """Digest of all modules of a package, as they were when this process first asked."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


# `_nrt` and the flag above are Numba's own switches; its stubs do not know them.
_njit: Any = numba.njit
_options = {"cache": True, "nogil": True, "error_model": "numpy", "forceinline": False}
_row_options = {**_options, "_nrt": False, "pipeline_class": _RowCompiler}
_decorate = _njit(**_options)
_decorate_rows = _njit(**_row_options)
# Said of each, since a kernel that does not say would take this over from the first that calls it.
_decorate_parts = _njit(
    **{**_row_options, "forceinline": True}, no_cpython_wrapper=True, no_cfunc_wrapper=True
)


def kernel(function: F) -> F:
    """Compile a function to machine code on first call, and keep the code on disk.

    The compiled function releases the interpreter lock. With ``NUMBA_DISABLE_JIT=1`` it stays
    plain Python.
    """
    return cast(F, _decorate(function))


def row_kernel(function: F) -> F:
    """Compile a function as `kernel` does, for short loops over rows that do not overlap.

    Before a loop, compiled code compares the addresses of all rows in it, and each slice costs
    two counts of references; for rows of a thousand elements that is most of the time. Here
    neither is done. In return the arrays handed over must not overlap, if any is written to, and
    the function must not allocate any.
    """
    return cast(F, _decorate_rows(function))


def part_kernel(function: F) -> F:
    """Compile a function as `row_kernel` does, to become part of each kernel that calls it.

    A call copies every array among the arguments, a named tuple of arrays in seven to nine words
    for each; where a function works on one tile of lanes, that is a tenth of its time. Here there
    is no call: for the phases of a step, which are called from one or two places.
    """
    return cast(F, _decorate_parts(function))


def is_compiled(function: object) -> bool:
    """Whether a function was decorated with `kernel` or Numba's own ``njit``."""
    return hasattr(function, "py_func")


def is_cold(module: str) -> bool:
    """Whether the kernels that a module has or uses of its own package are still to be compiled.

    Parameters
    ----------
    module
        Full name of a loaded module, such as that of a game. Those that it imports from other
        modules of its package count as its own.
    """
    package = module.rpartition(".")[0]
    kernels = [value for value in vars(sys.modules[module]).values() if is_compiled(value)]
    homes = {kernel.__module__ for kernel in kernels}
    own = [home for home in homes if home.rpartition(".")[0] == package]
    return bool(own) and not any(_is_kept(home) for home in own)


def _is_kept(module: str) -> bool:
    """Whether there is machine code of a module."""
    # Numba names its files FOLDER_DIGEST/MODULE.FUNCTION-LINE.pyXY.nbi.
    folder = Path(sys.modules[module].__file__ or "").parent.name
    stem = module.rpartition(".")[2]
    files = f"{glob.escape(folder)}_*/{glob.escape(stem)}.*.nbi"
    return next(_directory.glob(files), None) is not None
