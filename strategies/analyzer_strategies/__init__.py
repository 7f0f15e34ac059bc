"""The built-in strategies, one file a game, registered like anyone else's."""
