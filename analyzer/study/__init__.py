"""Plans a command, plays or reads its parts, and draws the conclusion.

A study is a function ``conclude(request, play)``: it asks ``play`` for the experiments it needs by
name, the later ones depending on what the earlier ones showed, and returns statistics. Where the
results come from is ``play``'s business: `Stage` plays and saves them, and an interrupted study is
continued by concluding again, when everything that is saved is there at once; `Archive` only reads;
`DryRun` plays a little of each to tell how long all would take.

What a game is asked and how that is told is its own: a `Study` that it brings, or `Study` itself.
"""

from __future__ import annotations

from analyzer.study.answer import Answer, answer_saved, check, conclude
from analyzer.study.base import Found, Study, Way, asked_tables, study_of
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
from analyzer.study.stage import (
    Archive,
    DryRun,
    NotPlayed,
    Part,
    Play,
    Progress,
    Stage,
    WorkerSettings,
    length,
    telling_of,
)
from analyzer.study.telling import Table, Telling

__all__ = [
    "DEFAULT_GAMES",
    "Answer",
    "Archive",
    "Command",
    "DryRun",
    "Found",
    "NotPlayed",
    "Part",
    "Play",
    "Progress",
    "Request",
    "Stage",
    "Study",
    "Table",
    "Telling",
    "Way",
    "WorkerSettings",
    "answer_saved",
    "asked_tables",
    "check",
    "combined",
    "conclude",
    "fresh_seed",
    "length",
    "make_request",
    "one_a_seat",
    "study_of",
    "telling_of",
    "whole",
]
