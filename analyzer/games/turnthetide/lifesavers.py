"""Whether the distribution of life preservers in Turn the Tide is fair.

Y is a player's score in a round, L the number of preservers printed on the hand played, whole
ones after rounding down (also where the rules give every hand the same number). In round r seat p
plays the hand first dealt to seat (p - r) mod P.

``slope`` is what a hand with one more preserver scores more. It has two causes: the preserver
itself, and the cards that carry it, which are the hard ones to play. A second run on the same
deals in which every hand gets the same number shows the second cause alone (``handicap``); what is
left is the first (``gift``). Preservers are fair if the two cancel.

A slope of 0 is not all: ``hand_share`` is the part of the variance of a round's scores that stays
with the dealt hand, whatever it is about the hand that helps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN
from analyzer.experiment import Experiment
from analyzer.games.turnthetide.figures import (
    FAIR_WITHIN,
    CardWorth,
    CountRow,
    Lifesavers,
    Measures,
    Rotation,
)
from analyzer.results import ResultSet
from analyzer.statistics import margins, wording
from analyzer.statistics.fairness import agreement
from analyzer.statistics.intervals import (
    MIN_GAMES,
    Floats,
    Totals,
    cross,
    estimate,
    estimates,
    exact,
    leave_one_out,
    ratio,
    regression,
    share_estimate,
    wilson,
)
from analyzer.statistics.tables import Columns, Estimate, Fairness, Summary, columns

HAND_SD = "hand_sd"
"""By how much the hand dealt moves a round's score: a figure of hands that are played again."""
OUTER = 20
"""``round_win_gap`` compares the best and the worst hand of so many: a twentieth of them each."""
LOW_PERCENT, HIGH_PERCENT = 5, 95
"""Percentiles of hands at which these begin: the two ``gap_counts``."""

Exact = NDArray[np.object_]
Verdict = Literal["fair", "over-compensated", "under-compensated", "no-variation", "undecided"]


def flat_count(main: ResultSet) -> int:
    """N of the run ``allocation = flat:N`` that belongs to ``main``: the mean count, rounded.

    Parameters
    ----------
    main
        A run with detail ``"fairness"``.

    Raises
    ------
    ValueError
        If the run has no games.
    """
    n, total, *_ = (int(x) for x in main.sums["pairs"].sum(axis=(0, -1)))
    if n == 0:
        raise ValueError("no games: there is no mean count of preservers.")
    return (2 * total + n) // (2 * n)


def measures(lifesavers: Lifesavers) -> Measures:
    """The measures a suggestion is judged by."""
    return Measures(
        hand_sd=lifesavers.hand_sd,
        slope=lifesavers.slope,
        round_win_gap=lifesavers.round_win_gap,
        hand_share=lifesavers.hand_share,
        compensation=lifesavers.compensation,
    )


def analyze(
    main: ResultSet,
    flat: ResultSet | None,
    margin: float = FAIR_WITHIN,
    replay: ResultSet | None = None,
) -> Lifesavers:
    """Every preserver figure of a run.

    Parameters
    ----------
    main
        A run of Turn the Tide with detail ``"fairness"``.
    flat
        The same experiment under ``allocation = flat:N`` (see `flat_count`): same strategies, seed
        and games, so that both runs meet the same deals and tides. ``handicap``, ``gift``,
        ``compensation`` and ``worth_flat`` are null without it, the first three also if it was
        cut so short that its blocks do not match those of ``main``.
    margin
        Slope that counts as none, either way.
    replay
        The first rounds of the same games with detail ``"replay"`` and ``rounds = 1``; without it
        ``hand_sd`` and ``own_hand_share`` are null.

    Returns
    -------
    Lifesavers
        Intervals are 95% jackknife intervals; those of cards hold for all 60 together.

    Raises
    ------
    ValueError
        If a run lacks the sums, or the two were not played on the same chance.
    """
    for run in (main, flat):
        if run is not None and "pairs" not in run.sums:
            raise ValueError("a run of Turn the Tide with detail 'fairness' is needed.")
    if flat is not None and flat.experiment.seed != main.experiment.seed:
        raise ValueError("the flat run must have the seed of the main one.")

    totals = leave_one_out(main.sums)
    pooled = {name: array.sum(axis=1) for name, array in totals.items()}
    rounds = totals["round_score"].shape[-1]
    varies = bool(cross(*pooled["pairs"][0, [0, 2, 1, 1]]) > 0)
    judged = varies and main.experiment.rules["allocation"] == "printed"

    replicates = _slopes(pooled["pairs"])
    slope = estimate(replicates)
    handicap, gift, compensation = _decompose(replicates, flat)
    rows, gap_counts = _count_rows(main, pooled["by_count"], rounds)
    gap = worst_win = best_win = Estimate(None)
    if varies:
        worst, best = (_outer_round_win(pooled["by_count"], best=b) for b in (False, True))
        gap = estimate(best - worst, bounds=(-1, 1))
        hands = sum(row.rounds for row in rows) / rounds / OUTER
        worst_win, best_win = (
            share_estimate(wins, float(wins[0]) * hands, hands) for wins in (worst, best)
        )
    hand_sd, own_hand_share = _hand_effect(replay)
    hand_share, rotation = _hand_luck(main.experiment, totals, pooled)

    return Lifesavers(
        by_count=rows,
        slope=slope,
        slope_within=estimate(_slopes_within(pooled, main.experiment.players)),
        handicap=handicap,
        gift=gift,
        compensation=compensation,
        round_win_gap=gap,
        gap_counts=gap_counts,
        worst_hands_win=worst_win,
        best_hands_win=best_win,
        hand_share=hand_share,
        hand_sd=hand_sd,
        own_hand_share=own_hand_share,
        rotation=rotation,
        cards=_cards(main, flat),
        verdict=slope_verdict(slope, margin) if judged else "no-variation",
        margin=margin,
        history=_history(main),
        flat_count=None if flat is None else _flat_number(flat),
    )


def replicates(run: ResultSet) -> dict[str, Floats]:
    """Figures by which two runs can be compared block by block: (1 + B,) each.

    Parameters
    ----------
    run
        With detail ``"fairness"``.
    """
    totals = leave_one_out(run.sums)
    pooled = {name: array.sum(axis=1) for name, array in totals.items()}
    worst, best = (_outer_round_win(pooled["by_count"], best=b) for b in (False, True))
    return {
        "slope": _slopes(pooled["pairs"]),
        "slope_within": _slopes_within(pooled, run.experiment.players),
        "round_win_gap": best - worst,
    }


# --- slopes --------------------------------------------------------------------------------------


def slopes(run: ResultSet) -> Floats:
    """(1 + B,) the slope and its leave-one-out replicates, from a run's own games alone."""
    return _slopes(leave_one_out(run.sums, ("pairs",))["pairs"].sum(axis=1))


def _slopes(pairs: NDArray[np.int64]) -> Floats:
    """Least squares of Y on L; ``pairs`` is (rows, 5): n, sum L, sum L^2, sum Y, sum LY."""
    n, x, xx, y, xy = np.moveaxis(pairs, -1, 0)
    return regression(n, x, xx, y, xy)


def _slopes_within(pooled: Totals, players: int) -> Floats:
    """Least squares with L and Y centered on the mean of the round's table.

    Centering takes (sum_p L)^2 / P from sum L^2, and (sum_p L)(sum_p Y) / P from sum LY.
    """
    _, _, xx, _, xy = np.moveaxis(exact(pooled["pairs"]), -1, 0)
    table_xx, table_xy = np.moveaxis(exact(pooled["within"]), -1, 0)
    return ratio(players * xy - table_xy, players * xx - table_xx)


def _decompose(found: Floats, flat: ResultSet | None) -> tuple[Estimate, Estimate, Estimate]:
    """Handicap, gift = slope - handicap, compensation = -handicap / gift, in one jackknife.

    Both runs lose the same block at a time: they share deals, so their errors go together.
    A ratio whose denominator may be 0 has no bounded interval (Fieller 1954, J. R. Stat. Soc. B
    16:175), so compensation gets none unless the gift's interval excludes 0.
    """
    if flat is None:
        return Estimate(None), Estimate(None), Estimate(None)
    handicaps = slopes(flat)
    if len(handicaps) != len(found):
        return Estimate(None), Estimate(None), Estimate(None)
    gifts = found - handicaps
    gift = estimate(gifts)
    with np.errstate(divide="ignore", invalid="ignore"):
        compensation = estimate(-handicaps / gifts)
    if gift.low is None or gift.high is None or gift.low <= 0 <= gift.high:
        compensation = Estimate(compensation.value)
    return estimate(handicaps), gift, compensation


SLOPE_VERDICTS: Mapping[margins.Size, Verdict] = {
    "above": "over-compensated",
    "below": "under-compensated",
    "inside": "fair",
    "undecided": "undecided",
}


def slope_verdict(slope: Estimate, margin: float = FAIR_WITHIN) -> Verdict:
    """The verdict that a slope's interval allows, where hands differ in preservers."""
    return SLOPE_VERDICTS[margins.judge(slope, margin)]


def _history(main: ResultSet) -> Columns:
    rows = []
    for games, sums in main.growing("pairs"):
        slope = estimate(_slopes(leave_one_out(sums, ("pairs",))["pairs"].sum(axis=1)))
        rows.append((games, slope.value, slope.low, slope.high))
    return columns(rows, {"games": np.int64, "slope": float, "low": float, "high": float})


# --- by number of preservers ---------------------------------------------------------------------

ROUNDS, SCORE, _, ELIMINATED, BONUS, LOST, ROUND_WIN = range(7)
"""Columns of ``by_count``."""


def _round_win_rates(by_count: NDArray[np.int64]) -> Floats:
    """Share of the best round score, (rows, counts)."""
    return ratio(by_count[..., ROUND_WIN], exact(by_count[..., ROUNDS]) * WHOLE_WIN)


def _outer_round_win(by_count: NDArray[np.int64], *, best: bool) -> Floats:
    """(rows,) share of rounds won by the twentieth of hands with most preservers, or with fewest.

    Hands are ordered by their count. The count on the edge enters with the fraction of its hands
    that fills the twentieth, which is found anew in each row: the figure is smooth in the sums,
    where a difference of two percentile counts would jump with the sample and have no jackknife
    (Shao & Tu 1995, ch. 2).
    """
    order = slice(None, None, -1 if best else 1)
    played = by_count[:, order, ROUNDS]
    group = played.sum(axis=1, keepdims=True)
    # In twentieths of a player-round, so that all are integers.
    before = OUTER * (np.cumsum(played, axis=1) - played)
    taken = np.minimum(np.maximum(group - before, 0), OUTER * played)
    rates = _round_win_rates(by_count)[:, order]
    shares: Floats = np.where(taken > 0, ratio(taken, group) * rates, 0.0).sum(axis=1)
    return shares


def _round_win(replicates: Floats, won: float, hands: float, rare: bool) -> Estimate:
    if not rare or len(replicates) - 1 < MIN_GAMES:
        return share_estimate(replicates, won, hands)
    return Estimate(float(replicates[0]), *wilson(won, hands), "wilson")


def _count_rows(
    main: ResultSet, by_count: NDArray[np.int64], rounds: int
) -> tuple[tuple[CountRow, ...], tuple[int, int]]:
    """A row a count that occurs, and the counts at the outer percentiles of hands.

    A hand is played once a round, so hands are player-rounds / rounds. A count that is seen in
    fewer than `MIN_GAMES` blocks may come from fewer games than that: its mean gets no interval
    and its share of rounds won Wilson's, with the number of hands as trials.
    """
    blocks = main.sums["by_count"][..., ROUNDS, :].sum(axis=0)
    blocks_seen = (blocks > 0).sum(axis=-1)
    means = ratio(by_count[..., SCORE], by_count[..., ROUNDS])
    wins = _round_win_rates(by_count)
    rows = []
    for count in np.flatnonzero(by_count[0, :, ROUNDS]).tolist():
        total = [int(x) for x in by_count[0, count]]
        played = total[ROUNDS]
        rare = blocks_seen[count] < MIN_GAMES
        win_share = _round_win(
            wins[:, count], total[ROUND_WIN] / WHOLE_WIN / rounds, played / rounds, rare
        )
        rows.append(
            CountRow(
                lifesavers=count,
                rounds=played,
                mean_score=Estimate(float(means[0, count])) if rare else estimate(means[:, count]),
                eliminated=total[ELIMINATED] / played,
                bonus=total[BONUS] / played,
                lost=total[LOST] / played,
                round_win=win_share,
            )
        )
    running = np.cumsum(by_count[0, :, ROUNDS])
    low = int(np.argmax(running * 100 >= LOW_PERCENT * running[-1]))
    high = int(np.argmax(running * 100 >= HIGH_PERCENT * running[-1]))
    return tuple(rows), (low, high)


# --- by hand -------------------------------------------------------------------------------------


def _hand_luck(experiment: Experiment, totals: Totals, pooled: Totals) -> tuple[Estimate, Rotation]:
    """What the dealt hand decides: of a round, and of the game once hands are passed.

    For hands h and rounds r, with mu the mean score of a seat in a round (for each strategy that
    sits there, so that strategies count for nothing),

        sigma2 = mean over hands and ordered pairs r != r' of       Y_hr Y_hr'   - mu mu'
        c      = mean over ordered pairs h != h', r != r' of        Y_hr Y_h'r'  - mu mu'

    are the covariance that a hand's scores share, and that two hands of one table share. Every
    hand meets every seat once, so the design is a complete block: one-way analysis of variance
    would count the seats' strategies as noise. In the additive model Y = mu + a_h + rest, with
    Var(a_h) = sigma2 and Cov(a_h, a_h') = c, a seat that plays R different hands of P has, centered
    on the table, the hand part (sigma2 - c) R (P - R) / P: the variance of the sum of a simple
    random sample of R of P (Cochran 1977, *Sampling Techniques*, theorem 2.2). It is 0 when
    everybody plays every hand.

    The sums over pairs come from squares of sums: of (sum_r Y_hr)^2, (sum_p Y)^2 of a round and
    (sum_p F)^2 of the game, the squares and the pairs that share a hand or a round are taken away.
    """
    games = totals["games"][:, 0]
    players, rounds = totals["round_score"].shape[-2:]
    null = Estimate(None)
    if rounds == 1:
        return null, Rotation(null, null)

    # Products of means, summed like the scores' own, averaged over the seatings.
    means = _means(experiment, totals, "round_score")
    squares = (means * means).sum(axis=(2, 3))
    seat = (np.arange(players)[:, None] + np.arange(rounds)) % players
    hand_products = (means[..., seat, np.arange(rounds)].sum(axis=3) ** 2).sum(axis=2)
    round_products = (means.sum(axis=2) ** 2).sum(axis=2)
    table_products = means.sum(axis=(2, 3)) ** 2
    seat_products = (_means(experiment, totals, "score") ** 2).sum(axis=2)

    score_sq = exact(totals["by_count"][:, 0, :, 2].sum(axis=1))
    hand_sq = exact(totals["hand_total_sq"][:, 0])
    round_sq = exact(totals["round_total_sq"][:, 0])
    table_sq = exact(totals["table_total_sq"][:, 0])
    seat_sq = exact(totals["score_sq"].sum(axis=(1, 2)))

    def per_game(of_scores: Exact, of_means: Floats) -> Floats:
        """Mean per game of a sum of Y Y' - mu mu'."""
        found: Floats = ratio(of_scores, games) - of_means.mean(axis=1)
        return found

    pairs_of_rounds = rounds * (rounds - 1)
    sigma2 = per_game(hand_sq - score_sq, hand_products - squares) / (players * pairs_of_rounds)
    between = per_game(
        table_sq - hand_sq - round_sq + score_sq,
        table_products - hand_products - round_products + squares,
    ) / (players * (players - 1) * pairs_of_rounds)

    n, total = pooled["pairs"][:, 0], pooled["pairs"][:, 3]
    variance = ratio(cross(n, score_sq, total, total), exact(n) * exact(n))
    in_round = per_game(players * score_sq - round_sq, players * squares - round_products)
    in_final = per_game(players * seat_sq - table_sq, players * seat_products - table_products)

    def part(played: int, centered_variance: Floats) -> Floats:
        return _quotient(
            (sigma2 - between) * (played * (players - played) / players), centered_variance
        )

    left = rounds % players
    final = Estimate(0.0) if left == 0 else estimate(part(left, in_final / players**2))
    one_round = estimate(part(1, in_round / (players**2 * rounds)))
    return estimate(_quotient(sigma2, variance)), Rotation(one_round, final)


def _hand_effect(replay: ResultSet | None) -> tuple[Estimate, Estimate]:
    """By how much the hand dealt moves a round's score, and its part of the variance.

    Y and Y' are the scores of one seat in a round that is played twice with the same hand; the
    hands of the others, the tides and all decisions are drawn anew. What the two share is the hand
    alone, so that Cov(Y, Y') is the variance of E[Y | hand] (pick and freeze: Sobol' 1993; Janon et
    al. 2014, ESAIM PS 18:342). Means are taken by strategy and seat, so that neither counts as
    hand. ``hand_sd`` is the root; where the covariance comes out below 0, or the lower end of its
    interval does, the root is 0. The part of the variance is not cut.
    """
    if replay is None:
        return Estimate(None), Estimate(None)
    shared, variance = _shared_by_hand(replay)
    return _root(estimate(shared)), estimate(_quotient(shared, variance))


def hand_sds(replay: ResultSet) -> Floats:
    """(1 + B,) `HAND_SD` and its leave-one-out replicates, as `_hand_effect` says.

    Parameters
    ----------
    replay
        With detail ``"replay"``.
    """
    shared, _ = _shared_by_hand(replay)
    return np.sqrt(np.maximum(shared, 0.0))


def _shared_by_hand(replay: ResultSet) -> tuple[Floats, Floats]:
    """(1 + B,) the covariance of scores with the same hand, and the variance of scores."""
    totals = leave_one_out(replay.sums)
    experiment = replay.experiment
    first = _means(experiment, totals, "score")
    again = _means(experiment, totals, "replayed")[..., 0]
    n = exact(experiment.players * totals["games"][:, 0])
    products = ratio(totals["replayed"][..., 1].sum(axis=(1, 2)), n)
    shared = products - (first * again).mean(axis=(1, 2))
    score, score_sq = (totals[name].sum(axis=(1, 2)) for name in ("score", "score_sq"))
    return shared, ratio(cross(n, score_sq, score, score), n * n)


def _root(square: Estimate) -> Estimate:
    """The root of an estimate and of both ends of its interval, 0 where these are below."""
    value, low, high = (
        None if x is None else math.sqrt(max(x, 0.0))
        for x in (square.value, square.low, square.high)
    )
    se = square.se / (2 * value) if value and square.se is not None else None
    return Estimate(value, low, high, square.kind, se)


def _means(experiment: Experiment, totals: Totals, name: str) -> Floats:
    """(1 + B, seatings, P, ...) the mean of a sum of seats, of whoever sits there in each seating.

    A strategy that has not sat in a seat yet has NaN there.
    """
    if not experiment.rotate:
        games = totals["games"].reshape(-1, *(1,) * (totals[name].ndim - 1))
        return ratio(totals[name], games)
    sums = totals[name]
    held = totals["held"].reshape(*totals["held"].shape, *(1,) * (sums.ndim - 3))
    means = ratio(sums, held)
    holders = [[experiment.holders.index(spec) for spec in seats] for seats in experiment.seatings]
    found: Floats = means[:, np.array(holders), np.arange(experiment.players)]
    return found


def _quotient(numerator: Floats, denominator: NDArray[Any]) -> Floats:
    """Quotient of floats; NaN where the denominator is 0."""
    found = np.full_like(numerator, np.nan)
    np.divide(numerator, denominator, out=found, where=denominator > 0)
    return found


# --- by card -------------------------------------------------------------------------------------


def _cards(main: ResultSet, flat: ResultSet | None) -> tuple[CardWorth, ...]:
    halves = main.experiment.rules["preservers"]
    worth = _worth(main)
    worth_flat = (Estimate(None),) * len(worth) if flat is None else _worth(flat)
    return tuple(
        CardWorth(card, half / 2, here, there)
        for card, (half, here, there) in enumerate(
            zip(halves, worth, worth_flat, strict=True), start=1
        )
    )


def _worth(run: ResultSet) -> tuple[Estimate, ...]:
    """What holding each card is worth: C - 1 over C - H of its hands' mean above the average card.

    A hand is a simple random sample of H of the C cards, in which any two cards are equally
    correlated; so the mean of the hands that hold a card, less the mean of these means, is
    (C - H) / (C - 1) of the card's coefficient in the regression of Y on all cards held, the
    coefficients centered on 0. The intervals hold together.
    """
    held, score = np.moveaxis(leave_one_out(run.sums, ("cards",))["cards"].sum(axis=1), -1, 0)
    cards = held.shape[1]
    scale = (cards - 1) / (cards - run.experiment.rules["hand_size"])
    means = ratio(score, held)
    # A card that no hand held is left out of the average, so that the others keep their figures.
    average = _quotient(np.nansum(means, axis=1), (held > 0).sum(axis=1))
    found = estimates(scale * (means - average[:, None]), family=cards)
    blocks_seen = (run.sums["cards"][:, :, 0].sum(axis=0) > 0).sum(axis=-1)
    return tuple(
        Estimate(one.value) if blocks < MIN_GAMES else one
        for one, blocks in zip(found, blocks_seen, strict=True)
    )


def _flat_number(flat: ResultSet) -> int | None:
    name, _, number = str(flat.experiment.rules["allocation"]).partition(":")
    return int(number) if name == "flat" else None


# --- sentences -----------------------------------------------------------------------------------


def answer(summary: Summary, found: Lifesavers) -> str:
    """One sentence on the slope, and what else decides where the slope is fair."""
    if found.verdict == "no-variation":
        return _no_variation(str(summary.rules["allocation"]))
    effect = _effect(found.slope)
    who = wording.table(summary.lineup)
    where = f"Among {who}" if len(set(summary.lineup)) == 1 else f"With {who} at the table,"
    hand = f"{where} a hand with one more preserver scores {effect}"
    if found.verdict == "over-compensated":
        return f"No. {hand}; if preservers only made up for bad cards it would be 0."
    if found.verdict == "under-compensated":
        return (
            f"No. {hand}; if preservers fully made up for the bad cards they come with it would be "
            "0."
        )
    if found.verdict == "fair":
        luck = (
            ""
            if found.hand_share.value is None
            else f"; all in all the deal decides {wording.percent(found.hand_share)} of a "
            "round's scores"
        )
        return (
            f"Yes, on average. {hand}, which is within "
            f"{found.margin:g} points of making up for its cards exactly{luck}."
        )
    if found.slope.low is None:
        return (
            f"Undecided: {wording.games(summary.games)} cannot say what a preserver is worth; at "
            f"least {MIN_GAMES} are needed, and many more for a clear answer."
        )
    return (
        f"Undecided. {hand}; more games would tell whether "
        f"that is within {found.margin:g} points of 0, where preservers just make up for bad cards."
    )


def over_tables(found: Fairness) -> tuple[str, str]:
    """The verdict and the answer over all tables of strategies."""
    tables = found.tables
    judged: list[Lifesavers] = [table.figures["lifesavers"] for table in tables]
    names = [wording.table(table.summary.lineup) for table in tables]
    verdict = agreement([one.verdict for one in judged])
    if verdict == "no-variation" or any(x.slope.value is None for x in judged):
        return verdict, found.answer
    if verdict == "undecided":
        return verdict, f"Undecided among {wording.listed(names)}. {_slopes_told(names, judged)}."
    unsure = [name for name, one in zip(names, judged, strict=True) if one.verdict == "undecided"]
    whoever = "" if unsure else f", {wording.at_all(len(tables))}"
    lead = {
        "over-compensated": f"No{whoever}: preservers more than make up for bad cards",
        "under-compensated": f"No{whoever}: preservers do not make up for bad cards",
        "fair": f"Yes, on average{whoever}: preservers make up for bad cards",
        "depends-on-play": "It depends on how people play",
    }[verdict]
    sentences = [lead, _slopes_told(names, judged)]
    if paid := _paid(names, judged):
        sentences.append(paid)
    if unsure:
        sentences.append(f"Undecided among {wording.listed(unsure)}")
    summary = tables[0].summary
    if verdict != "fair" and int(summary.rules["rounds"]) % summary.players == 0:
        sentences.append(
            "This is about rounds: all play every hand equally often, so equal players who do not "
            "remember cards win the game equally often"
        )
    return verdict, ". ".join(sentences) + "."


def _slopes_told(names: Sequence[str], judged: Sequence[Lifesavers]) -> str:
    """From where to where the slope goes, and among whom."""
    order = sorted(range(len(judged)), key=lambda i: judged[i].slope.value or 0.0)
    few, most = order[0], order[-1]
    low, high = judged[few].slope, judged[most].slope
    if wording.number(low) == wording.number(high):
        return f"One more preserver on the hand goes with {wording.number(low)} points a round"
    return (
        f"One more preserver on the hand goes with {wording.number(low)} points a round among "
        f"{names[few]} and with up to {wording.number(high)} among {names[most]}; if preservers "
        "exactly made up for the cards they are printed on it would be 0"
    )


def _paid(names: Sequence[str], judged: Sequence[Lifesavers]) -> str:
    """What part of a preserver only makes up for cards, where it is known and is a part."""
    known = [
        (
            one.compensation.value,
            f"{wording.percent(one.compensation)} among {name}"
            if one.compensation.low > 0 or (one.compensation.high or 0.0) < 0
            else f"nothing that could be shown among {name}",
        )
        for name, one in zip(names, judged, strict=True)
        if one.compensation.value is not None and one.compensation.low is not None
    ]
    if not known:
        return ""
    told = wording.listed([text for _, text in known])
    more = "; the rest is a present" if all(0 <= value < 1 for value, _ in known) else ""
    return f"Of what a preserver brings, its harder cards take back {told}{more}"


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
