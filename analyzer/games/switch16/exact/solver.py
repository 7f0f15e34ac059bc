"""The best policies of Switch 16: best responses, and optimal play for two.

A *best response* of one seat to given policies of the others solves a Markov decision process:
value iteration from zero, whose values rise to the highest probability of winning.

With two players the game is a zero-sum stochastic game in which the players never choose at the
same time, so both have optimal policies without memory and without chance (Shapley 1953,
*Stochastic games*; Condon 1992, *The complexity of stochastic games*). Value iteration in which
both choose, from values that sum to one, converges to its value because the game ends. By symmetry
one policy serves both seats.

Both kinds of values are best over all policies, those with a memory included, and the decisions
know all that a player may know: green and block are decided with the numbers on the table.

With three or four players there is no such thing as optimal play, only best responses: tried with
three, the iteration goes around in circles for ever.

The holder of the disc refuses every green swap, as the baseline policies do. With two players that
loses nothing: a mover proposes only what is bad for the holder. Leaving the disc on another's deck
(a choice on block) is never better than taking it, because it can be laid there again before the
next turn; of equal options the tables have the first: no risk, no swap, take, keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from analyzer.errors import AnalyzerError, UsageError
from analyzer.games.switch16.exact.chain import Chain, Policy, Shares, win_shares
from analyzer.games.switch16.exact.policies import PolicyTable, baseline
from analyzer.games.switch16.exact.states import Setup

MAX_SWEEPS = 5_000
FALLBACK = "never/never/hold"
"""Where a table starts that value iteration fills in; its choices do not matter."""


@dataclass(frozen=True)
class Solution:
    """A best response, or optimal play for two: a policy that is a best response to itself.

    Attributes
    ----------
    policy
        The policy, for the seat it was asked for, or for both.
    shares
        What happens when it meets the others, or itself.
    gain
        How much winning probability a seat could add by deviating from optimal play: 0 up to the
        accuracy of the solution. It is computed from best responses, and so bears witness. None
        for a best response.
    """

    policy: PolicyTable
    shares: Shares
    gain: float | None = None


def best_response(
    setup: Setup, policies: Sequence[Policy | None], *, tolerance: float = 1e-10
) -> Solution:
    """Find the policy of one seat that wins most often against the others' policies.

    The policy is best from every position, not only from the start of the game.

    Parameters
    ----------
    setup
        The rules.
    policies
        One per seat, combinations or tables; None (once) for the seat that looks for its best.
    tolerance
        Largest error of the probabilities in the result; the values that choose are ten times
        closer.

    Raises
    ------
    UsageError
        If not exactly one policy is None.
    AnalyzerError
        If the game need not end.
    """
    if len(policies) != setup.players or sum(policy is None for policy in policies) != 1:
        raise UsageError(
            f"a best response needs one policy per seat ({setup.players}), with None for the "
            "seat that looks for it."
        )
    seat = next(i for i, policy in enumerate(policies) if policy is None)
    made = [
        baseline(policy, setup) if isinstance(policy, str) else policy
        for policy in (FALLBACK if policy is None else policy for policy in policies)
    ]
    chain = Chain(setup, made)
    chain.tables.chooses[seat] = 1
    _iterate(chain, tolerance / 10)
    others = " + ".join(policy.name for i, policy in enumerate(made) if i != seat)
    made[seat] = chain.policy(seat, f"best response to {others}")
    shares = win_shares(setup, made, tolerance=tolerance)
    return Solution(replace(made[seat], facts=_facts(shares)), shares)


@lru_cache(maxsize=8)
def equilibrium(setup: Setup, *, tolerance: float = 1e-10) -> Solution:
    """Find optimal play for two players; kept, since a command asks for it several times.

    Parameters
    ----------
    setup
        The rules, for two players.
    tolerance
        Largest error of the probabilities in the result.

    Raises
    ------
    UsageError
        If there are more than two players.
    AnalyzerError
        If the game need not end.
    """
    if setup.players != 2:
        raise UsageError(
            f"players = {setup.players}: optimal play is solved for 2 players; with more, look for "
            "the best response to given policies."
        )
    chain = Chain(setup, [baseline(FALLBACK, setup)])
    chain.tables.chooses[0] = 1
    chain.values[..., :2] = 0.5
    _iterate(chain, tolerance / 10)
    policy = chain.policy(0, "optimal")
    shares = win_shares(setup, [policy, policy], tolerance=tolerance)
    answers = [
        best_response(setup, rivals, tolerance=tolerance).shares
        for rivals in ([None, policy], [policy, None])
    ]
    gain = max(float(answers[seat].win_share[seat] - shares.win_share[seat]) for seat in (0, 1))
    facts = _facts(shares) | {"gain_by_deviating": gain}
    return Solution(replace(policy, facts=facts), shares, max(gain, 0.0))


def _iterate(chain: Chain, tolerance: float) -> None:
    """Sweep until no winning probability moves any more."""
    for _ in range(MAX_SWEEPS):
        # A round of turns decides a tenth of the open games at least, so that what is still to
        # come is at most ten times the last change.
        if chain.sweep() < tolerance / 10:
            return
    raise AnalyzerError(
        f"the best policy did not settle within {MAX_SWEEPS:,} rounds: under these policies and "
        "rules a game may go on for ever."
    )


def _facts(shares: Shares) -> dict[str, object]:
    return {
        "win_share": [float(share) for share in shares.win_share],
        "first_player_win_share": shares.first_player_win_share,
        "turns_per_game": shares.turns,
        "error": shares.error,
    }
