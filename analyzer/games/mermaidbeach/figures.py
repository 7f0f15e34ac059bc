"""What Mermaid Beach is asked: turn order, opening hands, the sea monster, questions, skill.

All of it comes from the sums that the game keeps with detail ``"fairness"``. The unit is the game:
hands of one table share a deal and a win, so every interval leaves whole blocks of games out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN
from analyzer.experiment import Experiment
from analyzer.results import ResultSet
from analyzer.statistics import margins, wording
from analyzer.statistics.intervals import (
    ALPHA,
    Floats,
    Totals,
    cross,
    estimate,
    estimates,
    exact,
    leave_one_out,
    ratio,
    share_estimate,
)
from analyzer.statistics.seats import by_seat, by_strategy, equal_shares_p_value
from analyzer.statistics.skill import Skill, skill
from analyzer.statistics.tables import Columns, Estimate, columns

CARDS = ("merfolk", "mean mermaid", "sneaker wave", "seaweed", "sea monster", "pair of items")
"""What is counted in an opening hand, in the order of the game's sums, after the constant."""

FIFTH = 0.2
"""How many of all hands are called the best, and how many the worst."""

HandVerdict = Literal["hand-matters", "no-difference-shown", "undecided"]


@dataclass(frozen=True)
class Position:
    """How a place in the turn order fares; 1 goes first.

    ``advantage`` is its win share less the mean of all places, simultaneous over places.
    """

    position: int
    win_share: Estimate
    advantage: Estimate


@dataclass(frozen=True)
class TurnOrder:
    """Whether the place in the turn order matters: one test over all places, then each.

    ``confounded`` says that the places differ in strategy, too. ``history`` has columns games,
    win_share, low, high of the first player, as games accumulate (NaN where there is no interval).
    """

    p_value: float | None
    positions: tuple[Position, ...]
    confounded: bool
    history: Columns

    @property
    def equal(self) -> float:
        """What each place would win if all were equal: less than 1/n if games have no winner."""
        return sum(place.win_share.value or 0.0 for place in self.positions) / len(self.positions)


@dataclass(frozen=True)
class OpeningCard:
    """What one more of a card in the opening hand adds to the chance to win.

    In place of a lone item: a hand that has one more of anything has one item less. A pair of
    items is worth what it adds to two lone ones. Simultaneous over `CARDS`.
    """

    card: str
    worth: Estimate


@dataclass(frozen=True)
class Opening:
    """What a player's own opening hand says about who wins.

    ``best_fifth`` and ``worst_fifth`` are how often players win with the fifth of hands that are
    worth most and least, ``gap`` the difference. ``explained`` is the share of the variance of wins
    that the cards account for, ``swing`` the standard deviation of the chance to win that they
    make.
    """

    hands: int
    best_fifth: Estimate
    worst_fifth: Estimate
    gap: Estimate
    explained: Estimate
    swing: Estimate
    cards: tuple[OpeningCard, ...]
    verdict: HandVerdict


@dataclass(frozen=True)
class Caught:
    """How often a seat, or where strategies change seats one copy of each, ends up with a monster.

    ``held`` and ``ate`` are shares of games: a monster in hand at the end, and one that found
    shells to eat. ``points`` are lost on average by whoever holds one.
    """

    seat: int | None
    strategy: str
    held: Estimate
    ate: Estimate
    points: Estimate


@dataclass(frozen=True)
class Monster:
    """What the sea monster costs, and whom it catches.

    ``points`` are lost on average by whoever holds a monster at the end, ``win_share_with`` is how
    often they win all the same, ``win_share_without`` how often the others do.
    """

    points: Estimate
    win_share_with: Estimate
    win_share_without: Estimate
    players: tuple[Caught, ...]


@dataclass(frozen=True)
class Asker:
    """Questions of a seat, or under rotation of one copy of a strategy: a game, and met."""

    seat: int | None
    strategy: str
    asks: Estimate
    success: Estimate


@dataclass(frozen=True)
class Asking:
    """Questions by who asks them, and how many shares of them all seats together have met."""

    success: Estimate
    players: tuple[Asker, ...]


@dataclass(frozen=True)
class Endings:
    """How games end: shares of all games."""

    out_of_cards: Estimate
    monster_alone: Estimate
    unfinished: Estimate


@dataclass(frozen=True)
class Figures:
    """Everything that is asked of Mermaid Beach alone."""

    turn_order: TurnOrder
    opening: Opening
    endings: Endings
    monster: Monster
    asking: Asking
    skill: Skill

    def by_name(self) -> Mapping[str, Any]:
        """The same by the names that they have in documents."""
        return dict(vars(self))


def analyze(main: ResultSet, margin: float = margins.WIN_SHARE_MARGIN) -> Figures:
    """Every figure of a run.

    Parameters
    ----------
    main
        A run of Mermaid Beach with detail ``"fairness"``.
    margin
        Difference of win shares that counts as none.

    Raises
    ------
    ValueError
        If the run has no games, or lacks the sums.
    """
    if "opening" not in main.sums:
        raise ValueError("a run of mermaidbeach with detail 'fairness' is needed.")
    totals = leave_one_out(main.sums)
    return Figures(
        turn_order=_turn_order(main, totals),
        opening=_opening(totals, margin),
        endings=_endings(totals),
        monster=_monster(main.experiment, totals),
        asking=_asking(main.experiment, totals),
        skill=skill(main.experiment, totals),
    )


# --- turn order ----------------------------------------------------------------------------------


def _turn_order(main: ResultSet, totals: Totals) -> TurnOrder:
    """Win shares by place, tested together first: `analyzer.statistics.seats.seats_test` says how.

    Where the first player is drawn by lot, or strategies change seats, every strategy sits in every
    place equally often.
    """
    experiment = main.experiment
    shares = ratio(totals["position_wins"][:, 0], totals["games"]) / WHOLE_WIN
    players = shares.shape[1]
    won = totals["position_wins"][0].sum(axis=0) / WHOLE_WIN
    advantages = estimates(shares - shares.mean(axis=1, keepdims=True), family=players)
    fixed = experiment.rules.get("first_player", "random") != "random"
    return TurnOrder(
        p_value=equal_shares_p_value(shares, main.games),
        positions=tuple(
            Position(
                i + 1,
                share_estimate(shares[:, i], float(won[i]), main.games, family=players),
                advantages[i],
            )
            for i in range(players)
        ),
        confounded=fixed and not experiment.rotate and len(set(experiment.strategies)) > 1,
        history=_first_player_history(main),
    )


def _first_player_history(main: ResultSet) -> Columns:
    rows = []
    for games, sums in main.growing("first_wins"):
        totals = leave_one_out(sums, ("games", "first_wins"))
        wins, played = (totals[x].sum(axis=1) for x in ("first_wins", "games"))
        share = share_estimate(
            ratio(wins, exact(played) * WHOLE_WIN), float(wins[0] / WHOLE_WIN), games
        )
        rows.append((games, share.value, share.low, share.high))
    return columns(rows, {"games": np.int64, "win_share": float, "low": float, "high": float})


# --- opening hands -------------------------------------------------------------------------------


def _fifths(totals: Totals) -> tuple[Floats, Floats]:
    """(1 + B,) each: the win share of the best fifth of opening hands, and of the worst.

    Hands are ordered by what `HAND_WORTH` says of them; of those of the value on the edge as large
    a part enters as fills the fifth.
    """
    hands, wins = (totals["hand_values"].sum(axis=1)[..., i] for i in (0, 1))
    wanted = FIFTH * hands.sum(axis=1, keepdims=True)

    def share(order: slice) -> Floats:
        many, won = hands[:, order], wins[:, order]
        before = np.cumsum(many, axis=1) - many
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(many > 0, np.clip((wanted - before) / many, 0, 1), 0.0)
            found = (part * won).sum(axis=1) / (wanted[:, 0] * WHOLE_WIN)
        return np.asarray(found)

    return share(slice(None, None, -1)), share(slice(None))


def _opening(totals: Totals, margin: float) -> Opening:
    """The best and the worst hands, and least squares of who wins on what opening hands hold.

    With f = (1, counts of `CARDS`) of a hand and w its share of the win, the game keeps the sums of
    f f' and f w over all hands; sum w^2 is that of all seats. Centered, and in units of n^2,

        C = n sum f f' - sum f sum f',   c = n sum f w - sum f sum w,   worth = C^-1 c,
        explained = 1 - (1 - c' worth / V) (n - 1) / (n - k - 1),   V = n sum w^2 - (sum w)^2

    with k cards that vary. This is R^2 adjusted for the number of regressors (Theil 1961, *Economic
    Forecasts and Policy*, p. 213); it is not cut at 0. Hands of a game are dependent: the
    jackknife leaves out blocks of whole games, which is the cluster-robust way (Cameron & Miller
    2015, J. Human Resources 50:317).
    """
    outer = totals["opening"].sum(axis=1)
    with_wins = totals["opening_wins"].sum(axis=1)
    wins_sq = totals["wins_sq"].sum(axis=(1, 2))
    n, sums = outer[:, 0, 0], outer[:, 0, :]
    spread = cross(n[:, None, None], outer, sums[:, :, None], sums[:, None, :])[:, 1:, 1:]
    shared = cross(n[:, None], with_wins, sums, with_wins[:, :1])[:, 1:]
    total = cross(n, wins_sq, with_wins[:, 0], with_wins[:, 0])
    hands = int(n[0])
    varies = np.flatnonzero([spread[0, i, i] > 0 for i in range(len(CARDS))])
    scale = exact(n) ** 2
    covariances = ratio(spread, scale[:, None, None])[:, varies][:, :, varies]
    products = ratio(shared, scale[:, None])[:, varies] / WHOLE_WIN
    variance = ratio(total, scale * WHOLE_WIN**2)
    # The only block of a single game leaves nothing behind.
    inverses = np.linalg.pinv(np.nan_to_num(covariances), rcond=1e-10, hermitian=True)
    worths = np.einsum("bij,bj->bi", inverses, products)
    explained = np.einsum("bi,bi->b", products, worths)
    with np.errstate(divide="ignore", invalid="ignore"):
        unadjusted = explained / variance
        free = n - varies.size - 1
        adjusted = np.where(free > 0, 1 - (1 - unadjusted) * (n - 1) / free, np.nan)
    found = estimate(adjusted, bounds=(-np.inf, 1.0))
    rank = np.linalg.matrix_rank(covariances[0], tol=1e-9, hermitian=True) if varies.size else 0
    told_apart = 0 < varies.size == rank
    each = estimates(worths, family=len(CARDS)) if told_apart else [Estimate(None)] * varies.size
    worth_of = dict(zip(varies.tolist(), each, strict=True))
    best, worst = _fifths(totals)
    gap = estimate(best - worst, bounds=(-1.0, 1.0))
    fifth = FIFTH * hands
    return Opening(
        hands=hands,
        best_fifth=share_estimate(best, float(best[0]) * fifth, fifth),
        worst_fifth=share_estimate(worst, float(worst[0]) * fifth, fifth),
        gap=gap,
        explained=found,
        swing=estimate(np.sqrt(np.maximum(adjusted * variance, 0.0)), bounds=(0.0, 1.0)),
        cards=tuple(
            OpeningCard(card, worth_of.get(i, Estimate(None))) for i, card in enumerate(CARDS)
        ),
        verdict=HAND_VERDICTS[margins.judge(gap, margin)],
    )


HAND_VERDICTS: dict[margins.Size, HandVerdict] = {
    "above": "hand-matters",
    "below": "hand-matters",
    "inside": "no-difference-shown",
    "undecided": "undecided",
}


# --- ends, monsters, questions -------------------------------------------------------------------


def _endings(totals: Totals) -> Endings:
    games = totals["games"].sum(axis=1)
    names = ("out_of_cards", "monster_alone", "unfinished")
    return Endings(*(_rate(totals[name].sum(axis=1), games) for name in names))


@dataclass(frozen=True)
class _Group:
    """A seat, or all copies of a strategy that changes seats, and where its sums are."""

    seat: int | None
    strategy: str
    at: int
    """Which seat, or which of the experiment's ``holders``."""
    copies: int = 1

    def total(self, totals: Totals, name: str) -> NDArray[np.int64]:
        """(1 + B,): a sum of its own."""
        sums = by_strategy(totals, name) if self.seat is None else by_seat(totals, name)
        return np.asarray(sums[:, self.at])

    def played(self, totals: Totals) -> NDArray[np.int64]:
        """(1 + B,): games, counted once for each copy."""
        return np.asarray(totals["games"][:, 0] * self.copies)


def _groups(experiment: Experiment) -> list[_Group]:
    """Seats; strategies where they change seats."""
    lineup, holders = experiment.strategies, experiment.holders
    if not experiment.rotate:
        return [_Group(seat + 1, spec, seat) for seat, spec in enumerate(lineup)]
    return [
        _Group(None, name, holders.index(name), lineup.count(name))
        for name in dict.fromkeys(lineup)
    ]


def _monster(experiment: Experiment, totals: Totals) -> Monster:
    """Monsters in hand at the end, what they ate, and how their holders and the others fared."""
    names = ("monster_held", "monster_ate", "points_eaten", "monster_wins", "wins")
    held, _, eaten, won, wins = (totals[name].sum(axis=(1, 2)) for name in names)
    players = totals["wins"].shape[2]
    free = players * totals["games"].sum(axis=1) - held
    caught = []
    for group in _groups(experiment):
        times, meals, points = (group.total(totals, name) for name in names[:3])
        games = group.played(totals)
        caught.append(
            Caught(
                group.seat,
                group.strategy,
                _rate(times, games),
                _rate(meals, games),
                estimate(ratio(points, times)),
            )
        )
    return Monster(
        points=estimate(ratio(eaten, held)),
        win_share_with=_win_share(won, held),
        win_share_without=_win_share(wins - won, free),
        players=tuple(caught),
    )


def _win_share(won: NDArray[np.int64], of: NDArray[np.int64]) -> Estimate:
    """Share of the win in 1/60 of so many players."""
    replicates = ratio(won, exact(of) * WHOLE_WIN)
    return share_estimate(replicates, float(won[0] / WHOLE_WIN), float(of[0]))


def _asking(experiment: Experiment, totals: Totals) -> Asking:
    """Questions a game and the share of them that was met."""
    asked, met = (totals[name].sum(axis=(1, 2)) for name in ("asks", "asks_met"))
    askers = []
    for group in _groups(experiment):
        asks, hits = (group.total(totals, name) for name in ("asks", "asks_met"))
        askers.append(
            Asker(
                group.seat,
                group.strategy,
                estimate(ratio(asks, group.played(totals))),
                _rate(hits, asks),
            )
        )
    return Asking(_rate(met, asked), tuple(askers))


def _rate(hits: NDArray[np.int64], tries: NDArray[np.int64]) -> Estimate:
    return share_estimate(ratio(hits, tries), float(hits[0]), float(tries[0]))


# --- the verdict and the answer ------------------------------------------------------------------


def conclusion(figures: Figures, verdict: str, answer: str, margin: float) -> tuple[str, str]:
    """The verdict on going first, and what the best and the worst opening hands win.

    Parameters
    ----------
    figures
        Of the run.
    verdict, answer
        Whether going first matters, as for any game.
    margin
        Difference of win shares that counts as none.

    Returns
    -------
    tuple of str
        The verdict, which becomes ``turn-order-matters`` where a later place differs from the mean
        of all by more than the margin, but not the first one; and the answer.
    """
    order = figures.turn_order
    places = [margins.judge(place.advantage, margin) for place in order.positions]
    differ = order.p_value is not None and order.p_value < ALPHA
    if verdict in ("no-difference-shown", "undecided") and differ and not order.confounded:
        later = [i for i, size in enumerate(places) if i and size in ("above", "below")]
        if later:
            verdict, answer = "turn-order-matters", _about_order(order)
    hand = hands_told(figures.opening)
    return verdict, f"{answer} {hand}".rstrip()


def hands_told(opening: Opening) -> str:
    """One sentence on what opening hands win; empty where nobody wins or games are too few."""
    best, worst = opening.best_fifth, opening.worst_fifth
    if best.value is None or best.low is None or not best.value + (worst.value or 0.0):
        return ""
    return (
        f"The fifth of players with the best opening hands wins {wording.percent_between(best)}, "
        f"the fifth with the worst {wording.percent_between(worst)}."
    )


def _about_order(order: TurnOrder) -> str:
    """Where it is not the first place that differs."""
    first, equal = order.positions[0], order.equal
    best = max(order.positions, key=lambda place: place.win_share.value or 0.0)
    return (
        f"Yes, the turn order matters: most wins go to player {best.position} in it, with "
        f"{wording.percent_between(best.win_share)} of games; whoever goes first wins "
        f"{wording.percent_between(first.win_share)}, where an equal share is "
        f"{wording.plain_percent(equal)}."
    )
