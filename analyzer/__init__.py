"""Answer questions about board games by playing millions of them."""

# Nothing of Python's own is imported here: with `python -m analyzer` it could still be a module of
# the current folder, which `__main__` takes out of the way.
from analyzer.version import __version__

TYPE_CHECKING = False  # as `typing` has it

if TYPE_CHECKING:
    from analyzer.api import Comparison as Comparison
    from analyzer.api import FairnessResult as FairnessResult
    from analyzer.api import LuckResult as LuckResult
    from analyzer.api import Ranking as Ranking
    from analyzer.api import Simulation as Simulation
    from analyzer.api import SweepResult as SweepResult
    from analyzer.api import TuneResult as TuneResult
    from analyzer.api import compare as compare
    from analyzer.api import fairness as fairness
    from analyzer.api import luck as luck
    from analyzer.api import simulate as simulate
    from analyzer.api import sweep as sweep
    from analyzer.api import tournament as tournament
    from analyzer.api import tune as tune

__all__ = [
    "Comparison",
    "FairnessResult",
    "LuckResult",
    "Ranking",
    "Simulation",
    "SweepResult",
    "TuneResult",
    "__version__",
    "compare",
    "fairness",
    "luck",
    "simulate",
    "sweep",
    "tournament",
    "tune",
]


def __getattr__(name: str) -> object:
    """Load the Python interface when it is first used: `analyzer --help` must not wait for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # loaded by now, as all that Python needs to start

    return getattr(import_module("analyzer.api"), name)
