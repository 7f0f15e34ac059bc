"""What each game has on its page: a package a game, found through an entry point."""
