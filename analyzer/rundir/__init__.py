"""Directories that hold a run: claimed by one process, written atomically, verified when read.

::

    DIR/manifest.json       what was asked, by which program, how far it is; digests of the files
    DIR/parts/NAME.npz      the integer sums of one experiment
    DIR/tables/NAME.csv     what the sums say (also NAME.parquet)
    DIR/report.html, *.png  what the tables look like

A file is written beside its place and renamed into it, so that it is there whole or not at all. A
directory that is not ours is never touched, and a file that we did not write is never removed.
"""

from __future__ import annotations

from analyzer.rundir.claiming import FIXED, claim, default_path, preview, reopen
from analyzer.rundir.directory import RunDirectory
from analyzer.rundir.manifest import SavedRun, State, look
from analyzer.rundir.parts import read_part, write_part

__all__ = [
    "FIXED",
    "RunDirectory",
    "SavedRun",
    "State",
    "claim",
    "default_path",
    "look",
    "preview",
    "read_part",
    "reopen",
    "write_part",
]
