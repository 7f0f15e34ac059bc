"""Tests; a package, so that test files can import the reference games."""
