"""The figures that every game has: who wins how often, and what it scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN, Game, Metric
from analyzer.experiment import Experiment
from analyzer.results import RECORD, ResultSet, checkpoint
from analyzer.specs import plain_names
from analyzer.statistics import margins, turn_order, wording
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
from analyzer.statistics.seats import (
    by_seat,
    by_strategy,
    metric_ratio,
    seat_shares,
    seats_test,
    strategy_shares,
)
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.shape import shape_of
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

PLAYER_SUMS = ("wins", "outright", "score", "score_sq")


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
        Where strategies change seats ``seats`` averages over them and ``strategies`` over seats.

    Raises
    ------
    ValueError
        If the run has no games.
    """
    experiment = result.experiment
    totals = leave_one_out(result.sums)
    lineup = experiment.strategies
    seats = _seats(totals, experiment)
    strategies: tuple[Player, ...] = ()
    if experiment.rotate:
        seats = tuple(replace(player, strategy=ROTATED) for player in seats)
        strategies = _strategies(totals, experiment)
    precision_reached = None
    kind = "jackknife" if result.games >= MIN_GAMES else "none"
    if sequence is not None:
        precision_reached = sequence.reached
        # Where the cap came first the number of games was fixed beforehand: the usual intervals.
        if precision_reached:
            kind = "sequence"
            intervals = sequence.intervals(checkpoint(result.games, result.sums))
            if len(strategies) > 1:
                of = [experiment.holders.index(player.strategy) for player in strategies]
                strategies = _with_shares(strategies, [intervals[i] for i in of])
            else:
                seats = _with_shares(seats, intervals)
    watching = sequence if kind == "sequence" else None
    test = seats_test(result, game)
    part, whole = _units(game, result)
    verdict, answer = _answer(result, totals, seats, strategies, test, whole)
    summary = Summary(
        game=experiment.game,
        players=experiment.players,
        games=result.games,
        seed=experiment.seed,
        unfinished=int(result.sums["unfinished"].sum()),
        precision_reached=precision_reached,
        games_needed=sequence.games_needed() if sequence and not precision_reached else None,
        interval_kind=kind,
        rules=experiment.rules,
        lineup=lineup,
        seats=seats,
        strategies=strategies,
        metrics={metric.name: _metric(totals, metric) for metric in _told(game, result)},
        places=_places(totals, experiment) if experiment.rotate else None,
        parts=_parts(game, result),
        part=part,
        whole=whole,
        scores=_scores(result),
        history=_history(result) if watching is None else _watched(result, watching),
        seconds=result.seconds,
        rotated=experiment.rotate,
        note=_note(test),
        answer=answer,
        verdict=verdict,
        shape=shape_of(result, game) if RECORD in result.sums else None,
    )
    advantage = test.first_player_advantage
    if verdict != "level" or advantage.value is None:
        return summary
    verdict_first, told = turn_order.conclusion(summary, advantage, margins.WIN_SHARE_MARGIN)
    return replace(summary, answer=f"{answer} {told}", going_first=verdict_first)


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


def _seats(totals: Totals, experiment: Experiment) -> tuple[Player, ...]:
    """A player a seat, whoever sat there."""
    sums = {name: by_seat(totals, name) for name in PLAYER_SUMS}
    return tuple(
        _player(totals, {name: rows[:, seat] for name, rows in sums.items()}, spec, seat=seat + 1)
        for seat, spec in enumerate(experiment.strategies)
    )


def _strategies(totals: Totals, experiment: Experiment) -> tuple[Player, ...]:
    """A player a strategy, over all its copies and seats."""
    sums = {name: by_strategy(totals, name) for name in PLAYER_SUMS}
    players = []
    for name in dict.fromkeys(experiment.strategies):
        holder = experiment.holders.index(name)
        own = {part: rows[:, holder] for part, rows in sums.items()}
        players.append(_player(totals, own, name, copies=experiment.strategies.count(name)))
    return tuple(players)


def _player(
    totals: Totals,
    own: Mapping[str, NDArray[np.int64]],
    strategy: str,
    *,
    seat: int | None = None,
    copies: int = 1,
) -> Player:
    """The figures of one copy, from (1 + B,) sums over all copies."""
    played = totals["games"][:, 0] * copies
    n, games = int(played[0]), int(totals["games"][0, 0])
    score, score_sq = int(own["score"][0]), int(own["score_sq"][0])
    squares = int(cross(n, score_sq, score, score))
    won = float(own["wins"][0] / WHOLE_WIN / copies)
    return Player(
        seat=seat,
        strategy=strategy,
        win_share=share_estimate(ratio(own["wins"], played) / WHOLE_WIN, won, games),
        outright_wins=int(own["outright"][0]),
        mean_score=estimate(ratio(own["score"], played)),
        sd_score=math.sqrt(squares / (n * (n - 1))) if n > 1 else None,
        copies=copies,
    )


def _with_shares(players: tuple[Player, ...], shares: Sequence[Estimate]) -> tuple[Player, ...]:
    return tuple(
        replace(player, win_share=share) for player, share in zip(players, shares, strict=True)
    )


def _places(totals: Totals, experiment: Experiment) -> Columns:
    """What each strategy wins in each seat; equal ones are taken together."""
    rows = []
    for name in dict.fromkeys(experiment.strategies):
        holder = experiment.holders.index(name)
        for seat in range(experiment.players):
            won, played = totals["wins"][:, holder, seat], totals["held"][:, holder, seat]
            if not played[0]:
                continue
            share = share_estimate(
                ratio(won, WHOLE_WIN * played), won[0] / WHOLE_WIN, float(played[0])
            )
            rows.append((name, seat + 1, share.value, share.low, share.high))
    kinds = {"strategy": str, "seat": int, "win_share": float, "low": float, "high": float}
    return columns(rows, kinds)


# --- tables --------------------------------------------------------------------------------------


def _scores(result: ResultSet) -> Columns:
    """How many games ended with each score, scores that never occurred at either end left out."""
    experiment = result.experiment
    histogram = result.sums["score_hist"][..., 0]
    names, labels = "seat", np.arange(1, experiment.players + 1)
    if experiment.rotate and len(experiment.holders) > 1:
        of = [experiment.holders.index(name) for name in dict.fromkeys(experiment.strategies)]
        histogram = histogram.sum(axis=1)[of]
        names, labels = "strategy", np.array([experiment.holders[i] for i in of])
    else:
        histogram = histogram.sum(axis=0)
    seen = np.flatnonzero(histogram.sum(axis=0))
    bins = np.arange(seen[0], seen[-1] + 1) if seen.size else np.arange(0)
    return {
        names: np.repeat(labels, len(bins)),
        "score": np.tile(bins + result.score_low, len(labels)),
        "games": histogram[:, bins].reshape(-1),
    }


def _history(result: ResultSet) -> Columns:
    """Win shares as games accumulate, each with the interval of that many games alone."""
    experiment = result.experiment
    moving = experiment.rotate and len(experiment.holders) > 1
    rows: list[tuple[Any, ...]] = []
    for games, sums in result.growing("wins"):
        totals = leave_one_out(sums, ("games", "wins"))
        if moving:
            found = _strategies_shares(totals, experiment)
        else:
            shares = seat_shares(totals)
            won = by_seat(totals, "wins")[0] / WHOLE_WIN
            found = [(i + 1, shares[:, i], float(won[i])) for i in range(shares.shape[1])]
        for label, replicates, wins in found:
            share = share_estimate(replicates, wins, games)
            rows.append((games, label, share.value, share.low, share.high))
    return columns(rows, _history_columns(moving))


def _history_columns(moving: bool) -> dict[str, type]:
    who: dict[str, type] = {"strategy": str} if moving else {"seat": np.int64}
    return {"games": np.int64, **who, "win_share": float, "low": float, "high": float}


def _watched(result: ResultSet, sequence: WinShareSequence) -> Columns:
    """Win shares at checkpoints, each with the interval that held then and at all others.

    Where the run ended, and before it at one checkpoint for each doubling of the games.
    """
    experiment = result.experiment
    moving = experiment.rotate and len(experiment.holders) > 1
    labels = experiment.holders if moving else range(1, experiment.players + 1)
    again = WinShareSequence(sequence.copies, sequence.precision, sequence.step)
    points = list(result.checkpoints)
    if not points or points[-1].games < result.games:
        points.append(checkpoint(result.games, result.sums))
    last = result.games
    rows: list[tuple[Any, ...]] = []
    told = 0
    for point in points:
        again.observe(point)
        if point.games == last or 2 * told <= point.games <= last / 2:
            told = point.games
            rows += [
                (told, label, share.value, share.low, share.high)
                for label, share in zip(labels, again.intervals(), strict=True)
            ]
    return columns(rows, _history_columns(moving))


def _strategies_shares(totals: Totals, experiment: Experiment) -> list[tuple[Any, Floats, float]]:
    """Each strategy with the replicates of one copy's win share and the wins of one copy."""
    shares = strategy_shares(totals, experiment)
    found = []
    for name in dict.fromkeys(experiment.strategies):
        replicates = shares[:, experiment.holders.index(name)]
        found.append((name, replicates, float(replicates[0] * totals["games"][0, 0])))
    return found


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
    by_rules = test.exchangeable and not any(result.sums["unfinished"].ravel())
    if result.games < MIN_GAMES and not by_rules:
        return "too-few", (
            f"Too few {many} to say who wins more: {result.games} played, at least {MIN_GAMES} "
            "needed."
        )
    if not any(player.win_share.value for player in by_seat):
        return "nobody-wins", f"Nobody wins: all {games} were stopped at the turn limit."
    equal = _equal_share(by_seat)
    alike = len(set(result.experiment.strategies)) == 1
    if test.exchangeable:
        return "level", (
            f"By the rules all seats are alike: each of these equal players wins {equal}."
        )
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
    shares_left_out = seat_shares(totals)
    if not ranks_seats:
        of = [result.experiment.holders.index(player.strategy) for player in players]
        shares_left_out = strategy_shares(totals, result.experiment)[:, of]
    ranked = sorted(range(len(players)), key=lambda i: -(players[i].win_share.value or 0.0))
    first, second = ranked[0], ranked[1]
    best, next_best = players[first], players[second]
    names = plain_names(result.experiment.game, result.experiment.strategies)
    told = [_name(player, alike, names) for player in players]
    lead = shares_left_out[:, first] - shares_left_out[:, second]
    width = quantile(len(lead) - 1, len(players) - 1) * float(standard_error(lead))
    if lead[0] > width:
        return "ranked", (
            f"{_upper(_each(told[first], best)) if best.copies > 1 else _capital(told[first])} "
            "wins most: "
            f"{wording.percent_between(best.win_share)} of {many}, where an equal share is "
            f"{equal}; in these {many} {_each(told[second], next_best)} comes next with "
            f"{wording.percent(next_best.win_share)}."
        )
    return "too-close", (
        f"Too close to call between {_each(told[first], best)}, which wins "
        f"{wording.percent_between(best.win_share)} of {many}, and "
        f"{_each(told[second], next_best)} with "
        f"{wording.percent_between(next_best.win_share)}; an equal share is {equal}."
    )


def _equal_share(by_seat: tuple[Player, ...]) -> str:
    """An equal share of the games that somebody has won: ``25%``."""
    won = sum(player.win_share.value or 0.0 for player in by_seat)
    stopped = "" if won > 1 - 1e-9 else f" as {wording.plain_percent(1 - won)} have no winner"
    return wording.plain_percent(won / len(by_seat)) + stopped


def _by_chance(p_value: float) -> str:
    return f"; chance alone makes them differ at least this much in {100 * p_value:.0f}% of runs"


def _name(player: Player, alike: bool, names: Mapping[str, str]) -> str:
    if player.seat is None:
        return names[player.strategy]
    return f"seat {player.seat}" if alike else f"{names[player.strategy]} (seat {player.seat})"


def _each(name: str, player: Player) -> str:
    """Whose share it is: that of one copy, where a strategy has several at the table."""
    if player.copies == 1:
        return name
    return f"each player {name}" if " " in name else f"each {name} player"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _capital(text: str) -> str:
    """With a capital letter where it is words, not a name."""
    return text[:1].upper() + text[1:] if " " in text.partition(" (seat")[0] else text
