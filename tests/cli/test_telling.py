"""What people and programs are told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from analyzer.cli import bench
from analyzer.plugins import find_game
from tests.cli.conftest import Cli

STRATEGY = (
    "import numpy as np\n"
    "from analyzer.contracts import Strategy\n"
    "def low(view, params, words, out):\n"
    "    lowest = view.cards & (~view.cards + np.uint64(1))\n"
    "    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1\n"
    'low = Strategy("turnthetide", "low", "Low.", {"card": low})\n'
)
PLAY = ("simulate", "turnthetide", "--games", "600", "--seed", "1", "--no-save")


def test_help_and_version(cli: Cli) -> None:
    told = cli().out
    assert told == cli("--help").out
    assert cli("--version").out == "analyzer 0.1.0\n"
    for command in ("games", "strategies", "rules", "simulate", "fairness", "trace", "report"):
        assert f"\n  {command} " in told
        assert cli(command, "--help").out.startswith(f"Usage: analyzer {command}")


def test_lists(cli: Cli) -> None:
    assert "turnthetide" in cli("games").out
    games = json.loads(cli("games", "--json").out)["games"]
    assert {"game": "turnthetide", "min_players": 2, "max_players": 6}.items() <= next(
        game.items() for game in games if game["game"] == "turnthetide"
    )
    told = cli("strategies", "turnthetide").out
    listed = json.loads(cli("strategies", "turnthetide", "--json").out)["strategies"]
    assert {"random", "lowest", "highest", "middle", "reactive"} <= {s["strategy"] for s in listed}
    assert all(strategy["strategy"] in told and strategy["idea"] for strategy in listed)
    rules = json.loads(cli("rules", "turnthetide", "--players", "6", "--json").out)
    defaults = {row["setting"]: row["default"] for row in rules["settings"]}
    assert defaults["hand_size"] == 10 and len(defaults["preservers"]) == 60
    told = cli("rules", "turnthetide").out
    assert "ASSUMPTION" in told and "eliminated_may_take_bonus" in told


def test_simulate_says_it_in_a_table_and_a_sentence(cli: Cli) -> None:
    ran = cli(*PLAY, "--strategy", "lowest", "--strategy", "highest", "--strategy", "random")
    document = json.loads(cli(*PLAY, "--json", *words("lowest", "highest", "random")).out)
    for seat in document["seats"]:
        assert f"{100 * seat['win_share']:.2f}%" in ran.out
        low, high = seat["mean_score_ci"]
        assert f"{low:.2f} to {high:.2f}" in ran.out
    assert "600 games of turnthetide with 3 players, seed 1" in ran.out
    assert " ".join(ran.out.split()).endswith(document["answer"])
    assert document["note"] and document["note"] in " ".join(ran.out.split())
    rotated = cli(*PLAY, "--rotate", *words("lowest", "highest", "random")).out
    assert "seat " not in rotated.splitlines()[1]


def test_what_cannot_be_known_is_left_out(cli: Cli) -> None:
    told = cli("fairness", *PLAY[1:], "--set", "allocation=flat:5").out
    assert "There is nothing to judge" in told and "part that stays with the deal" in told
    assert "unknown" not in told and "points a round" not in told


def words(*specs: str) -> list[str]:
    return [word for spec in specs for word in ("--strategy", spec)]


@pytest.mark.parametrize(
    "columns", ["0", "1", "20", "33", "100000", "9" * 5000, "²", "-4", "wide", ""]
)
def test_any_width(cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("LINES", columns)
    for line in (PLAY, ("rules", "turnthetide"), ("strategies",), ("games",)):
        ran = cli(*line)
        assert ran.code == 0, ran.err
        assert "…" not in ran.out and "\x1b" not in ran.out
        if columns == "20":
            assert max(len(row) for row in ran.out.splitlines()) <= 20


def test_names_cannot_do_anything(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["[bold red]x[blink]", ":skull:", "\x1b[31mred\x07", "\u202egnol", "a'b $(touch x)"]
    for name in names:
        (folder / f"{name}.py").write_text(STRATEGY)
        spec = f"./{name}.py::low"
        ran = cli(*PLAY[:-1], "--no-report", "--strategy", spec, "--out", "run", "--force")
        assert ran.code == 0, ran.err
        assert not any(c in ran.out + ran.err for c in "\x1b\x07\u202e")
        assert "…" not in ran.out
        shown = name if name.isprintable() else name.encode("unicode_escape").decode()
        monkeypatch.setenv("COLUMNS", "200")
        assert shown in cli(*PLAY, "--strategy", spec).out
        document = json.loads(cli(*PLAY, "--json", "--strategy", spec).out)
        assert document["seats"][0]["strategy"] == spec
        assert "low" in cli("check", f"{name}.py").out
    assert not (folder / "x").exists()
    left = {path.name for path in folder.iterdir()} - {"__pycache__"}
    assert left == {"run", *(f"{name}.py" for name in names)}


class TestTrace:
    """One game told step by step."""

    def document(self, cli: Cli, *line: str) -> dict[str, Any]:
        return dict(json.loads(cli("trace", *line, "--json").out))

    def test_words_and_document_agree(self, cli: Cli) -> None:
        line = ("turnthetide", "--seed", "1", "--game", "12")
        document = self.document(cli, *line)
        assert document["number"] == 12 and document["seed"] == 1
        told = cli("trace", *line).out
        rounds = [e for e in document["events"] if e["event"] == "round"]
        assert told.count("\nRound ") == len(rounds) == 4
        for event in document["events"]:
            if event["event"] == "cards":
                for seat, card in enumerate(event["cards"], start=1):
                    assert (f"seat {seat} plays {card}" in told) == (card > 0)
        lost = sum(
            max(0, before - after)
            for one, other in zip(document["events"], document["events"][2:], strict=False)
            if one["event"] in ("hand", "round") and other["event"] == "hand"
            for before, after in zip(one["lives"], other["lives"], strict=True)
        )
        assert told.count("and loses a preserver") + told.count("must lose a preserver") >= lost > 0
        final = ", ".join(f"seat {n} {s}" for n, s in enumerate(document["scores"], start=1))
        assert f"Scores: {final}." in told
        assert sum(document["win_shares"]) == pytest.approx(1)

    def test_it_is_the_game_of_the_run(self, cli: Cli) -> None:
        """The scores of single games add up to those of the run."""
        scores = [
            sum(seats)
            for seats in zip(
                *(
                    self.document(cli, "turnthetide", "--seed", "5", "--game", str(k))["scores"]
                    for k in range(6)
                ),
                strict=True,
            )
        ]
        ran = cli("simulate", "turnthetide", "--games", "6", "--seed", "5", "--no-save", "--json")
        means = [seat["mean_score"] for seat in json.loads(ran.out)["seats"]]
        assert [6 * mean for mean in means] == pytest.approx(scores)

    def test_a_game_of_a_saved_run(self, cli: Cli) -> None:
        play = ("--games", "900", "--seed", "8", *words("lowest", "random", "middle"), "--rotate")
        cli("fairness", "turnthetide", *play, "--no-report", "--out", "run")
        for game in ("0", "300", "899"):
            document = self.document(cli, "run", "--game", game)
            assert document == self.document(cli, "turnthetide", *play, "--game", game)
        assert self.document(cli, "run", "--game", "300")["strategies"] == [
            "random",
            "lowest",
            "middle",
        ]
        flat = self.document(cli, "run", "--game", "5", "--part", "flat")
        assert flat["rules"]["allocation"].startswith("flat:")
        for line, told in (
            (("run", "--game", "900"), "games 0 to 899"),
            (
                ("run", "--game", "1", "--part", "curved"),
                "has no part 'curved'; it has: flat, main",
            ),
            (("run", "--game", "1", "--part", "../x"), "has no part '../x'"),
            (("run", "--game", "1", "--seed", "3"), "--seed is settled by the run"),
        ):
            ran = cli("trace", *line)
            assert ran.code == 2 and told in ran.err, ran.err

    def test_a_saved_run_loads_no_code_by_itself(self, cli: Cli, folder: Path) -> None:
        mark = folder / "mark"
        (folder / "mine.py").write_text(STRATEGY)
        play = ("--games", "300", "--seed", "8", "--strategy", "./mine.py::low", "--no-report")
        assert cli("simulate", "turnthetide", *play, "--out", "run").code == 0
        (folder / "mine.py").write_text(f"open({str(mark)!r}, 'w').close()\n{STRATEGY}")
        assert cli("report", "run").code == 0
        ran = cli("trace", "run", "--game", "1")
        assert ran.code == 2 and "add --strategy './mine.py::low'" in ran.err
        assert not mark.exists()
        named = ("trace", "run", "--game", "1", "--strategy", "./mine.py::low")
        ran = cli(*named)
        assert ran.code == 2 and "was changed after the run" in ran.err
        (folder / "mine.py").write_text(STRATEGY)
        assert cli(*named).code == 0


def test_check(cli: Cli, folder: Path) -> None:
    (folder / "good.py").write_text(STRATEGY)
    good = cli("check", "good.py", "--json")
    assert good.code == 0 and all(check["passed"] for check in json.loads(good.out)["checks"])
    (folder / "bad.py").write_text(STRATEGY.replace("+ 1\n", "+ 2\n"))
    bad = cli("check", "bad.py", "--json")
    assert (bad.code, bad.out) == (2, "")
    assert "bad.py" in bad.err and bad.err.count("error: ") == 1
    assert "NO" in cli("check", "bad.py").out


@pytest.mark.long
@pytest.mark.parametrize("width", [30, 40, 60, 80, 110])
def test_no_word_of_a_check_is_cut(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = ("mine.py", "a_rather_long_file_name.py")
    for name in names:
        (folder / name).write_text(STRATEGY.replace('"low"', '"lowest-of-them-all"'))
        told = cli("check", name).out
        assert max(map(len, told.splitlines())) <= width
        for whole in ("declaration", "parameters", "lowest-of-them-all", name):
            assert whole in told, told


def measure_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many games as show that something was measured; how many tell the pace is tested alone."""
    monkeypatch.setattr("analyzer.cli.bench.ROUNDS", 1)
    monkeypatch.setattr("analyzer.cli.bench._fitting", lambda contender: 20)


@pytest.mark.parametrize("setting_up", [0.0, 0.05])
def test_as_many_games_are_measured_as_take_the_time(
    monkeypatch: pytest.MonkeyPatch, setting_up: float
) -> None:
    clock = [0.0]

    def play(games: int) -> None:
        clock[0] += setting_up + games / 50_000

    monkeypatch.setattr(bench.time, "perf_counter", lambda: clock[0])
    found = bench._fitting(bench.Contender("any", 4, 1, play))
    assert 0.5 <= found / (bench.SECONDS_EACH * 50_000) <= 4


@pytest.mark.parametrize("games", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_bench(cli: Cli, monkeypatch: pytest.MonkeyPatch, games: int) -> None:
    names = ("turnthetide", "mermaidbeach", "switch16")[:games]
    monkeypatch.setattr("analyzer.plugins.game_names", lambda: names)
    measure_briefly(monkeypatch)
    document = json.loads(cli("bench", "--jobs", "1", "--json").out)
    # A game without a baseline is left out.
    assert {row["game"] for row in document["line_ups"]} == set(names) - {"mermaidbeach"}
    numbers = {"turnthetide": {4}, "switch16": {2, 4}}
    for name in set(names) - {"mermaidbeach"}:
        usual = find_game(name).default_strategy
        rows = [row for row in document["line_ups"] if row["game"] == name]
        plain = {row["players"]: row for row in rows if row["line_up"].startswith("plain Python")}
        assert plain.keys() == numbers[name]
        assert all(row["ratio"] == 1 for row in plain.values())
        # Like is compared with like: as many of the same players.
        for row in (row for row in rows if row not in plain.values()):
            like = row["line_up"] == f"{usual} in every seat"
            pace = row["games_per_second"] / plain[row["players"]]["games_per_second"]
            assert row["ratio"] == (pytest.approx(pace) if like else None)
        assert any(row["ratio"] is None for row in rows)
    told = " ".join(cli("bench", "--jobs", "1").out.split())
    assert "games of turnthetide" in told


def test_bench_of_one_game(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    measure_briefly(monkeypatch)
    document = json.loads(cli("bench", "turnthetide", "--jobs", "1", "--json").out)
    assert {row["game"] for row in document["line_ups"]} == {"turnthetide"}
    refused = cli("bench", "mermaidbeach")
    assert refused.code == 2 and "mermaidbeach brings no baseline" in refused.err


def test_the_baseline_plays_the_game() -> None:
    import random

    from analyzer.games.turnthetide.baseline import play

    chance = random.Random(1)
    scores = [play(4, chance) for _ in range(4000)]
    mean = sum(map(sum, scores)) / 16_000
    assert mean == pytest.approx(6.523, abs=0.15)


def test_installing_a_completion_names_the_files_that_it_changes(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: "bash")
    for given in (
        ("--install-completion", "nonsense"),
        ("--install-completion=nonsense",),
        ("--show-completion", "nonsense"),
    ):
        refused = cli(*given)
        assert (refused.code, refused.out) == (2, "") and not list(tmp_path.iterdir())
        assert "'nonsense' out." in refused.err or "does not take a value" in refused.err
    ran = cli("--install-completion")
    assert ran.code == 0 and str(tmp_path / ".bashrc") in ran.err
    assert ".bash_completions" in ran.out + ran.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli: Cli, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setenv("_ANALYZER_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("COMP_WORDS", "analyzer simulate turn")
    monkeypatch.setenv("COMP_CWORD", "2")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "analyzer simulate turn")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    assert "turnthetide" in cli().out


def test_turn_order_and_opening_hands_have_tables(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    line = ("fairness", "mermaidbeach", "--games", "1024", "--seed", "1", "--quiet", "--no-save")
    document = json.loads(cli(*line, "--json").out)
    told = cli(*line).out
    assert max(map(len, told.splitlines())) <= 80
    rows = [re.split(r"\s{2,}", text.strip()) for text in told.splitlines()]
    for place in document["turn_order"]["positions"]:
        low, high = (f"{100 * end:.2f}%" for end in place["win_share_ci"])
        least, most = (f"{100 * end:+.2f}" for end in place["advantage_ci"])
        assert [
            str(place["position"]),
            f"{100 * place['win_share']:.2f}%",
            f"{low} to {high}",
            f"{100 * place['advantage']:+.2f}",
            f"{least} to {most}",
        ] in rows
    cards = sorted(document["opening"]["cards"], key=lambda card: -card["worth"])
    start = rows.index([cards[0]["card"], *_worth(cards[0])])
    assert rows[start : start + len(cards)] == [[card["card"], *_worth(card)] for card in cards]
    assert "turn order" not in cli("simulate", *line[1:]).out


def _worth(card: dict[str, Any]) -> list[str]:
    low, high = (f"{100 * end:+.2f}" for end in card["worth_ci"])
    return [f"{100 * card['worth']:+.2f}", f"{low} to {high}"]
