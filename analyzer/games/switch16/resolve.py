"""What comes of a throw of Switch 16: the Switch die first, then the cards.

Seats whose hooks the game knows are answered for here; those of all others have been asked.
"""

from __future__ import annotations

import numpy as np

from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.decisions import (
    LAY_ASKED,
    SWAP_ASKED,
    TAKE_ASKED,
    decision_purpose,
    decision_word,
    keep_seats,
    mark_face,
    merge_answers,
)
from analyzer.games.switch16.disc import disc_tile, holder_tile
from analyzer.games.switch16.discard import discard_tile
from analyzer.games.switch16.policies import (
    any_but_holder,
    follow_leader,
    leave_ahead,
    top_of_seats,
)
from analyzer.games.switch16.rules import Facts
from analyzer.games.switch16.state import (
    GREEN,
    TILE,
    Policies,
    Scratch,
    State,
)
from analyzer.games.switch16.swap import swap_tile
from analyzer.kernels.bits import marked_columns
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.rows import fill


@part_kernel
def _answer_tile(
    tile: slice, state: State, facts: Facts, policies: Policies, scratch: Scratch
) -> None:
    """Answer on green and block for the seats whose hooks the game knows."""
    rows, players = state.rows, facts.players
    top, disc, mover = (
        rows[at.TOP, tile],
        rows[at.DISC, tile],
        rows[at.MOVER, tile],
    )
    mine = scratch.rows[0, : tile.stop - tile.start]
    if policies.followers != 0:
        top_of_seats(mover, top, policies.followers, mine)
        for d in range(1, players):
            follow_leader(d, rows[at.TOP + d, tile], disc, mine, rows[at.SWAP, tile])
    if policies.guessers != 0:
        mark_face(rows[at.FACE, tile], GREEN, mine)
        keep_seats(mover, policies.guessers, mine)
        found = marked_columns(mine, tile.start, scratch.lanes)
        purpose = np.uint64(decision_purpose(facts, SWAP_ASKED))
        for i in range(found):
            g = np.int64(scratch.lanes[i])
            word = decision_word(
                purpose,
                rows[at.MOVER, g],
                rows[at.THROWN, g],
                state.keys[g],
                state.shorts[at.TURN, g],
            )
            rows[at.SWAP, g] = any_but_holder(players, rows[at.DISC, g], word)
    if policies.sparers != 0:
        top_of_seats(mover, top, policies.sparers, mine)
        for d in range(1, players):
            place = 1 + players + d
            leave_ahead(place, rows[at.TOP + d, tile], mine, disc, rows[at.TAKE, tile])


@part_kernel
def resolve_tile(
    tile: slice, state: State, facts: Facts, policies: Policies, scratch: Scratch
) -> int:
    """Resolve the Switch die and let cards go or, if a group may lay the disc, mark which decides.

    Returns 0, or 1 + the number of a decision that was answered illegally.
    """
    players = facts.players
    for decision in range(SWAP_ASKED, TAKE_ASKED + 1):
        merged = state.rows[at.SWAP + decision - SWAP_ASKED, tile]
        default = 1 if decision == TAKE_ASKED else 0
        legal = 1 if decision == TAKE_ASKED else players - 1
        fill(merged, default)
        if merge_answers(tile, state, policies.groups, decision, merged) > legal:
            return 1 + decision
    _answer_tile(tile, state, facts, policies, scratch)
    size = tile.stop - tile.start
    row, partner = scratch.rows[0, :size], scratch.rows[1, :size]
    swap_tile(tile, state, facts, row, partner)
    disc_tile(tile, state, facts, partner)
    if policies.groups[LAY_ASKED, 0] > 0:
        holder_tile(tile, state, facts, policies, LAY_ASKED, row)
    else:
        discard_tile(tile, state, facts, policies, row)
    return 0


@row_kernel
def resolve_kernel(state: State, facts: Facts, policies: Policies, scratch: Scratch) -> int:
    """Resolve the Switch die in every lane; returns as `resolve_tile`."""
    lanes = state.keys.size
    for start in range(0, lanes, TILE):
        tile = slice(start, min(start + TILE, lanes))
        wrong = resolve_tile(tile, state, facts, policies, scratch)
        if wrong > 0:
            return wrong
    return 0
