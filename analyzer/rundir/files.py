"""Files and folders: where we may write, atomically, alone."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from analyzer.errors import OutputError

LOCK = ".lock"
PATIENCE = 30
"""Looks at an empty lock file, a millisecond apart, before it is taken for another program's."""
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
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o666)
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


@contextlib.contextmanager
def open_regular(path: Path, most: int) -> Iterator[BinaryIO]:
    """A file opened for reading; a pipe, which would keep us waiting, is refused.

    Parameters
    ----------
    path
        The file.
    most
        Bytes that it may have.

    Raises
    ------
    OSError
        If it cannot be read, is no regular file, or is larger.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NONBLOCK)

    with open(path, "rb", opener=opener) as stream:
        facts = os.fstat(stream.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise OSError("it is no regular file")
        if facts.st_size > most:
            raise OSError(f"it has {facts.st_size:,} bytes, and at most {most:,} are read")
        yield stream


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of a file, at most so many; raises as `open_regular`."""
    with open_regular(path, most) as stream:
        return stream.read(most)


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


def refuse_folder(path: Path) -> None:
    """Refuse to write a file where somebody has made a folder.

    Raises
    ------
    OutputError
        If there is one.
    """
    if path.is_dir() and not path.is_symlink():
        raise OutputError(
            f"{str(path)!r} is a folder, and a run has a file of that name; move it away."
        )


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
            made.insert(0, folder)  # before it is there: an interruption may come right after
            folder.mkdir(exist_ok=True)
    except BaseException as reason:
        remove_empty(made)
        if isinstance(reason, OSError):
            raise unusable(path, reason) from None
        raise
    return made


def remove_empty(folders: list[Path]) -> None:
    """Remove directories, innermost first, as far as they are there and empty."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


CHOOSE = "choose another --out, or --no-save to write nothing"


def unusable(path: Path, reason: OSError, instead: str = CHOOSE) -> OutputError:
    """The error for a directory that the system will not let us use, and what to do instead."""
    return OutputError(
        f"the output directory {str(path)!r} cannot be written: {reason.strerror or reason}; "
        f"{instead}."
    )


class Lock:
    """One process at a time in a directory; the system frees it when the process dies.

    The `filelock` package would lose what runs rely on: its message names no process, its file
    stays behind, it takes pipes and other programs' files for its own, and it does not notice that
    the file which it locked is no longer the one in the directory.

    Raises
    ------
    OutputError
        If another process holds it, if the directory cannot be written or its disk knows no locks,
        or if a file of its name is none that we leave there: one with the number of a process.
    """

    def __init__(self, folder: Path, instead: str = CHOOSE) -> None:
        self.path = folder / LOCK
        self._instead = instead
        self._handle = -1
        self._ours = False
        # Whoever held it may remove the file between two steps of ours: then we try again.
        for attempt in range(100):
            try:
                handle, made = self._open()
                if not made and attempt < PATIENCE and not os.fstat(handle).st_size:
                    # Just made, perhaps, by one of us that has yet to write its number into it:
                    # taken as it is, it would pass for another program's, and stay.
                    os.close(handle)
                    time.sleep(0.001)
                    continue
            except FileNotFoundError:
                if folder.is_dir():
                    continue
                gone = FileNotFoundError(errno.ENOENT, "it is gone")
                raise unusable(folder, gone, instead) from None
            except OSError as reason:
                raise unusable(folder, reason, instead) from None
            try:
                self._take(handle, made)
            finally:
                if self._handle != handle:
                    os.close(handle)
            if self._handle == handle:
                return
        raise self._busy(b"")

    def _open(self) -> tuple[int, bool]:
        """A handle of the file, and whether we made it."""
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            return os.open(self.path, flags | os.O_CREAT | os.O_EXCL, 0o666), True
        except FileExistsError:
            return os.open(self.path, flags), False

    def _take(self, handle: int, made: bool) -> None:
        """Lock the file, unless it was replaced or removed since it was opened."""
        folder = self.path.parent
        facts = os.fstat(handle)
        foreign = OutputError(
            f"the output directory {str(folder)!r} holds a {LOCK!r} that is not ours, so it is "
            "left alone; choose another --out."
        )
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
            raise foreign
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise self._busy(os.read(handle, 30)) from None
        except OSError as reason:
            if made:
                os.unlink(self.path)
            raise unusable(folder, reason, self._instead) from None
        try:
            if not os.path.samestat(facts, os.stat(self.path)):
                return
        except OSError:
            return
        owner = os.read(handle, 30)
        if owner and not re.fullmatch(rb"\d+", owner):
            raise foreign
        # Another program's empty file serves as a lock as well, and stays as it is.
        self._ours = made or owner != b""
        try:
            if self._ours:
                number = str(os.getpid()).encode()
                os.pwrite(handle, number, 0)  # first, so that it is never empty if we die here
                os.ftruncate(handle, len(number))
            self._handle = handle
        except BaseException as reason:
            if self._ours:
                with contextlib.suppress(OSError):
                    os.unlink(self.path)
            if isinstance(reason, OSError):
                raise unusable(folder, reason, self._instead) from None
            raise

    def _busy(self, owner: bytes) -> OutputError:
        named = f" (process {owner.decode()})" if re.fullmatch(rb"\d+", owner) else ""
        return OutputError(
            f"the output directory {str(self.path.parent)!r} is being written by another analyzer"
            f"{named}; wait for it, or choose another --out."
        )

    def release(self) -> None:
        """Let others in; safe to call twice."""
        if self._handle < 0:
            return
        if self._ours:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        os.close(self._handle)
        self._handle = -1
