"""With a service: its credentials file is named in the environment. Its limits are small, so that reads need several calls."""

import os
import time
import unittest

from tidemark import Client, Columns, Loss, ServiceError, Writer

HOUR = 3600
START = 1_767_225_600
HOURS = 20 * 24


def window(start: int, end: int) -> dict:
    return {"filter": {"times": {"$gte": start, "$lt": end}}}


class WithService(unittest.TestCase):
    client: Client
    items: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = Client.from_file(os.environ["CREDENTIALS"])
        with Writer(cls.client) as writer:
            times = [START + hour * HOUR for hour in range(HOURS)]
            values = [float(hour % 7) for hour in range(HOURS)]
            writer.write_frame(times, {"level": values, "rare": [None if i % 100 else i for i in range(HOURS)]})
        cls.items = cls.publish(["level", "rare"])

    @classmethod
    def publish(cls, inputs: list[str]) -> dict[str, str]:
        integration = cls.client.integration
        query = {"filter": {"input": {"$in": inputs}}}
        signals = cls.client.call("admin.selectSignals", {"integration": integration, "query": query})["data"]
        published = cls.client.call(
            "admin.publishSignals",
            {"integration": integration, "itemsBySignal": {signal["id"]: {} for signal in signals}},
        )["itemsBySignal"]
        return {signal["attributes"]["input"]: published[signal["id"]]["id"] for signal in signals}

    def test_what_is_written_is_read_over_many_windows(self) -> None:
        columns = self.client.frame({"query": {}, "data": window(START, START + HOURS * HOUR)})
        self.assertEqual(list(columns.times_us), [(START + hour * HOUR) * 1_000_000 for hour in range(HOURS)])
        self.assertEqual(list(columns.series[self.items["level"]]), [hour % 7 for hour in range(HOURS)])
        parts = list(self.client.frames({"data": window(START, START + HOURS * HOUR)}))
        self.assertGreater(len(parts), 5)

    def test_rollups_are_divided_between_buckets(self) -> None:
        data = {**window(START + 100, START + HOURS * HOUR), "rollup": "P1D", "timeZone": "Europe/Oslo"}
        columns = self.client.frame({"query": {"filter": {"id": self.items["level"]}}, "data": data})
        counts = list(columns.series[f"{self.items['level']}_count"])
        # The first hour is before the window; a day in Oslo begins at 23:00.
        self.assertEqual(counts, [22.0, *[24.0] * 19, 1.0])

    def test_evaluations_and_formulas_that_need_the_whole_window(self) -> None:
        def evaluate(formula: str) -> Columns:
            return self.client.evaluate(
                {
                    "items": [{"id": self.items["level"], "alias": "a", "aggregation": "max"}],
                    "calculations": [{"alias": "c", "formula": formula}],
                    "data": {**window(START, START + HOURS * HOUR), "rollup": "PT1H"},
                }
            )

        columns = evaluate("a + lag(a)")
        self.assertEqual(list(columns.series["c"])[1:], [h % 7 + (h - 1) % 7 for h in range(1, HOURS)])
        with self.assertRaisesRegex(ValueError, r"calculation c has cumsum\(\), which needs the whole window"):
            evaluate("cumsum(a)")

    def test_a_pandas_frame(self) -> None:
        columns = self.client.frame({"query": {}, "data": window(START, START + 200 * HOUR)})
        frame = columns.to_frame()
        self.assertEqual((frame.shape, str(frame.index.tz), str(frame.index[1])), ((200, 2), "UTC", "2026-01-01 01:00:00+00:00"))
        self.assertEqual(frame[self.items["rare"]].dropna().tolist(), [0.0, 100.0])
        self.assertEqual(frame[self.items["level"]].resample("7h").mean().iloc[0], 3.0)
        self.assertEqual(Columns().to_frame().shape, (0, 0))

    def test_items_come_in_pages(self) -> None:
        integration = self.client.integration
        inputs = [f"many/{number}" for number in range(1050)]
        self.client.call(
            "integration.saveSignals",
            {"integration": integration, "signalsByInput": {key: {"labels": {"kind": ["many"]}} for key in inputs}},
        )
        signals = []
        for skip in (0, 1000):
            query = {"filter": {"labels.kind": "many"}, "limit": 1000, "skip": skip}
            signals += self.client.call("admin.selectSignals", {"integration": integration, "query": query})["data"]
        items = {signal["id"]: {"labels": {"kind": ["many"]}} for signal in signals}
        self.client.call("admin.publishSignals", {"integration": integration, "itemsBySignal": items})
        names = [item["attributes"]["name"] for item in self.client.items({"filter": {"labels.kind": "many"}})]
        self.assertEqual(sorted(names), sorted(inputs))

    def test_errors_say_what_is_wrong_where(self) -> None:
        data = {"times": ["yesterday"], "series": {"a": [1]}}
        with self.assertRaises(ServiceError) as caught:
            self.client.call("integration.insert", {"integration": self.client.integration, "data": data})
        self.assertEqual((caught.exception.code, list(caught.exception.params)), (-32602, ["data.times.0"]))
        wrong = Client(self.client._api_url, {"type": "basic-auth", "clientId": "no", "clientSecret": "no"})
        with self.assertRaises(ServiceError) as caught:
            wrong.call("rpc.discover")
        self.assertEqual((caught.exception.kind, caught.exception.status), ("http", 401))

    def test_tokens(self) -> None:
        client = Client.from_file(os.environ["TOKEN_CREDENTIALS"])
        self.assertEqual(len(list(client.items({"filter": {"id": self.items["level"]}}))), 1)
        client._token = "refused"
        self.assertEqual(len(list(client.items({"filter": {"id": self.items["level"]}}))), 1)

    def test_a_writer_says_what_it_gives_up(self) -> None:
        losses: list[Loss] = []
        elsewhere = Client("http://127.0.0.1:9/v1/", self.client._credentials)
        writer = Writer(elsewhere, "c0000000000000000000", first_s=0.01, on_loss=losses.append)
        for bad in (("a b", 1), ("a", float("nan"))):
            with self.assertRaises(ValueError):
                writer.write(*bad)
        writer.write("a", 1)
        with self.assertRaisesRegex(TimeoutError, "1 points are still queued after 0.2 s"):
            writer.flush(0.2)
        status = writer.close(0.1)
        self.assertEqual([(loss.reason, loss.points) for loss in losses], [("closed", 1)])
        self.assertEqual((status.written, status.sent, status.lost), (1, 0, 1))
        with self.assertRaises(ValueError):
            writer.write("a", 1)

    def test_a_batch_is_sent_by_itself_when_it_is_old_enough(self) -> None:
        with Writer(self.client, batch_s=0.05) as writer:
            writer.write("batch", 1.5)
            for _ in range(600):
                if writer.status().sent == 1:
                    break
                time.sleep(0.1)
            self.assertEqual(writer.status().sent, 1)
