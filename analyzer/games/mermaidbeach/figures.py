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
from analyzer.statistics import wording
from analyzer.statistics.intervals import (
    ALPHA,
    MIN_GAMES,
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

LITTLE, MUCH = 0.1, 0.5
"""Shares of the variance of wins below which an opening hand decides little, above which much."""

HandVerdict = Literal["decides-little", "decides-part", "decides-much", "undecided"]


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

    ``explained`` is the share of the variance of wins that the cards account for, ``swing`` the
    standard deviation of the chance to win that they make.
    """

    hands: int
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


def analyze(main: ResultSet) -> Figures:
    """Every figure of a run.

    Parameters
    ----------
    main
        A run of Mermaid Beach with detail ``"fairness"``.

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
        opening=_opening(totals),
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


def _opening(totals: Totals) -> Opening:
    """Least squares of a player's share of the win on what its opening hand holds.

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
    return Opening(
        hands=hands,
        explained=found,
        swing=estimate(np.sqrt(np.maximum(adjusted * variance, 0.0)), bounds=(0.0, 1.0)),
        cards=tuple(
            OpeningCard(card, worth_of.get(i, Estimate(None))) for i, card in enumerate(CARDS)
        ),
        verdict=_hand_verdict(found),
    )


def _hand_verdict(explained: Estimate) -> HandVerdict:
    """What the interval allows to say; undecided where it reaches across a bound."""
    low, high = explained.low, explained.high
    if low is None or high is None:
        return "undecided"
    if high < LITTLE:
        return "decides-little"
    if low > MUCH:
        return "decides-much"
    return "decides-part" if low >= LITTLE and high <= MUCH else "undecided"


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

SAID = {
    "decides-little": "does not decide the game",
    "decides-part": "decides part of the game",
    "decides-much": "decides most of the game",
    "undecided": "has a say that these games do not settle",
}


def conclusion(figures: Figures, games: int) -> tuple[str, str]:
    """The verdict on going first, and one sentence on that and on the opening hand.

    The verdict is ``first-player-favored``, ``first-player-handicapped``, ``turn-order-matters``
    (not for the one who goes first), ``no-difference-shown`` or ``undecided``; a difference is
    claimed only if the test over all places shows one.
    """
    if games < MIN_GAMES:
        return "undecided", (f"Too few games to say: {games} played, at least {MIN_GAMES} needed.")
    order, opening = figures.turn_order, figures.opening
    hand = (
        f"the opening hand {SAID[opening.verdict]}: it accounts for "
        f"{wording.percent_between(opening.explained)} of who wins."
    )
    if opening.explained.value is None:
        hand = "what the opening hand decides cannot be computed."
    verdict, first = _about_order(order)
    return verdict, f"{first}; {hand}"


def _about_order(order: TurnOrder) -> tuple[str, str]:
    first, equal = order.positions[0], order.equal
    won = equal * len(order.positions)
    stopped = "" if won > 1 - 1e-9 else f" as {wording.plain_percent(1 - won)} have no winner"
    share = (
        f"wins {wording.percent_between(first.win_share)} of games, where an equal share is "
        f"{wording.plain_percent(equal)}{stopped}"
    )
    if order.confounded:
        return "undecided", (
            "Undecided: the places in the turn order differ in strategy too, so give all seats one "
            "strategy or rotate them"
        )
    if order.p_value is None:
        return "undecided", "Undecided: nobody has won a game"
    if order.p_value >= ALPHA:
        return "no-difference-shown", f"No effect of going first is shown: whoever does {share}"
    low, high = first.advantage.low, first.advantage.high
    if low is not None and low > 0:
        return "first-player-favored", f"Yes, going first helps: whoever does {share}"
    if high is not None and high < 0:
        return "first-player-handicapped", f"Yes, going first hurts: whoever does {share}"
    best = max(order.positions, key=lambda place: place.win_share.value or 0.0)
    return "turn-order-matters", (
        f"Yes, the turn order matters: most wins go to player {best.position} in it, with "
        f"{wording.percent_between(best.win_share)} of games; whoever goes first {share}"
    )
