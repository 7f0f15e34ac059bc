"""One decorator for compiled kernels, and the place where their machine code is kept.

Numba notices a change in a kernel's own file, but not in a file whose functions it inlined. The
cache folder is therefore named after the version and the state of all our source files: a stale
kernel would be a wrong result that nobody sees.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from analyzer import __version__

__all__ = ["JIT_DISABLED", "cache_directory", "code_for", "is_cold", "is_compiled", "kernel"]

F = TypeVar("F", bound=Callable[..., object])


def _state_of_the_sources() -> str:
    root = Path(__file__).parent
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(root.rglob("*.py")):
        stat = path.stat()
        digest.update(f"{path.relative_to(root)}:{stat.st_size}:{stat.st_mtime_ns};".encode())
    return digest.hexdigest()[:12]


def cache_directory() -> Path:
    """Folder of the compiled kernels: per user and per state of the program.

    ``NUMBA_CACHE_DIR`` wins if set. A folder that cannot be written is replaced by a temporary
    one, which only costs the time to compile again.
    """
    from platformdirs import user_cache_path

    given = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(given) if given else user_cache_path("analyzer") / _state_of_the_sources()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="analyzer-kernels-"))
    return folder


def _wide_vectors() -> None:
    """Let LLVM use 512-bit vectors where they are worth it.

    It avoids them on all processors because early ones ran slower for it; from those on that can
    count bits in vectors, our integer kernels gain a third.
    """
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    if features.get("avx512vpopcntdq") and "NUMBA_CPU_FEATURES" not in os.environ:
        os.environ["NUMBA_CPU_FEATURES"] = features.flatten() + ",-prefer-256-bit"


_wide_vectors()
_directory = cache_directory()
# Workers inherit the environment, and with it the folder that the parent has filled.
os.environ["NUMBA_CACHE_DIR"] = str(_directory)

# Numba reads the environment once, when it is imported.
import numba  # noqa: E402

JIT_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
"""Whether kernels stay plain Python (``NUMBA_DISABLE_JIT=1``), for tests and debugging."""

if JIT_DISABLED:
    # Machine integers wrap round by design; plain NumPy scalars would warn each time.
    np.seterr(over="ignore")

_decorate = numba.njit(cache=True, nogil=True, error_model="numpy")


def kernel(function: F) -> F:
    """Compile a function to machine code on first call, and keep the code on disk.

    The compiled function releases the interpreter lock. With ``NUMBA_DISABLE_JIT=1`` it stays
    plain Python.
    """
    return cast(F, _decorate(function))


def is_compiled(function: object) -> bool:
    """Whether a function was decorated with `kernel` or Numba's own ``njit``."""
    return hasattr(function, "py_func")


def code_for(function: F, *arguments: object) -> F:
    """A kernel's machine code for arguments of exactly the types of these.

    A call of it does not look for the code that fits, which takes most of the time of a short call
    with many arguments. It must never be called with arguments of other types. What is not
    compiled is returned as it is.
    """
    if not is_compiled(function):
        return function
    signature = tuple(numba.typeof(argument) for argument in arguments)
    return cast(F, cast(Any, function).compile(signature))


def is_cold() -> bool:
    """Whether no kernel has been compiled into the cache folder yet."""
    return next(_directory.rglob("*.nbi"), None) is None
