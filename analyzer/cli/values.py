"""Values of options: strict, and with errors that say what is allowed."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from pathlib import Path

from analyzer.errors import UnknownName, UsageError

MAX_JOBS = 1024
LEAST_TIMEOUT, MOST_TIMEOUT = 0.1, 1_000_000

WHOLE = re.compile(r"[+-]?\d+(?:_\d+)*", re.ASCII)
ROUND = re.compile(r"\d+(?:_\d+)*(?:\.\d+)?(?:[eE]\+?\d{1,2})?", re.ASCII)
LONGEST = 40


def parse_games(text: str) -> int:
    """``--games``: ``250000``, ``250_000`` or ``2.5e5``.

    Raises
    ------
    UsageError
        Like all functions here, saying what is allowed.
    """
    from analyzer.experiment import MAX_GAMES

    wrong = _refusal("--games", "a whole number from 1 to 2^48, such as 100_000 or 2e6", text)
    if len(text) > LONGEST or not ROUND.fullmatch(text):
        raise wrong
    number = Decimal(text.replace("_", ""))
    if number != number.to_integral_value() or not 1 <= number <= MAX_GAMES:
        raise wrong
    return int(number)


def parse_players(text: str) -> int:
    """``--players``; which numbers a game is for is checked later."""
    return _whole("--players", text, 1, 100)


def parse_seed(text: str) -> int:
    """``--seed``."""
    from analyzer.kernels.random import MAX_SEED

    return _whole("--seed", text, 0, MAX_SEED, "2^63-1")


def parse_jobs(text: str) -> int:
    """``--jobs``."""
    return _whole("--jobs", text, 1, MAX_JOBS)


def parse_game_number(text: str) -> int:
    """``--game``: which game, counted from 0."""
    from analyzer.experiment import MAX_GAMES

    return _whole("--game", text, 0, MAX_GAMES - 1, "2^48-1")


def parse_timeout(text: str) -> float:
    """``--timeout``: seconds."""
    try:
        value = float(text) if len(text) <= LONGEST and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not LEAST_TIMEOUT <= value <= MOST_TIMEOUT:
        span = f"{LEAST_TIMEOUT:g} to {MOST_TIMEOUT:,}"
        raise _refusal("--timeout", f"a number of seconds from {span}", text)
    return value


def parse_margin(text: str) -> float:
    """``--margin``: a difference that counts as none."""
    try:
        value = float(text) if len(text) <= LONGEST and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    from analyzer.study.request import MOST_MARGIN

    if not 0 <= value <= MOST_MARGIN:
        raise _refusal("--margin", f"a number from 0 to {MOST_MARGIN:g}", text)
    return value


def parse_target(text: str) -> float:
    """``--target``: what a figure shall be near to."""
    try:
        value = float(text) if len(text) <= LONGEST and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _refusal("--target", "a number, a share of wins as 0.25", text)
    return value


def parse_generations(text: str) -> int:
    """``--generations``."""
    from analyzer.study.tune import MOST_GENERATIONS

    return _whole("--generations", text, 1, MOST_GENERATIONS)


def parse_population(text: str) -> int:
    """``--population``."""
    from analyzer.study.tune import LEAST_POPULATION, MOST_POPULATION

    return _whole("--population", text, LEAST_POPULATION, MOST_POPULATION)


def parse_precision(text: str) -> float:
    """``--precision``: a half-width of win shares."""
    try:
        value = float(text) if len(text) <= LONGEST and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    from analyzer.study.request import LEAST_PRECISION, MOST_PRECISION

    if not LEAST_PRECISION <= value <= MOST_PRECISION:
        span = f"{LEAST_PRECISION} to {MOST_PRECISION}"
        allowed = f"a number from {span} (half the width of an interval)"
        raise _refusal("--precision", allowed, text)
    return value


def parse_backend(text: str) -> str:
    """``--backend``."""
    from analyzer.engine.runner import BACKENDS

    if text not in BACKENDS:
        raise UnknownName("backend", text[:LONGEST], BACKENDS)
    return text


def parse_path(text: str) -> Path:
    """A path that is not empty."""
    if not text.strip():
        raise UsageError("the path given is empty; '.' is the current directory.")
    return Path(text)


def _whole(option: str, text: str, low: int, high: int, high_text: str = "") -> int:
    allowed = f"a whole number from {low} to {high_text or high}"
    if len(text) > LONGEST or not WHOLE.fullmatch(text) or not low <= int(text) <= high:
        raise _refusal(option, allowed, text)
    return int(text)


def _refusal(option: str, allowed: str, text: str) -> UsageError:
    shown = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return UsageError(f"{option} must be {allowed}; given {shown!r}.")
