"""Everything `analyzer fairness` says, put together: the verdict, the answer and the figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from analyzer.contracts import Game
from analyzer.results import ResultSet
from analyzer.statistics import margins, turn_order, wording
from analyzer.statistics.intervals import ALPHA, MIN_GAMES
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.seats import moved, seats_test
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import (
    Fairness,
    FieldFairness,
    SeatsTest,
    Summary,
)


def judge(
    main: ResultSet,
    game: Game,
    sequence: WinShareSequence | None = None,
    margin: float = margins.WIN_SHARE_MARGIN,
) -> Fairness:
    """The verdict, the answer, and every figure behind them.

    Parameters
    ----------
    main
        The run to judge.
    game
        The game played.
    sequence
        The rule that watched the main run; see `analyzer.statistics.summary.summarize`.
    margin
        Difference of win shares that counts as none.

    Returns
    -------
    Fairness
        ``verdict`` is one of ``first-player-favored``, ``first-player-handicapped`` (where there
        is a first player), ``seats-differ``, ``no-difference-shown`` (none beyond the margin) and
        ``undecided`` (too few games, or seats that differ in strategy).
    """
    summary, test = summarize(main, game, sequence), seats_test(main, game)
    verdict, answer = _conclusion(summary, test, margin)
    return Fairness(summary, test, (), verdict, answer)


def judge_field(
    field: str, main: ResultSet, game: Game, margin: float = margins.WIN_SHARE_MARGIN
) -> FieldFairness:
    """The same figures for one more table of strategies.

    Parameters
    ----------
    field
        The table as the user named it.
    main, game, margin
        As in `judge`.
    """
    summary, test = summarize(main, game), seats_test(main, game)
    verdict, answer = _conclusion(summary, test, margin)
    return FieldFairness(field, summary, test, verdict, answer)


# --- one verdict over ways of playing ------------------------------------------------------------


def agreement(verdicts: Sequence[str]) -> str:
    """What several verdicts come to: theirs if all that are decided agree.

    ``"undecided"`` if none is decided, ``"depends-on-play"`` if they contradict each other.
    """
    decided = [verdict for verdict in dict.fromkeys(verdicts) if verdict != "undecided"]
    if len(decided) > 1:
        return "depends-on-play"
    return decided[0] if decided else "undecided"


def over_tables(found: Fairness, margin: float = WIN_SHARE_MARGIN) -> tuple[str, str]:
    """The verdict and the sentence over all tables of strategies, for any game.

    Parameters
    ----------
    found
        With the answer of each table for itself.
    margin
        Difference of win shares that counts as none.
    """
    tables = found.tables
    if len(tables) == 1:
        return found.verdict, found.answer
    verdict = agreement([table.verdict for table in tables])
    about_first = all(t.seats_test.first_player_advantage.value is not None for t in tables)
    if verdict not in LEADS or not about_first:
        what = "going first" if about_first else "the seat"
        return verdict, _each(tables, verdict, what, margin)
    equal = turn_order.equal_share(tables[0].summary)
    names = _names(tables)
    shares = ", ".join(
        f"{wording.percent(moved(t.seats_test.first_player_advantage, equal))} among "
        f"{name}{' (undecided)' if t.verdict == 'undecided' else ''}"
        for name, t in zip(names, tables, strict=True)
        if not t.seats_test.confounded  # there it is the share of whoever plays in that seat
    )
    lead = LEADS[verdict]
    unsure = [n for n, t in zip(names, tables, strict=True) if t.verdict == "undecided"]
    if unsure and verdict != "depends-on-play":
        sure = [n for n, t in zip(names, tables, strict=True) if t.verdict != "undecided"]
        yes, _, what = lead.partition(", ")
        within = f"more than {100 * margin:g} percentage points"
        lead = f"{yes} among {wording.listed(sure)}, {what}; whether by {within} is open among "
        lead += wording.listed(unsure)
    elif verdict != "depends-on-play":
        lead += f" {wording.at_all(len(tables))}"
    return verdict, (
        f"{lead}: whoever goes first wins {shares}, where an equal share is "
        f"{wording.plain_percent(equal)}."
    )


LEADS = {
    "first-player-favored": "Yes, going first helps",
    "first-player-handicapped": "Yes, going first hurts",
    "no-difference-shown": "No, going first makes no difference that matters",
    "depends-on-play": "It depends on how people play",
}
"""How the sentence over several tables begins, if it is about going first."""


def _each(tables: Sequence[FieldFairness], verdict: str, what: str, margin: float) -> str:
    """The sentences of all tables, or the one that all have; ``what`` is what may matter."""
    told = list(dict.fromkeys(table.answer for table in tables))
    if len(told) == 1:
        return told[0]
    if verdict == "undecided" and all(t.answer.startswith("Undecided: ") for t in tables):
        return (
            f"Undecided: among {wording.listed(_names(tables))} it is open whether {what} makes a "
            f"difference of more than {100 * margin:g} percentage points; more games may settle it."
        )
    lead = "It depends on how people play. " if verdict == "depends-on-play" else ""
    return lead + " ".join(
        f"Among {name}: {table.answer}" for name, table in zip(_names(tables), tables, strict=True)
    )


def _names(tables: Sequence[FieldFairness]) -> list[str]:
    """Who sits at each table, told apart from those at the others."""
    everybody = list(chain.from_iterable(table.summary.lineup for table in tables))
    return [wording.table(t.summary.lineup, t.summary.game, everybody) for t in tables]


# --- one table -----------------------------------------------------------------------------------


CONFOUNDED = (
    "Undecided: seats that differ in strategy cannot show whether the seat matters, nor whether "
    "going first does; give all seats one strategy, or rotate them."
)


def _conclusion(summary: Summary, test: SeatsTest, margin: float) -> tuple[str, str]:
    if summary.games < MIN_GAMES:
        return "undecided", (
            f"Too few {wording.plural(summary.whole)} to say: {summary.games} played, at least "
            f"{MIN_GAMES} needed."
        )
    if test.confounded:
        return "undecided", CONFOUNDED
    if test.first_player_advantage.value is not None:
        return turn_order.conclusion(summary, test.first_player_advantage, margin)
    if test.exchangeable:
        return "no-difference-shown", (
            "No, by the rules all seats are alike: equal players win "
            f"{wording.plain_percent(summary.equal_share)} each."
        )
    return _about_seats(summary, test, margin)


def _about_seats(summary: Summary, test: SeatsTest, margin: float) -> tuple[str, str]:
    if test.p_value is None:
        return "undecided", (
            f"Whether the seat matters cannot be computed: nobody has won a {summary.whole}."
        )
    equal = sum(seat.win_share.value or 0.0 for seat in summary.seats) / summary.players
    games = wording.games(summary.games, summary.whole)
    sizes = [margins.judge(advantage, margin) for advantage in test.advantages]
    points = f"{100 * margin:g} percentage points"
    order = sorted(range(summary.players), key=lambda i: test.advantages[i].value or 0.0)
    shares = [moved(advantage, equal) for advantage in test.advantages]
    best, worst = (
        f"seat {i + 1} with {wording.percent_between(shares[i])}" for i in (order[-1], order[0])
    )
    most = (
        f"in {games} most wins go to {best}, fewest to {worst}; an equal share is "
        f"{wording.plain_percent(equal)}."
    )
    if all(size == "inside" for size in sizes):
        return "no-difference-shown", (
            f"No seat wins more than another by a margin that matters: in {games} all are shown to "
            f"be within {points} of an equal share of {wording.plain_percent(equal)}."
        )
    if test.p_value < ALPHA and {"above", "below"} & set(sizes):
        return "seats-differ", f"Yes, the seat matters: {most}"
    if test.p_value < ALPHA:
        return "undecided", (
            f"Undecided: the seats differ, but {games} do not settle whether any by more than "
            f"{points}: {most}"
        )
    return "undecided", (
        f"Undecided: no seat is shown to win more than another, but {games} do not settle whether "
        f"any strays by more than {points} from an equal share of {wording.plain_percent(equal)}."
    )
