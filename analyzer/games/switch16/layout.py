"""The named rows of the state of Switch 16.

One column is a lane (P players, N lanes). Rows of decks are relative to the mover: row 0 is the
mover's deck, row d that of the d-th player to the left; they move when a turn ends. ``State.rows``
is one uint8 block with named rows:

================  ================================================================================
row               meaning
================  ================================================================================
TOP + d           lowest card not yet discarded, 1 to cards + 1
SAFE + d          1 = the deck is protected
ORIGIN + d        seat whose deck it was when the deal began
DISC              where the disc is: 0 = tray, 1 + d = held by row d, 1 + P + d = on the deck of
                  row d
MOVER             seat whose turn it is
FIRST             seat that began the deal
THROWN            throws before this one in the turn
DICE              numbered dice that the mover's top card calls for
GOING             cards that this throw clears
FACE              face of the Switch die: BLANK, GREEN, RED or BLOCK
LIVE              1 = a game is going on in the lane
DONE              1 = the deal is over: won if row 0 has no card left, else stopped
SWAP, PICK, TAKE  answers on green, red and block (see `decisions`), 0, 0 and 1 if nobody was asked
LAY               answer of the disc's holder, NEVER if nobody was asked
AGAIN             1 = the mover may throw again; once asked: does
HELD              1 everywhere: the disc as its holder sees it
HOLDER_TOP + d,   the decks as the holder of the disc sees them, row 0 the holder's
HOLDER_SAFE + d
HOLDER_MOVER      row of the mover, as the holder counts
HOLDER_SEAT       seat of the holder
COUNTS + k        what happened in the lane since the counts were last added up
ASKS + 4k + i     1 = decision k is put to policy group i here: seats that decide alike
ANSWERS + 4k + i  what that group answers
================  ================================================================================

``State.shorts`` (uint16) has the rows TURN and DEAL (before this one), POINTS + d (match points, in
rows like the decks) and HOLDER_POINTS + d.
"""

TOP, SAFE, ORIGIN = 0, 4, 8
DISC, MOVER, FIRST, THROWN, DICE, GOING, FACE, LIVE, DONE = range(12, 21)
SWAP, PICK, TAKE, LAY, AGAIN, HELD = range(21, 27)
HOLDER_TOP, HOLDER_SAFE, HOLDER_MOVER, HOLDER_SEAT = 27, 31, 35, 36
COUNTS = 37
ASKS, ANSWERS = 46, 70
ROWS = 94
TURN, DEAL, POINTS, HOLDER_POINTS, SHORTS = 0, 1, 2, 6, 10

RISKS, BUSTS, GREENS, REDS, LAID, DEALS, TURNS, FIRST_WINS, FOREIGN_WINS = range(9)
"""What is counted, from `COUNTS` on: as the first of the sums are named."""
