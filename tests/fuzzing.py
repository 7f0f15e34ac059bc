"""Hostile inputs for the whole program, and what must hold whatever is given.

An `Attack` is a command line with files beside it: rule files, and a saved run that was tampered
with. `Sandbox.run` calls the command line with it, in this process, and says what went wrong:

- a traceback, an error that "should not have happened", an exit code that is not promised;
- pictures that could not be drawn, control characters on the terminal, JSON that is none;
- more than `SECONDS`, a file changed outside of the directory that was named.

``tests/test_fuzz.py`` tries some; ``python benchmarks/fuzz.py 10000`` as many as one likes.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import signal
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, cast
from unittest.mock import patch

import numpy as np
from hypothesis import strategies as st

from analyzer.cli.app import main
from analyzer.kernels.compilation import compiling_seconds

SECONDS = 5.0
"""What an input may take of the processor."""
PATIENCE = 120.0
"""Seconds by the clock after which an input is given up: other programs may be running, too."""
CODES = {0, 1, 2, 130}
"""Exit codes that are promised."""
GAMES = ("turnthetide", "switch16", "mermaidbeach")
UNTOLD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What may never get to a terminal: it repaints the screen or turns the line round."""


class Hang(BaseException):
    """An input took far too long."""


# --- what an input is -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One thing done to the files in the current directory before the command is called.

    Attributes
    ----------
    path
        Below the current directory.
    what
        ``write`` the content; ``link`` to it, as text; ``pipe``, ``folder`` or ``remove``.
    """

    path: str
    what: str
    content: bytes = b""


@dataclass(frozen=True)
class Attack:
    """A command line, the saved run that is there as ``run``, and what was done to files."""

    words: tuple[str, ...]
    saved: str = ""
    changes: tuple[Change, ...] = ()
    forged: bool = False
    """Whether the manifest is given the digests of the files as they are after the changes."""
    drawn: bool = False
    """Whether pictures and page are drawn, which takes seconds."""


@dataclass
class Outcome:
    """How an input ended."""

    code: int = -1
    out: str = ""
    err: str = ""
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


# --- saved runs, prepared once --------------------------------------------------------------------

LINES = {
    "simulate": "simulate turnthetide",
    "rotated": "simulate switch16 --strategy optimal --strategy greedy/leader/deny:16 --rotate",
    "precise": "simulate mermaidbeach --precision 0.4",
    "fairness": "fairness turnthetide",
    "table": "fairness switch16",
    "strategies": "compare turnthetide --a random --b reactive",
    "rules": "compare turnthetide --set-b hands=10",
    "sweep": "sweep turnthetide --vary hands=10..11 --metric length --lowest",
    "tournament": "tournament turnthetide --strategy random --strategy reactive",
    "tune": "tune turnthetide --strategy counting --generations 2 --population 4",
    "luck": "luck turnthetide --strategy random",
    "sensitivity": "sensitivity switch16",
    "solve": "solve switch16 --players 2",
}
"""Commands whose saved runs are tampered with."""
PLAYED = ("--games", "300", "--seed", "1", "--jobs", "1", "--quiet")


class Saved(dict[str, dict[str, bytes]]):
    """Files of saved runs by their paths, by the names of the runs."""

    def __repr__(self) -> str:
        return f"Saved({list(self)})"


def line_of(name: str) -> tuple[str, ...]:
    """The words of a command whose run is prepared, apart from where it is saved."""
    words = tuple(LINES[name].split())
    return words if words[0] == "solve" else (*words, *PLAYED, "--no-report")


def prepare(folder: Path, names: tuple[str, ...] = tuple(LINES)) -> Saved:
    """Play and save each command, or find it saved; returns its files by their paths."""
    saved = Saved()
    for name in names:
        target = folder / name
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = main([*line_of(name), "--out", str(target)])
        assert code == 0, f"{name} could not be prepared"
        files = (path for path in target.rglob("*") if path.is_file())
        saved[name] = {path.relative_to(target).as_posix(): path.read_bytes() for path in files}
    return saved


# --- hostile values -------------------------------------------------------------------------------

TEXTS = (
    "",
    " ",
    "0",
    "-1",
    "1e400",
    "nan",
    "inf",
    "-0.0",
    "9" * 400,
    "9" * 5000,
    "1_0",
    "٣",
    "true",
    "null",
    "\x00",
    "\x1b[31mred\x1b[0m",
    "\u202egnp.exe",
    "\ud800",
    "<script>alert(1)</script>",
    "=cmd|'/c calc'!A1",
    "../../etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/mem",
    "CON",
    "a" * 300,
    "é" * 5000,
    "{" * 2000,
    "[" * 2000,
    "a=" * 500,
    "x:y=1,z=",
    "+".join(["random"] * 50),
    "/".join(["random"] * 50),
    "..",
    ".",
    "%s%n{0}{x}",
    "$\\frac{1}{2}$",
    "*|`[x](y)`",
    "\n\r\t",
    "--",
    "--json",
)
"""Values that somebody may give for anything."""

VALUES: dict[str, tuple[str, ...]] = {
    "N": ("1", "2", "4", "6", "7", "300", "1e2", "1_000", "2.5", "9223372036854775808"),
    "X": ("0", "0.01", "0.5", "1", "-1", "1e-320", "10"),
    "SECONDS": ("0.1", "5", "600", "1e9"),
    "SPEC": (
        "random",
        "reactive",
        "greedy/leader/deny:16",
        "optimal",
        "stop-at:18/leader/deny:16",
        "leaf:0.5",
        "random:1",
        "counting:x=1",
        "counting:nan",
        "./run/policy.py::optimal",
        "./evil.py::x",
        "./missing.py::x",
        "./::",
        "./run::x",
        "random+random+random",
        "//",
        "::",
        "./a::b/c/d",
    ),
    "KEY=VALUE": (
        "tide_max=12",
        "tide_max=-1",
        "hands=3",
        "milestone=3",
        "cards=1",
        "cards=2",
        "cards=16",
        "faces=1",
        "switch_die={blank = 0, green = 0, red = 0, block = 1}",
        "switch_die={blank = 99999999999, red = 1}",
        "dice={1 = 1}",
        "dice={1 = 99, 2 = 4}",
        "preservers={'1-60' = 120}",
        "preservers=[" + "1," * 60 + "]",
        "max_turns=1",
        "waves=0",
        "merfolk=0",
        "items=1",
        "item_copies=0",
        "shells={1 = 0}",
        "hand_size=100",
        "rounds=0",
        "allocation=flat:-1",
        "match_points=3",
        "=",
        "tide_max=",
        "tide_max=[[[[[[[[1]]]]]]]]",
        "tide_max=" + "[" * 1500,
        "tide_max={" + ".".join("a" * 500) + " = 1}",
        "tide_max=1\nhands = 2",
    ),
    "KEY=VALUES": (
        "tide_max=12..13",
        "hands=10..11",
        "tide_max=1..999999999",
        "tide_max=12..11",
        "tide_max=11..12:0",
        "tide_max=11..12:1e-9",
        "players=3..4",
        "players=1..100",
        "counting:pace=0..1",
        "random:x=1..2",
        "end_at=2,2,2",
        "hands=3,nan,12",
        "milestone_resume=8..9",
        "waves=1..2",
        "bonus=0..1:0.5",
        "bonus=" + ",".join("1" for _ in range(3000)),
        "..",
        "=..",
        ":=",
    ),
    "SPECS": ("random", "none", "random+random+random", "reactive+random", "+", "optimal"),
    "NAME": (
        "auto",
        "threads",
        "gpu",
        "main",
        "point-1",
        "../main",
        "margin",
        "length",
        "hand_sd",
        "slope",
        "first_player_advantage",
    ),
    "ADDRESS": ("", "tcp://127.0.0.1:1", "x", "127.0.0.1:99999", "inproc://1"),
    "CONDITION": (
        "winner=1",
        "margin>=10",
        "ties",
        "margin>=1e99",
        "winner=0",
        "winner=99999999999999999999",
        "last-at-half-wins",
        "=",
        "margin",
        ">" * 500,
    ),
    "DIR": ("run", "out", "deep/out", "run/parts", "rules.toml", "link", "pipe", "empty", "full"),
    "FILE.toml": ("rules.toml", "link", "pipe", "run", "missing.toml", "/dev/zero", "/dev/null"),
    "GAME": GAMES,
    "GAME|DIR": (*GAMES, "run", "link", "empty"),
    "[GAME]": GAMES,
    "FILE.py|NAME|MODULE": ("run/policy.py", "./evil.py", "json", "..", "analyzer..x", "os.path"),
}
"""More for options whose values are called so."""
VALUES["NAME[=LOW..HIGH]"] = ("pace", "pace=0..1", "risk=1..0", "=", *VALUES["KEY=VALUES"])

LEFT_OUT = {
    "--install-completion": "changes a file of the user's, as it is asked to",
    "--show-completion": "asks which shell this is",
    "--help": "is told, and nothing else happens",
    "--games": "is always given, and small: an input that asks for long work gets it",
    "--jobs": "is always one: workers cost seconds, and see nothing of the command line",
    "--backend": "is given where it is refused",
    "--generations": "as --games",
    "--population": "as --games",
}
NEVER_LONG = ("300", "1", "7", "256", "0", "-5", "1e999", "2.5", "x", "", "9" * 50)
DEFAULT_WORDS = {
    "compare": ("--a", "random", "--b", "reactive"),
    "sweep": ("--vary", "hands=10..11"),
    "tune": ("--strategy", "counting", "--generations", "1", "--population", "4"),
    "trace": ("--game", "1"),
    "tournament": ("--strategy", "random", "--strategy", "reactive"),
}


@dataclass(frozen=True)
class Option:
    """An option or argument of a command, as typer knows it."""

    name: str
    metavar: str
    flag: bool


@cache
def commands() -> Mapping[str, tuple[tuple[Option, ...], tuple[Option, ...]]]:
    """The arguments and the options of every command."""
    import typer

    from analyzer.cli.commands import app

    found = {}
    for name, command in cast(Any, typer.main.get_command(app)).commands.items():
        arguments, options = [], []
        for one in command.params:
            metavar = one.metavar or one.name.upper()
            if one.param_type_name == "argument":
                arguments.append(Option("", metavar, False))
            elif one.opts[0] not in LEFT_OUT:
                options.append(Option(one.opts[0], metavar, one.is_flag))
        if name in ("simulate", "fairness", "trace"):
            options += [Option(f"--{x}-policy", "SPEC", False) for x in ("risk", "green", "block")]
            options.append(Option("--match-points", "N", False))
        found[name] = tuple(arguments), tuple(options)
    return found


def values(metavar: str) -> st.SearchStrategy[str]:
    """Values of an option: usual ones, hostile ones, and any text."""
    usual = st.sampled_from(VALUES.get(metavar, TEXTS))
    hostile = st.sampled_from(TEXTS)
    anything = st.text(max_size=30)
    found = st.one_of(usual, usual, usual, hostile, anything)
    if metavar == "DIR":  # what is named by its whole path is written to, wherever it is
        found = found.filter(lambda path: not os.path.isabs(path))
    return found


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, ...]:
    """Command lines: a command, what it needs, and some options with whatever values."""
    quick = [*DEFAULT_WORDS, "simulate", "fairness", "sensitivity", "luck", "report", "rules"]
    name = draw(st.sampled_from([*sorted(commands()), *quick]))
    arguments, options = commands()[name]
    words = [name]
    for one in arguments:
        if draw(st.integers(0, 19)):
            words.append(draw(values(one.metavar)))
    if draw(st.booleans()):
        words += DEFAULT_WORDS.get(name, ())
    for one in draw(st.lists(st.sampled_from(options), max_size=4, unique=True)):
        words.append(one.name)
        if not one.flag:
            words.append(draw(values(one.metavar)))
    if any(one.name == "--seed" for one in options):
        words += ["--games", draw(st.sampled_from(NEVER_LONG))]
    if any(one.name == "--scheduler" for one in options):
        words += ["--jobs", "1", draw(st.sampled_from(("--no-save", "--no-save", "--no-report")))]
    if name == "bench":  # measures for seconds
        words.append(draw(st.sampled_from(("--jobs=0", "--unknown", "one-too-many"))))
    if not draw(st.integers(0, 9)):
        words.insert(draw(st.integers(0, len(words))), draw(st.one_of(st.sampled_from(TEXTS))))
    return tuple(word for word in words if word not in LEFT_OUT or word in ("--games", "--jobs"))


# --- rule files -----------------------------------------------------------------------------------

RULES = (
    b'game = "turnthetide"\n[rules]\ntide_max = 11\nhands = 3\npreservers = {"13-24" = 1}\n',
    b"[rules]\nallocation = \"flat:2\"\ndrowning = 'two-highest'\nend_at = 3\nbonus = 0\n",
    b"[rules]\nmilestone_resume = 9\nswitch_die = {blank = 2, green = 2, red = 1, block = 1}\n",
    b'game = "switch16"\n[rules]\ncards = 10\ndice = {1 = 3, 7 = 4}\nfirst_player = "seat1"\n',
    b"[rules]\nitem_kinds = 4\nwaves = 0\nshells = {1 = 2, 4 = 1}\nyoung = true\nmax_turns = 9\n",
)
"""Files of rules that are right."""
TOML = (
    "a" * 25_000,
    "[rules]\n" + "tide_max.a = 1\n" * 900,
    "[rules]\ntide_max = " + "[" * 4000,
    "[rules]\ntide_max = " + "9" * 6000,
    "[rules]\ntide_max = " + "{a = " * 900,
    "[[rules]]\ntide_max = 1\n",
    "[rules.tide_max.a]\n",
    "[" + ".".join("a" * 8000) + "]\n",
    "[rules]\ntide_max = 1979-05-27T07:32:00Z\n",
    "[rules]\ntide_max = nan\nhands = inf\n",
    '[rules]\n"\\u0000" = 1\n',
    'game = ["turnthetide"]\n',
    '[rules]\nallocation = "\\u001b[2J"\n',
    "[rules]\npreservers = [" + "1e308, " * 1000 + "]\n",
    "[rules]\ndice = {1 = 1, 1 = 2}\n",
    "rules = 1\n",
)


@st.composite
def damaged(draw: st.DrawFn, content: bytes, most: int = 4) -> bytes:
    """Bytes that were flipped, cut off, doubled or had others put between them."""
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, most))):
        place = draw(st.integers(0, max(len(changed) - 1, 0)))
        match draw(st.sampled_from(("flip", "cut", "insert", "double", "zero"))):
            case "flip" if changed:
                changed[place] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del changed[place:]
            case "insert":
                changed[place:place] = draw(st.binary(min_size=1, max_size=12))
            case "double":
                changed[place:place] = changed[place : place + 40]
            case "zero":
                changed[place : place + 8] = bytes(8)
    return bytes(changed)


@st.composite
def rule_files(draw: st.DrawFn) -> bytes:
    """Rule files, wrong in their bytes or in what they say."""
    usual = draw(st.sampled_from(RULES))
    match draw(st.sampled_from(("bytes", "values", "whole", "right"))):
        case "bytes":
            return draw(damaged(usual))
        case "values":
            text = usual.decode()
            for _ in range(draw(st.integers(1, 3))):
                numbers = list(re.finditer(r"\d+|\w+|\"[^\"]*\"", text))
                spot = draw(st.sampled_from(numbers))
                new = draw(st.sampled_from([*(toml_value(v) for v in JSON), "", "=", "{", "'"]))
                text = text[: spot.start()] + new + text[spot.end() :]
            return text.encode("utf-8", "replace")
        case "whole":
            return draw(st.sampled_from(TOML)).encode("utf-8", "replace")
    return usual


# --- manifests and parts --------------------------------------------------------------------------

JSON: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    2,
    6,
    7,
    255,
    2**31,
    2**48,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    2**200,
    10**300,
    10**400,
    0.0,
    -0.0,
    0.5,
    1e308,
    5e-324,
    float("nan"),
    float("inf"),
    "",
    "main",
    "random",
    "optimal",
    "greedy/leader/deny:16",
    "turnthetide",
    "nosuchgame",
    "./evil.py::x",
    "/tmp/evil.py::x",
    "../../outside",
    "/etc/passwd",
    "parts/../../x.npz",
    "\x00",
    "CON",
    "\x1b[31mred",
    "\u202eevil",
    "<script>alert(1)</script>",
    "=1+1",
    "$\\frac{",
    "x" * 3000,
    [],
    {},
    [[]],
    {"": None},
    [0] * 200,
    ["random"] * 40,
    [["random"] * 4] * 3,
    list(range(9)),
)
"""Values that somebody may put in place of others."""


def toml_value(value: Any) -> str:
    """A value as a rules file would have it, more or less."""
    return json.dumps(value).replace(": ", " = ") if value is not None else "none"


def spots(data: Any) -> list[tuple[Any, Any]]:
    """Every place in nested lists and dictionaries: what holds it, and the key or index."""
    found: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        here = waiting.pop()
        keys = list(here) if isinstance(here, dict) else range(len(here))
        for key in list(keys)[:80]:
            found.append((here, key))
            if isinstance(here[key], dict | list):
                waiting.append(here[key])
    return found


@st.composite
def told_otherwise(draw: st.DrawFn, content: bytes, most: int = 3) -> bytes:
    """A JSON document with values replaced, left out, wrapped, moved, or keys renamed."""
    data = json.loads(content)
    for _ in range(draw(st.integers(1, most))):
        places = spots(data)
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        value = holder[key]
        match draw(st.sampled_from(("replace",) * 4 + ("drop", "wrap", "move", "rename", "many"))):
            case "replace":
                holder[key] = draw(st.sampled_from(JSON))
            case "drop":
                del holder[key]
            case "wrap":
                holder[key] = draw(st.sampled_from(([value], {"": value}, str(value))))
            case "move":
                other, where = draw(st.sampled_from(places))
                with contextlib.suppress(KeyError, IndexError):
                    holder[key] = json.loads(json.dumps(other[where]))
            case "rename" if isinstance(holder, dict):
                names = [word for word in JSON if isinstance(word, str)]
                holder[draw(st.sampled_from(names))] = holder.pop(key)
            case "many" if isinstance(value, list) and value:
                holder[key] = value * draw(st.sampled_from((2, 7, 1000)))
            case "many":
                holder[key] = [value] * draw(st.sampled_from((2, 7, 1000)))
    text = json.dumps(data)
    if not draw(st.integers(0, 14)):
        text = text.replace("1", draw(st.sampled_from(("9" * 5000, "[" * 50_000, "1e999"))), 1)
    return text.encode()


@st.composite
def parts(draw: st.DrawFn, content: bytes) -> bytes:
    """A part of a run whose header or arrays are others, or whose bytes are damaged."""
    kind = draw(st.sampled_from(("bytes", "header", "arrays", "archive")))
    if kind == "bytes":
        return draw(damaged(content))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    names = [name for name in files if name != "part.json"]
    method = zipfile.ZIP_DEFLATED
    if kind == "header":
        files["part.json"] = draw(told_otherwise(files["part.json"]))
    elif kind == "arrays":
        for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)):
            files[name] = draw(arrays(files[name]))
    else:
        match draw(st.sampled_from(("drop", "method", "zeros", "damage", "names"))):
            case "drop":
                del files[draw(st.sampled_from(list(files)))]
            case "method":
                methods = (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
                method = draw(st.sampled_from(methods))
            case "zeros":
                files[draw(st.sampled_from(list(files)))] = bytes(draw(st.sampled_from((0, 10**7))))
            case "damage":
                name = draw(st.sampled_from(names))
                files[name] = draw(damaged(files[name]))
            case "names":
                files |= {f"sums/{n}.npy": b"" for n in draw(st.lists(st.text(max_size=9)))}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name.encode(errors="replace").decode()), data, method)
    return buffer.getvalue()


@st.composite
def arrays(draw: st.DrawFn, content: bytes) -> bytes:
    """An array of sums with other numbers, another shape or another type."""
    sums = np.load(io.BytesIO(content))
    match draw(st.sampled_from(("numbers", "numbers", "shape", "type", "claim", "all"))):
        case "numbers" if sums.size:
            flat = sums.reshape(-1)
            for _ in range(draw(st.integers(1, 3))):
                place = draw(st.integers(0, flat.size - 1))
                change = draw(st.sampled_from((0, 1, -1, 60, 2**31, 2**62, -(2**63))))
                flat[place] = change if draw(st.booleans()) else int(flat[place]) // 2 + change // 2
        case "all":
            sums[...] = draw(st.sampled_from((0, 1, -1, 60, 2**62, -(2**63))))
        case "shape":
            sums = draw(st.sampled_from((sums[:0], sums[..., :1], sums[None], sums.reshape(-1))))
        case "type":
            kind = draw(st.sampled_from((np.float64, np.int8, np.uint64, np.complex128, ">i8")))
            sums = sums.astype(kind)
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(sums), allow_pickle=False)
    claimed = buffer.getvalue()
    if not draw(st.integers(0, 9)):
        claimed = re.sub(rb"\(\d+, ", b"(9" + b"9" * 9 + b", ", claimed, count=1)
    return claimed


PAGES = (*(False,) * 14, True)
"""Whether the page is drawn, of every fifteen times."""


@st.composite
def tampered(draw: st.DrawFn, saved: Saved) -> Attack:
    """A saved run with changed files, and a command that reads it."""
    name = draw(st.sampled_from(sorted(saved)))
    files = saved[name]
    stored = [path for path in files if path.startswith("parts/")]
    changes = []
    for _ in range(draw(st.integers(1, 2))):
        match draw(st.sampled_from(("manifest", "manifest", "part", "part", "bytes", "entry"))):
            case "manifest":
                content = draw(told_otherwise(files["manifest.json"]))
                changes.append(Change("run/manifest.json", "write", content))
            case "part" if stored:
                path = draw(st.sampled_from(stored))
                changes.append(Change(f"run/{path}", "write", draw(parts(files[path]))))
            case "bytes":
                path = draw(st.sampled_from(sorted(files)))
                changes.append(Change(f"run/{path}", "write", draw(damaged(files[path]))))
            case _:
                path = draw(
                    st.sampled_from([*sorted(files), "parts", "tables", ".lock", ".new-files"])
                )
                what = draw(st.sampled_from(("link", "pipe", "folder", "remove")))
                target = draw(st.sampled_from((b"../outside/canary", b"/dev/zero", b"../outside")))
                changes.append(Change(f"run/{path}", what, target))
    use = draw(st.sampled_from(("report", "trace", "again", "again", "more", "force")))
    words: tuple[str, ...]
    line = line_of(name)
    if use == "report" or (use == "trace" and line[0] == "solve"):
        words = ("report", "run", *draw(st.sampled_from(((), ("--json",)))))
    elif use == "trace":
        part = draw(st.sampled_from(("main", "point-1", "a", "variant-1", "../x")))
        words = ("trace", "run", "--game", draw(st.sampled_from(("0", "299", "300"))))
        words = (*words, "--part", part) if draw(st.booleans()) else words
    else:
        words = (*line, "--out", "run")
        if use == "more" and "--games" in words:
            words = tuple("400" if word == "300" else word for word in words)
        elif use == "force":
            words = (*words, "--force")
    return Attack(words, name, tuple(changes), draw(st.booleans()), draw(st.sampled_from(PAGES)))


@st.composite
def named(draw: st.DrawFn, saved: Saved) -> Attack:
    """A command line beside files of rules and other things, and perhaps a whole saved run."""
    words = draw(lines())
    changes = (
        Change("rules.toml", "write", draw(rule_files())),
        Change("link", "link", draw(st.sampled_from((b"run", b"rules.toml", b"../outside")))),
        Change("pipe", "pipe"),
        Change("empty", "folder"),
        Change("full/file", "write", b"somebody's"),
    )
    whole = draw(st.sampled_from(("", "", "", *sorted(saved))))
    return Attack(words, whole, changes)


@st.composite
def ruled(draw: st.DrawFn) -> Attack:
    """A file of rules that a command reads."""
    game = draw(st.sampled_from(GAMES))
    line = draw(st.sampled_from((("simulate",), ("rules",), ("solve",), ("sensitivity",))))
    words = (*line, game, "--rules", "rules.toml")
    if line[0] in ("simulate", "sensitivity"):
        words = (*words, "--games", "20", "--jobs", "1", "--no-save")
    elif line[0] == "solve":
        words = (*words, "--no-save")
    else:
        words = ("trace", game, "--rules", "rules.toml", "--game", "0", "--seed", "1")
    return Attack(words, "", (Change("rules.toml", "write", draw(rule_files())),))


def attacks(saved: Saved) -> st.SearchStrategy[Attack]:
    """Anything of the above."""
    return st.one_of(named(saved), ruled(), tampered(saved), tampered(saved))


EVIL = b"""
from pathlib import Path
Path("LOADED").write_text("the file was loaded")
"""
"""A plugin file that leaves a trace when it is loaded."""


# --- what must hold -------------------------------------------------------------------------------


class Sandbox:
    """A folder with a home, a current directory, and things outside that nobody may touch."""

    def __init__(self, folder: Path, saved: Saved) -> None:
        self.home, self.outside = folder / "home", folder / "outside"
        self.here = folder / "here"
        self.saved = saved
        for path in (self.home, self.outside):
            path.mkdir(parents=True)
        (self.outside / "canary").write_bytes(b"not yours")
        self._calls = 0
        self._before = _tree(self.home), _tree(self.outside)

    def run(self, attack: Attack) -> Outcome:
        """Call the command line; returns how it ended and what is wrong about that."""
        self._arrange(attack)
        before = _tree(self.here)
        outcome = Outcome()
        drawing = contextlib.nullcontext() if attack.drawn else patch(DRAWING, _undrawn)
        with _inside(self.here, self.home), drawing:
            _call(attack.words, outcome)
        outcome.faults += _told_badly(attack.words, outcome)
        if (_tree(self.home), _tree(self.outside)) != self._before:
            outcome.faults.append("files outside were changed")
        places = _places(attack.words)
        after = _tree(self.here)
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path) and not _within(path, places):
                outcome.faults.append(f"{path!r} was changed, and only {places} may be")
        if (self.here / "LOADED").exists() and not any("evil.py" in w for w in attack.words):
            outcome.faults.append("a file of code was loaded that only the saved run names")
        return outcome

    def _arrange(self, attack: Attack) -> None:
        shutil.rmtree(self.here, ignore_errors=True)
        self.here.mkdir()
        for name, content in self.saved.get(attack.saved, {}).items():
            path = self.here / "run" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for change in attack.changes:
            path = self.here / change.path
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif os.path.lexists(path):
                path.unlink()
            with contextlib.suppress(FileExistsError, NotADirectoryError):
                path.parent.mkdir(parents=True, exist_ok=True)
                match change.what:
                    case "write":
                        path.write_bytes(change.content)
                    case "link":
                        path.symlink_to(change.content.decode())
                    case "pipe":
                        os.mkfifo(path)
                    case "folder":
                        path.mkdir()
        # A file is loaded once for what is in it.
        self._calls += 1
        (self.here / "evil.py").write_bytes(EVIL + str(self._calls).encode())
        if attack.forged:
            _forge(self.here / "run")


def _forge(run: Path) -> None:
    """Make the manifest of a run agree with its files."""
    if not (run / "manifest.json").is_file():  # reading a pipe, we would wait
        return
    try:
        manifest = json.loads((run / "manifest.json").read_bytes())
        for name, entry in manifest["files"].items():
            content = (run / name).read_bytes() if (run / name).is_file() else b""
            entry["size"], entry["sha256"] = len(content), hashlib.sha256(content).hexdigest()
        (run / "manifest.json").write_text(json.dumps(manifest))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass  # it is no manifest any more


DRAWING = "analyzer.cli.runs.draw"


def _undrawn(drawing: Callable[[], object], path: Path, kept: str = "") -> None:
    """In place of drawing."""


@contextlib.contextmanager
def _inside(here: Path, home: Path) -> Iterator[None]:
    before, home_before = os.getcwd(), os.environ.get("HOME", "")
    os.chdir(here)
    os.environ["HOME"] = str(home)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ["HOME"] = home_before


def _call(words: tuple[str, ...], outcome: Outcome) -> None:
    out, err = io.StringIO(), io.StringIO()

    def give_up(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    started = time.process_time() - compiling_seconds()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            outcome.code = main(list(words))
    except Hang:
        outcome.faults.append(f"it took more than {PATIENCE:g} s")
    except BaseException as reason:
        outcome.faults.append(f"{type(reason).__name__} got out of main: {reason}"[:500])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Compiling is done once for all inputs.
    outcome.seconds = time.process_time() - compiling_seconds() - started
    outcome.out, outcome.err = out.getvalue(), err.getvalue()


def _told_badly(words: tuple[str, ...], outcome: Outcome) -> Iterator[str]:
    text = outcome.out + outcome.err
    if outcome.code not in CODES:
        yield f"the exit code {outcome.code} is not promised"
    if "Traceback (most recent call last)" in text and "--debug" not in words:
        yield "a traceback"
    if "this should not have happened" in text:
        yield "it should not have happened"
    if "could not be drawn" in text:
        yield "pictures could not be drawn"
    if outcome.code in (1, 2) and "error: " not in outcome.err and words[0] != "check":
        yield "an exit code without a message"
    if outcome.code == 2 and "--json" in words and outcome.out:
        yield "an error, and something on standard output"
    if outcome.code == 0 and "--json" in words and outcome.out.startswith("{"):
        try:
            json.loads(outcome.out, parse_constant=_refuse)
        except ValueError as reason:
            yield f"the document is no JSON: {reason}"
    if UNTOLD.search(text):
        yield f"control characters were told: {UNTOLD.findall(text)[:5]}"
    if outcome.seconds > SECONDS:
        yield f"it took {outcome.seconds:.1f} s"


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def _places(words: tuple[str, ...]) -> tuple[str, ...]:
    """Directories that a command line may write to: the default one, and what it names."""
    found = ["results"]
    if words[0] == "report":
        found += words[1:]
    for number, word in enumerate(words):
        if word == "--out":
            found += words[number + 1 : number + 2]
        elif word.startswith("--out="):
            found.append(word.removeprefix("--out="))
    named = (os.path.normpath(place.replace("\0", "")) for place in found if place)
    return tuple(place for place in named if not place.startswith(("..", "-")))


def _within(path: str, places: tuple[str, ...]) -> bool:
    return path == "LOADED" or any(
        place == "." or f"{path}/".startswith(f"{place}/") or place.startswith(f"{path}/")
        for place in places
    )


def _tree(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Every entry below a folder: what it is, and what is in it."""
    found = {}
    for base, names, files in os.walk(folder):
        for name in (*names, *files):
            path = Path(base) / name
            where = path.relative_to(folder).as_posix()
            if path.is_symlink():
                found[where] = "link", os.readlink(path).encode(errors="replace")
            elif path.is_file():
                found[where] = "file", path.read_bytes()
            else:
                found[where] = "folder" if path.is_dir() else "other", b""
    return found


Reporter = Callable[[int, Attack, Outcome], None]
"""Is told of every input: its number, what it was, and how it ended."""


def peak_memory() -> int:
    """The most memory that this process has had, in bytes."""
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
