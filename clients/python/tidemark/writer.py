"""A writer: gathers points, keeps them in a queue until the service has them, and says what it had to give up."""

from __future__ import annotations

import atexit
import math
import random
import threading
import time as clock
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .client import Client
from .errors import ServiceError
from .points import CELLS_MAX, Frame, Points, check, count, cut_frames, halve, join_points
from .queue import Appended, MemoryQueue, WriterQueue
from .times import Time

_UNSTORED_MAX = 10
_ROUNDS_MAX = 50
_RETRY_AFTER_S_MAX = 300.0


class Loss(NamedTuple):
    """Points that a writer has given up.

    `reason`: "full" (the oldest, since the queue was at its bound), "damaged" (an earlier run's that cannot be read; their
    number is not known), "refused" (the service found them invalid), "unstored" (the oldest, since the queue could not be
    written for too long), "closed" (not sent before the end, and the queue does not outlive it).
    """

    reason: str
    points: int
    error: BaseException | None = None


class Status(NamedTuple):
    """The figures of a writer, in points; `problem` is why sending is being repeated."""

    written: int
    sent: int
    lost: int
    gathered: int
    queued: int
    queued_bytes: int
    problem: BaseException | None


class _Ended(Exception):
    """The writer is being closed."""


class Writer:
    """Writes the points of one integration; closed at the end of a `with` block, and at the end of the program."""

    def __init__(
        self,
        client: Client,
        integration: str | None = None,
        *,
        queue: WriterQueue | None = None,
        batch_points: int = 10_000,
        batch_s: float = 1.0,
        send_points: int = 50_000,
        first_s: float = 0.25,
        longest_s: float = 30.0,
        on_loss: Callable[[Loss], None] | None = None,
        on_retry: Callable[[ServiceError, float], None] | None = None,
    ) -> None:
        """Opens the queue; what an earlier run left in it is sent first. The default integration is the client's."""
        self._client = client
        self._integration = integration or client.integration
        self._queue: WriterQueue = queue or MemoryQueue()
        self._batch_points, self._batch_s, self._send_points = batch_points, batch_s, send_points
        self._patience = (first_s, longest_s)
        self._on_loss, self._on_retry = on_loss, on_retry
        self._changed = threading.Condition()
        self._store_lock = threading.Lock()
        self._gathered: Points = {}
        self._gathered_count = 0
        self._gathered_since = math.inf
        self._unstored: list[Points] = []
        self._last_stored = self._last_done = 0
        self._written = self._sent = self._lost = 0
        self._problem: BaseException | None = None
        self._is_closed = False
        self._ending = threading.Event()
        self._cells_max = CELLS_MAX
        self._note(self._queue.open())
        self._threads = [
            threading.Thread(target=work, name=f"tidemark-{work.__name__}", daemon=True)
            for work in (self._store_always, self._send_always)
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self.close)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, key: str, value: float, time: Time | None = None) -> None:
        """Writes a value, by default at the present time. Raises ValueError for what the service would refuse."""
        us = check(key, value, clock.time() if time is None else time)
        with self._changed:
            self._check_open()
            self._add(key, us, float(value))
            self._after_writing()

    def write_frame(self, times: Sequence[Time], series: Mapping[str, Sequence[float | None]]) -> None:
        """Writes the numbers of a frame; None and NaN are no points. Raises ValueError; then nothing of it was written."""
        points = []
        for key, values in series.items():
            if len(values) != len(times):
                raise ValueError(f"series {key!r} has {len(values)} values for {len(times)} times")
            for time, value in zip(times, values):
                if value is not None and not math.isnan(value):
                    points.append((key, check(key, value, time), float(value)))
        with self._changed:
            self._check_open()
            for point in points:
                self._add(*point)
            self._after_writing()

    def store(self) -> None:
        """Returns when all that was written is in the queue: with a FileQueue, on disk."""
        with self._changed:
            self._seal()
        with self._store_lock:
            while True:
                with self._changed:
                    if not self._unstored:
                        return
                    points = self._unstored[0]
                appended = self._queue.append(points)
                with self._changed:
                    self._unstored.pop(0)
                    self._note(appended)
                    self._changed.notify_all()

    def flush(self, timeout_s: float | None = None) -> None:
        """Returns when the service has all that was written before, or it is lost. Raises TimeoutError."""
        self.store()
        with self._changed:
            last = self._last_stored
            if self._changed.wait_for(lambda: self._last_done >= last, timeout_s):
                return
            why = "" if self._problem is None else f": {self._problem}"
            raise TimeoutError(f"{self._queue.points} points are still queued after {timeout_s} s{why}")

    def close(self, timeout_s: float = 10.0) -> Status:
        """Flushes for at most so long, then ends. What could not be sent stays in a FileQueue for the next run."""
        with self._changed:
            if self._is_closed:
                return self.status()
            self._is_closed = True
        atexit.unregister(self.close)
        try:
            self.flush(timeout_s)
        except (OSError, TimeoutError) as error:
            self._problem = self._problem or error
        with self._changed:
            self._ending.set()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout_s)
        left = sum(map(count, self._unstored)) + (0 if self._queue.is_durable else self._queue.points)
        if left > 0:
            self._lose(Loss("closed", left, self._problem))
        self._queue.close()
        return self.status()

    def status(self) -> Status:
        """The figures of now."""
        gathered = self._gathered_count + sum(map(count, list(self._unstored)))
        queue = self._queue
        return Status(self._written, self._sent, self._lost, gathered, queue.points, queue.bytes, self._problem)

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError("the writer is closed")

    def _add(self, key: str, us: int, value: float) -> None:
        self._gathered.setdefault(key, {})[us] = value
        self._gathered_count += 1
        self._written += 1

    def _after_writing(self) -> None:
        if self._gathered_count >= self._batch_points:
            self._seal()
            self._changed.notify_all()
        elif self._gathered_since == math.inf and self._gathered_count > 0:
            self._gathered_since = clock.monotonic()
            self._changed.notify_all()

    def _seal(self) -> None:
        if self._gathered_count == 0:
            return
        self._unstored.append(join_points([self._gathered]))
        self._gathered, self._gathered_count, self._gathered_since = {}, 0, math.inf
        while len(self._unstored) > _UNSTORED_MAX:
            # The first may be on its way.
            dropped = self._unstored.pop(1 if self._store_lock.locked() else 0)
            self._lose(Loss("unstored", count(dropped), self._problem))

    def _store_always(self) -> None:
        while not self._ending.is_set():
            with self._changed:
                due_s = max(0.0, self._gathered_since + self._batch_s - clock.monotonic())
                if not self._unstored and due_s > 0:
                    self._changed.wait(None if due_s == math.inf else due_s)
                    continue
            try:
                self.store()
            except OSError as error:
                self._problem = error
                self._ending.wait(self._batch_s)

    def _send_always(self) -> None:
        while not self._ending.is_set():
            try:
                backlog = self._queue.oldest(self._send_points)
                if backlog is None:
                    with self._changed:
                        self._changed.wait(1.0 if self._last_done >= self._last_stored else 0.05)
                    continue
                for frame in cut_frames(backlog.points, self._cells_max):
                    self._send(frame)
                self._queue.remove(backlog.last)
                with self._changed:
                    self._last_done = max(self._last_done, backlog.last)
                    self._changed.notify_all()
            except _Ended:
                return
            except OSError as error:
                self._problem = error
                self._ending.wait(self._batch_s)

    def _send(self, frame: Frame) -> None:
        attempt = rounds = 0
        while True:
            error = self._attempt(frame)
            if error is None:
                return
            refusal = _refusal(error)
            if refusal == "large":
                return self._send_halves(frame, error)
            if refusal == "refused":
                rest, removed = _without_named(frame, error) if rounds < _ROUNDS_MAX else (frame, 0)
                rounds += 1
                self._lose(Loss("refused", removed or frame.points, error))
                if removed == 0 or rest.points == 0:
                    return
                frame = rest
                continue
            self._pause(refusal, error, attempt)
            attempt += 1

    def _attempt(self, frame: Frame) -> ServiceError | None:
        params: dict[str, Any] = {"integration": self._integration, "data": frame.to_wire()}
        try:
            self._client._call("integration.insert", params, retries=0, compress=True)
        except ServiceError as error:
            return error
        self._problem = None
        self._sent += frame.points
        return None

    def _send_halves(self, frame: Frame, error: ServiceError) -> None:
        self._cells_max = max(100, self._cells_max // 2)
        halves = halve(frame)
        if halves is None:
            return self._lose(Loss("refused", frame.points, error))
        for half in halves:
            self._send(half)

    def _pause(self, refusal: str, error: ServiceError, attempt: int) -> None:
        first_s, longest_s = self._patience
        ceiling_s = longest_s if refusal == "held" else min(first_s * 2 ** min(attempt, 30), longest_s)
        chance = random.random()
        asked_s = min(error.retry_after_s or 0.0, _RETRY_AFTER_S_MAX)
        pause_s = max(ceiling_s * (0.5 + chance / 2), asked_s + first_s * chance)
        self._problem = error
        if self._on_retry is not None:
            self._on_retry(error, pause_s)
        if self._ending.wait(pause_s):
            raise _Ended

    def _note(self, appended: Appended) -> None:
        self._last_stored = max(self._last_stored, appended.number)
        for reason, points, last in appended.lost:
            self._lose(Loss(reason, points))
            self._last_done = max(self._last_done, last)

    def _lose(self, loss: Loss) -> None:
        self._lost += loss.points
        if self._on_loss is not None:
            self._on_loss(loss)


def _refusal(error: ServiceError) -> str:
    """What an error means for the points: "again", "held" (a person has to put something right), "large", or "refused"."""
    if error.status == 413:
        return "large"
    status = error.status or 0
    if error.kind in ("network", "timeout") or status in (408, 429) or status >= 500:
        return "again"
    if error.kind != "rpc" or error.code in (-32003, -32601):
        return "held"
    if error.code != -32602:
        return "again"
    is_of_data = any(path == "data" or path.startswith("data.") for path in error.params)
    return "refused" if is_of_data else "held"


def _without_named(frame: Frame, error: ServiceError) -> tuple[Frame, int]:
    """The frame without the points that an error names, and their number."""
    removed = 0
    series: dict[str, list[float | None]] = {}
    for key, values in frame.series.items():
        path = f"data.series.{key}"
        kept: list[float | None] = []
        for row, value in enumerate(values):
            is_named = path in error.params or f"{path}.{row}" in error.params or f"data.times.{row}" in error.params
            removed += is_named and value is not None
            kept.append(None if is_named else value)
        series[key] = kept
    return Frame(frame.times_us, series), removed
