"""Answer questions about board games by playing millions of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analyzer.version import __version__

if TYPE_CHECKING:
    from analyzer.api import FairnessResult as FairnessResult
    from analyzer.api import Simulation as Simulation
    from analyzer.api import fairness as fairness
    from analyzer.api import simulate as simulate

__all__ = ["FairnessResult", "Simulation", "__version__", "fairness", "simulate"]


def __getattr__(name: str) -> Any:
    """Load the Python interface when it is first used: `analyzer --help` must not wait for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("analyzer.api"), name)
