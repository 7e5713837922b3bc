"""Times: microseconds since 1970-01-01T00:00:00Z as integers, and what they are read from and written as."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone

Time = str | int | float | datetime
"""RFC 3339, UNIX seconds, or a datetime with a time zone."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_US = timedelta(microseconds=1)
_US_MAX = 2**53


def to_us(time: Time) -> int:
    """Microseconds of a time. Raises ValueError for what is none, or outside the range of the service."""
    us = _read(time)
    if abs(us) > _US_MAX:
        raise ValueError(f"a time must be between 1684-07-28 and 2255-06-05 (numbers are UNIX seconds), got {time!r}")
    return us


def _read(time: Time) -> int:
    if isinstance(time, datetime):
        if time.tzinfo is None:
            raise ValueError(f"a datetime must have a time zone, got {time!r}")
        return (time - _EPOCH) // _US
    if isinstance(time, str):
        parsed = datetime.fromisoformat(time)
        if parsed.tzinfo is None:
            raise ValueError(f"a time must end in Z or an offset, got {time!r}")
        return (parsed - _EPOCH) // _US
    if not math.isfinite(time):
        raise ValueError(f"not a time: {time!r}")
    return time * 1_000_000 if isinstance(time, int) else round(time * 1e6)


def to_text(us: int) -> str:
    """RFC 3339 in UTC, with decimals only where they are not zero."""
    text = (_EPOCH + timedelta(microseconds=us)).strftime("%Y-%m-%dT%H:%M:%S.%f")
    return text.rstrip("0").rstrip(".") + "Z"
