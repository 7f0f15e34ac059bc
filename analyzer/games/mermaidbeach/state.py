"""Cards and decisions of Mermaid Beach, the state of its games, and what strategies see of it.

Cards lie in piles as `analyzer.kernels.piles` counts them. Of the beach cards, sorts 0 to 10 are
the kinds of items, 11 merfolk, 12 mean mermaids, 13 sneaker waves, 14 seaweed, 15 sea monsters. Of
the shell cards, sort v has v points (1 to 13), 14 and 15 are starfish that pass to the left and to
the right.

Kernels are handed these structs of arrays whole. There are P players, N lanes side by side, and G
groups of seats with the same strategy. Rows are relative to the player to move: row 0 is theirs,
row d that of the d-th player to the left. A turn ends by moving all rows up by one, unless the
player has another turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.rows import read_only

KINDS = 11
"""Most kinds of items; their sorts are 0 to 10."""
MERFOLK, MEAN, WAVE, SEAWEED, MONSTER = 11, 12, 13, 14, 15
ASK = 15
"""The action that plays no card; the number is free because a sea monster cannot be played."""
STARFISH_LEFT, STARFISH_RIGHT = 14, 15
MOST_POINTS = 13
CARD_NAMES = (
    *(f"item {kind}" for kind in range(KINDS)),
    "merfolk", "mean mermaid", "sneaker wave", "seaweed", "sea monster",
)  # fmt: skip

ONE = np.uint64(1)
ITEMS = np.uint64(0x00000FFFFFFFFFFF)
"""Mask of the counts of items."""
NO_MONSTER = np.uint64(0x0FFFFFFFFFFFFFFF)

MOST_PLAYERS = 5
PURPOSE_BEACH = 1
PURPOSE_SHELL = 2
PURPOSE_FIRST = 3
PURPOSE_DECIDE = 16
CHANCE = {
    "deal": (PURPOSE_BEACH,),
    "first player": (PURPOSE_FIRST,),
    "decks": (PURPOSE_BEACH, PURPOSE_SHELL),
    "decisions": tuple(PURPOSE_DECIDE + seat for seat in range(MOST_PLAYERS)),
}
"""The sources of chance, and the purposes of each; the words of the beach deck that follow those of
the deal are other words."""

OUT_OF_CARDS, MONSTER_ALONE, UNFINISHED = 1, 2, 3
NOTHING = 15
"""Card played where none was."""
IDLE = 16
"""What a lane without a game does."""
NONE = 255
"""No card."""
LAST_MOVER = -1
"""Whoever has just moved, where the number of a seat is expected."""

Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Piles = NDArray[np.uint64]
Listed = NDArray[np.uint32]
Counts = NDArray[np.int64]


class State(NamedTuple):
    """The games, one column a lane.

    =================  ======  ======  ==========================================================
    field              dtype   shape   meaning
    =================  ======  ======  ==========================================================
    start              uint32  (N,)    which game of the batch, and who began: place << 3 | seat
    live               uint8   (N,)    1 = a game of the batch, 0 = idle: no more to take up
    keys               uint64  (N,)    the games' chance
    seat               uint8   (N,)    seat of the player to move
    turn               uint16  (N,)    turns played
    hands              uint64  (P, N)  beach cards of each player
    shells             uint64  (P, N)  shell cards before each player
    sizes              uint8   (P, N)  how many beach cards each holds
    beach_deck         uint64  (N,)    cards left to draw; whatever is neither here nor in a hand
    shell_deck         uint64  (N,)    has been discarded
    beach_left         uint8   (N,)    how many cards these decks have
    shell_left         uint8   (N,)
    recycled           uint16  (N,)    discarded cards that became the beach deck anew
    asks, asks_met     uint16  (N,)    questions asked in the game; questions met
    asks_by_seat       uint64  (2, N)  both by seat, 12 bits each; (2, 0) if nobody wants to know
    =================  ======  ======  ==========================================================
    """

    start: Listed
    live: Bytes
    keys: Piles
    seat: Bytes
    turn: Shorts
    hands: Piles
    shells: Piles
    sizes: Bytes
    beach_deck: Piles
    shell_deck: Piles
    beach_left: Bytes
    shell_left: Bytes
    recycled: Shorts
    asks: Shorts
    asks_met: Shorts
    asks_by_seat: Piles


class Turn(NamedTuple):
    """What happens in the turn under way, one column a lane; (N,) uint8 but for the actions.

    Attributes
    ----------
    actions
        (N,) uint64, the set of what can be done.
    rivals
        1 where an opponent has a shell card.
    group
        Which group has the player to move.
    action, question
        What was chosen; `IDLE` where there is no game, and 0 where nobody is asked.
    met
        1 where the question was met.
    drawn
        Beach card drawn for one that was not, or `NONE`.
    offer
        1 where that card can be played, and then whether it is.
    played
        Card played, or `NOTHING`.
    shell_card
        Shell card drawn, or 0.
    ended
        Why the game is over, or 0.
    left_to_do
        Number of the list that the lane belongs to, or `NONE`.
    """

    actions: Piles
    rivals: Bytes
    group: Bytes
    action: Bytes
    question: Bytes
    met: Bytes
    drawn: Bytes
    offer: Bytes
    played: Bytes
    shell_card: Bytes
    ended: Bytes
    left_to_do: Bytes


class Asked(NamedTuple):
    """Where decisions are asked for in all lanes, and the answers: (`IN_ALL_LANES`, G, N) uint8."""

    active: Bytes
    answers: Bytes


class Shown(NamedTuple):
    """What is shown to those who are asked in all lanes.

    Attributes
    ----------
    members
        (G, P) uint8, 1 for each seat of a group.
    wants
        (3,) uint8, whether anybody wants chance for a decision.
    words
        (3, N) uint64.
    hand, playable
        What groups are shown of the hand and of what can be done: (N,) uint64 each. They are arrays
        of their own, so that no view can reach what another one shows.
    card
        (N,) uint8, the card drawn that can be played.
    """

    members: Bytes
    wants: Bytes
    words: Piles
    hand: tuple[Piles, ...]
    playable: tuple[Piles, ...]
    card: Bytes


class Lists(NamedTuple):
    """Lanes in which something is left to do, list by list.

    Attributes
    ----------
    lanes
        (L, W) uint32.
    counts
        (L,) int64, lanes in each list.
    widths
        (L,) int64, columns in which those of a list are asked.
    """

    lanes: Listed
    counts: Counts
    widths: Counts


class Aims(NamedTuple):
    """Columns to ask for targets, row by row those of a decision (seaweed, shell) and a group.

    Attributes
    ----------
    wants
        (2 G,) uint8, whether the group wants chance.
    shells
        (2 G, P W) uint64, of each row (P, W), W being the columns in use.
    words
        (2 G, W) uint64.
    card, active, answers
        (2 G, W) uint8; the answers are the opponent who shall draw for seaweed, otherwise sort of
        the shell card + 16 * opponent.
    drew
        (G, W) uint8, 1 where the opponent drew a card.
    """

    wants: Bytes
    shells: Piles
    words: Piles
    card: Bytes
    active: Bytes
    answers: Bytes
    drew: Bytes


class Passes(NamedTuple):
    """Columns to ask for cards to pass, row by row those of a seat.

    Attributes
    ----------
    wants
        (P,) uint8, whether the seat wants chance.
    hands
        Of each seat (W,) uint64.
    words
        (P, W) uint64.
    card
        (W,) uint8, the starfish.
    active
        (P, W) uint8.
    answers
        Of each seat (W,) uint8.
    cells
        (P, W) uint32, where in the flat rows of the state the hands lie.
    movers
        (W,) uint8, seat of the player to move.
    """

    wants: Bytes
    hands: tuple[Piles, ...]
    words: Piles
    card: Bytes
    active: Bytes
    answers: tuple[Bytes, ...]
    cells: Listed
    movers: Bytes


class Queue(NamedTuple):
    """The games of a batch, in order, and those of them that are dealt and wait for lanes.

    Attributes
    ----------
    games
        (M,) uint64, the games' numbers.
    keys, deck
        (Q,) uint64.
    hands
        (P, Q) uint64, by seat.
    first
        (Q,) uint8.
    """

    games: Piles
    keys: Piles
    deck: Piles
    hands: Piles
    first: Bytes


class Records(NamedTuple):
    """What is kept of the games that are over, by place in the batch; bits by seat s from 0.

    Details are kept only if fairness is asked for; otherwise there is room for none.

    =======  ======================================================================================
    results  (2 M,) uint64, two words a game:
    0        points of seat s at 11 s; winners at 55 + s; a monster ate something at 60
    1        turns at 0; questions at 16; questions met at 32; who began at 48; why it ended at 51;
             starfish at 53
    details  (3, M) uint64:
    0        points eaten at 11 s; holds a monster at 55 + s
    1, 2     questions, and questions met, at 12 s
    opening  (P, M) uint64, the hands dealt
    =======  ======================================================================================
    """

    results: Piles
    details: Piles
    opening: Piles


class Scratch(NamedTuple):
    """Rows for a tile that hold nothing from call to call."""

    wide: Piles
    narrow: Bytes
    short: Shorts
    cells: Listed


class View(NamedTuple):
    """What a seat may know, one column a game; row 0 is me, row d the d-th player to my left.

    Arrays are read-only. Optional parts are None unless the strategy declares that it ``sees``
    them. Where a target or a card to pass is wanted (``shell``, ``seaweed``, ``pass``), only the
    parts named there are shown, unless the strategy sees ``"table"``: then all of them are. Columns
    that are not asked show an invented hand, or at ``pass`` an empty one, and of the table what
    everybody knows.

    Attributes
    ----------
    active
        (N,) uint8, 1 where the decision is asked for; elsewhere values are in range and mean
        nothing.
    hand
        (N,) uint64, my beach cards, a pile; at ``shell`` and ``seaweed`` with ``"table"`` only.
    playable
        (N,) uint64, at ``action`` the set of what I may choose: sort of the card, an item standing
        for a pair of it, and `ASK`. None later on.
    sizes
        (P, N) uint8, cards in each hand; at ``shell``, ``seaweed`` and ``pass`` with ``"table"``
        only, like the decks and ``turn``.
    shells
        (P, N) uint64, shell cards of each player; at ``pass`` with ``"table"`` only.
    beach_deck, shell_deck
        (N,) uint8, cards left in each deck.
    turn
        (N,) uint16, turns played before this one.
    card
        (N,) uint8, what the decision is about: at ``beach`` the card just drawn, which is in
        ``hand`` already; at ``shell`` the card just played, `MEAN` or `WAVE`; at ``pass`` the
        starfish, `STARFISH_LEFT` or `STARFISH_RIGHT`. Otherwise None.
    beach_discard, shell_discard
        (N,) uint64, the discard piles, if it sees ``"discards"``; a card just played or a starfish
        just drawn lies there already.
    asked
        (P, N) uint64, if it sees ``"asked"``: the set of kinds that each player asked for in vain
        and has neither paired nor given away since. They held it when asking, but may have passed
        it on.
    lacks
        (P, N) uint64, if it sees ``"lacks"``: the set of kinds that each player, asked for them,
        did not hold. Nothing is known any more of a player who has taken a card unseen.
    passed
        (P, N) uint64, if it sees ``"passed"``: the card that I passed to each player at the last
        starfish, unless one of its sort has left that hand openly since.
    players
        Players at the table.
    """

    active: Bytes
    hand: Piles | None
    playable: Piles | None
    sizes: Bytes | None
    shells: Piles | None
    beach_deck: Bytes | None
    shell_deck: Bytes | None
    turn: Shorts | None
    card: Bytes | None
    beach_discard: Piles | None
    shell_discard: Piles | None
    asked: Piles | None
    lacks: Piles | None
    passed: Piles | None
    players: int


def view_of(players: int, arrays: Mapping[str, NDArray[Any]]) -> View:
    """A view of some arrays, which nobody can write to through it; other parts are None."""
    parts: dict[str, Any] = dict.fromkeys(View._fields)
    parts |= {name: read_only(array) for name, array in arrays.items()}
    return View(**(parts | {"players": players}))


@row_kernel
def find_cells(
    seat: Bytes, sitting: int, players: int, listed: Listed, lanes: int, cells: Listed
) -> None:
    """Where in flat rows relative to the player to move, ``seat``, those of another seat are.

    ``cells`` is filled with a place in rows of so many ``lanes`` for each of the listed ones.
    """
    p = np.uint32(sitting)
    table_size = np.uint32(players)
    length = np.uint32(lanes)
    for c in range(cells.size):
        mover = np.uint32(seat[c])
        g = listed[c]
        row = p - mover if p >= mover else p + table_size - mover
        cells[c] = np.uint32(row * length + g)


def sorts_of(pile: int) -> list[int]:
    """Sorts of which there is a card in a pile."""
    return [sort for sort in range(16) if pile >> 4 * sort & 15]


def cards_of(pile: int) -> list[int]:
    """All cards of a pile, in order of sorts."""
    return [sort for sort in range(16) for _ in range(pile >> 4 * sort & 15)]
