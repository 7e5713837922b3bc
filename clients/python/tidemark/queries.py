"""The parameters of what reads past the limits of one call."""

from __future__ import annotations

from typing import Any, TypedDict

from .wire import Calculation, DataQuery, GroupAggregation, ItemAggregation


class ItemsQuery(TypedDict, total=False):
    """Which items: `filter` as in the query of service.selectItems; without it all items."""

    filter: dict[str, Any]


class FramesQuery(TypedDict, total=False):
    """The parameters of service.dataFrame that can be read in parts: no `last` and `outsidePoints` in `data`."""

    query: ItemsQuery
    data: DataQuery


class EvaluateQuery(TypedDict, total=False):
    """The parameters of service.evaluate that make columns."""

    items: list[ItemAggregation]
    groups: list[GroupAggregation]
    calculations: list[Calculation]
    data: DataQuery
