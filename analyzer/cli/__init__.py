"""The command line: one short module a command; what takes long to import, they import lazily."""
