"""Strategies of other people: in a file, in an installed package, and broken in a dozen ways."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from analyzer import plugins
from analyzer.checks import check_game, check_strategy
from analyzer.cli.app import main
from analyzer.contracts import Metric, Outcome
from analyzer.errors import PluginError
from analyzer.games.turnthetide.game import TurnTheTide
from analyzer.plugins import find_game, game_names, load_file
from analyzer.rules import settle
from analyzer.specs import bind, ideas

HEADER = """
import numpy as np
from analyzer.kernels.bits import highest_card, lowest_card
from analyzer.kernels.compilation import kernel
from analyzer.contracts import Parameter, Strategy

def numpy_lowest(view, params, words, out):
    lowest = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1

@kernel
def compiled_swing(view, params, words, out):
    bar, = params
    for g in range(out.size):
        deep = view.highest[g] >= bar
        out[g] = highest_card(view.cards[g]) if deep else lowest_card(view.cards[g])
"""

GOOD = (
    HEADER
    + """
by_hand = Strategy("turnthetide", "by-hand", "Lowest card, in NumPy.", {"card": numpy_lowest})
swing = Strategy(
    "turnthetide", "swing", "High when the water is.", {"card": compiled_swing},
    parameters=(Parameter("bar", "int", 9, "tide from which to bid", 1, 12),),
)
"""
)


def write(folder: Path, text: str) -> str:
    file = folder / "plugin.py"
    file.write_text(text)
    return str(file)


def simulate(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["simulate", "turnthetide", "--no-save", "--quiet", "--json", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_file_with_a_numpy_and_a_compiled_strategy_plays(tmp_path, capsys) -> None:
    path = write(tmp_path, GOOD)
    seats = [f"{path}::by-hand", f"{path}::swing:11", "lowest"]
    options = [word for seat in seats for word in ("--strategy", seat)]
    code, out, _ = simulate(capsys, *options, "--games", "600", "--seed", "4")
    assert code == 0
    document = json.loads(out)
    assert [seat["strategy"] for seat in document["seats"]] == seats
    options[1] = "lowest"  # the NumPy twin of a built-in strategy plays the same games
    _, same, _ = simulate(capsys, *options, "--games", "600", "--seed", "4")
    for seat, twin in zip(document["seats"], json.loads(same)["seats"], strict=True):
        assert {**seat, "strategy": ""} == {**twin, "strategy": ""}


def test_check_approves_of_good_strategies(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")  # however long the path of the folder is
    assert main(["check", write(tmp_path, GOOD)]) == 0
    assert "by-hand" in capsys.readouterr().out


@pytest.mark.slow
def test_an_installed_package_plays_by_its_entry_point(tmp_path) -> None:
    """Those named like other games are left alone, even if they cannot be loaded."""
    package = tmp_path / "site"
    information = package / "tidal-1.0.dist-info"
    information.mkdir(parents=True)
    (package / "tidal.py").write_text(GOOD)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: tidal\nVersion: 1.0\n")
    points = "[analyzer.strategies]\ntidal = tidal\nswitch16 = tidal.nowhere\n"
    (information / "entry_points.txt").write_text(points)
    arguments = (
        "simulate turnthetide --no-save --json --quiet --games 300 --strategy swing --seed 1"
    )
    finished = subprocess.run(
        [sys.executable, "-m", "analyzer", *arguments.split()],
        env={**os.environ, "PYTHONPATH": f"{os.getcwd()}{os.pathsep}{package}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    assert {s["strategy"] for s in json.loads(finished.stdout)["seats"]} == {"swing"}


def test_a_file_that_was_edited_is_loaded_anew(tmp_path, monkeypatch) -> None:
    """Also where the same relative path names another file."""
    for folder, idea in (("a", "First."), ("b", "Second.")):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        text = GOOD.replace("Lowest card, in NumPy.", idea)
        write(tmp_path / folder, text)
        assert load_file("./plugin.py").by_hand.idea == idea
        assert load_file("./plugin.py") is load_file("./plugin.py")
    write(tmp_path / "b", text.replace("Second.", "Third."))
    assert load_file("./plugin.py").by_hand.idea == "Third."


def test_ideas_are_told_without_loading_anything(tmp_path) -> None:
    path = write(tmp_path, "raise SystemExit")
    assert ideas("turnthetide", f"{path}::lowest") == {}
    assert ideas("turnthetide", "nobody:3") == {}
    assert list(ideas("turnthetide", "lowest")) == ["lowest"]
    assert ideas("turnthetide", "lowest")["lowest"].startswith("Plays its lowest card")


def strategy(hook: str, extra: str = "", name: str = "bad") -> str:
    declared = f'Strategy("turnthetide", "{name}", "Bad.", {{"card": decide}}{extra})'
    return f"{HEADER}\n{hook}\nbad = {declared}\n"


BROKEN = {
    "raises": (
        strategy("def decide(view, params, words, out):\n    raise RuntimeError('no idea')"),
        1,
        ("'card'", "RuntimeError: no idea", "game 0"),
    ),
    "compiled raises": (
        strategy("@kernel\ndef decide(view, params, words, out):\n    raise ValueError('no idea')"),
        1,
        ("ValueError", "game 0"),
    ),
    "wrong dtype": (
        strategy("def decide(view, params, words, out):\n    out[:] = np.full(out.size, 3.7)"),
        1,
        ("whole numbers", "float64"),
    ),
    "not a number": (
        strategy("def decide(view, params, words, out):\n    out[:] = np.full(out.size, np.nan)"),
        1,
        ("whole numbers",),
    ),
    "illegal card": (
        strategy("def decide(view, params, words, out):\n    out[:] = 61"),
        1,
        ("chose card 61", "game 0", "round 1, hand 1, seat 1"),
    ),
    "out of the byte": (
        strategy("def decide(view, params, words, out):\n    out[:] = -1"),
        1,
        ("from 0 to 255",),
    ),
    "wrong shape": (
        strategy("def decide(view, params, words, out):\n    out[:] = np.zeros(out.size + 1, int)"),
        1,
        ("ValueError", "broadcast"),
    ),
    "fills nothing": (
        strategy("def decide(view, params, words, out):\n    return view.cards"),
        1,
        ("chose card 0", "write"),
    ),
    "writes to its view": (
        strategy("def decide(view, params, words, out):\n    view.lives[:] = 9"),
        1,
        ("read-only",),
    ),
    "unseen field": (
        strategy("@kernel\ndef decide(view, params, words, out):\n    out[0] = view.known[1, 0]"),
        2,
        ("does not compile", "declares that it sees"),
    ),
    "chance undeclared": (
        strategy("@kernel\ndef decide(view, params, words, out):\n    out[0] = words[0] % 60"),
        2,
        ("does not compile",),
    ),
    "unknown hook": (
        HEADER + 'bad = Strategy("turnthetide", "bad", "Bad.", {"bid": numpy_lowest})',
        2,
        ("'bid'", "never asks for", "card"),
    ),
    "false claim of chance": (
        HEADER + 'bad = Strategy("turnthetide", "bad", "Bad.", {"card": numpy_lowest},'
        ' stochastic=frozenset({"dice"}))',
        2,
        ("stochastic", "'dice'"),
    ),
    "unknown sight": (
        HEADER + 'bad = Strategy("turnthetide", "bad", "Bad.", {"card": numpy_lowest},'
        ' sees=("everything",))',
        2,
        ("'everything'", "played, known"),
    ),
    "name clash": (
        strategy("decide = numpy_lowest", name="lowest").replace("bad =", "clash ="),
        2,
        ("name of an installed strategy",),
    ),
    "name is markup": (
        HEADER + 'bad = Strategy("turnthetide", "<b>bad</b>", "Bad.", {"card": numpy_lowest})',
        2,
        ("lower-case letters",),
    ),
    "import error": ("import nothing_of_this_name\n", 2, ("cannot be loaded", "nothing_of_this")),
    "syntax error": ("def (:\n", 2, ("cannot be loaded", "SyntaxError")),
    "exits on import": ("raise SystemExit(0)\n", 2, ("cannot be loaded", "SystemExit")),
    "prepare raises": (
        strategy("decide = numpy_lowest", ", prepare=lambda rules, params: 1 / 0"),
        2,
        ("prepare", "ZeroDivisionError"),
    ),
    "prepare returns a list": (
        strategy("decide = numpy_lowest", ", prepare=lambda rules, params: [1]"),
        2,
        ("must return a tuple",),
    ),
    "leaves": (
        strategy("def decide(view, params, words, out):\n    raise SystemExit(0)"),
        1,
        ("SystemExit: 0", "game 0"),
    ),
    "cannot say why": (
        strategy(
            "class Mute(Exception):\n    def __str__(self):\n        raise RuntimeError\n"
            "def decide(view, params, words, out):\n    raise Mute"
        ),
        1,
        ("raised Mute: (it cannot be told)",),
    ),
    "says too much": (
        strategy("def decide(view, params, words, out):\n    raise ValueError('word\\n' * 999)"),
        1,
        ("raised ValueError: word word", "word wo..."),
    ),
    "prepare leaves": (
        strategy(
            "def leave(rules, params):\n    raise SystemExit(0)\ndecide = numpy_lowest",
            ", prepare=leave",
        ),
        2,
        ("prepare", "SystemExit: 0"),
    ),
    "hooks are a list": (
        HEADER + 'bad = Strategy("turnthetide", "bad", "Bad.", [("card", numpy_lowest)])',
        2,
        ("hooks must be a dict",),
    ),
    "a word for several": (
        strategy("decide = numpy_lowest", ", sees='played'"),
        2,
        ("sees must be several strings",),
    ),
    "parameters of another kind": (
        strategy("decide = numpy_lowest", ", parameters=(('x', 'int', 1, 'm', 0, 2),)"),
        2,
        ("parameters must be a tuple of Parameter",),
    ),
    "a kind of parameter unknown": (
        strategy("decide = numpy_lowest", ", parameters=(Parameter('x', 'str', 1, 'm', 0, 2),)"),
        2,
        ("the kind of x must be int, float or bool",),
    ),
    "a range of words": (
        strategy(
            "decide = numpy_lowest", ", parameters=(Parameter('x', 'int', 1, 'm', 'a', 'b'),)"
        ),
        2,
        ("the range of x must be two numbers",),
    ),
    "a parameter nobody can set": (
        strategy("decide = numpy_lowest", ", parameters=(Parameter('x,y', 'int', 1, 'm', 0, 2),)"),
        2,
        ("'x,y' must be named by letters",),
    ),
    "claims are words": (
        strategy("decide = numpy_lowest", ", claims={'random': 'often'}"),
        2,
        ("claims must be a dict",),
    ),
    "idea is missing": (
        HEADER + 'bad = Strategy("turnthetide", "bad", None, {"card": numpy_lowest})',
        2,
        ("idea must be a string",),
    ),
    "name ends in a line break": (
        strategy("decide = numpy_lowest", name="bad\\n"),
        2,
        ("lower-case letters",),
    ),
    "two of one name": (
        strategy("decide = numpy_lowest")
        + 'other = Strategy("turnthetide", "bad", "Other.", {"card": compiled_swing})',
        2,
        ("defines 2 strategies 'bad'",),
    ),
    "raises what is no Exception": (
        strategy("def decide(view, params, words, out):\n    raise BaseException('no idea')"),
        1,
        ("'card'", "BaseException: no idea", "game 0"),
    ),
    "prepare raises what is no Exception": (
        strategy(
            "def fail(rules, params):\n    raise BaseException('no idea')\ndecide = numpy_lowest",
            ", prepare=fail",
        ),
        2,
        ("prepare", "BaseException: no idea"),
    ),
    "leaves when asked why": (
        strategy(
            "class Rude(Exception):\n    def __str__(self):\n        raise SystemExit(0)\n"
            "def decide(view, params, words, out):\n    raise Rude"
        ),
        1,
        ("raised Rude: (it cannot be told)",),
    ),
    "gone before it failed": (
        "import sys\ndel sys.modules[__name__]\nraise ValueError('no idea')\n",
        2,
        ("cannot be loaded", "ValueError: no idea"),
    ),
    "a field that no view has": (
        strategy(
            "@kernel\ndef decide(view, params, words, out):\n"
            "    for g in range(out.size):\n        out[g] = view.fortune[g]"
        ),
        2,
        ("does not compile", "Unknown attribute 'fortune'"),
    ),
    "a default of another kind": (
        strategy("decide = numpy_lowest", ', parameters=(Parameter("x", "int", "2", "m", 1, 3),)'),
        2,
        ("the default of x must be of the kind int",),
    ),
    "default out of range": (
        strategy("decide = numpy_lowest", ', parameters=(Parameter("x", "int", 9, "m", 1, 3),)'),
        2,
        ("x = '9'", "from 1 to 3"),
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_plugin_gives_one_clear_message(broken: str, tmp_path, capsys) -> None:
    text, wanted_code, phrases = BROKEN[broken]
    names = {
        "name clash": "lowest",
        "name is markup": "<b>bad</b>",
        "name ends in a line break": "bad\n",
    }
    name = names.get(broken, "bad")
    spec = f"{write(tmp_path, text)}::{name}"
    code, out, err = simulate(capsys, "--strategy", spec, "--games", "300", "--seed", "1")
    assert code == wanted_code, err
    assert out == ""
    assert "Traceback" not in err
    assert err.count("error:") == 1
    for phrase in phrases:
        assert phrase in err


def test_what_a_file_defines_besides_strategies_is_let_be(tmp_path, capsys) -> None:
    stand_in = "class Shy:\n    __class__ = property(lambda self: 1 / 0)\nshy = Shy()\n"
    spec = f"{write(tmp_path, strategy('decide = numpy_lowest') + stand_in)}::bad"
    code, _, err = simulate(capsys, "--strategy", spec, "--games", "300", "--seed", "1")
    assert code == 0, err


def test_one_strategy_may_go_by_two_names(tmp_path, capsys) -> None:
    spec = f"{write(tmp_path, strategy('decide = numpy_lowest') + 'again = bad')}::bad"
    assert simulate(capsys, "--strategy", spec, "--games", "300", "--seed", "1")[0] == 0


CHATTY = strategy(
    "print('imported')\n"
    "def decide(view, params, words, out):\n"
    "    print('asked')\n"
    "    numpy_lowest(view, params, words, out)"
)


@pytest.mark.parametrize(
    "workers",
    [
        ("--jobs", "1"),
        pytest.param(("--jobs", "2", "--backend", "processes"), marks=pytest.mark.slow),
    ],
)
def test_what_strategies_print_is_no_answer(tmp_path, workers: tuple[str, ...]) -> None:
    spec = f"{write(tmp_path, CHATTY)}::bad"
    line = "simulate turnthetide --no-save --quiet --json --games 3000 --seed 1 --strategy"
    ran = subprocess.run(
        [sys.executable, "-m", "analyzer", *line.split(), spec, *workers],
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["games"] == 3000
    assert "imported" in ran.stderr and "asked" in ran.stderr


def test_hooks_of_every_kind_are_told_apart_by_their_file(tmp_path, capsys) -> None:
    text = strategy(
        "class Player:\n    def __call__(self, *given):\n        numpy_lowest(*given)\n"
        "decide = Player()"
    )
    spec = f"{write(tmp_path, text)}::bad"
    rules = settle(find_game("turnthetide"), 3, {})
    before = bind("turnthetide", spec, rules, 3).source_hash
    write(tmp_path, text.replace("numpy_lowest(*given)", "given[-1][:] = 1"))
    assert bind("turnthetide", spec, rules, 3).source_hash != before


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be read and games be found as in a new process."""
    monkeypatch.setattr(plugins, "_loaded", {})
    plugins.forget()


def test_the_file_of_the_prepare_function_tells_a_strategy_apart(tmp_path, monkeypatch) -> None:
    helper = tmp_path / "preparing_tides.py"
    helper.write_text("def prepare(rules, params):\n    return (1,)\n")
    monkeypatch.syspath_prepend(tmp_path)
    text = "from preparing_tides import prepare\n" + strategy(
        "decide = numpy_lowest", ", prepare=prepare"
    )
    spec = f"{write(tmp_path, text)}::bad"
    rules = settle(find_game("turnthetide"), 3, {})
    before = bind("turnthetide", spec, rules, 3).source_hash
    helper.write_text("def prepare(rules, params):\n    return (2,)\n")
    # What this process has loaded is still the former.
    assert bind("turnthetide", spec, rules, 3).source_hash == before
    forget(monkeypatch)
    assert bind("turnthetide", spec, rules, 3).source_hash != before


@pytest.mark.parametrize("edited", ["__init__.py", "rules.py"])
def test_a_games_own_modules_tell_its_runs_apart(edited: str, tmp_path, monkeypatch) -> None:
    package = tmp_path / f"tidal_{edited[:-3].strip('_')}"
    package.mkdir()
    (package / "rules.py").write_text("BONUS = 1\n")
    (package / "__init__.py").write_text(
        "from analyzer.games.turnthetide.game import TurnTheTide\n"
        "class Tidal(TurnTheTide):\n    name = 'tidal'\n"
        "GAME = Tidal()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("tidal", package.name, "analyzer.games")
    installed = plugins.entry_points
    monkeypatch.setattr(
        plugins,
        "entry_points",
        lambda group: (*installed(group=group), *[point] * (group == point.group)),
    )
    before = plugins.program_hash("tidal")
    assert before != plugins.program_hash("turnthetide")
    (package / edited).write_text((package / edited).read_text() + "# changed\n")
    forget(monkeypatch)
    assert plugins.program_hash("tidal") != before
    plugins.forget()


@pytest.mark.skipif(os.name != "posix", reason="names of bytes")
def test_a_file_whose_name_is_not_text(tmp_path, capsys) -> None:
    file = tmp_path / os.fsdecode(b"p\xff.py")
    file.write_text(GOOD)
    code, out, err = simulate(capsys, "--strategy", f"{file}::by-hand", "--games", "300")
    assert (code, out) == (2, "") and "rename the file" in err


BROKEN_PROMISES = {
    "keeps state": (
        "calls = [0]\n"
        "def decide(view, params, words, out):\n"
        "    calls[0] += 1\n"
        "    numpy_lowest(view, params, words, out)\n"
        "    if calls[0] % 2:\n"
        "        compiled_swing(view, (1,), words, out)\n",
        "keeps nothing between calls",
    ),
    "looks at its neighbors": (
        "def decide(view, params, words, out):\n"
        "    numpy_lowest(view, params, words, out)\n"
        "    high = out.copy()\n"
        "    compiled_swing(view, (1,), words, np.asarray(high))\n"
        "    if out.size and out[0] % 2:\n"
        "        out[:] = np.asarray(high)\n",
        "depends on that column alone",
    ),
}


@pytest.mark.parametrize("broken", BROKEN_PROMISES)
def test_check_finds_a_broken_promise(broken: str, tmp_path, capsys) -> None:
    hook, promise = BROKEN_PROMISES[broken]
    path = write(tmp_path, strategy(hook))
    failed = [f.check for f in check_strategy("turnthetide", f"{path}::bad") if not f.passed]
    assert any(promise in text for text in failed)
    assert main(["check", path]) == 2
    captured = capsys.readouterr()
    assert promise in captured.out + captured.err


def test_check_finds_a_false_claim(tmp_path) -> None:
    path = write(tmp_path, strategy("decide = numpy_lowest", ', claims={"reactive": 0.9}'))
    failed = [f for f in check_strategy("turnthetide", f"{path}::bad") if not f.passed]
    assert len(failed) == 1
    assert "90.0%" in failed[0].check


@pytest.mark.parametrize("game", game_names())
def test_built_in_games_keep_their_contract(game: str) -> None:
    check_game(game)


def half_the_wins(outcome: Outcome) -> None:
    outcome.wins[:] //= 2


def too_many_points(outcome: Outcome) -> None:
    outcome.scores[0, 5] = 1000


def luck_of_the_column(outcome: Outcome) -> None:
    outcome.scores[0, outcome.games.size // 2] -= 1


def luck_of_the_only_one(outcome: Outcome) -> None:
    if outcome.games.size == 1:
        outcome.scores[0, 0] -= 1


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (half_the_wins, "must add up to 60"),
        (too_many_points, r"outside score_range \(-2, "),
        (luck_of_the_column, "depends on how many games"),
        (luck_of_the_only_one, "game 0 ends differently"),
    ],
)
def test_games_that_break_their_contract_are_named(monkeypatch, harm, told) -> None:
    play = TurnTheTide.play

    def harmed(*arguments: Any) -> Outcome:
        outcome = play(*arguments)
        harm(outcome)
        return outcome

    monkeypatch.setattr(TurnTheTide, "play", harmed)
    with pytest.raises(PluginError, match=f"turnthetide with 2 players: .*{told}"):
        check_game("turnthetide")


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("min_players", 5, "is for 5 to 6 players, usually 4"),
        ("name", "tide", "calls itself 'tide'"),
        ("headline", ("wins", "tides"), "has headline"),
        ("metrics", (Metric("tides", "tides", "games", "tides"),), "sums that it does not always"),
        ("sums", lambda *_: {"score": ()}, "calls one of its own sums 'score'"),
        ("sums", lambda *_: {"tides_hist": ()}, "calls one of its own sums 'tides_hist'"),
        ("narrator", lambda *_: lambda event, facts: [facts], "not a list of lines"),
        ("baseline", SimpleNamespace(play=lambda players, chance: [999]), r"the scores \[999\]"),
    ],
)
def test_games_that_declare_or_bring_what_does_not_fit_are_named(
    monkeypatch, part: str, value: Any, told: str
) -> None:
    monkeypatch.setattr(TurnTheTide, part, value)
    with pytest.raises(PluginError, match=f"turnthetide .*{told}|tide .*{told}"):
        check_game("turnthetide")
