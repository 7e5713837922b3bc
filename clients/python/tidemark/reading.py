"""Reads past the limits of one call: pages of items, parts of windows, groups of items; joined, and never silently short."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from .columns import Columns, complete_states, from_wire, join, keep_last
from .errors import ServiceError
from .times import to_text, to_us

_PAGE_ITEMS = 1000
_CALL_ITEMS = 50
_DAY_US = 86_400_000_000
_SHORTEST_US = 1_000_000
_FIXED = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.I)
_CALENDAR = re.compile(r"P(?:\d+Y)?(?:\d+M)?", re.I)
_TOO_MUCH = re.compile(r"must be at most [\d.]+ days long|at most \d+ are allowed")
_WHOLE = re.compile(r"\b(gapfill|interpolate|cumsum)\s*\(")

Window = tuple[int, int]
"""Start and end in microseconds; the end is exclusive."""


class Caller(Protocol):
    """What reading uses of a client."""

    def _call(self, method: str, params: Any = None) -> Any: ...


def read_items(client: Caller, query: Any) -> Iterator[Any]:
    """All items that match, by ascending ID."""
    own = query.get("filter", {})
    last = None
    while True:
        after = own if last is None else {"$and": [own, {"id": {"$gt": last}}]}
        page = {"filter": after, "sort": ["id"], "limit": _PAGE_ITEMS}
        items = client._call("service.selectItems", {"query": page})["data"]
        yield from items
        if len(items) < _PAGE_ITEMS:
            return
        last = items[-1]["id"]


def read_frames(client: Caller, params: Any) -> Iterator[Columns]:
    """The data of all items that match: parts of the window in ascending order, each with the series of all items."""
    data = params.get("data", {})
    ids = [item["id"] for item in read_items(client, params.get("query", {}))]
    groups = [ids[i : i + _CALL_ITEMS] for i in range(0, len(ids), _CALL_ITEMS)]

    def read(part: Window | None) -> Columns:
        frames = []
        for group in groups:
            query = {"filter": {"id": {"$in": group}}, "limit": _CALL_ITEMS}
            frames.append(_read_frame(client, "service.dataFrame", {"query": query, "data": _within(data, part)}))
        return join(frames)

    if groups:
        yield from _read_window(client, data, False, read)


def read_whole_frame(client: Caller, params: Any) -> Columns:
    """As `read_frames`, joined."""
    return join(complete_states(list(read_frames(client, params))))


def read_evaluation(client: Caller, params: Any) -> Columns:
    """The columns of an evaluation.

    A window that is read in parts should begin and end between two buckets: a formula that looks at a bucket which the
    window cuts sees all of it from the other parts.
    """
    data = params.get("data", {})
    whole = _window_of(data)

    def read(part: Window | None) -> Columns:
        if part is not None and part != whole:
            _check_divisible(params)
        return _read_frame(client, "service.evaluate", {**params, "data": _within(data, part)})

    parts = list(_read_window(client, data, True, read))
    joined = join(parts)
    last = data.get("last") or 0
    return keep_last(joined, last) if len(parts) > 1 and last > 0 else joined


def _check_divisible(params: Any) -> None:
    """These functions look at the whole window, however far apart its buckets are (F4a, L3a)."""
    for calculation in params.get("calculations", []):
        found = _WHOLE.search(calculation["formula"])
        if found is not None:
            raise ValueError(
                f"the calculation {calculation['alias']} has {found[1]}(), which needs the whole window, and the window is "
                "too long for one call: ask for a shorter window or a wider rollup"
            )


def _read_window(
    client: Caller, data: Any, is_evaluate: bool, read: Callable[[Window | None], Columns]
) -> Iterator[Columns]:
    """One call where the window is unbounded or a single bucket; else its parts, halved where they are too much."""
    window = _window_of(data)
    rollup = data.get("rollup") or ("window" if is_evaluate else None)
    if window is None or rollup == "window":
        yield read(None)
        return
    start, end = window
    length = _longest_us(rollup, is_evaluate)
    while True:
        stop = _part_end(client, data, rollup, start, length, end)
        try:
            part = read((start, stop))
        except ServiceError as error:
            length = min(length, stop - start) // 2
            if not _is_too_much(error) or length < _SHORTEST_US:
                raise
            if rollup and _boundary(client, data, rollup, start + length) <= start:
                raise
            continue
        yield part
        start = stop
        if start >= end:
            return


def _part_end(client: Caller, data: Any, rollup: str | None, start: int, length: int, end: int) -> int:
    if end - start <= length:
        return end
    stop = _boundary(client, data, rollup, start + length)
    if stop <= start:
        raise ValueError("one bucket of the rollup is longer than the longest window that the service allows")
    return stop


def _boundary(client: Caller, data: Any, rollup: str | None, us: int) -> int:
    """The start of the bucket that contains a time, by the service's calendar; raw points have no buckets."""
    if not rollup:
        return us
    own = {name: data[name] for name in ("rollup", "timeZone", "firstDayOfWeek", "origin") if name in data}
    params = {
        "calculations": [{"formula": "time_seconds", "alias": "start"}],
        "data": _within(own, (us, us + 1)),
    }
    return _read_frame(client, "service.evaluate", params).times_us[0]


def _longest_us(rollup: str | None, is_evaluate: bool) -> int:
    """The longest window of a service with the usual limits (L2)."""
    us = _width_us(rollup)
    if us < 60_000_000:
        return 40 * _DAY_US
    if us < _DAY_US:
        return 400 * _DAY_US
    return (1900 if is_evaluate or us < 30 * _DAY_US else 3660) * _DAY_US


def _width_us(rollup: str | None) -> float:
    if not rollup:
        return 0
    match = None if _CALENDAR.fullmatch(rollup) else _FIXED.fullmatch(rollup)
    if match is None:
        return math.inf
    weeks, days, hours, minutes, seconds = (float(text or 0) for text in match.groups())
    return ((weeks * 7 + days) * 86_400 + hours * 3600 + minutes * 60 + seconds) * 1e6


def _is_too_much(error: ServiceError) -> bool:
    return error.code == -32602 and any(_TOO_MUCH.search(text) for texts in error.params.values() for text in texts)


def _window_of(data: Any) -> Window | None:
    times = data.get("filter", {}).get("times", {})
    if "$gte" not in times or "$lt" not in times:
        return None
    return to_us(times["$gte"]), to_us(times["$lt"])


def _within(data: Any, part: Window | None) -> Any:
    if part is None:
        return data
    times = {"$gte": to_text(part[0]), "$lt": to_text(part[1])}
    return {**data, "filter": {**data.get("filter", {}), "times": times}}


def _read_frame(client: Caller, method: str, params: Any) -> Columns:
    return from_wire(client._call(method, params)["data"])
