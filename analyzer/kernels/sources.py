"""What state the sources are in that a kernel is made of, so that no stale one is used.

The program counts as one; somebody's package or file counts by its text and by what it imports.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from analyzer.version import __version__

__all__ = ["STATE_DIGITS", "program_state", "state_of"]

STATE_DIGITS = 12
INSTALLED = re.compile(r"[\\/](?:site|dist)-packages[\\/]")


@cache
def program_state() -> str:
    """Digest of the version and of all modules that kernels of this program may be made of."""
    digest = hashlib.sha256(__version__.encode())
    for file in _program_files(Path(__file__).parents[1]):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:STATE_DIGITS]


def _program_files(root: Path) -> list[Path]:
    """All modules but those that ask for runs and tell of them, which no kernel can reach."""
    parts = (root / part for part in ("kernels", "engine", "games"))
    return sorted([*root.glob("*.py"), *(file for part in parts for file in part.rglob("*.py"))])


def state_of(module: str, file: str) -> str:
    """Digest of all that a kernel defined in this module and file may be made of."""
    top = module.partition(".")[0]
    if top == "analyzer":
        return program_state()
    return _state_of_sources(top, tuple(getattr(sys.modules.get(top), "__path__", [file])))


@cache
def _state_of_sources(top: str, roots: tuple[str, ...]) -> str:
    """Digest of a package's files, or of a file, and of what they import, `program_state` apart.

    A package that is installed changes by being installed anew, so its date is enough. Modules that
    lie elsewhere are worked on: they count by their text, and so does what they import.
    """
    digest = hashlib.sha256(top.encode())
    seen = {top, "analyzer", *sys.stdlib_module_names}
    found = [(top, roots)]
    for name, places in found:  # and more are found on the way
        for file in _python_files(places):
            text, imported = _read(name, file)
            digest.update(text)
            for other in imported:
                if other in seen:
                    continue
                seen.add(other)
                place, folders = _whereabouts(other)
                if INSTALLED.search(place):
                    digest.update(f"{other} {os.stat(place).st_mtime_ns}".encode())
                elif place:
                    found.append((other, folders or (place,)))
    return digest.hexdigest()[:STATE_DIGITS]


def _python_files(places: Iterable[str]) -> Iterator[Path]:
    """Files given, and Python files in folders given, however deep."""
    for place in map(Path, places):
        yield from sorted(place.rglob("*.py")) if place.is_dir() else [place]


@cache
def _read(module: str, file: Path) -> tuple[bytes, tuple[str, ...]]:
    """Digest of a file, and the top-level names of what it imports.

    Read once for each name it is loaded by: what is loaded does not change when the file does.
    """
    try:
        text = file.read_bytes()
    except OSError:  # an editor's mark that it has the file open, or no real folder
        return b"", ()
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):  # nobody can import it
        nodes = []
    named = [a.name for node in nodes if isinstance(node, ast.Import) for a in node.names]
    named += [n.module or "" for n in nodes if isinstance(n, ast.ImportFrom) and not n.level]
    return hashlib.sha256(text).digest(), tuple(name.partition(".")[0] for name in named)


def _whereabouts(name: str) -> tuple[str, tuple[str, ...]]:
    """File or folder that a top-level name is imported from, and the folders if it is a package.

    Empty if there is none, or no such file: it is built into Python or in an archive.
    """
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return "", ()
    folders = tuple(spec.submodule_search_locations or ()) if spec else ()
    place = (spec.origin if spec and spec.has_location else "") or next(iter(folders), "")
    return (place, folders) if os.path.exists(place) else ("", ())
