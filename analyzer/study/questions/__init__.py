"""What `fairness` means for a game: a module a game, found by the game's name."""
