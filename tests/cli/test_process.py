"""The program as a process: signals, pipes, terminals, encodings."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, tree

ROOT = Path(__file__).resolve().parents[2]

# Sleeps only where it is told to, and leaves a mark when the second task is being played.
SLOW = """
import os, time
from pathlib import Path
import numpy as np
from analyzer.contracts import Strategy

calls = 0

def low(view, params, words, out):
    global calls
    calls += 1
    if "NAP" in os.environ and view.round == 0 and view.hand == 0 and calls > 60:
        Path(os.environ["MARK"]).touch()
        time.sleep(float(os.environ["NAP"]))
    lowest = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1

slow = Strategy("turnthetide", "slow", "Takes its time.", {"card": low})
"""


def environment(**more: str) -> dict[str, str]:
    """What a subprocess sees: our modules, and no traces of the terminal that runs the tests."""
    kept = {k: v for k, v in os.environ.items() if k not in ("TERM", "COLUMNS", "NO_COLOR")}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "analyzer", *arguments]


def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(arguments),
        env=environment(**more),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def wait_for(mark: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a process leaves its mark."""
    deadline = time.monotonic() + 90
    while not mark.exists() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_and_continued(cli: Cli, folder: Path, number: signal.Signals) -> None:
    (folder / "slow.py").write_text(SLOW)
    line = ["simulate", "turnthetide", "--games", "9000", "--seed", "4", "--jobs", "1"]
    line += ["--strategy", "./slow.py::slow", "--no-report", "--json"]
    process = subprocess.Popen(
        command([*line, "--out", "run"]),
        env=environment(NAP="0.2", MARK=str(folder / "mark")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    wait_for(folder / "mark", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=90)
    assert process.returncode == 130, err
    assert out == ""
    assert "What was finished is saved. Continue with:" in err and "Traceback" not in err
    assert "error: " not in err
    manifest = json.loads((folder / "run" / "manifest.json").read_text())
    assert 0 < manifest["parts"]["main"]["games"] < 9000
    assert set(tree(folder / "run")) == {"manifest.json", "parts", "parts/main.npz"}
    told = err.split("Continue with:\n")[1].split()
    assert told[0] == "analyzer" and "--seed" in told
    resumed = cli(*told[1:], "--resume")
    whole = cli(*line, "--out", "whole")
    assert resumed.code == whole.code == 0, resumed.err
    ours, theirs = json.loads(resumed.out), json.loads(whole.out)
    assert {**ours, "throughput": 0} == {**theirs, "throughput": 0}
    for name in ("parts", "tables"):
        assert tree(folder / "run" / name) == tree(folder / "whole" / name)


@pytest.mark.slow
def test_two_signals_end_it_at_once(folder: Path) -> None:
    (folder / "slow.py").write_text(SLOW)
    line = ("simulate", "turnthetide", "--games", "9000", "--strategy", "./slow.py::slow")
    process = subprocess.Popen(
        command([*line, "--jobs", "1", "--no-save"]),
        env=environment(NAP="20", MARK=str(folder / "mark")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    wait_for(folder / "mark", process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=15)
    assert process.returncode == 130, err
    assert "Nothing was saved, as --no-save asks" in err and "Traceback" not in err


@pytest.mark.parametrize("given", [["rules", "turnthetide"], ["--help"], ["games", "-h"]])
def test_nobody_listens(given: list[str]) -> None:
    line = " ".join(command(given))
    script = f"{line} | true; echo ${{PIPESTATUS[0]}}"
    closed = subprocess.run(
        ["bash", "-c", script],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert (closed.stdout, closed.stderr) == ("0\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_standard_output_that_is_full_or_closed() -> None:
    line = " ".join(command(["games"]))
    for script, code, told in ((f"{line} >/dev/full", 1, "full"), (f"{line} >&-", 0, "")):
        ran = subprocess.run(
            ["sh", "-c", script],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert ran.returncode == code, ran.stderr
        assert told in ran.stderr and "Traceback" not in ran.stderr


@pytest.mark.slow
def test_workers_start_where_standard_error_is_closed() -> None:
    line = "simulate turnthetide --games 3000 --seed 1 --jobs 2 --backend processes --no-save"
    shell = f"{shlex.join(command(line.split()))} --json 2>&-"
    ran = subprocess.run(
        ["sh", "-c", shell], env=environment(), stdout=subprocess.PIPE, check=False, timeout=120
    )
    assert ran.returncode == 0 and json.loads(ran.stdout)["games"] == 3000


def test_interrupted_while_it_starts() -> None:
    # The signal comes when typer is about to be imported, long before anything is read.
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from analyzer.cli.app import main\n"
        "sys.exit(main(['games']))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "interrupted.\n")


def test_interrupted_in_code_that_was_given_as_text(tmp_path: Path) -> None:
    """Python remembers that, and would end by the signal after all."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            exec('import os, signal; os.kill(os.getpid(), signal.SIGINT)')\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    ran = subprocess.run(
        command(["games"]),
        env=environment(PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)])),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "interrupted.\n")


AFTERWARDS = {
    "ending workers": "atexit.register(kill)",
    "clearing up": "class Late:\n    __del__ = kill\nlate = Late()",
}


@pytest.mark.parametrize("moment", AFTERWARDS)
@pytest.mark.parametrize(("given", "code"), [("games", 0), ("nothing", 2)])
def test_a_signal_after_all_is_done_changes_no_exit_code(
    moment: str, given: str, code: int
) -> None:
    script = (
        "import atexit, os, signal, sys\n"
        "from analyzer.cli.app import main\n"
        "def kill(*_, kill=os.kill, process=os.getpid()): kill(process, 15)\n"
        f"{AFTERWARDS[moment]}\n"
        "sys.exit(main())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, given],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == code and "Traceback" not in ran.stderr
    assert ("turnthetide" in ran.stdout) == (code == 0)


def test_an_output_that_knows_only_ascii() -> None:
    ran = run("rules", "turnthetide", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert ran.returncode == 0 and ran.stdout.isascii() and "hand_size" in ran.stdout


def test_an_argument_that_is_not_text() -> None:
    ran = subprocess.run(
        [*command(["simulate"]), b"\xff\xfe"],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 2 and ran.stdout == b""
    assert ran.stderr.startswith(b"error: ") and b"Traceback" not in ran.stderr


def through_terminal(arguments: Sequence[str], **more: str) -> tuple[int, str]:
    """Run with a terminal for standard error; returns the code and what the terminal shows."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(arguments),
        env=environment(**more),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    return process.wait(timeout=120), shown.decode()


@pytest.mark.slow
def test_a_live_bar_on_a_terminal_only() -> None:
    line = ("simulate", "turnthetide", "--games", "60_000", "--seed", "1", "--no-save")
    code, shown = through_terminal(line, TERM="xterm", COLUMNS="100")
    assert code == 0 and "\x1b[" in shown and "60,000 games" in shown
    code, shown = through_terminal(line, TERM="xterm", COLUMNS="20")
    assert code == 0 and "Traceback" not in shown
    code, shown = through_terminal(line, TERM="dumb")
    assert code == 0 and "\x1b" not in shown and "four random players: 60,000 games" in shown
    code, shown = through_terminal((*line, "--quiet"), TERM="xterm")
    assert (code, shown) == (0, "")


def test_help_is_there_at_once() -> None:
    def spent() -> float:
        times = os.times()
        return times.children_user + times.children_system

    before = spent()
    assert run("--help").stdout.startswith("Usage: analyzer")
    # Processor time, which a busy machine stretches less than the clock's.
    assert spent() - before < 0.35


def test_a_run_without_files_draws_nothing() -> None:
    line = ["simulate", "turnthetide", "--games", "300", "--seed", "1", "--no-save", "--json"]
    code = (
        "import sys\nfrom analyzer.cli.app import main\n"
        f"assert main({line!r}) == 0\n"
        "print(sorted({'matplotlib', 'rich'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert ran.stdout.splitlines()[-1] == "[]"


ASKED = """
import os
from pathlib import Path
import numpy as np
from analyzer.contracts import Strategy

def low(view, params, words, out):
    (Path(__file__).parent / f"asked-{os.getpid()}").touch()
    lowest = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1

low = Strategy("turnthetide", "low", "Plays its lowest card.", {"card": low})
"""
LEAVES_A_MARK = "open(__file__ + '.ran', 'w').close()\n"
SCRIPTS = {
    "command": "import sys\nfrom analyzer.cli.app import main\nsys.exit(main())\n",
    "function": (
        "import json\nimport analyzer\nfrom analyzer.engine import workers\n"
        "workers.SHORT_RUN = 0.0\n"
        "if __name__ == '__main__':\n"
        "    asked = {'players': 2, 'games': 40_000, 'seed': 1, 'jobs': 2}\n"
        "    found = analyzer.simulate('turnthetide', './low.py::low', **asked)\n"
        "    print(json.dumps(found.to_dict()))\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "jobs"), [("module", 1), ("module", 2), ("command", 1), ("command", 2), ("function", 2)]
)
def test_modules_in_the_current_folder_are_none_of_ours(
    cli: Cli, folder: Path, tmp_path_factory: pytest.TempPathFactory, way: str, jobs: int
) -> None:
    """Neither this process nor those it starts run them; strategies named by their file play."""
    (folder / "low.py").write_text(ASKED)
    line = "simulate turnthetide --players 2 --games 40_000 --seed 1 --no-save --quiet --json"
    line += f" --strategy ./low.py::low --backend processes --jobs {jobs}"
    alone = json.loads(cli(*line.split()[:-1], "1").out)
    (folder / f"asked-{os.getpid()}").unlink()
    beside = tmp_path_factory.mktemp("script")
    for module in ("random", "numpy", "json", "signal", "joblib", "analyzer_strategies"):
        (folder / f"{module}.py").write_text(LEAVES_A_MARK)
    # Python finds what lies beside a script before ours; these are names that we do not use.
    for place in (folder, beside):
        for name in ("strategies", "reports"):
            (place / name).mkdir()
            (place / name / "__init__.py").write_text(LEAVES_A_MARK)
    (beside / "script.py").write_text(SCRIPTS.get(way, ""))
    started = command(()) if way == "module" else [sys.executable, str(beside / "script.py")]
    ran = subprocess.run(
        [*started, *line.split()],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert not [*folder.rglob("*.ran"), *beside.rglob("*.ran")]
    assert ran.returncode == 0, ran.stderr
    assert {**json.loads(ran.stdout), "throughput": 0} == {**alone, "throughput": 0}
    assert len(list(folder.glob("asked-*"))) >= jobs


@pytest.mark.parametrize("module", ["typing", "__future__", "random"])
def test_modules_of_the_current_folder_do_not_run_before_it_is_left(
    folder: Path, module: str
) -> None:
    (folder / f"{module}.py").write_text(LEAVES_A_MARK)
    ran = run("--version")
    assert ran.returncode == 0, ran.stderr
    assert not list(folder.glob("*.ran"))
