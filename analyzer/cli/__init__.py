"""The command line: parse, call one function, show what it returns."""
