"""One decorator for compiled kernels, and the place where their machine code is kept.

Numba keeps machine code until the file of the function changes. A constant or another function
that came from elsewhere may change meanwhile, and a stale kernel would be a wrong result that
nobody sees. So kernels are kept in a folder that is named after the text of the program, and there
in files that are named after the text of the kernel's own package and of what that imports.

Importing this module changes neither the results of other compiled functions nor where Numba keeps
them. But a process has one code generator for all of Numba, so that two of its settings hold for
other functions too: vectors of 512 bits on processors that gain by them, and more comparisons of
addresses before a loop. With ``NUMBA_DISABLE_JIT=1``, NumPy no longer warns of integers that wrap
round.
"""

from __future__ import annotations

import atexit
import glob
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import caching, codegen, config, dispatcher, event
from numba.core.compiler import Compiler
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

from analyzer.errors import AnalyzerWarning
from analyzer.kernels.sources import STATE_DIGITS, program_state, state_of

__all__ = [
    "JIT_DISABLED",
    "cache_directory",
    "compiling_seconds",
    "is_cold",
    "is_compiled",
    "is_compiling",
    "kept_like_kernels",
    "kernel",
    "part_kernel",
    "row_kernel",
    "worker_environment",
]

DAY = 24 * 3600
KEEP_DAYS = 30
DIGEST_BYTES = 32

F = TypeVar("F", bound=Callable[..., object])


def cache_directory() -> Path:
    """Folder of the compiled kernels: per user and per state of the program.

    It lies in ``NUMBA_CACHE_DIR`` if that is set. A folder that cannot be written is replaced by a
    temporary one, which only costs the time to compile again. Folders of other states that nobody
    has used for `KEEP_DAYS` are removed when a new one is made.
    """
    from platformdirs import user_cache_path

    given = os.environ.get("NUMBA_CACHE_DIR")
    parent = Path(given) if given else user_cache_path("analyzer")
    # A worker process is given the folder itself: `worker_environment`.
    folder = parent if parent.name == program_state() else parent / program_state()
    try:
        if not given and not folder.exists():
            _remove_unused(parent)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)  # used today
    except OSError:
        folder = _temporary_folder()
        folder.mkdir()
    return folder


def _temporary_folder() -> Path:
    """Where a folder of compiled kernels can be made that goes with this process."""
    parent = Path(tempfile.mkdtemp(prefix="analyzer-kernels-"))
    atexit.register(shutil.rmtree, parent, ignore_errors=True)
    return parent / program_state()


def _remove_unused(parent: Path) -> None:
    """Remove folders of compiled kernels that no process has used for `KEEP_DAYS`."""
    oldest = time.time() - KEEP_DAYS * DAY
    for folder in parent.glob("[0-9a-f]" * STATE_DIGITS):
        if folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


_directories = [cache_directory()]
"""Where kernels are kept: in the last one. Nothing could be written any more to one before it."""


def _leave_folder(reason: OSError) -> bool:
    """Go on in a temporary folder, with what was kept so far; False if that is where we are.

    Workers look in one folder only, so what they need comes along.
    """
    with _leaving:
        if len(_directories) > 1:
            return False
        before, folder = _directories[-1], _temporary_folder()
        try:
            shutil.copytree(before, folder, ignore=shutil.ignore_patterns("*.tmp.*"))
        except (OSError, shutil.Error):
            folder.mkdir(exist_ok=True)
        _directories.append(folder)
    warnings.warn(
        f"compiled kernels cannot be kept in {str(before)!r} ({reason.strerror or reason}); "
        "until they can be, every run compiles them again",
        AnalyzerWarning,
        stacklevel=2,
    )
    return True


_leaving = threading.Lock()

# Numba has no types for these.
_config: Any = config
_Library: Any = codegen.JITCodeLibrary
_host_features: Any = codegen.get_host_cpu_features
_Located: Any = caching._SourceFileBackedLocatorMixin
_Locator: Any = caching._CacheLocator
_FunctionCache: Any = caching.FunctionCache
_CacheImpl: Any = caching.CompileResultCacheImpl
_CacheFile: Any = caching.IndexDataCacheFile
_dispatcher: Any = dispatcher


class _KernelLocator(_Located, _Locator):  # type: ignore[misc,unused-ignore]
    """Tells Numba in which files the machine code of a function is kept."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._state = state_of(py_func.__module__ or "", py_file)
        self._subpath = self.get_suitable_cache_subpath(py_file)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """None for what was typed in: Numba has other places for that, or keeps nothing."""
        return cls(py_func, py_file) if os.path.isfile(py_file) else None

    def get_cache_path(self) -> str:
        return os.path.join(_directories[-1], self._subpath)

    def get_source_stamp(self) -> str:
        return self._state

    def get_disambiguator(self) -> str:
        """Part of the name of a function's files.

        The state is in it because Numba looks into a file before it compares stamps, and fails if
        that mentions a class that has got another name since.
        """
        return f"{self._lineno}-{self._state}"

    def ensure_cache_path(self) -> None:
        """Called when machine code is about to be kept; what this file held before today goes."""
        super().ensure_cache_path()
        for kept in Path(self.get_cache_path()).glob(f"{glob.escape(Path(self._py_file).stem)}.*"):
            with suppress(FileNotFoundError):
                if self._state not in kept.name and kept.stat().st_mtime < time.time() - DAY:
                    kept.unlink()


class _CheckedFile(_CacheFile):  # type: ignore[misc,unused-ignore]
    """Files of one function's machine code, each with a digest of its name and what is in it.

    Numba takes what it finds for machine code and jumps into it. A file that a full disk, a copy or
    a fault cut short or changed is none, and counts as not there.
    """

    def __init__(self, locator: Any, base: str) -> None:
        self._locator = locator
        super().__init__("", base, locator.get_source_stamp())

    # Asked each time, since the folder may be replaced; Numba's own class is handed them once.
    @property
    def _cache_path(self) -> str:
        path: str = self._locator.get_cache_path()
        return path

    @_cache_path.setter
    def _cache_path(self, path: str) -> None:
        """Numba's own class sets it."""

    @property
    def _index_path(self) -> str:
        return os.path.join(self._cache_path, self._index_name)

    @_index_path.setter
    def _index_path(self, path: str) -> None:
        """Numba's own class sets it."""

    def _read(self, name: str) -> Any:
        """What a file holds, or None if there is none that is whole."""
        path = os.path.join(self._cache_path, name)
        try:
            content = Path(path).read_bytes()
        except OSError:
            return None
        body = memoryview(content)[DIGEST_BYTES:]
        if content[:DIGEST_BYTES] == _digest(name, body):
            return pickle.loads(body)
        warnings.warn(
            f"compiled kernels in {str(_directories[-1])!r} were damaged; they are compiled again",
            AnalyzerWarning,
            stacklevel=2,
        )
        return None

    def _write(self, name: str, content: Any) -> None:
        body = self._dump(content)
        with self._open_for_write(os.path.join(self._cache_path, name)) as file:
            file.write(_digest(name, body))
            file.write(body)

    def _load_index(self) -> dict[Any, str]:
        kept = self._read(self._index_name)
        if kept is None or kept[:2] != (self._version, self._source_stamp):
            return {}
        overloads: dict[Any, str] = kept[2]
        return overloads

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_name, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(name)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(name, data)


def _digest(name: str, content: Any) -> bytes:
    digest = hashlib.sha256(name.encode())
    digest.update(content)
    return digest.digest()


class _KernelCache(_FunctionCache):  # type: ignore[misc,unused-ignore]
    """Keeps the machine code of one kernel."""

    class _impl_class(_CacheImpl):  # type: ignore[misc,unused-ignore]
        _locator_classes = (_KernelLocator, *_CacheImpl._locator_classes)

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._cache_file = _CheckedFile(self._impl.locator, self._impl.filename_base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """None as well if it was kept for a class, of a plugin, that is not there any more."""
        try:
            return super().load_overload(sig, target_context)
        except (AttributeError, ImportError):
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code; if that cannot be, the disk being full, this process has it still."""
        try:
            super().save_overload(sig, data)
        except OSError as reason:
            if isinstance(self._impl.locator, _KernelLocator) and _leave_folder(reason):
                with suppress(OSError):
                    super().save_overload(sig, data)


def _tune_llvm() -> None:
    """Let LLVM use 512-bit vectors where they are worth it, and look at more rows at once.

    It avoids such vectors on all processors because early ones ran slower for them; from those on
    that can count bits in vectors, our integer kernels gain a third. And it gives up on a loop over
    many rows, which might overlap as far as it knows, after 8 comparisons of addresses; ours are
    long enough to pay for a hundred.
    """
    if llvm.get_host_cpu_features().get("avx512vpopcntdq") and _config.CPU_FEATURES is None:
        _config.CPU_FEATURES = _host_features() + ",-prefer-256-bit"
    llvm.set_option("analyzer", "-runtime-memory-check-threshold=128")


_tune_llvm()


class _Stopwatch(event.Listener):  # type: ignore[misc,unused-ignore]
    """Adds up the time in which some thread compiles, or loads what was compiled before."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.under_way = 0
        self._began = 0.0
        self._lock = threading.Lock()

    def on_start(self, event: object) -> None:
        """A thread begins; a kernel may compile others on the way."""
        with self._lock:
            if self.under_way == 0:
                self._began = time.perf_counter()
            self.under_way += 1

    def on_end(self, event: object) -> None:
        """A thread is done."""
        with self._lock:
            self.under_way -= 1
            if self.under_way == 0:
                self.seconds += time.perf_counter() - self._began


_stopwatch = _Stopwatch()
_event: Any = event
_event.register("numba:compiler_lock", _stopwatch)


@contextmanager
def getting_ready() -> Iterator[None]:
    """Counts as compiling, too."""
    _stopwatch.on_start(None)
    try:
        yield
    finally:
        _stopwatch.on_end(None)


def is_compiling() -> bool:
    """Whether some thread of this process is getting kernels ready at the moment."""
    return _stopwatch.under_way > 0


def compiling_seconds() -> float:
    """Seconds that this process has spent on getting kernels ready.

    That is compiling them or loading kept ones, and laying out their calls.

    What is left of the time of a run tells how fast it plays.
    """
    return _stopwatch.seconds


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


class _PartLibrary(_Library):  # type: ignore[misc,unused-ignore]
    """Code that only becomes part of kernels, and is optimized with each of these, not alone too.

    A part has no entry of its own. To optimize it alone takes as long as the kernel that it is in,
    once for each level of parts in parts.
    """

    def _optimize_final_module(self) -> None:
        """Called when all that a part calls has become part of it."""


class _PartCompiler(_RowCompiler):
    """Compiles into a `_PartLibrary`."""

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


# `_nrt` and the flag above are Numba's own switches; its stubs do not know them.
_njit: Any = numba.njit
_options = {"nogil": True, "error_model": "numpy", "forceinline": False}
_row_options = {**_options, "_nrt": False, "pipeline_class": _RowCompiler}
_decorate = _njit(**_options)
_decorate_rows = _njit(**_row_options)
# Said of each, since a kernel that does not say would take this over from the first that calls it.
_decorate_parts = _njit(
    **{**_row_options, "forceinline": True, "pipeline_class": _PartCompiler},
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)


def _kept(compiled: Any) -> Any:
    """Keep the machine code of a compiled function on disk."""
    if is_compiled(compiled):
        compiled._cache = _KernelCache(compiled.py_func)
    return compiled


def kernel(function: F) -> F:
    """Compile a function to machine code on first call, and keep the code on disk.

    The compiled function releases the interpreter lock. With ``NUMBA_DISABLE_JIT=1`` it stays
    plain Python.
    """
    return cast(F, _kept(_decorate(function)))


def row_kernel(function: F) -> F:
    """Compile a function as `kernel` does, for short loops over rows that do not overlap.

    Before a loop, compiled code compares the addresses of all rows in it, and each slice costs
    two counts of references; for rows of a thousand elements that is most of the time. Here
    neither is done. In return the arrays handed over must not overlap, if any is written to, and
    the function must not allocate any.
    """
    return cast(F, _kept(_decorate_rows(function)))


def part_kernel(function: F) -> F:
    """Compile a function as `row_kernel` does, to become part of each kernel that calls it.

    A call copies every array among the arguments, a named tuple of arrays in seven to nine words
    for each; where a function works on one tile of lanes, that is a tenth of its time. Here there
    is no call: for the phases of a step, which are called from one or two places.
    """
    return cast(F, _kept(_decorate_parts(function)))


def is_compiled(function: object) -> bool:
    """Whether a function was decorated with `kernel` or Numba's own ``njit``."""
    return hasattr(function, "py_func")


def worker_environment() -> dict[str, str]:
    """Environment in which another process finds the machine code that this one has kept."""
    _, _, features = cpu_target.target_context.codegen().magic_tuple()
    return {"NUMBA_CACHE_DIR": str(_directories[-1]), "NUMBA_CPU_FEATURES": features}


@contextmanager
def kept_like_kernels(module: str) -> Iterator[None]:
    """Keep what a plugin compiles with ``njit(cache=True)`` as if it had used `kernel`.

    Parameters
    ----------
    module
        Full name of the plugin's module, which is loaded meanwhile if it was not before.
    """
    before, _dispatcher.FunctionCache = _dispatcher.FunctionCache, _KernelCache
    try:
        yield
    finally:
        _dispatcher.FunctionCache = before
    for compiled in _compiled_in(module.partition(".")[0]):
        # One that never returns would keep Python, and with it Ctrl-C, out for ever.
        compiled.targetoptions.setdefault("nogil", True)
        if type(compiled._cache) is caching.FunctionCache:
            _kept(compiled)


def is_cold(module: str) -> bool:
    """Whether the kernels of a module's package, if it has any, have still to be compiled.

    That is, whether none has been yet: not every game needs all of them.

    Parameters
    ----------
    module
        Full name of a loaded module, such as that of a game.
    """
    kept = [one._cache for one in _compiled_in(sys.modules[module].__package__ or module)]
    indices = [one._cache_file._index_path for one in kept if isinstance(one, caching.Cache)]
    return bool(kept) and not any(map(os.path.exists, indices))


def _compiled_in(package: str) -> Iterator[Any]:
    """Compiled functions defined in the loaded modules of a package, or in a module."""
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(f"{package}."):
            for value in list(vars(module).values()):
                # Not isinstance: a lazy proxy may raise on that.
                if issubclass(type(value), Dispatcher) and value.py_func.__module__ == name:
                    yield value
