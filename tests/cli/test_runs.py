"""Runs that are saved, found again, continued, replaced, damaged and drawn."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from analyzer import study
from analyzer.errors import WorkerLost
from analyzer.rundir import claim
from tests.cli.conftest import Cli, tree

PLAY = ("simulate", "turnthetide", "--games", "3000", "--jobs", "1", "--no-report")
RUN = (*PLAY, "--seed", "7", "--out", "run")


def figures(text: str) -> dict[str, Any]:
    """A document without its timings."""
    document = dict(json.loads(text))
    for timed in (document, *document.get("fields", ())):
        del timed["throughput"]
    return document


def lasting(folder: Path) -> dict[str, bytes]:
    """The files of a run whose bytes depend on nothing but what was asked."""
    files = tree(folder)
    return {name: files[name] for name in files if name.startswith(("tables/", "parts/"))}


@pytest.fixture
def quick_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and pictures as the real ones, whose drawing takes seconds."""

    def write_report(answer: Any, provenance: Any, directory: Path) -> None:
        (directory / "picture.png").write_bytes(b"a picture")
        (directory / "report.html").write_text(provenance.partial)

    monkeypatch.setattr("analyzer.publishing.write_report", write_report)


def test_a_run_goes_to_its_own_place(cli: Cli, folder: Path) -> None:
    ran = cli(*PLAY, "--seed", "7", "--json")
    assert ran.code == 0
    (run,) = (folder / "results").iterdir()
    assert run.name.startswith("turnthetide-simulate-7-")
    assert {path.name for path in run.iterdir()} == {"manifest.json", "parts", "tables"}
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["state"] == "finished"
    assert manifest["identity"]["request"]["seed"] == 7
    assert set(manifest["files"]) == {
        name for name in tree(run) if "." in name and name != "manifest.json"
    }
    assert manifest["about"]["command"] == (
        "analyzer simulate turnthetide --json --games 3000 --jobs 1 --no-report --seed 7"
    )
    assert manifest["about"]["reproduce"] == "analyzer simulate turnthetide --games 3000 --seed 7"
    cli(*PLAY, "--seed", "7", "--set", "bonus=0")
    assert len(list((folder / "results").iterdir())) == 2


def test_the_same_run_is_found_and_not_played_again(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = cli(*RUN, "--json")
    before = tree(folder)
    monkeypatch.setattr("analyzer.study.stage.run", None)
    for again in (RUN, (*RUN, "--resume"), (*PLAY, "--out", "run"), (*RUN, "--jobs", "2")):
        ran = cli(*again, "--json")
        assert ran.code == 0, ran.err
        assert ran.out == first.out
        assert "finished, verified: nothing is played" in ran.err
    assert tree(folder) == before


def test_force_plays_again_and_another_run_is_refused(cli: Cli, folder: Path) -> None:
    first = cli(*RUN, "--json")
    saved = lasting(folder / "run")
    other = cli(*RUN, "--set", "bonus=0", "--json")
    assert other.code == 2 and other.out == ""
    assert "holds another run (bonus: 1 there, 0 here)" in other.err
    assert lasting(folder / "run") == saved
    again = cli(*RUN, "--force", "--json")
    assert figures(again.out) == figures(first.out)
    assert lasting(folder / "run") == saved
    replaced = cli(*RUN, "--set", "bonus=0", "--force", "--json")
    assert replaced.code == 0
    assert json.loads(replaced.out)["rules"]["bonus"] == 0
    assert lasting(folder / "run") != saved


def test_force_spares_what_the_run_did_not_write(cli: Cli, folder: Path) -> None:
    cli(*RUN)
    (folder / "run" / "tables" / "mine.csv").write_text("precious")
    before = tree(folder)
    ran = cli(*RUN, "--force")
    assert ran.code == 2 and "did not write ('tables/mine.csv')" in ran.err
    assert tree(folder) == before


@pytest.mark.long
def test_the_same_bytes_whatever_the_workers(cli: Cli, folder: Path) -> None:
    games = ("--field", "lowest", "--games", "20_000", "--seed", "3", "--no-report", "--json")
    runs = {
        "one": ("--jobs", "1"),
        "threads": ("--jobs", "2", "--backend", "threads"),
    }
    outputs = [
        figures(cli("fairness", "turnthetide", *games, "--out", name, *how).out)
        for name, how in runs.items()
    ]
    assert outputs[0] == outputs[1]
    assert lasting(folder / "one") == lasting(folder / "threads")


class Counting:
    """The engine's ``run``, which notes how many games it was asked for, and what was there."""

    def __init__(self) -> None:
        from analyzer.engine.runner import run

        self.run = run
        self.games: list[int] = []
        self.there: list[int] = []

    def __call__(self, experiment: Any, **how: Any) -> Any:
        self.games.append(experiment.games)
        self.there.append(how["resume"].games if how["resume"] is not None else 0)
        return self.run(experiment, **how)


class Breaking:
    """The engine's ``run``, which loses its workers after the first games that it saves."""

    def __init__(self, after: str) -> None:
        from analyzer.engine.runner import run

        self.run = run
        self.after = after
        self.parts = 0

    def __call__(self, experiment: Any, **how: Any) -> Any:
        self.parts += 1
        if self.parts == 2 or self.after == "first":
            how["save"](self.run(experiment, **{**how, "cancelled": lambda: True}))
            raise WorkerLost("a worker process was killed.")
        return self.run(experiment, **how)


@pytest.mark.long
@pytest.mark.parametrize("after", ["first", "second"])
def test_a_run_that_failed_goes_on_where_it_was(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, quick_report: None, after: str
) -> None:
    line = ("fairness", "turnthetide", "--games", "3000", "--seed", "2", "--jobs", "1", "--json")
    whole = cli(*line, "--no-report", "--out", "whole")
    with monkeypatch.context() as patch:
        patch.setattr("analyzer.study.stage.run", Breaking(after))
        failed = cli(*line, "--no-report", "--out", "run")
    assert (failed.code, failed.out) == (1, "")
    assert failed.err.count("error: ") == 1 and "a worker process was killed" in failed.err
    assert json.loads((folder / "run" / "manifest.json").read_text())["state"] == "unfinished"
    assert not list((folder / "run").rglob(".*"))
    partial = cli("report", "run", "--json")
    assert partial.code == 0
    assert "1,024 of 3,000 games: the run was interrupted" in partial.err
    assert json.loads(partial.out)["games"] == (1024 if after == "first" else 3000)
    assert (folder / "run" / "report.html").is_file()
    resumed = cli(*line, "--no-report", "--out", "run", "--resume")
    # What told of a part only is gone.
    assert not (folder / "run" / "report.html").exists()
    assert resumed.code == 0 and "continuing it" in resumed.err
    assert figures(resumed.out) == figures(whole.out)
    assert lasting(folder / "run") == lasting(folder / "whole")


def test_a_strategy_that_fails_leaves_nothing(cli: Cli, folder: Path) -> None:
    (folder / "bad.py").write_text(
        "from analyzer.contracts import Strategy\n"
        "def play(view, params, words, out):\n    out[:] = 61\n"
        'bad = Strategy("turnthetide", "bad", "Cheats.", {"card": play})\n'
    )
    ran = cli(*RUN, "--strategy", "./bad.py::bad", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert "failed in game 0" in ran.err and ran.err.count("error: ") == 1
    assert not (folder / "run").exists()


def test_a_full_disk(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    cli(*RUN)
    before = tree(folder)
    monkeypatch.setattr("os.fsync", full)
    ran = cli(*RUN[:-1], "new", "--json")
    assert (ran.code, ran.out) == (2, "") and "No space left on device" in ran.err
    assert tree(folder) == before
    written = iter([None])

    def full_later(handle: int) -> None:
        try:
            next(written)
        except StopIteration:
            full(handle)

    monkeypatch.setattr("os.fsync", full_later)
    ran = cli(*RUN[:-1], "new", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert "No space left on device. What was saved before is still there" in ran.err
    assert not list(folder.rglob(".new*"))


def test_two_processes_do_not_share_a_run(cli: Cli, folder: Path) -> None:
    with claim(folder / "run", {}) as directory:
        ran = cli(*RUN)
        assert ran.code == 2 and "being written by another analyzer (process" in ran.err
        assert directory.state == "new"
    assert not (folder / "run").exists()
    assert cli(*RUN).code == 0


class TestDamage:
    """What was broken after it was written."""

    @pytest.fixture
    def run(self, cli: Cli, folder: Path, quick_report: None) -> Path:
        ran = cli("fairness", "turnthetide", "--games", "2000", "--seed", "1", "--out", "run")
        assert ran.code == 0, ran.err
        return folder / "run"

    def again(self, cli: Cli, *more: str) -> Any:
        line = ("fairness", "turnthetide", "--games", "2000", "--seed", "1", "--out", "run")
        return cli(*line, "--json", *more)

    def test_whole(
        self, cli: Cli, folder: Path, run: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One thing after the other goes wrong with a run."""
        assert (run / "report.html").is_file() and list(run.glob("*.png"))
        first = self.again(cli)
        # Drawn again from what is saved.
        drawn = cli("report", "run", "--json")
        assert figures(drawn.out) == figures(first.out) and drawn.err == ""
        # A page or a table that is gone or changed comes back.
        before = lasting(run)
        (run / "tables" / "seats.csv").write_text("changed")
        (run / "report.html").unlink()
        ran = self.again(cli)
        assert "tables/seats.csv has 7 bytes" in ran.err and "report.html is missing" in ran.err
        assert ran.code == 0 and lasting(run) == before and (run / "report.html").is_file()
        # A part that was not played is named, and the rest is told.
        flat = run / "parts" / "flat.npz"
        content = flat.read_bytes()
        flat.write_bytes(content[:-1] + b"x")
        ran = cli("report", "run", "--json")
        assert ran.code == 0 and "'flat' is left out: parts/flat.npz was changed" in ran.err
        assert json.loads(ran.out)["lifesavers"]["handicap"] is None
        assert "was changed" in (run / "report.html").read_text()
        # Nor can anything be told without its main part.
        main = (run / "parts" / "main.npz").read_bytes()
        for broken in (b"", content[:100], content[: len(content) // 2]):
            (run / "parts" / "main.npz").write_bytes(broken)
            ran = cli("report", "run")
            assert ran.code == 2 and "parts/main.npz has" in ran.err
        (run / "parts" / "main.npz").write_bytes(main)
        # The run itself sets the part aside, and plays the games of this one again.
        assert json.loads(self.again(cli, "--dry-run").out)["found"] == "unfinished"
        with monkeypatch.context() as patch:
            patch.setattr("analyzer.study.stage.run", played := Counting())
            ran = self.again(cli)
        assert ran.code == 0 and played.games == [2000]
        assert "parts/flat.npz was changed after it was written; it is kept as" in ran.err
        aside = run / "parts" / "flat.npz.damaged"
        assert repr(str(aside.relative_to(folder))) in ran.err
        assert aside.read_bytes() == content[:-1] + b"x"
        left = lasting(run)
        del left["parts/flat.npz.damaged"]
        assert left == before
        assert figures(ran.out) == figures(first.out)
        # What was set aside is not the run's, and nothing of it is ever removed.
        refused = self.again(cli, "--force")
        assert refused.code == 2 and "flat.npz.damaged" in refused.err and aside.exists()
        assert "nothing is played" in self.again(cli).err

    def test_a_part_of_an_unfinished_run(self, cli: Cli, folder: Path) -> None:
        line = (*PLAY, "--seed", "7", "--out", "run")
        assert cli(*line).code == 0
        manifest = folder / "run" / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"finished"', '"unfinished"'))
        part = folder / "run" / "parts" / "main.npz"
        content = part.read_bytes()
        half = len(content) // 2
        unfinished = manifest.read_text()
        breaks = (b"", b"PK", content[:half], content[:half] + b"\0" * 40 + content[half:])
        for number, broken in enumerate(breaks, start=1):
            manifest.write_text(unfinished)
            part.write_bytes(broken)
            ran = cli(*line)
            assert ran.code == 0 and "is damaged (" in ran.err, ran.err
            assert "and its games are played again" in ran.err
            name = "main.npz.damaged" + (f"-{number}" if number > 1 else "")
            assert (part.parent / name).read_bytes() == broken and repr(
                f"run/parts/{name}"
            ) in ran.err
            assert part.read_bytes() == content
        manifest.write_text(unfinished)
        part.unlink()
        ran = cli(*line)
        assert ran.code == 0 and "main.npz' is missing; its games are played again" in ran.err
        assert part.read_bytes() == content


FORGED = ("shape", "names", "none won", "negative wins", "score_low", "games", "wins_sq",
          "score_sq", "score_hist", "unfinished", "game_by_game", "history", "wrapped")  # fmt: skip


@pytest.mark.parametrize("rotate", [False, True])
def test_sums_that_were_never_played(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, rotate: bool
) -> None:
    """A forged part, whole as a file and listed as it is."""
    from dataclasses import replace

    from analyzer.rundir import read_part, write_part

    line = (*RUN, *(w for s in ("random", "lowest", "lowest") for w in ("--strategy", s)),
            "--rotate") if rotate else RUN  # fmt: skip
    first = cli(*line, "--json")
    assert first.code == 0, first.err
    manifest = folder / "run" / "manifest.json"
    listed = manifest.read_text()
    request = study.Request.from_json(json.loads(listed)["identity"]["request"])
    part = folder / "run" / "parts" / "main.npz"
    content = part.read_bytes()
    result = read_part(part, request.experiment())
    for change in (*FORGED, "held", "strategy_wins_sq") if rotate else FORGED:
        sums, low, history = dict(result.sums), result.score_low, result.history
        if change == "shape":
            sums["wins"] = sums["wins"][:, :2]
        elif change == "names":
            del sums["hands"]
        elif change == "none won":
            del sums["wins"]
        elif change == "negative wins":
            sums["wins"] = -sums["wins"]
        elif change == "score_low":
            low = 9
        elif change == "games":
            sums["games"] = sums["games"][:, ::-1].copy()
        elif change == "history":
            history = tuple(replace(point, games=point.games + 1) for point in history)
        elif change == "wrapped":  # so much in each block that all of them add up to nothing
            sums["score_sq"] = sums["score_sq"] + 2**56
        elif change == "unfinished":
            sums[change] = sums[change] - 1
        else:
            sums[change] = 0 * sums[change]
        write_part(part, replace(result, sums=sums, score_low=low, history=history))
        told = json.loads(listed)
        told["files"]["parts/main.npz"] = {
            "size": part.stat().st_size,
            "sha256": hashlib.sha256(part.read_bytes()).hexdigest(),
        }
        manifest.write_text(json.dumps(told))
        ran = cli("report", "run", "--json")
        assert (ran.code, ran.out) == (2, ""), (change, ran)
        assert "does not hold what was played" in ran.err, change
        ran = cli(*line, "--json")
        assert ran.code == 0 and figures(ran.out) == figures(first.out), (change, ran)
        assert "does not hold what was played; it is kept as" in ran.err
        assert part.read_bytes() == content


def test_sums_that_nothing_can_be_reckoned_from(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no check knows of is damage too, and no riddle."""
    import math

    cli(*RUN)
    monkeypatch.setattr("analyzer.study.answer.summarize", lambda *_: math.sqrt(-1))
    for line in (RUN, ("report", "run")):
        ran = cli(*line, "--json")
        assert (ran.code, ran.out) == (2, "")
        assert "its sums do not fit together (ValueError: " in ran.err and "--force" in ran.err


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "few", "many"),
    [
        (("simulate", "turnthetide"), "1024", "3000"),
        (("simulate", "turnthetide", "--strategy", "lowest", "--strategy", "random",
          "--strategy", "random", "--rotate"), "1500", "4000"),
        (("fairness", "turnthetide", "--field", "none"), "900", "2500"),
        (("fairness", "switch16", "--field", "none"), "60", "140"),
        (("fairness", "mermaidbeach", "--field", "none"), "100", "300"),
    ],
)  # fmt: skip
def test_more_games_continue_a_finished_run(
    cli: Cli,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: tuple[str, ...],
    few: str,
    many: str,
) -> None:
    line = (*line, "--seed", "3", "--jobs", "1", "--no-report", "--json")
    whole = cli(*line, "--games", many, "--out", "whole")
    assert cli(*line, "--games", few, "--out", "run").code == 0
    assert json.loads(cli(*line, "--games", many, "--out", "run", "--dry-run").out)["found"] == (
        "unfinished"
    )
    played = Counting()
    with monkeypatch.context() as patch:
        patch.setattr("analyzer.study.stage.run", played)
        ran = cli(*line, "--games", many, "--out", "run")
    assert ran.code == 0, ran.err
    assert f"it has {int(few):,} games, and is continued to {int(many):,}" in ran.err
    assert played.there[0] == int(few) and played.games[0] == int(many)
    assert all(played.there)
    assert figures(ran.out) == figures(whole.out)
    assert lasting(folder / "run") == lasting(folder / "whole")
    manifests = [json.loads((folder / n / "manifest.json").read_text()) for n in ("run", "whole")]
    assert manifests[0]["identity"] == manifests[1]["identity"]
    assert manifests[0]["about"]["reproduce"] == manifests[1]["about"]["reproduce"]
    assert "nothing is played" in cli(*line, "--games", many, "--out", "run").err
    fewer = cli(*line, "--games", few, "--out", "run")
    assert fewer.code == 2 and f"games: {many} there, {few} here" in fewer.err


def test_more_games_after_an_interruption(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = (*RUN, "--games", "5000", "--json")
    whole = cli(*more[:-1], "--out", "whole", "--json")
    cli(*RUN)
    with monkeypatch.context() as patch:
        patch.setattr("analyzer.study.stage.run", lambda *_, **__: 1 / 0)
        assert cli(*more).code == 1  # before anything of it was saved
    told = cli("report", "run", "--json")
    assert told.code == 0 and "3,000 of 5,000 games" in told.err
    with monkeypatch.context() as patch:
        patch.setattr("analyzer.study.stage.run", Breaking("first"))
        assert cli(*more).code == 1
    ran = cli(*more, "--resume")
    assert ran.code == 0 and figures(ran.out) == figures(whole.out)
    assert lasting(folder / "run") == lasting(folder / "whole")


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "text"),
    [
        (("simulate", "turnthetide", "--precision", "0.2"), "--precision ends where"),
        (("fairness", "turnthetide", "--field", "none", "--suggest"), "what --suggest tries"),
        (("compare", "turnthetide", "--a", "lowest", "--b", "random"), "such a run is not"),
    ],
)
def test_runs_that_are_not_continued_to_more_games(
    cli: Cli, folder: Path, line: tuple[str, ...], text: str
) -> None:
    line = (*line, "--seed", "3", "--jobs", "1", "--no-report", "--out", "run")
    ran = cli(*line, "--games", "3000")
    assert ran.code == 0, ran.err
    before = tree(folder)
    ran = cli(*line, "--games", "6000")
    assert ran.code == 2 and text in ran.err, ran.err
    assert "holds this run with 3,000 games, and 6,000 are asked for" in ran.err
    assert tree(folder) == before


def test_interrupted_while_it_draws(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("analyzer.cli.play.publish_page", interrupt)
        ran = cli(*(word for word in RUN if word != "--no-report"))
    assert ran.code == 130 and "By the rules all seats are alike" in ran.out
    assert "All games are played and saved" in ran.err and "analyzer " + RUN[0] in ran.err
    assert cli(*RUN).code == 0 and (folder / "run" / "tables" / "seats.csv").exists()


def test_a_game_is_told_as_it_was_played_or_not_at_all(cli: Cli, folder: Path) -> None:
    text = (
        "from analyzer.contracts import Strategy\nimport numpy as np\n"
        "def low(view, params, words, out):\n"
        "    bit = view.cards & (~view.cards + np.uint64(1))\n"
        "    out[:] = np.log2(bit | 1).astype(np.uint8) + 1\n"
        "low = Strategy('turnthetide', 'low', 'Low.', {'card': low})\n"
    )
    (folder / "low.py").write_text(text)
    spec = ("--strategy", "./low.py::low")
    line = ("simulate", "turnthetide", "--games", "300", "--seed", "1", "--no-report", *spec)
    assert cli(*line, "--out", "run").code == 0
    tell = ("trace", "run", "--game", "1", *spec)
    assert cli(*tell).code == 0
    (folder / "low.py").write_text(text + "# changed\n")
    ran = cli(*tell)
    assert (ran.code, ran.out) == (2, "") and "'./low.py::low' was changed" in ran.err


def test_a_run_of_another_state_of_the_program_is_another_run(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli(*RUN).code == 0
    for module in ("analyzer.plugins", "analyzer.study.request"):
        monkeypatch.setattr(f"{module}.program_hash", lambda game: f"of another {game}")
    again = cli(*RUN)
    assert again.code == 2 and "holds another run (program: " in again.err
    told = cli("trace", "run", "--game", "1")
    assert (told.code, told.out) == (2, "") and "another state of the program" in told.err


def test_a_finished_run_moves(cli: Cli, folder: Path) -> None:
    cli(*RUN)
    shutil.move(folder / "run", folder / "elsewhere")
    ran = cli(*RUN[:-1], "elsewhere")
    assert ran.code == 0 and "nothing is played" in ran.err


def test_a_seed_is_told_and_kept(cli: Cli, folder: Path) -> None:
    ran = cli(*PLAY, "--out", "run", "--json")
    seed = json.loads(ran.out)["seed"]
    assert f"seed {seed}\n" in ran.err
    assert json.loads(cli(*PLAY, "--out", "run", "--json").out)["seed"] == seed
    assert json.loads(cli(*PLAY, "--no-save", "--json").out)["seed"] != seed


def test_nothing_is_saved_on_demand(cli: Cli, folder: Path) -> None:
    assert cli(*PLAY, "--no-save", "--seed", "1").code == 0
    asked = ("fairness", "turnthetide", "--games", "1e9", "--suggest", "--field", "none")
    document = json.loads(cli(*asked, "--dry-run", "--json").out)
    assert document["parts"][0] == {**document["parts"][0], "part": "main", "games": 10**9}
    names = [part["part"] for part in document["parts"]]
    assert names[:3] == ["main", "flat", "main-replay"] and "suggested-1-1" in names
    assert document["parts"][1]["about"] == "the same with five equal preservers each"
    assert {part["games"] for part in document["parts"][:2]} == {10**9}
    assert document["seconds"] > 60
    assert tree(folder) == {}


def test_a_dry_run_finds_what_a_run_would_find(cli: Cli, folder: Path) -> None:
    dry = cli(*RUN, "--dry-run", "--json")
    assert json.loads(dry.out)["found"] == "new" and tree(folder) == {}
    cli(*RUN)
    before = tree(folder)
    assert json.loads(cli(*RUN, "--dry-run", "--json").out)["found"] == "finished"
    told = cli(*RUN, "--dry-run").out.replace("\n", " ")
    assert "nothing would be played" in told and "This would take under 1 s with " in told
    other = (*RUN, "--set", "bonus=0", "--dry-run", "--json")
    ran = cli(*other)
    assert (ran.code, ran.out) == (2, "") and "holds another run" in ran.err
    assert json.loads(cli(*other, "--force").out)["found"] == "new"
    for path, told in (("../x", "climbs"), (".", "holds other things")):
        ran = cli(*RUN[:-1], path, "--dry-run", "--json")
        assert (ran.code, ran.out) == (2, "") and told in ran.err
    assert tree(folder) == before


def test_precision_stops_and_the_parts_follow(cli: Cli, folder: Path) -> None:
    line = ("fairness", "turnthetide", "--games", "2e5", "--seed", "1", "--no-report", "--json")
    ran = cli(*line, "--precision", "0.02", "--out", "run", "--field", "lowest")
    document = json.loads(ran.out)
    assert document["precision_reached"] is True and document["games"] < 200_000
    parts = json.loads((folder / "run" / "manifest.json").read_text())["parts"]
    assert {part["games"] for part in parts.values()} == {document["games"]}
    replays = {"main-replay", "field-1-replay"}
    assert set(parts) == {"main", "flat", "field-1", "field-1-flat"} | replays
    again = cli(*line, "--precision", "0.02", "--out", "run", "--field", "lowest")
    assert figures(again.out) == figures(ran.out)
    short = cli("simulate", "turnthetide", "--games", "600", "--precision", "1e-3", "--no-save")
    assert short.code == 0 and "before the precision was reached" in short.out
    needed = int(short.out.partition("give --games ")[2].split()[0].rstrip("."))
    asked = ("simulate", "turnthetide", "--precision", "0.02", "--no-save", "--json", "--seed", "2")
    short = cli(*asked, "--games", "600")
    told = json.loads(short.out)["games_needed"]
    enough = json.loads(cli(*asked, "--games", "1e6").out)
    assert enough["precision_reached"] and enough["games_needed"] is None
    assert told == pytest.approx(enough["games"], rel=0.15)
    assert needed == pytest.approx(told * 400, rel=0.3)


def test_too_few_games_give_an_answer_without_a_suggestion(cli: Cli) -> None:
    line = ("fairness", "turnthetide", "--games", "40", "--seed", "1", "--no-save", "--suggest")
    ran = cli(*line, "--set", 'preservers={"1-60" = 1}', "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["lifesavers"]["suggestion"] is None


@pytest.mark.long
def test_suggestions_are_saved_and_found(cli: Cli, folder: Path) -> None:
    line = ("fairness", "turnthetide", "--games", "4000", "--seed", "1", "--no-report", "--suggest")
    ran = cli(*line, "--json")
    assert ran.code == 0, ran.err
    suggestion = json.loads(ran.out)["lifesavers"]["suggestion"]
    assert len(suggestion["preservers"]) == 60 and sum(suggestion["preservers"]) == 48
    assert figures(cli(*line, "--json").out) == figures(ran.out)
    told = cli(*line)
    assert "in five bands" in told.out


def test_a_study_of_a_game_without_its_own() -> None:
    from analyzer.plugins import find_game
    from analyzer.study.base import Study

    request = study.make_request(
        "fairness",
        find_game("turnthetide"),
        strategies=["lowest"] * 3,
        rules={},
        games=600,
        seed=1,
        fields=[["highest"]],
    )
    Study().check(request)
    stage = study.Stage(study.WorkerSettings())
    answer = Study().conclude(request, stage)
    assert [part.name for part in stage.parts] == ["main", "field-1"]
    assert [field.field for field in answer.fields] == ["highest+highest+highest"]


@pytest.mark.slow
def test_a_report_is_drawn_whole(cli: Cli, folder: Path) -> None:
    ran = cli("fairness", "turnthetide", "--games", "2000", "--seed", "1", "--out", "run")
    assert ran.code == 0, ran.err
    assert "Saved in 'run/report.html'." in ran.out
    manifest = json.loads((folder / "run" / "manifest.json").read_text())
    written = set(tree(folder / "run")) - {"manifest.json", "parts", "tables"}
    assert set(manifest["files"]) == written
    page = (folder / "run" / "report.html").read_text()
    text = re.sub(r"<[^>]*>", "", page)
    assert "analyzer fairness turnthetide --games 2000 --seed 1" in text
    assert 'href="tables/seats.csv"' in page
    assert "Plays any remaining card" in text


def test_compiling_is_announced_only_where_games_are_played(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analyzer.cli.runs.is_cold", lambda module: True)
    (folder / "foreign").mkdir()
    (folder / "foreign" / "file").write_text("x")
    assert cli(*PLAY, "--seed", "4", "--out", "foreign").err.startswith("error: ")
    assert "compiling the game" in cli(*PLAY, "--seed", "4", "--out", "run").err
    assert "compiling the game" not in cli(*PLAY, "--seed", "4", "--out", "run").err
