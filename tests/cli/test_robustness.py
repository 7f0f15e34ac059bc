"""What ends badly elsewhere: damaged kernels, workers that die, strategies that never return."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_process import command, environment

NAPS = """
import os, time
import numpy as np
from analyzer.contracts import Strategy

def low(view, params, words, out):
    if view.round == 0 and view.hand == 0:
        if "NAP" in os.environ:
            time.sleep(float(os.environ["NAP"]))
        if os.environ.get("DIES") and os.getpid() != int(os.environ["PARENT"]):
            os.kill(os.getpid(), 9)
    lowest = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1

naps = Strategy("turnthetide", "naps", "Takes its time.", {"card": low})
"""

LOOPS = """
import numba
import numpy as np
from analyzer.contracts import Strategy

@numba.njit
def decide(view, params, words, out):
    for g in range(out.size):
        x = view.cards[g]
        k = 1
        while x and x & np.uint64(1) == np.uint64(0):
            x >>= np.uint64(1)
            k += 1
        out[g] = k
    n = np.uint64(view.round)
    while n == np.uint64(1) and view.active[0] < 9 and view.hand == 3:
        out[0] = n
        if words is None:
            n = np.uint64(1)

loops = Strategy("turnthetide", "loops", "Never returns in the second round.", {"card": decide})
"""

# What a process does before the program starts: it tells its number to the strategies.
START = (
    "import os, sys; os.environ['PARENT'] = str(os.getpid());"
    "from analyzer.cli.app import main; sys.exit(main())"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "naps.py").write_text(NAPS)
    (tmp_path / "loops.py").write_text(LOOPS)
    return tmp_path


def start(folder: Path, line: str, *, alone: bool = False, **more: str) -> subprocess.Popen[str]:
    """Start the program, if need be as the first of a session and group of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", START, *line.split()],
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=alone,
    )


def children(process: subprocess.Popen[str]) -> list[int]:
    """Processes that a process has started and that play, on Linux."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == process.pid and b"popen_loky" in words:
            found.append(int(entry.name))
    return found


def workers_of(process: subprocess.Popen[str], count: int) -> list[int]:
    deadline = time.monotonic() + 90
    while len(found := children(process)) < count:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
    return found


on_linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")


@pytest.mark.slow
@on_linux
def test_a_killed_worker_is_replaced(folder: Path) -> None:
    line = "simulate turnthetide --strategy ./naps.py::naps --games 400 --seed 3 --no-save --json"
    process = start(folder, f"{line} --jobs 2 --backend processes", NAP="0.3")
    victim = workers_of(process, 2)[0]
    time.sleep(3)
    os.kill(victim, signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert err.count("a worker process has died") == 1
    whole = start(folder, f"{line} --jobs 1").communicate(timeout=120)[0]
    assert {**json.loads(out), "throughput": 0} == {**json.loads(whole), "throughput": 0}


@pytest.mark.slow
@on_linux
def test_games_that_cost_three_workers_end_the_run(folder: Path) -> None:
    line = "simulate turnthetide --strategy ./naps.py::naps --games 400 --seed 3 --out run"
    process = start(folder, f"{line} --jobs 2 --backend processes --no-report", DIES="1")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert "3 worker processes have died one after the other that played the games 16 to" in err
    parts = json.loads((folder / "run" / "manifest.json").read_text())["parts"]
    assert parts["main"]["games"] == 16


@pytest.mark.slow
@on_linux
def test_workers_do_not_outlive_their_parent(folder: Path) -> None:
    line = "simulate turnthetide --strategy ./naps.py::naps --games 4000 --no-save --jobs 2"
    process = start(folder, f"{line} --backend processes", NAP="0.5")
    workers = workers_of(process, 2)
    process.kill()
    process.communicate(timeout=30)
    deadline = time.monotonic() + 5
    while any(os.path.exists(f"/proc/{pid}") for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="looks into /dev/shm")
def test_nothing_is_left_where_all_processes_are_killed(folder: Path) -> None:
    line = "simulate turnthetide --strategy ./naps.py::naps --games 4000 --no-save --jobs 2"
    place = folder / "tmp"
    place.mkdir()
    process = start(folder, f"{line} --backend processes", alone=True, NAP="0.5", TMPDIR=str(place))
    workers = workers_of(process, 2)
    for pid in workers:  # they never hear Ctrl-C, not even while they start
        blocked = Path(f"/proc/{pid}/status").read_text().partition("SigBlk:")[2].split()[0]
        assert int(blocked, 16) & 1 << signal.SIGINT - 1

    def left() -> list[str]:
        shared = [path.name for path in Path("/dev/shm").glob(f"*loky-{process.pid}-*")]
        alive = [str(pid) for pid in workers if os.path.exists(f"/proc/{pid}")]
        return [*shared, *(path.name for path in place.iterdir()), *alive]

    assert len(left()) > 3
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    deadline = time.monotonic() + 5
    while left():
        assert time.monotonic() < deadline, left()
        time.sleep(0.1)


@pytest.mark.slow
def test_two_signals_end_machine_code_that_never_returns(folder: Path) -> None:
    line = "simulate turnthetide --strategy ./loops.py::loops --games 3000 --no-save --jobs 1"
    process = start(folder, line)
    time.sleep(8)
    for _ in range(2):
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted while strategy './loops.py::loops' was deciding." in err
    assert "Nothing was saved, as --no-save asks." in err


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["auto", "processes"])
def test_a_strategy_that_never_returns_is_named(folder: Path, backend: str) -> None:
    line = "simulate turnthetide --games 3000 --no-save --jobs 2 --timeout 4"
    plugin = "./loops.py::loops" if backend == "auto" else "./naps.py::naps"
    more = {} if backend == "auto" else {"NAP": "8"}
    process = start(folder, f"{line} --backend {backend} --strategy {plugin}", **more)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert f"strategy '{plugin}' did not come back within 4 s" in err


def test_a_pipe_is_no_file_of_rules(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rules.toml")
    ran = subprocess.run(
        command(["simulate", "turnthetide", "--rules", str(tmp_path / "rules.toml"), "--dry-run"]),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 2 and "it is no regular file" in ran.stderr
