"""Runs that are broken off at a chosen operation on their files.

One process loads the program and its kernels, and forks for every run; so a run takes a tenth of a
second, and one that is killed takes nothing along. The process that forks has no threads.
"""

from __future__ import annotations

import builtins
import errno
import gc
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 60
"""Seconds after which a run that hangs is ended."""
TABLES = 2
"""Tables that are written of each run: more of them are only more of the same operations."""

TAKES_SPACE = {"open", "write", "fsync", "mkdir", "rename", "link"}
"""Operations that a full disk can refuse."""
WAYS = ("kill", "ctrl-c", "twice", "full", "full once")
"""How a run is broken off: by SIGKILL, by Ctrl-C, by an interruption that is raised there and then,
by a disk that is full from then on, or only for this one operation."""
MOMENTS = ("before", "half", "after")
"""When: before the operation, when half of what it writes is written, or when it has been done."""


@dataclass(frozen=True)
class Break:
    """Where a run is broken off: at which operation, counted from 1, how, and when."""

    at: int = 0
    way: str = "kill"
    moment: str = "before"


@dataclass(frozen=True)
class Ended:
    """How a run ended.

    Attributes
    ----------
    code
        Exit code; that of a signal is negative.
    out, err
        What it printed.
    operations
        On files below its folder, in order: ``rename run/manifest.json``.
    saved
        Games of each part that it had saved when it ended.
    found
        Games of each part that it found saved.
    """

    code: int
    out: str
    err: str
    operations: list[str] = field(default_factory=list)
    saved: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)


class Runs:
    """A process that forks for every run; a context manager.

    Parameters
    ----------
    lines
        Command lines to be called once beforehand, so that all kernels are loaded.
    """

    def __init__(self, *lines: Sequence[str]) -> None:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.rundir.crashing"],
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for line in lines:
            self._ask({"line": [*line], "folder": None})

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def __call__(self, folder: Path, line: Sequence[str], broken: Break | None = None) -> Ended:
        """Call a command in a folder, in a process of its own."""
        told = self._ask(
            {"line": [*line], "folder": str(folder), "break": asdict(broken or Break())}
        )
        return Ended(**told)

    def _ask(self, asked: dict[str, Any]) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


class _File(io.FileIO):
    """A file whose every write is an operation."""

    breaking: _Breaking

    def write(self, data: Any, /) -> int:
        with memoryview(data).cast("B") as view:
            half = len(view) // 2

            def write_half() -> None:
                super(_File, self).write(view[:half])

            def write_rest() -> int:
                super(_File, self).write(view[half:])
                return len(view)

            written: int = self.breaking.at("write", Path(str(self.name)), write_rest, write_half)
            return written


class _Breaking:
    """Counts operations on files below the current folder, and breaks the run off at one of them.

    Parameters
    ----------
    broken
        Where.
    log
        An open file that gets the operations and what is saved, a line each.
    """

    def __init__(self, broken: Break, log: int) -> None:
        self._broken = broken
        self._log = log
        self._count = 0
        self._folder = Path.cwd()
        self._write = os.write

    def tell(self, *what: Any) -> None:
        """Note something that outlasts this process."""
        self._write(self._log, (json.dumps(what) + "\n").encode())

    def at(
        self,
        name: str,
        path: Path,
        do: Callable[[], Any],
        do_half: Callable[[], Any] = lambda: None,
    ) -> Any:
        """Do an operation, or what is done instead; ``do`` does what ``do_half`` leaves."""
        try:
            path = path.relative_to(self._folder)
        except ValueError:
            do_half()
            return do()
        self._count += 1
        self.tell("operation", f"{name} {path}")
        broken = self._broken
        here = broken.at == self._count
        later = broken.way == "full" and 0 < broken.at < self._count
        if later and name in TAKES_SPACE:
            raise OSError(errno.ENOSPC, "No space left on device")
        if not here:
            do_half()
            return do()
        if broken.moment == "before":
            self._break(name)
        do_half()
        if broken.moment == "half":
            self._break(name)
        done = do()
        if broken.moment == "after":
            self._break(name)
        return done

    def _break(self, name: str) -> None:
        way = self._broken.way
        if way == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if way == "ctrl-c":
            signal.raise_signal(signal.SIGINT)
        if way == "twice":
            raise KeyboardInterrupt
        if way in ("full", "full once") and name in TAKES_SPACE:
            raise OSError(errno.ENOSPC, "No space left on device")

    def install(self) -> None:
        """From now on, count."""
        for name, told in (
            ("mkdir", "mkdir"),
            ("rmdir", "rmdir"),
            ("unlink", "unlink"),
            ("remove", "unlink"),
            ("rename", "rename"),
            ("replace", "rename"),
            ("link", "link"),
        ):
            setattr(os, name, self._of_paths(told, getattr(os, name)))
        for name, told in (
            ("fsync", "fsync"),
            ("ftruncate", "truncate"),
            ("pwrite", "write"),
            ("write", "write"),
        ):
            setattr(os, name, self._of_handles(told, getattr(os, name)))
        os.open = self._opening(os.open)
        _File.breaking = self
        builtins.open = io.open = self._opening_streams(io.open)

    def _path(self, path: Any, dir_fd: int | None = None) -> Path:
        base = "" if dir_fd is None else os.readlink(f"/proc/self/fd/{dir_fd}")
        return Path(os.path.abspath(os.path.join(base, os.fsdecode(path))))

    def _of_paths(self, told: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*paths: Any, **how: Any) -> Any:
            # Of two paths the second is where the file is then.
            named = [path for path in paths if not isinstance(path, int)][-1]
            path = self._path(named, how.get("dir_fd"))
            return self.at(told, path, lambda: act(*paths, **how))

        return acting

    def _of_handles(self, told: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(handle: int, *more: Any) -> Any:
            path = Path(os.readlink(f"/proc/self/fd/{handle}"))
            return self.at(told, path, lambda: act(handle, *more))

        return acting

    def _opening(self, act: Callable[..., int]) -> Callable[..., int]:
        changing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

        def opening(path: Any, flags: int, *more: Any, **how: Any) -> int:
            if not flags & changing:
                return act(path, flags, *more, **how)
            named = self._path(path, how.get("dir_fd"))
            handle: int = self.at("open", named, lambda: act(path, flags, *more, **how))
            return handle

        return opening

    def _opening_streams(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def opening(
            file: Any,
            mode: str = "r",
            buffering: int = -1,
            encoding: str | None = None,
            errors: str | None = None,
            newline: str | None = None,
            closefd: bool = True,
            opener: Any = None,
        ) -> Any:
            if not set(mode) & set("wax+"):
                return act(file, mode, buffering, encoding, errors, newline, closefd, opener)
            plain = mode.replace("b", "").replace("t", "")
            raw: Any
            if isinstance(file, int):  # opened and counted before
                raw = _File(file, plain, closefd)
                raw.name = os.readlink(f"/proc/self/fd/{file}")
            else:
                path = self._path(file)
                raw = self.at("open", path, lambda: _File(str(path), plain, closefd, opener))
            if buffering == 0:
                return raw
            buffer = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            if "b" in mode:
                return buffer
            return io.TextIOWrapper(buffer, encoding, errors, newline)

        return opening


def _quick_page(answer: Any, *more: Any) -> None:
    """Instead of pages and pictures, whose drawing takes seconds."""
    folder = next(one for one in more if isinstance(one, Path))
    (folder / "picture.png").write_bytes(b"a picture")
    (folder / "report.html").write_text("a page")


def _hurry() -> None:
    """From now on, save after every task, of which there are several; write little of the rest."""
    from analyzer import publishing
    from analyzer.engine import runner, workers
    from analyzer.study.frames import frames

    runner.FIRST_SAVE = runner.SAVE_SECONDS = -1.0
    runner.SAVE_SHARE = 1e9
    # Tasks of as many games, however busy the machine is: always the same operations.
    runner.FIRST_TASK = runner.FEW = 96
    setattr(workers.Pace, "observe", lambda *_: None)  # noqa: B010

    def fewer(result: Any) -> dict[str, Any]:
        found = frames(result)
        return {name: found[name] for name in sorted(found, key=lambda n: n != "seats")[:TABLES]}

    instead = {name: _quick_page for name in ("write_report", "write_found", "write_sheet")}
    for name, quick in {"frames": fewer, **instead}.items():
        setattr(publishing, name, quick)


def _told_saves(breaking: _Breaking) -> None:
    """Tell what is saved, and what is found saved."""
    from analyzer.rundir import RunDirectory
    from analyzer.study.stage import Stage

    save, find = RunDirectory.save_part, Stage._saved

    def saving(self: RunDirectory, name: str, result: Any) -> None:
        save(self, name, result)
        breaking.tell("saved", name, result.games)

    def finding(self: Stage, name: str, experiment: Any) -> Any:
        found = find(self, name, experiment)
        breaking.tell("found", name, 0 if found is None else found.games)
        return found

    RunDirectory.save_part = saving  # type: ignore[method-assign]
    Stage._saved = finding  # type: ignore[method-assign]


def _forked(asked: dict[str, Any]) -> dict[str, Any]:
    """Call a command in a process of its own, and see how it ends."""
    from analyzer.cli.app import main

    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        tempfile.TemporaryFile() as log,
    ):
        child = os.fork()
        if child == 0:
            code = 70
            try:
                signal.alarm(LONGEST)
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                os.chdir(asked["folder"])
                breaking = _Breaking(Break(**asked["break"]), log.fileno())
                _told_saves(breaking)
                breaking.install()
                code = main(asked["line"])
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        texts = []
        for file in (out, err, log):
            file.seek(0)
            texts.append(file.read().decode())
    told: dict[str, Any] = {"operations": [], "saved": {}, "found": {}}
    for what, *facts in map(json.loads, texts[2].splitlines()):
        if what == "operation":
            told["operations"].append(facts[0])
        else:
            told[what][facts[0]] = facts[1]
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "out": texts[0], "err": texts[1], **told}


def _warmed(line: Sequence[str]) -> int:
    """Call a command here, so that all it needs is loaded once, not by each process."""
    from analyzer.cli.app import main

    with tempfile.TemporaryDirectory() as folder:
        code = main([*line, "--out", str(Path(folder, "run"))])
    gc.collect()
    gc.freeze()  # or each process would copy all of it when it looks for garbage
    return code


def serve() -> None:
    """Read what is to be called, a line each, and tell how it ended."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is printed meanwhile is no answer
    _hurry()
    for text in sys.stdin:
        asked = json.loads(text)
        told = _warmed(asked["line"]) if asked["folder"] is None else _forked(asked)
        answers.write(json.dumps(told) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
