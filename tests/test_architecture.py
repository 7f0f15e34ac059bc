"""Who may import whom: read from the source, function-level imports included."""

from __future__ import annotations

import ast
import functools
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("analyzer", "analyzer_strategies", "analyzer_reports")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# A unit is a module or a package directly below `analyzer`, or one of the other two packages. Each
# may import itself, the units named here, and whatever those may import; no unit comes before one
# that it names, which makes the layering one-directional.
MAY_IMPORT: dict[str, set[str]] = {
    "analyzer.version": set(),
    "analyzer.errors": set(),
    "analyzer.contracts": {"analyzer.errors"},
    "analyzer.kernels": {"analyzer.version", "analyzer.contracts"},
    "analyzer.plain": set(),
    "analyzer.seating": {"analyzer.contracts"},
    "analyzer.experiment": {"analyzer.kernels", "analyzer.plain", "analyzer.seating"},
    "analyzer.results": {"analyzer.experiment"},
    "analyzer.rules": {"analyzer.contracts"},
    "analyzer.plugins": {"analyzer.kernels"},
    "analyzer.specs": {"analyzer.plugins"},
    "analyzer.engine": {"analyzer.results", "analyzer.specs"},
    "analyzer.statistics": {"analyzer.results", "analyzer.specs"},
    "analyzer.rundir": {"analyzer.results"},
    "analyzer.study": {
        "analyzer.engine",
        "analyzer.rules",
        "analyzer.statistics",
        "analyzer.rundir",
    },
    "analyzer.checks": {"analyzer.study"},
    "analyzer.games": {"analyzer.study"},
    "analyzer_strategies": {"analyzer.games"},
    "analyzer_reports": {"analyzer.games"},
    "analyzer.publishing": {"analyzer_reports"},
    "analyzer.api": {"analyzer.study"},
    "analyzer": {"analyzer.version", "analyzer.api"},
    "analyzer.cli": {"analyzer.publishing", "analyzer.checks"},
    "analyzer.__main__": {"analyzer.cli"},
}

# Third-party packages that belong in one place. Everything else that pyproject.toml declares may
# be used where it is needed.
HOME = {
    "cmaes": {"analyzer.study"},
    "dask": {"analyzer.engine"},
    "distributed": {"analyzer.engine"},
    "jinja2": {"analyzer_reports"},
    "joblib": {"analyzer.engine"},
    "markupsafe": {"analyzer_reports"},
    "matplotlib": {"analyzer_reports"},
    "llvmlite": {"analyzer.kernels"},
    "numba": {"analyzer.kernels"},
    "platformdirs": {"analyzer.kernels"},
    "pyarrow": {"analyzer.rundir"},
    "rich": {"analyzer.cli"},
    "scipy": {"analyzer.statistics"},
    "typer": {"analyzer.cli"},
}

HEAVY = ("numba", "pandas", "matplotlib", "scipy", "pyarrow", "joblib")


def sources() -> Iterator[tuple[str, Path]]:
    """Every module of the three packages by its dotted name."""
    for package in PACKAGES:
        top = ROOT / package.removeprefix("analyzer_") / package
        top = top if top.is_dir() else ROOT / package
        for path in sorted(top.rglob("*.py")):
            parts = path.relative_to(top.parent).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(sources())
GAMES = sorted(path.parent.name for path in (ROOT / "analyzer" / "games").glob("*/__init__.py"))


def unit_of(module: str) -> str:
    """The unit that a module of ours belongs to."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "analyzer" else parts[0]


@functools.cache
def imports(module: str, *, at_once: bool = False) -> tuple[tuple[str, int], ...]:
    """Dotted names that a module imports anywhere in it, with their lines.

    With ``at_once`` only those that it needs when it is loaded itself.
    """
    path = MODULES[module]
    found: list[tuple[str, int]] = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if at_once else ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module if path.name == "__init__.py" else module.rpartition(".")[0]
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [base])])
            # `from analyzer.kernels import bits` imports a module, `from analyzer.rules import
            # settle` a name of one.
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                found.append((whole if whole in MODULES else base, node.lineno))
    return tuple(found)


def reachable(unit: str) -> set[str]:
    """All that a unit may import, itself included."""
    found = {unit}
    for other in MAY_IMPORT[unit]:
        found |= reachable(other)
    return found


def foreign(module: str) -> Iterator[tuple[str, int]]:
    """Top-level names of third-party packages that a module imports."""
    for name, line in imports(module):
        top = name.partition(".")[0]
        if top not in PACKAGES and top not in sys.stdlib_module_names:
            yield top, line


def test_the_documentation_names_every_unit() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    layout, _, directions = page.partition("## Who may import whom")
    for unit in MAY_IMPORT:
        name = unit.rpartition(".")[2]
        assert re.search(rf"\b{name}\b", layout), name
    unclear = {"analyzer", "analyzer.__main__"}  # above everybody
    for unit in MAY_IMPORT.keys() - unclear:
        assert re.search(rf"\b{unit.rpartition('.')[2]}\b", directions), unit


def test_the_table_points_in_one_direction() -> None:
    order = list(MAY_IMPORT)
    for unit, others in MAY_IMPORT.items():
        for other in others:
            assert order.index(other) < order.index(unit), f"{unit} comes before {other}"


def test_every_unit_has_its_place_in_the_table() -> None:
    assert {unit_of(module) for module in MODULES} == set(MAY_IMPORT)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_follow_the_layers(module: str) -> None:
    allowed = reachable(unit_of(module))
    wrong = [
        f"line {line}: {name}"
        for name, line in imports(module)
        if name.partition(".")[0] in PACKAGES and unit_of(name) not in allowed
    ]
    assert not wrong, f"{module} may import {sorted(allowed)} only; {wrong}"


FOR_PLAYING = (
    "analyzer.contracts",
    "analyzer.errors",
    "analyzer.kernels",
    "analyzer.engine.asking",
    "analyzer.engine.lanes",
)
"""What rules, phases and the descriptor of a game may stand on."""


@pytest.mark.parametrize("game", GAMES)
def test_playing_a_game_needs_no_study_and_no_other_game(game: str) -> None:
    """Reads what the descriptor needs when it is loaded; its other rooms it loads when asked."""
    room = f"analyzer.games.{game}"
    waiting, seen = [f"{room}.game"], set()
    while waiting:
        module = waiting.pop()
        seen.add(module)
        for name, line in imports(module, at_once=True):
            if name.partition(".")[0] not in PACKAGES:
                continue
            allowed = name.startswith((room, *FOR_PLAYING))
            assert allowed, f"{module} {line}: {name}"
            if name.startswith(room) and name not in seen:
                waiting.append(name)
    others = {m for m in MODULES if m.startswith("analyzer.games.") and not m.startswith(room)}
    for module in MODULES:
        if module.startswith(room):
            assert not others & {name for name, _ in imports(module)}, module


@pytest.mark.parametrize("module", ["analyzer.engine.asking", "analyzer.engine.lanes"])
def test_what_games_use_of_the_engine_knows_nothing_of_it(module: str) -> None:
    ours = {name for name, _ in imports(module) if name.partition(".")[0] in PACKAGES}
    assert {unit_of(name) for name in ours} <= reachable("analyzer.kernels")


def test_nobody_names_the_built_in_strategies() -> None:
    """They are found through the same entry point as anybody's: no import, no module name."""
    for module, path in MODULES.items():
        if unit_of(module) == "analyzer_strategies":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.fullmatch(r"analyzer_strategies(\.\w+)+", node.value), (
                    f"{module} {node.lineno}"
                )
        assert not [
            name for name, _ in imports(module) if name.partition(".")[0] == "analyzer_strategies"
        ]


@pytest.mark.parametrize("module", sorted(MODULES))
def test_each_dependency_stays_at_home(module: str) -> None:
    wrong = [
        f"line {line}: {name}"
        for name, line in foreign(module)
        if unit_of(module) not in HOME.get(name, {unit_of(module)})
    ]
    assert not wrong, wrong


def test_each_home_is_lived_in() -> None:
    """No place may use a package that it does not; what comes with another one is not named."""
    used = {(name, unit_of(module)) for module in MODULES for name, _ in foreign(module)}
    homes = {(name, unit) for name, units in HOME.items() for unit in units}
    assert {name for name, _ in homes - used} <= {"dask", "pyarrow"}


def test_games_and_strategies_need_numpy_only() -> None:
    for module in MODULES:
        if unit_of(module) in {"analyzer.games", "analyzer.contracts", "analyzer_strategies"}:
            assert {name for name, _ in foreign(module)} <= {"numpy"}, module


def test_declared_dependencies_are_the_imported_ones() -> None:
    declared = {
        re.split(r"[^\w-]", text)[0].lower().replace("_", "-")
        for text in [
            *PROJECT["dependencies"],
            *(text for extra in PROJECT["optional-dependencies"].values() for text in extra),
        ]
    }
    provided = packages_distributions()
    used: set[str] = set()
    for module in MODULES:
        for name, _ in foreign(module):
            distributions = provided.get(name, [name])
            used.update(text.lower().replace("_", "-") for text in distributions)
    # distributed comes with dask, llvmlite with numba; pandas writes Parquet through pyarrow
    # without our naming it.
    assert used - {"distributed", "llvmlite"} <= declared
    assert declared - {"dask", "pyarrow"} <= used


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_module_says_what_it_is(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    docstring = ast.get_docstring(tree)
    assert docstring, f"{module} has no docstring"
    assert docstring.splitlines()[0].endswith((".", "?", ":")), docstring.splitlines()[0]


def loaded_by(code: str) -> set[str]:
    """Top-level packages in `sys.modules` of a fresh interpreter after running some code."""
    tail = (
        "import json, sys\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "print()\nprint(json.dumps(sorted(tops)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{tail}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["fairness", "--help"]])
def test_help_is_light(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        f"sys.argv = ['analyzer', *{arguments!r}]\n"
        "from analyzer.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
    )
    assert not loaded_by(code) & set(HEAVY)


@pytest.mark.parametrize("module", ["analyzer", "analyzer.errors", "analyzer.contracts"])
def test_contracts_are_light(module: str) -> None:
    assert not loaded_by(f"import {module}") & set(HEAVY)


def test_statistics_draw_nothing() -> None:
    names = [m for m in MODULES if unit_of(m) == "analyzer.statistics"]
    code = "\n".join(f"import {name}" for name in names)
    assert "matplotlib" not in loaded_by(code)


NOTIONS = {
    "mermaidbeach": (
        "mermaid ?beach|mermaids?|merfolk|starfish|seaweeds?|shell cards?|shell decks?|beach"
        "|beach cards?|beach decks?|sea ?monsters?|monsters?"
    ),
    "switch16": "switch ?16|milestones?|busts?|greed|dice|discs?",
    "turnthetide": (
        "turn ?the ?tide|land ?unter|life ?savers?|life ?preservers?|preservers?|tides?"
        "|drown(s|ed|ing)?|weather"
    ),
}
"""Of each game its names, and words that mean something in no other; as `words_in` spells them."""


def words_in(text: str) -> str:
    """A name or a text with its words apart: ``BustShare`` and ``bust_share`` become bust share."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", text)
    return f" {apart.lower()} "


def notions_in(text: str, games: Iterable[str] = GAMES) -> list[str]:
    """Notions of these games that a name or a text has."""
    apart = words_in(text)
    return [found.group(1) for game in games if (found := re.search(f" ({NOTIONS[game]}) ", apart))]


def _named(path: Path) -> Iterator[tuple[str, int]]:
    """Every name and every string of a module, docstrings included, with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for field in ("id", "attr", "arg", "name", "asname", "module", "value"):
            text = getattr(node, field, None)
            if isinstance(text, str):
                yield text, getattr(node, "lineno", 0)


def test_notions_are_told_of_every_game() -> None:
    """Each by its folder; a game's own rooms do speak of every notion listed for it."""
    assert sorted(NOTIONS) == GAMES
    for game, notions in NOTIONS.items():
        rooms = [
            *(path for name, path in MODULES.items() if f".games.{game}" in name),
            MODULES[f"analyzer_strategies.{game}"],
        ]
        said = "".join(words_in(path.read_text(encoding="utf-8")) for path in rooms)
        for notion in re.sub(r"\(.*?\)", "", notions).split("|"):
            assert re.search(f" {notion}", said), f"{game}: {notion}"


def test_notions_are_found_in_names_and_sentences() -> None:
    assert notions_in("BustShare") == notions_in("a bust_share") == ["bust"]
    assert notions_in("Switch16Batch") == ["switch16"]
    assert notions_in("Points of a pile of shell cards.") == ["shell cards"]
    assert not notions_in("robust shell")


def test_no_game_is_named_outside_its_rooms() -> None:
    """Neither a game nor a notion of its own, in no name and no string; comments apart."""
    rooms = re.compile(r"(analyzer|analyzer_reports)\.games\.|analyzer_strategies\.")
    wrong = [
        f"{module} {line}: {' '.join(text.split())[:60]}"
        for module, path in MODULES.items()
        if not rooms.match(module)
        for text, line in _named(path)
        if notions_in(text)
    ]
    pages = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "reports" / "analyzer_reports" / "templates").iterdir()
        if notions_in(path.read_text(encoding="utf-8"))
    ]
    assert not wrong + pages
