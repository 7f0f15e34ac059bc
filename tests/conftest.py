"""What all tests share: no screen, no color, and property tests that repeat exactly."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Before anything imports matplotlib or rich; subprocesses inherit it.
os.environ["MPLBACKEND"] = "Agg"
os.environ["NO_COLOR"] = "1"
for name in ("FORCE_COLOR", "COLUMNS", "PYTHONWARNINGS"):
    os.environ.pop(name, None)

# The first call of a kernel compiles it, which no deadline per example allows for; and a test that
# fails today and passes tomorrow says little, so examples are derived from the test itself.
settings.register_profile("analyzer", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("analyzer")


@pytest.fixture
def lowball(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example of an outside package, found by what an installer would have written for it."""
    from analyzer import plugins

    example = ROOT / "examples" / "lowball"
    project = tomllib.loads((example / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / "installed" / "analyzer_lowball-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1\n")
    with (info / "entry_points.txt").open("w") as file:
        for group, points in project["entry-points"].items():
            lines = [f"{name} = {value}" for name, value in points.items()]
            file.write("\n".join([f"[{group}]", *lines, ""]))
    for folder in (info.parent, example):
        monkeypatch.syspath_prepend(folder)
    plugins.forget()
    yield
    plugins.forget()
