"""Everything `analyzer fairness` says, put together: the verdict, the answer and the figures."""

from __future__ import annotations

from analyzer.contracts import Game
from analyzer.results import ResultSet
from analyzer.statistics import wording
from analyzer.statistics.intervals import ALPHA, MIN_GAMES
from analyzer.statistics.seats import seats_test
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import Estimate, Fairness, FieldFairness, SeatsTest, Summary


def judge(main: ResultSet, game: Game, sequence: WinShareSequence | None = None) -> Fairness:
    """The verdict, the answer, and every figure behind them.

    Parameters
    ----------
    main
        The run to judge.
    game
        The game played.
    sequence
        The rule that watched the main run; see `analyzer.statistics.summary.summarize`.

    Returns
    -------
    Fairness
        ``verdict`` is one of ``first-player-favored``, ``first-player-handicapped`` (where there
        is a first player), ``seats-differ``, ``no-difference-shown`` and ``undecided`` (too few
        games, or seats that differ in strategy).
    """
    summary, test = summarize(main, game, sequence), seats_test(main, game)
    verdict, answer = _conclusion(summary, test)
    return Fairness(summary, test, (), verdict, answer)


def judge_field(field: str, main: ResultSet, game: Game) -> FieldFairness:
    """The same figures for one more table of strategies.

    Parameters
    ----------
    field
        The table as the user named it.
    main, game
        As in `judge`.
    """
    summary, test = summarize(main, game), seats_test(main, game)
    verdict, answer = _conclusion(summary, test)
    return FieldFairness(field, summary, test, verdict, answer)


def _conclusion(summary: Summary, test: SeatsTest) -> tuple[str, str]:
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
    parts = (many for many in summary.parts.values() if isinstance(many, int))
    return (1 - summary.unfinished / next(parts, summary.games)) / summary.players


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
