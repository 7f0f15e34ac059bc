"""Everything `analyzer fairness` says, put together: the verdict, the answer and the figures."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.contracts import Game
from analyzer.games.turnthetide.lifesavers import FAIR_WITHIN, analyze
from analyzer.results import ResultSet
from analyzer.statistics import wording
from analyzer.statistics.intervals import ALPHA, MIN_GAMES
from analyzer.statistics.seats import seats_test
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import (
    Estimate,
    Fairness,
    FieldFairness,
    Lifesavers,
    SeatsTest,
    Suggestion,
    Summary,
)

__all__ = ["equal_share", "judge", "judge_field"]


def judge(
    main: ResultSet,
    flat: ResultSet | None,
    game: Game,
    sequence: WinShareSequence | None = None,
    suggestion: Suggestion | None = None,
    fields: Sequence[FieldFairness] = (),
) -> Fairness:
    """The verdict, the answer, and every figure behind them.

    Parameters
    ----------
    main
        The run to judge; with detail ``"fairness"`` for the preserver figures of Turn the Tide.
    flat
        The same run with equal preservers; see `analyzer.games.turnthetide.lifesavers.analyze`.
    game
        The game played.
    sequence
        The rule that watched the main run; see `analyzer.statistics.summary.summarize`.
    suggestion
        A fairer printing, if one was asked for.
    fields
        The figures of other tables of strategies, from `judge_field`.

    Returns
    -------
    Fairness
        ``verdict`` is that of the preservers where there are such, else one of
        ``first-player-favored``, ``first-player-handicapped`` (where there is a first player),
        ``seats-differ``, ``no-difference-shown`` and ``undecided`` (too few games, or seats that
        differ in strategy).
    """
    summary, test, lifesavers = _figures(main, flat, game, sequence)
    verdict, answer = _conclusion(summary, test, lifesavers)
    return Fairness(
        summary=summary,
        seats_test=test,
        lifesavers=lifesavers,
        suggestion=suggestion,
        fields=tuple(fields),
        verdict=verdict,
        answer=answer,
    )


def judge_field(field: str, main: ResultSet, flat: ResultSet | None, game: Game) -> FieldFairness:
    """The same figures for one more table of strategies.

    Parameters
    ----------
    field
        The table as the user named it.
    main, flat, game
        As in `judge`.
    """
    summary, test, lifesavers = _figures(main, flat, game, None)
    verdict, answer = _conclusion(summary, test, lifesavers)
    return FieldFairness(field, summary, test, lifesavers, verdict, answer)


def _figures(
    main: ResultSet, flat: ResultSet | None, game: Game, sequence: WinShareSequence | None
) -> tuple[Summary, SeatsTest, Lifesavers | None]:
    lifesavers = analyze(main, flat, game) if "pairs" in main.sums else None
    return summarize(main, game, sequence), seats_test(main, game), lifesavers


def _conclusion(
    summary: Summary, test: SeatsTest, lifesavers: Lifesavers | None
) -> tuple[str, str]:
    if lifesavers is not None:
        return lifesavers.verdict, _about_preservers(summary, lifesavers)
    if summary.games < MIN_GAMES:
        return "undecided", (
            f"Too few {wording.plural(summary.whole)} to say: {summary.games} played, at least "
            f"{MIN_GAMES} needed."
        )
    if test.first_player_advantage.value is not None:
        return _about_first_player(summary, test.first_player_advantage)
    if test.confounded:
        return "undecided", (
            "Seats that differ in strategy cannot show whether the seat matters; give all seats "
            "one strategy, or rotate them."
        )
    return _about_seats(summary, test)


def _about_preservers(summary: Summary, found: Lifesavers) -> str:
    """One sentence on the slope, and what else decides where the slope is fair."""
    if found.verdict == "no-variation":
        return _no_variation(str(summary.rules["allocation"]))
    effect = _effect(found.slope)
    if found.verdict == "over-compensated":
        return (
            f"No. A hand with one more preserver scores {effect}; if preservers only made up for "
            "bad cards it would be 0."
        )
    if found.verdict == "under-compensated":
        return (
            f"No. A hand with one more preserver scores {effect}; if preservers fully made up for "
            "the bad cards they come with it would be 0."
        )
    if found.verdict == "fair":
        luck = (
            ""
            if found.hand_share.value is None
            else f"; all in all the dealt hand decides {wording.percent(found.hand_share)} of a "
            "round's scores"
        )
        return (
            f"Yes, on average. A hand with one more preserver scores {effect}, which is within "
            f"{FAIR_WITHIN:g} points of making up for its cards exactly{luck}."
        )
    if found.slope.low is None:
        return (
            f"Undecided: {wording.games(summary.games)} cannot say what a preserver is worth; at "
            f"least {MIN_GAMES} are needed, and many more for a clear answer."
        )
    return (
        f"Undecided. A hand with one more preserver scores {effect}; more games would tell whether "
        f"that is within {FAIR_WITHIN:g} points of 0, where preservers just make up for bad cards."
    )


def _no_variation(allocation: str) -> str:
    kind, _, number = allocation.partition(":")
    if kind == "flat":
        return f"There is nothing to judge: the rules give every hand {number} preservers."
    if kind == "none":
        return "There is nothing to judge: the rules give no hand any preserver."
    return "There is nothing to judge: all hands have the same number of preservers."


def _effect(slope: Estimate) -> str:
    """``0.58 points more per round (between 0.57 and 0.59)``; "less" if the interval is below 0."""
    word = "more"
    value, low, high = slope.value, slope.low, slope.high
    if value is not None and low is not None and high is not None and high < 0:
        slope, word = Estimate(-value, -high, -low, slope.kind), "less"
    return f"{wording.number(slope)} points {word} per round ({wording.interval(slope)})"


def _about_first_player(summary: Summary, advantage: Estimate) -> tuple[str, str]:
    equal = equal_share(summary)
    share = wording.percent_between(_shifted(advantage, equal))
    rest = (
        f"wins {share} of {wording.plural(summary.part)}, where an equal share is "
        f"{wording.plain_percent(equal)}."
    )
    if advantage.low is not None and advantage.low > 0:
        return "first-player-favored", f"Yes, going first helps: whoever does {rest}"
    if advantage.high is not None and advantage.high < 0:
        return "first-player-handicapped", f"Yes, going first hurts: whoever does {rest}"
    return "no-difference-shown", f"No effect of going first is shown: whoever does {rest}"


def equal_share(summary: Summary) -> float:
    """What whoever begins would win if beginning made no difference: part of the games won."""
    deals = summary.parts.get("deals", summary.games)
    return (1 - summary.unfinished / deals) / summary.players


def _shifted(estimate: Estimate, by: float) -> Estimate:
    value, low, high = (
        None if end is None else end + by for end in (estimate.value, estimate.low, estimate.high)
    )
    return Estimate(value, low, high, estimate.kind, estimate.se)


def _about_seats(summary: Summary, test: SeatsTest) -> tuple[str, str]:
    if test.p_value is None:
        return "undecided", (
            f"Whether the seat matters cannot be computed: nobody has won a {summary.whole}."
        )
    equal = sum(seat.win_share.value or 0.0 for seat in summary.seats) / summary.players
    games = wording.games(summary.games, summary.whole)
    if test.p_value >= ALPHA:
        largest = max(abs(one.value or 0.0) for one in test.advantages)
        return "no-difference-shown", (
            f"No seat is shown to win more than another: in {games} none strayed more than "
            f"{100 * largest:.2f} percentage points from its equal share of "
            f"{wording.plain_percent(equal)}."
        )
    order = sorted(range(summary.players), key=lambda i: test.advantages[i].value or 0.0)
    best, worst = (
        f"seat {i + 1} with {wording.percent_between(_shifted(test.advantages[i], equal))}"
        for i in (order[-1], order[0])
    )
    return "seats-differ", (
        f"Yes, the seat matters: in {games} most wins go to {best}, fewest to {worst}; an "
        f"equal share is {wording.plain_percent(equal)}."
    )
