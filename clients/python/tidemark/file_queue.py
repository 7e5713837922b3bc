"""A queue of a writer in the files of a directory: points survive the end of the program, kill -9 included.

The files are those of the TypeScript client: batches are appended to segments, and a segment is deleted when all of it has
been removed. `position` has the place of the oldest batch; where it is out of date after a crash, some batches are sent
twice, in order, which does no harm.
"""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .points import Points, count, decode_record, encode_record, find_record, join_points
from .queue import Appended, Backlog, QueueLoss

_SEGMENT_PARTS = 32


class _Entry(NamedTuple):
    number: int
    at: int
    end: int
    points: int


@dataclass
class _Segment:
    id: int
    bytes: int = 0
    entries: list[_Entry] = field(default_factory=list)


class FileQueue:
    """Keeps the batches of a writer in a directory that no other writer uses."""

    is_durable = True

    def __init__(self, directory: str | os.PathLike[str], bytes_max: int = 256 * 1024 * 1024) -> None:
        """Above `bytes_max` the oldest batches are dropped."""
        if bytes_max < 65_536:
            raise ValueError(f"bytes_max must be at least 65536, got {bytes_max}")
        self._directory = Path(directory)
        self._bytes_max = bytes_max
        self._segments: list[_Segment] = []
        self._file: BinaryIO | None = None
        self._file_id = 0
        self._number = 0
        self._next_id = 1
        self._lock = threading.Lock()

    @property
    def points(self) -> int:
        with self._lock:
            return sum(entry.points for segment in self._segments for entry in segment.entries)

    @property
    def bytes(self) -> int:
        return sum(segment.bytes for segment in list(self._segments))

    def open(self) -> Appended:
        """Takes the directory, and finds what an earlier run has left. Raises where another program uses it."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _lock_directory(self._directory)
        lost: list[QueueLoss] = []
        position = self._read_position()
        ids = sorted(int(path.stem) for path in self._directory.glob("*.points") if re.fullmatch(r"\d{12}", path.stem))
        for id in ids:
            self._next_id = id + 1
            segment, is_damaged = self._read_segment(id, position)
            if segment.entries:
                self._segments.append(segment)
            else:
                self._path(id).unlink()
            # What was being written when the program was killed has been promised to no caller.
            if is_damaged and id != ids[-1]:
                lost.append(QueueLoss("damaged", 0, self._number))
        return Appended(self._number, lost)

    def append(self, points: Points) -> Appended:
        record = encode_record(points)
        with self._lock:
            lost = self._make_room(len(record))
            file = self._writable(len(record))
            segment = self._segments[-1]
            file.seek(segment.bytes)
            file.write(record)
            file.flush()
            os.fdatasync(file.fileno())
            self._number += 1
            at = segment.bytes
            segment.bytes += len(record)
            segment.entries.append(_Entry(self._number, at, segment.bytes, count(points)))
            return Appended(self._number, lost)

    def oldest(self, points_max: int) -> Backlog | None:
        with self._lock:
            taken: list[Points] = []
            total = last = 0
            for segment in self._segments:
                if taken and segment.entries and total + segment.entries[0].points > points_max:
                    break
                content = self._path(segment.id).read_bytes() if segment.entries else b""
                for entry in segment.entries:
                    if taken and total + entry.points > points_max:
                        break
                    taken.append(decode_record(content, entry.at, entry.end))
                    total += entry.points
                    last = entry.number
            return Backlog(join_points(taken), last) if taken else None

    def remove(self, last: int) -> None:
        with self._lock:
            for segment in self._segments:
                segment.entries = [entry for entry in segment.entries if entry.number > last]
            gone = [segment for segment in self._segments if not segment.entries]
            self._segments = [segment for segment in self._segments if segment.entries]
            self._write_position()
            for segment in gone:
                self._delete(segment.id)

    def close(self) -> None:
        with self._lock:
            self._close_file()
            (self._directory / "lock").unlink(missing_ok=True)

    def _path(self, id: int) -> Path:
        return self._directory / f"{id:012}.points"

    def _make_room(self, bytes: int) -> list[QueueLoss]:
        dropped = last = 0
        while self._segments and self.bytes + bytes > self._bytes_max:
            segment = self._segments.pop(0)
            dropped += sum(entry.points for entry in segment.entries)
            last = segment.entries[-1].number if segment.entries else last
            self._delete(segment.id)
        return [QueueLoss("full", dropped, last)] if dropped else []

    def _writable(self, bytes: int) -> BinaryIO:
        """The file of the last segment, or of a new one where that has become long enough."""
        segment = self._segments[-1] if self._segments else None
        is_open = self._file is not None and segment is not None and segment.id == self._file_id
        if is_open and segment.bytes + bytes <= self._bytes_max / _SEGMENT_PARTS:
            return self._file
        self._close_file()
        id = self._next_id
        self._next_id += 1
        handle = os.open(self._path(id), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        self._file = os.fdopen(handle, "wb")
        self._file_id = id
        self._segments.append(_Segment(id))
        directory = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
        return self._file

    def _delete(self, id: int) -> None:
        if self._file_id == id:
            self._close_file()
        self._path(id).unlink(missing_ok=True)

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None

    def _read_segment(self, id: int, position: tuple[int, int]) -> tuple[_Segment, bool]:
        """The records of a file up to the first that is damaged; what follows is cut off."""
        content = self._path(id).read_bytes()
        segment = _Segment(id)
        while (found := find_record(content, segment.bytes)) is not None:
            end, points = found
            if (id, segment.bytes) >= position:
                self._number += 1
                segment.entries.append(_Entry(self._number, segment.bytes, end, points))
            segment.bytes = end
        is_damaged = segment.bytes < len(content)
        if is_damaged:
            os.truncate(self._path(id), segment.bytes)
        return segment, is_damaged

    def _read_position(self) -> tuple[int, int]:
        try:
            id, at = (self._directory / "position").read_text().split(" ")
            return int(id), int(at)
        except (OSError, ValueError):
            return 0, 0

    def _write_position(self) -> None:
        first = self._segments[0] if self._segments else None
        text = f"{self._next_id} 0" if first is None else f"{first.id} {first.entries[0].at}"
        new = self._directory / "position.new"
        new.write_text(text)
        new.replace(self._directory / "position")


def _lock_directory(directory: Path) -> None:
    """One program at a time; the lock of a program that has ended, by kill -9 too, does not count."""
    own = directory / f"lock-{os.getpid()}"
    own.write_text(f"{os.getpid()} {_start_of(os.getpid())}")
    try:
        for _ in range(3):
            try:
                os.link(own, directory / "lock")
                return
            except FileExistsError:
                holder = _read_lock(directory / "lock")
                if _is_running(*holder):
                    text = f"{directory} is in use by process {holder[0]}: give each writer a directory of its own"
                    raise RuntimeError(text) from None
                (directory / "lock").unlink(missing_ok=True)
        raise RuntimeError(f"{directory} cannot be locked")
    finally:
        own.unlink(missing_ok=True)


def _read_lock(path: Path) -> tuple[str, str]:
    try:
        pid, _, start = path.read_text().partition(" ")
        return pid, start
    except OSError:
        return "", ""


def _is_running(pid: str, start: str) -> bool:
    if not pid.isdigit():
        return False
    if start:
        return _start_of(int(pid)) == start
    try:
        os.kill(int(pid), 0)
        return int(pid) != os.getpid()
    except PermissionError:
        return True
    except OSError:
        return False


def _start_of(pid: int) -> str:
    """When a process was started, in ticks since the start of the machine; empty where it is not known."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
