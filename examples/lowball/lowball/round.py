"""A round: the lowest number that one player alone has named wins its points."""

from __future__ import annotations

from analyzer.kernels.compilation import kernel
from lowball.state import NOBODY, State

__all__ = ["round_kernel"]


@kernel
def round_kernel(state: State, numbers: int, kept: bool) -> bool:
    """Resolve what all seats have chosen, and say whether somebody chose what is no number.

    ``kept`` says whether points that nobody wins are added to those of the next round.
    """
    choice, named, scores, stake = state.choice, state.named, state.scores, state.stake
    players = len(choice)
    illegal = False
    for g in range(stake.size):
        lowest, winner = numbers + 1, NOBODY
        for p in range(players):
            mine = choice[p][g]
            alone = True
            for q in range(players):
                alone &= q == p or choice[q][g] != mine
            if alone and mine < lowest:
                lowest, winner = mine, p
            illegal |= state.playing[g] == 1 and not 1 <= mine <= numbers
            named[p, g] = mine
            named[p + players, g] = mine
        state.winner[g] = winner
        if winner != NOBODY:
            scores[winner, g] += stake[g]
            scores[winner + players, g] += stake[g]
        stake[g] = stake[g] + 1 if kept and winner == NOBODY else 1
    return illegal
