"""Files and folders: where we may write, atomically, alone."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from pathlib import Path

from analyzer.errors import OutputError

__all__ = [
    "LOCK",
    "STAGED",
    "Lock",
    "check_path",
    "digest_of",
    "make_folder",
    "remove_empty",
    "write_atomically",
]

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)

LOCK = ".lock"
STAGED = ".new-"
"""Names of files and folders being written begin with this."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside its place, bring it to the disk, and rename it into its place.

    Raises
    ------
    OSError
        If that fails; a file that was there before is still there then, and nothing else.
    """
    beside = path.with_name(STAGED + path.name)
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_LINKS, 0o666)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes, hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_path(path: Path) -> None:
    """Refuse a directory that would be reached by climbing, through a link, or through a file.

    Raises
    ------
    OutputError
        With the reason.
    """
    if "\0" in str(path):
        raise OutputError(f"the output directory {str(path)!r} has a zero byte in its name.")
    if ".." in path.parts:
        raise OutputError(
            f"the output directory {str(path)!r} climbs with '..'; "
            "give a path below the current directory, or a whole one from the root."
        )
    try:
        if path.is_symlink():
            raise OutputError(
                f"the output directory {str(path)!r} is a symbolic link; "
                "name the directory it leads to."
            )
        for folder in (path, *path.parents):
            if folder.exists():
                if not folder.is_dir():
                    raise OutputError(
                        f"the output directory {str(path)!r} cannot be made: "
                        f"{str(folder)!r} is a file; choose another --out."
                    )
                return
    except OSError as reason:
        raise unusable(path, reason) from None


def make_folder(path: Path) -> list[Path]:
    """Make a directory and its parents; returns those that were not there, innermost first.

    Raises
    ------
    OutputError
        If one cannot be made; those made before it are gone again then.
    """
    missing: list[Path] = []
    made: list[Path] = []
    try:
        for folder in (path, *path.parents):
            if folder.exists():
                break
            missing.append(folder)
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            made.insert(0, folder)
    except OSError as reason:
        remove_empty(made)
        raise unusable(path, reason) from None
    return made


def remove_empty(folders: list[Path]) -> None:
    """Remove directories, innermost first, as far as they are empty."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


def unusable(path: Path, reason: OSError) -> OutputError:
    """The error for a directory that the system will not let us use."""
    return OutputError(
        f"the output directory {str(path)!r} cannot be written: {reason.strerror or reason}; "
        "choose another --out, or --no-save to write nothing."
    )


class Lock:
    """One process at a time in a directory; the system frees it when the process dies.

    Raises
    ------
    OutputError
        If another process holds it, or the directory cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOCK
        while True:
            try:
                self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | _NO_LINKS, 0o666)
            except OSError as reason:
                raise unusable(folder, reason) from None
            try:
                _lock(self._handle)
            except OSError:
                owner = os.read(self._handle, 20)
                os.close(self._handle)
                raise OutputError(
                    f"the output directory {str(folder)!r} is being written by another analyzer"
                    f"{_named(owner)}; wait for it, or choose another --out."
                ) from None
            # Whoever held it before may have removed the file between our two steps.
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(self._handle), os.stat(self.path)):
                    break
            os.close(self._handle)
        os.ftruncate(self._handle, 0)
        os.write(self._handle, str(os.getpid()).encode())

    def release(self) -> None:
        """Let others in; safe to call twice."""
        if self._handle < 0:
            return
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        os.close(self._handle)
        self._handle = -1


def _named(owner: bytes) -> str:
    return f" (process {owner.decode()})" if re.fullmatch(rb"\d+", owner) else ""


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
