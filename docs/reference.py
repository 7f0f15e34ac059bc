"""Builds the API reference of the modules that reference.md names, as HTML pages for a browser.

    python docs/reference.py [FOLDER]    default: site/ beside docs/

Kernels are read as the plain functions they are written as: a compiled one hides its signature.
"""

from __future__ import annotations

import os

os.environ["NUMBA_DISABLE_JIT"] = "1"  # read when the first kernel is imported

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any, get_type_hints

from views import own_games, view_of

import analyzer

PAGE = Path(__file__).with_suffix(".md")
SITE = PAGE.parent.parent / "site"

NUMPY_ARRAY = re.compile(r"numpy\.ndarray\[tuple\[[^]]*\], numpy\.dtype\[([\w.]+)\]\]")
DRAWN_TABLE = re.compile(r"^=+ [ =]+$.+?^=+ [ =]+$(?=\n\n|\s*\Z)", re.MULTILINE | re.DOTALL)
formatted = inspect.formatannotation


def short_annotation(*given: Any, **options: Any) -> str:
    """An annotation as `inspect` writes it, arrays as in the source: ``NDArray[numpy.uint8]``."""
    return NUMPY_ARRAY.sub(r"NDArray[\1]", formatted(*given, **options))


def clean(fields: Any) -> None:
    """Give a named tuple the types that it was written with, and take its filler texts away."""
    fields.__new__.__annotations__ = get_type_hints(fields)
    fields.__new__.__doc__ = ""
    for name in fields._fields:
        vars(fields)[name].__doc__ = ""


def build(folder: Path) -> None:
    """Write the pages."""
    inspect.formatannotation = short_annotation
    import pdoc  # it imports that function

    # Tables drawn with lines stay as they are; otherwise their rows would run together.
    converted = pdoc.docstrings.convert
    pdoc.docstrings.convert = lambda *given: DRAWN_TABLE.sub("```\n\\g<0>\n```", converted(*given))

    names = re.findall(r"`(analyzer[\w.]*)`", PAGE.read_text(encoding="utf-8"))
    names += [view_of(game).__module__ for game in own_games()]
    # The package loads its members when they are first used.
    vars(analyzer).update({name: getattr(analyzer, name) for name in analyzer.__all__})
    for module in map(importlib.import_module, pdoc.extract.walk_specs(names)):
        for value in vars(module).values():
            if inspect.isclass(value) and hasattr(value, "_fields"):
                clean(value)

    pdoc.render.configure(docformat="numpy")
    pdoc.pdoc(*names, output_directory=folder)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else SITE)
