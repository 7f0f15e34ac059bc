"""The documentation keeps its word: links lead somewhere, commands parse, examples run."""

from __future__ import annotations

import contextlib
import importlib
import re
import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from analyzer import plugins
from analyzer.cli.app import main
from analyzer.cli.commands import app
from analyzer.contracts import Strategy
from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.kernels import bits
from analyzer.rules import settle

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words after it, its text and its first line's number."""

    language: str
    words: tuple[str, ...]
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    start: int | None = None
    info: list[str] = []
    for number, line in enumerate(lines, start=1):
        if start is None and line.startswith("```"):
            start, info = number + 1, line[3:].split()
        elif start is not None and line.startswith("```"):
            body = "\n".join(lines[start - 1 : number - 1]) + "\n"
            found.append(Block(info[0] if info else "", tuple(info[1:]), body, start))
            start = None
    assert start is None, f"{page.name}: the block that begins at line {start} has no end"
    return found


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks and inline code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings get on the usual hosts of Git repositories."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, flags=re.M)
    }


def commands(page: Path, program: str) -> list[tuple[int, list[str]]]:
    """Calls of a program in the shell blocks of a page, with their lines; comments stripped."""
    found = []
    for block in blocks(page):
        if block.language not in {"sh", "console"}:
            continue
        joined = block.text.replace("\\\n", "  ")
        for offset, line in enumerate(joined.splitlines()):
            text = line.removeprefix("$ ").strip()
            # A pipe ends the command: the words after it belong to another program.
            words = shlex.split(text, comments=True)
            if "|" in words:
                words = words[: words.index("|")]
            if words and Path(words[0]).name == program:
                found.append((block.line + offset, words[1:]))
    return found


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), f"{page.name}: nothing at {target}"
        assert goal.is_relative_to(ROOT), f"{page.name}: {target} leads out of the project"
        if anchor:
            assert anchor in anchors(goal), f"{page.name}: {path} has no heading #{anchor}"


def test_every_page_can_be_reached() -> None:
    linked = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in PAGES
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(page))
        if not re.match(r"[a-z]+:", target) and target.partition("#")[0]
    }
    assert {page for page in PAGES if page.parent.name == "docs"} <= linked


def command_lines() -> list[Any]:
    """Every `analyzer ...` line of the documentation as a test parameter."""
    return [
        pytest.param(words, id=f"{page.name}:{line}")
        for page in PAGES
        for line, words in commands(page, "analyzer")
    ]


@pytest.mark.parametrize("words", command_lines())
def test_commands_parse(words: list[str], tmp_path: Path, monkeypatch: Any) -> None:
    """The real parser takes each line, up to but not including running the command."""
    monkeypatch.chdir(tmp_path)
    group: Any = typer.main.get_command(app)
    if len(words) == 1 and words[0].startswith("--"):
        assert words[0] in {option for parameter in group.params for option in parameter.opts} | {
            *group.context_settings["help_option_names"]
        }
        return
    command = group.commands[words[0]]
    with contextlib.suppress(typer.Exit):  # --help ends the program while parsing
        command.make_context(words[0], words[1:])


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_make_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    for line, words in commands(page, "make"):
        for word in words:
            assert word in targets or "=" in word, f"{page.name}:{line}: make {word}"


def runnable() -> list[Any]:
    """Pages with blocks marked to be run, as test parameters."""
    return [
        pytest.param(page, id=page.name)
        for page in PAGES
        if any("run" in block.words for block in blocks(page))
    ]


@pytest.mark.long
@pytest.mark.parametrize("page", runnable())
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Blocks marked ``run`` share a namespace a page; ``file=NAME`` ones are files of their own.

    A file becomes an installed package that offers its strategies, and each plays a short run.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__example__"}
    for block in blocks(page):
        named = [word.removeprefix("file=") for word in block.words if word.startswith("file=")]
        if named:
            (tmp_path / named[0]).write_text(block.text, encoding="utf-8")
        if "run" not in block.words:
            continue
        if named:
            play_plugin(tmp_path, Path(named[0]).stem)
        else:
            source = "\n" * (block.line - 1) + block.text
            exec(compile(source, str(page), "exec"), namespace)


def play_plugin(folder: Path, module: str) -> None:
    """Install a module by the metadata that entry points are read from, and play what it brings."""
    offers = vars(importlib.import_module(module))
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[analyzer.strategies]\n{module} = {module}\n")
    importlib.invalidate_caches()
    plugins.forget()
    found = [value for value in offers.values() if isinstance(value, Strategy)]
    assert found
    for strategy in found:
        game = plugins.find_game(strategy.game)
        players = game.default_players
        parts = dict(zip(game.families, game.default_strategy.split("/"), strict=False))
        whole = {**parts, strategy.family: strategy.name} if strategy.family else {}
        table = ("/".join(whole.values()) or strategy.name,) * players
        result = run(Experiment(game.name, table, settle(game, players, {}), games=3000, seed=1))
        shares = result.sums["wins"].sum(axis=(0, -1)) / 60 / 3000
        assert shares.sum() == pytest.approx(1.0)
        assert abs(shares - 1 / players).max() < 0.05
    plugins.forget()


def test_the_page_on_games_shows_its_example_as_it_is() -> None:
    """Each block with ``file=`` stands in that file, maybe indented; no file goes unmentioned."""
    page, example = ROOT / "docs" / "writing-a-game.md", ROOT / "examples" / "lowball"
    for block in blocks(page):
        for word in block.words:
            if word.startswith("file="):
                lines = (example / word.removeprefix("file=")).read_text("utf-8").splitlines(True)
                size = block.text.count("\n")
                parts = ("".join(lines[n : n + size]) for n in range(len(lines)))
                shown = textwrap.dedent(block.text)
                assert shown in map(textwrap.dedent, parts), f"{page.name}:{block.line}"
    named = set(re.findall(r"`(\w+\.py)`", page.read_text(encoding="utf-8")))
    assert {path.name for path in (example / "lowball").glob("[a-z]*.py")} <= named


def shown_runs() -> list[Any]:
    """Pages that show what commands print, as test parameters."""
    return [
        pytest.param(page, id=page.name)
        for page in PAGES
        if any("check" in block.words for block in blocks(page))
    ]


def settled(text: str) -> str:
    """Output without what may differ from run to run: times, digests, where lines break."""
    text = " ".join(text.split())
    text = re.sub(r"played in [\d,.]+ s at [\d,]+ games/s", "played in no time", text)
    return re.sub(r"-[0-9a-f]{12}\b", "-DIGEST", text)


@pytest.mark.slow
@pytest.mark.parametrize("page", shown_runs())
def test_commands_print_what_is_shown(
    page: Path, tmp_path: Path, monkeypatch: Any, capsys: Any, lowball: None
) -> None:
    """Blocks marked ``check`` are one command each and what it prints; ``...`` leaves lines out."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for block in blocks(page):
        if "check" not in block.words:
            continue
        line, _, shown = block.text.partition("\n")
        assert main(shlex.split(line.removeprefix("$ analyzer "))) == 0
        printed = settled(capsys.readouterr().out)
        parts = re.split(r"^\.\.\.\n", shown, flags=re.M)
        for part in filter(None, parts):
            before, found, printed = printed.partition(settled(part))
            assert found, f"{page.name}:{block.line} shows what is not printed: {part}"
        if len(parts) == 1:
            assert not before + printed, f"{page.name}:{block.line} leaves lines out"


@pytest.mark.parametrize("game", plugins.game_names())
def test_rules_pages_name_every_setting(game: str) -> None:
    text = (ROOT / "docs" / f"rules-{game}.md").read_text(encoding="utf-8")
    missing = [s.key for s in plugins.find_game(game).settings if f"`{s.key}`" not in text]
    assert not missing, f"docs/rules-{game}.md does not mention {missing}"


def test_authors_of_strategies_are_told_of_what_is_there_for_them() -> None:
    from analyzer.games.switch16 import policies as switch16_policies

    text = (ROOT / "docs" / "writing-a-strategy.md").read_text(encoding="utf-8")
    hooks = {hook.__name__ for known in switch16_policies.KNOWN_HOOKS.values() for hook in known}
    offered = {*bits.__all__, *hooks}
    assert not {name for name in offered if not re.search(rf"`{name}\b", text)}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_pages_keep_to_themselves(page: Path) -> None:
    """No path of somebody's machine, no unfinished sentence."""
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|work|Users)/\w|TODO|TBD|FIXME|XXX|lorem", text)
