"""Answers computed instead of simulated."""
