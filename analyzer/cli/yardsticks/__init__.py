"""What speed is measured against: each game as one would first write it, in plain Python.

A module bears its game's name and defines ``play(players, chance) -> scores``: one game under the
printed rules between players of the game's usual strategy. It may have ``LINE_UPS``, tables of
strategies that are measured as well; without, every strategy of the game is, in every seat.
"""
