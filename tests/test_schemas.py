"""Every JSON document is described by a schema in the package, and real ones are valid by it."""

from __future__ import annotations

import copy
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from analyzer.cli import bench
from analyzer.cli.app import main

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "analyzer" / "schemas"
DECLARED = re.compile(r'(?:"schema": |^SCHEMA = )"(analyzer/[a-z-]+/[0-9]+)"', re.M)
FEW = ["--games", "300", "--seed", "1", "--jobs", "1", "--quiet", "--no-save"]
RATHER_FEW = [*FEW, "--games", "64"]
TABLES = {
    "turnthetide": ["random", "random", "lowest"],
    "switch16": ["greedy/leader/deny:16", "always/random/hold"],
    "mermaidbeach": ["random", "random", "greedy"],
}
SOME = {game: [w for spec in specs for w in ("--strategy", spec)] for game, specs in TABLES.items()}


def file_of(schema: str) -> Path:
    _, name, version = schema.split("/")
    return FOLDER / f"{name}-{version}.json"


def problems(document: Any) -> list[str]:
    """What is wrong with a document by the schema that it names."""
    schema = json.loads(file_of(document["schema"]).read_text())
    return [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        for error in Draft202012Validator(schema).iter_errors(document)
    ]


def commands() -> Iterator[list[str]]:
    """A command line for every document there is, of each game where it plays one."""
    for game, table in TABLES.items():
        yield ["simulate", game, *SOME[game], *FEW]
        yield ["fairness", game, *SOME[game], *FEW, "--field", table[0]]
        yield ["luck", game, *SOME[game], *FEW]
        yield ["compare", game, "--a", table[0], "--b", table[-1], *FEW, "--players", "3"]
        yield ["sensitivity", game, *SOME[game], *RATHER_FEW]
        yield ["trace", game, "--seed", "1", "--game", "1", *SOME[game]]
        yield ["rules", game]
        yield ["strategies", game]
        yield ["simulate", game, *SOME[game], *FEW, "--dry-run"]
    yield ["simulate", "mermaidbeach", *SOME["mermaidbeach"], *FEW, "--rotate"]
    yield ["simulate", "turnthetide", "--games", "20", *FEW[2:]]  # too few for intervals
    yield ["simulate", "switch16", *SOME["switch16"], *FEW, "--match-points", "20"]
    yield ["simulate", "turnthetide", *SOME["turnthetide"], *FEW, "--precision", "0.2"]
    yield ["compare", "turnthetide", "--set-a", "bonus=2", *SOME["turnthetide"], *FEW]
    yield ["compare", "turnthetide", "--a", "random", "--b", "random", *FEW]
    yield [
        "compare", "turnthetide", "--set-a", "bonus=2", "--metric", "margin",
        *SOME["turnthetide"], *FEW,
    ]  # fmt: skip
    yield ["luck", "turnthetide", *SOME["turnthetide"], "--games", "20", *FEW[2:]]
    yield ["trace", "turnthetide", "--seed", "1", "--find", "winner=1", *SOME["turnthetide"]]
    yield ["solve", "switch16", "--set", "cards=4", "--set", "milestone=2", "--quiet", "--no-save"]
    line = ["--strategy", "random", "--strategy", "lowest", "--players", "2"]
    yield ["tournament", "turnthetide", *line, *FEW]
    sweep = ["sweep", "switch16", "--vary", "milestone=7..9", *FEW]
    yield [*sweep, "--metric", "turns_per_game", "--target", "20"]
    yield sweep
    yield ["sweep", "turnthetide", "--vary", "players=2,3", *FEW]
    search = ["--generations", "1", "--population", "4", *FEW]
    yield ["tune", "switch16", "--strategy", "threshold:0.5/leader/hold", *search]
    rule = ["--rule", "milestone=4..9", "--metric", "turns_per_game", "--target", "20"]
    yield ["tune", "switch16", *rule, *search]
    yield ["games"]
    yield ["check", "./mine.py"]
    yield ["bench", "switch16", "--jobs", "1"]


MINE = """
import numpy as np
from analyzer.contracts import Strategy


def first(view, params, words, out):
    out[:] = 0


mine = Strategy("switch16", "mine", "Never throws again.", {"risk": first}, family="risk")
"""


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Any]]:
    """What each command prints, and what a saved run consists of."""
    found: list[tuple[str, Any]] = []
    folder = tmp_path_factory.mktemp("schemas")
    (folder / "mine.py").write_text(MINE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(bench, "ROUNDS", 1)
        patch.setattr(bench, "_fitting", lambda contender: 20)
        for line in commands():
            printed = _printed([*line, "--json"], patch)
            found.append((" ".join(line), json.loads(printed)))
        run = ["simulate", "switch16", *FEW[:-1], "--out", "run", "--no-report", "--json"]
        _printed(run, patch)
    found.append(("manifest.json", json.loads((folder / "run" / "manifest.json").read_text())))
    with zipfile.ZipFile(folder / "run" / "parts" / "main.npz") as part:
        found.append(("part", json.loads(part.read("part.json"))))
    return found


def _printed(line: list[str], patch: pytest.MonkeyPatch) -> str:
    """Standard output of a command that has to succeed."""
    out: list[str] = []
    patch.setattr("analyzer.cli.output.emit", out.append)
    assert main(line) == 0, line
    return "".join(out)


def declared() -> set[str]:
    """Every schema that is named in the code."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "analyzer").rglob("*.py"))
    return {schema for text in texts for schema in DECLARED.findall(text)}


def test_every_document_has_a_schema_and_every_schema_a_document() -> None:
    assert {file_of(schema) for schema in declared()} == set(FOLDER.glob("*"))
    assert "analyzer/luck/1" in declared() and len(declared()) >= 15


def test_all_are_listed_on_the_page_about_the_command_line() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for path in FOLDER.glob("*"):
        assert f"`{path.name}`" in page, path.name


def test_schemas_are_schemas_and_name_what_they_describe() -> None:
    for path in FOLDER.glob("*"):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert file_of(schema["properties"]["schema"]["const"]) == path
        assert "schema" in schema["required"]


@pytest.mark.long
def test_real_documents_are_valid(documents: list[tuple[str, Any]]) -> None:
    wrong = {name: found for name, document in documents if (found := problems(document))}
    assert not wrong
    assert {document["schema"] for _, document in documents} == declared()


def test_documents_with_a_key_less_are_not(documents: list[tuple[str, Any]]) -> None:
    """As promised keys, all that a schema requires is missed; what is added is not."""
    for name, document in documents:
        schema = json.loads(file_of(document["schema"]).read_text())
        for key in schema["required"]:
            less = {k: v for k, v in document.items() if k != key}
            assert key == "schema" or problems(less), (name, key)
        assert not problems({**document, "added_later": [1]}), name


def test_values_of_another_type_are_not(documents: list[tuple[str, Any]]) -> None:
    document = next(d for _, d in documents if d["schema"] == "analyzer/luck/1")
    for place, value in (
        (("games",), "many"),
        (("seed",), -1),
        (("shares", 0, "share"), "much"),
        (("shares", 0, "share_ci"), [0.1]),
        (("tables", 0, "strategies"), "random"),
        (("interval_kind",), "guessed"),
    ):
        other = copy.deepcopy(document)
        inside = other
        for key in place[:-1]:
            inside = inside[key]
        inside[place[-1]] = value
        assert problems(other), place
