"""Where a writer keeps points until the service has them."""

from __future__ import annotations

import threading
from collections import deque
from typing import NamedTuple, Protocol

from .points import Points, count, join_points


class Backlog(NamedTuple):
    """The oldest batches of a queue, together; `last` is the number of the last one."""

    points: Points
    last: int


class QueueLoss(NamedTuple):
    """What a queue has given up. `reason`: "full" or "damaged"."""

    reason: str
    points: int
    last: int


class Appended(NamedTuple):
    """What became of a batch: its number, and what was dropped for it."""

    number: int
    lost: list[QueueLoss]


class WriterQueue(Protocol):
    """Keeps batches in order until they are removed or reported as lost. Threads may share it."""

    is_durable: bool

    @property
    def points(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    def open(self) -> Appended: ...

    def append(self, points: Points) -> Appended: ...

    def oldest(self, points_max: int) -> Backlog | None: ...

    def remove(self, last: int) -> None: ...

    def close(self) -> None: ...


class MemoryQueue:
    """A queue in memory, by default of 1,000,000 points: for programs whose points may be lost with them."""

    is_durable = False

    def __init__(self, points_max: int = 1_000_000) -> None:
        self._points_max = points_max
        self._batches: deque[tuple[int, Points]] = deque()
        self._points = 0
        self._number = 0
        self._lock = threading.Lock()

    @property
    def points(self) -> int:
        return self._points

    @property
    def bytes(self) -> int:
        return self._points * 16

    def open(self) -> Appended:
        return Appended(0, [])

    def append(self, points: Points) -> Appended:
        with self._lock:
            added = count(points)
            dropped = last = 0
            while self._batches and self._points + added > self._points_max:
                last, oldest = self._batches.popleft()
                self._points -= count(oldest)
                dropped += count(oldest)
            self._number += 1
            self._batches.append((self._number, points))
            self._points += added
            return Appended(self._number, [QueueLoss("full", dropped, last)] if dropped else [])

    def oldest(self, points_max: int) -> Backlog | None:
        with self._lock:
            taken: list[Points] = []
            total = last = 0
            for number, points in self._batches:
                total += count(points)
                if taken and total > points_max:
                    break
                taken.append(points)
                last = number
            return Backlog(join_points(taken), last) if taken else None

    def remove(self, last: int) -> None:
        with self._lock:
            while self._batches and self._batches[0][0] <= last:
                self._points -= count(self._batches.popleft()[1])

    def close(self) -> None:
        pass
