"""The figures that every game has: who wins how often, and what it scores."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN, Game, Metric
from analyzer.results import Checkpoint, ResultSet
from analyzer.statistics import wording
from analyzer.statistics.intervals import (
    MIN_GAMES,
    Floats,
    Totals,
    cross,
    estimate,
    leave_one_out,
    quantile,
    ratio,
    share_estimate,
    standard_error,
)
from analyzer.statistics.seats import class_mean, copies, metric_ratio, seat_shares, seats_test
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.tables import (
    Columns,
    Estimate,
    Player,
    SeatsTest,
    Summary,
    WinVerdict,
    columns,
)

ROTATED = "rotated"
"""What stands for the strategy of a seat through which all of them pass."""


def summarize(result: ResultSet, game: Game, sequence: WinShareSequence | None = None) -> Summary:
    """Every figure of `analyzer simulate`.

    Parameters
    ----------
    result
        Any run with at least one game.
    game
        Its game, for the metrics.
    sequence
        The rule that watched the run, with all its checkpoints; the seats' win shares then have
        its intervals, which hold although the data decided when to stop. All other intervals
        stay the jackknife's: the rule stops by widths, which know little of the means.

    Returns
    -------
    Summary
        Under rotation ``seats`` averages over strategies and ``strategies`` over seats.

    Raises
    ------
    ValueError
        If the run has no games.
    """
    experiment = result.experiment
    totals = leave_one_out(result.sums)
    by_seat = _players(totals, _seat_order(totals), experiment.seating(0), seats=True)
    lineup = experiment.strategies
    strategies: tuple[Player, ...] = ()
    if experiment.rotate:
        by_seat = tuple(replace(player, strategy=ROTATED) for player in by_seat)
        strategies = _players(totals, _strategy_order(totals), lineup, seats=False)
    precision_reached = None
    kind = "jackknife" if result.games >= MIN_GAMES else "none"
    if sequence is not None:
        intervals = sequence.intervals(_latest(result))
        by_seat = tuple(
            replace(player, win_share=interval)
            for player, interval in zip(by_seat, intervals, strict=True)
        )
        precision_reached, kind = sequence.reached, "sequence"
    test = seats_test(result, game)
    part, whole = _units(game, result)
    verdict, answer = _answer(result, totals, by_seat, strategies, test, whole)
    return Summary(
        game=experiment.game,
        players=experiment.players,
        games=result.games,
        seed=experiment.seed,
        unfinished=int(result.sums["unfinished"].sum()),
        precision_reached=precision_reached,
        interval_kind=kind,
        rules=experiment.rules,
        lineup=lineup,
        seats=by_seat,
        strategies=strategies,
        metrics={metric.name: _metric(totals, metric) for metric in _told(game, result)},
        places=_places(totals, lineup) if experiment.rotate else None,
        parts=_parts(game, result),
        part=part,
        whole=whole,
        scores=_scores(result),
        history=_history(result),
        seconds=result.seconds,
        rotated=experiment.rotate,
        note=_note(test),
        answer=answer,
        verdict=verdict,
    )


def _told(game: Game, result: ResultSet) -> list[Metric]:
    """The game's figures that mean something in this run."""
    return [
        metric
        for metric in game.metrics
        if {metric.numerator, metric.denominator} <= result.sums.keys()
        and (not metric.when or result.experiment.rules[metric.when])
    ]


def _metric(totals: Totals, metric: Metric) -> Estimate:
    """One of the game's figures."""
    replicates = metric_ratio(totals, metric.numerator, metric.denominator)
    if metric.kind == "mean":
        return estimate(replicates)
    of_all, all_ = (int(totals[name][0].sum()) for name in (metric.numerator, metric.denominator))
    return share_estimate(replicates, of_all / metric.unit, all_ / metric.unit)


def _parts(game: Game, result: ResultSet) -> dict[str, int | float]:
    """What the games consist of: how many parts in all, and a game."""
    parts: dict[str, int | float] = {}
    for metric in _told(game, result):
        if metric.when:
            many, games = (
                int(result.sums[name].sum()) for name in (metric.numerator, metric.denominator)
            )
            parts |= {metric.numerator: many, metric.name: many / games}
    return parts


def _units(game: Game, result: ResultSet) -> tuple[str, str]:
    """What the game's own figures are of in this run, and what its wins and scores are of."""
    for metric in _told(game, result):
        if metric.when:
            return metric.part, metric.whole
    return "game", "game"


# --- players -------------------------------------------------------------------------------------


def _seat_order(totals: Totals) -> NDArray[np.intp]:
    """(classes, P): which column of a class is the seat's, namely its own."""
    classes, players = totals["wins"].shape[1:]
    return np.tile(np.arange(players), (classes, 1))


def _strategy_order(totals: Totals) -> NDArray[np.intp]:
    """(classes, P): in which seat strategy s sits, (s + class) mod P."""
    classes, players = totals["wins"].shape[1:]
    return np.asarray((np.arange(players) + np.arange(classes)[:, None]) % players)


def _players(
    totals: Totals, order: NDArray[np.intp], names: tuple[str, ...], *, seats: bool
) -> tuple[Player, ...]:
    """A player a seat, or a player a strategy, with copies of a strategy taken together."""
    games = totals["games"]
    rows = np.arange(games.shape[1])[:, None]
    arranged = {
        name: totals[name][:, rows, order] for name in ("wins", "outright", "score", "score_sq")
    }
    groups = [[column] for column in range(len(names))] if seats else [*copies(names).values()]
    played = int(games[0].sum())
    shares = class_mean(arranged["wins"], games) / WHOLE_WIN
    scores = class_mean(arranged["score"], games)
    players = []
    for group in groups:
        n = len(group) * played
        won = float(arranged["wins"][0][:, group].sum() / WHOLE_WIN)
        score, score_sq = (int(arranged[x][0][:, group].sum()) for x in ("score", "score_sq"))
        squares = int(cross(n, score_sq, score, score))
        players.append(
            Player(
                seat=group[0] + 1 if seats else None,
                strategy=names[group[0]],
                win_share=share_estimate(shares[:, group].mean(axis=1), won / len(group), played),
                outright_wins=int(arranged["outright"][0][:, group].sum()),
                mean_score=estimate(scores[:, group].mean(axis=1)),
                sd_score=math.sqrt(squares / (n * (n - 1))) if n > 1 else None,
                copies=len(group),
            )
        )
    return tuple(players)


def _places(totals: Totals, lineup: tuple[str, ...]) -> Columns:
    """What each strategy wins in each seat; equal ones are taken together."""
    order = _strategy_order(totals)
    games, wins = totals["games"], totals["wins"]
    rows = []
    for name, own in copies(lineup).items():
        for seat in range(len(lineup)):
            # Where a strategy sits in this seat in some class, that class tells how it fares there.
            classes = [k for k, seats in enumerate(order.tolist()) for s in own if seats[s] == seat]
            won, played = wins[:, classes, seat].sum(axis=1), games[:, classes].sum(axis=1)
            if not played[0]:
                continue
            share = share_estimate(
                ratio(won, WHOLE_WIN * played), won[0] / WHOLE_WIN, float(played[0])
            )
            rows.append((name, seat + 1, share.value, share.low, share.high))
    kinds = {"strategy": str, "seat": int, "win_share": float, "low": float, "high": float}
    return columns(rows, kinds)


def _latest(result: ResultSet) -> Checkpoint:
    wins, wins_sq = (
        tuple(result.sums[name].sum(axis=(0, -1)).tolist()) for name in ("wins", "wins_sq")
    )
    return Checkpoint(result.games, wins, wins_sq)


# --- tables --------------------------------------------------------------------------------------


def _scores(result: ResultSet) -> Columns:
    """How many games ended with each score, scores that never occurred at either end left out."""
    histogram = result.sums["score_hist"].sum(axis=(0, -1))
    seen = np.flatnonzero(histogram.sum(axis=0))
    bins = np.arange(seen[0], seen[-1] + 1) if seen.size else np.arange(0)
    players = len(histogram)
    return {
        "seat": np.repeat(np.arange(1, players + 1), len(bins)),
        "score": np.tile(bins + result.score_low, players),
        "games": histogram[:, bins].reshape(-1),
    }


def _history(result: ResultSet) -> Columns:
    """Win shares as games accumulate, each with the interval of that many games alone."""
    rows = []
    for games, sums in result.growing("wins"):
        totals = leave_one_out(sums, ("games", "wins"))
        shares = seat_shares(totals)
        won = totals["wins"][0].sum(axis=0) / WHOLE_WIN
        for seat in range(shares.shape[1]):
            share = share_estimate(shares[:, seat], float(won[seat]), games)
            rows.append((games, seat + 1, share.value, share.low, share.high))
    kinds = {"games": np.int64, "seat": np.int64, "win_share": float, "low": float, "high": float}
    return columns(rows, kinds)


# --- sentences -----------------------------------------------------------------------------------


def _note(test: SeatsTest) -> str:
    if not test.confounded:
        return ""
    return (
        "Seats differ in strategy, so a difference between them may come from the seat or from the "
        "strategy; --rotate tells the two apart."
    )


def _answer(
    result: ResultSet,
    totals: Totals,
    by_seat: tuple[Player, ...],
    strategies: tuple[Player, ...],
    test: SeatsTest,
    one: str,
) -> tuple[WinVerdict, str]:
    """A sentence on who wins; ``one`` is what is won, a game or a match."""
    games, many = wording.games(result.games, one), wording.plural(one)
    if result.games < MIN_GAMES:
        return "too-few", (
            f"Too few {many} to say who wins more: {result.games} played, at least {MIN_GAMES} "
            "needed."
        )
    if not any(player.win_share.value for player in by_seat):
        return "nobody-wins", f"Nobody wins: all {games} were stopped at the turn limit."
    equal = _equal_share(by_seat)
    alike = len(set(result.experiment.strategies)) == 1
    if alike and (test.p_value is None or test.p_value >= 0.05):
        shares = sorted(player.win_share.value or 0.0 for player in by_seat)
        low, high = (f"{100 * share:.2f}%" for share in (shares[0], shares[-1]))
        chance = "" if test.p_value is None else _by_chance(test.p_value)
        return "level", (
            f"No seat is shown to win more than another: in {games} the seats won from {low} "
            f"to {high}, where an equal share is {equal}{chance}."
        )
    # One strategy at all seats has no rival but the seats themselves, even if they rotated.
    ranks_seats = alike or not strategies
    players = by_seat if ranks_seats else strategies
    shares_left_out = _shares(totals, not ranks_seats, result.experiment.strategies)
    ranked = sorted(range(len(players)), key=lambda i: -(players[i].win_share.value or 0.0))
    first, second = ranked[0], ranked[1]
    best, next_best = players[first], players[second]
    lead = shares_left_out[:, first] - shares_left_out[:, second]
    width = quantile(len(lead) - 1, len(players) - 1) * float(standard_error(lead))
    if lead[0] > width:
        return "ranked", (
            f"{_capital(_name(best, alike))} wins most: "
            f"{wording.percent_between(best.win_share)} of {many}, where an equal share is "
            f"{equal}; next comes {_name(next_best, alike)} with "
            f"{wording.percent(next_best.win_share)}."
        )
    return "too-close", (
        f"Too close to call between {_name(best, alike)}, which wins "
        f"{wording.percent_between(best.win_share)} of {many}, and {_name(next_best, alike)} with "
        f"{wording.percent_between(next_best.win_share)}; an equal share is {equal}."
    )


def _equal_share(by_seat: tuple[Player, ...]) -> str:
    """An equal share of the games that somebody has won: ``25%``."""
    won = sum(player.win_share.value or 0.0 for player in by_seat)
    stopped = "" if won > 1 - 1e-9 else f" as {wording.plain_percent(1 - won)} have no winner"
    return wording.plain_percent(won / len(by_seat)) + stopped


def _shares(totals: Totals, rotated: bool, lineup: tuple[str, ...]) -> Floats:
    """Win shares of the players as ranked: of seats, or of one copy of each strategy."""
    if not rotated:
        return seat_shares(totals)
    rows = np.arange(totals["games"].shape[1])[:, None]
    arranged = totals["wins"][:, rows, _strategy_order(totals)]
    shares = class_mean(arranged, totals["games"]) / WHOLE_WIN
    return np.stack([shares[:, own].mean(axis=1) for own in copies(lineup).values()], axis=1)


def _by_chance(p_value: float) -> str:
    return f"; chance alone makes them differ at least this much in {100 * p_value:.0f}% of runs"


def _name(player: Player, alike: bool) -> str:
    if player.seat is None:
        return player.strategy
    return f"seat {player.seat}" if alike else f"{player.strategy} (seat {player.seat})"


def _capital(text: str) -> str:
    return "Seat" + text[4:] if text.startswith("seat ") else text
