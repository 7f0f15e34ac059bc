"""Plans a command, plays or reads its parts, and draws the conclusion.

A study is a function ``conclude(request, play)``: it asks ``play`` for the experiments it needs by
name, the later ones depending on what the earlier ones showed, and returns statistics. Where the
results come from is ``play``'s business: `Stage` plays and saves them, and an interrupted study is
continued by concluding again, when everything that is saved is there at once; `Archive` only reads;
`Rehearsal` plays a little of each to tell how long all would take.

What `fairness` means is each game's own: a module of `analyzer.study.questions`, or
`analyzer.study.seats` for a game without one.
"""

from __future__ import annotations

from analyzer.study.answer import Answer, answer_saved, check, conclude
from analyzer.study.publishing import machine, publish
from analyzer.study.request import (
    DEFAULT_GAMES,
    Command,
    Request,
    combined,
    fresh_seed,
    make_request,
    one_a_seat,
    whole,
)
from analyzer.study.stage import Archive, Crew, NotPlayed, Part, Play, Progress, Rehearsal, Stage

__all__ = [
    "DEFAULT_GAMES",
    "Answer",
    "Archive",
    "Command",
    "Crew",
    "NotPlayed",
    "Part",
    "Play",
    "Progress",
    "Rehearsal",
    "Request",
    "Stage",
    "answer_saved",
    "check",
    "combined",
    "conclude",
    "fresh_seed",
    "machine",
    "make_request",
    "one_a_seat",
    "publish",
    "whole",
]
