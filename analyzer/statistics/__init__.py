"""Estimates with honest intervals, from the integer sums of a run."""
