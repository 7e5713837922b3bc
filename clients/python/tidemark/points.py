"""Points of several input keys, their records in files, and the frames that they are sent in."""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from .times import Time, to_text, to_us

Points = dict[str, dict[int, float]]
"""Input key → time in microseconds → value, in ascending order of time."""

CELLS_MAX = 250_000
"""The most cells (rows times series) of a frame: as JSON some megabytes, below the service's limit of 8 MiB."""

HEADER_BYTES = 16
_SERIES_MAX = 5_000
_KEY = re.compile(r"[a-zA-Z0-9\-_:.#+/]{1,128}")


@dataclass
class Frame:
    """A data frame to insert."""

    times_us: list[int]
    series: dict[str, list[float | None]]

    @property
    def points(self) -> int:
        return sum(value is not None for values in self.series.values() for value in values)

    def to_wire(self) -> dict[str, object]:
        return {"times": [to_text(us) for us in self.times_us], "series": self.series}


def count(points: Points) -> int:
    """The number of points of all keys."""
    return sum(map(len, points.values()))


def check(key: str, value: float, time: Time) -> int:
    """The time of a point in microseconds. Raises ValueError for what the service would refuse."""
    if _KEY.fullmatch(key) is None:
        raise ValueError(f"an input key has 1 to 128 of the characters a-z A-Z 0-9 - _ : . # + /, got {key[:140]!r}")
    if not math.isfinite(value):
        raise ValueError(f"{key!r}: a value must be a finite number, got {value}")
    return to_us(time)


def join_points(batches: Iterable[Points]) -> Points:
    """Points of several batches; where several have the same time of a key, those that come later win."""
    joined: Points = {}
    for batch in batches:
        for key, column in batch.items():
            joined.setdefault(key, {}).update(column)
    return {key: dict(sorted(column.items())) for key, column in joined.items()}


def cut_frames(points: Points, cells_max: int) -> list[Frame]:
    """Frames with all of the points, oldest first; each has at most `cells_max` cells, or one row."""
    keys = list(points)
    groups = [keys[i : i + _SERIES_MAX] for i in range(0, len(keys), _SERIES_MAX)]
    return [frame for group in groups for frame in _cut_rows({key: points[key] for key in group}, cells_max)]


def _cut_rows(points: Points, cells_max: int) -> list[Frame]:
    keys_at: dict[int, list[str]] = {}
    for key, column in points.items():
        for us in column:
            keys_at.setdefault(us, []).append(key)
    frames: list[Frame] = []
    rows: list[int] = []
    keys: dict[str, None] = {}
    for us in sorted(keys_at):
        together = {**keys, **dict.fromkeys(keys_at[us])}
        if rows and (len(rows) + 1) * len(together) > cells_max:
            frames.append(_frame(points, rows, keys))
            rows, together = [], dict.fromkeys(keys_at[us])
        rows.append(us)
        keys = together
    if rows:
        frames.append(_frame(points, rows, keys))
    return frames


def _frame(points: Points, rows: list[int], keys: Iterable[str]) -> Frame:
    return Frame(rows, {key: [points[key].get(us) for us in rows] for key in keys})


def halve(frame: Frame) -> tuple[Frame, Frame] | None:
    """Two halves, by rows, or by series where there is one row; None for a single cell."""
    rows = len(frame.times_us)
    if rows > 1:
        middle = rows // 2
        first = {key: values[:middle] for key, values in frame.series.items()}
        second = {key: values[middle:] for key, values in frame.series.items()}
        return Frame(frame.times_us[:middle], first), Frame(frame.times_us[middle:], second)
    entries = list(frame.series.items())
    if len(entries) < 2:
        return None
    middle = len(entries) // 2
    return Frame(frame.times_us, dict(entries[:middle])), Frame(frame.times_us, dict(entries[middle:]))


def encode_record(points: Points) -> bytes:
    """The record of a batch, as the TypeScript client writes it: length, number of points and checksum, then the content."""
    head = json.dumps([[key, len(column)] for key, column in points.items()], separators=(",", ":"))
    parts = [head.encode(), b"\n"]
    for column in points.values():
        parts += [struct.pack(f"<{len(column)}d", *column), struct.pack(f"<{len(column)}d", *column.values())]
    deflater = zlib.compressobj(1, zlib.DEFLATED, -15)
    content = deflater.compress(b"".join(parts)) + deflater.flush()
    return struct.pack("<II", len(content), count(points)) + hashlib.sha256(content).digest()[:8] + content


def find_record(file: bytes, at: int) -> tuple[int, int] | None:
    """Where the record at an offset ends, and the number of its points; None where no whole, undamaged one is."""
    if at + HEADER_BYTES > len(file):
        return None
    length, points = struct.unpack_from("<II", file, at)
    end = at + HEADER_BYTES + length
    content = file[at + HEADER_BYTES : end]
    if end > len(file) or hashlib.sha256(content).digest()[:8] != file[at + 8 : at + 16]:
        return None
    return end, points


def decode_record(file: bytes, at: int, end: int) -> Points:
    """The points of a record that `find_record` has found."""
    content = zlib.decompress(file[at + HEADER_BYTES : end], -15)
    line = content.index(b"\n")
    start = line + 1
    points: Points = {}
    for key, length in json.loads(content[:line]):
        doubles = array("d", struct.unpack_from(f"<{2 * length}d", content, start))
        points[key] = {int(us): value for us, value in zip(doubles[:length], doubles[length:])}
        start += 16 * length
    return points
