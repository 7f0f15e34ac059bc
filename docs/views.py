"""What strategies see and decide, as the docstrings of each game's `View` tell it.

    python docs/views.py --write

Prints the page views.md; with ``--write`` it replaces it.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args, get_type_hints

from analyzer import games
from analyzer.contracts import Decision, Game

PAGE = Path(__file__).with_suffix(".md")

HEAD = """\
# What strategies see and decide

Each game hands a hook its own kind of `view`, read-only, and asks for its own decisions;
[Writing a strategy](writing-a-strategy.md) says how. *N* columns are games, *P*
players; row 0 is me, row *d* the *d*-th player to my left. A field marked "or None" is there only
where the text says so.

This page is made from the docstrings of the games: `make docs` writes it anew.
"""


def own_games() -> Iterator[Game]:
    """The games that come with the analyzer."""
    for module in pkgutil.iter_modules(games.__path__, f"{games.__name__}."):
        yield importlib.import_module(module.name).GAME


def view_of(game: Game) -> type:
    """The class of a game's views, in whichever module of its package it is declared."""
    package = type(game).__module__.rpartition(".")[0]
    modules = [vars(m) for name, m in sys.modules.items() if name.startswith(f"{package}.")]
    view: type = next(module["View"] for module in modules if "View" in module)
    return view


def table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def field_rows(view: type, attributes: str) -> Iterator[list[str]]:
    """A row for each entry of the docstring: names, dtype, shape, meaning."""
    hints = get_type_hints(view)
    optional = {name for name, hint in hints.items() if type(None) in get_args(hint)}
    for names, text in re.findall(r"^(\w.*)\n((?:    .+\n?)+)", attributes, flags=re.M):
        whole = " ".join(text.split())
        array = re.fullmatch(r"(\(.+?\)) (u?int\d+)[,:] (.+)", whole)
        shape, dtype, meaning = array.groups() if array else ("", "int", whole)
        fields = names.split(", ")
        kind = f"{dtype} or None" if optional.issuperset(fields) else dtype
        yield [
            ", ".join(f"`{name}`" for name in fields),
            kind,
            shape,
            meaning[0].upper() + meaning[1:],
        ]


def decision_rows(decisions: Sequence[Decision]) -> Iterator[list[str]]:
    """A row for each decision: name with its family, dtype of ``out``, meaning, default."""
    for decision in decisions:
        family = f" ({decision.family})" if decision.family else ""
        default = "must be declared" if decision.default is None else str(decision.default)
        yield [
            f"`{decision.name}`{family}",
            decision.dtype.__name__,
            decision.meaning,
            default,
        ]


def section(game: Game) -> str:
    """What one game shows and asks."""
    view = view_of(game)
    text, _, attributes = (inspect.getdoc(view) or "").partition("Attributes\n----------\n")
    fields = table(["field", "dtype", "shape", "meaning"], field_rows(view, attributes))
    asked = table(
        ["decision", "dtype", "what is written", "without a hook"],
        decision_rows(game.decisions),
    )
    return f"## {game.title}\n\n{text}{fields}\n{asked}".replace("``", "`")


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *map(section, own_games())])


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")
