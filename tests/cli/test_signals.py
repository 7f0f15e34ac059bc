"""What a first and a second Ctrl-C do while a run goes on."""

from __future__ import annotations

import signal
from contextlib import nullcontext

import pytest

from analyzer.cli.signals import Stop, heed_termination


def test_the_first_is_heeded_and_told_once_by_whoever_asks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Stop(lambda: True) as stop:
        assert not stop()
        signal.raise_signal(signal.SIGINT)
        assert capsys.readouterr().err == ""  # not by the signal, which may come amid a line
        assert stop() and stop()
        assert capsys.readouterr().err.count("interrupted") == 1
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_the_first_ends_what_has_nothing_to_finish() -> None:
    with Stop(lambda: False), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_interruption_that_cannot_be_raised_comes_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Python code that machine code has called, as when kernels are compiled."""
    import ctypes
    import time

    @ctypes.CFUNCTYPE(None)
    def called() -> None:
        signal.raise_signal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt), heed_termination():
        called()
        time.sleep(60)
    assert capsys.readouterr().err == ""


def test_what_else_cannot_be_raised_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    import ctypes
    import sys

    @ctypes.CFUNCTYPE(None)
    def called() -> None:
        raise ValueError("told")

    seen = []
    before, sys.unraisablehook = sys.unraisablehook, seen.append
    try:
        with heed_termination():
            called()
    finally:
        sys.unraisablehook = before
    assert [one.exc_type for one in seen] == [ValueError]


def test_compiling_is_not_broken_off_where_it_would_break(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """LLVM hands over machine code to a function that must come to its end."""
    import ctypes
    import time

    handed = []

    @ctypes.CFUNCTYPE(None)
    def _raw_object_cache_notify() -> None:
        signal.raise_signal(signal.SIGINT)
        handed.append("machine code")

    for inner in (nullcontext(), Stop(lambda: False)):
        handed.clear()
        with pytest.raises(KeyboardInterrupt), heed_termination(), inner:
            _raw_object_cache_notify()
            time.sleep(60)
        assert handed == ["machine code"]
    assert capsys.readouterr().err == ""
