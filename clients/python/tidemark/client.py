"""The client: typed calls, tokens that are kept, and attempts that are repeated where that is safe."""

from __future__ import annotations

import base64
import gzip
import json
import random
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any

from . import reading
from .columns import Columns
from .errors import ServiceError, fault_error
from .http import Answer, post, retry_after_s
from .queries import EvaluateQuery, FramesQuery, ItemsQuery
from .wire import Item, TypedCall

_IDEMPOTENT_CONSOLE = ("list", "status", "overview", "usage", "health", "config")


class Client:
    """A client of one service in one version of the API. Threads may share it."""

    integration: str = ""
    """The integration of the credentials file."""

    def __init__(
        self,
        api_url: str,
        credentials: dict[str, str],
        *,
        version: str = "1.2",
        retries: int = 4,
        first_s: float = 0.25,
        longest_s: float = 30.0,
        timeout_s: float = 60.0,
        on_retry: Callable[[ServiceError, float], None] | None = None,
    ) -> None:
        """`api_url` ends in /v1/; `credentials` is what a credentials file has under that name."""
        self.version = version
        self._api_url = api_url
        self._credentials = credentials
        self._retry = (retries, first_s, longest_s)
        self._timeout_s = timeout_s
        self._on_retry = on_retry
        self._token: str | None = None
        self._token_until = 0.0
        self._token_lock = threading.Lock()

    @classmethod
    def from_file(cls, path: str | PathLike[str], **options: Any) -> Client:
        """A client for a credentials file, as the console and `tidemark integration create` write it."""
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        client = cls(content["apiUrl"], content["credentials"], **options)
        client.integration = content["integration"]
        return client

    @property
    def call(self) -> TypedCall:
        """Calls a method: `client.call("service.selectItems", {"query": {}})`. Raises ServiceError."""
        return self._call

    def items(self, query: ItemsQuery | None = None) -> Iterator[Item]:
        """All items that match, page by page, by ascending ID."""
        return reading.read_items(self, query or {})

    def frames(self, params: FramesQuery) -> Iterator[Columns]:
        """The data of all items that match, however many and however long the window: its parts in ascending order."""
        return reading.read_frames(self, params)

    def frame(self, params: FramesQuery) -> Columns:
        """As `frames`, joined."""
        return reading.read_whole_frame(self, params)

    def evaluate(self, params: EvaluateQuery) -> Columns:
        """The columns of service.evaluate, for a window of any length.

        Raises ValueError where a formula needs a window whole that is too long for one call.
        """
        return reading.read_evaluation(self, params)

    def _call(self, method: str, params: Any = None, *, retries: int | None = None, compress: bool = False) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}, allow_nan=False)
        headers = {"Content-Type": "application/json", "X-API-Version": self.version}
        content = body.encode()
        if compress:
            headers["Content-Encoding"] = "gzip"
            content = gzip.compress(content, 1)
        attempts, first_s, longest_s = self._retry
        left = attempts if retries is None else retries
        attempt = 0
        while True:
            try:
                return self._attempt(method, headers, content)
            except ServiceError as error:
                pause_s = _pause(error, attempt, method, first_s, longest_s) if attempt < left else None
                if pause_s is None:
                    raise
                if self._on_retry is not None:
                    self._on_retry(error, pause_s)
                time.sleep(pause_s)
                attempt += 1

    def _attempt(self, method: str, headers: dict[str, str], content: bytes) -> Any:
        """One attempt; two where a token was refused that had been kept."""
        url = f"{self._api_url}rpc"
        authorization, token = self._authorization()
        answer = post(url, {**headers, "Authorization": authorization}, content, self._timeout_s, method)
        if answer.status == 401 and token is not None:
            self._forget(token)
            authorization, _ = self._authorization()
            answer = post(url, {**headers, "Authorization": authorization}, content, self._timeout_s, method)
        return _result(method, url, answer)

    def _authorization(self) -> tuple[str, str | None]:
        if self._credentials["type"] == "basic-auth":
            user = f"{self._credentials['clientId']}:{self._credentials['clientSecret']}"
            return f"Basic {base64.b64encode(user.encode()).decode()}", None
        with self._token_lock:
            if self._token is None or time.monotonic() >= self._token_until:
                self._token, self._token_until = self._ask_token()
            return f"Bearer {self._token}", self._token

    def _forget(self, token: str) -> None:
        with self._token_lock:
            if self._token == token:
                self._token = None

    def _ask_token(self) -> tuple[str, float]:
        asked = time.monotonic()
        form = urllib.parse.urlencode(
            {
                "grant_type": "client_credentials",
                "client_id": self._credentials["clientId"],
                "client_secret": self._credentials["clientSecret"],
                "audience": self._api_url,
            }
        )
        url = f"{self._api_url}oauth/token"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = post(url, headers, form.encode(), self._timeout_s, "")
        if answer.status != 200:
            raise _http_error("", answer)
        content = _json(answer.body)
        if "access_token" not in content:
            raise _not_this_interface("", url, answer)
        life_s = float(content["expires_in"])
        return content["access_token"], asked + life_s - min(30.0, life_s / 2)


def _pause(error: ServiceError, attempt: int, method: str, first_s: float, longest_s: float) -> float | None:
    """The pause before the next attempt, in seconds; None when there is to be none."""
    refused = error.status in (429, 503)
    lost = error.kind in ("network", "timeout") or error.status in (502, 504) or error.code == -32015
    name = method.lower()
    idempotent = not name.startswith("console.") or name.rsplit(".", 1)[-1] in _IDEMPOTENT_CONSOLE
    if not refused and not (lost and idempotent):
        return None
    chance = random.random()
    if error.retry_after_s is None:
        return min(first_s * 2**attempt, longest_s) * (0.5 + chance / 2)
    return None if error.retry_after_s > longest_s else error.retry_after_s + first_s * chance


def _result(method: str, url: str, answer: Answer) -> Any:
    if answer.status != 200:
        raise _http_error(method, answer)
    content = _json(answer.body)
    if "error" in content:
        raise fault_error(method, content["error"], answer.status, retry_after_s(answer.headers))
    if "result" not in content:
        raise _not_this_interface(method, url, answer)
    return content["result"]


def _json(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _http_error(method: str, answer: Answer) -> ServiceError:
    problem = _json(answer.body)
    words = problem.get("detail") or problem.get("error_description") or problem.get("title") or ""
    return ServiceError(
        f"HTTP {answer.status}{f': {words}' if words else ''}",
        kind="http",
        method=method,
        status=answer.status,
        trace=problem.get("trace"),
        params=problem.get("params"),
        retry_after_s=retry_after_s(answer.headers),
    )


def _not_this_interface(method: str, url: str, answer: Answer) -> ServiceError:
    text = f"{url} is not a Tidemark service: its answer has another form"
    return ServiceError(text, kind="form", method=method, status=answer.status)
