"""Kill runs at random moments, give their commands again, and tell what was lost.

Each run is sent one signal: SIGKILL, SIGTERM or SIGINT, to its first process, to all of its
processes, or to one of its workers. Five seconds after it has ended none of its processes and
semaphores may be there; the same command again has to end with the bytes of a run that nobody
disturbed. Of a run that was killed, no more may be lost than what was played since it saved last,
which it does every few seconds. What is printed is a line for each signal and target, with the
worst that was seen, and each fault in full. Linux only.

    python benchmarks/kills.py --kills 300 --seed 1
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LINES = (
    ("simulate turnthetide --strategy reactive", 1_000_000),
    ("fairness turnthetide --field none", 40_000),
    ("simulate switch16", 2_000_000),
    ("tournament switch16 --strategy greedy/leader/hold --strategy greedy/never/hold --players 2",
     1_000_000),
    ("simulate mermaidbeach", 100_000),
    ("sweep mermaidbeach --vary monsters=1..2 --metric turns_per_game --highest", 60_000),
)  # fmt: skip
"""Commands, and games that take them some seconds."""
HOW = "--seed 7 --no-report --json"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
TARGETS = ("parent", "group", "worker")
LEFT_AFTER = 5.0
"""Seconds after which nothing of a run that has ended may be there."""
SAVES_EVERY = 5.0
"""Seconds between two savings of a run, apart from the tasks under way, and the time they take."""
LONGEST = 600.0
LOOK = 0.02


@dataclass
class Whole:
    """A run that nobody disturbs: its files, its figures, and how long it takes."""

    files: dict[str, bytes]
    figures: Any
    seconds: float


@dataclass
class Tally:
    """What was seen of one signal to one target."""

    kills: int = 0
    unfinished: int = 0
    lost_most: float = 0.0
    ended_after: float = 0.0
    gone_after: float = 0.0
    faults: list[str] = field(default_factory=list)


def command(line: str, jobs: int, backend: str = "auto") -> list[str]:
    words = f"{line} {HOW} --jobs {jobs} --backend {backend} --out run".split()
    return [sys.executable, "-m", "analyzer", *words]


def figures(text: str) -> Any:
    """A document without its timings."""
    document = json.loads(text)
    for timed in (document, *document.get("fields", ())):
        timed.pop("throughput", None)
    return document


def files(run: Path) -> dict[str, bytes]:
    """All files of a run but its manifest, which has dates."""
    return {
        path.relative_to(run).as_posix(): path.read_bytes()
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def parts(run: Path) -> dict[str, int]:
    """How many games of each part are saved."""
    try:
        manifest = json.loads((run / "manifest.json").read_text())
    except FileNotFoundError:
        return {}
    return {name: part["games"] for name, part in manifest["parts"].items()}


def start(folder: Path, words: Sequence[str]) -> subprocess.Popen[str]:
    """Start a run as the first process of a session, with its own place for temporary files."""
    (folder / "tmp").mkdir(exist_ok=True)
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        return subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder / "tmp")},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            text=True,
            start_new_session=True,
        )


def processes(folder: Path) -> Iterator[tuple[int, bytes]]:
    """The processes of a run that have not ended, and their command lines."""
    mark = f"TMPDIR={folder / 'tmp'}\0".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (entry / "environ").read_bytes():
                yield int(entry.name), (entry / "cmdline").read_bytes()


def semaphores(process: int) -> list[str]:
    """What a process has left in shared memory: its number is in the names."""
    return [path.name for path in Path("/dev/shm").glob(f"*[-_]{process}[-_]*")]


def wait(process: subprocess.Popen[str]) -> float:
    """Wait for the end of a run; how long that took."""
    began = time.monotonic()
    process.wait(timeout=LONGEST)
    return time.monotonic() - began


def play_whole(folder: Path, line: str) -> Whole:
    began = time.monotonic()
    process = start(folder, command(line, 1))
    wait(process)
    if process.returncode:
        raise SystemExit(f"{line}: {(folder / 'err').read_text()}")
    seconds = time.monotonic() - began
    return Whole(files(folder / "run"), figures((folder / "out").read_text()), seconds)


def worker_of(process: subprocess.Popen[str], folder: Path, pick: random.Random) -> int | None:
    """One of the workers of a run, once there is one; None if it ends before."""
    while process.poll() is None:
        found = [pid for pid, words in processes(folder) if b"popen_loky" in words]
        if found:
            return pick.choice(found)
        time.sleep(LOOK)
    return None


def kill_once(
    folder: Path,
    line: str,
    whole: Whole,
    number: signal.Signals,
    target: str,
    pick: random.Random,
    tally: Tally,
) -> None:
    """Kill a run, give it again, and note what is wrong."""
    jobs = 2 if target == "worker" else pick.choice((1, 2))
    words = command(line, jobs, "processes" if target == "worker" else "auto")
    run = folder / "run"
    began = time.monotonic()
    process = start(folder, words)
    victim: int | None = process.pid
    if target == "worker":
        victim = worker_of(process, folder, pick)
        time.sleep(pick.uniform(0, whole.seconds / 2))
    else:
        time.sleep(pick.uniform(0, whole.seconds))
    faults = []
    tally.kills += 1
    before, at = time.time(), time.monotonic()
    played = at - began
    with contextlib.suppress(ProcessLookupError):
        if target == "group":
            os.killpg(process.pid, number)
        elif victim is not None:
            os.kill(victim, number)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=LONGEST)
    ended = time.monotonic()
    if process.returncode:
        tally.ended_after = max(tally.ended_after, ended - at)
    allowed = {signal.SIGKILL: (0, -9), signal.SIGTERM: (0, 130), signal.SIGINT: (0, 130)}[number]
    if process.returncode not in ((0,) if target == "worker" else allowed):
        faults.append(f"exit code {process.returncode}")
    err = (folder / "err").read_text()
    if "Traceback" in err or "should not have happened" in err:
        faults.append("a traceback")
    while left := [*processes(folder), *semaphores(process.pid)]:
        if time.monotonic() - ended > LEFT_AFTER:
            faults.append(f"left after {LEFT_AFTER:g} s: {left}")
            break
        time.sleep(LOOK)
    tally.gone_after = max(tally.gone_after, time.monotonic() - ended)
    saved = parts(run)
    if process.returncode:
        tally.unfinished += 1
    if process.returncode == -9 and any(saved.values()):
        # The manifest is written with each saving: what was played since is lost.
        lost = before - (run / "manifest.json").stat().st_mtime
        tally.lost_most = max(tally.lost_most, lost)
    if process.returncode == 130 and "games (" in err:
        done = int(err.partition("interrupted after ")[2].split()[0].replace(",", ""))
        if done not in saved.values():
            faults.append(f"finished {done}, saved {saved}")
    again = start(folder, words)
    wait(again)
    told = (folder / "err").read_text()
    if again.returncode:
        faults.append(f"given again: exit code {again.returncode}: {told}")
    else:
        if figures((folder / "out").read_text()) != whole.figures:
            faults.append("given again: other figures")
        ends = files(run)
        if ends != whole.files:
            names = ends.keys() | whole.files.keys()
            other = sorted(n for n in names if ends.get(n) != whole.files.get(n))
            faults.append(f"given again: other files: {other}")
        now = parts(run)
        if any(now.get(name, 0) < games for name, games in saved.items()):
            faults.append(f"given again: saved {saved}, now {now}")
    if left := [path.name for path in (folder / "tmp").iterdir()]:
        faults.append(f"temporary files: {left}")
    name = f"{number.name} to {target} after {played:.1f} s of `{line}` with {jobs} jobs"
    tally.faults += [f"{name}: {fault}\n  {err.strip()[-400:]}" for fault in faults]


def show(seen: dict[tuple[signal.Signals, str], Tally]) -> None:
    """Print what was seen, a line for each signal and target."""
    print("| signal | target | kills | ended early | most lost, s | ended, s | gone, s | faults |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for (number, target), tally in seen.items():
        print(
            f"| {number.name} | {target} | {tally.kills} | {tally.unfinished} | "
            f"{tally.lost_most:.1f} | {tally.ended_after:.1f} | {tally.gone_after:.1f} | "
            f"{len(tally.faults)} |"
        )
    for fault in (fault for tally in seen.values() for fault in tally.faults):
        print(f"- {fault}")
    sys.stdout.flush()


def main() -> None:
    """Kill as often as asked, signals, targets and commands in turn, moments at random."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=1, help="how many runs side by side")
    parser.add_argument("--scale", type=float, default=1, help="how much longer")
    given = parser.parse_args()
    pick = random.Random(given.seed)
    seen = {kind: Tally() for kind in itertools.product(SIGNALS, TARGETS)}
    with tempfile.TemporaryDirectory() as place:
        wholes = {}
        for words, games in LINES:
            line = f"{words} --games {round(given.scale * games)}"
            folder = Path(place, "whole")
            for _ in range(2):  # the first one may compile
                folder.mkdir()
                wholes[line] = play_whole(folder, line)
                shutil.rmtree(folder)
            print(f"{wholes[line].seconds:5.1f} s  {line}", flush=True)
        kinds = itertools.cycle(itertools.product(SIGNALS, TARGETS))

        def kill(count: int, kind: tuple[signal.Signals, str], seed: float) -> None:
            own = random.Random(seed)
            folder = Path(place, str(count))
            folder.mkdir()
            line = own.choice([*wholes])
            kill_once(folder, line, wholes[line], *kind, own, seen[kind])
            shutil.rmtree(folder)

        with ThreadPoolExecutor(given.at_once) as pool:
            asked = range(1, given.kills + 1)
            done = [pool.submit(kill, n, next(kinds), pick.random()) for n in asked]
            for count, one in enumerate(as_completed(done), start=1):
                one.result()
                if count % 30 == 0:
                    print(f"{count} kills", flush=True)
                    show(seen)
        show(seen)


if __name__ == "__main__":
    main()
