"""Options and answers that the command line gets from a game's declaration, whoever wrote it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.outside import HAGGLE, installed

PLAY = ("haggle", "--games", "300", "--seed", "1", "--quiet")


@pytest.fixture
def haggle(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    with (
        monkeypatch.context() as patch,
        installed(tmp_path_factory.mktemp("site"), "haggle", HAGGLE, patch),
    ):
        yield


def test_an_outside_game_has_options_of_its_own(cli: Cli, haggle: None) -> None:
    line = ("simulate", *PLAY, "--no-save", "--json")
    ran = cli(*line, "--bid-policy", "most", "--bid-policy=least", "--top-bid", "12")
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    assert [seat["strategy"] for seat in document["seats"]] == ["most/least", "least/least"]
    assert [seat["mean_score"] for seat in document["seats"]] == [13, 2]
    assert document["rules"] == {"top_bid": 12, "seed_money": False}
    document = json.loads(cli(*line, "--play-policy", "most", "--seed-money=true").out)
    assert [seat["strategy"] for seat in document["seats"]] == ["most/most"] * 2
    assert document["rules"]["seed_money"] is True


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--bid-policy", "mots"), "no haggle bid policy named 'mots'; did you mean: most"),
        (("--bid-polcy", "most"), "no option '--bid-polcy'; did you mean --bid-policy"),
        (("--plyers", "3"), "did you mean --players"),
        (("--bid-policy",), "'--bid-policy' requires an argument"),
        (("--risk-policy", "always"), "haggle has bid, play"),
        (("--match-points", "9"), "sets a rule of switch16; haggle has none"),
        (("--top-bid", "0"), "--top-bid: top_bid must be a whole number from 1 to 99"),
        (("--top-bid", "3", "--set", "top_bid=4"), "and so does --set; leave one out"),
        (("--bid-policy", "most", "--strategy", "most/most"), "in this order: bid, play"),
    ],
)
def test_what_is_wrong_with_them(
    cli: Cli, haggle: None, options: tuple[str, ...], told: str
) -> None:
    for command in ("simulate", "fairness", "sensitivity", "trace"):
        extra = ("--game", "0") if command == "trace" else ("--no-save", "--quiet")
        ran = cli(command, "haggle", *extra, *options)
        assert (ran.code, ran.out) == (2, "") and told in ran.err, ran
        assert ran.err.count("error: ") == 1


def test_where_no_game_is_named(cli: Cli, haggle: None) -> None:
    assert (
        "no game named 'hagle'; did you mean: haggle"
        in cli("simulate", "hagle", "--bid-policy", "most").err
    )
    assert "missing argument 'GAME'" in cli("simulate", "--bid-policy", "most").err
    assert "has no option '--bid'" in cli("simulate", "--bid", "most").err
    assert "haggle has bid, play" in cli("simulate", "--risk-policy", "x", "haggle").err


def test_help_lists_them_for_a_game(cli: Cli, haggle: None) -> None:
    general = " ".join(cli("simulate", "--help").out.split())
    assert "-policy POLICY" not in general and "--top-bid" not in general
    assert "'analyzer simulate GAME --help' lists them" in general
    for line in (("haggle", "--help"), ("-h", "haggle"), ("--players", "3", "haggle", "-h")):
        told = " ".join(cli("simulate", *line).out.split())
        assert "--bid-policy POLICY" in told and "--play-policy POLICY" in told
        assert "--top-bid N The rule top_bid: highest number." in told
        assert "--risk-policy" not in told and "GAME --help" not in told
    for command in ("fairness", "sensitivity", "trace"):
        assert "--match-points N" in cli(command, "switch16", "--help").out
    assert "GAME --help" in cli("simulate", "nothing", "--help").out
    assert "-policy POLICY" not in cli("simulate", "turnthetide", "--help").out


def test_they_are_spelled_out_to_go_on(cli: Cli, folder: Path, haggle: None) -> None:
    given = ["--bid-policy", "most", "--bid-policy", "least", "--top-bid", "7"]
    ran = cli("simulate", *PLAY, *given, "--out", "simulate")
    assert ran.code == 0, ran.err
    about = json.loads((folder / "simulate" / "manifest.json").read_text())["about"]
    for text in (about["command"], about["reproduce"]):
        assert shlex.join(given) in text
    again = cli(*shlex.split(about["reproduce"])[1:], "--out", "simulate")
    assert again.code == 0 and "finished, verified" in again.err, again.err
    settled = cli("trace", "simulate", "--game", "3", "--bid-policy", "most")
    assert settled.code == 2 and "--bid-policy is settled by the run" in settled.err
    assert "named: [8, 2]" in cli("trace", "simulate", "--game", "0").out
    told = cli("trace", *PLAY[:-1], "--game", "2", "--top-bid=50", "--bid-policy", "most").out
    assert "named: [51, 51]" in told


def test_an_option_that_the_command_has_already(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HAGGLE.replace("haggle", "hassle").replace('"seed_money"', '"seed"')
    with monkeypatch.context() as patch, installed(tmp_path, "hassle", text, patch):
        ran = cli("simulate", "hassle", "--bid-policy", "most")
    assert ran.code == 2 and "hassle declares an option --seed, which" in ran.err


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("simulate haggle --bid", "--bid-policy"),
        ("simulate haggle --bid-policy most --top", "--top-bid"),
        ("trace haggle --game 3 --pl", "--play-policy"),
        ("simulate --pla", "--players"),
        ("simulate nothing --bid-policy most --pla", "--players"),
        ("simulate --bid-policy most hag", "haggle"),
    ],
)
def test_the_shell_completes_them(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, haggle: None, words: str, completed: str
) -> None:
    monkeypatch.setenv("_ANALYZER_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"analyzer {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    ran = cli()
    assert completed in ran.out.split() and ran.err == ""


def test_an_outside_game_is_solved(cli: Cli, folder: Path, haggle: None) -> None:
    told = cli("solve", "haggle", "--out", "best")
    assert told.code == 0, told.err
    text = " ".join(told.out.split())
    assert "Nothing is left to chance. Saved in 'best': a table. Play it with: analyzer" in text
    assert "simulate haggle --strategy most/most (and the same rules)." in text
    assert text.endswith("Always name the highest number.")
    table = (folder / "best" / "tables" / "best.csv").read_text()
    assert table == "decision,number\nbid,9\nplay,9\n"
    assert not list((folder / "best").glob("*.png"))
    (folder / "best" / "policy.json").unlink()
    assert cli("report", "best").out == told.out and (folder / "best" / "policy.json").exists()
    document = json.loads(cli("solve", "haggle", "--no-save", "--json", "--against", "x").out)
    assert list(document) == [
        "schema", "game", "players", "rules", "against", "win_share", "answer",
    ]  # fmt: skip
    assert "once it is saved" in cli("solve", "haggle", "--no-save").out
    refused = cli("solve", "haggle", "--players", "3")
    assert refused.code == 2 and "solved for 2 players; given 3" in refused.err
    others = cli("solve", "turnthetide").err
    assert "it brings no solver. haggle, switch16 can" in others
