"""Run directories: what is written, read back, and refused."""

from __future__ import annotations

import errno
import fcntl
import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analyzer.engine.runner import run
from analyzer.errors import OutputError, ResultsError
from analyzer.experiment import Experiment
from analyzer.games.turnthetide.game import GAME
from analyzer.results import Checkpoint, ResultSet
from analyzer.rules import load_rules
from analyzer.rundir import (
    claim,
    default_path,
    look,
    preview,
    read_part,
    reopen,
    write_part,
)
from analyzer.rundir.files import Lock, write_atomically
from analyzer.rundir.parts import read_experiment


@pytest.fixture(scope="module")
def result() -> ResultSet:
    """Some games, with checkpoints such as a stopping rule leaves."""
    rules = load_rules(GAME, 4)
    strategies = ("random", "lowest", "highest", "middle")
    experiment = Experiment("turnthetide", strategies, rules, 2500, 1, "fairness", rotate=True)
    played = run(experiment)
    return replace(played, checkpoints=(Checkpoint(1000, (1, 2, 3, 4), (2**60, 0, 0, 0)),))


def same(one: ResultSet, other: ResultSet) -> bool:
    """Whether two results are equal to the last bit, arrays included."""

    def plain(value: Any) -> Any:
        return {name: (array.dtype.str, array.tolist()) for name, array in value.items()}

    return (
        plain(one.sums) == plain(other.sums)
        and [(p.games, plain(p.sums)) for p in one.history]
        == [(p.games, plain(p.sums)) for p in other.history]
        and replace(one, sums={}, history=()) == replace(other, sums={}, history=())
    )


def test_a_part_comes_back_as_it_was(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "part.npz"
    write_part(path, result)
    back = read_part(path, result.experiment, result.seconds)
    assert same(back, result)
    first = path.read_bytes()
    write_part(path, replace(back, seconds=0.0))
    assert path.read_bytes() == first
    with np.load(path, allow_pickle=False) as archive:
        assert np.array_equal(archive["sums/wins"], result.sums["wins"])


def test_a_part_of_another_experiment_is_refused(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "part.npz"
    write_part(path, result)
    with pytest.raises(ResultsError, match="holds another experiment"):
        read_part(path, replace(result.experiment, seed=2))


def test_a_part_of_fewer_games_is_taken_where_they_are_continued(
    tmp_path: Path, result: ResultSet
) -> None:
    path = tmp_path / "part.npz"
    short = replace(result, checkpoints=())
    write_part(path, short)
    more = replace(result.experiment, games=9000)
    assert same(read_part(path, more, result.seconds, begun=True), short)
    refused = {
        "not asked": (more, False),
        "fewer": (replace(more, games=2000), True),
        "another": (replace(more, seed=2), True),
    }
    for experiment, begun in refused.values():
        with pytest.raises(ResultsError, match="holds another experiment"):
            read_part(path, experiment, begun=begun)
    write_part(path, result)  # with what a stopping rule saw
    assert same(read_part(path, more, result.seconds, begun=True), result)


def changed(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Rewrite the members of an archive."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def encoded(array: Any, pickle: bool = False) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=pickle)
    return buffer.getvalue()


def claimed(shape: tuple[int, ...]) -> bytes:
    """The beginning of an array, with the size that it claims to have."""
    buffer = io.BytesIO()
    about = {"descr": "<i8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, about)
    return buffer.getvalue()


def header(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, bytes]], None]:
    def apply(members: dict[str, bytes]) -> None:
        content = json.loads(members["part.json"])
        change(content)
        members["part.json"] = json.dumps(content).encode()

    return apply


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.pop("part.json"),
        lambda m: m.pop("sums/wins.npy"),
        lambda m: m.update({"part.json": b"{"}),
        lambda m: m.update({"part.json": b"[]"}),
        lambda m: m.update({"sums/wins.npy": b"not an array"}),
        lambda m: m.update({"sums/wins.npy": encoded(np.zeros((4, 4, 256)))}),
        lambda m: m.update({"sums/wins.npy": encoded(np.zeros((1, 4, 256), np.int64))}),
        lambda m: m.update({"sums/wins.npy": encoded(np.zeros((4, 4, 255), np.int64))}),
        lambda m: m.update({"sums/wins.npy": encoded(np.zeros((2, 4, 256), np.int64))}),
        lambda m: m.update({"sums/wins.npy": encoded(np.zeros((0, 4, 256), np.int64))}),
        lambda m: m.update({"history/0/wins.npy": encoded(np.zeros((3, 4, 256), np.int64))}),
        lambda m: m.update({"sums/wins.npy": encoded(np.array([{}]), pickle=True)}),
        lambda m: m.update({"sums/games.npy": encoded(np.ones((4, 256), np.int64))}),
        lambda m: m.update({"sums/wins.npy": claimed((4, 2**50, 256))}),
        lambda m: m.update({"sums/wins.npy": claimed((4, 2**70, 256))}),
        lambda m: m.update({"sums/wins.npy": claimed((4, -1, 256)) + bytes(8 * 4 * 256)}),
        lambda m: m.update({"sums/wins.npy": b"\x93NUMPY\1\0" + bytes([99, 0]) + b"(" * 99}),
        header(lambda h: h.update(schema="analyzer/part/9")),
        header(lambda h: h.update(games=-1)),
        header(lambda h: h.update(games="many")),
        header(lambda h: h.update(stopped="tired")),
        header(lambda h: h.update(checkpoints=[{}])),
        header(lambda h: h.update(history=[7])),
        header(lambda h: h.pop("score_low")),
        header(lambda h: h.update(score_low="low")),
        header(lambda h: h.update(games=float("inf"))),
        header(lambda h: h["checkpoints"][0].update(wins="1234")),
        header(lambda h: h["checkpoints"][0].update(wins=[1, 2])),
        header(lambda h: h["checkpoints"][0].update(games=0)),
        header(lambda h: h["checkpoints"][0].update(games=10**6)),
        header(lambda h: h["history"][0].update(games="1024")),
    ],
)
def test_a_part_that_was_tampered_with(
    tmp_path: Path, result: ResultSet, change: Callable[[dict[str, bytes]], None]
) -> None:
    path = tmp_path / "part.npz"
    write_part(path, result)
    changed(path, change)
    with pytest.raises(ResultsError, match="is damaged"):
        read_part(path, result.experiment)


def test_no_flipped_bit_goes_unnoticed(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "part.npz"
    write_part(path, result)
    content = path.read_bytes()
    for place in range(0, len(content), max(1, len(content) // 150)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :])
        try:
            back = read_part(path, result.experiment, result.seconds)
        except ResultsError:
            continue
        assert same(back, result)  # a bit that means nothing, such as one of a date


def test_writing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(f"os.{step}", fail)
            with pytest.raises(KeyboardInterrupt):
                write_atomically(path, b"new")
        assert [p.name for p in tmp_path.iterdir()] == ["file"]
        assert path.read_bytes() == b"old"


def test_a_run_from_its_beginning_to_its_end(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "deep" / "run"
    identity = {"seed": 1, "rules": {"bonus": 1}}
    with claim(path, identity, {"command": "x"}) as directory:
        assert directory.state == "new" and look(path) is not None
    assert list(tmp_path.iterdir()) == []  # nothing was saved, so nothing is left
    with claim(path, identity) as directory:
        directory.save_part("main", replace(result, stopped="interrupted", seconds=2.5))
    with claim(path, identity) as directory:
        assert directory.state == "unfinished"
        part = directory.saved.part("main", result.experiment)
        assert part is not None and part.stopped == "interrupted" and part.seconds == 2.5
        assert directory.saved.part("flat", result.experiment) is None
        directory.save_part("main", result)
        directory.finish()
        links = directory.write_tables({"seats": pd.DataFrame({"seat": [1, 2], "x": [0.1, None]})})
        with directory.staging() as folder:
            (folder / "report.html").write_text("<p>")
        with pytest.raises(ValueError, match="no file of a run"), directory.staging() as folder:
            (folder / "virus.exe").write_text("")
    assert links == {"seats": "tables/seats.csv"}
    assert (path / "tables" / "seats.csv").read_bytes() == b"seat,x\n1,0.1\n2,\n"
    assert list(pd.read_parquet(path / "tables" / "seats.parquet")["seat"]) == [1, 2]
    saved = look(path)
    assert saved is not None and saved.finished and saved.damage() == ()
    assert {p.relative_to(path).as_posix() for p in path.rglob("*")} == {
        "manifest.json",
        "parts",
        "tables",
        *saved.manifest["files"],
    }
    (path / "report.html").write_text("<b>")
    assert saved.damage() == ("report.html was changed after it was written",)
    with pytest.raises(OutputError, match="bonus: 1 there, 2 here"):
        claim(path, {"seed": 1, "rules": {"bonus": 2}})
    with claim(path, {"seed": 9}, force=True) as directory:
        assert directory.state == "new"
        assert [p.name for p in sorted(path.iterdir())] == [".lock", "manifest.json"]


def test_what_a_dead_process_left_is_swept_up(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", replace(result, stopped="interrupted"))
    (path / ".lock").write_text("99999999")
    (path / ".new-manifest.json").write_text("{")
    (path / "parts" / ".new-main.npz").write_text("")
    (path / ".new-files" / "tables").mkdir(parents=True)
    with claim(path, {}) as directory:
        assert directory.state == "unfinished"
    assert sorted(p.name for p in path.rglob("*")) == ["main.npz", "manifest.json", "parts"]


def test_only_one_at_a_time(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)
        for again in (lambda: claim(path, {}), lambda: reopen(path)):
            with pytest.raises(OutputError, match=r"another analyzer \(process \d+\)"):
                again()
    reopen(path).close()
    assert look(path) is not None


@pytest.mark.parametrize("name", ["../main", "a/b", "", "main.npz", "a\nb", "é"])
def test_names_of_parts_are_no_paths(tmp_path: Path, result: ResultSet, name: str) -> None:
    with claim(tmp_path / "run", {}) as directory, pytest.raises(ValueError, match="no name"):
        directory.save_part(name, result)


def test_links_within_a_run_are_not_followed(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)
        directory.finish()
    precious = tmp_path / "precious.npz"
    (path / "parts" / "main.npz").rename(precious)
    (path / "parts" / "main.npz").symlink_to(precious)
    with pytest.raises(OutputError, match="did not write"):
        claim(path, {}, force=True)
    content = precious.read_bytes()
    with claim(path, {}) as directory:
        assert directory.state == "unfinished"
        assert any("main.npz is missing; it is kept as" in note for note in directory.notes)
        assert directory.part("main", result.experiment) is None
        directory.save_part("main", replace(result, seconds=1.0))
    assert precious.read_bytes() == content and (path / "parts" / "main.npz.damaged").is_symlink()


def test_a_process_that_dies_while_finishing_leaves_no_stranger(
    tmp_path: Path, result: ResultSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)
        directory.write_tables({"seats": pd.DataFrame({"seat": [1]})})
        with monkeypatch.context() as patched:
            patched.setattr(directory, "_write_manifest", die)
            with pytest.raises(KeyboardInterrupt):
                directory.finish()
    assert not (path / "tables" / "seats.csv").exists()
    with claim(path, {}, force=True) as directory:
        assert directory.state == "new"


def die() -> None:
    raise KeyboardInterrupt


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, and every other entry by its name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("name", [".lock", ".new-mine", ".new-files/mine", "parts/.new-main.npz"])
def test_files_of_others_with_names_like_ours_stay(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run"
    (path / name).parent.mkdir(parents=True)
    (path / name).write_text("precious")
    before = files(tmp_path)
    for force in (False, True):
        with pytest.raises(OutputError, match="left alone"):
            claim(path, {}, force=force)
        assert files(tmp_path) == before


def test_a_lock_that_is_none_of_ours(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)
    precious = tmp_path / "precious"
    precious.write_text("1234")
    os.link(precious, path / ".lock")
    for act in (lambda: claim(path, {}), lambda: reopen(path)):
        with pytest.raises(OutputError, match="not ours"):
            act()
    assert precious.read_text() == "1234"
    (path / ".lock").unlink()
    # Many programs lock by an empty file: it serves, and stays.
    (path / ".lock").touch()
    with claim(path, {}), pytest.raises(OutputError, match="another analyzer"):
        claim(path, {})
    assert (path / ".lock").read_bytes() == b""


def test_a_lock_that_is_just_being_made_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taken while it is still empty, it would pass for another program's and stay for ever."""
    lock = tmp_path / ".lock"
    lock.touch()
    monkeypatch.setattr("time.sleep", lambda seconds: lock.unlink(missing_ok=True))
    Lock(tmp_path).release()
    assert not list(tmp_path.iterdir())


def before_locking(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen between the opening of a lock file and its locking, once."""
    flock = fcntl.flock

    def late(handle: int, operation: int) -> None:
        monkeypatch.undo()
        act()
        flock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", late)


def test_a_lock_file_that_is_replaced_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Lock] = []
    Lock(tmp_path).release()
    (tmp_path / ".lock").write_text("99999999")

    def replace_it() -> None:
        (tmp_path / ".lock").unlink()
        others.append(Lock(tmp_path))

    # Locking the old file succeeds, but it is no longer the one in the directory.
    before_locking(monkeypatch, replace_it)
    with pytest.raises(OutputError, match=rf"another analyzer \(process {os.getpid()}\)"):
        Lock(tmp_path)
    others[0].release()
    assert list(tmp_path.iterdir()) == []
    before_locking(monkeypatch, lambda: (tmp_path / ".lock").unlink())
    lock = Lock(tmp_path)
    assert (tmp_path / ".lock").read_text() == str(os.getpid())
    with pytest.raises(OutputError, match="another analyzer"):
        Lock(tmp_path)
    lock.release()


def test_a_disk_that_knows_no_locks(
    tmp_path: Path, result: ResultSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    with claim(tmp_path / "run", {}) as directory:
        directory.save_part("main", result)
        directory.finish()
    before = files(tmp_path)

    def refuse(*_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    for act in (lambda: claim(tmp_path / "new", {}), lambda: reopen(tmp_path / "run")):
        with pytest.raises(OutputError, match="cannot be written: No locks available"):
            act()
        assert files(tmp_path) == before
    with claim(tmp_path / "run", {}) as directory:
        assert directory.state == "finished" and not directory.writable


@pytest.mark.parametrize("name", [".lock", "manifest.json", "parts/main.npz"])
def test_nobody_waits_for_a_pipe(tmp_path: Path, result: ResultSet, name: str) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)
    (path / name).unlink(missing_ok=True)
    os.mkfifo(path / name)
    with pytest.raises((OutputError, ResultsError)), claim(path, {}) as directory:
        directory.part("main", result.experiment)


@pytest.mark.parametrize("name", ["parts", "tables"])
def test_folders_of_a_run_lead_nowhere_else(tmp_path: Path, result: ResultSet, name: str) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".new-main.npz").write_text("precious")
    (elsewhere / "main.npz").write_text("precious")
    if name == "parts":
        (path / name / "main.npz").unlink()
        (path / name).rmdir()
    (path / name).symlink_to(elsewhere)
    before = files(elsewhere)
    for act in (
        lambda: claim(path, {}),
        lambda: claim(path, {}, force=True),
        lambda: reopen(path),
    ):
        with pytest.raises(OutputError, match=f"{name}' is no folder"):
            act()
        assert files(elsewhere) == before


@pytest.mark.parametrize(
    "change",
    [
        {"game": None},
        {"strategies": [1, 2]},
        {"rules": []},
        {"games": "many"},
        {"games": 0},
        {"seed": 1.0},
        {"rotate": 1},
    ],
)
def test_an_experiment_told_with_wrong_types(
    tmp_path: Path, result: ResultSet, change: dict[str, Any]
) -> None:
    path = tmp_path / "part.npz"
    write_part(path, result)
    changed(path, header(lambda h: h["experiment"].update(change)))
    with pytest.raises(ResultsError, match="is damaged"):
        read_experiment(path)


@pytest.mark.parametrize("earlier", [False, True])
def test_a_process_that_died_before_listing_its_part(
    tmp_path: Path, result: ResultSet, monkeypatch: pytest.MonkeyPatch, earlier: bool
) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        if earlier:
            directory.save_part("main", replace(result, stopped="interrupted"))
        with monkeypatch.context() as patch:
            patch.setattr(type(directory), "_enter_part", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                directory.save_part("main", result)
    with claim(path, {}) as directory:
        part = directory.part("main", result.experiment)
        assert part is not None and part.stopped == "games"
        directory.finish()
    # What is listed is what is there.
    saved = look(path)
    assert saved is not None and saved.finished and saved.damage() == ()
    assert saved.part("main", result.experiment) is not None
    with claim(path, {}) as directory:
        assert directory.state == "finished"


def test_a_part_that_was_announced_but_never_written(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)
        directory.save_part("flat", replace(result, stopped="interrupted"))
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["parts"]["flat"]["games"] = 0
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "parts" / "flat.npz").unlink()
    with claim(path, {}) as directory:
        assert directory.part("flat", result.experiment) is None
    with claim(path, {}, force=True) as directory:
        assert directory.state == "new"


def test_what_another_process_finished_meanwhile_is_kept(
    tmp_path: Path, result: ResultSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)

    def late(folder: Path, *more: str) -> Lock:
        monkeypatch.undo()
        with claim(path, {}) as other:
            other.finish()
        return Lock(folder)

    monkeypatch.setattr("analyzer.rundir.claiming.Lock", late)
    with reopen(path) as directory:
        assert directory.state == "finished" and directory.saved.finished


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["about"].update(machine=[]),
        lambda m: m["about"].update(command=float("inf")),
        lambda m: m["parts"]["main"].update(seconds=float("nan")),
        lambda m: m["parts"]["main"].update(seconds=10**400),
        lambda m: m["parts"]["main"].update(seconds=-1),
        lambda m: m["parts"]["main"].update(games="many"),
        lambda m: m["identity"].update(x=float("-inf")),
    ],
)
def test_manifests_with_wrong_values(
    tmp_path: Path, result: ResultSet, change: Callable[[dict[str, Any]], None]
) -> None:
    path = tmp_path / "run"
    with claim(path, {}) as directory:
        directory.save_part("main", result)
    manifest = json.loads((path / "manifest.json").read_text())
    change(manifest)
    (path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ResultsError, match="is damaged or not ours"):
        look(path)


def test_a_preview_touches_nothing(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "deep" / "run"
    assert preview(path, {}) == "new" and list(tmp_path.iterdir()) == []
    with claim(path, {}) as directory:
        directory.save_part("main", result)
        (path / "mine").touch()
        before = files(path)
        assert preview(path, {}) == "unfinished"
        with pytest.raises(OutputError, match="another run"):
            preview(path, {"seed": 2})
        with pytest.raises(OutputError, match="did not write"):
            preview(path, {"seed": 2}, force=True)
        (path / "mine").unlink()
        assert preview(path, {"seed": 2}, force=True) == "new"
        assert files(path) == {name: before[name] for name in before if name != "mine"}
        directory.finish()
    assert preview(path, {}) == "finished"
    with pytest.raises(ResultsError, match="there is no run"):
        preview(tmp_path, {}, resume=True)
    with pytest.raises(OutputError, match="climbs"):
        preview(tmp_path / ".." / "x", {})
    with pytest.raises(OutputError, match="holds other things"):
        preview(tmp_path, {})


def test_a_name_that_is_not_text(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / os.fsdecode(b"run-\xff")
    with claim(path, {}) as directory:
        directory.save_part("main", result)
        directory.write_tables({"seats": pd.DataFrame({"seat": [1]})})
    assert (path / "tables" / "seats.parquet").is_file()


def test_default_places() -> None:
    assert default_path("turnthetide", "simulate", 7, "abc") == Path(
        "results/turnthetide-simulate-7-abc"
    )
    assert default_path("../../Etc x", "simulate", 7, "abc") == Path("results/etc-x-simulate-7-abc")
    assert default_path("switch16", "solve", None, "abc") == Path("results/switch16-solve-abc")


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(errno.ENOSPC, "it is full")])
def test_a_part_that_was_in_its_place_when_saving_it_was_broken_off(
    tmp_path: Path, result: ResultSet, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    def broken_off(path: Path, part: ResultSet) -> None:
        write_part(path, part)
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr("analyzer.rundir.directory.write_part", broken_off)
        with pytest.raises(type(failure)), claim(tmp_path / "run", {"a": 1}) as directory:
            directory.save_part("main", result)
    with claim(tmp_path / "run", {"a": 1}) as directory:
        assert directory.state == "unfinished"
        found = directory.part("main", result.experiment)
        assert found is not None and found.games == result.games


@pytest.mark.parametrize(
    ("moment", "failure"),
    [
        ("mkdir", KeyboardInterrupt),
        *product(("pwrite", "ftruncate", "replace"), (KeyboardInterrupt, OSError(28, "full"))),
    ],
)
def test_a_start_that_is_broken_off_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, failure: Any
) -> None:
    act = getattr(os, moment)

    def broken_off(*given: Any, **how: Any) -> None:
        act(*given, **how)
        if moment != "mkdir" or str(given[0]).endswith("run"):
            raise failure

    with monkeypatch.context() as patch:
        patch.setattr(os, moment, broken_off)
        with pytest.raises((KeyboardInterrupt, OutputError)):
            claim(tmp_path / "some" / "where" / "run", {"a": 1})
    assert list(tmp_path.iterdir()) == []


def test_files_whose_writing_is_broken_off_at_once_leave_no_folder(
    tmp_path: Path, result: ResultSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    act = os.mkdir

    def broken_off(path: Any, *more: Any) -> None:
        act(path, *more)
        raise KeyboardInterrupt

    with claim(tmp_path / "run", {"a": 1}) as directory:
        directory.save_part("main", result)
        before = files(tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(os, "mkdir", broken_off)
            with pytest.raises(KeyboardInterrupt):
                directory.write_tables({})
        assert files(tmp_path) == before
        assert {path.name for path in (tmp_path / "run").iterdir()} == {
            ".lock", "manifest.json", "parts"
        }  # fmt: skip
