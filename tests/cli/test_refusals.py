"""Hostile command lines: refused before the first game, in one message, leaving nothing behind."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import analyzer
from tests.cli.conftest import Cli, Ran, tree

PLAY = ("simulate", "turnthetide", "--games", "300", "--seed", "1", "--json")
STRATEGY = "from analyzer.contracts import Strategy\n"


def refused(ran: Ran, *told: str) -> None:
    """A usage error as all of them are: code 2, one message, no output, no traceback."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("error: ") and ran.err.count("error: ") == 1, ran.err
    assert "Traceback" not in ran.err
    for text in told:
        assert text in ran.err, ran.err


NUMBERS = [
    ("--games", "0", "a whole number from 1 to 2^48"),
    ("--games", "-5", "given '-5'"),
    ("--games", "1.5", "given '1.5'"),
    ("--games", "nan", "such as 100_000 or 2e6"),
    ("--games", "1e99", "2^48"),
    ("--games", "1e400000000", "given '1e400000000'"),
    ("--games", "1__0", "given '1__0'"),
    ("--games", "١٢", "given '١٢'"),
    ("--games", "9" * 5000, "999..."),
    ("--games", "", "given ''"),
    ("--players", "1", "turnthetide is for 2 to 6 players"),
    ("--players", "7", "2 to 6 players; given 7"),
    ("--players", "99999999999999999999999", "a whole number from 1 to 100"),
    ("--players", "four", "given 'four'"),
    ("--seed", "-1", "from 0 to 2^63-1"),
    ("--seed", str(2**63), "from 0 to 2^63-1"),
    ("--seed", "1.0", "given '1.0'"),
    ("--jobs", "0", "from 1 to 1024"),
    ("--jobs", "1000000", "from 1 to 1024"),
    ("--precision", "0", "from 1e-06 to 0.5"),
    ("--precision", "nan", "given 'nan'"),
    ("--precision", "inf", "given 'inf'"),
    ("--precision", "-0.1", "given '-0.1'"),
    ("--precision", "0.9", "given '0.9'"),
    ("--backend", "thread", "did you mean: threads"),
    ("--out", "", "the path given is empty"),
    ("--rules", " ", "the path given is empty"),
]


@pytest.mark.parametrize(("option", "value", "told"), NUMBERS)
def test_values_out_of_range(cli: Cli, folder: Path, option: str, value: str, told: str) -> None:
    refused(cli(*PLAY, option, value), told)
    assert tree(folder) == {}


SETTINGS = [
    (("hand_size",), "--set wants KEY=VALUE"),
    (("=1",), "--set wants KEY=VALUE"),
    (("handsize=10",), "did you mean: hand_size"),
    (("hand_size=ten",), "a whole number from 1 to 30; given 'ten'"),
    (("hand_size=true",), "given True"),
    (("hand_size=10.0",), "given 10.0"),
    (("hand_size=0",), "given 0"),
    (("hand_size=-1",), "given -1"),
    (("hand_size=99999999999999999999",), "given 99999999999999999999"),
    (("hand_size=" + "9" * 5000,), "hand_size must be a whole number"),
    (("hand_size=0x" + "f" * 5000,), "something too long to be shown"),
    (("hand_size=16",), "needs 64 weather cards"),
    (("hands=13",), "more than hand_size = 12"),
    (("end_at=4",), "at most 3"),
    (("bonus=nan",), "given nan"),
    (("bonus=1\nrounds=2",), "bonus must be a whole number"),
    (("bonus=1", "bonus=2"), "gives bonus twice, as 1 and as 2"),
    (("bonus=1979-05-27",), "bonus must be"),
    (("eliminated_may_take_bonus=1",), "true or false; given 1"),
    (("eliminated_may_take_bonus=True",), "true or false; given 'True'"),
    (("drowning=highst",), "Did you mean highest?"),
    (("drowning=[bold]highest[/bold]",), "given '[bold]highest[/bold]'"),
    (("preservers=[1,2]",), "2 half-counts were given"),
    (('preservers={"13-24"=true}',), "True is not a half-count"),
    (('preservers={"20-70"=1}',), "'20-70' is not a band within 1-60"),
    (('preservers={"1-20"=1,"20-30"=2}',), "overlaps"),
    (("preservers=" + "[" * 3000 + "]" * 3000,), "preservers"),
    (("allocation=flat:61",), "N from 0 to 60"),
    (("allocation=flat:-1",), "'flat:-1'"),
    (("allocation=\x1b[31mnone",), r"\x1b[31mnone"),
]


@pytest.mark.parametrize(("assignments", "told"), SETTINGS)
def test_settings(cli: Cli, folder: Path, assignments: tuple[str, ...], told: str) -> None:
    options = [word for text in assignments for word in ("--set", text)]
    refused(cli(*PLAY, *options), told)
    assert tree(folder) == {}


FILES = [
    (b'game = "switch16"\n', "is for the game 'switch16'; this run plays 'turnthetide'"),
    (b"game = 7\n", "is for the game 7"),
    (b"rules = 3\n", "must be a table [rules]; given 3"),
    (b"hand_size = 10\n", 'the line "[rules]"'),
    (b"[rules]\nhand_sise = 10\n", "did you mean: hand_size"),
    (b"[rules]\nhand_size = nan\n", "given nan"),
    (b"[rules]\nhand_size = inf\n", "given inf"),
    (b"[rules]\nhand_size = true\n", "given True"),
    (b'[rules]\nhand_size = "12"\n', "given '12'"),
    (b"[rules]\nhand_size = 12\nhand_size = 11\n", "not valid TOML"),
    (b"[rules\n", "not valid TOML"),
    (b"[rules]\nbonus = " + b"[" * 5000 + b"]" * 5000, "rules.toml"),
    (b"[rules]\nbonus = " + b"9" * 5000, "not valid TOML"),
    (b"\xff\xfe\x00", "not UTF-8"),
    (b"#" * 20_001, "longer than 20,000 bytes"),
]


@pytest.mark.parametrize(("content", "told"), FILES)
def test_rules_files(cli: Cli, folder: Path, content: bytes, told: str) -> None:
    (folder / "rules.toml").write_bytes(content)
    refused(cli(*PLAY, "--rules", "rules.toml"), told)
    assert list(tree(folder)) == ["rules.toml"]


def test_rules_files_that_cannot_be_read(cli: Cli, folder: Path) -> None:
    refused(cli(*PLAY, "--rules", "missing.toml"), "cannot be read: No such file")
    refused(cli(*PLAY, "--rules", "."), "cannot be read: Is a directory")
    refused(cli(*PLAY, "--rules", "nul\0byte"), "cannot be read")
    if os.path.exists("/dev/zero"):
        refused(cli(*PLAY, "--rules", "/dev/zero"), "no regular file")


STRATEGIES = [
    (("lowst",), "did you mean: lowest"),
    (("[bold]lowest[/bold]",), "'[bold]lowest[/bold]'"),
    (("\x1b]0;gone\x07",), r"\x1b]0;gone\x07"),
    (("\u202etsewol",), r"\u202e"),
    (("lowest:3",), "takes no parameters"),
    (("",), "named ''"),
    (("lowest", "highest", "middle"), "3 strategies are given for 4 players"),
    (("./missing.py::x",), "there is no strategy file './missing.py'"),
    (("./broken.py::x",), "cannot be loaded: SyntaxError"),
    (("./leaving.py::x",), "cannot be loaded: SystemExit"),
    (("./empty.py",), "write PATH.py::NAME"),
    (("./empty.py::x",), "named 'x'"),
    (("./../../empty.py::x",), "there is no strategy file"),
]


@pytest.mark.parametrize(("specs", "told"), STRATEGIES)
def test_strategies(cli: Cli, folder: Path, specs: tuple[str, ...], told: str) -> None:
    (folder / "broken.py").write_text("def :")
    (folder / "leaving.py").write_text("raise SystemExit(0)")
    (folder / "empty.py").write_text(STRATEGY)
    before = set(tree(folder))
    options = [word for spec in specs for word in ("--strategy", spec)]
    refused(cli(*PLAY, "--players", "4", *options), told)
    assert {name for name in tree(folder) if "__pycache__" not in name} == before


LINES = [
    ((), 0, ""),
    (("simlate", "turnthetide"), 2, "Did you mean 'simulate'?"),
    (("simulate",), 2, "missing argument"),
    (("simulate", "turnthetide", "chess"), 2, "unexpected extra argument"),
    (("simulate", "turnthetime"), 2, "did you mean: turnthetide"),
    (("simulate", "[red]x[/red]"), 2, "'[red]x[/red]'"),
    (("simulate", "n" * 100_000), 2, "`analyzer games` lists them"),
    (("simulate", "\x1b[2J"), 2, r"\x1b[2J"),
    (("simulate", "../turnthetide"), 2, "there is no game named '../turnthetide'"),
    (("simulate", "turnthetide", "--plyers", "4"), 2, "did you mean --players"),
    (("simulate", "turnthetide", "--games"), 2, "requires an argument"),
    (("simulate", "turnthetide", "--quiet=yes"), 2, "does not take a value"),
    (("simulate", "turnthetide", "--scheduler", "tcp://x"), 2, "is for --backend dask"),
    (("simulate", "turnthetide", "--resume"), 2, "needs --out or --seed"),
    (("simulate", "turnthetide", "--resume", "--seed", "1"), 2, "there is no run in"),
    (("simulate", "turnthetide", "--resume", "--force", "--seed", "1"), 2, "leave one out"),
    (("simulate", "turnthetide", "--no-save", "--out", "x"), 2, "--no-save writes nothing"),
    (("simulate", "turnthetide", "--no-save", "--force"), 2, "--no-save writes nothing"),
    (("fairness", "turnthetide", "--field", "lowest+highest"), 2, "2 strategies for 4 players"),
    (("fairness", "turnthetide", "--field", "lowest+"), 2, "2 strategies for 4 players"),
    (("fairness", "turnthetide", "--field", "lwest"), 2, "did you mean: lowest"),
    (
        ("fairness", "turnthetide", "--suggest", "--set", "allocation=none"),
        2,
        "--suggest looks for a fairer printing",
    ),
    (
        ("fairness", "turnthetide", "--suggest", "--set", 'preservers={"1-60" = 3}'),
        2,
        "180 half preservers",
    ),
    (("strategies", "chess"), 2, "there is no game named 'chess'"),
    (("rules", "turnthetide", "--players", "12"), 2, "2 to 6 players"),
    (("trace", "turnthetide"), 2, "give --game K, counted from 0, or --find"),
    (("trace", "turnthetide", "--game", "-1"), 2, "--game must be a whole number"),
    (("trace", "turnthetide", "--game", "9", "--games", "5"), 2, "games 0 to 4"),
    (("trace", "nowhere", "--game", "1"), 2, "named by its directory"),
    (("trace", "n" * 5000, "--game", "1"), 2, "named by its directory"),
    (("trace", ".", "--game", "1"), 2, "there is no run in '.'"),
    (("report", "nowhere"), 2, "there is no run in 'nowhere'"),
    (("report", "."), 2, "there is no run in '.'"),
    (("check", "nowhere.py"), 2, "nowhere.py"),
    (("check", "."), 2, "no strategy file"),
]


@pytest.mark.parametrize(("line", "code", "told"), LINES)
def test_lines(cli: Cli, folder: Path, line: tuple[str, ...], code: int, told: str) -> None:
    ran = cli(*line)
    assert ran.code == code
    if code:
        refused(ran, told)
    assert tree(folder) == {}


DIE = "switch_die={blank = 0, green = 0, red = 1, block = 0}"
SWITCH16 = [
    (("--risk-policy", "gredy"), "did you mean: greedy"),
    (
        ("--risk-policy", "greedy/leader/hold"),
        "'greedy/leader/hold' is given as a risk policy, but has 3 parts",
    ),
    (("--risk-policy", "greedy", "--strategy", "always/leader/hold"), "leave one out"),
    (("--risk-policy", "greedy", "--risk-policy", "never", "--players", "3"), "for 3 players"),
    (
        ("--risk-policy", "greedy", "--risk-policy", "never", *["--block-policy", "hold"] * 3),
        "2 risk policies, 3 block policies",
    ),
    (("--risk-policy", ""), "named ''"),
    (("--risk-policy", "optimal"), "no switch16 risk policy named 'optimal'"),
    (("--risk-policy", "./missing.py::x"), "there is no strategy file"),
    (("--risk-policy", "\x1b[2J"), r"\x1b[2J"),
    (("--risk-policy", "threshold:1.5"), "a number from 0 to 1"),
    (("--risk-policy", "threshold:nan"), "a number from 0 to 1"),
    (("--risk-policy", "threshold:k=1"), "known are: q"),
    (("--block-policy", "deny:0"), "a whole number from 1 to 30"),
    (("--block-policy", "deny:2.5"), "a whole number from 1 to 30"),
    (("--strategy", "greedy"), "give --risk-policy greedy, or all parts, such as greedy/leader"),
    (("--strategy", "strike:k=3"), "greedy/leader/strike:k=3"),
    (("--strategy", "greedy/leader"), "has 2 parts"),
    (("--strategy", "greedy//hold"), "no switch16 green policy named ''"),
    (("--strategy", "leader/greedy/hold"), "no switch16 risk policy named 'leader'"),
    (("--strategy", "optimal"), "solved for 2 players, and 4 are to play"),
    (("--strategy", "optimal/leader/hold"), "no switch16 risk policy named 'optimal'"),
    (("--strategy", "optimal", "--players", "2", "--match-points", "9"), "not for a match"),
    (("--strategy", "optimal", "--players", "2", "--set", DIE), "goes on for ever"),
    (("--match-points", "-1"), "--match-points: match_points must be a whole number from 0 to 10"),
    (("--match-points", "ten"), "from 0 to 10000; given 'ten'"),
    (("--match-points", "20000"), "from 0 to 10000; given 20000"),
    (("--match-points", "2000000"), "from 0 to 10000; given 2000000"),
    (("--match-points", "100", "--set", "match_points=50"), "leave one out"),
    (("--players", "5"), "switch16 is for 2 to 4 players; given 5"),
    (("--set", "milestone_resume=10"), "neither the milestone (8) nor the card after it (9)"),
    (("--set", "milestone=3", "--set", "milestone_resume=5"), "neither the milestone (3)"),
    (("--set", "switch_die={blue = 1}"), "'blue' is no kind of face"),
    (("--set", "switch_die={blank = 0, green = 0, red = 0, block = 0}"), "has 0 faces"),
    (("--set", "switch_die={blank = -1}"), "-1 is no number of faces"),
    (("--set", "switch_die={blank = true}"), "True is no number of faces"),
    (("--set", "switch_die=3"), "3 was given"),
    (("--set", "dice={2 = 3}"), "does not say what card 1 calls for"),
    (("--set", "dice={1 = 9}"), "9 is not a number of dice"),
    (("--set", "dice={1 = 0}"), "0 is not a number of dice"),
    (("--set", "dice={one = 3}"), "'one' is not a top card"),
    (("--set", "dice={1 = 8}", "--set", "faces=20"), "use fewer faces or dice"),
    (("--set", "faces=0"), "a whole number from 1 to 20"),
    (("--set", "cards=31"), "a whole number from 1 to 30"),
    (("--set", "cards=1.5"), "given 1.5"),
    (("--set", "max_turns=0"), "a whole number from 1 to 60000"),
    (("--set", "first_player=seat9"), "Did you mean seat1?"),
]


@pytest.mark.parametrize(("options", "told"), SWITCH16)
def test_policies_and_rules_of_switch16(
    cli: Cli, folder: Path, options: tuple[str, ...], told: str
) -> None:
    refused(cli("simulate", "switch16", "--games", "300", "--seed", "1", "--json", *options), told)
    assert tree(folder) == {}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("simulate", "turnthetide", "--risk-policy", "greedy"), "turnthetide has none"),
        (("simulate", "turnthetide", "--match-points", "9"), "turnthetide has none"),
        (("fairness", "switch16", "--suggest"), "has nothing to suggest for switch16"),
        (("fairness", "switch16", "--field", "always/leader/hold+never/leader/hold"), "4 players"),
        (("solve", "switch16", "--set", DIE), "these rules cannot be solved"),
        (("solve", "switch16", "--against", "optimal"), "not a combination RISK/GREEN/BLOCK"),
        (("solve", "switch16", "--against", "chase/leader/hold"), "no risk policy of switch16"),
        (("trace", "switch16", "--game", "0", "--risk-policy", "bold"), "named 'bold'"),
        (("trace", "switch16", "--game", "0", "--strategy", "optimal"), "solved for 2 players"),
    ],
)
def test_other_commands_on_switch16(
    cli: Cli, folder: Path, line: tuple[str, ...], told: str
) -> None:
    refused(cli(*line, "--quiet") if line[0] != "trace" else cli(*line), told)
    assert tree(folder) == {}


def test_dask_without_its_package(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused(cli(*PLAY, "--backend", "dask"), "pip install 'analyzer[dask]'")
    assert tree(folder) == {}


class TestOutput:
    """Places that are not ours to write."""

    @pytest.mark.parametrize(
        ("path", "told"),
        [
            ("file", "'file' is a file"),
            ("file/run", "'file' is a file"),
            ("link", "is a symbolic link"),
            ("dangling", "is a symbolic link"),
            ("../run", "climbs with '..'"),
            ("x/../../run", "climbs with '..'"),
            ("foreign", "holds other things ('precious.txt')"),
            (".", "holds other things"),
            ("/", "holds other things"),
            ("a" * 300, "name too long"),
            ("nul\0byte", "zero byte"),
            ("deep/" * 2000 + "run", "too long"),
            pytest.param(
                "/proc/analyzer",
                "cannot be written",
                marks=pytest.mark.skipif(not os.path.isdir("/proc/1"), reason="no /proc here"),
            ),
        ],
    )
    @pytest.mark.parametrize("force", [(), ("--force",)])
    def test_paths(
        self, cli: Cli, folder: Path, path: str, told: str, force: tuple[str, ...]
    ) -> None:
        (folder / "file").write_text("x")
        (folder / "foreign").mkdir()
        (folder / "foreign" / "precious.txt").write_text("x")
        (folder / "target").mkdir()
        (folder / "link").symlink_to("target")
        (folder / "dangling").symlink_to("nothing")
        before = tree(folder)
        ran = cli(*PLAY, "--out", path, *force)
        assert ran.code == 2 and ran.out == "", ran
        assert told.lower() in ran.err.lower()
        assert tree(folder) == before

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
    def test_a_folder_without_the_right_to_write(self, cli: Cli, folder: Path) -> None:
        (folder / "locked").mkdir(mode=0o500)
        refused(cli(*PLAY, "--out", "locked/run"), "cannot be written: Permission denied")

    @pytest.mark.parametrize(
        ("manifest", "told"),
        [
            ("", "damaged or not ours"),
            ("[1, 2]", "damaged or not ours"),
            ('{"schema": "npm/1", "program": "npm"}', "not of a run of this program"),
            ('{"schema": "analyzer/run/9", "program": "analyzer"}', "use the version that wrote"),
            ("[" * 100_000, "damaged or not ours"),
            (
                json.dumps(
                    {
                        "schema": "analyzer/run/1",
                        "program": "analyzer",
                        "state": "unfinished",
                        "identity": {},
                        "about": {},
                        "parts": {},
                        "files": {"../precious.txt": {"size": 1, "sha256": ""}},
                    }
                ),
                "which is no file of a run",
            ),
        ],
    )
    def test_manifests_that_are_not_ours(
        self, cli: Cli, folder: Path, manifest: str, told: str
    ) -> None:
        (folder / "precious.txt").write_text("x")
        (folder / "run").mkdir()
        (folder / "run" / "manifest.json").write_text(manifest)
        before = tree(folder)
        for command in (
            (*PLAY, "--out", "run"),
            (*PLAY, "--out", "run", "--force"),
            (*PLAY, "--out", "run", "--resume"),
            ("report", "run", "--json"),
            ("trace", "run", "--game", "1", "--json"),
        ):
            refused(cli(*command), told)
            assert tree(folder) == before


def test_debug_shows_the_traceback(cli: Cli) -> None:
    ran = cli("simulate", "chess", "--debug")
    assert ran.code == 2 and "Traceback" in ran.err and "UnknownName" in ran.err


def test_a_bug_is_one_message_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.plugins.game_names", lambda: 1 / 0)
    ran = cli("games", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: this should not have happened: ZeroDivisionError")
    assert "Traceback" not in ran.err


def test_a_directory_of_a_game_that_is_gone(cli: Cli, folder: Path) -> None:
    line = ("--games", "300", "--no-report", "--quiet", "--out", "run")
    assert cli("simulate", "turnthetide", *line).code == 0
    manifest = folder / "run" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"turnthetide"', '"gone"'))
    ran = cli("simulate", "turnthetide", *line)
    assert ran.code == 2 and "holds another run" in ran.err and "no game named" not in ran.err


@pytest.mark.parametrize(("code", "left"), [("text", 1), (3, 3), (None, 0)])
def test_who_leaves_with_a_text_has_failed(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, code: str | int | None, left: int
) -> None:
    def leave() -> None:
        raise SystemExit(code)

    monkeypatch.setattr("analyzer.plugins.game_names", leave)
    ran = cli("games", "--json")
    assert (ran.code, ran.out) == (left, "") and (code != "text" or "error: text" in ran.err)


def test_there_is_one_way_in() -> None:
    """`python -m analyzer`, which looks for modules where it should."""
    for file in Path(analyzer.__file__).parent.rglob("*.py"):
        if file.name != "__main__.py":
            assert "\nif __name__ ==" not in file.read_text(), file
