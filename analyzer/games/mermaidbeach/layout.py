"""Where things lie in the arrays of Mermaid Beach: decisions, lists, facts and progress."""

DECISIONS = ("action", "ask", "beach", "shell", "seaweed", "pass")
ACTION, QUESTION, BEACH, SHELL, WEED, PASS = range(6)
"""Numbers of the decisions; as such they name the words of the stochastic ones, too."""
IN_ALL_LANES = 3
"""The first of them are asked for in all lanes, the others in columns copied from some."""

OVER, STARFISH, FOUND, AIMED = range(4)
"""Lists of lanes: whose game is over, where a starfish came up, where any of this is so, and from
`AIMED` on, by decision and group, where a card was aimed at an opponent."""
(
    SEED, BEACH_PILE, SHELL_PILE, BEACH_CARDS, SHELL_CARDS, HAND_SIZE, MAX_TURNS, ASK_FREELY,
    PLAY_AT_BEACH, RANDOM_FIRST, DEAL_WORDS, BEACH_WORDS, SHELL_WORDS, FIRST_WORDS, DECISION_WORDS,
    FACTS,
) = range(16)  # fmt: skip
"""What kernels know of the rules, as ``facts`` (FACTS,) uint64: the words of chance by the number
of the first one that is drawn for something, in the replica that is played."""
GAMES, DEALT, QUEUED, FILLED, STARTED, FINISHED, AT_ONCE, TURNS, PROGRESS = range(9)
"""How far a batch has come, as ``progress`` (PROGRESS,) int64: its games, those dealt, those of
them that wait in the queue, how many that was filled with, those taken up, those finished, hands in
the queue that are over at once, and turns to be played without a look from outside."""

TILE = 256
"""Lanes or columns that kernels work on before they go on to the next ones."""
WIDE, NARROW = 10, 8
"""Rows of `Scratch`."""
