"""Text that came from outside, shown so that it cannot do anything."""

from __future__ import annotations


def harmless(text: str) -> str:
    """The text with control, direction and unpaired surrogate characters spelled out.

    A name may hold escape sequences that repaint the terminal or reverse what is read. Line breaks
    stay.
    """
    return "".join(c if c == "\n" or c.isprintable() else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
