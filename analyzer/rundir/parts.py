"""One part of a run on disk: a ZIP archive of NumPy arrays, without pickle.

``numpy.load(path, allow_pickle=False)`` reads it too. The archive holds ``part.json`` (what was
played and how far), ``sums/NAME.npy`` and ``history/INDEX/NAME.npy``. It holds neither times nor
paths: the same games give the same bytes. Each member carries a checksum, so damage is noticed.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BLOCKS
from analyzer.errors import ResultsError, UsageError
from analyzer.experiment import Experiment
from analyzer.plain import choice, item, items, parse
from analyzer.results import Checkpoint, HistoryPoint, ResultSet
from analyzer.rundir.files import open_regular, write_atomically

SCHEMA = "analyzer/part/1"
HEADER = "part.json"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The archive's dates: the earliest that ZIP knows, so that no clock gets into the bytes."""

MAX_PART = 2**27
"""Bytes of a part, as the file and unpacked: those of our games have up to 30 million."""
MAX_HEADER = 10_000_000
MAX_DIRECTORY = 2**20
"""Bytes of an archive's list of its members, which takes ten times as many in memory."""
END = struct.Struct("<4s4H2LH")
"""The last bytes of an archive, as ZIP defines them: the last three are its list's size and place,
and the length of a comment."""
LOCATOR = 20
"""Bytes before these in an archive of the longer kind (ZIP64), which begin with its sign."""

Sums = dict[str, NDArray[np.int64]]


def write_part(path: Path, result: ResultSet) -> None:
    """Save the sums of an experiment, finished or not.

    Raises
    ------
    OSError
        If the file cannot be written; what was there before is still there then.
    """
    header = {
        "schema": SCHEMA,
        "experiment": result.experiment.to_json(),
        "games": result.games,
        "stopped": result.stopped,
        "score_low": result.score_low,
        "sums": sorted(result.sums),
        "history": [{"games": p.games, "sums": sorted(p.sums)} for p in result.history],
        "checkpoints": [asdict(point) for point in result.checkpoints],
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, HEADER, json.dumps(header, sort_keys=True).encode())
        for name in sorted(result.sums):
            _add(archive, f"sums/{name}.npy", _encoded(result.sums[name]))
        for index, point in enumerate(result.history):
            for name in sorted(point.sums):
                _add(archive, f"history/{index}/{name}.npy", _encoded(point.sums[name]))
    write_atomically(path, buffer.getvalue())


def read_part(
    path: Path, experiment: Experiment, seconds: float = 0.0, *, begun: bool = False
) -> ResultSet:
    """Load the sums of an experiment.

    Parameters
    ----------
    path
        What `write_part` wrote.
    experiment
        What the part must be of.
    seconds
        Time spent playing it, which the part does not know.
    begun
        Take it as well if it is of the same experiment with fewer games, which it then has.

    Raises
    ------
    ResultsError
        If the file is missing, damaged, or of another experiment.
    """
    with _opened(path) as (archive, header):
        if begun and type(experiment) is Experiment:
            fewer = min(experiment.games, item(item(header, "experiment", dict), "games", int))
            experiment = replace(experiment, games=fewer)
        return _read(archive, header, experiment, seconds)


def read_experiment(path: Path) -> Experiment:
    """The experiment that a part is of; its games are those of the part if it stopped early.

    Raises
    ------
    ResultsError
        If the file is missing or damaged.
    """
    with _opened(path) as (_, header):
        experiment = Experiment.from_json(header["experiment"])
        if header["stopped"] == "precision":
            return replace(experiment, games=_count(header, "games"))
        return experiment


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """The archive and its header; whatever goes wrong with either is told as damage."""
    try:
        with open_regular(path, MAX_PART) as stream, _archive(stream) as archive:
            header = parse(_unpacked(archive, HEADER, MAX_HEADER))
            if header["schema"] != SCHEMA:
                raise ValueError(f"its schema is {header['schema']!r}, not {SCHEMA!r}")
            yield archive, header
    except FileNotFoundError:
        raise ResultsError(f"{str(path)!r} is missing.") from None
    except (
        OSError,
        EOFError,
        AttributeError,
        KeyError,
        NotImplementedError,  # a way of compressing that zipfile does not know
        RuntimeError,
        TypeError,
        TokenError,
        UsageError,
        ValueError,
        zipfile.BadZipFile,
        zlib.error,
    ) as reason:
        raise ResultsError(f"{str(path)!r} is damaged ({reason}).") from None


def _archive(stream: BinaryIO) -> zipfile.ZipFile:
    """The archive in a file, which is ours as far as its list of members tells.

    Raises
    ------
    ValueError, zipfile.BadZipFile
        If it is none, or if reading or unpacking it could fill the memory.
    """
    length = stream.seek(0, os.SEEK_END)
    stream.seek(max(length - END.size - LOCATOR, 0))
    locator, end = stream.read(LOCATOR), stream.read(END.size)
    # We write neither a comment nor the longer kind of archive, which has its sizes elsewhere.
    if len(end) < END.size or end[:4] != b"PK\5\6" or locator[:4] == b"PK\6\7":
        raise ValueError("it does not end as an archive of ours")
    *_, listed, _, comment = END.unpack(end)
    if comment or listed > MAX_DIRECTORY:
        raise ValueError(f"its list of members has {listed:,} bytes")
    archive = zipfile.ZipFile(stream)
    size = sum(member.file_size for member in archive.infolist())
    if size > MAX_PART:
        raise ValueError(f"unpacked it has {size:,} bytes, and at most {MAX_PART:,} are read")
    return archive


def _unpacked(archive: zipfile.ZipFile, name: str, most: int = MAX_PART) -> bytes:
    """The bytes of a member, no more than its archive lists, whatever else it would unpack to."""
    member = archive.getinfo(name)
    if member.file_size > most:
        raise ValueError(f"{name} claims {member.file_size:,} bytes, and at most {most:,} are read")
    if member.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        raise ValueError(f"{name} is packed in another way than this program does")
    with archive.open(member) as stream:
        # Asked for all there is, zipfile would unpack all there is, and cut it off then.
        content = stream.read(member.file_size)
    if len(content) != member.file_size:
        raise ValueError(f"{name} has not as many bytes as are listed")
    return content


def _read(
    archive: zipfile.ZipFile, header: dict[str, Any], experiment: Experiment, seconds: float
) -> ResultSet:
    if header["experiment"] != json.loads(json.dumps(experiment.to_json())):
        raise ValueError("it holds another experiment than the run's description asks for")
    games = _count(header, "games")
    score_low = _count(header, "score_low")
    holders = len(experiment.holders) if experiment.rotate else 1

    def sums_of(data: Any, folder: str) -> Sums:
        names = items(data, "sums", str)
        if len(set(names)) != len(names):  # each would be unpacked as often as it is named
            raise ValueError("it names sums twice")
        return {name: _decoded(archive, f"{folder}/{name}.npy", {1, holders}) for name in names}

    sums = sums_of(header, "sums")
    if not 0 < games <= experiment.games or int(sums["games"].sum()) != games:
        raise ValueError("its sums are not those of the number of games it names")
    if "wins" in sums and len(sums["wins"]) != holders:
        raise ValueError("its wins are not those of the strategies that played")
    history = tuple(
        HistoryPoint(_count(point, "games"), sums_of(point, f"history/{index}"))
        for index, point in enumerate(items(header, "history", dict))
    )
    watched = experiment.watched
    checkpoints = tuple(
        Checkpoint(
            _count(point, "games"),
            _counts(point, "wins", watched),
            _counts(point, "wins_sq", watched),
        )
        for point in items(header, "checkpoints", dict)
    )
    looks = [0, *(point.games for point in checkpoints)]
    if looks != sorted(set(looks)) or looks[-1] > games:
        raise ValueError("its checkpoints do not follow each other")
    return ResultSet(
        experiment=experiment,
        games=games,
        sums=sums,
        history=history,
        stopped=choice(header, "stopped", ("games", "precision", "interrupted")),
        seconds=seconds,
        score_low=score_low,
        checkpoints=checkpoints,
    )


def _count(data: Any, key: str) -> int:
    return _in_range(item(data, key, int))


def _counts(data: Any, key: str, count: int) -> tuple[int, ...]:
    values = items(data, key, int)
    if len(values) != count:
        raise ValueError(f"{key!r} has {len(values)} numbers, not {count}")
    return tuple(_in_range(value) for value in values)


def _in_range(value: int) -> int:
    if abs(value) >= 2**120:
        raise ValueError(f"{value} is no number of what was played")
    return value


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, content)


def _encoded(array: NDArray[np.int64]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _decoded(archive: zipfile.ZipFile, name: str, rows: set[int]) -> NDArray[np.int64]:
    content = io.BytesIO(_unpacked(archive, name))
    # NumPy's own reader sets memory aside for whatever size a header claims.
    if np.lib.format.read_magic(content) != (1, 0):
        raise ValueError(f"{name} is not an array of this version")
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(content)
    if dtype != np.int64 or by_column or len(shape) < 2 or shape[0] not in rows:
        raise ValueError(f"{name} is not an array of sums")
    if shape[-1] != (1 if name.endswith("_hist.npy") else BLOCKS):
        raise ValueError(f"{name} has {shape[-1]} blocks")
    sums = np.frombuffer(content.getbuffer()[content.tell() :], np.int64)
    if math.prod(shape) != sums.size:
        raise ValueError(f"{name} is cut short")
    return sums.reshape(shape).copy()
