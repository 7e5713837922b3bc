"""Data frames as columns, and as pandas data frames."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .times import to_us

if TYPE_CHECKING:
    import pandas

NAN = math.nan


@dataclass
class Columns:
    """Times in microseconds since 1970 (UTC), and for each series as many values; NaN where there is none."""

    times_us: array[int] = field(default_factory=lambda: array("q"))
    series: dict[str, array[float]] = field(default_factory=dict)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas data frame: one column for each series, an index of times in UTC. Needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame() needs pandas: install python3-pandas, or pip install tidemark[pandas]") from error
        index = pandas.to_datetime(pandas.Series(self.times_us, dtype="int64"), unit="us", utc=True)
        data = {key: list(values) for key, values in self.series.items()}
        return pandas.DataFrame(data, index=pandas.DatetimeIndex(index, name="time"), dtype="float64")


def from_wire(frame: dict[str, Any]) -> Columns:
    """The columns of a data frame as the service answers it."""
    series = {
        key: array("d", [NAN if value is None else value for value in values])
        for key, values in frame["series"].items()
    }
    return Columns(array("q", map(to_us, frame["times"])), series)


def join(parts: Sequence[Columns]) -> Columns:
    """A row for each time of any part, NaN where a series has no value. Later parts win."""
    if len(parts) == 1:
        return parts[0]
    times = sorted({us for part in parts for us in part.times_us})
    row_of = {us: row for row, us in enumerate(times)}
    series: dict[str, array[float]] = {}
    for part in parts:
        rows = [row_of[us] for us in part.times_us]
        for key, values in part.series.items():
            column = series.setdefault(key, array("d", [NAN]) * len(times))
            for row, value in zip(rows, values):
                if not math.isnan(value):
                    column[row] = value
    return Columns(array("q", times), series)


_STATE = re.compile(r"(.+_state_)\d+")


def complete_states(parts: Sequence[Columns]) -> Sequence[Columns]:
    """Parts with the same series of states: where another state of the item has a value, the time in a missing one is 0 (Q10a)."""
    keys = {key for part in parts for key in part.series if _STATE.fullmatch(key)}
    return [_with_states(part, keys) for part in parts] if keys else parts


def _with_states(part: Columns, keys: Iterable[str]) -> Columns:
    series = dict(part.series)
    for key in sorted(set(keys) - set(part.series)):
        prefix = _STATE.fullmatch(key)[1]  # type: ignore[index]
        others = [values for other, values in part.series.items() if other.startswith(prefix)]
        is_known = [any(not math.isnan(values[row]) for values in others) for row in range(len(part.times_us))]
        series[key] = array("d", [0.0 if known else NAN for known in is_known])
    return Columns(part.times_us, series)


def keep_last(columns: Columns, last: int) -> Columns:
    """The newest values of each series, and the rows in which any is left (Q8)."""
    kept: dict[str, dict[int, float]] = {}
    for key, values in columns.series.items():
        rows = [row for row, value in enumerate(values) if not math.isnan(value)]
        kept[key] = {row: values[row] for row in rows[-last:]}
    rows = sorted({row for column in kept.values() for row in column})
    series = {key: array("d", [column.get(row, NAN) for row in rows]) for key, column in kept.items()}
    return Columns(array("q", [columns.times_us[row] for row in rows]), series)
