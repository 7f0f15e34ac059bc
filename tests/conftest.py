"""What all tests share: no screen, no color, and property tests that repeat exactly."""

from __future__ import annotations

import os
from pathlib import Path

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
