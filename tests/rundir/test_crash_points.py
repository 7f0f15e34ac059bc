"""Runs broken off at every operation on their files, and given again: nothing saved is lost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import tree
from tests.rundir.crashing import MOMENTS, TAKES_SPACE, WAYS, Break, Ended, Runs

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="looks into /proc")

HOW = ("--seed", "7", "--jobs", "1", "--json", "--quiet")
RUN = ("--out", "run")
LINES = {
    "simulate": "simulate turnthetide --games 300",
    "fairness": "fairness mermaidbeach --games 200 --field none",
    "matches": "simulate switch16 --games 200",
    "compare": "compare turnthetide --a lowest --b random --games 300",
    "tournament": "tournament turnthetide --strategy lowest --strategy random --games 300",
}
EVERY = {"simulate": 1, "fairness": 9, "matches": 5, "compare": 4, "tournament": 4}
"""Of how many operations one is tried where there is time."""
ENDS = {
    "kill": {-9},
    "ctrl-c": {0, 130},
    "twice": {0, 130},
    "full": {0, 1, 2},
    "full once": {0, 1, 2},
}
"""Exit codes of a run that is broken off; 0 where all was done that is promised."""


def breaks(number: int, operation: str) -> list[Break]:
    """Every way and moment at which a run can be broken off at an operation."""
    name = operation.split()[0]
    return [
        Break(number, way, moment)
        for way in WAYS
        for moment in MOMENTS
        if (moment != "half" or name == "write")
        # What is on the disk after one operation is there before the next.
        and not (way == "kill" and moment == "after")
        and not (way.startswith("full") and name not in TAKES_SPACE)
    ]


def figures(text: str) -> Any:
    """A document without its timings."""
    document = json.loads(text)
    for timed in (document, *document.get("fields", ())):
        timed.pop("throughput", None)
    return document


def files(run: Path) -> dict[str, bytes]:
    """The files of a run but its manifest, which has dates."""
    return {name: content for name, content in tree(run).items() if name != "manifest.json"}


def listed(run: Path) -> Any:
    """What a manifest says of a run, but for dates and times."""
    manifest = json.loads((run / "manifest.json").read_text())
    for part in manifest["parts"].values():
        del part["seconds"]
    return {name: manifest[name] for name in ("state", "identity", "parts", "files")}


def check(
    folder: Path, line: tuple[str, ...], runs: Runs, whole: Ended, operation: str, broken: Break
) -> None:
    """Break a run off, and give its command again."""
    folder.mkdir()
    first = runs(folder, line, broken)
    said = f"{broken.way} {broken.moment} operation {broken.at}, {operation}: {first}"
    assert first.operations[broken.at - 1] == operation, said
    assert first.code in ENDS[broken.way], said
    assert "should not have happened" not in first.err and "Traceback" not in first.err, said
    if first.code == 0:
        assert figures(first.out) == figures(whole.out), said
    elif broken.way != "kill" and broken.at < len(whole.operations):
        assert first.out == "", said
    locked = operation in ("open run/.lock", "write run/.lock")
    if broken.way.startswith("full") and not (locked and broken.moment == "after"):
        left = [n for n in tree(folder) if n.endswith(".lock") or ".new-" in n]
        assert not left, said
    again = runs(folder, line)
    said += f"\ngiven again: {again}"
    assert again.code == 0 and figures(again.out) == figures(whole.out), said
    for name, games in first.saved.items():
        assert again.found[name] >= games, said
    # A lock file that is broken off before our number is in it may be anybody's: it stays.
    ends = {name: text for name, text in files(folder / "run").items() if name != ".lock" or text}
    assert ends == files(folder.parent / "whole" / "run"), said
    assert listed(folder / "run") == listed(folder.parent / "whole" / "run"), said


def play_whole(runs: Runs, tmp_path: Path, line: tuple[str, ...]) -> Ended:
    """The run that is not broken off: it saves now and then, and has all kinds of operations."""
    (tmp_path / "whole").mkdir()
    whole = runs(tmp_path / "whole", line)
    assert whole.code == 0, whole
    parts = {name.split()[1] for name in whole.operations if "rename run/parts/" in name}
    assert sum("rename run/parts/" in name for name in whole.operations) > len(parts)
    assert {name.split()[0] for name in whole.operations} >= TAKES_SPACE - {"link"}
    assert whole.operations[-1] == "unlink run/.lock"
    return whole


def break_some(tmp_path: Path, name: str, every: int) -> None:
    """Break a run off at some of its operations, at each in another way."""
    words = (*LINES[name].split(), *HOW)
    with Runs(words) as runs:
        line = (*words, *RUN)
        whole = play_whole(runs, tmp_path, line)
        for number, operation in enumerate(whole.operations, start=1):
            if number % every == 0:
                ways = breaks(number, operation)
                # Neighbors are of the same kind, so each way meets all kinds.
                broken = ways[number // every % len(ways)]
                check(tmp_path / str(number), line, runs, whole, operation, broken)


def test_broken_off_here_and_there(tmp_path: Path) -> None:
    break_some(tmp_path, "simulate", 5)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "every"), list(EVERY.items()))
def test_broken_off_everywhere(tmp_path: Path, name: str, every: int) -> None:
    break_some(tmp_path, name, every)
