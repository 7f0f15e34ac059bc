"""What is made from docstrings: the page of what strategies see, and the API reference."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def views() -> Any:
    """The script that makes the page."""
    spec = importlib.util.spec_from_file_location("views", DOCS / "views.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_views_is_up_to_date(views: Any) -> None:
    page = (DOCS / "views.md").read_text(encoding="utf-8")
    assert page == views.page(), "docs/views.md is not what the docstrings say; run: make docs"


def test_every_field_of_a_view_is_told_with_its_type(views: Any) -> None:
    for game in views.own_games():
        view = views.view_of(game)
        told = {
            name: (dtype, shape)
            for names, dtype, shape, _ in re.findall(
                r"^\| (`.+?`) \| (\w+)(?: or None)? \| (.*?) \| (.+) \|$",
                views.section(game).partition("| decision |")[0],
                flags=re.M,
            )
            for name in re.findall(r"`(\w+)`", names)
        }
        assert tuple(told) == view._fields, game.name
        for name, hint in get_type_hints(view).items():
            types = {np.dtype(x) for x in hint_types(hint) if x in (int, *np.sctypeDict.values())}
            dtype, shape = told[name]
            assert types == {np.dtype(dtype)}, f"{game.name}: {name}"
            assert bool(shape) == (hint is not int), f"{game.name}: {name}"


def hint_types(hint: Any) -> list[Any]:
    """A type hint and all types inside it."""
    return [hint, *(inner for part in get_args(hint) for inner in hint_types(part))]


@pytest.mark.slow
def test_the_reference_can_be_built(tmp_path: Path) -> None:
    script = DOCS / "reference.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", script, tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    listed = re.findall(r"`(analyzer[\w.]*)`", script.with_suffix(".md").read_text("utf-8"))
    for module in [*listed, "analyzer.games.switch16", "analyzer_strategies.switch16"]:
        page = f"{module.replace('.', '/')}.html"
        assert f'<a href="{page}">{module}</a>' in index
        assert (tmp_path / page).is_file()

    pages = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")}
    for name, text in pages.items():
        assert not re.search(r"/(home|root|work|Users|tmp)/\w|CPUDispatcher", text), name
        assert "Alias for field number" not in text, name
    assert '<h6 id="parameters">Parameters</h6>' in pages["analyzer"]
    kernel = re.sub("<[^>]+>", "", pages["bits"])
    assert "marks: NDArray[numpy.uint8]" in kernel
    assert "List the columns that have a mark" in kernel
