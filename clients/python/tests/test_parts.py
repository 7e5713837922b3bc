"""What needs no service: times, columns, points, queues."""

import math
import os
import random
import tempfile
import typing
import unittest
from array import array
from datetime import datetime, timedelta, timezone
from pathlib import Path

from tidemark import Columns, FileQueue, MemoryQueue, wire
from tidemark.columns import complete_states, join, keep_last
from tidemark.points import cut_frames, decode_record, encode_record, find_record, halve, join_points
from tidemark.times import to_text, to_us


class Times(unittest.TestCase):
    def test_forms_of_one_time(self) -> None:
        us = 1_772_355_600_000_001
        zone = timezone(timedelta(hours=1))
        for time in ("2026-03-01T09:00:00.000001Z", datetime(2026, 3, 1, 10, 0, 0, 1, zone)):
            self.assertEqual(to_us(time), us)
        self.assertEqual([to_us(1_772_355_600), to_us(1_772_355_600.5)], [us - 1, us - 1 + 500_000])
        self.assertEqual([to_text(us), to_text(us - 1)], ["2026-03-01T09:00:00.000001Z", "2026-03-01T09:00:00Z"])

    def test_what_is_no_time(self) -> None:
        for time in ("yesterday", "2026-03-01T09:00:00", datetime(2026, 3, 1), math.nan, 1_772_355_600_000):
            with self.assertRaises(ValueError):
                to_us(time)


def columns(times: list[int], **series: list[float]) -> Columns:
    return Columns(array("q", times), {key: array("d", values) for key, values in series.items()})


class JoinedColumns(unittest.TestCase):
    def test_rows_states_and_newest_values(self) -> None:
        nan = math.nan
        parts = [columns([1, 3], a=[1, 3], x_state_1=[5, nan]), columns([2, 3], a=[2, 4], x_state_2=[6, 7])]
        joined = join(complete_states(parts))
        expected = columns([1, 2, 3], a=[1, 2, 4], x_state_1=[5, 0, 0], x_state_2=[0, 6, 7])
        self.assertEqual((list(joined.times_us), joined.series), (list(expected.times_us), expected.series))
        last = keep_last(columns([1, 2, 3], a=[1, 2, nan], b=[1, nan, nan]), 1)
        self.assertEqual([list(last.times_us), last.series["a"][1], last.series["b"][0]], [[1, 2], 2, 1])
        self.assertEqual(list(join([]).times_us), [])


class Points(unittest.TestCase):
    def test_frames_and_records_have_every_point_once(self) -> None:
        for seed in range(200):
            chance = random.Random(seed)
            points = join_points(
                [{chance.choice("abc"): {chance.randrange(40): chance.random()}} for _ in range(chance.randrange(1, 90))]
            )
            cells_max = chance.randrange(1, 30)
            found: dict[str, dict[int, float]] = {}
            for frame in cut_frames(points, cells_max):
                rows = len(frame.times_us)
                self.assertTrue(rows == 1 or rows * len(frame.series) <= cells_max, f"seed {seed}")
                halves = halve(frame)
                self.assertEqual(sum(half.points for half in halves or [frame]), frame.points)
                for key, values in frame.series.items():
                    for us, value in zip(frame.times_us, values):
                        if value is not None:
                            self.assertNotIn(us, found.setdefault(key, {}), f"seed {seed}")
                            found[key][us] = value
            self.assertEqual(found, points, f"seed {seed}")
            record = encode_record(points)
            end, _ = find_record(record, 0) or (0, 0)
            self.assertEqual(decode_record(record, 0, end), points)
            self.assertIsNone(find_record(record[: chance.randrange(len(record))], 0))


class Queues(unittest.TestCase):
    def numbers(self, queue: FileQueue | MemoryQueue) -> list[float]:
        """Takes all batches out, one at a time."""
        found = []
        while (backlog := queue.oldest(1)) is not None:
            found.append(backlog.points["number"][0])
            queue.remove(backlog.last)
        return found

    def test_batches_come_back_in_order_over_restarts(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            queue = FileQueue(directory)
            queue.open()
            for number in range(5):
                queue.append({"number": {0: number}})
            queue.remove(1)
            with self.assertRaisesRegex(RuntimeError, r"is in use by process \d+"):
                FileQueue(directory).open()
            queue.close()
            (segment,) = Path(directory).glob("*.points")
            with segment.open("ab") as file:
                file.write(b"torn")
            again = FileQueue(directory)
            self.assertEqual(again.open(), (4, []))
            again.append({"number": {0: 5}})
            self.assertEqual(self.numbers(again), [1, 2, 3, 4, 5])
            self.assertEqual((again.points, again.bytes, list(Path(directory).glob("*.points"))), (0, 0, []))
            again.close()

    def test_at_its_bound_the_oldest_are_dropped_and_reported(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            files, memory = FileQueue(directory, bytes_max=100_000), MemoryQueue(points_max=5000)
            files.open()
            for queue, bytes_max in ((files, 100_000), (memory, 80_000)):
                dropped = 0
                for number in range(60):
                    noise = {i: math.sin(number * 1e4 + i) for i in range(299)}
                    appended = queue.append({"number": {0: number}, "noise": noise})
                    dropped += sum(loss.points for loss in appended.lost)
                    self.assertLessEqual(queue.bytes, bytes_max)
                left = self.numbers(queue)
                self.assertGreater(dropped, 0)
                self.assertEqual(left, list(range(dropped // 300, 60)))
            files.close()
            self.assertFalse(os.path.exists(os.path.join(directory, "lock")))


class Types(unittest.TestCase):
    def test_every_generated_type_can_be_read(self) -> None:
        types = [value for value in vars(wire).values() if hasattr(value, "__required_keys__")]
        self.assertGreater(len(types), 100)
        for each in types:
            typing.get_type_hints(each)
