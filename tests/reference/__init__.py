"""Plain twins of the fast games: one game at a time, to be read and believed."""
