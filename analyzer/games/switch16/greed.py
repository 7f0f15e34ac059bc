"""Whether greed pays in Switch 16: one player's policies varied, and the course of games.

One player of a table plays another policy of one family, everybody else as before, on the same
chance. The table with all its own policies is the base; differences from it are taken block by
block, so what the two runs have in common in luck cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from analyzer.games.switch16.figures import Greed, Rival
from analyzer.results import ResultSet
from analyzer.statistics import wording
from analyzer.statistics.intervals import (
    MIN_GAMES,
    Floats,
    Totals,
    estimate,
    leave_one_out,
    quantile,
    ratio,
    share_estimate,
    standard_error,
)
from analyzer.statistics.seats import seat_shares, strategy_shares
from analyzer.statistics.tables import Columns, Estimate, columns

SHARES = frozenset({"foreign_finish_share", "cards_lost_share", "laying_worth", "swapping_worth"})
"""Which of the figures are shares, or differences of shares."""

CAREFUL = "never"
"""The risk policy without greed."""
Verdict = Literal["pays", "does-not-pay", "undecided"]
Varied = tuple[str, str, ResultSet]
"""Family, policy and the run in which the first player has it."""


def analyze(
    base: ResultSet,
    varied: Sequence[Varied],
    own: Sequence[tuple[str, str]],
    one: str = "game",
) -> Greed:
    """What a run with the detail ``"story"`` and its variations tell.

    Parameters
    ----------
    base
        The table as it is.
    varied
        Runs of the same games in which the first strategy has another policy.
    own
        Family and policy of the first strategy's own parts; none if it has no parts.
    one
        What is won: a game or a match.

    Raises
    ------
    ValueError
        If the base was played with other details.
    """
    if "by_turn" not in base.sums:
        raise ValueError("a run with detail 'story' is needed.")
    lineup = base.experiment.strategies
    shares = _first_share(base)
    compared = [(family, policy, shares, True) for family, policy in own]
    compared += [(family, policy, _first_share(run), False) for family, policy, run in varied]
    rivals = tuple(
        Rival(
            family,
            policy,
            _share(share, base),
            Estimate(0.0) if is_own else estimate(share - shares, bounds=(-1.0, 1.0)),
            is_own,
        )
        for family, policy, share, is_own in compared
    )
    totals = leave_one_out(base.sums)
    won, lost = _all(totals["by_turn"][..., 0]), _all(totals["cards_lost"])
    verdict, answer = _verdict(base, [(p, s) for f, p, s, _ in compared if f == "risk"], one)
    return Greed(
        strategy=lineup[0],
        others=lineup[1:],
        games=base.games,
        rivals=rivals,
        figures={
            "foreign_finish_share": _part(_all(totals["won_on_foreign_deck"]), won),
            "cards_lost_per_bust": estimate(ratio(lost, _all(totals["busts"]))),
            "cards_lost_share": _part(lost, _all(totals["cards_gone"])),
            "laying_worth": _worth(compared, "block", "hold"),
            "swapping_worth": _worth(compared, "green", "never"),
        },
        turns=_turns(totals),
        busts=_busts(totals),
        verdict=verdict,
        answer=answer,
    )


def _first_share(run: ResultSet) -> Floats:
    """(1 + B,) win share of seat 1 or, under rotation, of one player of the first strategy."""
    experiment = run.experiment
    totals = leave_one_out(run.sums, ("games", "wins"))
    if not experiment.rotate:
        return seat_shares(totals)[:, 0]
    mine = experiment.holders.index(experiment.strategies[0])
    return strategy_shares(totals, experiment)[:, mine]


def _all(sums: np.ndarray) -> np.ndarray:
    """(1 + B,) everything together."""
    return np.asarray(sums.reshape(len(sums), -1).sum(axis=1))


def _part(of_all: np.ndarray, all_: np.ndarray) -> Estimate:
    """How large a part of all some are, both (1 + B,)."""
    return share_estimate(ratio(of_all, all_), float(of_all[0]), float(all_[0]))


def _worth(compared: Sequence[tuple[str, str, Floats, bool]], family: str, plain: str) -> Estimate:
    """What the player's own policy wins more than the plain one; the usual one's if that is it."""
    shares = {policy: share for f, policy, share, _ in compared if f == family}
    own = next((policy for f, policy, _, is_own in compared if f == family and is_own), None)
    if own == plain:
        own = {"hold": "deny", "never": "leader"}[plain]
    if own is None or own not in shares or plain not in shares:
        return Estimate(None)
    return estimate(shares[own] - shares[plain], bounds=(-1.0, 1.0))


# --- tables --------------------------------------------------------------------------------------


def _turns(totals: Totals) -> Columns:
    """A row a turn, up to the last that any deal was won in."""
    by_turn = totals["by_turn"].sum(axis=1)
    won = by_turn[0, :, 0]
    deals = int(won.sum())
    last = int(np.flatnonzero(won)[-1]) + 1 if deals else 0
    kinds = {"turn": int, "won": float, "decided": float, "ahead": float, "ahead_wins": float}
    kinds |= {"low": float, "high": float}
    wins = ratio(by_turn[:, :last, 3], by_turn[:, :last, 2])
    decided = np.cumsum(won)
    rows = []
    for t in range(last):
        undecided, ahead, lucky = by_turn[0, t, 1:].tolist()
        share = share_estimate(wins[:, t], lucky, ahead) if ahead else Estimate(None)
        leads = ahead / undecided if undecided else None
        shares = won[t] / deals, decided[t] / deals, leads
        rows.append((t + 1, *shares, share.value, share.low, share.high))
    return columns(rows, kinds)


def _busts(totals: Totals) -> Columns:
    """A row for each number of busts that any player had in a won deal."""
    by_busts = totals["by_busts"].sum(axis=1)
    kinds = {"busts": int, "players": float, "win_share": float, "low": float, "high": float}
    players = int(by_busts[0, :, 0].sum())
    rows = []
    shares = ratio(by_busts[..., 1], by_busts[..., 0])
    for busts, (seen, won) in enumerate(by_busts[0].tolist()):
        if seen:
            share = share_estimate(shares[:, busts], won, seen)
            rows.append((busts, seen / players, share.value, share.low, share.high))
    return columns(rows, kinds)


# --- the verdict ---------------------------------------------------------------------------------


def _verdict(base: ResultSet, risks: Sequence[tuple[str, Floats]], one: str) -> tuple[Verdict, str]:
    """Whether a player who takes risks wins more than one who never does."""
    shares = dict(risks)
    if CAREFUL not in shares or len(shares) < 2:
        return "undecided", ""
    if base.games < MIN_GAMES:
        played = wording.games(base.games, one)
        return "undecided", f"Undecided: {played} cannot say whether greed pays."
    if not any(share[0] for share in shares.values()):
        return "undecided", (
            f"Undecided: nobody wins any of these {wording.plural(one)}, whatever risks one player "
            "takes."
        )
    ranked = sorted(shares, key=lambda policy: -float(shares[policy][0]))
    best = next(policy for policy in ranked if policy != CAREFUL)
    gain = shares[best] - shares[CAREFUL]
    width = quantile(len(gain) - 1, len(shares)) * float(standard_error(gain))
    many = wording.plural(one)
    own = base.experiment.strategies[0].split("/")[0]
    named = dict.fromkeys(p for p in (ranked[0], own, CAREFUL) if p in ranked)
    told = _joined(
        [
            f"{wording.percent(_share(shares[policy], base))} "
            f'{f"of {many} with the risk policy" if policy == ranked[0] else "with"} "{policy}"'
            for policy in named
        ]
    )
    won = 1 - int(base.sums["unfinished"].sum()) / base.games
    equal = wording.plain_percent(won / base.experiment.players)
    if won < 1:
        equal += f" as {wording.plain_percent(1 - won)} have no winner"
    against = _joined(list(dict.fromkeys(base.experiment.strategies[1:])))
    table = f"Against {against}, one player wins {told}; an equal share is {equal}."
    if math.isnan(width) or abs(gain[0]) <= width:
        return "undecided", f"Undecided. {table}"
    if gain[0] > 0:
        return "pays", f"Yes. {table}"
    return "does-not-pay", f"No. {table}"


def _share(replicates: Floats, base: ResultSet) -> Estimate:
    return share_estimate(replicates, float(replicates[0]) * base.games, base.games)


def _joined(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
