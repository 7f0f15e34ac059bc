"""What speed is measured against: each game as one would first write it, in plain Python.

A module bears its game's name and defines ``play(players, chance) -> scores``: one game of random
players under the printed rules.
"""
