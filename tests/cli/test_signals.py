"""What a first and a second Ctrl-C do while a run goes on."""

from __future__ import annotations

import signal

import pytest

from analyzer.cli.signals import Stop


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
