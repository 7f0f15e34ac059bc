"""Whether greed pays in Switch 16: one player's policies varied, and the course of games.

Greed is to throw again; the policy of that name is only one way of doing so. One player of a table
plays another policy of one family, everybody else as before and in the same seats, on the same
chance. The table with all its own policies is the base; differences from it are taken block by
block, so what the two runs have in common in luck cancels. Any of them may be picked as the
largest: they are simultaneous (Bonferroni; Dunn 1961, J. Am. Stat. Assoc. 56:52).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from analyzer.games.switch16.figures import Greed, Rival, Verdict
from analyzer.results import ResultSet
from analyzer.specs import plain_part
from analyzer.statistics import margins, wording
from analyzer.statistics.fairness import agreement
from analyzer.statistics.intervals import (
    MIN_GAMES,
    Floats,
    Totals,
    estimate,
    leave_one_out,
    ratio,
    share_estimate,
)
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.seats import seat_shares
from analyzer.statistics.tables import Columns, Estimate, Summary, columns

SHARES = frozenset({"foreign_finish_share", "cards_lost_share", "laying_worth", "swapping_worth"})
"""Which of the figures are shares, or differences of shares."""

TOLD = {
    "cards_lost_share": "share of the discarded cards that busts put back",
    "foreign_finish_share": "share won on a deck that was another player's at first",
    "laying_worth": "what laying the Block disc adds to the share won",
    "swapping_worth": "what swapping on green adds to the share won",
}
"""Figures whose names do not say what they are."""
CAREFUL = "never"
"""The risk policy without greed."""
Seated = tuple[ResultSet, ...]
"""Runs without rotation: in the k-th the first player sits in seat k."""
Varied = tuple[str, str, Seated]
"""Family, policy and the runs in which the first player has it."""


def analyze(
    story: ResultSet,
    base: Seated,
    varied: Sequence[Varied],
    own: Sequence[tuple[str, str]],
    one: str = "game",
    margin: float = WIN_SHARE_MARGIN,
    known: float | None = None,
) -> Greed:
    """What a run with the detail ``"story"`` and its variations tell.

    Parameters
    ----------
    story
        The table as it is, with the course of its games.
    base
        The same as unrotated runs, one for each seat that the first player shall sit in.
    varied
        Runs of the same games in which the first player has another policy.
    own
        Family and policy of the first strategy's own parts; none if it has no parts.
    one
        What is won: a game or a match.
    margin
        Difference of win shares that counts as none.
    known
        What the first player wins by the rules, where all play alike in seats that are alike.

    Raises
    ------
    ValueError
        If the story was played with other details.
    """
    if "by_turn" not in story.sums:
        raise ValueError("a run with detail 'story' is needed.")
    lineup = story.experiment.strategies
    games = sum(run.games for run in base)
    shares = _first_share(base)
    compared = [(family, policy, shares, True) for family, policy in own]
    compared += [(family, policy, _first_share(runs), False) for family, policy, runs in varied]
    family_size = max(1, len(varied))

    def win_share(share: Floats) -> Estimate:
        if known is None:
            return _share(share, games)
        # What is known of the base makes the luck cancel that the two runs have in common.
        gain = share - shares
        return estimate(known + gain, bounds=(0.0, 1.0)) if gain.any() else Estimate(known)

    rivals = tuple(
        Rival(
            family,
            policy,
            win_share(share),
            Estimate(0.0)
            if is_own
            else estimate(share - shares, family=family_size, bounds=(-1.0, 1.0)),
            is_own,
        )
        for family, policy, share, is_own in compared
    )
    totals = leave_one_out(story.sums)
    won, lost = _all(totals["by_turn"][..., 0]), _all(totals["cards_lost"])
    risks = {policy: share for f, policy, share, _ in compared if f == "risk"}
    wins = {rival.policy: rival.win_share for rival in rivals if rival.family == "risk"}
    verdict, answer = _verdict(story, risks, wins, games, one, margin)
    return Greed(
        strategy=lineup[0],
        others=lineup[1:],
        games=games,
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


def _first_share(runs: Seated) -> Floats:
    """(1 + B,) win share of the first player, every seat that it sits in counting alike."""
    shares = [
        seat_shares(leave_one_out(run.sums, ("games", "wins")))[:, seat]
        for seat, run in enumerate(runs)
    ]
    return np.asarray(np.mean(shares, axis=0))


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


def _verdict(
    story: ResultSet,
    shares: dict[str, Floats],
    wins: dict[str, Estimate],
    games: int,
    one: str,
    margin: float,
) -> tuple[Verdict, str]:
    """Whether a player who throws again wins more than one who never does."""
    many = wording.plural(one)
    if CAREFUL not in shares or len(shares) < 2:
        return "undecided", ""
    if games < MIN_GAMES:
        return "undecided", (
            f"Undecided: {wording.games(games, one)} cannot say whether throwing again pays."
        )
    if not any(share[0] for share in shares.values()):
        return "undecided", (
            f"Undecided: nobody wins any of these {many}, whatever risks one player takes."
        )
    ranked = sorted(shares, key=lambda policy: -float(shares[policy][0]))
    best = next(policy for policy in ranked if policy != CAREFUL)
    gain = estimate(shares[best] - shares[CAREFUL], family=len(shares) - 1, bounds=(-1.0, 1.0))
    own = story.experiment.strategies[0].split("/")[0]
    told = [
        f"{told_share(wins[policy])} {plain_part(story.experiment.game, 'risk', policy)}"
        f"{_picked(len(shares)) if policy == best else ''}"
        for policy in dict.fromkeys((best, own, CAREFUL))
        if policy in shares
    ]
    won = 1 - int(story.sums["unfinished"].sum()) / story.games
    equal = wording.plain_percent(won / story.experiment.players)
    if won < 1:
        equal += f" as {wording.plain_percent(1 - won)} have no winner"
    against = _others(story.experiment.strategies[1:], story.experiment.game)
    table = (
        f"Of {many} against {against}, one player wins {wording.listed(told)}; an equal share is "
        f"{equal}."
    )
    size = margins.judge(gain, margin)
    within = f"{100 * margin:g} percentage points"
    why = {
        "inside": f": the difference is shown to be at most {within}",
        "undecided": f": these {many} do not settle whether throwing again makes a difference of "
        f"more than {within}",
    }.get(size, "")
    return SIZES[size], f"{LEADS[SIZES[size]]}{why}. {table}"


SIZES: dict[margins.Size, Verdict] = {
    "above": "pays",
    "below": "does-not-pay",
    "inside": "no-difference-shown",
    "undecided": "undecided",
}
LEADS: dict[Verdict, str] = {
    "pays": "Yes, throwing again pays",
    "does-not-pay": "No, throwing again does not pay",
    "no-difference-shown": "No, throwing again makes no difference that matters",
    "depends-on-play": "It depends on how the others play",
    "undecided": "Undecided",
}


def over_tables(found: Sequence[tuple[Summary, Greed]]) -> tuple[Verdict, str]:
    """Whether throwing again pays whoever the others are: the verdict, and one sentence.

    Parameters
    ----------
    found
        Each table of strategies, with what one player wins there.
    """
    answered = [(summary, greed) for summary, greed in found if greed.answer]
    if not answered:
        return "undecided", ""
    if len({greed.answer for _, greed in answered}) == 1:
        return answered[0][1].verdict, answered[0][1].answer
    verdict = cast(Verdict, agreement([greed.verdict for _, greed in answered]))
    everybody = [spec for summary, _ in answered for spec in summary.lineup]
    told = []
    for summary, greed in answered:
        risks = {r.policy: r.win_share for r in greed.rivals if r.family == "risk"}
        game = summary.game
        best = max((p for p in risks if p != CAREFUL), key=lambda p: risks[p].value or 0.0)
        unsure = ", which is undecided" if greed.verdict == "undecided" != verdict else ""
        told.append(
            f"against {_others(greed.others, game, everybody)}, one player "
            f"{plain_part(game, 'risk', best)} wins {told_share(risks[best])}"
            f"{_picked(len(risks))} and one "
            f"{plain_part(game, 'risk', CAREFUL)} {told_share(risks[CAREFUL])}{unsure}"
        )
    sure = all(greed.verdict == verdict for _, greed in answered)
    lead = LEADS[verdict] + (" whoever the others are" if verdict == "pays" and sure else "")
    sentence = "; ".join(told)
    return verdict, f"{lead}: {sentence}."


def _picked(policies: int) -> str:
    """Says that a share is the highest of several, and so looks a little better than it is."""
    return f" (the most of {wording.number_word(policies)} policies)" if policies > 2 else ""


def told_share(found: Estimate) -> str:
    """A win share, one that is known as it is."""
    if found.value is not None and found.low is None:
        return wording.plain_percent(found.value)
    return wording.percent(found)


def _others(others: Sequence[str], game: str, among: Sequence[str] = ()) -> str:
    """Whom one player plays against, be it one or several."""
    told = wording.opponents if len(others) == 1 else wording.table
    return told(others, game, among)


def _share(replicates: Floats, games: int) -> Estimate:
    return share_estimate(replicates, float(replicates[0]) * games, games)
