"""Does going first matter? The verdict by a margin, and its size in plain words."""

from __future__ import annotations

from analyzer.statistics import margins, wording
from analyzer.statistics.seats import moved
from analyzer.statistics.tables import Estimate, Summary


def conclusion(summary: Summary, advantage: Estimate, margin: float) -> tuple[str, str]:
    """Whether going first matters: the verdict, and one sentence with its size.

    Parameters
    ----------
    summary
        The figures of the run.
    advantage
        Share of the one who begins less an equal one, with its interval.
    margin
        Difference of win shares that counts as none.

    Returns
    -------
    tuple of str
        ``first-player-favored``, ``first-player-handicapped``, ``no-difference-shown`` (none beyond
        the margin) or ``undecided``; and the answer.
    """
    equal = equal_share(summary)
    share = wording.percent_between(moved(advantage, equal))
    games = wording.plural(summary.part)
    rest = f"wins {share} of {games}, where an equal share is {wording.plain_percent(equal)}"
    size = margins.judge(advantage, margin)
    more = _one_more(advantage, summary.part)
    if size == "above":
        return "first-player-favored", f"Yes, going first helps: whoever does {rest}; {more}."
    if size == "below":
        return "first-player-handicapped", f"Yes, going first hurts: whoever does {rest}; {more}."
    slightly = _slightly(advantage)
    if size == "inside":
        why = f" ({slightly}: {more})" if slightly else ""
        return "no-difference-shown", (
            f"No, going first makes no difference that matters{why}: whoever does {rest}."
        )
    within = f"more than {100 * margin:g} percentage points"
    if slightly:
        return "undecided", (
            f"Undecided: going first {slightly.removesuffix(' slightly')}, but by how much is "
            f"open: these {games} do not settle whether by {within}; whoever does {rest}."
        )
    return "undecided", (
        f"Undecided: these {games} do not settle whether going first makes a difference of "
        f"{within}: whoever does {rest}."
    )


def _slightly(advantage: Estimate) -> str:
    """Which way a difference goes that is shown, if only as a small one."""
    if advantage.low is not None and advantage.low > 0:
        return "helps slightly"
    return "hurts slightly" if advantage.high is not None and advantage.high < 0 else ""


def _one_more(advantage: Estimate, part: str) -> str:
    """The size of a difference of win shares in plain words: ``one extra win in 170 games``."""
    if not advantage.value:
        return f"no extra win in any number of {wording.plural(part)}"
    extra = "extra" if advantage.value > 0 else "lost"
    return f"one {extra} win in {wording.games(margins.one_in(advantage.value), part)}"


def equal_share(summary: Summary) -> float:
    """What whoever begins would win if beginning made no difference: part of the games won."""
    parts = (many for many in summary.parts.values() if isinstance(many, int))
    return (1 - summary.unfinished / next(parts, summary.games)) / summary.players
