"""Plays batches of games and adds them up as integers; knows no game and no strategy by name."""
