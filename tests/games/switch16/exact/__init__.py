"""Exact solutions of Switch 16, held against brute force, published figures and the plain twin."""
